import Testing

/// App Store Server Notifications, version 2.
@Suite("Notifications, version 2")
struct NotificationV2Tests {
    private static let transaction =
        #"{"transactionId":"7","originalTransactionId":"1","productId":"p","purchaseDate":1698148800000,"#
        + #""signedDate":1698148900000,"price":4990,"currency":"USD"}"#
    private static let renewal = #"{"originalTransactionId":"1","autoRenewProductId":"p","autoRenewStatus":1}"#

    /// A decoded body whose nested payloads are the given JSON values.
    private static func body(
        type: String = "DID_RENEW",
        transaction: String? = nil,
        renewal: String? = nil,
        data: String = #""environment":"Sandbox","bundleId":"com.example","bundleVersion":"1.2.3""#
    ) -> String {
        let nested = [
            transaction.map { #","signedTransactionInfo":\#($0)"# }, renewal.map { #","signedRenewalInfo":\#($0)"# },
        ].compactMap(\.self).joined()
        return #"{"notificationType":"\#(type)","subtype":"INITIAL_BUY","notificationUUID":"u","version":"2.0","#
            + #""data":{\#(data)\#(nested)},"signedDate":1698149000000}"#
    }

    private static func jws(_ payload: String) -> String { Unsigned.quoted(Unsigned.jws(payload)) }

    @Test("A signed payload, alone or in its body, and the decoded body give the same rows")
    func agreesInEveryForm() {
        let decoded = Self.body(transaction: Self.jws(Self.transaction), renewal: Self.jws(Self.renewal))
        let forms = [decoded, Unsigned.jws(decoded), #"{"signedPayload":\#(Self.jws(decoded))}"#]
        let readings = forms.map { SignedReading($0) }
        for reading in readings {
            #expect(reading.codes.isEmpty)
            #expect(reading.transactions == readings[0].transactions)
            #expect(reading.renewals == readings[0].renewals)
        }
        #expect(readings.map { $0.documents.first?["trust"] } == ["unsigned", "unchecked", "unchecked"])
        let transaction = readings[0].transactions.first ?? [:]
        #expect(transaction["kind"] == "notification" && transaction["trust"] == "unchecked")
        #expect(transaction["environment"] == "sandbox" && transaction["bundle_id"] == "com.example")
        #expect(transaction["app_version"] == "1.2.3" && transaction["price"] == "4990")
        #expect(transaction["observed_at"] == "2023-10-24T12:01:40.000Z")
        #expect(transaction["refund_reversed_at"] == nil)
        let renewal = readings[0].renewals.first ?? [:]
        #expect(renewal["kind"] == "notification" && renewal["bundle_id"] == "com.example")
        #expect(renewal["observed_at"] == "2023-10-24T12:03:20.000Z")
    }

    @Test("A decoded body without its UUID is a notification in any wrapper, as by itself")
    func wrapsBodyWithoutUUID() {
        let named = Self.body(type: "REFUND_REVERSED", transaction: Self.jws(Self.transaction))
        let body = named.replacing(#""notificationUUID":"u","#, with: "")
        let wrappers = [
            body, #"{"level":"info","body":{"detail":\#(body)}}"#, #"{"message":\#(Unsigned.quoted(body))}"#,
            #"{"Records":[{"body":\#(Unsigned.quoted(#"{"Message":\#(Unsigned.quoted(body))}"#))}]}"#,
        ]
        for wrapper in wrappers {
            let reading = SignedReading(wrapper)
            #expect(reading.documents.map { $0["kind"] } == ["notification"], "\(wrapper)")
            #expect(reading.transactions.map { $0["refund_reversed_at"] } == ["2023-10-24T12:03:20.000Z"])
        }
        let flat = #"{"notificationType":"REFUND","other":\#(Self.jws(Self.transaction))}"#
        for text in [flat, #"{"log":\#(flat)}"#] {
            #expect(SignedReading(text).transactions.map { $0["kind"] } == ["notification"])
        }
        let response = #"{"log":{"status":0,"data":{"signedTransactionInfo":\#(Self.jws(Self.transaction))}}}"#
        #expect(SignedReading(response).transactions.map { $0["kind"] } == ["jws"])
    }

    @Test("Nested payloads that somebody decoded already are read too; their trust is that of the whole")
    func readsDecodedPayloads() {
        let body = Self.body(transaction: Self.transaction, renewal: Self.renewal)
        let plain = SignedReading(body)
        #expect(plain.transactions.map { $0["trust"] } == ["unsigned"])
        #expect(plain.renewals.map { $0["trust"] } == ["unsigned"])
        let signed = SignedReading(Unsigned.jws(body))
        #expect(signed.transactions.map { $0["trust"] } == ["unchecked"])
        #expect(signed.renewals.map { $0["trust"] } == ["unchecked"])
    }

    @Test("The document says type, subtype, app and time of signing")
    func fillsDocument() {
        #expect(
            SignedReading(Self.body(type: "BRAND_NEW")).documents == [
                [
                    "kind": "notification", "notification_type": "BRAND_NEW", "notification_subtype": "INITIAL_BUY",
                    "environment": "sandbox", "bundle_id": "com.example", "app_version": "1.2.3",
                    "observed_at": "2023-10-24T12:03:20.000Z", "trust": "unsigned", "transactions": "0",
                    "withheld": "0", "document": "0",
                ]
            ]
        )
    }

    @Test("A row keeps what its own payload says, and takes the rest from data")
    func prefersOwnPayload() {
        let own = #"{"transactionId":"7","environment":"Production","bundleId":"own"}"#
        let row = SignedReading(Self.body(transaction: Self.jws(own))).transactions.first ?? [:]
        #expect(row["environment"] == "production" && row["bundle_id"] == "own" && row["app_version"] == "1.2.3")
    }

    @Test("REFUND_REVERSED marks its row with the time of signing; other types do not")
    func marksReversedRefunds() {
        let reversed = SignedReading(Self.body(type: "REFUND_REVERSED", transaction: Self.jws(Self.transaction)))
        #expect(reversed.transactions.map { $0["refund_reversed_at"] } == ["2023-10-24T12:03:20.000Z"])
        #expect(reversed.transactions.first?["observed_at"] == "2023-10-24T12:01:40.000Z")
        let refund = SignedReading(Self.body(type: "REFUND", transaction: Self.jws(Self.transaction)))
        #expect(refund.transactions.map { $0["refund_reversed_at"] } == [nil])
    }

    @Test(
        "Quirk 68: whatever a notification is about, it is accepted",
        arguments: [
            (#""data":{"environment":"Sandbox","bundleId":"b"}"#, "sandbox", "b"),
            (
                #""summary":{"environment":"Production","bundleId":"b","storefrontCountryCodes":["USA"]}"#,
                "production", "b"
            ),
            (#""externalPurchaseToken":{"bundleId":"b","tokenCreationDate":1}"#, nil, "b"),
            (#""appData":{"environment":"Sandbox","bundleId":"b"}"#, "sandbox", "b"),
            (#""data":null"#, nil, nil), (#""version":"2.0""#, nil, nil),
        ] as [(String, String?, String?)]
    )
    func acceptsAnySubject(_ member: String, _ environment: String?, _ bundleID: String?) {
        let reading = SignedReading(#"{"notificationType":"TEST",\#(member)}"#)
        #expect(reading.accepted == 1)
        #expect(reading.documents.first?["environment"] == environment)
        #expect(reading.documents.first?["bundle_id"] == bundleID)
        #expect(reading.transactions.isEmpty && reading.renewals.isEmpty)
    }

    @Test(
        "A defect of a decoded transaction beside the members of a notification is a reject",
        arguments: [
            ("yesterday", "purchaseDate", "receipt.date"), ("{}", "quantity", "receipt.type"),
            ("x", "quantity", "receipt.integer"),
        ]
    )
    func rejectsDefectBeside(_ value: String, _ key: String, _ code: String) {
        let quoted = value == "{}" ? value : #""\#(value)""#
        let members = #""transactionId":"7","productId":"p""#
        let date = key == "purchaseDate" ? "" : #","purchaseDate":1698148800000"#
        let defective = #"{\#(members)\#(date),"\#(key)":\#(quoted)}"#
        let head = #""notificationType":"ONE_TIME_CHARGE","notificationUUID":"u""#
        for text in [
            #"{\#(head),"data":{"bundleId":"b"},"transaction":\#(defective)}"#,
            #"{\#(head),"data":{"bundleId":"b","transactionInfo":\#(Unsigned.quoted(defective))}}"#,
            #"{"body":{\#(head),"transaction":\#(defective)}}"#,
        ] {
            let reading = SignedReading(text)
            #expect(reading.codes == [code] && reading.accepted == 0, "\(text): \(reading.codes)")
        }
        // Records of the program.
        for record in [
            #"{"transactionId":"a-7","quantity":"x"}"#,
            #"{"autoRenewStatus":"on","productId":"p","originalTransactionId":"5"}"#,
        ] {
            let other = SignedReading(#"{\#(head),"record":\#(record)}"#)
            #expect(other.codes.isEmpty && other.accepted == 1 && other.transactions.isEmpty, "\(other.rejects)")
        }
    }

    @Test(
        "Decoded transactions beside the members of a notification are read, also in lists and objects",
        arguments: [
            (#""transactions":[@1,@2]"#, ["7", "8"]), (#""decoded":{"transaction":@1,"n":1}"#, ["7"]),
            (#""data":{"bundleId":"b","x":{"list":[1,[],@1]}}"#, ["7"]),
            (#""latest_receipt_info":[{"transaction_id":"1"}],"transaction":@1"#, ["1"]),
            (#""unified_receipt":{"status":0},"transaction":@1"#, ["7"]),
        ]
    )
    func readsSiblings(_ members: String, _ identifiers: [String]) {
        let second = Self.transaction.replacing(#"Id":"7""#, with: #"Id":"8""#)
        let text = members.replacing("@1", with: Self.transaction).replacing("@2", with: second)
        let reading = SignedReading(#"{"notificationType":"DID_RENEW","notificationUUID":"u",\#(text)}"#)
        #expect(reading.codes.isEmpty && reading.accepted == 1, "\(text): \(reading.rejects)")
        #expect(reading.transactions.map { $0["transaction_id"] } == identifiers, "\(text)")
    }

    @Test("A nested app transaction is no row; the document takes from it what it lacks")
    func readsAppTransactions() {
        let app = Self.jws(#"{"receiptType":"Sandbox","bundleId":"b","applicationVersion":"4"}"#)
        let reading = SignedReading(
            #"{"notificationType":"RESCIND_CONSENT","appData":{"signedAppTransactionInfo":\#(app)}}"#
        )
        #expect(reading.transactions.isEmpty)
        let row = reading.documents.first ?? [:]
        #expect(row["environment"] == "sandbox" && row["bundle_id"] == "b" && row["app_version"] == "4")
        #expect(row["receipt_type"] == "Sandbox")
    }

    @Test("Quirk 5: a notification handed in as receipt data is a notification")
    func isReadInReceiptData() {
        let body = #"{"signedPayload":\#(Self.jws(Self.body()))}"#
        for text in [#"{"receipt-data":\#(Unsigned.quoted(body))}"#, Unsigned.quoted(body)] {
            #expect(SignedReading(text).documents.map { $0["kind"] } == ["notification"])
        }
    }

    @Test("One transaction twice in a notification is one row")
    func joinsCopies() {
        let first = #"{"transactionId":"7","price":1}"#
        let second = #"{"transactionId":"7","price":2,"currency":"USD"}"#
        let data = #""signedTransactionInfo":\#(first)"#
        let reading = SignedReading(Self.body(transaction: Self.jws(second), data: data))
        #expect(reading.transactions.map { $0["price"] } == ["1"])
        #expect(reading.transactions.map { $0["currency"] } == ["USD"])
    }

    // MARK: Rejected

    /// The body, the code and the path.
    static let rejected: [(String, String, String)] = [
        (body(transaction: #""no JWS""#), "jws.segments", "data › signedTransactionInfo"),
        (body(transaction: "7"), "receipt.type", "data › signedTransactionInfo"),
        (body(transaction: "[]"), "receipt.type", "data › signedTransactionInfo"),
        (body(transaction: jws(#"{"bundleId":"b"}"#)), "jws.payload", "data › signedTransactionInfo"),
        (
            body(transaction: jws(#"{"transactionId":"1","#)), "document.json",
            "data › signedTransactionInfo › transactionId"
        ),
        (
            body(transaction: jws(#"{"transactionId":"1","price":"x"}"#)), "receipt.integer",
            "data › signedTransactionInfo › price"
        ),
        (body(renewal: jws(#"{"renewalDate":"x"}"#)), "receipt.date", "data › signedRenewalInfo › renewalDate"),
        (body(renewal: #"{"renewalDate":"x"}"#), "receipt.date", "data › signedRenewalInfo › renewalDate"),
        (#"{"notificationType":"TEST","data":[]}"#, "receipt.type", "data"),
        (#"{"notificationType":"TEST","data":{"bundleId":{}}}"#, "receipt.type", "data › bundleId"),
        (#"{"notificationType":"TEST","signedDate":"x"}"#, "receipt.date", "signedDate"),
        (#"{"signedPayload":7}"#, "receipt.type", "signedPayload"),
    ]

    @Test("A payload that cannot be read rejects the whole notification, with its path", arguments: rejected)
    func rejects(_ text: String, _ code: String, _ path: String) {
        let reading = SignedReading(text)
        #expect(reading.rejects.map(\.code) == [code])
        #expect(reading.rejects.map(\.path) == [path])
        #expect(reading.rejects.map(\.kind) == ["notification"])
        #expect(reading.transactions.isEmpty && reading.renewals.isEmpty && reading.documents.isEmpty)
    }

    @Test("A nested text that ends too early does not make the document seem unfinished")
    func isNotUnfinished() {
        let text = Self.body(transaction: Self.jws(#"{"transactionId":"1","#)) + "\n" + Self.body()
        let reading = SignedReading(text)
        #expect(reading.codes == ["document.json"] && reading.accepted == 1)
    }
}
