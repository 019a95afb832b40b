/// A quotient with a fixed number of decimals, rounded half to even in integer arithmetic.
struct FixedPoint: Hashable {
    /// The value times 10 to the power of `decimals`.
    let units: Int128
    let decimals: Int

    /// Divides and rounds once; `nil` where `denominator` is 0.
    ///
    /// `numerator` times 10 to the power of `decimals` must stay within 128 bits.
    init?(_ numerator: Int128, of denominator: Int128, decimals: Int) {
        guard denominator != 0 else { return nil }
        let scaled = (0..<decimals).reduce(numerator) { value, _ in value * 10 }
        let divisor = denominator.magnitude
        let (quotient, remainder) = scaled.magnitude.quotientAndRemainder(dividingBy: divisor)
        // Compares the remainder with the rest of the divisor, because twice the remainder could overflow.
        let missing = divisor - remainder
        let roundsUp = remainder > missing || remainder == missing && quotient % 2 == 1
        let magnitude = Int128(quotient + (roundsUp ? 1 : 0))
        units = (numerator < 0) == (denominator < 0) ? magnitude : -magnitude
        self.decimals = decimals
    }

    /// Decimal text with all decimals: `0.50`, `-12.00`. Zero has no sign.
    var text: String {
        let digits = String(units.magnitude)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let point = decimals == 0 ? "" : "."
        return (units < 0 ? "-" : "") + padded.dropLast(decimals) + point + padded.suffix(decimals)
    }

    /// Decimal text without trailing zeros: `0.5`, `-12`.
    var trimmedText: String {
        guard decimals > 0 else { return text }
        var trimmed = text[...]
        while trimmed.last == "0" { trimmed.removeLast() }
        if trimmed.last == "." { trimmed.removeLast() }
        return String(trimmed)
    }
}
