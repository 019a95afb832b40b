/// Decimal text as an exact fraction, for texts of up to 30 digits.
enum PlainDecimal {
    enum Answer: Equatable {
        case value(Int64?)
        /// The text has more digits than are counted here.
        case unknown
    }

    /// The value times 10ˢᶜᵃˡᵉ; digits past the scale are cut, or make the text unreadable.
    static func parse(_ text: [UInt8], scale: Int, truncates: Bool) -> Answer {
        var rest = text[...]
        let isNegative = rest.first == 0x2D
        if isNegative || rest.first == 0x2B { rest.removeFirst() }
        var (mantissa, digits, fraction, hasPoint) = (Int128(0), 0, 0, false)
        while let byte = rest.first {
            if byte >= 0x30, byte <= 0x39 {
                digits += 1
                guard digits <= 30 else { return .unknown }
                mantissa = mantissa * 10 + Int128(byte - 0x30)
                if hasPoint { fraction += 1 }
            } else if byte == 0x2E, !hasPoint {
                hasPoint = true
            } else {
                break
            }
            rest.removeFirst()
        }
        guard digits > 0 else { return .value(nil) }
        var exponent = 0
        if rest.first == 0x65 || rest.first == 0x45 {
            rest.removeFirst()
            let isBelow = rest.first == 0x2D
            if isBelow || rest.first == 0x2B { rest.removeFirst() }
            guard !rest.isEmpty else { return .value(nil) }
            while let byte = rest.first, byte >= 0x30, byte <= 0x39 {
                exponent = min(exponent * 10 + Int(byte - 0x30), 100_000)
                rest.removeFirst()
            }
            guard exponent <= 400 else { return .value(nil) }
            if isBelow { exponent = -exponent }
        }
        guard rest.isEmpty else { return .value(nil) }
        var shift = scale + exponent - fraction
        while shift > 0, mantissa != 0 {
            guard mantissa <= Int128(Int64.max) else { return .value(nil) }
            mantissa *= 10
            shift -= 1
        }
        while shift < 0, mantissa != 0 {
            guard truncates || mantissa % 10 == 0 else { return .value(nil) }
            mantissa /= 10
            shift += 1
        }
        return .value(Int64(exactly: isNegative ? -mantissa : mantissa))
    }
}
