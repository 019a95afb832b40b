extension JSONCursor {
    /// Reads the value at the cursor, after white space. Scalars are consumed and validated; of an object or array
    /// only the kind is told, and the cursor stays on its bracket.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func token() throws(JSONError) -> JSONToken {
        skipWhitespace()
        if byte(position) == 0x22 {
            position += 1
            return try string()
        }
        return try otherToken()
    }

    @usableFromInline
    @_lifetime(self: copy self)
    mutating func otherToken() throws(JSONError) -> JSONToken {
        switch byte(position) {
        case 0x7B: JSONToken(.object, start: position, end: position)
        case 0x5B: JSONToken(.array, start: position, end: position)
        case 0x74: try literal(.true, "true")
        case 0x66: try literal(.false, "false")
        case 0x6E: try literal(.null, "null")
        case 0x2D, 0x30...0x39: try number()
        default: throw unexpected(at: position)
        }
    }

    @_lifetime(self: copy self)
    private mutating func literal(_ kind: JSONToken.Kind, _ word: StaticString) throws(JSONError) -> JSONToken {
        let start = position
        for index in 0..<word.utf8CodeUnitCount where byte(start + index) != word.utf8Start[index] {
            throw unexpected(at: start + index)
        }
        position = start + word.utf8CodeUnitCount
        return JSONToken(kind, start: start, end: position)
    }

    /// Reads a number (RFC 8259 §6).
    ///
    ///     number := [ "-" ] ( "0" | 1-9 digits ) [ "." digits ] [ ( "e" | "E" ) [ "+" | "-" ] digits ]
    @_lifetime(self: copy self)
    private mutating func number() throws(JSONError) -> JSONToken {
        let start = position
        var index = start
        func digitsEnd(from first: Int) throws(JSONError) -> Int {
            var end = first
            while (0x30...0x39).contains(byte(end)) { end += 1 }
            guard end > first else { throw JSONError(end >= limit ? .truncated : .number, at: end) }
            return end
        }
        if byte(index) == 0x2D { index += 1 }
        index = byte(index) == 0x30 ? index + 1 : try digitsEnd(from: index)
        if byte(index) == 0x2E { index = try digitsEnd(from: index + 1) }
        if byte(index) | 0x20 == 0x65 {
            index += 1
            if byte(index) == 0x2B || byte(index) == 0x2D { index += 1 }
            index = try digitsEnd(from: index)
        }
        switch byte(index) {
        case 0x20, 0x09, 0x0A, 0x0D, 0x2C, 0x5D, 0x7D: break
        default: guard index >= limit else { throw JSONError(.number, at: index) }
        }
        position = index
        return JSONToken(.number, start: start, end: index)
    }

    /// Passes over a whole value, whatever it holds, and validates it.
    ///
    /// What is open is kept as one bit per level, 1 for an object, so the depth is bounded by the width of the word.
    @_lifetime(self: copy self)
    public mutating func skipValue() throws(JSONError) {
        let token = try token()
        if token.isContainer { try skipContainer() }
    }

    /// Passes over the object or array that the cursor stands on.
    @_lifetime(self: copy self)
    public mutating func skipContainer() throws(JSONError) {
        var isObject: UInt128 = 0
        let outside = depth
        var isFirst = true
        repeat {
            if isFirst {
                try enter()
                isObject = isObject << 1 | (byte(position) == 0x7B ? 1 : 0)
                position += 1
            }
            let inObject = isObject & 1 == 1
            guard inObject ? try nextMember(isFirst: &isFirst) : try nextElement(isFirst: &isFirst) else {
                isObject >>= 1
                isFirst = false
                continue
            }
            if inObject {
                _ = try string()
                try expect(0x3A)
            }
            isFirst = try token().isContainer
        } while depth > outside
    }

    /// The value of a run of decimal digits, or `nil` where it is empty, has another byte, or leaves 63 bits.
    ///
    /// Up to sixteen digits are read as two words of eight, each folded in three multiplications (ones to tens to
    /// hundreds …); what lies before the first digit is replaced by `0`.
    @inlinable
    public func decimal(_ start: Int, _ end: Int) -> Int64? {
        let count = end - start
        guard count > 0, count <= 16, end >= 16 else { return longDecimal(start, end) }
        guard let low = Self.foldDigits(word(end - 8), count: min(count, 8)) else { return nil }
        guard count > 8 else { return Int64(low) }
        guard let high = Self.foldDigits(word(end - 16), count: count - 8) else { return nil }
        return Int64(high * 100_000_000 + low)
    }

    @inlinable
    static func foldDigits(_ word: UInt64, count: Int) -> UInt64? {
        let zeros: UInt64 = 0x3030_3030_3030_3030
        let outside = UInt64.max >> UInt64(8 * count)
        var digits = (count == 8 ? word : word & ~outside | zeros & outside) ^ zeros
        guard (digits &+ 0x7676_7676_7676_7676 | digits) & 0x8080_8080_8080_8080 == 0 else { return nil }
        digits = (digits &* 10 &+ digits >> 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits &* 100 &+ digits >> 16) & 0x0000_FFFF_0000_FFFF
        return (digits &* 10_000 &+ digits >> 32) & 0xFFFF_FFFF
    }

    @usableFromInline
    func longDecimal(_ start: Int, _ end: Int) -> Int64? {
        guard end > start else { return nil }
        var value: Int64 = 0
        for index in start..<end {
            guard (0x30...0x39).contains(byte(index)) else { return nil }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, over) = product.addingReportingOverflow(Int64(byte(index) - 0x30))
            guard !tooLarge, !over else { return nil }
            value = sum
        }
        return value
    }
}
