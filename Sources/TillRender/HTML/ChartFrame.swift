import TillReportModel

/// The layout of a drawing with two axes, in units of its view box.
struct ChartFrame {
    static let width = 760

    let scale: PlotScale
    let left: Double
    let right: Double
    let top: Double
    let bottom: Double
    let count: Int

    init(_ chart: Chart, height: Int, values: [Double]) {
        let cells = chart.series.flatMap(\.values)
        let isWhole = cells.contains { if case .count = $0 { true } else { false } }
        scale = PlotScale(low: values.min() ?? 0, high: values.max() ?? 0, isShare: chart.hasShares, isWhole: isWhole)
        let longest = scale.ticks.map(\.label.utf8.count).max() ?? 0
        left = Double(longest) * 6.8 + 14
        right = Double(Self.width) - 8
        top = chart.marks.isEmpty ? 26 : 40
        bottom = Double(height) - 26
        count = max(1, chart.categories.count)
    }

    /// The width of one category.
    var step: Double { (right - left) / Double(count) }

    /// The left edge of a category.
    func x(_ index: Int) -> Double { left + step * Double(index) }

    func y(_ value: Double) -> Double { bottom - (bottom - top) * scale.position(value) }
}

extension Chart {
    /// The height of the drawing, in units of its view box.
    var drawingHeight: Int {
        switch kind {
        case .stackedColumns, .lines, .waterfall: 320
        case .bars: categories.count * BarLayout.row + 6
        case .heatMap: FieldLayout.head + series.count * FieldLayout.row + 6
        }
    }
}

/// The heights in a bar chart: a row has a name and a bar under it.
enum BarLayout {
    static let row = 42
    static let bar = 16
}

/// The heights in a heat map.
enum FieldLayout {
    static let head = 24
    static let row = 26
}

extension Double {
    /// A coordinate with one decimal at most, the same on every machine.
    var coordinate: String {
        let tenths = Int((self * 10).rounded())
        let whole = "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10)"
        return tenths % 10 == 0 ? whole : "\(whole).\(abs(tenths) % 10)"
    }
}
