public import TillCore

/// Receipts as hexadecimal digits, which is how databases print binary columns.
///
///     3082051A06092A…         digits alone
///     0x3082051A…             SQL Server, MySQL
///     \x3082051a…             PostgreSQL (bytea); \\x3082051a… in the text form of COPY
///     <3082051a 06092a86…>    the description of an NSData, until iOS 12
///
/// Digits of either case are read, and white space between them is skipped.
public enum Hexadecimal {
    /// Digits by which a receipt is recognized; the shortest has many times as many.
    private static let leastDigits = 64

    /// Whether text begins as the digits of a DER or BER SEQUENCE whose length takes more than one byte: `308…`.
    ///
    /// Base64 of a receipt begins with a letter, and other base64 does not have so many digits in a row that are
    /// hexadecimal too.
    public static func recognizes(_ text: RawSpan) -> Bool {
        var index = firstDigit(of: text)
        guard index < text.byteCount, text.byte(index) == 0x33 else { return false }
        var count = 0
        while index < text.byteCount, count < leastDigits {
            let byte = text.byte(index)
            index += 1
            if isSpace(byte) { continue }
            guard value(of: byte) != nil else { return false }
            if count == 1, byte != 0x30 { return false }
            if count == 2, byte != 0x38 { return false }
            count += 1
        }
        return count == leastDigits
    }

    /// Replaces `output` with the bytes that `text` encodes.
    ///
    /// A prefix such as `0x` and white space are skipped. If it throws, `output` has the bytes before the defect.
    public static func decode(_ text: RawSpan, into output: inout [UInt8]) throws(Finding) {
        output.removeAll(keepingCapacity: true)
        output.reserveCapacity(text.byteCount / 2)
        var high: UInt8?
        let first = firstDigit(of: text)
        for index in first..<max(first, endOfDigits(of: text, from: first)) {
            let byte = text.byte(index)
            guard let digit = value(of: byte) else {
                if isSpace(byte) { continue }
                throw Finding(.hexadecimalCharacter, at: index)
            }
            if let first = high {
                output.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { throw Finding(.hexadecimalTruncated, at: text.byteCount) }
    }

    /// Where the digits begin, behind white space and a prefix.
    private static func firstDigit(of text: RawSpan) -> Int {
        var index = 0
        while index < text.byteCount, isSpace(text.byte(index)) { index += 1 }
        for prefix: StaticString in ["\\x", "\\\\x", "0x", "0X", "\\X", "<"] {
            let count = prefix.utf8CodeUnitCount
            guard index + count <= text.byteCount else { continue }
            if (0..<count).allSatisfy({ text.byte(index + $0) == prefix.utf8Start[$0] }) { return index + count }
        }
        return index
    }

    /// Where the digits that begin at `first` end: before the bracket that closes one before them.
    private static func endOfDigits(of text: RawSpan, from first: Int) -> Int {
        guard first > 0, text.byte(first - 1) == 0x3C else { return text.byteCount }
        var end = text.byteCount
        while end > first, isSpace(text.byte(end - 1)) { end -= 1 }
        return end > first && text.byte(end - 1) == 0x3E ? end - 1 : text.byteCount
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// The value of a digit; `nil` for any other byte.
    private static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}

extension Defect {
    /// A byte that is neither a digit nor white space.
    public static let hexadecimalCharacter = Defect("hex.character", "a byte that is not a hexadecimal digit")
    /// One digit is left over, which is half a byte.
    public static let hexadecimalTruncated = Defect(
        "hex.truncated",
        "the hexadecimal text ends in the middle of a byte"
    )
}
