import Foundation
import Testing
import TillTestSupport

@testable import TillInput

@Suite("Error dumps over several lines")
struct ErrorDumpFramingTests {
    static let dump = """
        2026-03-02T10:15:00Z Shop: Error Domain=SKErrorDomain Code=0 "Try
        again" UserInfo={
            AMSServerPayload = {
                dialog = { explanation = "a; {1}"; };
            };

            NSUnderlyingError = 0x2 {Error Domain=AMSErrorDomain Code=306 "x" UserInfo={
        }};
        } and so on
        """

    /// Dumps among everything else that ends by itself, by line or by bracket.
    static let mixed =
        [
            #"{"v":1,"api":"sk1","event":"purchased","ts":"2026-03-02T10:15:00Z"}"#, dump, "hello", dump,
            #"[{"v":1,"api":"x","event":"a"},"# + "\n" + #"{"v":1,"api":"x","event":"b"}]"#,
            "Error Domain=Cut Code=1 \"x\" UserInfo={", "  a = b;",
            "2026-03-02 10:15:01 FailedTransaction Code=2 x", "Error Domain=Odd Code=2 \"5\" disk\"",
            "[main] shop <SKPaymentQueue: 0x2>: Payment completed with error: Error Domain=SKErrorDomain Code=2 \"y\" UserInfo={",
            "}", "MIIB?", dump, "Error Domain=Last Code=3 \"z\" UserInfo={ {", "}",
        ].joined(separator: "\n")

    @Test("A dump is read to the line that balances its braces (quirk 73)")
    func readsToTheBrace() throws {
        let reading = LinesReading(Self.dump + "\n" + Self.dump)
        #expect(reading.accepted == 2 && reading.rejects.isEmpty)
        #expect(reading.events[0]["error_message"] == "Try\nagain")
        #expect(reading.events[0]["underlying_code"] == "306")
        #expect(reading.lines == 17)
    }

    @Test("A dump that was cut ends with its first line, and the lines after it are read")
    func endsWhereItWasCut() {
        let reading = LinesReading(Self.mixed)
        #expect(reading.events.compactMap { $0["error_domain"] }.filter { $0 == "SKErrorDomain" }.count == 5)
        #expect(reading.events.contains { $0["error_domain"] == "Cut" })
        #expect(reading.events.contains { $0["error_domain"] == "Odd" })
        #expect(reading.events.contains { $0["error_domain"] == "Last" })
        #expect(
            reading.codes == ["sniff.unrecognized", "sniff.unrecognized", "base64.character", "sniff.unrecognized"]
        )
        #expect(reading.openBrackets == 0)
    }

    @Test("Chunks of any size give what the whole gives", arguments: 1...64)
    func isIndependentOfCuts(_ step: Int) {
        #expect(LinesReading(Self.mixed, step: step) == LinesReading(Self.mixed))
    }

    @Test("In a stream that is cut anywhere, every document is accepted or rejected and no byte is left")
    func truncates() {
        let bytes = Array(Self.mixed.utf8)
        for count in 0...bytes.count {
            let reading = LinesReading(Array(bytes[..<count]))
            #expect(reading.consumed == count, "cut at \(count)")
            #expect(reading.documents == reading.accepted + reading.rejects.count)
        }
    }

    @Test("A dump longer than 64 KiB ends with its first line")
    func isBounded() {
        let start = "Error Domain=SKErrorDomain Code=2 \"x\" UserInfo={\n"
        for (filling, documents) in [(Framer.errorDumpLimit - start.utf8.count - 2, 1), (Framer.errorDumpLimit, 2)] {
            let text = start + String(repeating: " ", count: filling - 1) + "\n}\n" + Self.dump + "\n"
            let whole = LinesReading(text)
            #expect(whole.accepted == 2)
            #expect(whole.documents == documents + 1)
            #expect(LinesReading(text, step: 1009) == whole)
        }
    }

    @Test(
        "Mutated dumps are read the same in chunks, and no byte is lost",
        .atMost(minutes: 10),
        arguments: Seeds.some(of: UInt64(0)..<20)
    )
    func survivesMutation(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
        let bytes = Array(Self.mixed.utf8)
        for run in 0..<20 {
            let mutated = numbers.mutation(of: bytes)
            let whole = LinesReading(mutated)
            #expect(whole.consumed == mutated.count, "seed \(seed), run \(run)")
            let step = 1 + numbers.below(90)
            #expect(LinesReading(mutated, step: step) == whole, "seed \(seed), run \(run), step \(step)")
        }
    }
}
