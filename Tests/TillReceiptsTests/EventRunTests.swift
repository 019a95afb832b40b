import Testing
import TillReceipts
import TillRows
import TillTestSupport

@Suite("Events in lines of their own")
struct EventRunTests {
    private static let events = [
        #"{"v":1,"ts":"2024-03-04T00:00:00.000Z","event":"purchased","api":"sk2","product_id":"pro","quantity":1}"#,
        #"{"v":1,"ts":"2024-03-04T00:00:01.000Z","event":"purchasing","api":"sk1","transaction_id":null,"error":null}"#,
        #"{"v":1,"ts":"2024-03-04T00:00:02.000Z","event":"failed","error":{"domain":"SKErrorDomain","code":2}}"#,
        #"{"event":"product_request_failed","error":{"code":-1009,"underlying":[{"domain":"NSURLErrorDomain","code":-1}]}}"#,
        #"{"ts":1709510400000,"event":"restored","transaction_id":"170001658697902","original_transaction_id":"17"}"#,
        #"{"ts":"2024-03-04T00:00:03.000Z","event":"f\u0061iled","error":{"domain":"SKErrorDomain","code":0}}"#,
        // What is no event that could be read in a run:
        #"{"ts":"2024-03-04T00:00:03.000Z","event":"purchased","quantity":"x"}"#,
        #"{"ts":"2024-03-04T00:00:03.000Z","event":"purchased","error":1}"#,
        #"{"event":"failed","error":{"domain":"SKErrorDomain","code":[]}}"#,
        #"{ "event" : "deferred" }"#,
        "{\"event\":\"deferred\",\n \"quantity\":2}",
        #"{"other":{},"event":"purchased"}"#,
        #"{"v":2,"status":21007,"event":"purchased"}"#,
        #"{"status":21003}"#,
        #"{"v":1,"ts":"2024-03-04T00:00:00.000Z","event":"purch"#,
        "MIIT", "", "[", "]",
    ]

    /// What may stand between two documents.
    private static let separators = ["\n", "\n", "\n", "\n", "\n", "\r\n", "\n\n", ",\n", " ", ""]

    @Test("A run of them is read as each of them alone", arguments: Seeds.some(of: UInt64(1)...40))
    func readsTheSame(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let plain = random.below(8)
        var text = ""
        for _ in 0..<200 {
            let isPlain = random.below(8) < plain
            text += isPlain ? Self.events[random.below(6)] : random.pick(Self.events)
            text += isPlain ? "\n" : random.pick(Self.separators)
        }
        let bytes = random.once(in: 2) ? random.mutation(of: Array(text.utf8)) : Array(text.utf8)
        // A reader that keeps traces asks of each document what it is.
        var (apart, running) = (DocumentReader(), DocumentReader())
        apart.keepsTraces = true
        let expected = Reading(bytes, with: &apart)
        #expect(Reading(bytes, with: &running) == expected)
        #expect(expected.accepted > 0)
        #expect(Reading(bytes, step: 997) == Reading(bytes, cutAt: bytes.count / 2))
    }

    @Test("Lines and numbers of documents are those of the file, before and behind a defect")
    func countsLines() {
        let text =
            Self.events[0...2].joined(separator: "\n") + "\n{\"event\":}\n\n"
            + Self.events[0...1].joined(separator: "\n")
        let reading = Reading(text)
        #expect(reading.events.map { $0["document"] } == ["0", "1", "2", "4", "5"])
        #expect(reading.rejects.map(\.line) == [4])
        #expect(reading.rejects.map(\.document) == [3])
        #expect((reading.accepted, reading.lines) == (5, 6))
    }

    @Test("One that is longer than the limit is a reject, and those beside it are read")
    func longest() {
        let long =
            #"{"v":1,"ts":"2024-03-04T00:00:00.000Z","event":"purchased","product_id":"\#(String(repeating: "p", count: 80))"}"#
        var reader = DocumentReader(documentLimit: 120)
        let reading = Reading(Array((Self.events[0] + "\n" + long + "\n" + Self.events[0] + "\n").utf8), with: &reader)
        #expect(reading.events.count == 2)
        #expect(reading.rejects.map(\.code) == ["document.too-large"])
    }

    @Test("Short names are one code, whichever comes between")
    func names() {
        let names = (0..<400).map { "event_\($0 % 37)" } + ["failed", "x failed", "", "a", "product_request_failed"]
        let reading = Reading(names.map { #"{"v":1,"api":"sk1","event":"\#($0)"}"# }.joined(separator: "\n"))
        #expect(reading.events.map { $0["event"] } == names.map { $0.isEmpty ? nil : $0 })
    }
}
