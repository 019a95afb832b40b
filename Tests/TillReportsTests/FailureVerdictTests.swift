import Testing
import TillCore
import TillLedger
import TillPricing
import TillRender
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillReports

@Suite("The verdict of the failures report")
struct FailureVerdictTests {
    private static let start = Timestamp("2026-03-30").milliseconds

    /// Events of an hour after 30 March 00:00 UTC, a minute apart.
    private static func events(
        _ count: Int,
        _ name: String,
        hour: Int,
        _ other: Row<EventColumn> = [:]
    ) -> [Row<EventColumn>] {
        (0..<count).map { number in
            let at = start + Int64(hour) * Timestamp.millisecondsPerHour + Int64(number) * 60_000
            let row: Row<EventColumn> = [
                .event: .text(name), .at: .number(at), .document: .number(Int64(number)),
                .accountToken: .text("\(name) \(hour) \(number)"), .bundleID: "com.example.trail",
            ]
            return row.with(other)
        }
    }

    private static let usual: Row<EventColumn> = [.appVersion: "5.1.0", .osVersion: "18.5"]
    private static let bad: Row<EventColumn> = [
        .appVersion: "5.2.0", .osVersion: "18.4", .errorDomain: "ASDErrorDomain", .errorCode: 500, .errorClass: "store",
    ]

    /// 20 purchases in each of 24 hours, then two hours with 12 failures of 20 attempts each.
    private static let log =
        (0..<24).flatMap { events(20, "purchased", hour: $0, usual) }
        + events(8, "purchased", hour: 24, usual) + events(8, "purchased", hour: 25, usual)
        + events(12, "failed", hour: 24, bad) + events(12, "failed", hour: 25, bad)

    private static func lines(
        _ events: [Row<EventColumn>],
        rules: LedgerRules = LedgerRules(),
        source: String = "events/31.ndjson"
    ) throws -> [String] {
        var ledger = Ledger(period: rules.period, needs: ReportRegistry.needs(of: "failures"))
        ledger.update(with: Rows(events: events).batch(), source: source)
        let input = InputSummary(documents: 5, accepted: 4, rejected: 1, bytes: 9)
        let settled = ledger.settle(rules)
        let document = try #require(try ReportRegistry.document(named: "failures", of: settled, input: input))
        let text = String(decoding: TableRenderer().render(document, options: RenderOptions()), as: UTF8.self)
        let lines = text.split(separator: "\n").map(String.init)
        // Below the answer come the last hours, then the codes. The title has the time, where it fits the line.
        let headings = ["Codes", "Last 48 hours", "Failures by hour"]
        return Array(lines.filter { !$0.hasPrefix("═") }.prefix { !headings.contains($0) })
    }

    @Test("It says what goes on since when, how much of it there is, what stands out, what to do and where to look")
    func ongoing() throws {
        var rules = LedgerRules()
        rules.exampleCount = 2
        #expect(
            try Self.lines(Self.log, rules: rules) == [
                "Failures, 30–31 March 2026 (UTC), data to 31 March 01:11",
                "  ● ONGOING since 31 March 00:00 UTC: ASDErrorDomain 500, \"unhandled\"",
                "    com.example.trail: 24 failures of 40 attempts, 60.00 % (usually 0.00 %)",
                "    App 5.2.0: 24 of its 24 attempts failed, 0 of the other 16",
                "    Look at the underlying error.   tillroll codes ASDErrorDomain 500",
                "    2026-03-31 01:11:00Z   tillroll inspect events/31.ndjson --document 12",
                "    2026-03-31 01:10:00Z   tillroll inspect events/31.ndjson --document 11",
                "    All its failures   --explain incident=68566c5f02cd",
                "  Purchases 496 of 520 attempts; the last on 31 March 01:07",
                "  Failure rate 4.62 % of 520 attempts that were not cancelled; 0 cancelled (0.00 %)",
                "  ! 1 document could not be read and is in no figure; --rejects FILE writes it",
            ]
        )
    }

    @Test("An incident names no records where another app fails with its code in its hours")
    func namesNoRecordsOfOtherApps() throws {
        var rules = LedgerRules()
        rules.exampleCount = 2
        let other: Row<EventColumn> = [.bundleID: "com.example.scan"]
        let before = Self.events(1, "failed", hour: 3, Self.bad.with(other))
        let meanwhile = Self.events(1, "failed", hour: 25, Self.bad.with(other))
        func records(_ log: [Row<EventColumn>]) throws -> Int {
            try Self.lines(log, rules: rules).count { $0.contains("tillroll inspect") }
        }
        #expect(try records(Self.log + before) == 2)
        #expect(try records(Self.log + meanwhile) == 0)
    }

    @Test(
        "An incident that is over is told as such, with its end and by the clock of the report",
        .needsTimeZones
    )
    func over() throws {
        var rules = LedgerRules()
        rules.calendar = BookingCalendar(zone: try TimeZoneRules.ofDatabase("Asia/Kolkata"))
        let later = (30..<34).flatMap { Self.events(20, "purchased", hour: $0, Self.usual) }
        let lines = try Self.lines(Self.log + later, rules: rules)
        #expect(lines[1] == "  No incident is ongoing. The latest ended 31 March 11:30 Asia/Kolkata:")
        #expect(lines[2] == "  31 March 05:30 to 31 March 11:30 Asia/Kolkata: ASDErrorDomain 500, \"unhandled\"")
    }

    @Test("Without incidents it says so, and without failures that there are none")
    func withoutIncidents() throws {
        let quiet = (0..<30).flatMap { Self.events(20, "purchased", hour: $0, Self.usual) }
        let one = Self.events(1, "failed", hour: 3, Self.bad)
        #expect(try Self.lines(quiet + one)[1] == "  No incident: no rate rose.")
        #expect(try Self.lines([])[1] == "  No failures.")
    }

    @Test("Little data is nothing to compare with, and no purchase at all comes first")
    func withoutHistory() throws {
        let few = Self.events(3, "purchased", hour: 3, Self.usual) + Self.events(1, "failed", hour: 3, Self.bad)
        #expect(
            try Self.lines(few)[1] == "  Nothing to compare with: 1 hour of data, 25.00 % of 4 attempts failed"
        )
        #expect(
            try Self.lines(Self.events(3, "failed", hour: 3, Self.bad))[1]
                == "  ● No purchases: 0 of 3 attempts succeeded"
        )
    }

    @Test("Cancellations are no incident")
    func cancellations() throws {
        let cancelled = Self.log.map { $0[.errorCode] == nil ? $0 : $0.with([.errorClass: "cancelled"]) }
        #expect(try Self.lines(cancelled).contains("  No incident: no rate rose."))
    }

    static let paths: [(String, String)] = [
        ("events/31.ndjson", "events/31.ndjson"), ("a b.ndjson", "'a b.ndjson'"), ("it's", "'it'\\''s'"), ("", "''"),
        ("-x", "./-x"), ("$(rm)", "'$(rm)'"), ("ö.gz", "ö.gz"), ("a\nb", "'a\nb'"),
    ]

    @Test("Paths are words of a shell", arguments: paths)
    func quoting(_ path: String, _ word: String) { #expect(ShellWord.path(path) == word) }

    static let spans: [((Int, Int, Int), (Int, Int, Int), String)] = [
        ((2026, 3, 31), (2026, 3, 31), "31 March 2026"), ((2026, 3, 1), (2026, 3, 31), "1–31 March 2026"),
        ((2026, 2, 18), (2026, 3, 3), "18 February – 3 March 2026"),
        ((2025, 12, 31), (2026, 1, 1), "31 December 2025 – 1 January 2026"),
    ]

    @Test("Periods are told as people say them", arguments: spans)
    func words(_ first: (Int, Int, Int), _ last: (Int, Int, Int), _ text: String) {
        let (from, through) = (
            CivilDate(year: first.0, month: first.1, day: first.2), CivilDate(year: last.0, month: last.1, day: last.2)
        )
        #expect(PeriodWords.text(from: from, through: through) == text)
    }

    @Test("The period asked for is told, not the time of the records in it")
    func askedPeriod() {
        let day = Timestamp("2026-03-10")
        let period = Period(from: Timestamp("2026-03-01"), until: Timestamp("2026-04-01"))
        #expect(PeriodWords.text(of: period, day...day, in: .usual) == "1–31 March 2026")
        #expect(PeriodWords.text(of: nil, day...day, in: .usual) == "10 March 2026")
        #expect(PeriodWords.text(of: nil, nil, in: .usual) == nil)
    }

    @Test("Programs get incidents as objects in a row")
    func json() throws {
        let text = try findings("failures", Rows(events: Self.log))
        let line = try #require(text.split(separator: "\n").first { $0.contains("\"what\":\"failures\"") })
        #expect(
            line.contains(
                """
                "what":"failures","state":"ongoing","since":"2026-03-31T00:00:00Z","until":"2026-03-31T01:20:00Z",
                """
            )
        )
        #expect(line.contains(#""codes":[{"domain":"ASDErrorDomain","code":500,"class":"store","failures":24}]"#))
        #expect(line.contains(#""failures":24,"attempts":40,"rate":0.6,"usual_rate":0,"excess":24,"#))
        #expect(line.contains(#""causes":[{"values":{"app_version":"5.2.0"},"count":24,"of":24,"attempts":24,"#))
        let parts = try summary("failures", Rows(events: Self.log))
        #expect(parts.contains("\"verdict\":\"incident\",\"incidents\":1,\"ongoing\":1,"))
        #expect(!line.contains("\"examples\""))
    }
}
