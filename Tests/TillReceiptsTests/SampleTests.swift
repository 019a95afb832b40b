import Foundation
import Testing
import TillReceipts
import TillTestSupport

@Suite("Samples")
struct SampleTests {
    @Test(
        "Every format has a sample folder, all of whose documents it reads",
        arguments: ReceiptFormatRegistry.all.map { $0.name }
    )
    func readsItsSamples(_ name: String) throws {
        let folder = Fixtures.samples.appending(path: name == "event" ? "events" : name)
        let files = Fixtures.files(below: folder)
        #expect(!files.isEmpty)
        for file in files {
            let bytes = try Fixtures.bytes(file)
            let reading = Reading(bytes)
            #expect(reading.rejects.map(\.code) == [], "\(file.lastPathComponent)")
            #expect(reading.accepted > 0, "\(file.lastPathComponent)")
            let kinds = Set(reading.documents.compactMap { $0["kind"] } + (reading.events.isEmpty ? [] : ["event"]))
            #expect(kinds == [name], "\(file.lastPathComponent)")
            #expect(Reading(bytes, format: name) == reading, "\(file.lastPathComponent)")
        }
    }

    @Test("A format is found by its name, and by no other")
    func findsFormats() {
        for format in ReceiptFormatRegistry.all {
            #expect(ReceiptFormatRegistry.format(named: format.name) == format)
            #expect(!format.summary.isEmpty)
        }
        #expect(ReceiptFormatRegistry.format(named: "csv?") == nil)
    }

    @Test("Of the broken sample every defect is a reject that names it, and everything else counts")
    func rejectsBrokenSamples() throws {
        let reading = Reading(try Fixtures.bytes(Fixtures.samples.appending(path: "broken/mixed.ndjson")))
        #expect(reading.documentCount == 41)
        #expect(
            reading.rejects.map { "\($0.line) \($0.code) \($0.path)" } == [
                "4 json.truncated bundle_id", "9 sniff.unrecognized ", "14 json.truncated ",
                "19 json.escape bundle_id", "24 base64.character receipt-data",
                "29 ber.past-parent receipt-data › 17[0] › 1704", "34 sniff.unrecognized ",
                "39 json.utf8 error › message",
            ]
        )
    }
}
