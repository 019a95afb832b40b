extension JSONCursor {
    /// Marks, in the high bit of each byte, those of `word` at which the fast scan of a string must stop: quote,
    /// backslash, control character, or anything that is not ASCII.
    ///
    /// Flipping bit 1 makes the quote (0x22) the neighbour of the control characters, so one subtraction finds both.
    /// Borrows can mark too much *above* a true mark, never below it, so the lowest mark is exact.
    @inlinable
    static func stops(in word: UInt64) -> UInt64 {
        let controls = (word ^ 0x0202_0202_0202_0202) &- 0x2121_2121_2121_2121
        let backslashes = (word ^ 0x5C5C_5C5C_5C5C_5C5C) &- 0x0101_0101_0101_0101
        return (controls | backslashes | word) & 0x8080_8080_8080_8080
    }

    /// Reads the rest of a string whose opening quote was consumed, and consumes the closing one.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func string() throws(JSONError) -> JSONToken {
        let start = position
        var index = start
        while true {
            let stops = Self.stops(in: word(index))
            guard stops != 0 else {
                index += 8
                continue
            }
            index += stops.trailingZeroBitCount >> 3
            guard byte(index) == 0x22 else { return try longString(start: start, stoppedAt: index) }
            position = index + 1
            return JSONToken(.string, start: start, end: index)
        }
    }

    /// The way through a string that is not plain ASCII: escapes are checked, UTF-8 is validated.
    @usableFromInline
    @_lifetime(self: copy self)
    mutating func longString(start: Int, stoppedAt stop: Int) throws(JSONError) -> JSONToken {
        var index = stop
        var hasEscapes = false
        while true {
            let next = byte(index)
            if next == 0x22 {
                position = index + 1
                return JSONToken(.string, start: start, end: index, hasEscapes: hasEscapes)
            } else if next == 0x5C {
                hasEscapes = true
                index = try endOfEscape(at: index)
            } else if next >= 0x80 {
                index = try endOfScalar(at: index)
            } else if next < 0x20 {
                if index >= limit { throw JSONError(.truncated, at: limit) }
                throw JSONError(.controlCharacter, at: index)
            } else {
                let stops = Self.stops(in: word(index))
                index += stops == 0 ? 8 : stops.trailingZeroBitCount >> 3
            }
        }
    }

    /// The index after the escape at `index` (RFC 8259 §7). A surrogate must come as a pair: half of one has no text.
    private func endOfEscape(at index: Int) throws(JSONError) -> Int {
        switch byte(index + 1) {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return index + 2
        case 0x75:
            let unit = try codeUnit(at: index)
            guard unit & 0xF800 == 0xD800 else { return index + 6 }
            guard unit < 0xDC00 else { throw JSONError(.escape, at: index) }
            for (distance, expected) in [(6, UInt8(0x5C)), (7, 0x75)] where byte(index + distance) != expected {
                throw JSONError(index + distance >= limit ? .truncated : .escape, at: index)
            }
            guard try codeUnit(at: index + 6) & 0xFC00 == 0xDC00 else { throw JSONError(.escape, at: index) }
            return index + 12
        default: throw JSONError(index + 1 >= limit ? .truncated : .escape, at: index)
        }
    }

    /// The four hexadecimal digits of the `\u` escape at `index`.
    private func codeUnit(at index: Int) throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for distance in 2..<6 {
            guard let digit = Self.hexDigit(byte(index + distance)) else {
                throw JSONError(index + distance >= limit ? .truncated : .escape, at: index)
            }
            unit = unit << 4 | digit
        }
        return unit
    }

    private static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46: UInt32(byte - 0x37)
        case 0x61...0x66: UInt32(byte - 0x57)
        default: nil
        }
    }

    /// The index after the multi-byte sequence at `index` (Unicode 15, table 3-7, well-formed byte sequences).
    private func endOfScalar(at index: Int) throws(JSONError) -> Int {
        let lead = byte(index)
        let second: ClosedRange<UInt8>
        let count: Int
        switch lead {
        case 0xC2...0xDF: (second, count) = (0x80...0xBF, 2)
        case 0xE0: (second, count) = (0xA0...0xBF, 3)
        case 0xE1...0xEC, 0xEE, 0xEF: (second, count) = (0x80...0xBF, 3)
        case 0xED: (second, count) = (0x80...0x9F, 3)
        case 0xF0: (second, count) = (0x90...0xBF, 4)
        case 0xF1...0xF3: (second, count) = (0x80...0xBF, 4)
        case 0xF4: (second, count) = (0x80...0x8F, 4)
        default: throw JSONError(.utf8, at: index)
        }
        for distance in 1..<count {
            let range = distance == 1 ? second : 0x80...0xBF
            guard range.contains(byte(index + distance)) else {
                throw JSONError(index + distance >= limit ? .truncated : .utf8, at: index)
            }
        }
        return index + count
    }

    /// Appends the text of a string token, its escapes undone, to `text`.
    ///
    /// The token was validated when it was read, so this cannot fail. Cost: one pass over the string.
    public func appendText(of token: JSONToken, to text: inout [UInt8]) {
        var index = token.start
        while index < token.end {
            guard byte(index) == 0x5C else {
                text.append(byte(index))
                index += 1
                continue
            }
            switch byte(index + 1) {
            case 0x62: text.append(0x08)
            case 0x66: text.append(0x0C)
            case 0x6E: text.append(0x0A)
            case 0x72: text.append(0x0D)
            case 0x74: text.append(0x09)
            case 0x75:
                index += appendCodePoint(at: index, to: &text)
                continue
            default: text.append(byte(index + 1))
            }
            index += 2
        }
    }

    /// Appends the scalar of the `\u` escape (or pair of them) at `index`; returns how many bytes it took.
    private func appendCodePoint(at index: Int, to text: inout [UInt8]) -> Int {
        func unit(_ start: Int) -> UInt32 {
            (2..<6).reduce(0) { $0 << 4 | (Self.hexDigit(byte(start + $1)) ?? 0) }
        }
        let first = unit(index)
        let isPair = first & 0xFC00 == 0xD800
        let value = isPair ? 0x10000 + (first & 0x3FF) << 10 + unit(index + 6) & 0x3FF : first
        text.append(contentsOf: String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
        return isPair ? 12 : 6
    }
}
