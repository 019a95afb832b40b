import Testing
import TillInput
import TillReceipts
import TillTestSupport

@Suite("Cells beside the documents of delimited text")
struct CSVMemberTests {
    private static let transaction =
        #"{"transaction_id":"7","product_id":"p","purchase_date_ms":"1772442600000","quantity":"1"}"#
    private static let cell = CSVStreamTests.quoted(#"{"in_app":[\#(transaction)]}"#)

    private static func header(of bytes: [UInt8]) throws -> CSVHeader {
        let padded = bytes + Array(repeating: 0, count: ByteBuffer.padding)
        let answer = CSVHeader.find(
            in: padded.span.bytes,
            limit: bytes.count,
            wanted: CSVHeader.usualColumns,
            isAnnounced: true,
            isFinal: true
        )
        guard case .header(let header) = answer else { throw MissingHeader(answer: answer) }
        return header
    }

    private struct MissingHeader: Error {
        var answer: CSVHeader.Answer
    }

    private static func read(_ text: String) throws -> LinesReading {
        let bytes = Array(text.utf8)
        return LinesReading(bytes, header: try header(of: bytes))
    }

    /// The same with the rows of documents.
    private static func readDocuments(_ text: String, step: Int? = nil) throws -> Reading {
        let bytes = Array(text.utf8)
        var reader = DocumentReader()
        reader.csvHeader = try header(of: bytes)
        return Reading(bytes, step: step, with: &reader)
    }

    @Test("A status beside a part of a response allows its rows or not, row by row")
    func status() throws {
        let text =
            "id,status,receipt\n1,21007,\(Self.cell)\n2,0,\(Self.cell)\n3, 21003 ,\(Self.cell)\n4,,\(Self.cell)\n"
        let reading = try Self.read(text)
        #expect(reading.accepted + reading.rejects.count == 4)
        #expect(reading.transactions.map { $0["transaction_id"] } == ["7", "7"], "\(reading)")
    }

    @Test(
        "A flag of the sandbox is read as databases write it",
        arguments: ["t", "true", "1", "Y", "yes", "f", "0", "no", ""]
    )
    func sandboxFlag(_ flag: String) throws {
        let reading = try Self.read("id,is_sandbox,receipt\n1,\(flag),\(Self.cell)\n")
        let isSandbox = !["f", "0", "no", ""].contains(flag)
        #expect(reading.transactions.map { $0["environment"] } == [isSandbox ? "sandbox" : nil], "\(reading)")
    }

    @Test("A response beside its receipt is the document, and a status beside a receipt applies to it")
    func prefersResponse() throws {
        let receipt = ReceiptDER.sample().base64
        let response = CSVStreamTests.quoted(#"{"status":0,"receipt":{"in_app":[\#(Self.transaction)]}}"#)
        let failure = CSVStreamTests.quoted(#"{"status":21010}"#)
        let other = CSVStreamTests.quoted(#"{"status":"active"}"#)
        let lines = [response, failure, other, ""].map { "1,\(receipt),\($0)\n" }.joined()
        let reading = try Self.read("id,receipt,response\n\(lines)")
        #expect(reading.rejects.isEmpty)
        #expect(reading.transactions.map { $0["transaction_id"] } == ["7", "100", "101", "100", "101"], "\(reading)")
        let refused = try Self.read("id,status,receipt\n1,21003,\(receipt)\n")
        #expect(refused.transactions.isEmpty && refused.accepted == 1)
    }

    @Test("A receipt whose verification failed is that verification, also where it cannot be read")
    func keepsFailures() throws {
        let receipt = ReceiptDER.sample().base64
        let broken = receipt.prefix(400)
        let cells = [
            receipt, CSVStreamTests.quoted(#"{"receipt-data":"\#(receipt)"}"#), "\(broken)",
            CSVStreamTests.quoted(#"{"receipt-data":"\#(broken)"}"#),
        ]
        let text = "id,status,receipt\n" + cells.map { "1,21002,\($0)\n" }.joined()
        let reading = try Self.readDocuments(text)
        #expect(reading.rejects.isEmpty && reading.transactions.isEmpty, "\(reading)")
        #expect(reading.documents.map { $0["status"] } == Array(repeating: "21002", count: 4))
        #expect(reading.documents.map { $0["withheld"] } == ["2", "2", "0", "0"])
        #expect(try Self.readDocuments(text, step: 64) == reading)
        let response = CSVStreamTests.quoted(#"{"status":21002,"receipt":"\#(receipt)"}"#)
        let inside = try Self.readDocuments("receipt\n\(response)\n")
        #expect(inside.documents.map { $0["withheld"] } == ["2"] && inside.transactions.isEmpty)
        // Neither a receipt of another status nor a cell that is no receipt.
        let rejected = try Self.read(
            "id,status,receipt\n1,0,\(broken)\n2,21002,[redacted]\n3,21002,\n4,21006,\(broken)\n"
        )
        #expect(rejected.rejects.count == 4 && rejected.accepted == 0, "\(rejected)")
    }

    @Test("An environment and an app beside a transaction are its own")
    func environment() throws {
        let text =
            "receipt;Environment;bundle_id\n\(Self.cell);Sandbox;com.example.shop\n\(Self.cell);;\n\(Self.cell);live;\n"
        let reading = try Self.read(text)
        #expect(reading.transactions.map { $0["environment"] } == ["sandbox", nil, nil], "\(reading)")
        #expect(reading.transactions.map { $0["bundle_id"] } == ["com.example.shop", nil, nil])
    }
}
