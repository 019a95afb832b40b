import Foundation
import Testing
import TillReceipts
import TillReportModel
import TillTestSupport

/// One document of each format, in both output formats.
@Suite("Golden trees")
struct GoldenTests {
    static let samples = [
        "pkcs7/receipts.b64", "pkcs7/xcode-ber.b64", "legacy/receipt.plist", "legacy/receipt-xml.plist",
        "verify/pretty.json", "jws/xcode.jws", "notification/v1.ndjson", "notification/v2-decoded.json",
        "events/events.ndjson", "events/client.log",
    ]

    @Test("Every format has a golden tree")
    func coversFormats() {
        let folders = Set(
            Self.samples.map { String($0.prefix { $0 != "/" }).replacing("events", with: "event") }
        )
        #expect(ReceiptFormatRegistry.all.allSatisfy { folders.contains($0.name) })
    }

    @Test("The first document of a sample looks as it did", arguments: samples)
    func looksTheSame(_ name: String) throws {
        let bytes = try Fixtures.bytes(Fixtures.samples.appending(path: name))
        let inspecting = Inspecting(bytes, source: "Samples/\(name)", first: 1)
        #expect(inspecting.documents.map { $0.defect == nil } == [true])
        let file = name.replacing("/", with: "-")
        try expectGolden(Array(inspecting.text.utf8), file + ".txt")
        try expectGolden(Array(inspecting.json.utf8), file + ".json")
    }

    @Test("An object inside others is told by where it stands")
    func tellsThePath() {
        let text = Inspecting(#"{"http":{"path":"/","body":{"status":0,"latest_receipt_info":[]}}}"#).text
        #expect(text.contains("in `http › body`: begins with"))
    }
}
