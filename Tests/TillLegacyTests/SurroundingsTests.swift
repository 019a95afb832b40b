import Testing
import TillTestSupport

@Suite("Old receipts in other text and in other notations")
struct SurroundingsTests {
    private static let receipt = ReceiptText.receipt()
    private static let members = ReceiptText.receipt().split(separator: "\n").dropFirst().dropLast()
        .map { $0.replacing("\t", with: "").replacing(" = ", with: ":").replacing(";", with: "") }

    static let texts = [
        receipt,
        "2012-04-30 15:06:00 INFO receipt=\(receipt)",
        #"{"level":"info","message":"receipt = \#(receipt.replacing("\"", with: "\\\"").replacing("\n", with: "\\n").replacing("\t", with: "\\t"))"}"#,
        "{\(members.joined(separator: ","))}",
        #"{"data":{\#(members.joined(separator: ","))}}"#,
        ReceiptText.base64("// !$*UTF8*$!\n\(receipt)"),
        ReceiptText.base64("/* kept */ // by hand\n \(receipt)"),
    ]

    @Test("What lies outside of the purchase counts all the same: the environment is not lost", arguments: texts)
    func keepsEnvironment(_ text: String) {
        let reading = Reading(text)
        #expect(reading.findings == [])
        #expect(reading.transactions.map { $0["environment"] } == ["sandbox"])
        #expect(reading.transactions.map { $0["transaction_id"] } == ["1000000060683708"])
        // A signature is there, and was not checked.
        #expect(reading.documents.map { $0["trust"] } == ["unchecked"])
    }

    @Test(
        "The environment beside a receipt that has none is its own, whatever the names of the members are",
        arguments: [
            #"{"environment":"Sandbox","receipt":"RECEIPT"}"#, #"{"receipt":"RECEIPT","environment":"Sandbox"}"#,
            #"{"environment":"Sandbox","list":["RECEIPT"]}"#, "environment=Sandbox receipt=RECEIPT",
            #"{"purchase-info":"PURCHASE","environment":"Sandbox"}"#,
            #"{"purchase_info":"PURCHASE","environment":"Sandbox"}"#,
            #"{"environment":"Sandbox","purchaseInfo":"PURCHASE"}"#,
        ]
    )
    func takesEnvironment(_ text: String) throws {
        let purchase = ReceiptText.base64(ReceiptText.list(ReceiptText.purchase))
        let receipt = ReceiptText.base64(ReceiptText.list([("purchase-info", purchase)]))
        let reading = Reading(text.replacing("RECEIPT", with: receipt).replacing("PURCHASE", with: purchase))
        #expect(reading.findings == [])
        #expect(reading.transactions.map { $0["environment"] } == ["sandbox"])
        #expect(reading.documents.map { $0["environment"] } == ["sandbox"])
        // Without any, it is of production.
        #expect(Reading(receipt).transactions.map { $0["environment"] } == ["production"])
    }

    @Test("A document beside a receipt in one object is read too")
    func readsOthers() {
        let signed = ReceiptDER.base64(ReceiptDER.sample(purchases: 1).der)
        let reading = Reading("{\(Self.members.joined(separator: ",")),\"other\":{\"app\":\"\(signed)\"}}")
        #expect(reading.findings == [])
        #expect(Set(reading.documents.map { $0["kind"] }) == ["legacy", "pkcs7"])
    }

    @Test("Base64 may be wrapped at any width of eight digits or more", arguments: [8, 60, 76, 80, 81, 100, 101, 400])
    func unwraps(_ width: Int) {
        for lineEnd in ["\n", "\r\n"] {
            let text = ReceiptText.base64(Self.receipt, at: width, lineEnd)
            let twice = Reading("\(text)\n\(text)\n")
            #expect(twice.findings == [] && twice.transactions.count == 2, "\(width)")
            let again = ReceiptText.base64(ReceiptText.base64(Self.receipt), at: width, lineEnd)
            #expect(Reading(again).transactions.count == 1 && Reading(again).findings == [], "\(width)")
        }
    }

    @Test("Each line is a document where lines that are as wide as one another begin alike")
    func keepsLinesApart() {
        let line = ReceiptText.base64(Self.receipt)
        let cut = String(line.prefix(200))
        let reading = Reading("\(cut)\n\(cut)\n\(line)\n")
        #expect(reading.rejects.map(\.line) == [1, 2])
        #expect(reading.transactions.count == 1)
        // A shorter line of another kind is no end of base64 of base64.
        let twice = ReceiptText.base64(line)
        let app = ReceiptDER.base64(ReceiptDER.sample(purchases: 1).der)
        let mixed = Reading("\(twice)\n\(line)\n\(twice)\n\(app)\n\(app)\n")
        #expect(line.count < twice.count && app.count < twice.count)
        #expect(mixed.findings == [] && mixed.documents.count == 5)
    }
}
