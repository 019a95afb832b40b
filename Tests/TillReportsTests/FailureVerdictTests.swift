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
            let row: Row<EventColumn> = [.event: .text(name), .at: .number(at), .document: .number(Int64(number))]
            return row.with(other)
        }
    }

    private static let usual: Row<EventColumn> = [.appVersion: "5.1.0", .osVersion: "18.5"]
    private static let bad: Row<EventColumn> = [
        .appVersion: "5.2.0", .osVersion: "18.4", .errorDomain: "ASDErrorDomain", .errorCode: 500, .errorClass: "store",
    ]

    /// 40 attempts on the day before, one of them with 5.2.0 and one with 18.4, and in hours 24 and 25 12 failures each
    /// of 20 attempts.
    private static let log =
        events(38, "purchasing", hour: 20, usual)
        + events(1, "purchasing", hour: 20, [.appVersion: "5.2.0", .osVersion: "18.5"])
        + events(1, "purchasing", hour: 20, [.appVersion: "5.1.0", .osVersion: "18.4"])
        + events(20, "purchasing", hour: 24, usual) + events(20, "purchasing", hour: 25, usual)
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
        // Below the answer come the last hours, then the codes.
        let headings = ["Codes", "Last 48 hours", "Failures by hour"]
        return Array(lines.drop { $0 != "════════" }.dropFirst().prefix { !headings.contains($0) })
    }

    @Test("It says what goes on since when, how much of it there is, what stands out, what to do and where to look")
    func ongoing() throws {
        var rules = LedgerRules()
        rules.exampleCount = 2
        // 24 failures of 40 attempts, none of 40 before. The pair: p = 1, q = (0 + 1) / (40 + 4), since 5.1.0 with
        // 18.5, each of the two others and the pair itself were seen.
        #expect(
            try Self.lines(Self.log, rules: rules) == [
                "  30–31 March 2026 (UTC), data to 31 March 01:19",
                "  ● ONGOING since 31 March 00:00 UTC: ASDErrorDomain 500, \"unhandled\"",
                "    24 failures in 2 hours, 60.00 % of attempts (usually 0.00 %)",
                "    App 5.2.0 on OS 18.4: 24 of 24 failures (usually 2.27 % of events)",
                "    Look at the underlying error.   tillroll codes ASDErrorDomain 500",
                "    2026-03-31 01:11:00Z   tillroll inspect events/31.ndjson --document 12",
                "    2026-03-31 01:10:00Z   tillroll inspect events/31.ndjson --document 11",
                "  Failure rate 30.00 % of 80 attempts that were not cancelled; 0 cancelled (0.00 %)",
                "  ! 1 document could not be read and is in no figure; --rejects FILE writes it",
            ]
        )
    }

    @Test(
        "An incident that is over is told as such, with its end and by the clock of the report",
        .needsTimeZones
    )
    func over() throws {
        var rules = LedgerRules()
        rules.calendar = BookingCalendar(zone: try TimeZoneRules.ofDatabase("Asia/Kolkata"))
        let lines = try Self.lines(Self.log + Self.events(1, "purchased", hour: 30), rules: rules)
        #expect(lines[0] == "  31 March 2026 (Asia/Kolkata), data to 31 March 11:30")
        #expect(lines[1] == "  No incident is ongoing. The latest one:")
        #expect(lines[2] == "  31 March 05:30 to 07:30 Asia/Kolkata: ASDErrorDomain 500, \"unhandled\"")
    }

    @Test("Without incidents it says so, and without failures that there are none")
    func withoutIncidents() throws {
        let one = Self.events(1, "failed", hour: 3, Self.bad)
        #expect(try Self.lines(one)[1] == "  No incident: no failure came far more often than expected.")
        #expect(try Self.lines(Self.events(1, "purchased", hour: 3))[1] == "  No failures.")
        #expect(try Self.lines([])[0] == "  No failures.")
    }

    @Test("Cancellations raise no alarm")
    func cancellations() throws {
        let cancelled = Self.log.map { $0[.errorCode] == nil ? $0 : $0.with([.errorClass: "cancelled"]) }
        #expect(try Self.lines(cancelled).contains("  No incident: no failure came far more often than expected."))
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
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("{\"since\"") })
        // p = 1, q = 1/44: log2 44 = 5.459432
        #expect(
            line.hasPrefix(
                """
                {"since":"2026-03-31T00:00:00Z","until":"2026-03-31T02:00:00Z","ongoing":true,"domain":"ASDErrorDomain",\
                "code":500,"class":"store","count":24,"share":0.6,"usual_share":0,"z":12,"causes":[\
                {"app_version":"5.2.0","os_version":"18.4","count":24,"share":1,"usual_share":0.022727,"score":5.459432},
                """
            )
        )
        #expect(
            try summary("failures", Rows(events: Self.log)).contains(
                "\"failed\":24,\"failure_rate\":0.3,\"incidents\":1,\"ongoing\":1,"
            )
        )
        #expect(!line.contains("\"examples\""))
    }
}
