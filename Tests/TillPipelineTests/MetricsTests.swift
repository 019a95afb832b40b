import Testing
import TillCore
import TillInput

@testable import TillPipeline

@Suite("Metrics")
struct MetricsTests {
    private static func lines(_ sources: [(String, Int)], command: String = "convert") -> [String] {
        var outcome = Outcome(status: .finished, code: nil)
        outcome.milliseconds = 61_005
        outcome.sources = sources.map { name, accepted in
            var source = RunLog.Source(name: name)
            source.accepted = accepted
            return source
        }
        let text = String(
            decoding: Metrics(command: command, outcome, at: 1_772_000_000_250_000_000).text,
            as: UTF8.self
        )
        return text.split(separator: "\n").map(String.init)
    }

    @Test("Durations and instants are seconds, and each metric has its help and type")
    func writesSeconds() {
        let lines = Self.lines([])
        #expect(lines.first == "# HELP tillroll_run_status Exit status of the run.")
        #expect(lines.contains("tillroll_run_seconds{command=\"convert\"} 61.005"))
        #expect(lines.contains("tillroll_run_end_timestamp_seconds{command=\"convert\"} 1772000000.250"))
        // Unknown is unknown.
        #expect(!lines.contains { $0.contains("newest") || $0.contains("run_error") || $0.contains("source") })
        for line in lines where !line.hasPrefix("#") {
            let name = line.prefix { $0 != "{" }
            #expect(lines.contains("# TYPE \(name) gauge"))
        }
    }

    @Test("Instants before 1970 are negative")
    func writesInstantsBefore1970() {
        #expect(Outcome.decimal(-1_500) == "-1.500" && Outcome.decimal(-5) == "-0.005")
        #expect(Outcome.decimal(0) == "0.000" && Outcome.decimal(1) == "0.001")
    }

    @Test("Quotes, backslashes and line feeds in a label are escaped")
    func escapes() {
        let line = #"tillroll_source_bytes{command="convert",source="a\"b\\c\nd"} 0"#
        #expect(Self.lines([("a\"b\\c\nd", 1)]).contains(line))
    }

    @Test("At most 100 sources are shown, and the others in a sum; a source is shown once")
    func sumsSources() {
        let many = (1...150).map { ("\($0 == 7 ? "other" : "s\($0)")", 1) }
        let lines = Self.lines(many + many).filter { $0.contains("result=\"accepted\"") && $0.contains("source=") }
        #expect(lines.count == 100 && Set(lines.map { $0.prefix { $0 != "}" } }).count == 100)
        #expect(lines.contains(#"tillroll_source_documents{command="convert",source="s1",result="accepted"} 2"#))
        // One source has this name itself.
        #expect(lines.contains(#"tillroll_source_documents{command="convert",source="other",result="accepted"} 102"#))
        let full = Self.lines((1...101).map { ("s\($0)", 1) }).filter {
            $0.contains("source=\"other\",result=\"accepted\"")
        }
        #expect(full.count == 1 && full[0].hasSuffix(" 1"))
    }
}
