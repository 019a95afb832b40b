/// The rounding of an amount to the minor unit.
public enum Rounding: String, Sendable, CaseIterable {
    /// To the nearest unit; a tie goes to the even one.
    case halfEven = "half-even"
    /// To the nearest unit; a tie goes away from zero.
    case halfUp = "half-up"
}

extension Rounding {
    /// A quotient rounded once to an integer.
    ///
    /// - Parameter divisor: at least 1 and below 2¹²⁶.
    public func quotient(of dividend: Int128, by divisor: Int128) -> Int128 {
        guard dividend >= 0 else { return -quotient(of: -dividend, by: divisor) }
        let (quotient, remainder) = dividend.quotientAndRemainder(dividingBy: divisor)
        let isTie = remainder * 2 == divisor
        let roundsUp = isTie ? self == .halfUp || !quotient.isMultiple(of: 2) : remainder * 2 > divisor
        return roundsUp ? quotient + 1 : quotient
    }
}
