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
            case 0x22, 0x5C: append(contentsOf: [0x5C, byte])
            case 0x0A: append(contentsOf: "\\n".utf8)
            case 0x0D: append(contentsOf: "\\r".utf8)
            case 0x09: append(contentsOf: "\\t".utf8)
            case 0..<0x20, 0x7F:
                let digits = Array("0123456789abcdef".utf8)
                append(contentsOf: "\\u00".utf8)
                append(digits[Int(byte >> 4)])
                append(digits[Int(byte & 15)])
            default: append(byte)
            }
        }
    }
}
