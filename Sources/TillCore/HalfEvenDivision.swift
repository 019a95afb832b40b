extension FixedWidthInteger where Self: SignedInteger {
    /// The quotient, rounded once to the nearer integer, and to the even one of two that are equally near.
    ///
    /// - Precondition: `divisor` is positive.
    @inlinable
    public func dividedHalfEven(by divisor: Self) -> Self {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        // Compared with the distance to the next multiple, because twice the remainder could overflow.
        let (rest, missing) = (remainder.magnitude, divisor.magnitude - remainder.magnitude)
        let isAway = rest > missing || rest == missing && quotient % 2 != 0
        return isAway ? quotient + (self < 0 ? -1 : 1) : quotient
    }
}
