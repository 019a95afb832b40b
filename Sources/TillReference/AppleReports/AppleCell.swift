import TillCore

/// Reads the cells of Apple's reports from bytes, without an allocation.
enum AppleCell {
    /// A cell without the spaces around it.
    @inline(__always)
    static func trimmed(_ bytes: RawSpan, _ start: Int, _ end: Int) -> Range<Int> {
        var (start, end) = (start, end)
        while start < end, isBlank(bytes, start) { start &+= 1 }
        while end > start, isBlank(bytes, end &- 1) { end &-= 1 }
        return start..<end
    }

    private static func isBlank(_ bytes: RawSpan, _ index: Int) -> Bool {
        let byte = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
        return byte == 0x20 || byte == 0x0D
    }

    /// Reads `[-+]digits[.digits]` in millionths; `nil` for any other text, and for a number that has more than six
    /// decimals or does not fit 64 bits.
    static func millionths(_ bytes: RawSpan, _ cell: Range<Int>) -> Int64? {
        var position = cell.lowerBound
        guard position < cell.upperBound else { return nil }
        let first = bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self)
        let isNegative = first == 0x2D
        if isNegative || first == 0x2B { position &+= 1 }
        var (value, digits, decimals): (Int64, Int, Int) = (0, 0, -1)
        while position < cell.upperBound {
            let byte = bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self)
            let digit = byte &- 0x30
            if digit < 10 {
                digits &+= 1
                // More digits than these are rare, and may not fit.
                guard digits <= 12 else { return longMillionths(bytes, cell) }
                value = value &* 10 &+ Int64(digit)
                if decimals >= 0 { decimals &+= 1 }
            } else if byte == 0x2E, decimals < 0 {
                decimals = 0
            } else {
                return nil
            }
            position &+= 1
        }
        guard digits > 0 else { return nil }
        guard decimals <= 6 else { return longMillionths(bytes, cell) }
        switch decimals {
        case -1, 0: value &*= 1_000_000
        case 2: value &*= 10_000
        default: for _ in decimals..<6 { value &*= 10 }
        }
        return isNegative ? -value : value
    }

    /// The same for long texts, which have been found to be digits and a point so far.
    private static func longMillionths(_ bytes: RawSpan, _ cell: Range<Int>) -> Int64? {
        let text = bytes.extracting(cell)
        let isPlain = text.withUnsafeBytes { $0.allSatisfy { $0 | 0x20 != 0x65 } }
        return isPlain ? ScaledDecimal.parse(text, scale: 6) : nil
    }

    /// Reads `MM/DD/YYYY` or `YYYY-MM-DD` as days since 1970-01-01; `nil` for anything else.
    static func day(_ bytes: RawSpan, _ cell: Range<Int>) -> Int? {
        guard cell.count == 10 else { return nil }
        func number(_ offset: Int, _ count: Int) -> Int? {
            var value = 0
            for index in offset..<offset + count {
                let digit = bytes.unsafeLoad(fromByteOffset: cell.lowerBound + index, as: UInt8.self) &- 0x30
                guard digit < 10 else { return nil }
                value = value * 10 + Int(digit)
            }
            return value
        }
        func has(_ byte: UInt8, at offset: Int) -> Bool {
            bytes.unsafeLoad(fromByteOffset: cell.lowerBound + offset, as: UInt8.self) == byte
        }
        let parts: (year: Int?, month: Int?, day: Int?)
        if has(0x2F, at: 2), has(0x2F, at: 5) {
            parts = (number(6, 4), number(0, 2), number(3, 2))
        } else if has(0x2D, at: 4), has(0x2D, at: 7) {
            parts = (number(0, 4), number(5, 2), number(8, 2))
        } else {
            return nil
        }
        guard let year = parts.year, let month = parts.month, let day = parts.day else { return nil }
        let date = CivilDate(year: year, month: month, day: day)
        return date.isValid ? date.daysSinceEpoch : nil
    }

    /// Reads a currency code; `nil` for anything but three letters `A`–`Z`.
    @inline(__always)
    static func currency(_ bytes: RawSpan, _ cell: Range<Int>) -> CurrencyCode? {
        guard cell.count == 3 else { return nil }
        var packed: UInt32 = 0
        for index in cell {
            let letter = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
            guard (0x41...0x5A).contains(letter) else { return nil }
            packed = packed << 8 | UInt32(letter)
        }
        return CurrencyCode(packed: packed)
    }

    /// Packs a text of at most eight bytes, the first one highest; `nil` for a longer one.
    @inline(__always)
    static func packed(_ bytes: RawSpan, _ cell: Range<Int>) -> UInt64? {
        guard cell.count <= 8 else { return nil }
        var packed: UInt64 = 0
        for index in cell { packed = packed << 8 | UInt64(bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)) }
        return packed
    }

    /// Whether a product type identifier is that of a sold in-app purchase (App Store Connect Help, Product type
    /// identifiers).
    ///
    /// `IA1`, `IA9`, `IAY`, `FI1`, and their forms for the Mac. `IA3` is a restored purchase, and `IAC` a free
    /// subscription of Newsstand; neither is a sale. An unknown identifier that begins with `IA` counts as a purchase.
    static func isSoldPurchase(_ bytes: RawSpan, _ cell: Range<Int>) -> Bool {
        guard cell.count >= 3 else { return false }
        let (first, second, third) = (
            bytes.unsafeLoad(fromByteOffset: cell.lowerBound, as: UInt8.self),
            bytes.unsafeLoad(fromByteOffset: cell.lowerBound &+ 1, as: UInt8.self),
            bytes.unsafeLoad(fromByteOffset: cell.lowerBound &+ 2, as: UInt8.self)
        )
        if first == 0x46 { return second == 0x49 && third == 0x31 }
        return first == 0x49 && second == 0x41 && third != 0x33 && third != 0x43
    }
}
