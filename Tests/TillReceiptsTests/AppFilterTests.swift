import Testing
import TillTestSupport

@Suite("Documents of one app")
struct AppFilterTests {
    @Test("Documents of other apps are counted and left out; one that names no app is kept")
    func keepsOneApp() {
        let lines = [
            #"{"event":"purchased","bundle_id":"com.example.app","transaction_id":"1"}"#,
            #"{"event":"purchased","bundle_id":"com.example.other","transaction_id":"2"}"#,
            #"{"event":"purchased","transaction_id":"3"}"#,
            #"{"status":0,"receipt":{"bundle_id":"com.example.other","in_app":[{"transaction_id":"4"}]}}"#,
            #"{"status":0,"receipt":{"bundle_id":"com.example.app","in_app":[{"transaction_id":"5"}]}}"#,
            #"{"status":21002}"#,
        ]
        let reading = Reading(Array(lines.joined(separator: "\n").utf8), bundleIDs: ["com.example.app"])
        #expect(reading.accepted == 6)
        #expect(reading.foreign == 2)
        #expect(reading.events.map { $0["transaction_id"] } == ["1", "3"])
        #expect(reading.transactions.map { $0["transaction_id"] } == ["5"])
        #expect(reading.documents.map { $0["document"] } == ["4", "5"])
    }

    @Test("Of a document that names no app, rows of other apps are left out")
    func keepsRows() {
        let text = """
            {"status":0,"receipt":{"in_app":[]},"latest_receipt_info":[{"transaction_id":"1","bid":"com.example.app"},\
            {"transaction_id":"2","bid":"com.example.other"},{"transaction_id":"3"},{"transaction_id":"4","bid":"x"}]}
            """
        let reading = Reading(Array(text.utf8), bundleIDs: ["com.example.app"])
        #expect(reading.transactions.map { $0["transaction_id"] } == ["1", "3"])
        #expect(reading.transactions.map { $0["row"] } == ["1", "2"])
        #expect(reading.documents.map { $0["transactions"] } == ["2"])
        #expect(reading.foreign == 0)
    }

    @Test("A document is foreign where all its rows are")
    func isForeign() {
        let text = #"{"status":0,"receipt":{"in_app":[{"transaction_id":"2","bid":"com.example.other"}]}}"#
        let reading = Reading(Array(text.utf8), bundleIDs: ["com.example.app", "com.example.third"])
        #expect(reading.accepted == 1)
        #expect(reading.foreign == 1)
        #expect(reading.documents.isEmpty)
    }
}
