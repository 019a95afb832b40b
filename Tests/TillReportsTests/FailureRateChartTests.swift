import Testing
import TillCore
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillReports

@Suite("The chart of the failure rate")
struct FailureRateChartTests {
    private static let start = Timestamp("2026-03-02").hour

    /// Events of an hour after ``start``, two minutes apart, each of an account of its own.
    private static func events(
        _ count: Int,
        _ name: String,
        hour: Int,
        in app: String = "com.example.trail"
    ) -> [Row<EventColumn>] {
        (0..<count).map { number in
            let instant = Timestamp(startOfHour: start + hour).milliseconds + Int64(number) * 120_000
            let row: Row<EventColumn> = [
                .event: .text(name), .at: .number(instant), .accountToken: .text("\(name) \(app) \(hour) \(number)"),
                .bundleID: .text(app),
            ]
            let error: Row<EventColumn> = [.errorDomain: "SKErrorDomain", .errorCode: 0, .errorClass: "store"]
            return name.hasSuffix("failed") ? row.with(error) : row
        }
    }

    private static func drawn(_ events: [Row<EventColumn>]) throws -> (found: IncidentFindings, charts: [Chart]) {
        let table = try FailureTable(Rows(events: events).settled(needs: [.failures, .incidents]), mostExamples: 0)
        return (table.found, FailureCharts(table).rates)
    }

    /// Ten days with few attempts an hour, some hours without any, and four bad hours on the ninth day.
    private static func log(apps: [String], _ generator: inout SplitMix64) -> [Row<EventColumn>] {
        var events: [Row<EventColumn>] = []
        for hour in 0..<240 {
            let isFull = hour == 0 || hour == 239
            for app in apps {
                let bought = isFull ? 12 : generator.once(in: 6) ? 0 : generator.below(9)
                events += Self.events(bought, "purchased", hour: hour, in: app)
                events += Self.events(generator.once(in: 3) ? generator.below(3) : 0, "failed", hour: hour, in: app)
                if (200..<204).contains(hour) { events += Self.events(14, "failed", hour: hour, in: app) }
                events += Self.events(generator.below(2), "restored", hour: hour, in: app)
                events += Self.events(generator.once(in: 9) ? 1 : 0, "restore_failed", hour: hour, in: app)
            }
        }
        return events
    }

    private static func share(_ cell: Cell) -> Double? {
        guard case .ratio(let part, of: let whole) = cell else { return nil }
        return Double(part) / Double(whole)
    }

    @Test("Rates and their band agree with the rows, for one app and for two", arguments: Seeds.some(of: 1...20))
    func counts(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let apps = Array(["com.example.trail", "com.example.scan"].prefix(seed % 2 == 0 ? 2 : 1))
        let events = Self.log(apps: apps, &generator)
        let (found, charts) = try Self.drawn(events)
        let chart = try #require(charts.first)
        #expect(chart.title == "Failure rate of purchases, last 48 hours" && chart.band == "Usual rate")
        var (all, failed): ([Int: Int64], [Int: Int64]) = ([:], [:])
        for event in events where ["purchased", "failed"].contains(event[.event]?.text) {
            let hour = Timestamp(milliseconds: event[.at]?.number ?? 0).hour
            all[hour, default: 0] += 1
            if event[.event]?.text == "failed" { failed[hour, default: 0] += 1 }
        }
        let bad = found.incidents.filter { $0.family == "purchase" && $0.what == .failures }
        #expect(!bad.isEmpty)
        func isBad(_ hour: Int) -> Bool {
            let (first, end) = (Timestamp(startOfHour: hour), Timestamp(startOfHour: hour + 1))
            return bad.contains { $0.since < end && $0.until > first }
        }
        let hours = Self.start + 192..<Self.start + 240
        #expect(chart.categories == hours.map { .instant(Timestamp(startOfHour: $0)) })
        for (place, hour) in hours.enumerated() {
            let rate = all[hour].map { Cell.ratio(failed[hour] ?? 0, of: $0) }
            #expect(chart.series[0].values[place] == rate ?? .absent)
            let past = (1...7).map { hour - 24 * $0 }.filter { !isBad($0) }.compactMap { day in
                all[day].map { Double(failed[day] ?? 0) / Double($0) }
            }
            let limits = past.count < 3 ? [nil, nil] : [past.min(), past.max()]
            #expect(chart.series[1...].map { Self.share($0.values[place]) } == limits, "\(hour)")
        }
        for incident in bad where incident.since.hour >= hours.lowerBound {
            #expect(chart.marks.contains { $0.category == incident.since.hour - hours.lowerBound })
        }
    }

    /// Days with 20 purchases an hour, and then hours in which 12 of 20 attempts fail.
    private static func outage(_ hours: Int, after days: Int) -> [Row<EventColumn>] {
        (0..<24 * days).flatMap { events(20, "purchased", hour: $0) }
            + (0..<hours).flatMap {
                events(8, "purchased", hour: 24 * days + $0) + events(12, "failed", hour: 24 * days + $0)
            }
    }

    @Test("There is no chart without three earlier days to compare with")
    func needsThreeDays() throws {
        #expect(try Self.drawn(Self.outage(2, after: 2)).charts.isEmpty)
        let chart = try #require(try Self.drawn(Self.outage(2, after: 3)).charts.first)
        #expect(chart.title == "Failure rate of purchases, last 48 hours")
        #expect(chart.series[0].values.suffix(3) == [.ratio(0, of: 20), .ratio(12, of: 20), .ratio(12, of: 20)])
        #expect(chart.marks.map(\.category) == [46])
    }

    @Test("An incident that began before the drawn hours is marked at the first of them")
    func marksOlderIncidents() throws {
        let (found, charts) = try Self.drawn(Self.outage(60, after: 4))
        #expect(found.incidents.map(\.since.hour) == [Self.start + 96])
        #expect(charts.first?.marks.map(\.category) == [0])
    }

    @Test("Failures and two hours make a chart, and kinds of attempts besides purchases need an incident")
    func needsCourse() throws {
        #expect(try Self.drawn((0..<102).flatMap { Self.events(20, "purchased", hour: $0) }).charts.isEmpty)
        let hour = Self.events(20, "purchased", hour: 3) + Self.events(2, "failed", hour: 3)
        #expect(try Self.drawn(hour).charts.isEmpty)
        let failures = Self.events(2, "failed", hour: 99) + Self.events(1, "restore_failed", hour: 100)
        let quiet = (0..<102).flatMap { Self.events(20, "purchased", hour: $0) + Self.events(9, "restored", hour: $0) }
        #expect(try Self.drawn(quiet + failures).charts.map(\.title) == ["Failure rate of purchases, last 48 hours"])
        let trouble = Self.events(20, "restore_failed", hour: 101)
        #expect(
            try Self.drawn(quiet + failures + trouble).charts.map(\.title) == [
                "Failure rate of purchases, last 48 hours", "Failure rate of restores, last 48 hours",
            ]
        )
    }
}
