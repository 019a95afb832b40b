import Testing
import TillCore
import TillReportModel

@testable import TillRender

@Suite("Charts")
struct ChartTests {
    static let lines: [([Double?], Int, String)] = [
        ([], 10, ""),
        ([0, 0], 10, "▁▁"),
        ([0, 1, 2, 4, 7], 10, "▁▃▄▆█"),
        ([1, nil, 1], 10, "█ █"),
        ([-1, 1], 10, "↓█"),
        ([1, 9, 1, 1], 2, "█▂"),
    ]

    @Test("A sparkline shows zero, gaps and what is negative apart, and of many values the largest", arguments: lines)
    func sparks(_ values: [Double?], _ width: Int, _ text: String) {
        #expect(Sparkline.text(values, width: width) == text)
    }

    static let scales: [(Double, Double, Bool, [String])] = [
        (0, 105.92, false, ["0", "50", "100", "150"]),
        (-3, 12, false, ["-5", "0", "5", "10", "15"]),
        (0, 0.0301, false, ["0.00", "0.01", "0.02", "0.03", "0.04"]),
        (0, 2_300_000, false, ["0", "500,000", "1,000,000", "1,500,000", "2,000,000", "2,500,000"]),
        (0, 0.5, true, ["0 %", "10 %", "20 %", "30 %", "40 %", "50 %"]),
        (0, 0, true, ["0 %", "1 %", "2 %", "3 %", "4 %"]),
    ]

    @Test("The lines behind a chart stand at round numbers around its values", arguments: scales)
    func rounds(_ low: Double, _ high: Double, _ isShare: Bool, _ labels: [String]) {
        #expect(PlotScale(low: low, high: high, isShare: isShare).ticks.map(\.label) == labels)
    }

    @Test("Any amount there can be has a scale", arguments: [1e-6, 1e18, 1.7e32])
    func reaches(_ value: Double) {
        let scale = PlotScale(low: -value, high: value)
        #expect(scale.low <= -value && scale.high >= value && scale.ticks.count <= 12)
    }

    @Test("In characters a chart fits its width", arguments: [40, 60, 100])
    func fits(_ width: Int) {
        for chart in [SampleCharts.columns, SampleCharts.bars, SampleCharts.lines, SampleCharts.fields] {
            let lines = ChartLines(chart, width: width, clock: .utc).lines.map(\.text)
            #expect(lines.allSatisfy { $0.displayWidth <= width }, "\(lines)")
        }
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
