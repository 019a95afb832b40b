/// A character of a text that may be escaped in any of the notations below, possibly several times.
///
///     "    \"    \\\"    %22    %2522    \u0022    \x22    &quot;    &#34;    “        all of these are a quote
///
/// Zero bytes before a character are skipped, so that ASCII in UTF-16 is read too.
struct EscapedCharacter {
    /// The ASCII character; ``other`` for all other characters.
    var byte: UInt8
    /// Its bytes in the text, its escape included.
    var range: Range<Int>
    /// The number of backslashes that escape it.
    var slashes = 0
    /// Whether it is written as a number, as a name, or as a typographic quote: `%22`, `\u0022`, `&quot;`, `“`.
    var isEncoded = false

    /// The value for all bytes that are not ASCII.
    static let other: UInt8 = 0x80

    var isQuote: Bool { Self.isQuote(byte) }
    var isSpace: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
    var isWordPart: Bool { byte.isLetterOrDigit || byte == 0x5F }

    static func isQuote(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x27 || byte == 0x60 }
}

extension RawSpan {
    /// The character that begins at `start` or after the zero bytes there; `nil` at the end of the text.
    func character(at start: Int) -> EscapedCharacter? {
        var index = start
        while index < byteCount, byte(index) == 0 { index += 1 }
        guard index < byteCount else { return nil }
        let plain = EscapedCharacter(byte: min(byte(index), EscapedCharacter.other), range: index..<index + 1)
        return switch byte(index) {
        case 0x5C: slashed(at: index)
        case 0x25: percentEncoded(at: index) ?? plain
        case 0x26: entity(at: index) ?? plain
        case 0xE2: typographicQuote(at: index) ?? plain
        default: plain
        }
    }

    /// One past the characters at `start` that are equal to `text`; `nil` if they are not. `text` must be in lower
    /// case, the characters may be in any case.
    func characters(_ text: [UInt8], at start: Int) -> Int? {
        var index = start
        for expected in text {
            guard let next = character(at: index), next.byte.lowercased == expected else { return nil }
            index = next.range.upperBound
        }
        return index
    }

    /// The same for the first of `texts` that matches.
    func characters(ofAny texts: [[UInt8]], at start: Int) -> Int? {
        for text in texts {
            if let end = characters(text, at: start) { return end }
        }
        return nil
    }

    /// The character that the backslashes at `start` escape, or the backslashes themselves.
    private func slashed(at start: Int) -> EscapedCharacter {
        var (end, slashes) = (start, 0)
        while end < byteCount, byte(end) == 0x5C || byte(end) == 0 {
            if byte(end) == 0x5C { slashes += 1 }
            end += 1
        }
        func character(_ byte: UInt8, to end: Int, isEncoded: Bool = false) -> EscapedCharacter {
            EscapedCharacter(byte: byte, range: start..<end, slashes: slashes, isEncoded: isEncoded)
        }
        guard end < byteCount else { return character(0x5C, to: end) }
        switch byte(end) {
        case let quote where EscapedCharacter.isQuote(quote): return character(quote, to: end + 1)
        case 0x2F: return character(0x2F, to: end + 1)
        case 0x6E: return character(0x0A, to: end + 1)
        case 0x72: return character(0x0D, to: end + 1)
        case 0x74: return character(0x09, to: end + 1)
        case 0x75:
            guard let number = hexadecimal(at: end + 1, digits: 4) else { break }
            return character(Self.ascii(number), to: end + 5, isEncoded: true)
        case 0x78:
            guard let number = hexadecimal(at: end + 1, digits: 2) else { break }
            return character(Self.ascii(number), to: end + 3, isEncoded: true)
        default: break
        }
        // The backslashes do not escape the next byte.
        return character(0x5C, to: end)
    }

    /// `%22`, also encoded several times: `%2522`.
    private func percentEncoded(at start: Int) -> EscapedCharacter? {
        var index = start + 1
        while hexadecimal(at: index, digits: 2) == 0x25, hexadecimal(at: index + 2, digits: 2) != nil { index += 2 }
        guard let number = hexadecimal(at: index, digits: 2) else { return nil }
        return EscapedCharacter(byte: Self.ascii(number), range: start..<index + 2, isEncoded: true)
    }

    private static let entities: [(name: [UInt8], byte: UInt8)] = [
        (Array("quot;".utf8), 0x22), (Array("apos;".utf8), 0x27), (Array("lt;".utf8), 0x3C), (Array("gt;".utf8), 0x3E),
        (Array("amp;".utf8), 0x26), (Array("nbsp;".utf8), 0x20),
    ]

    /// `&quot;`, `&#34;`, `&#x22;`.
    private func entity(at start: Int) -> EscapedCharacter? {
        for entity in Self.entities where stands(entity.name, at: start + 1) {
            let end = start + 1 + entity.name.count
            return EscapedCharacter(byte: entity.byte, range: start..<end, isEncoded: true)
        }
        guard start + 1 < byteCount, byte(start + 1) == 0x23 else { return nil }
        var index = start + 2
        let isHexadecimal = index < byteCount && byte(index) | 0x20 == 0x78
        if isHexadecimal { index += 1 }
        var (number, count) = (0, 0)
        while index < byteCount, count < 6, let digit = byte(index).hexadecimalValue, isHexadecimal || digit < 10 {
            number = number * (isHexadecimal ? 16 : 10) + digit
            index += 1
            count += 1
        }
        guard count > 0, index < byteCount, byte(index) == 0x3B else { return nil }
        return EscapedCharacter(byte: Self.ascii(number), range: start..<index + 1, isEncoded: true)
    }

    /// `‘` and `’`, `“` and `”`.
    private func typographicQuote(at start: Int) -> EscapedCharacter? {
        guard start + 2 < byteCount, byte(start + 1) == 0x80, (0x98...0x9F).contains(byte(start + 2)) else {
            return nil
        }
        let quote: UInt8 = byte(start + 2) < 0x9C ? 0x27 : 0x22
        return EscapedCharacter(byte: quote, range: start..<start + 3, isEncoded: true)
    }

    private static func ascii(_ number: Int) -> UInt8 {
        UInt8(exactly: number).map { min($0, EscapedCharacter.other) } ?? EscapedCharacter.other
    }

    private func hexadecimal(at start: Int, digits count: Int) -> Int? {
        guard start + count <= byteCount else { return nil }
        var number = 0
        for index in start..<start + count {
            guard let digit = byte(index).hexadecimalValue else { return nil }
            number = number << 4 | digit
        }
        return number
    }
}

extension UInt8 {
    /// The lower-case letter of an upper-case one; any other byte unchanged.
    var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    var hexadecimalValue: Int? {
        switch self {
        case 0x30...0x39: Int(self - 0x30)
        case 0x41...0x46, 0x61...0x66: Int(self | 0x20) - 0x57
        default: nil
        }
    }
}
