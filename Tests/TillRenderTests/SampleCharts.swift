import TillCore
import TillReportModel

/// A report with a chart of each kind, small enough to check by eye.
enum SampleCharts {
    static let document = ReportDocument(
        name: "charts",
        title: "Charts",
        period: ReportPeriod(first: .text("2026-01"), last: .text("2026-03")),
        sections: [
            Section(
                name: "months",
                title: "Months",
                columns: [Column("month", "Month", isKey: true), Column("net", "Net")],
                content: .table(months.map { [$0, SampleDocuments.money(1_000_000, "USD")] }),
                charts: [columns, bars]
            ),
            Section(
                name: "hours",
                title: "Hours",
                columns: [Column("hour", "Hour", isKey: true), Column("count", "Count")],
                content: .table(hours.map { [$0, .count(1)] }),
                role: .detail,
                charts: [lines]
            ),
            Section(
                name: "cohorts",
                title: "Cohorts",
                columns: [Column("cohort", "Cohort", isKey: true)],
                content: .table([]),
                charts: [fields]
            ),
            Section(name: "course", title: "The last 13 months", charts: [course, currencies]),
            Section(
                name: "products",
                title: "Products",
                columns: [Column("product_id", "Product", isKey: true)],
                content: .table([[.text("com.example.pro.yearly")]]),
                role: .overview,
                charts: [ranking, waterfall([100_000, 10_000, -5_000, 105_000])]
            ),
        ],
        notes: ["Made by hand."]
    )

    private static let months: [Cell] = ["2026-01", "2026-02", "2026-03"].map(Cell.text)

    private static func dollars(_ amounts: [Int128?]) -> [Cell] {
        amounts.map { $0.map { SampleDocuments.money($0 * 10_000, "USD") } ?? .absent }
    }

    static let columns = Chart(
        title: "Net by month, USD",
        kind: .stackedColumns,
        categoryTitle: "Month",
        valueTitle: "Net, USD",
        categories: months,
        series: [
            Chart.Series(title: "com.example.pro", values: dollars([1_499, 0, 2_998])),
            Chart.Series(title: "com.example.coins", values: dollars([99, nil, -198])),
            Chart.Series(title: "3 other products", values: dollars([10, 20, 30]), isRest: true),
        ],
        marks: [Chart.Mark(category: 2, series: 0, text: "The best month")]
    )

    static let bars = Chart(
        title: "Restore rate",
        kind: .bars,
        categoryTitle: "Product",
        valueTitle: "Restores",
        categories: [.text("pro"), .text("プレミアム")],
        series: [Chart.Series(title: "Rate", values: [.ratio(1, of: 3), .ratio(0, of: 2)])]
    )

    /// Thirteen months, of which the first is not known and the last is that of the report.
    static let course: Chart = {
        let months = (2...14).map { Cell.text("\(2025 + $0 / 12)-\($0 % 12 < 9 ? "0" : "")\($0 % 12 + 1)") }
        var chart = Chart(
            title: "Net by month, USD",
            kind: .stackedColumns,
            categoryTitle: "Month",
            valueTitle: "Net, USD",
            categories: months,
            series: [Chart.Series(title: "Net", values: dollars([nil] + (1...12).map { $0 * 1_000 }))],
            notes: ["Not known: 2025-03, before the first record"]
        )
        chart.current = 12
        return chart
    }()

    /// A panel for each currency; the last month is not over.
    static let currencies: Chart = {
        var chart = Chart(
            title: "Net by month and currency",
            kind: .panels,
            categoryTitle: "Month",
            valueTitle: "Net, each currency on a scale of its own",
            categories: months,
            series: [
                Chart.Series(title: "USD", values: dollars([1_000, 2_000, -500])),
                Chart.Series(
                    title: "JPY",
                    values: [.absent] + [90_000, 80_000].map { SampleDocuments.money($0 * 1_000_000, "JPY") }
                ),
            ]
        )
        chart.unfinished = 2
        return chart
    }()

    static let ranking: Chart = {
        var chart = Chart(
            title: "Net by product, USD",
            kind: .bars,
            categoryTitle: "Product",
            valueTitle: "Net, USD",
            categories: ["yearly", "monthly", "refunded", "12 others"].map(Cell.text),
            series: [Chart.Series(title: "Net", values: dollars([60_000, 30_000, -10_000, 500_000]))]
        )
        chart.rest = 3
        return chart
    }()

    /// - Parameter cents: the first amount, the changes, the last amount.
    static func waterfall(_ cents: [Int128]) -> Chart {
        Chart(
            title: "From February to March",
            kind: .waterfall,
            categoryTitle: "Step",
            valueTitle: "Net, USD",
            categories: cents.indices.map { .text("step \($0)") },
            series: [Chart.Series(title: "Net", values: dollars(cents.map(\.self)))]
        )
    }

    static let all = [
        columns, bars, lines, fields, course, currencies, ranking, waterfall([1_000, 500, -300, 1_200]), rates,
    ]

    private static let hours: [Cell] = (0..<30).map { .instant(Timestamp(startOfHour: 492_000 + $0)) }

    static let lines = Chart(
        title: "Failures by hour",
        kind: .lines,
        categoryTitle: "Hour",
        valueTitle: "Failures",
        categories: hours,
        series: [
            Chart.Series(
                title: "SKErrorDomain 2",
                values: (0..<30).map { $0 == 7 ? .absent : .count(Int64($0 * 37 % 11)) }
            ),
            Chart.Series(title: "verifyReceipt 21003", values: (0..<30).map { .count($0 == 20 ? 500 : 1) }),
        ],
        marks: [Chart.Mark(category: 20, series: 1, text: "500 in the hour")]
    )

    /// Five hours: the second has no attempts, the third no band, and the band of the first has no height.
    static let rates: Chart = {
        func shares(_ parts: [Int64?]) -> [Cell] { parts.map { $0.map { .ratio($0, of: 100) } ?? .absent } }
        var chart = Chart(
            title: "Failure rate",
            kind: .lines,
            categoryTitle: "Hour",
            valueTitle: "Failed attempts, %",
            categories: Array(hours.prefix(5)),
            series: [
                Chart.Series(title: "Failure rate", values: shares([2, nil, 3, 25, 4])),
                Chart.Series(title: "Lowest usual rate", values: shares([1, 0, nil, 2, 1])),
                Chart.Series(title: "Highest usual rate", values: shares([1, 30, nil, 4, 50])),
            ],
            marks: ["One", "Another"].map { Chart.Mark(category: 3, series: 0, text: $0) }
        )
        chart.band = "Usual rate"
        return chart
    }()

    static let ratesDocument = ReportDocument(
        name: "rates",
        title: "Rates",
        sections: [Section(name: "hours", title: "Failures by hour", charts: [rates])]
    )

    static let fields = Chart(
        title: "Retention",
        kind: .heatMap,
        categoryTitle: "Month after the start",
        valueTitle: "Share that stayed",
        categories: (0..<4).map { .code(Int64($0)) },
        series: [
            Chart.Series(
                title: "2026-01",
                values: [.ratio(20, of: 20), .ratio(15, of: 20), .ratio(9, of: 20), .ratio(0, of: 20)]
            ),
            Chart.Series(title: "2026-02", values: [.ratio(7, of: 7), .ratio(5, of: 7), .absent, .absent]),
        ]
    )
}
