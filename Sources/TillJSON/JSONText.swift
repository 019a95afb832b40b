extension [UInt8] {
    /// Appends `text`, which is UTF-8, as a JSON string (RFC 8259 §7): only what must be escaped is.
    @inlinable
    public mutating func appendJSON(string text: some Sequence<UInt8>) {
        append(0x22)
        appendJSON(escaping: text)
        append(0x22)
    }

    /// Appends what stands between the quotes of the JSON string of `text`, which may be a part of a longer one.
    @inlinable
    public mutating func appendJSON(escaping text: some Sequence<UInt8>) {
        for byte in text {
            switch byte {
            case 0x22, 0x5C: appendEscape(byte)
            case 0x0A: appendEscape(0x6E)
            case 0x0D: appendEscape(0x72)
            case 0x09: appendEscape(0x74)
            case 0..<0x20, 0x7F:
                appendEscape(0x75)
                append(0x30)
                append(0x30)
                append(0x30 + byte >> 4)
                append(byte & 15 < 10 ? 0x30 + byte & 15 : 0x57 + byte & 15)
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
}
