import Testing
import TillReceipts
import TillTestSupport

/// Encoded receipts whose verification failed: none of their rows counts, and all of them are counted as withheld.
@Suite("Receipts of failed verifications")
struct RefusedReceiptTests {
    private static let one = ReceiptDER.sample(purchases: 1).base64
    private static let two = ReceiptDER.sample(purchases: 2).base64
    private static let percentEncoded = two.replacing("+", with: "%2B").replacing("/", with: "%2F")
    private static let truncated = String(two.prefix(400))
    private static let renewals = #""pending_renewal_info":[{"original_transaction_id":"7","product_id":"p"}]"#
    private static let purchase = #"{"transaction_id":"7","product_id":"p","purchase_date_ms":"1772442600000"}"#

    private static func quoted(_ text: String) -> String { Unsigned.quoted(text) }

    /// Texts with the status 21010 and the receipt of two purchases.
    static let carriers = [
        "status=21010 receipt=\(two)", "verifyReceipt: status 21010, receipt: \(two)",
        #"status=21010 body={"receipt-data":"\#(two)"}"#,
        #"{"status":21010,"receipt":"\#(two)"}"#, #"{"receipt":"\#(two)","status":21010}"#,
        #"{"status":"21010","latest_receipt":"\#(two)"}"#, #"{"receipt-data":"\#(two)","status":21010}"#,
        #"{"receipt_data":"\#(two)","apple_status":21010}"#, #"{"receiptData":"\#(two)","Status":21010}"#,
        #"{"status":21010,"receipt":"\#(two)","latest_receipt":"\#(two)"}"#,
        #"{"status":21010,"latest_receipt":"\#(two)",\#(renewals)}"#,
        #"{"status":21010,"receipt":{},"latest_receipt":"\#(two)"}"#,
        #"{"id":5,"status":21010,"blob":"\#(two)"}"#, #"{"status":21010,"data":{"receipt":"\#(two)"}}"#,
        #"{"status":21010,"data":\#(quoted(#"{"receipt-data":"\#(two)"}"#))}"#,
        #"{"status":21010,"receipt":"\n\#(two)"}"#,
        #"{"status":21010,"receipt":"data:application/octet-stream;base64,\#(two)"}"#,
        #"{"status":21010,"receipt":"-----BEGIN PKCS7-----\n\#(two)\n-----END PKCS7-----"}"#,
        #"{"status":21010,"receipt":"\#(ReceiptDER.base64(Array(two.utf8)))"}"#,
        "status=21010&receipt-data=\(percentEncoded)", "latest_receipt=\(percentEncoded)&status=21010",
        "apple_status=21010&receipt=\(percentEncoded)",
        #"{"request":{"receipt-data":"\#(one)"},"response":{"status":21010,"latest_receipt":"\#(two)"}}"#,
        #"{"request":{"receipt-data":"\#(one)"},"response":\#(quoted(#"{"status":21010,"latest_receipt":"\#(two)"}"#))}"#,
        #"{"response":{"status":21010,"receipt":"\#(two)"}}"#,
        #"{"ts":"2026-03-02T10:15:00Z","body":{"status":21010,"receipt":"\#(two)"}}"#,
        #"{"a":\#(quoted(#"{"b":\#(quoted(#"{"status":21010,"receipt":"\#(two)"}"#))}"#))}"#,
        #"2026-03-02T10:15:00Z info {"status":21010,"receipt":"\#(two)"}"#,
        "{'status': 21010, 'receipt': '\(two)'}", #"{ status = 21010; receipt = "\#(two)"; }"#,
    ]

    /// The cells of a document, without those that tell which member held the receipt and when it was logged.
    private static func facts(_ document: SignedReading.Row) -> SignedReading.Row {
        document.filter { !["pair_key", "logged_at"].contains($0.key) }
    }

    @Test("A failed status and a receipt are the same document in every notation", arguments: carriers)
    func withholds(_ text: String) throws {
        let expected = try #require(SignedReading(Self.carriers[0]).documents.first)
        #expect(expected["withheld"] == "2" && expected["status"] == "21010" && expected["kind"] == "verify")
        let reading = SignedReading(text)
        #expect(reading.accepted == 1 && reading.codes.isEmpty, "\(reading.rejects)")
        #expect(reading.transactions.isEmpty && reading.renewals.isEmpty)
        #expect(reading.documents.map(Self.facts) == [Self.facts(expected)])
    }

    @Test("As many rows are withheld as the same object gives with the status 0")
    func withholdsAllRows() {
        let jws = Unsigned.jws(
            #"{"transactionId":"9","productId":"p","bundleId":"b","purchaseDate":1772442600000,"signedDate":1772442600000}"#
        )
        for (members, count) in [
            (#""receipt":"\#(Self.one)","latest_receipt":"\#(Self.two)""#, 3),
            (#""receipt-data":"\#(Self.one)","latest_receipt":"\#(Self.two)""#, 3),
            (#""receipts":["\#(Self.one)","\#(Self.two)"]"#, 3), (#""data":{"receipt":"\#(Self.one)"}"#, 1),
            (#""data":{"receipt-data":"\#(Self.one)","latest_receipt":"\#(Self.two)"}"#, 3),
            (#""data":{"receipt":{"bundle_id":"b","in_app":[\#(Self.purchase)]}}"#, 1),
            (#""latest_receipt":"\#(Self.two)","latest_receipt_info":[\#(Self.purchase)]"#, 1),
            (#""receipt-data":"\#(Self.two)","latest_receipt_info":[\#(Self.purchase)]"#, 1),
            (#""blob":"\#(jws)""#, 1), (#""blob":"\#(Self.one)","token":"\#(Self.two.dropLast(200))""#, 1),
        ] {
            let booked = SignedReading(#"{"status":0,"environment":"Production",\#(members)}"#)
            #expect(booked.transactions.count == count, "\(members)")
            // Inside another object, several receipts are a verification each, if no member is that of a response.
            let isOneInside = [#""receipt""#, #""receipt-data""#, #""latest_receipt""#]
                .contains { members.hasPrefix($0) }
            let inside = #"{"x":[{"status":21003,"environment":"Production",\#(members)}]}"#
            for text in [#"{"status":21003,\#(members)}"#] + (isOneInside ? [inside] : []) {
                let refused = SignedReading(text)
                #expect(refused.transactions.isEmpty && refused.accepted == 1 && refused.codes.isEmpty, "\(text)")
                #expect(refused.documents.map { $0["withheld"] } == ["\(count)"], "\(text)")
            }
        }
    }

    @Test("A response inside that has a status of its own, and the receipt of a request, are none of the response")
    func leavesOthers() {
        for text in [
            #"{"status":21007,"retry":{"status":0,"receipt":{"in_app":[\#(Self.purchase)]}}}"#,
            #"{"request":{"receipt-data":"\#(Self.two)"},"response":{"status":21010}}"#,
            #"{"receipt":"\#(Self.two)","result":{"status":21010}}"#,
        ] {
            let reading = SignedReading(text)
            #expect(reading.accepted == 1 && reading.transactions.isEmpty, "\(text)")
            #expect(reading.documents.map { $0["withheld"] } == ["0"], "\(text)")
        }
    }

    @Test("Purchases beside a failed verification of another receipt count")
    func leavesOtherReceipts() {
        let refused = #"{"status":21010,"blob":"\#(Self.two)"}"#
        let decoded = #"{"environment":"Production","receipt":{"bundle_id":"b","in_app":[\#(Self.purchase)]}}"#
        for text in [
            #"{"ok":"\#(Self.one)","error":\#(refused)}"#,
            #"{"a":{"status":0,"blob":"\#(Self.one)"},"b":\#(refused)}"#,
            #"{"a":{"status":21006,"blob":"\#(Self.one)"},"b":\#(refused)}"#,
            #"user 7 a={"status":0,"blob":"\#(Self.one)"} b=\#(refused)"#,
            #"{"a":\#(Self.quoted(#"{"status":0,"blob":"\#(Self.one)"}"#)),"b":\#(Self.quoted(refused))}"#,
            #"{"ok":\#(decoded),"error":\#(refused)}"#,
        ] {
            let reading = SignedReading(text)
            #expect(reading.transactions.count == 1 && reading.codes.isEmpty, "\(text)")
            #expect(reading.documents.map { $0["withheld"] }.sorted { $0 ?? "" < $1 ?? "" } == ["0", "2"], "\(text)")
        }
        let event =
            #"{"v":1,"ts":"2026-03-02T10:15:00Z","event":"verify_failed","product_id":"p","x":\#(refused)}"#
        #expect(SignedReading(event).documents.map { $0["withheld"] } == ["2"])
        let two = SignedReading(#"{"y":{"status":21003,"a":"\#(Self.one)","b":{"status":21003,"c":"\#(Self.two)"}}}"#)
        #expect(two.documents.map { $0["withheld"] } == ["1", "2"] && two.transactions.isEmpty)
    }

    @Test("The environment around a failed verification takes precedence over that of its receipt")
    func keepsFactsAround() {
        let refused = #"{"status":21003,"receipt":"\#(Self.two)"}"#
        for text in [
            #"{"environment":"Sandbox","x":\#(refused)}"#, "environment=Sandbox \(refused)",
            #"{"environment":"Sandbox","x":{"status":21003,"latest_receipt":"\#(Self.two)"}}"#,
            #"{"environment":"Sandbox","x":{"status":21003,"blob":"\#(Self.two)"}}"#,
            "POST https://sandbox.itunes.apple.com/verifyReceipt \(refused)",
            "environment=Sandbox status=21003 receipt=\(Self.two)",
        ] {
            let reading = SignedReading(text)
            #expect(reading.documents.map { $0["environment"] } == ["sandbox"], "\(text)")
            #expect(reading.documents.map { $0["withheld"] } == ["2"], "\(text)")
        }
    }

    @Test("Words in place of the receipt beside 21006 are no reject", arguments: ["receipt", "latest_receipt"])
    func readsRedacted(_ member: String) {
        for text in [
            #"{"status":21006,"\#(member)":"[redacted]"}"#, #"{"x":{"status":21006,"\#(member)":"[redacted]"}}"#,
        ] {
            let reading = SignedReading(text)
            #expect(reading.accepted == 1 && reading.codes.isEmpty, "\(text)")
        }
    }

    @Test(
        "A receipt that was sent to the other environment does not tell the one that was asked",
        arguments: [21007, 21008]
    )
    func keepsNoOtherEnvironment(_ status: Int) {
        for text in [
            #"{"receipt-data":"\#(Self.two)","status":\#(status)}"#, "status=\(status) receipt=\(Self.two)",
            "status=\(status)&receipt-data=\(Self.two)",
        ] {
            let documents = SignedReading(text).documents
            #expect(documents.map { $0["environment"] } == [nil], "\(text)")
            #expect(documents.map { $0["withheld"] } == ["2"], "\(text)")
        }
    }

    @Test("The environment and the app of the response take precedence over those of its receipt")
    func keepsFactsOfResponse() {
        let receipt = #""latest_receipt":"\#(Self.two)""#
        let reading = SignedReading(
            #"{"status":21003,"environment":"Sandbox",\#(receipt),"receipt":{"bundle_id":"b"}}"#
        )
        #expect(reading.documents.map { $0["environment"] } == ["sandbox"])
        let refused = SignedReading(#"{"status":21003,"environment":"Sandbox",\#(receipt)}"#)
        #expect(refused.documents.map { $0["environment"] } == ["sandbox"])
        #expect(refused.documents.map { $0["bundle_id"] } == ["com.example.app"])
        #expect(refused.documents.map { $0["observed_at"] } == ["2026-03-02T10:15:00.000Z"])
    }

    @Test(
        "A receipt that cannot be read leaves the failure",
        arguments: [
            truncated, "\(two.prefix(300))!!\(two.dropFirst(300))", "MII\(String(repeating: "A", count: 90))",
            ReceiptDER.base64(ReceiptDER.wrap(DER.octets([0x31, 0x84]))),
        ]
    )
    func keepsFailure(_ receipt: String) {
        for text in [
            #"{"status":21002,"receipt":"\#(receipt)"}"#, #"{"receipt-data":"\#(receipt)","status":21002}"#,
            #"{"x":{"status":21002,"latest_receipt":"\#(receipt)"}}"#, #"{"x":{"status":21002,"blob":"\#(receipt)"}}"#,
            "status=21002&receipt-data=\(receipt)", "apple_status=21002&receipt=\(receipt)",
            "status=21002 receipt=\(receipt)", #"status=21002 body={"receipt-data":"\#(receipt)"}"#,
        ] {
            let reading = SignedReading(text)
            #expect(reading.accepted == 1 && reading.codes.isEmpty, "\(text): \(reading.codes)")
            #expect(reading.documents.map { $0["status"] } == ["21002"], "\(text)")
            #expect(reading.documents.map { $0["withheld"] } == ["0"] && reading.transactions.isEmpty, "\(text)")
        }
        // Of a verification that did not fail, the receipt is a reject.
        for text in [#"{"receipt-data":"\#(receipt)","status":0}"#, "status=21006 receipt=\(receipt)"] {
            let reading = SignedReading(text)
            #expect(reading.codes.count == 1 && reading.documents.isEmpty, "\(text)")
        }
    }

    @Test("Only a defect of a receipt leaves the failure of a line; broken JSON in it is a reject")
    func rejectsBrokenText() {
        for text in [
            #"status=21010 body={"receipt-data":"\#(Self.truncated)"#,
            #"status=21010 body={"status":0,"receipt":{"in_app":[{"transaction_id":"7"]}}"#,
            #"status=21010 body={"receipt":{"in_app":[{"transaction_id":"7","purchase_date_ms":"x"}]}}"#,
        ] {
            let reading = SignedReading(text)
            #expect(reading.codes.count == 1 && reading.accepted == 0, "\(text)")
        }
    }

    @Test("A receipt whose verification failed does not hide the same purchases in another document")
    func readsPurchasesOfOthers() {
        let refused = #"{"status":21010,"receipt":"\#(Self.two)"}"#
        for texts in [[refused, Self.two], [Self.two, refused], [refused, refused, Self.two, refused]] {
            let reading = SignedReading(texts.joined(separator: "\n"))
            #expect(reading.transactions.map { $0["transaction_id"] } == ["100", "101"])
            let failures = reading.documents.filter { $0["kind"] == "verify" }
            #expect(failures.count == texts.count - 1 && failures.allSatisfy { $0["withheld"] == "2" })
        }
    }

    @Test("Rows are withheld wherever a chunk ends, and whatever format is asked for")
    func withholdsInChunks() {
        let text =
            #"{"status":21010,"receipt":"\#(Self.two)"}"# + "\n" + #"{"status":21003,"latest_receipt":"\#(Self.one)"}"#
        let whole = Reading(text)
        #expect(whole.documents.map { $0["withheld"] } == ["2", "1"])
        for step in [1, 7, 64] { #expect(Reading(text, step: step) == whole) }
        for format in ["verify", "pkcs7"] {
            let reading = Reading(text, format: format)
            #expect(reading.documents.compactMap { $0["withheld"] } == (format == "verify" ? ["2", "1"] : []))
            #expect(reading.transactions.isEmpty)
        }
    }

    /// Counts how often it is asked.
    private final class CountingChecker: SignatureChecker {
        nonisolated(unsafe) var count = 0
        let namesDevice = false

        func finding(signedData content: RawSpan, rest: RawSpan) -> SignatureFinding { next() }
        func finding(legacy blob: RawSpan, purchaseInfo: RawSpan) -> SignatureFinding { next() }
        func finding(jws header: RawSpan, signingInput: RawSpan, signature: RawSpan) -> SignatureFinding { next() }
        func isOfDevice(hash: RawSpan, opaque: RawSpan, bundleID: RawSpan) -> Bool { false }

        private let noChain = ChainDescription(certificates: [], finding: nil)
        func chain(contentInfo octets: RawSpan) -> ChainDescription { noChain }
        func chain(legacy blob: RawSpan) -> ChainDescription { noChain }
        func chain(jws header: RawSpan) -> ChainDescription { noChain }

        private func next() -> SignatureFinding {
            count += 1
            return SignatureFinding(code: .signature)
        }
    }

    @Test("No signature is checked of rows that are withheld; of the next document it is")
    func checksNoSignature() {
        let checker = CountingChecker()
        let refused = #"{"status":21010,"receipt":"\#(Self.two)"}"#
        let reading = Reading(Array(refused.utf8), trust: .check(checker))
        #expect(reading.documents.map { $0["withheld"] } == ["2"] && checker.count == 0)
        #expect(reading.documents.map { $0["trust"] } == ["unsigned"])
        let both = Reading(Array("\(refused)\n\(Self.two)".utf8), trust: .check(checker))
        #expect(both.documents.map { $0["trust"] } == ["unsigned", "untrusted"] && checker.count == 1)
    }

    @Test(
        "A subscription that has expired is no failure: its receipt gives rows",
        arguments: ["receipt", "latest_receipt"]
    )
    func readsExpired(_ member: String) {
        for text in [
            #"{"status":21006,"\#(member)":"\#(Self.two)"}"#, #"{"status":21006,"receipt-data":"\#(Self.two)"}"#,
            #"{"id":5,"status":21006,"blob":"\#(Self.two)"}"#,
            #"{"request":{"receipt-data":"\#(Self.one)"},"response":{"status":21006,"\#(member)":"\#(Self.two)"}}"#,
            #"{"x":{"status":21006,"\#(member)":"\#(Self.two)"}}"#,
        ] {
            let reading = SignedReading(text)
            #expect(reading.transactions.map { $0["transaction_id"] } == ["100", "101"], "\(text)")
            #expect(reading.documents.map { $0["status"] } == ["21006", nil] && reading.codes.isEmpty, "\(text)")
        }
        let decoded = SignedReading(
            #"{"status":21006,"\#(member)":"\#(Self.two)","latest_receipt_info":[\#(Self.purchase)]}"#
        )
        #expect(decoded.transactions.map { $0["transaction_id"] } == ["7"] && decoded.accepted == 1)
    }

    @Test("The receipt of a version 1 notification that failed its verification is withheld")
    func withholdsReceiptOfNotification() {
        for receipt in [Self.two, Self.truncated] {
            let reading = SignedReading(
                #"{"notification_type":"RENEWAL","bid":"b","auto_renew_status":"true","unified_receipt":"#
                    + #"{"status":21003,"latest_receipt":"\#(receipt)"}}"#
            )
            #expect(reading.accepted == 1 && reading.codes.isEmpty && reading.transactions.isEmpty)
            #expect(reading.documents.map { $0["withheld"] } == [receipt == Self.two ? "2" : "0"])
            #expect(reading.documents.map { $0["kind"] } == ["notification"])
        }
    }
}
