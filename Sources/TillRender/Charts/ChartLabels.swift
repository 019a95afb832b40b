import TillCore
import TillReportModel

/// The names of categories. A beginning in common with the neighbour is not repeated.
///
///     2025-11  12  2026-01  02
enum ChartLabels {
    /// A name in two parts: `2025-` and `11`. A name that has no dash has only the second.
    static func parts(_ name: String) -> (lead: Substring, tail: Substring) {
        guard let dash = name.lastIndex(of: "-"), dash != name.startIndex else { return ("", name[...]) }
        let tail = name.index(after: dash)
        return tail == name.endIndex ? ("", name[...]) : (name[..<tail], name[tail...])
    }

    /// The names, each without the beginning that it has in common with the one before.
    static func short(_ names: [String]) -> [String] {
        names.enumerated().map { index, name in
            let (lead, tail) = parts(name)
            return index > 0 && !lead.isEmpty && parts(names[index - 1]).lead == lead ? String(tail) : name
        }
    }
}

/// The series of panels with the scale of each. Series of one unit have one scale; the rest has its own.
struct PanelScales {
    let scales: [PlotScale]
    /// Whether each series has a scale of its own.
    let areOwn: Bool

    init(_ chart: Chart) {
        areOwn = Set(chart.series.flatMap(\.values).compactMap(\.currencyCode)).count > 1
        let named = chart.series.filter { !$0.isRest }
        let common = Self.scale(of: named)
        let areOwn = areOwn
        scales = chart.series.map { $0.isRest || areOwn ? Self.scale(of: [$0]) : common }
    }

    private static func scale(of series: [Chart.Series]) -> PlotScale {
        let cells = series.flatMap(\.values)
        let values = cells.compactMap(\.plotValue)
        return PlotScale(
            low: values.min() ?? 0,
            high: values.max() ?? 0,
            isShare: cells.contains { if case .ratio = $0 { true } else { false } },
            isWhole: cells.contains { if case .count = $0 { true } else { false } }
        )
    }
}

extension Cell {
    /// The currency of an amount; `nil` for other cells.
    fileprivate var currencyCode: String? {
        if case .money(let money) = self { money.currency.description } else { nil }
    }
}

extension Chart {
    /// The category whose value represents a series if there is room for only one: that of the report, else the last
    /// finished one.
    var representative: Int? {
        if let current, categories.indices.contains(current) { return current }
        let last = categories.count - 1
        return last > 0 && unfinished == last ? last - 1 : last < 0 ? nil : last
    }
}
