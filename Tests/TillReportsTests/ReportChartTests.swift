import Testing
import TillCore
import TillLedger
import TillPricing
import TillReportModel
import TillTestSupport

@testable import TillReports

@Suite("Charts of reports")
struct ReportChartTests {
    private func dollars(_ amount: Int128) -> Cell {
        CurrencyCode("USD").map { .money(Money(millionths: amount, currency: $0)) } ?? .absent
    }

    private func table(_ columns: [String], _ rows: [[Cell]]) -> Section {
        Section(
            name: "t",
            title: "T",
            columns: columns.map { Column($0, $0, isKey: $0 == "product_id") },
            content: .table(rows)
        )
    }

    @Test("Months are there without a gap, those without a row at zero; what is not known comes last")
    func fillsMonths() {
        let rows: [[Cell]] = [
            [.text("2025-11"), .text("a"), dollars(3)], [.text("2026-01"), .text("a"), dollars(4)],
            [.absent, .text("b"), dollars(1)], [.text("2026-01"), .text("b"), .absent],
        ]
        let charts = RevenueReport.charts(of: table(["month", "product_id", "net"], rows))
        #expect(charts.map(\.title) == ["net by month, USD"])
        #expect(charts[0].categories == [.text("2025-11"), .text("2025-12"), .text("2026-01"), .absent])
        #expect(charts[0].series.map(\.title) == ["a", "b"])
        #expect(charts[0].series[0].values == [dollars(3), dollars(0), dollars(4), dollars(0)])
    }

    @Test("Of many products the largest have names, refunds weigh as much as sales, and the rest is one")
    func ranks() {
        let rows = (1...20).map { number -> [Cell] in
            [.text("2026-01"), .text("p\(number)"), dollars(Int128(number % 2 == 0 ? number : -number))]
        }
        let series = RevenueReport.charts(of: table(["month", "product_id", "net"], rows))[0].series
        #expect(series.map(\.title) == ["p20", "p19", "p18", "p17", "p16", "p15", "p14", "13 other products"])
        #expect(series.map(\.isRest) == Array(repeating: false, count: 7) + [true])
        #expect(series[7].values == [dollars(-7)])
    }

    @Test("Without months there is nothing to draw, without products there is one series")
    func needsColumns() {
        #expect(RevenueReport.charts(of: table(["currency", "net"], [[.text("USD"), dollars(1)]])).isEmpty)
        let months = RevenueReport.charts(of: table(["month", "net"], [[.text("2026-01"), dollars(1)]]))
        #expect(months[0].series.map(\.title) == ["all products"])
    }

    @Test("Currencies, months and amounts that no chart of revenue shows are told beside each")
    func tellsWhatRevenueLeavesOut() throws {
        var rows: [[Cell]] = []
        for (number, code) in ["USD", "EUR", "JPY", "GBP", "CHF", "SEK"].enumerated() {
            let currency = try #require(CurrencyCode(code))
            // The fewer rows, the later in the list.
            for row in 0..<(80 - number) {
                rows.append([
                    .text("\(2000 + row)-01"), .money(Money(millionths: 1_000_000, currency: currency)), .count(0),
                    dollars(1_000_000), .count(0),
                ])
            }
        }
        rows.append([.text("2079-01"), .absent, .count(3), .absent, .count(2)])
        let columns = ["month", "net", "unpriced_units", "converted_net", "unconverted_transactions"]
        let charts = RevenueReport.charts(of: table(columns, rows))
        #expect(charts.map(\.title).count == 5)
        #expect(
            charts[0].notes == [
                "Not drawn: 20 earlier months", "Not drawn: 2 sales and refunds without a rate",
                "Not drawn: 3 units without a known price",
            ]
        )
        for chart in charts.dropFirst() {
            #expect(
                chart.notes == [
                    "Not drawn: 2 currencies with fewer rows: CHF, SEK", "Not drawn: 20 earlier months",
                    "Not drawn: 3 units without a known price",
                ]
            )
        }
        let all = RevenueReport.charts(of: table(["month", "net"], [[.text("2026-01"), dollars(1)]]))
        #expect(all[0].notes.isEmpty)
    }

    @Test("Months, currencies and cohorts that no chart of subscriptions shows are told")
    func tellsWhatSubscriptionsLeaveOut() throws {
        var months = table(
            ["month", "active_at_end", "churn_rate"],
            (0..<70).map { [.text("\(2000 + $0)-01"), .count(1), .ratio(1, of: 2)] }
        )
        months.name = "by_month"
        var rows: [[Cell]] = []
        for (number, code) in ["USD", "EUR", "JPY", "GBP", "CHF", "SEK"].enumerated() {
            let currency = try #require(CurrencyCode(code))
            // Of the last there is one month, which is no course.
            for row in 0..<(6 - number) {
                rows.append([.text("2026-0\(row + 1)"), .money(Money(millionths: 1, currency: currency))])
            }
        }
        rows.append([.text("2026-01"), .absent])
        var recurring = table(["month", "mrr"], rows)
        recurring.name = "mrr"
        var retention = table(
            ["cohort", "month_of_life", "rate"],
            (0..<30).flatMap { cohort in
                [0, 1, 12, 14].map { [.text("\(2000 + cohort)-01"), .count($0), .ratio(1, of: 1)] }
            }
        )
        retention.name = "retention"
        let sections = SubscriptionsReport.withCharts([months, recurring, retention])
        #expect(sections[0].charts.allSatisfy { $0.notes == ["Not drawn: 10 earlier months"] })
        #expect(sections[1].charts.count == 4)
        #expect(
            sections[1].charts.allSatisfy {
                $0.notes == [
                    "Not drawn: 2 currencies with fewer rows: CHF, SEK", "Not drawn: 1 row without a known price",
                ]
            }
        )
        #expect(
            sections[2].charts.map(\.notes) == [
                ["Not drawn: 6 earlier cohorts", "Not drawn: month_of_life 13 to 14"]
            ]
        )
    }

    @Test("Products without a bar are told")
    func tellsWhatRestoresLeaveOut() {
        let rows = (1...15).map { [Cell.text("p\($0)"), .ratio(1, of: $0)] } + [[.text("none"), .ratio(0, of: 0)]]
        #expect(
            RestoresReport.charts(of: table(["product_id", "rate"], rows))[0].notes == [
                "Not drawn: 3 others with fewer purchases and restores",
                "Not drawn: 1 row without purchases and restores to rate",
            ]
        )
    }

    @Test("Failures without a time, those before the first column, and spikes without a mark are told")
    func tellsWhatFailuresLeaveOut() {
        func row(_ hour: Int, _ count: Int64) -> [Cell] {
            [.instant(Timestamp(startOfHour: hour)), .text("SK"), .code(0), .count(count)]
        }
        let columns = ["hour", "domain", "code", "count"]
        let codes = table(
            ["domain", "code", "class", "count"],
            [
                [.text("SK"), .code(0), .text("store"), .count(120)],
                [.text("SK"), .code(2), .text("cancelled"), .count(50)],
            ]
        )
        // More weeks than there are columns.
        let rows = [row(168, 5)] + (0..<8).map { row(168 * 200 + $0, 10) }
        let charts = FailureCharts(
            codes: codes,
            series: table(columns, rows),
            spikes: table(columns, Array(rows.dropFirst())),
            span: nil
        ).charts
        #expect(
            charts[0].notes == [
                "Not marked: 2 smaller spikes", "Not drawn: 5 earlier failures",
                "Not drawn: 35 failures without a time",
            ]
        )
        #expect(charts[1].notes == ["Not marked: 2 smaller spikes"])
    }

    @Test("Months far apart are not filled up, and the last sixty are shown")
    func cutsMonths() {
        let wide = MonthAxis([.text("0001-01"), .text("2026-01")])
        #expect(wide.categories == [.text("0001-01"), .text("2026-01")] && !wide.isCut)
        let many = MonthAxis(Set((0..<80).map { Cell.text("\(2000 + $0)-01") }))
        #expect(many.categories.count == 60 && many.isCut && many.categories.last == .text("2079-01"))
        #expect(MonthAxis([.text("2026-13"), .text("x")]).categories == [.text("2026-13"), .text("x")])
    }

    static let spans: [([Int], String, Int)] = [
        ([5], "hour", 1), ([0, 99], "hour", 100), ([0, 100], "day", 5), ([0, 99 * 24 + 23], "day", 100),
        ([0, 100 * 24], "week", 15), ([-1_000_000, 0], "week", 100), ([-1, 0], "hour", 2),
    ]

    @Test("Time is cut into hours, days or weeks, a hundred at most", arguments: spans)
    func steps(_ hours: [Int], _ unit: String, _ count: Int) throws {
        let axis = try #require(TimeAxis(hours))
        #expect(axis.unit.rawValue == unit && axis.categories.count == count)
        #expect(axis.column(of: hours[hours.count - 1]) == count - 1)
    }

    @Test("Weeks begin on Mondays")
    func alignsWeeks() throws {
        let axis = try #require(TimeAxis([0, 200 * 24]))
        // 5 January 1970, the first Monday, begins the second week.
        #expect(axis.column(of: 4 * 24 - 1) == 0 && axis.column(of: 4 * 24) == 1)
    }

    @Test("A spike is marked in its column, and a second chart shows the hours around the largest")
    func marksSpikes() {
        func hour(_ number: Int) -> Cell { .instant(Timestamp(startOfHour: number)) }
        let columns = ["hour", "domain", "code", "count"]
        let series = table(
            columns,
            [
                [hour(492_000), .text("SK"), .code(2), .count(3)], [hour(492_500), .text("SK"), .code(0), .count(40)],
                [hour(492_501), .text("SK"), .absent, .count(1)],
            ]
        )
        let spikes = table(columns, [[hour(492_500), .text("SK"), .code(0), .count(40)]])
        let span = Timestamp(startOfHour: 492_000)...Timestamp(startOfHour: 492_600)
        let charts = FailureCharts(codes: codes([]), series: series, spikes: spikes, span: span).charts
        #expect(charts.map(\.title) == ["Failures by day", "Failures by hour around 2026-03-08 20:00 UTC"])
        #expect(charts[0].series.map(\.title) == ["SK 0", "SK 2", "SK without a code"])
        #expect(charts[0].marks.map(\.category) == [20] && charts[0].marks.map(\.series) == [0])
        #expect(charts[1].categories.count == 48 && charts[1].marks.map(\.category) == [36])
        #expect(charts[1].series.map(\.title) == charts[0].series.map(\.title))
        #expect(FailureCharts(codes: codes([]), series: table(columns, []), spikes: spikes, span: span).charts.isEmpty)
    }

    /// Codes of the domain SK by class.
    private func codes(_ classes: [(Int64, String)]) -> Section {
        table(["domain", "code", "class"], classes.map { [.text("SK"), .code($0.0), .text($0.1)] })
    }

    @Test("Hours of which nothing is known are not drawn, neither before the first record nor after the newest")
    func endsWithData() {
        func hour(_ number: Int) -> Cell { .instant(Timestamp(startOfHour: number)) }
        let columns = ["hour", "domain", "code", "count"]
        func row(_ number: Int, _ count: Int64) -> [Cell] { [hour(number), .text("SK"), .code(0), .count(count)] }
        let series = table(columns, [row(1000, 1), row(2000, 40)])
        for (first, newest, categories) in [
            (1000, 2000, 1964...2000), (1990, 2003, 1990...2003), (1000, 9000, 1964...2011),
        ] {
            let span =
                Timestamp(startOfHour: first)...Timestamp(milliseconds: Timestamp(startOfHour: newest).milliseconds + 9)
            let charts = FailureCharts(
                codes: codes([]),
                series: series,
                spikes: table(columns, [row(2000, 40)]),
                span: span
            ).charts
            #expect(charts.last?.categories == categories.map(hour))
            #expect(charts.last?.marks.map(\.category) == [2000 - categories.lowerBound])
        }
    }

    @Test("Cancellations and 21006 are in no column and no mark, and it is told how many there were")
    func leavesOutHarmless() {
        func row(_ number: Int, _ code: Int64, _ count: Int64) -> [Cell] {
            [.instant(Timestamp(startOfHour: number)), .text("SK"), .code(code), .count(count)]
        }
        let columns = ["hour", "domain", "code", "count"]
        let series = table(columns, [row(1000, 0, 3), row(1000, 2, 20), row(1001, 2, 70), row(1002, 5, 4)])
        let charts = FailureCharts(
            codes: codes([(0, "store"), (2, "cancelled"), (5, "ok-expired")]),
            series: series,
            spikes: table(columns, [row(1001, 2, 70)]),
            span: nil
        ).charts
        #expect(charts.map { $0.series.map(\.title) } == [["SK 0"]])
        #expect(charts[0].series[0].values == [.count(3)] && charts[0].marks.isEmpty)
        // Of the one hour that is drawn.
        #expect(charts[0].notes == ["Not drawn: 20 cancellations and valid but expired receipts (21006)"])
    }

    @Test("Days and weeks of a chart are those of the time zone", .needsTimeZones)
    func zonedDays() throws {
        let calendar = BookingCalendar(zone: try TimeZoneRules.ofDatabase("America/Los_Angeles"))
        let first = Timestamp("2026-03-02T07:00:00Z").hour
        let axis = try #require(TimeAxis([first, first + 1, first + 500], in: calendar))
        #expect(axis.categories.first == .text("2026-03-01") && axis.categories[1] == .text("2026-03-02"))
        #expect(axis.column(of: first) == 0 && axis.column(of: first + 1) == 1)
        let weeks = try #require(TimeAxis([first, first + 1, first + 5000], in: calendar))
        #expect(weeks.unit == .week && weeks.column(of: first) == 0 && weeks.column(of: first + 1) == 1)
        #expect(weeks.categories[1] == .text("2026-03-02"))
    }

    @Test("Restore rates are ranked exactly, and products nobody could restore are left out")
    func ranksRates() {
        let rows: [[Cell]] = [
            [.text("a"), .ratio(1, of: 3)], [.text("b"), .ratio(0, of: 0)], [.text("c"), .ratio(2, of: 3)],
            [.text("d"), .ratio(2, of: 6)],
        ]
        let charts = RestoresReport.charts(of: table(["product_id", "rate"], rows))
        #expect(charts[0].categories == [.text("c"), .text("a"), .text("d")])
        #expect(RestoresReport.charts(of: table(["product_id", "rate"], [])).isEmpty)
    }

    @Test("The period spans the months, else the instants, else there is none")
    func tellsPeriod() {
        let months = table(
            ["month", "at"],
            [[.text("2026-02"), .instant(Timestamp(milliseconds: 5))], [.text("2025-12"), .absent]]
        )
        let instants = table(
            ["at"],
            [[.instant(Timestamp(milliseconds: 9))], [.absent], [.instant(Timestamp(milliseconds: 3))]]
        )
        #expect(ReportPeriod(of: [instants, months]) == ReportPeriod(first: .text("2025-12"), last: .text("2026-02")))
        #expect(
            ReportPeriod(of: [instants])
                == ReportPeriod(first: .instant(Timestamp(milliseconds: 3)), last: .instant(Timestamp(milliseconds: 9)))
        )
        #expect(ReportPeriod(of: [table(["n"], [[.count(1)]])]) == nil)
    }

    @Test("A cohort is a row of the heat map, and a month that it has not reached is absent")
    func drawsCohorts() {
        func row(_ cohort: String, _ month: Int64, _ part: Int64, _ whole: Int64) -> [Cell] {
            [.text(cohort), .count(month), .count(whole), .count(part), .ratio(part, of: whole)]
        }
        var retention = table(
            ["cohort", "month_of_life", "chains", "retained", "rate"],
            [row("2026-01", 0, 9, 9), row("2026-01", 1, 6, 9), row("2026-02", 0, 4, 4)]
        )
        retention.name = "retention"
        let chart = SubscriptionsReport.withCharts([retention])[0].charts.first
        #expect(chart?.kind == .heatMap && chart?.categories == [.code(0), .code(1)])
        #expect(chart?.series.map(\.title) == ["2026-01", "2026-02"])
        #expect(chart?.series.map(\.values) == [[.ratio(9, of: 9), .ratio(6, of: 9)], [.ratio(4, of: 4), .absent]])
        retention.content = .table([])
        #expect(SubscriptionsReport.withCharts([retention])[0].charts.isEmpty)
    }

    @Test("Months of subscriptions are lines, and recurring revenue is a chart for each currency")
    func drawsSubscriptions() {
        var months = table(
            ["month", "active_at_end", "churn_rate"],
            [[.text("2026-01"), .count(3), .ratio(0, of: 0)], [.text("2026-02"), .count(4), .ratio(1, of: 3)]]
        )
        months.name = "by_month"
        var recurring = table(
            ["month", "mrr"],
            [[.text("2026-01"), dollars(1)], [.text("2026-02"), dollars(2)], [.text("2026-02"), .absent]]
        )
        recurring.name = "mrr"
        let sections = SubscriptionsReport.withCharts([months, recurring])
        #expect(sections[0].charts.map(\.title) == ["Active subscriptions by month", "Churn rate by month"])
        #expect(sections[1].charts.map(\.title) == ["Recurring revenue, USD, by month"])
        #expect(sections[1].charts.first?.series.first?.values == [dollars(1), dollars(2)])
    }
}
