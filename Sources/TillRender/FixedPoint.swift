import TillCore

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
    var text: String { text(fewest: decimals) }

    /// Decimal text without trailing zeros: `0.5`, `-12`.
    var trimmedText: String { text(fewest: 0) }

    private func text(fewest: Int) -> String {
        var bytes: [UInt8] = []
        bytes.append(decimal: units, decimals: decimals, fewest: fewest)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends ``trimmedText``.
    func appendTrimmedText(to bytes: inout [UInt8]) {
        bytes.append(decimal: units, decimals: decimals, fewest: 0)
    }
}
