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
        case .absent, .text, .instant, .list, .records, .flag: nil
        }
    }
}

/// The value axis of a chart: round numbers that enclose a range.
struct PlotScale {
    /// A place on the axis with its label.
    struct Tick {
        let value: Double
        let label: String
    }

    let ticks: [Tick]
    var low: Double { ticks.first?.value ?? 0 }
    var high: Double { ticks.last?.value ?? 1 }

    /// An axis from 0, or a lower value, to the largest value, in at most five or six steps of 1, 2 or 5 times a power of ten.
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
        let first = Int((bottom / step).rounded(.down))
        let last = max(first + 1, Int((top / step).rounded(.up)))
        ticks = (first...last).map { index in
            let label = Self.label(Int128(index) * Int128(mantissa), exponent: exponent) + (isShare ? " %" : "")
            return Tick(value: Double(index) * step / factor, label: label)
        }
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
