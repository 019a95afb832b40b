import Testing
import TillTestSupport

/// Signed transactions, renewal info and app transactions.
@Suite("StoreKit 2 payloads")
struct JWSFormatTests {
    static let transaction =
        #"{"transactionId":"2000000000000007","originalTransactionId":"2000000000000001","bundleId":"com.example.app","#
        + #""productId":"pro","purchaseDate":1772442600000,"signedDate":1772442660000,"environment":"Production"}"#

    private static func row(_ members: String) -> SignedReading.Row {
        let reading = SignedReading(#"{"transactionId":"1","bundleId":"b",\#(members)}"#)
        #expect(!reading.transactions.isEmpty, "\(members): \(reading.rejects)")
        return reading.transactions.first ?? [:]
    }

    // MARK: Accepted

    @Test("A compact JWS and its decoded payload give the same row; only the trust differs")
    func agreesWithDecoded() throws {
        let signed = SignedReading(Unsigned.jws(Self.transaction))
        let plain = SignedReading(Self.transaction)
        #expect(signed.documents.map { $0["trust"] } == ["unchecked"])
        #expect(signed.transactions.map { $0["trust"] } == ["unchecked"])
        #expect(plain.documents.map { $0["trust"] } == ["unsigned"])
        #expect(plain.transactions.map { $0["trust"] } == ["unsigned"])
        var row = try #require(signed.transactions.first)
        row["trust"] = "unsigned"
        #expect([row] == plain.transactions)
        #expect(row["kind"] == "jws" && row["observed_at"] == "2026-03-02T09:11:00.000Z")
        #expect(signed.documents.first?["observed_at"] == "2026-03-02T09:11:00.000Z")
        #expect(signed.documents.first?["transactions"] == "1")
    }

    @Test("A storefront is kept as it came, but for Kosovo, which has Apple's name", arguments: ["XK", "XKX", "XKS"])
    func kosovo(_ name: String) {
        func storefront(_ name: String) -> String? {
            Self.row(#""productId":"p","storefront":"\#(name)""#)["storefront"]
        }
        #expect(storefront(name) == "XKS")
        #expect(storefront("US") == "US" && storefront("XKT") == "XKT")
    }

    /// Ways in which one JWS may come.
    static let wrappings: [(String, String)] = {
        let jws = Unsigned.jws(transaction)
        return [
            ("alone", jws), ("with space around it", "  \(jws) \r\n"), ("as a JSON string", Unsigned.quoted(jws)),
            ("in base64", Unsigned.segment(Array(jws.utf8))), ("in receipt-data", #"{"receipt-data":"\#(jws)"}"#),
            ("under any other name", #"{"user":"7","signed":"\#(jws)","n":1}"#),
            ("with a padded header", Unsigned.jws(transaction, header: #"{ "alg" : "ES256" }"#)),
        ]
    }()

    @Test("Quirk 4: a JWS is read whatever it stands in", arguments: wrappings)
    func isReadAnywhere(_ what: String, _ text: String) {
        let reading = SignedReading(text)
        #expect(reading.codes.isEmpty, "\(what): \(reading.rejects)")
        #expect(reading.transactions.map { $0["transaction_id"] } == ["2000000000000007"], "\(what)")
        #expect(reading.documents.map { $0["kind"] } == ["jws"], "\(what)")
    }

    @Test(
        "Words behind a JWS are no part of its signature",
        arguments: [
            "%\talice", "% ok", "% 2026-03-02", "  %  ok", "\"% ok\"", "{\"r\":\"% ok\"}", "{\"r\":\"%\\nok\"}",
        ]
    )
    func endsBeforeWords(_ shape: String) {
        let jws = Unsigned.jws(Self.transaction)
        let reading = SignedReading(shape.replacing("%", with: jws))
        #expect(reading.codes.isEmpty, "\(reading.rejects)")
        #expect(reading.transactions == SignedReading(jws).transactions)
    }

    @Test("Several JWS, and a JWS and a receipt, stand on one line", arguments: [" ", "\t", "  \t "])
    func readsSeveral(_ separator: String) {
        let jws = Unsigned.jws(Self.transaction)
        let receipt = ReceiptDER.sample()
        for text in [jws + separator + receipt.base64, receipt.base64 + separator + jws] {
            let reading = SignedReading(text)
            #expect(reading.transactions.count == 3 && reading.codes.isEmpty, "\(reading.rejects)")
        }
        let other = Unsigned.jws(Self.transaction.replacing("2000000000000007", with: "2000000000000008"))
        #expect(SignedReading(jws + separator + other).transactions.count == 2)
    }

    @Test(
        "A member beside those of a payload may say when it was written, in one of many objects that look alike",
        arguments: ["logged_at_ms", "logged_at", "ts", "timestamp", "@timestamp", "time", "received_at"]
    )
    func findsLogTimes(name: String) {
        let logged = #"\#(Self.transaction.dropLast()),"user":7,"\#(name)":1772442720000}"#
        let others = #"\#(Self.transaction.dropLast()),"user":7,"\#(name)x":1772442720000}"#
        let lines = [logged, logged, Self.transaction, others, logged, logged]
        let reading = SignedReading(lines.joined(separator: "\n"))
        let instant = "2026-03-02T09:12:00.000Z"
        #expect(reading.documents.map { $0["logged_at"] } == [instant, instant, nil, nil, instant, instant])
    }

    @Test("Lines of JWS are documents of their own")
    func readsLines() {
        let lines = [Self.transaction, #"{"autoRenewStatus":0}"#, Self.transaction].map { Unsigned.jws($0) }
        let reading = SignedReading(lines.joined(separator: "\n"))
        #expect(reading.accepted == 3)
        #expect(reading.transactions.map { $0["document"] } == ["0", "2"])
        #expect(reading.renewals.map { $0["document"] } == ["1"])
    }

    @Test(
        "Members become columns",
        arguments: [
            (#""price":9990"#, "price", "9990"), (#""price":"9990""#, "price", "9990"),
            (#""price":9223372036854775807"#, "price", "9223372036854775807"),
            (#""currency":"JPY""#, "currency", "JPY"), (#""storefront":"USA""#, "storefront", "USA"),
            (#""appAccountToken":"7e3f""#, "account_token", "7e3f"), (#""isUpgraded":true"#, "is_upgraded", "true"),
            (#""offerIdentifier":"abc.123""#, "offer_id", "abc.123"),
            (#""webOrderLineItemId":"34343""#, "web_order_line_item_id", "34343"),
            (#""webOrderLineItemId":"0""#, "web_order_line_item_id", nil),
            (#""webOrderLineItemId":"""#, "web_order_line_item_id", nil),
            (#""revocationDate":1698148950000"#, "cancellation_date", "2023-10-24T12:02:30.000Z"),
            (#""revocationReason":1"#, "cancellation_reason", "1"),
            (#""revocationReason":0"#, "cancellation_reason", "0"),
            (#""revocationPercentage":67932"#, "refund_percentage", "67932"),
            (#""revocationPercentage":"100000""#, "refund_percentage", "100000"),
            (#""revocationPercentage":123456789"#, "refund_percentage", "123456789"),
            (#""revocationPercentage":-1"#, "refund_percentage", "-1"),
            (#""revocationType":"REFUND_FULL""#, "refund_percentage", nil),
            (#""appTransactionId":"704346128300986174""#, "app_transaction_id", "704346128300986174"),
            (#""subscriptionGroupIdentifier":"20512001""#, "subscription_group_id", "20512001"),
            (#""type":"Auto-Renewable Subscription""#, "product_type", "auto_renewable"),
            (#""type":"Non-Consumable""#, "product_type", "non_consumable"),
            (#""type":"Consumable""#, "product_type", "consumable"),
            (#""type":"Non-Renewing Subscription""#, "product_type", "non_renewing"),
            (#""type":"Bundle""#, "product_type", "Bundle"),
            (#""inAppOwnershipType":"PURCHASED""#, "ownership_type", "purchased"),
            (#""inAppOwnershipType":"FAMILY_SHARED""#, "ownership_type", "family_shared"),
            (#""environment":"Xcode""#, "environment", "xcode"), (#""environment":"Moon""#, "environment", "Moon"),
            (#""environment":"LocalTesting""#, "environment", "local_testing"),
            (#""expiresDate":null"#, "expires_date", nil),
        ] as [(String, String, String?)]
    )
    func becomeColumns(_ member: String, _ column: String, _ value: String?) {
        #expect(Self.row(member)[column] == value)
    }

    @Test(
        "A trial is an offer whose discount is FREE_TRIAL, an introduction one of type 1",
        arguments: [
            ("", "false", "false"), (#""offerType":1,"#, nil, "true"),
            (#""offerType":1,"offerDiscountType":"FREE_TRIAL","#, "true", "true"),
            (#""offerType":2,"offerDiscountType":"FREE_TRIAL","#, "true", "false"),
            (#""offerType":2,"offerDiscountType":"PAY_UP_FRONT","#, "false", "false"),
        ]
    )
    func tellsTrials(_ members: String, _ isTrial: String?, _ isIntro: String) {
        let row = Self.row(members + #""quantity":1"#)
        #expect(row["is_trial"] == isTrial && row["is_intro"] == isIntro)
    }

    @Test("Quirk 25: a JWS from Xcode has one certificate and the environment xcode; its ids are 0")
    func readsXcode() {
        let payload = #"{"transactionId":"0","originalTransactionId":"0","productId":"p","environment":"Xcode"}"#
        let header = #"{"kid":"Apple_Xcode_Key","typ":"JWT","x5c":["MIIB"],"alg":"ES256"}"#
        let row = SignedReading(Unsigned.jws(payload, header: header)).transactions.first ?? [:]
        #expect(row["environment"] == "xcode" && row["transaction_id"] == "0" && row["trust"] == "unchecked")
    }

    @Test("Quirk 35: fractions of a millisecond are cut, and not rounded")
    func cutsFractions() {
        #expect(Self.row(#""purchaseDate":1697679936049.9997"#)["purchase_date"] == "2023-10-19T01:45:36.049Z")
        #expect(Self.row(#""purchaseDate":1.6976799360499e12"#)["purchase_date"] == "2023-10-19T01:45:36.049Z")
        let sentinel = Self.row(#""originalPurchaseDate":-62135769600000"#)
        #expect(sentinel["original_purchase_date"] == nil)
    }

    @Test("Quirk 64: a price that is missing is not 0")
    func keepsMissingPrices() {
        #expect(Self.row(#""quantity":3"#)["price"] == nil)
        #expect(Self.row(#""quantity":3,"price":null"#)["price"] == nil)
        #expect(Self.row(#""quantity":3,"price":0"#)["price"] == "0")
    }

    @Test("Quirk 58: the price is that of the transaction and stays so whatever the quantity is")
    func keepsTotals() {
        let row = Self.row(#""quantity":3,"price":29970"#)
        #expect(row["price"] == "29970" && row["quantity"] == "3")
    }

    @Test("Quirk 59: a family-shared row keeps its word and its price")
    func keepsSharedRows() {
        let row = Self.row(#""inAppOwnershipType":"FAMILY_SHARED","price":9990"#)
        #expect(row["ownership_type"] == "family_shared" && row["price"] == "9990")
    }

    @Test("Quirk 65: the type of an offer comes as a number or a string", arguments: ["2", #""2""#])
    func readsOfferType(_ value: String) {
        #expect(Self.row(#""offerType":\#(value)"#)["offer_type"] == "2")
    }

    @Test("Quirk 66: members that nobody knows are passed over, whatever they hold")
    func passesOverUnknown() {
        let row = Self.row(#""advancedCommerceInfo":{"items":[{"price":1}],"transactionId":"9"},"x":[[1]],"price":5"#)
        #expect(row["transaction_id"] == "1" && row["price"] == "5")
    }

    @Test("Quirk 67: an app transaction is a document without rows, also without a receipt type")
    func readsAppTransactions() {
        let members = #""bundleId":"b","applicationVersion":"1.2","receiptCreationDate":1722945600000"#
        let known = SignedReading(Unsigned.jws(#"{"receiptType":"Sandbox",\#(members)}"#))
        #expect(known.transactions.isEmpty && known.renewals.isEmpty)
        let row = known.documents.first ?? [:]
        #expect(row["environment"] == "sandbox" && row["receipt_type"] == "Sandbox" && row["kind"] == "jws")
        #expect(row["bundle_id"] == "b" && row["app_version"] == "1.2" && row["trust"] == "unchecked")
        #expect(row["observed_at"] == "2024-08-06T12:00:00.000Z" && row["transactions"] == "0")
        let unknown = SignedReading("{\(members)}")
        #expect(unknown.accepted == 1 && unknown.documents.first?["environment"] == nil)
    }

    /// A transaction as an app wrote it, with the names of StoreKit's `Transaction`.
    private static let properties =
        #""id":2000000000000007,"originalID":2000000000000001,"appBundleID":"b","productID":"pro","productType":"#
        + #""nonConsumable","purchaseDate":1772442600000,"originalPurchaseDate":1772442600000,"ownershipType":"purchased","#
        + #""expirationDate":1775034600000,"purchasedQuantity":3,"environment":"Production","isUpgraded":false"#

    @Test("A record with the properties of a Transaction is read by their names")
    func readsProperties() throws {
        let reading = SignedReading("{\(Self.properties)}")
        let row = try #require(reading.transactions.first)
        #expect(row["transaction_id"] == "2000000000000007" && row["original_transaction_id"] == "2000000000000001")
        #expect(row["bundle_id"] == "b" && row["product_type"] == "non_consumable" && row["quantity"] == "3")
        #expect(row["expires_date"] == "2026-04-01T09:10:00.000Z" && row["ownership_type"] == "purchased")
        // The id of any other record is not that of a transaction.
        #expect(Self.row(#""id":5,"productId":"p","purchaseDate":1772442600000"#)["transaction_id"] == "1")
        let record = SignedReading(#"{"id":5,"productId":"p","purchaseDate":1772442600000,"signedDate":1772442600000}"#)
        #expect(record.transactions.map { $0["transaction_id"] } == [nil])
    }

    @Test("The payload in such a record is the document")
    func readsRepresentation() throws {
        let text = "{\(Self.properties),\"jsonRepresentation\":\(Unsigned.quoted(Self.transaction))}"
        #expect(SignedReading(text).transactions == SignedReading(Self.transaction).transactions)
    }

    @Test("A purchase of a library with its own names is no payload, whatever account it has", arguments: ["", "a-b"])
    func rejectsOtherPurchase(_ account: String) {
        let reading = SignedReading(
            #"{"id":"1","productId":"p","transactionId":"2000000000000007","transactionDate":1772442600000,"#
                + #""environmentIOS":"Sandbox","appAccountToken":"\#(account)"}"#
        )
        #expect(reading.transactions.isEmpty && reading.codes == ["sniff.unrecognized"])
    }

    @Test("Renewal info is a row of renewals")
    func readsRenewals() {
        let reading = SignedReading(
            Unsigned.jws(
                #"{"originalTransactionId":"7","productId":"p","autoRenewProductId":"q","autoRenewStatus":1,"#
                    + #""isInBillingRetryPeriod":false,"expirationIntent":2,"priceIncreaseStatus":1,"offerType":"3","#
                    + #""gracePeriodExpiresDate":1698148900000,"renewalDate":1700358336049.7,"renewalPrice":9990,"#
                    + #""currency":"USD","environment":"Sandbox","signedDate":1697679936711.0747}"#
            )
        )
        #expect(reading.transactions.isEmpty)
        #expect(
            reading.renewals == [
                [
                    "original_transaction_id": "7", "product_id": "p", "auto_renew_product_id": "q",
                    "auto_renew_status": "1", "is_in_billing_retry_period": "false", "expiration_intent": "2",
                    "price_consent_status": "1", "offer_type": "3",
                    "grace_period_expires_date": "2023-10-24T12:01:40.000Z",
                    "renewal_date": "2023-11-19T01:45:36.049Z", "renewal_price": "9990", "currency": "USD",
                    "environment": "sandbox", "observed_at": "2023-10-19T01:45:36.711Z", "trust": "unchecked",
                    "kind": "jws", "document": "0",
                ]
            ]
        )
    }

    /// Records of one transaction in camel case, with a refund that they tell.
    static let ofResponses: [(String, [String: String])] = [
        (
            #""purchaseDateMs":"1772442600000","cancellationDateMs":"1772446200000","isTrialPeriod":"true""#,
            ["cancellation_date": "2026-03-02T10:10:00.000Z", "is_trial": "true"]
        ),
        (
            #""purchaseDateMS":1772442600000,"cancellationDateMS":1772446200000,"expiresDateMS":1775034600000"#,
            ["cancellation_date": "2026-03-02T10:10:00.000Z", "expires_date": "2026-04-01T09:10:00.000Z"]
        ),
        (
            #""purchaseDate":"2026-03-02 09:10:00 Etc/GMT","cancellationDate":"2026-03-02 10:10:00 Etc/GMT","#
                + #""expirationDate":"2026-03-02 10:10:00 Etc/GMT""#,
            ["cancellation_date": "2026-03-02T10:10:00.000Z"]
        ),
        (#""purchaseDate":1772442600000,"expirationDate":1775034600000"#, ["expires_date": "2026-04-01T09:10:00.000Z"]),
        (#""purchaseDate":1772442600000,"expirationDate":0,"isInIntroOfferPeriod":false"#, ["is_intro": "false"]),
    ]

    @Test("A transaction of a response in camel case is one of a response", arguments: ofResponses)
    func tellsResponsesApart(_ members: String, _ expected: [String: String]) {
        for order in [
            #"{"transactionId":"7","productId":"p",\#(members)}"#,
            #"{\#(members),"productId":"p","transactionId":"7"}"#,
        ] {
            let reading = SignedReading(order)
            let row = reading.transactions.first ?? [:]
            #expect(reading.codes.isEmpty && reading.transactions.count == 1, "\(order): \(reading.rejects)")
            #expect(row["kind"] == "verify" && row["purchase_date"] == "2026-03-02T09:10:00.000Z", "\(order)")
            let columns = ["cancellation_date", "expires_date", "is_trial", "is_intro"]
            #expect(row.filter { columns.contains($0.key) } == expected, "\(order)")
        }
        // What is signed stays so, whatever a program has added to it.
        let signed = SignedReading(#"{"transactionId":"7","productId":"p","signedDate":1772442600000,\#(members)}"#)
        #expect(signed.documents.map { $0["kind"] } == ["jws"], "\(signed.rejects)")
    }

    @Test("Which payload it is, the members say, in any order")
    func tellsPayloads() {
        #expect(
            SignedReading(#"{"productId":"p","purchaseDate":1722945600000,"signedDate":1722945600000}"#).transactions
                .count == 1
        )
        #expect(
            SignedReading(#"{"purchaseDate":1722945600000,"bundleId":"b","productId":"p"}"#).transactions.count == 1
        )
        #expect(SignedReading(#"{"productId":"p","autoRenewStatus":0}"#).renewals.count == 1)
        #expect(SignedReading(#"{"renewalDate":1,"productId":"p","signedDate":1722945600000}"#).renewals.count == 1)
        #expect(SignedReading(#"{"originalApplicationVersion":"1"}"#).documents.count == 1)
    }

    // MARK: Rejected

    static let header = Unsigned.segment(Array(Unsigned.header.utf8))

    /// Text, code, path and offset.
    static let rejected: [(String, String, String, Int)] = [
        ("\(header).e30", "jws.segments", "", header.utf8.count + 4),
        ("\(header)..AAAA", "jws.segments", "", header.utf8.count),
        ("\(header).e30.AA.AA", "jws.segments", "", header.utf8.count + 7),
        ("\(header).e30*.AA", "base64.character", "", header.utf8.count + 4),
        ("\(header).e30.A", "base64.truncated", "", header.utf8.count + 6),
        (Unsigned.jws("{}", header: #"{"alg":"#), "jws.header", "", 0),
        (Unsigned.jws("{}", header: #"{"a":1}{}"#), "jws.header", "", 0),
        (Unsigned.jws("{}"), "jws.payload", "", 0),
        (Unsigned.jws(#"{"environment":"Sandbox","signedDate":1672956154000}"#), "jws.payload", "", 0),
        (Unsigned.jws(#"{"status":21003}"#), "jws.payload", "", 0),
        (Unsigned.jws(#"{"transactionId":"1""#), "json.truncated", "transactionId", 20),
        (Unsigned.jws(#"{"transactionId":"1"} x"#), "json.syntax", "", 22),
        (Unsigned.jws(#"{"transactionId":{}}"#), "receipt.type", "transactionId", 17),
        (Unsigned.jws(#"{"transactionId":"1","price":9.5}"#), "receipt.integer", "price", 29),
        (Unsigned.jws(#"{"transactionId":"1","purchaseDate":"soon"}"#), "receipt.date", "purchaseDate", 37),
        (Unsigned.jws(#"{"transactionId":"1","isUpgraded":"yes"}"#), "receipt.boolean", "isUpgraded", 35),
        (#"  {"transactionId":"1","price":[],"bundleId":"b"}"#, "receipt.type", "price", 29),
        (#"{"receipt-data":"\#(header).e30"}"#, "jws.segments", "receipt-data", header.utf8.count + 4),
    ]

    @Test("What is no payload, or has a member of another type, is rejected with its place", arguments: rejected)
    func rejects(_ text: String, _ code: String, _ path: String, _ offset: Int) {
        let reading = SignedReading(text)
        #expect(reading.accepted == 0)
        #expect(reading.rejects.map(\.code) == [code] && reading.rejects.map(\.path) == [path])
        #expect(reading.rejects.map(\.offset) == [offset] && reading.rejects.map(\.kind) == ["jws"])
        #expect(reading.transactions.isEmpty && reading.renewals.isEmpty && reading.documents.isEmpty)
    }

    @Test("--from jws takes payloads and refuses notifications and responses")
    func obeysFrom() {
        #expect(SignedReading(Unsigned.jws(Self.transaction), format: "jws").accepted == 1)
        let notification = Unsigned.jws(#"{"notificationType":"TEST"}"#)
        #expect(SignedReading(notification, format: "jws").codes == ["sniff.other-format"])
        #expect(SignedReading(#"{"status":21003}"#, format: "jws").codes == ["sniff.other-format"])
        #expect(SignedReading(Unsigned.jws(#"{"bundleId":"b"}"#), format: "jws").codes == ["jws.payload"])
    }
}
