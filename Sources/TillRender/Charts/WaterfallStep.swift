import TillCore
import TillReportModel

/// A step of a waterfall: the beginning and the end of its bar.
struct WaterfallStep {
    let low: Double
    let high: Double
    /// The amount after it.
    let level: Double
    /// Whether it is the amount at the beginning or the end, not a change.
    let isLevel: Bool
    /// Whether it makes the amount smaller.
    let isFall: Bool
    /// The value, with a sign where it is a change.
    let text: String

    /// The first and the last value stand on the axis; every other one begins where the one before ended.
    static func steps(of chart: Chart) -> [WaterfallStep] {
        let values = chart.series.first?.values ?? []
        var level = 0.0
        return values.enumerated().map { index, cell in
            let value = cell.plotValue ?? 0
            let isLevel = index == 0 || index == values.count - 1
            let (from, to) = isLevel ? (0, value) : (level, level + value)
            level = to
            let text = (isLevel || value <= 0 ? "" : "+") + cell.displayText
            return WaterfallStep(
                low: min(from, to),
                high: max(from, to),
                level: to,
                isLevel: isLevel,
                isFall: !isLevel && value < 0,
                text: text
            )
        }
    }
}

extension Chart {
    /// The invisible series below the steps of a waterfall in a workbook.
    static let groundTitle = "Begins at"

    /// The charts of a workbook for this chart. Workbooks have no panels: panels of one unit become lines in one chart,
    /// panels of several units become a chart each.
    var inWorkbook: [Chart] {
        guard kind == .panels else { return [standing] }
        var chart = self
        chart.kind = .lines
        guard PanelScales(self).areOwn else { return [chart] }
        return series.map { series in
            chart.series = [series]
            chart.title = "\(title): \(series.title)"
            return chart
        }
    }

    /// A waterfall as stacked columns, which workbooks have: the steps are stacked on an invisible series. A waterfall
    /// with values below zero is unchanged, and becomes plain columns.
    var standing: Chart {
        guard kind == .waterfall, let values = series.first?.values else { return self }
        let steps = WaterfallStep.steps(of: self)
        guard steps.allSatisfy({ $0.low >= 0 }) else { return self }
        var chart = self
        chart.kind = .stackedColumns
        var level = Cell.absent
        var (ground, rises, falls): ([Cell], [Cell], [Cell]) = ([], [], [])
        for (index, cell) in values.enumerated() {
            let isLevel = index == 0 || index == values.count - 1
            let end = isLevel ? cell : level.plus(cell)
            ground.append(isLevel ? .absent : steps[index].isFall ? end : level)
            rises.append(steps[index].isFall ? .absent : cell)
            falls.append(steps[index].isFall ? cell.negated : .absent)
            level = end
        }
        chart.series = [
            Series(title: Self.groundTitle, values: ground), Series(title: valueTitle, values: rises),
            Series(title: "Less", values: falls),
        ]
        return chart
    }
}

extension Cell {
    fileprivate func plus(_ other: Cell) -> Cell {
        guard case .money(let left) = self, case .money(let right) = other else { return self }
        return .money(Money(millionths: left.millionths + right.millionths, currency: left.currency))
    }

    fileprivate var negated: Cell {
        guard case .money(let money) = self else { return self }
        return .money(Money(millionths: -money.millionths, currency: money.currency))
    }
}
