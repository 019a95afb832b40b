import Testing
import TillCore
import TillReportModel

@testable import TillRender

@Suite("Charts")
struct ChartTests {
    static let lines: [([Double?], Int, String)] = [
        ([], 10, ""),
        ([0, 0], 10, "▁▁"),
        ([0, 1, 2, 4, 7], 10, "▁▃▄▅█"),
        ([1, nil, 1], 10, "█ █"),
        ([-1, 1], 10, "↓█"),
        ([1, 9, 1, 1], 2, "█▃"),
    ]

    @Test("A sparkline shows zero, gaps and what is negative apart, and of many values the largest", arguments: lines)
    func sparks(_ values: [Double?], _ width: Int, _ text: String) {
        #expect(Sparkline.text(values, width: width) == text)
    }

    static let scales: [(Double, Double, Bool, [String])] = [
        (0, 105.92, false, ["0", "50", "100", "150"]),
        (-3, 12, false, ["0", "5", "10", "15"]),
        (-7, 12, false, ["-5", "0", "5", "10", "15"]),
        (0, 0.0301, false, ["0.00", "0.01", "0.02", "0.03", "0.04"]),
        (0, 2_300_000, false, ["0", "500,000", "1,000,000", "1,500,000", "2,000,000", "2,500,000"]),
        (0, 0.5, true, ["0 %", "10 %", "20 %", "30 %", "40 %", "50 %"]),
        (0, 0, true, ["0 %", "1 %", "2 %", "3 %", "4 %"]),
    ]

    @Test("The lines behind a chart stand at round numbers around its values", arguments: scales)
    func rounds(_ low: Double, _ high: Double, _ isShare: Bool, _ labels: [String]) {
        #expect(PlotScale(low: low, high: high, isShare: isShare).ticks.map(\.label) == labels)
    }

    static let shortLabels: [(Double, [String])] = [
        (9_000, ["0", "2k", "4k", "6k", "8k", "10k"]), (17_860, ["0", "5k", "10k", "15k", "20k"]),
        (12_000, ["0", "5k", "10k", "15k"]), (2_300_000, ["0", "500k", "1,000k", "1,500k", "2,000k", "2,500k"]),
        (23_000_000, ["0", "5M", "10M", "15M", "20M", "25M"]),
        (3e15, ["0", "1,000,000bn", "2,000,000bn", "3,000,000bn"]),
    ]

    @Test("Large numbers of an axis are in thousands, millions or billions", arguments: shortLabels)
    func shortens(_ high: Double, _ labels: [String]) {
        #expect(PlotScale(low: 0, high: high).ticks.map(\.shortLabel) == labels)
    }

    @Test("Below zero an axis goes no further than its lowest value")
    func saves() {
        let scale = PlotScale(low: -160, high: 17_860)
        #expect(scale.low == -160 && scale.ticks.first?.value == 0)
        #expect(abs(scale.position(0) - 160 / 20_160) < 1e-9)
    }

    @Test("Any amount there can be has a scale", arguments: [1e-6, 1e18, 1.7e32])
    func reaches(_ value: Double) {
        let scale = PlotScale(low: -value, high: value)
        #expect(scale.low <= -value && scale.high >= value && scale.ticks.count <= 12)
    }

    @Test("In characters a chart fits its width", arguments: [40, 60, 100])
    func fits(_ width: Int) {
        for chart in SampleCharts.all {
            let lines = ChartLines(chart, width: width, clock: .utc).lines.map(\.text)
            #expect(lines.allSatisfy { $0.displayWidth <= width }, "\(lines)")
        }
    }

    @Test("A period among others has its names, the first value and the last two in two lines, if they fit")
    func labels13() {
        let lines = { (width: Int) in ChartLines(SampleCharts.course, width: width, clock: .utc).lines.map(\.text) }
        #expect(
            lines(80) == [
                "2025-03 – 04 ▃ 05 ▃ 06 ▄ 07 ▄ 08 ▅ 09 ▅ 10 ▆ 11 ▆ 12 ▇ 2026-01 ▇ 02 █ 03 █◂",
                "          10.00                                              110.00  120.00",
                "Not known: 2025-03, before the first record",
            ]
        )
        #expect(
            lines(60) == [
                "     2025-03 to 2026-03", "Net   ▃▃▄▄▅▅▆▆▇▇██ ◂ 120.00  max 120.00",
                "Not known: 2025-03, before the first record",
            ]
        )
    }

    @Test("Ranked bars go to both sides of zero, and that of a large rest is cut")
    func ranksBars() {
        #expect(
            ChartLines(SampleCharts.ranking, width: 60, clock: .utc).lines.map(\.text) == [
                "yearly         █████████████████████████              600.00",
                "monthly        ████████████                           300.00",
                "refunded   ████                                      -100.00",
                "12 others      █████████████████████████████████/█  5,000.00",
                "The bar of 12 others is cut",
            ]
        )
    }

    @Test("Formats in characters omit a chart with a band, and a section that has nothing else")
    func omitsBands() {
        let document = SampleCharts.ratesDocument
        let terminal = TableRenderer().render(document, options: RenderOptions())
        let markdown = MarkdownRenderer().render(document, options: RenderOptions())
        for bytes in [terminal, markdown] {
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains("Rates") && !text.contains("Failure"))
        }
    }

    @Test("The axis of a waterfall begins above zero where its steps would be too small to see")
    func cutsWaterfalls() {
        func scale(_ amounts: [Int128]) -> WaterfallScale {
            WaterfallScale(WaterfallStep.steps(of: SampleCharts.waterfall(amounts)))
        }
        // Levels 1000, 1100, 1050: 50 above 0 of a range of 100, so that the axis begins at 1000 − 25 → 960 in steps of
        // 20.
        let cut = scale([100_000, 10_000, -5_000, 105_000])
        #expect(cut.low == 960 && cut.high == 1100 && cut.start == "960")
        #expect(
            SampleCharts.waterfall([100_000, 10_000, -5_000, 105_000]).scaleNote == "The axis begins at 960, not at 0"
        )
        let whole = scale([1_000, 9_000, 10_000])
        #expect(whole.low == 0 && whole.start == nil)
        let below = scale([1_000, -3_000, -2_000])
        #expect(below.low == -20 && below.high == 10 && below.start == nil)
    }

    @Test("The sum over a column is exact, and nothing is known of gaps alone")
    func sums() {
        #expect(SampleCharts.columns.total(at: 2) == SampleDocuments.money(28_300_000, "USD"))
        #expect(SampleCharts.columns.total(at: 1) == SampleDocuments.money(200_000, "USD"))
        let gap = Chart(
            title: "",
            kind: .stackedColumns,
            categoryTitle: "",
            valueTitle: "",
            categories: [.absent],
            series: [Chart.Series(title: "", values: [.absent])]
        )
        #expect(gap.total(at: 0) == .absent)
    }

    @Test("Hours are named by their clock, at even parts of a day and midnight by its date")
    func labels() {
        let chart = SampleCharts.lines
        #expect(chart.shortLabel(chart.categories[1], by: .utc) == "01:00")
        #expect(chart.shortLabel(chart.categories[0], by: .utc) == "2026-02-16")
        #expect(chart.categories.indices.filter { chart.isLabelled($0, every: 5, by: .utc) } == [0, 6, 12, 18, 24])
    }

    @Test("Hours are named by the clock of the report, also where it is half an hour off")
    func labelsByClock() {
        let chart = SampleCharts.lines
        for (offset, texts, labelled) in [
            (-7 * 3600, ["17:00", "2026-02-16"], [1, 7, 13, 19, 25]),
            (19_800, ["05:30", "12:30"], [1, 7, 13, 19, 25]),
        ] {
            let clock = ReportClock(name: "There") { _ in offset }
            #expect([0, 7].map { chart.shortLabel(chart.categories[$0], by: clock) } == texts)
            #expect(chart.categories.indices.filter { chart.isLabelled($0, every: 5, by: clock) } == labelled)
        }
        let clock = ReportClock(name: "There") { _ in 19_800 }
        #expect(chart.shortLabel(chart.categories[19], by: clock) == "2026-02-17")
        #expect(chart.label(chart.categories[19], by: clock) == "2026-02-17 00:30")
    }
}
