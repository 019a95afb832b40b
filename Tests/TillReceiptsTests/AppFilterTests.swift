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

    @Test("Of many apps each is found, and none that only resembles one")
    func manyApps() {
        // Of several lengths, in no order; "b" and "bbb" are among them, "bb" is not.
        let wanted = ["b", "bbb", "ccc", "com.example.9", "com.example.10"] + (0..<200).map { "a\($0 * 7 % 200)" }
        let others = ["bb", "bba", "bbbb", "com.example.1", "a", "a200", "B", ""]
        let lines = (wanted + others).map { #"{"event":"purchased","bundle_id":"\#($0)","transaction_id":"x\#($0)"}"# }
        let reading = Reading(Array(lines.joined(separator: "\n").utf8), bundleIDs: wanted.reversed())
        // An empty bundle id is none.
        #expect(reading.events.map { $0["transaction_id"] } == wanted.map { "x\($0)" } + ["x"])
        #expect(reading.foreign == others.count - 1)
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
