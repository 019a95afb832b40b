import TillCore

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
    /// - Parameter divisor: at least 1.
    public func quotient(of dividend: Int128, by divisor: Int128) -> Int128 {
        guard self == .halfUp else { return dividend.dividedHalfEven(by: divisor) }
        let (quotient, rest) = dividend.quotientAndRemainder(dividingBy: divisor)
        let isAway = rest.magnitude >= divisor.magnitude - rest.magnitude
        return isAway ? quotient + dividend.signum() : quotient
    }
}
