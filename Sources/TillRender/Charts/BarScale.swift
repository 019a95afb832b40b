import TillReportModel

/// The scale of horizontal bars: from 0, or the lowest value, to the longest bar.
///
/// The rest of a ranking may be many times as long as the longest bar with a name. It is then cut, so that the bars
/// with names can be compared.
struct BarScale {
    let low: Double
    let high: Double
    /// The bar that is cut.
    let cut: Int?

    /// The largest length of the rest's bar, in lengths of the longest other bar.
    private static let mostTimes = 2.0
    /// The part of the width for the longest other bar beside a cut one.
    private static let share = 0.7

    init(_ chart: Chart) {
        let values = chart.series.first?.values.map { $0.plotValue ?? 0 } ?? []
        let named = values.indices.filter { $0 != chart.rest }.map { values[$0] }
        let (lowest, longest) = (named.min() ?? 0, named.max() ?? 0)
        if let rest = chart.rest, values.indices.contains(rest), longest > 0, values[rest] > longest * Self.mostTimes {
            (low, high, cut) = (min(0, lowest), longest / Self.share, rest)
        } else {
            (low, high, cut) = (min(0, values.min() ?? 0), max(0, values.max() ?? 0), nil)
        }
    }

    func position(_ value: Double) -> Double { low.position(of: value, upTo: high) }

    var zero: Double { position(0) }
}

/// The scale of a waterfall. Where its steps are small beside the amounts that it begins and ends with, its axis begins
/// at a round number above 0.
struct WaterfallScale {
    let low: Double
    let high: Double
    /// The number at which the axis begins; `nil` for 0 or below.
    let start: String?

    init(_ steps: [WaterfallStep]) {
        // The level after each step; the last step is the level that is reached already.
        let levels = steps.map(\.level)
        let (lowest, highest) = (levels.min() ?? 0, levels.max() ?? 0)
        let range = highest - lowest
        guard lowest > 0, range > 0, range < highest / 5 else {
            (low, high, start) = (min(0, lowest), max(0, highest), nil)
            return
        }
        let scale = PlotScale(low: 0, high: range)
        let step = scale.ticks[1].value
        let units = ((lowest - range / 4) / step).rounded(.down)
        guard units > 0, let label = PlotScale.label(Int128(units), ofStepIn: scale) else {
            (low, high, start) = (0, highest, nil)
            return
        }
        (low, high, start) = (units * step, highest, label)
    }

    func position(_ value: Double) -> Double { low.position(of: value, upTo: high) }
}

extension Double {
    /// The place of a value on a scale that begins here, from 0 to 1; values outside are clamped.
    fileprivate func position(of value: Double, upTo high: Double) -> Double {
        high > self ? Swift.min(1, Swift.max(0, (value - self) / (high - self))) : 0
    }
}

extension Chart {
    /// A note about the scale of bars or of a waterfall, a sentence without a full stop.
    var scaleNote: String? {
        switch kind {
        case .bars:
            guard let cut = BarScale(self).cut, categories.indices.contains(cut) else { return nil }
            return "The bar of \(categories[cut].displayText) is cut"
        case .waterfall:
            return WaterfallScale(WaterfallStep.steps(of: self)).start.map { "The axis begins at \($0), not at 0" }
        case .stackedColumns, .lines, .panels, .heatMap: return nil
        }
    }
}
