import Testing
import TillCore
import TillPricing
import TillReportModel
import TillTestSupport

@testable import TillLedger
@testable import TillReports

@Suite("Charts of reports")
struct ReportChartTests {
    private func dollars(_ amount: Int128) -> Cell {
        CurrencyCode("USD").map { .money(Money(millionths: amount, currency: $0)) } ?? .absent
    }

    /// A row of revenue by month and product; `nil` for a month or product that is not known.
    private struct Row: FieldValues {
        let keys: [String?]
        var net: Int128 = 1
        var currency = CurrencyCode("USD")
        var unpriced: Int128 = 0
        var unconverted: Int128 = 0

        init(_ keys: [String?], _ net: Int128 = 1, in currency: String? = "USD", unpriced: Int128 = 0) {
            (self.keys, self.net, self.unpriced) = (keys, net, unpriced)
            self.currency = currency.flatMap { CurrencyCode($0) }
        }

        subscript(_ field: Int) -> Int128 {
            switch RevenueField(rawValue: field) {
            case .gross: net
            case .unpriced: unpriced
            case .unconverted: unconverted
            default: 0
            }
        }

        var missing: FieldSet { currency == nil || unconverted > 0 ? RevenueField.amounts : [] }
    }

    /// Rows by some keys and the currency; all amounts are in `base`, where there is one.
    private func cube(_ rows: [Row], by keys: [GroupKey] = [.month, .productID], in base: CurrencyCode? = nil) -> Cube {
        var cube = Cube(RevenueField.self, by: keys + [.currency], in: base.map { .one($0) } ?? .ofGroup)
        var codes: [String: Int64] = [:]
        for row in rows {
            func code(_ index: Int) -> Int64 {
                guard index < row.keys.count else { return row.currency.map { Int64($0.packed) } ?? GroupCode.unknown }
                guard let name = row.keys[index] else { return GroupCode.unknown }
                let code = codes[name] ?? Int64(codes.count)
                codes[name] = code
                return code
            }
            let names = row.keys + [row.currency?.description]
            let group = cube.group(code: code, name: { names[$0] })
            cube.add(row, to: group)
        }
        return cube
    }

    private let byMonth = RevenueCharts()

    @Test("Months are there without a gap, those without a row at zero; what is not known comes last")
    func fillsMonths() {
        let charts = byMonth.charts(
            of: cube([
                Row(["2025-11", "a"], 3), Row(["2026-01", "a"], 4), Row([nil, "b"]), Row(["2026-01", "b"], in: nil),
            ])
        )
        #expect(charts.map(\.title) == ["Customer sales by month, USD", "Customer sales by month and product, USD"])
        #expect(charts.map(\.kind) == [.stackedColumns, .panels])
        for chart in charts {
            #expect(chart.categories == [.text("2025-11"), .text("2025-12"), .text("2026-01"), .absent])
        }
        // The totals, and then each product.
        #expect(charts[0].series.map(\.values) == [[dollars(3), dollars(0), dollars(4), dollars(1)]])
        #expect(charts[1].series.map(\.title) == ["a", "b"])
        #expect(charts[1].series[0].values == [dollars(3), dollars(0), dollars(4), dollars(0)])
    }

    @Test("Of many products the largest have names, refunds weigh as much as sales, and the rest is one")
    func ranks() throws {
        let rows = (1...20).flatMap { number in
            [
                Row(["2026-01", "p\(number)"], Int128(number % 2 == 0 ? number : -number)),
                Row(["2026-02", "p\(number)"], 0),
            ]
        }
        let charts = byMonth.charts(of: cube(rows))
        let series = try #require(charts.last).series
        #expect(series.map(\.title) == (10...20).reversed().map { "p\($0)" } + ["9 other products"])
        #expect(series.map(\.isRest) == Array(repeating: false, count: 11) + [true])
        // −1 + 2 − … + 8 − 9 = −5, and p10 to p20 bring 15.
        #expect(series[11].values == [dollars(-5), dollars(0)])
        #expect(charts[0].series[0].values == [dollars(10), dollars(0)])
    }

    @Test("Without months there is nothing to draw, and a single product has the line of the totals")
    func needsColumns() {
        #expect(byMonth.charts(of: cube([Row([])], by: [])).isEmpty)
        let months = byMonth.charts(of: cube([Row(["2026-01"]), Row(["2026-02"])], by: [.month]))
        #expect(months.map(\.title) == ["Customer sales by month, USD"])
        #expect(byMonth.charts(of: cube([Row(["2026-01", "a"]), Row(["2026-02", "a"])])).count == 1)
    }

    @Test("A month that is not over is marked")
    func marksUnfinished() {
        var charts = byMonth
        charts.unfinished = "2026-02"
        let rows = cube([Row(["2026-01", "a"]), Row(["2026-02", "a"])])
        let chart = charts.charts(of: rows)[0]
        #expect(chart.unfinished == 1 && chart.notes == ["2026-02 is to date"])
        charts.unfinished = "2026-03"
        #expect(charts.charts(of: rows)[0].unfinished == nil)
    }

    @Test("Currencies, months and amounts that no chart of revenue shows are noted")
    func tellsWhatRevenueLeavesOut() throws {
        let base = try #require(CurrencyCode("USD"))
        let codes = [
            "USD", "EUR", "JPY", "GBP", "CHF", "SEK", "AUD", "CAD", "BRL", "MXN", "NOK", "DKK", "PLN", "CZK",
        ]
        var rows: [Row] = []
        for (number, code) in codes.enumerated() {
            // The fewer rows, the later in the list.
            for month in 0..<(80 - number) {
                rows.append(Row(["\(2000 + month)-01"], 1_000_000, in: code))
            }
        }
        var unknown = Row(["2079-01"], in: nil, unpriced: 3)
        unknown.unconverted = 2
        let charts = byMonth.charts(of: cube(rows + [unknown], by: [.month], in: base))
        #expect(charts.count == 1)
        #expect(
            charts[0].notes == [
                "Not drawn: 20 earlier months", "Not drawn: 2 sales and refunds without a rate",
                "Not drawn: 3 units without a known price",
            ]
        )
        // Twelve currencies have a panel each, the largest first.
        unknown.unconverted = 0
        let own = RevenueCharts(order: [base]).charts(of: cube(rows + [unknown], by: [.month]))
        #expect(own.map(\.title) == ["Customer sales by month and currency"] && own[0].kind == .panels)
        #expect(own[0].series.map(\.title) == Array(codes.prefix(12)))
        #expect(
            own[0].notes == [
                "Not drawn: 20 earlier months", "Not drawn: 3 units without a known price",
                "Not drawn: 2 smaller currencies: CZK, PLN",
            ]
        )
        #expect(byMonth.charts(of: cube([Row(["2026-01"])], by: [.month]))[0].notes.isEmpty)
    }

    @Test("A single bar and zeros are not drawn")
    func drawsNothingOfNothing() {
        func chart(_ kind: Chart.Kind, _ values: [Int128?]) -> Chart {
            Chart(
                title: "",
                kind: kind,
                categoryTitle: "",
                valueTitle: "",
                categories: values.indices.map { .code(Int64($0)) },
                series: [Chart.Series(title: "", values: values.map { $0.map(dollars) ?? .absent })]
            )
        }
        for kind in [Chart.Kind.stackedColumns, .lines, .panels, .bars] {
            #expect(!chart(kind, []).isWorthDrawing && !chart(kind, [5]).isWorthDrawing)
            #expect(!chart(kind, [nil, 5]).isWorthDrawing && !chart(kind, [0, 0]).isWorthDrawing)
            #expect(chart(kind, [0, -5]).isWorthDrawing)
        }
        #expect(!chart(.waterfall, [5, 0, 5]).isWorthDrawing && chart(.waterfall, [5, -1, 1, 5]).isWorthDrawing)
        #expect(!chart(.heatMap, [5, nil]).isWorthDrawing && chart(.heatMap, [5, 5]).isWorthDrawing)
    }

    private let subscriptions = SubscriptionsReport(LedgerRules())

    private func flows(_ count: Int) -> [MonthRow<MonthFlow>] {
        (0..<count).map { month in
            var flow = SubscriptionHistory.Flow()
            (flow.activeAtStart, flow.expired, flow.activeAtEnd) = (2, month, 3 + month)
            return MonthRow(month: "\(2000 + month)-01", figures: MonthFlow(flow: flow, isComplete: true))
        }
    }

    private func recurring(_ month: String, _ currency: String?) -> MonthRow<RecurringRevenue> {
        let currency = currency.flatMap { CurrencyCode($0) }
        return MonthRow(
            month: month,
            figures: RecurringRevenue(
                currency: currency,
                perMonth: .money(1, currency),
                perYear: .money(12, currency),
                counts: SubscriptionHistory.Recurring()
            )
        )
    }

    private func retention(_ cohort: String, _ month: Int, _ retained: Int, of chains: Int) -> RetentionRow {
        let counts = SubscriptionHistory.Retention(cohort: 0, month: month, chains: chains, retained: retained)
        return RetentionRow(cohort: cohort, counts: counts)
    }

    @Test("Months, currencies and cohorts that no chart of subscriptions shows are noted")
    func tellsWhatSubscriptionsLeaveOut() {
        let months = subscriptions.charts(of: flows(70))
        #expect(months.count == 2 && months.allSatisfy { $0.notes == ["Not drawn: 10 earlier months"] })
        var rows: [MonthRow<RecurringRevenue>] = []
        for (number, code) in ["USD", "EUR", "JPY", "GBP", "CHF", "SEK"].enumerated() {
            for month in 1...(6 - number) { rows.append(recurring("2026-0\(month)", code)) }
        }
        rows.append(recurring("2026-01", nil))
        let revenue = subscriptions.charts(of: rows)
        #expect(revenue.map(\.title) == ["MRR by month and currency"])
        #expect(revenue.first?.series.map(\.title) == ["USD", "EUR", "JPY", "GBP", "CHF", "SEK"])
        #expect(revenue.first?.notes == ["Not drawn: 1 row without a known price"])
        let cohorts = (0..<30).flatMap { cohort in
            [0, 1, 12, 14].map { retention("\(2000 + cohort)-01", $0, 1, of: 1) }
        }
        #expect(
            subscriptions.charts(of: cohorts).map(\.notes) == [
                ["Not drawn: 6 earlier cohorts", "Not drawn: month of life 13 to 14"]
            ]
        )
    }

    /// Products with some restores, out of so many restores and purchases.
    private func restores(_ products: [(name: String, restored: Int, eligible: Int)]) -> Cube {
        var cube = Cube(RestoresReport.Field.self, by: [.productID])
        for (code, product) in products.enumerated() {
            let group = cube.group(code: { _ in Int64(code) }, name: { _ in product.name })
            for number in 0..<product.eligible {
                cube.add(RestoresReport.Values(isRestore: number < product.restored), to: group)
            }
        }
        return cube
    }

    @Test("Products without a bar are noted")
    func tellsWhatRestoresLeaveOut() {
        let rows = restores((1...15).map { ("p\($0)", 1, $0) } + [("none", 0, 0)])
        #expect(
            RestoresReport.charts(of: rows)[0].notes == [
                "Not drawn: 3 others with fewer purchases and restores",
                "Not drawn: 1 row without purchases and restores to rate",
            ]
        )
    }

    /// What the ledger counts of a code of the domain SK.
    private func counts(
        _ code: Int64?,
        _ hours: [(hour: Int, count: Int)],
        undated: Int = 0,
        as failureClass: FailureClass = .store
    ) -> FailureCounts {
        let key = FailureKey(domain: "SK", code: code)
        return FailureCounts(
            key: key,
            count: hours.reduce(undated) { $0 + $1.count },
            first: nil,
            last: nil,
            failureClass: failureClass.rawValue,
            hours: hours,
            examples: [],
            groups: []
        )
    }

    private func charts(_ counts: [FailureCounts], span: ClosedRange<Timestamp>? = nil) -> [Chart] {
        failureCharts(counts, span: span).charts
    }

    private func failureCharts(_ counts: [FailureCounts], span: ClosedRange<Timestamp>? = nil) -> FailureCharts {
        let rates = FailureRates(
            attempts: 0,
            failed: 0,
            cancelled: 0,
            deferred: 0,
            succeeded: 0,
            unfinished: 0,
            verifications: 0,
            failedVerifications: 0,
            pairedVerifications: 0
        )
        var table = FailureTable(rates: rates, span: span, calendar: .usual, .nothing)
        for counts in counts { table.append(counts) }
        table.sort()
        return FailureCharts(table)
    }

    @Test("Failures without a time, and those before the first column, are noted")
    func tellsWhatFailuresLeaveOut() {
        // More weeks than there are columns.
        let late = (0..<8).map { (hour: 168 * 200 + $0, count: 10) }
        let charts = charts([counts(0, [(168, 5)] + late, undated: 35), counts(2, [], undated: 50, as: .cancelled)])
        #expect(charts[0].notes == ["Not drawn: 5 earlier failures", "Not drawn: 35 failures without a time"])
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

    /// From the beginning of an hour into another one.
    private static func span(_ first: Int, _ newest: Int) -> ClosedRange<Timestamp> {
        Timestamp(startOfHour: first)...Timestamp(milliseconds: Timestamp(startOfHour: newest).milliseconds + 9)
    }

    @Test(
        "The last 48 hours are a chart of their own, with what failed most in them; of a shorter input it is the only one"
    )
    func lastHours() throws {
        let codes = [counts(0, [(1000, 90), (2000, 40)]), counts(2, [(1999, 50)])]
        let long = failureCharts(codes, span: Self.span(1000, 2000))
        let recent = try #require(long.recent.first)
        #expect(recent.title == "Last 48 hours" && recent.valuesAre == "an hour")
        #expect(recent.categories == (1953...2000).map { .instant(Timestamp(startOfHour: $0)) })
        #expect(recent.series.map(\.title) == ["SK 2", "SK 0"])
        #expect(long.charts.map(\.title) == ["Failures by day"])
        let short = failureCharts([codes[1]], span: Self.span(1990, 2003))
        #expect(short.recent.map(\.title) == ["Failures by hour"] && short.charts.isEmpty)
        #expect(short.recent.first?.categories.count == 14)
        let quiet = failureCharts(codes, span: Self.span(1000, 2048))
        #expect(!quiet.hasRecent && quiet.recent.isEmpty && quiet.charts.count == 1)
    }

    @Test("The axis of failures has the whole time of the input, also where nothing failed")
    func spansRecords() {
        let span = Timestamp(startOfHour: 990)...Timestamp(startOfHour: 1010)
        let chart = failureCharts([counts(0, [(1000, 3), (1002, 1)])], span: span).recent.first
        #expect(chart?.categories == (990...1010).map { .instant(Timestamp(startOfHour: $0)) })
        #expect(charts([counts(2, [(1000, 3)], as: .cancelled)], span: span).isEmpty)
    }

    @Test("Cancellations and 21006 are in no column and no mark, and their number is noted")
    func leavesOutHarmless() {
        let charts = charts([
            counts(0, [(1000, 3)]), counts(2, [(1000, 20), (1001, 70)], as: .cancelled),
            counts(5, [(1002, 4)], as: .okExpired),
        ])
        #expect(charts.map { $0.series.map(\.title) } == [["SK 0"]])
        #expect(charts[0].series[0].values == [.count(3)] && charts[0].marks.isEmpty)
        // Of the one hour that is drawn.
        #expect(charts[0].notes == ["Not drawn: 20 cancellations"])
    }

    @Test(
        "The number of cancellations that are not drawn is in words",
        arguments: [
            (1, 0, "Not drawn: 1 cancellation"), (2, 0, "Not drawn: 2 cancellations"),
            (0, 1, "Not drawn: 1 valid but expired receipt (21006)"),
            (1, 2, "Not drawn: 1 cancellation and 2 valid but expired receipts (21006)"),
        ]
    )
    func namesHarmless(_ cancelled: Int, _ expired: Int, _ note: String) {
        let charts = charts([
            counts(0, [(1000, 3)]), counts(2, cancelled > 0 ? [(1000, cancelled)] : [], as: .cancelled),
            counts(5, expired > 0 ? [(1000, expired)] : [], as: .okExpired),
        ])
        #expect(charts[0].notes == [note])
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

    @Test("Restore rates are ranked exactly, and products that cannot be restored are left out")
    func ranksRates() {
        let charts = RestoresReport.charts(of: restores([("a", 1, 3), ("b", 0, 0), ("c", 2, 3), ("d", 2, 6)]))
        #expect(charts[0].categories == [.text("c"), .text("a"), .text("d")])
        #expect(RestoresReport.charts(of: restores([])).isEmpty)
    }

    @Test("The period spans the months, else the instants, else there is none")
    func tellsPeriod() {
        var time = CoveredTime()
        #expect(time.period == nil)
        for milliseconds in [9, 5, 3] as [Int64] { time.include(Timestamp(milliseconds: milliseconds)) }
        time.include(nil as Timestamp?)
        let instants = [3, 9].map { Cell.instant(Timestamp(milliseconds: $0)) }
        #expect(time.period == ReportPeriod(first: instants[0], last: instants[1]))
        for month in [nil, "2026-02", "2025-12", "2026-01"] { time.include(month) }
        #expect(time.period == ReportPeriod(first: .text("2025-12"), last: .text("2026-02")))
    }

    @Test("A cohort is a row of the heat map, and a month that it has not reached is absent")
    func drawsCohorts() {
        let rows = [
            retention("2026-01", 0, 9, of: 9), retention("2026-01", 1, 6, of: 9), retention("2026-02", 0, 4, of: 4),
        ]
        let chart = subscriptions.charts(of: rows).first
        #expect(chart?.kind == .heatMap && chart?.categories == [.code(0), .code(1)])
        #expect(chart?.series.map(\.title) == ["2026-01", "2026-02"])
        #expect(chart?.series.map(\.values) == [[.ratio(9, of: 9), .ratio(6, of: 9)], [.ratio(4, of: 4), .absent]])
        #expect(subscriptions.charts(of: [] as [RetentionRow]).isEmpty)
    }

    @Test("Months of subscriptions are lines, and recurring revenue is a chart for each currency")
    func drawsSubscriptions() {
        let months = subscriptions.charts(of: flows(2))
        #expect(months.map(\.title) == ["Active subscriptions by month", "Churn rate by month"])
        #expect(months[0].series[0].values == [.count(3), .count(4)])
        #expect(months[1].series[0].values == [.ratio(0, of: 2), .ratio(1, of: 2)])
        #expect(subscriptions.charts(of: flows(1)).isEmpty)
        let revenue = subscriptions.charts(of: [
            recurring("2026-01", "USD"), recurring("2026-02", "USD"), recurring("2026-02", nil),
        ])
        #expect(revenue.map(\.title) == ["MRR by month, USD"])
        #expect(revenue.first?.series.first?.values == [dollars(1), dollars(1)])
    }
}
