import TillCore
import TillReportModel

extension Cell {
    /// The value as a length on a drawing; `nil` for a cell without a number.
    ///
    /// Drawings may round it to a `Double`. No figure is printed from it.
    var plotValue: Double? {
        switch self {
        case .count(let value), .code(let value): Double(value)
        case .money(let money): Double(money.millionths) / 1_000_000
        case .ratio(let part, let whole): whole == 0 ? nil : Double(part) / Double(whole)
        case .decimal(let millionths): Double(millionths) / 1_000_000
        case .absent, .text, .word, .instant, .list, .records, .flag: nil
        }
    }
}

/// The value axis of a chart: round numbers that enclose a range.
struct PlotScale {
    /// A place on the axis with its label.
    struct Tick {
        let value: Double
        let label: String
        /// The label with large numbers in thousands or millions: `15k`.
        let shortLabel: String
    }

    let ticks: [Tick]
    let low: Double
    var high: Double { ticks.last?.value ?? 1 }
    /// The step between two ticks is `mantissa` times ten to the power of `exponent`.
    private let mantissa: Int
    private let exponent: Int

    /// An axis from 0, or the lowest value, to a round number, in at most five or six steps of 1, 2 or 5 times a power
    /// of ten. Below 0 it has no unneeded steps.
    ///
    /// - Parameters:
    ///   - isShare: whether the values are fractions of one, written in percent.
    ///   - isWhole: whether the values are whole numbers, so that no step is smaller than 1.
    init(low: Double, high: Double, isShare: Bool = false, isWhole: Bool = false) {
        let factor: Double = isShare ? 100 : 1
        let bottom = min(0, low) * factor
        let top = max(high * factor, bottom, bottom == 0 ? (isWhole || isShare ? 4 : 0.01) : 0)
        let (mantissa, exponent) = Self.step(over: max(top - bottom, 1e-6), isWhole: isWhole)
        let step = Double(mantissa) * Self.power(exponent)
        let last = Int((top / step).rounded(.up))
        let first = min(Int((bottom / step).rounded(.up)), last - 1)
        let thousands = isShare ? 0 : Self.thousands(upTo: step * Double(max(abs(first), abs(last))))
        let unit = isShare ? " %" : ""
        ticks = (first...last).map { index in
            let units = Int128(index) * Int128(mantissa)
            let label = Self.label(units, exponent: exponent) + unit
            let short = Self.label(units, exponent: exponent - thousands * 3)
            let suffix = index == 0 ? "" : ["", "k", "M", "bn"][thousands]
            return Tick(
                value: Double(index) * step / factor,
                label: label,
                shortLabel: thousands == 0 ? label : (index == 0 ? "0" : short + suffix)
            )
        }
        self.low = min(bottom / factor, ticks.first?.value ?? 0)
        (self.mantissa, self.exponent) = (mantissa, exponent)
    }

    /// The power of a thousand in which numbers up to one are shortest: 0 below ten thousand, 3 at most.
    private static func thousands(upTo value: Double) -> Int {
        var (power, rest) = (0, value)
        while rest >= 10_000, power < 3 { (power, rest) = (power + 1, rest / 1000) }
        return power
    }

    /// The label of the number at a distance of `steps` steps from 0.
    static func label(_ steps: Int128, ofStepIn scale: PlotScale) -> String? {
        let (units, overflow) = steps.multipliedReportingOverflow(by: Int128(scale.mantissa))
        return overflow ? nil : label(units, exponent: scale.exponent)
    }

    /// The smallest step of which at most five fit into `span`.
    private static func step(over span: Double, isWhole: Bool) -> (mantissa: Int, exponent: Int) {
        var exponent = isWhole ? 0 : -6
        while true {
            for mantissa in [1, 2, 5] where span / (Double(mantissa) * power(exponent)) <= 5 {
                return (mantissa, exponent)
            }
            exponent += 1
        }
    }

    private static func power(_ exponent: Int) -> Double {
        let magnitude = (0..<abs(exponent)).reduce(1.0) { value, _ in value * 10 }
        return exponent < 0 ? 1 / magnitude : magnitude
    }

    /// `units` times ten to the power of `exponent`, exactly.
    private static func label(_ units: Int128, exponent: Int) -> String {
        guard exponent < 0 else { return String(units * ten(to: exponent)).groupingDigits }
        return FixedPoint(units, of: ten(to: -exponent), decimals: -exponent)?.text.groupingDigits ?? ""
    }

    private static func ten(to exponent: Int) -> Int128 { (0..<exponent).reduce(1) { value, _ in value * 10 } }

    /// The position of a value along the axis, from 0 to 1.
    func position(_ value: Double) -> Double {
        high > low ? (value - low) / (high - low) : 0
    }
}
