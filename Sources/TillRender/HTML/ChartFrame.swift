import TillReportModel

/// The layout of a drawing with two axes.
///
/// A drawing is as wide as its page, and its texts keep their size. Places along it are therefore parts of its width in
/// percent; heights are in pixels.
struct ChartFrame {
    static let height = 250.0
    /// The widths for which labels are chosen, in pixels: a wide page, one of paper, and a phone.
    static let widths = (wide: 960.0, page: 700.0, phone: 340.0)
    /// The estimated width of a character of labels, in pixels.
    static let character = 6.8

    let scale: PlotScale
    let left: Double
    let right: Double
    let top: Double
    let bottom: Double
    let count: Int

    /// - Parameter right: the right edge of the plot, in percent. The space to its right is for labels.
    init(_ chart: Chart, height: Double = Self.height, values: [Double], right: Double = 99.5) {
        let isWhole = chart.series.contains { $0.values.contains { if case .count = $0 { true } else { false } } }
        scale = PlotScale(low: values.min() ?? 0, high: values.max() ?? 0, isShare: chart.hasShares, isWhole: isWhole)
        left = 8
        self.right = right
        top = chart.marks.isEmpty ? 42 : 54
        bottom = height - 34
        count = max(1, chart.categories.count)
    }

    /// The width of one category, in percent.
    var step: Double { (right - left) / Double(count) }

    /// The left edge of a category, in percent.
    func x(_ index: Int) -> Double { left + step * Double(index) }

    /// The middle of a category, in percent.
    func middle(_ index: Int) -> Double { x(index) + step / 2 }

    func y(_ value: Double) -> Double { bottom - (bottom - top) * scale.position(value) }

    /// The distance between two labelled categories, for labels of `characters` characters.
    ///
    /// - Parameter width: that of the drawing, in pixels.
    func interval(ofLabels characters: Int, width: Double) -> Int {
        let pixels = Double(characters) * Self.character + 10
        return max(1, Int((pixels / (step / 100 * width)).rounded(.up)))
    }
}

/// The heights in a heat map, in units of its view box.
enum FieldLayout {
    static let width = 760
    static let head = 24
    static let row = 26

    static func height(of chart: Chart) -> Int { head + chart.series.count * row + 6 }
}

extension Double {
    /// A coordinate with one decimal at most, the same on every machine.
    var coordinate: String {
        let tenths = Int((self * 10).rounded())
        let whole = "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10)"
        return tenths % 10 == 0 ? whole : "\(whole).\(abs(tenths) % 10)"
    }

    /// A part of a width with two decimals at most: `63.25%`.
    var percent: String {
        (FixedPoint(Int128((self * 100).rounded()), of: 100, decimals: 2)?.trimmedText ?? "0") + "%"
    }
}
