/// A positive fraction in lowest terms.
public struct Ratio: Hashable, Sendable {
    /// At least 1, without a common divisor with ``denominator``.
    public let numerator: UInt128
    /// At least 1, without a common divisor with ``numerator``.
    public let denominator: UInt128

    /// The fraction 1/1, the rate of a currency to itself.
    public static let one = Ratio(unchecked: 1, 1)

    /// Makes a fraction in lowest terms; `nil` if either number is 0.
    public init?(_ numerator: UInt128, _ denominator: UInt128) {
        guard numerator > 0, denominator > 0 else { return nil }
        let divisor = Self.greatestCommonDivisor(numerator, denominator)
        self.init(unchecked: numerator / divisor, denominator / divisor)
    }

    private init(unchecked numerator: UInt128, _ denominator: UInt128) {
        self.numerator = numerator
        self.denominator = denominator
    }

    var inverse: Ratio { Ratio(unchecked: denominator, numerator) }

    /// The product; `nil` where it does not fit 128 bits.
    func multiplied(by other: Ratio) -> Ratio? {
        let left = Self.greatestCommonDivisor(numerator, other.denominator)
        let right = Self.greatestCommonDivisor(other.numerator, denominator)
        let (top, topOverflow) = (numerator / left).multipliedReportingOverflow(by: other.numerator / right)
        let (bottom, bottomOverflow) = (denominator / right).multipliedReportingOverflow(by: other.denominator / left)
        return topOverflow || bottomOverflow ? nil : Ratio(unchecked: top, bottom)
    }

    /// The sum; `nil` where it does not fit 128 bits.
    func adding(_ other: Ratio) -> Ratio? {
        let divisor = Self.greatestCommonDivisor(denominator, other.denominator)
        let (left, first) = numerator.multipliedReportingOverflow(by: other.denominator / divisor)
        let (right, second) = other.numerator.multipliedReportingOverflow(by: denominator / divisor)
        let (top, third) = left.addingReportingOverflow(right)
        let (bottom, fourth) = denominator.multipliedReportingOverflow(by: other.denominator / divisor)
        return first || second || third || fourth ? nil : Ratio(top, bottom)
    }

    private static func greatestCommonDivisor(_ left: UInt128, _ right: UInt128) -> UInt128 {
        var (left, right) = (left, right)
        while right != 0 { (left, right) = (right, left % right) }
        return left
    }
}
