import TillCore

extension [UInt8] {
    /// Appends `text`, which is UTF-8, as a JSON string (RFC 8259 §7). Characters that must be escaped are escaped, and
    /// characters that act unseen too.
    ///
    /// A character that acts unseen (``Unicode/Scalar/isUnseen``), such as a control of C1 or a bidirectional override,
    /// is `\u009b`, so that no line of JSON can act on a terminal or show other than it is; its value is the same.
    @inlinable
    public mutating func appendJSON(string text: some Sequence<UInt8>) {
        append(0x22)
        appendJSON(escaping: text)
        append(0x22)
    }

    /// Appends the content between the quotes of the JSON string of `text`, which may be a part of a longer text that
    /// ends between two characters. Bytes that are not UTF-8 are not changed.
    @inlinable
    public mutating func appendJSON(escaping text: some Sequence<UInt8>) {
        let start = count
        for byte in text {
            switch byte {
            case 0x22, 0x5C: appendEscape(byte)
            case 0x0A: appendEscape(0x6E)
            case 0x0D: appendEscape(0x72)
            case 0x09: appendEscape(0x74)
            case 0..<0x20, 0x7F: appendEscape(of: UInt16(byte))
            case 0x80..<0xC0:
                append(byte)
                escapeLastCharacter(from: start)
            default: append(byte)
            }
        }
    }

    /// Byte by byte: an array or a string for each escape made a document of control characters cost seconds.
    @usableFromInline
    mutating func appendEscape(_ letter: UInt8) {
        append(0x5C)
        append(letter)
    }

    /// `\u009b`
    @usableFromInline
    mutating func appendEscape(of unit: UInt16) {
        appendEscape(0x75)
        for shift: UInt16 in [12, 8, 4, 0] {
            let digit = UInt8(unit >> shift & 15)
            append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        }
    }

    /// Replaces the character that the last byte ends by its escape, if it acts unseen.
    ///
    /// - Parameter start: where the text begins of which it is a part.
    @usableFromInline
    mutating func escapeLastCharacter(from start: Int) {
        var (value, width) = (UInt32(0), 0)
        var byte: UInt8
        repeat {
            width += 1
            guard width <= 4, width <= count - start else { return }
            byte = self[count - width]
            if byte & 0xC0 == 0x80 { value |= UInt32(byte & 0x3F) << (6 * UInt32(width - 1)) }
        } while byte & 0xC0 == 0x80
        // The lead byte says how many there are: 110xxxxx, 1110xxxx, 11110xxx.
        guard (~byte).leadingZeroBitCount == width else { return }
        value |= UInt32(byte & (0x7F >> UInt8(width))) << (6 * UInt32(width - 1))
        guard let scalar = Unicode.Scalar(value), scalar.isUnseen else { return }
        removeLast(width)
        for unit in UTF16.encode(scalar) ?? UTF16.EncodedScalar() { appendEscape(of: unit) }
    }
}
