/// Reads decimal text as an integer number of 10⁻ˢᶜᵃˡᵉ, without a floating-point step.
public enum ScaledDecimal {
    /// The treatment of digits that the scale cannot hold.
    public enum Excess: Sendable {
        /// Digits other than zero past the scale make the text unreadable.
        case reject
        /// Digits past the scale are cut, towards zero.
        case truncate
        /// As ``reject``, but a rest below a thousandth of the last place is rounded away. Programs print the noise of
        /// binary fractions: 4.9900000000000002 and 4.98999999999999 are 4.99.
        case dropNoise
    }

    /// The value of `[-+]digits[.digits][(e|E)[-+]digits]` times 10ˢᶜᵃˡᵉ; `nil` where the text has another shape, the
    /// value leaves 64 bits, or digits are in excess and `excess` is `.reject`.
    ///
    /// The exponent is bounded to ±400, so a hostile one costs nothing.
    public static func parse(_ bytes: RawSpan, scale: Int, excess: Excess = .reject) -> Int64? {
        if let value = short(bytes, scale: scale) { return value }
        var position = 0
        func byte(_ index: Int) -> UInt8 {
            index < bytes.byteCount ? bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self) : 0
        }
        let isNegative = byte(0) == 0x2D
        if isNegative || byte(0) == 0x2B { position = 1 }

        var digits: [UInt8] = []
        var fractionDigits = 0
        var seenPoint = false
        var seenDigit = false
        while position < bytes.byteCount {
            let next = byte(position)
            if (0x30...0x39).contains(next) {
                seenDigit = true
                if !digits.isEmpty || next != 0x30 { digits.append(next - 0x30) }
                if seenPoint { fractionDigits += 1 }
            } else if next == 0x2E, !seenPoint {
                seenPoint = true
            } else {
                break
            }
            position += 1
        }
        guard seenDigit else { return nil }
        var exponent = 0
        if byte(position) | 0x20 == 0x65 {
            position += 1
            let exponentIsNegative = byte(position) == 0x2D
            if exponentIsNegative || byte(position) == 0x2B { position += 1 }
            let start = position
            while (0x30...0x39).contains(byte(position)), exponent <= 400 {
                exponent = exponent * 10 + Int(byte(position) - 0x30)
                position += 1
            }
            guard position > start, exponent <= 400 else { return nil }
            if exponentIsNegative { exponent = -exponent }
        }
        guard position == bytes.byteCount else { return nil }
        return assemble(digits, shift: scale + exponent - fractionDigits, isNegative: isNegative, excess: excess)
    }

    /// The value of a text such as most prices are: at most 18 bytes, no sign, no exponent, and no digits past the
    /// scale. `nil` for any other text.
    private static func short(_ bytes: RawSpan, scale: Int) -> Int64? {
        // 18 digits fit 64 bits.
        guard bytes.byteCount <= 18 else { return nil }
        var (value, digits, missing) = (Int64(0), 0, scale)
        var seenPoint = false
        for index in 0..<bytes.byteCount {
            let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            if (0x30...0x39).contains(byte) {
                value = value &* 10 &+ Int64(byte &- 0x30)
                digits += 1
                if seenPoint { missing -= 1 }
            } else if byte == 0x2E, !seenPoint {
                seenPoint = true
            } else {
                return nil
            }
        }
        guard digits > 0, missing >= 0 else { return nil }
        for _ in 0..<missing {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            value = product
        }
        return value
    }

    private static func assemble(_ digits: [UInt8], shift: Int, isNegative: Bool, excess: Excess) -> Int64? {
        guard !digits.isEmpty else { return 0 }
        let kept = max(0, digits.count + min(shift, 0))
        var isRoundedUp = false
        if excess == .dropNoise {
            // The three digits past the scale, of which the first may be zeros that are not among the digits.
            let zeros = Array(repeating: UInt8(0), count: min(3, max(0, -(digits.count + shift))))
            let rest = (zeros + digits[kept...]).prefix(3)
            isRoundedUp = rest.elementsEqual([9, 9, 9])
            if !isRoundedUp, rest.contains(where: { $0 != 0 }) { return nil }
        } else if excess != .truncate, digits[kept...].contains(where: { $0 != 0 }) {
            return nil
        }
        var value: Int64 = 0
        let zeros = repeatElement(UInt8(0), count: min(max(shift, 0), 20))
        for digit in digits[..<kept] + Array(zeros) {
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, over) = product.addingReportingOverflow(isNegative ? -Int64(digit) : Int64(digit))
            guard !tooLarge, !over else { return nil }
            value = sum
        }
        guard isRoundedUp else { return value }
        let (rounded, over) = value.addingReportingOverflow(isNegative ? -1 : 1)
        return over ? nil : rounded
    }
}
