import TillInput
import TillJSON

/// A way in which programs write the quotes of JSON in other text.
///
///     {\x22status\x22:0}             nginx and Apache, in their logs
///     {\u0022status\u0022:0}         JSON that was made safe for a page or a script
///     %7B%22status%22%3A0%7D         addresses
///     {&quot;status&quot;:0}         HTML and XML
///     "{""status"":0}"               delimited text
///     {"body":"{\\"status\\":0}"}    dumps of PostgreSQL and MySQL, which double each backslash
enum TextEscape: CaseIterable {
    case hexadecimal, percent, entity, doubledQuote, doubledBackslash

    /// The byte that begins the escape.
    private var beginning: UInt8 {
        switch self {
        case .hexadecimal, .doubledBackslash: 0x5C
        case .percent: 0x25
        case .entity: 0x26
        case .doubledQuote: 0x22
        }
    }

    /// The bytes after that in an escaped quote or brace.
    private var marks: [[UInt8]] {
        switch self {
        case .hexadecimal: Self.hexadecimalMarks
        case .percent: Self.percentMarks
        case .entity: Self.entityMarks
        case .doubledQuote: Self.quoteMarks
        case .doubledBackslash: Self.backslashMarks
        }
    }

    private static let hexadecimalMarks = ["x22", "u0022"].map { Array($0.utf8) }
    private static let percentMarks = ["22", "7B", "7b"].map { Array($0.utf8) }
    private static let entityMarks = ["quot;", "#34;", "#x22;"].map { Array($0.utf8) }
    private static let quoteMarks = ["\":", "\","].map { Array($0.utf8) }
    private static let backslashMarks = ["\\\""].map { Array($0.utf8) }

    /// Whether a text has an escaped quote or brace.
    func isIn(_ text: RawSpan) -> Bool {
        var index = 0
        while let found = text.firstIndex(of: beginning, from: index, to: text.byteCount) {
            if marks.contains(where: { text.stands($0, at: found + 1) }) { return true }
            index = found + 1
        }
        return false
    }

    /// The text with all escapes of this kind undone. Entities of characters that are not ASCII stay.
    func undone(_ text: RawSpan) -> [UInt8] {
        if self == .percent { return text.percentDecoded() }
        var output: [UInt8] = []
        output.reserveCapacity(text.byteCount)
        var index = 0
        while index < text.byteCount {
            if text.byte(index) == beginning, let (byte, end) = byte(in: text, at: index) {
                output.append(byte)
                index = end
            } else {
                output.append(text.byte(index))
                index += 1
            }
        }
        return output
    }

    /// The byte that an escape at `start` stands for, and where the escape ends; `nil` if there is none.
    private func byte(in text: RawSpan, at start: Int) -> (UInt8, end: Int)? {
        switch self {
        case .hexadecimal:
            guard start + 3 < text.byteCount, [0x75, 0x78].contains(text.byte(start + 1)) else { return nil }
            // nginx writes each byte of UTF-8 so.
            if text.byte(start + 1) == 0x78, let high = text.byte(start + 2).hexadecimalValue,
                let low = text.byte(start + 3).hexadecimalValue
            {
                return (UInt8(high << 4 | low), start + 4)
            }
        case .entity: break
        case .doubledQuote, .doubledBackslash:
            guard start + 1 < text.byteCount, text.byte(start + 1) == beginning else { return nil }
            return (beginning, start + 2)
        case .percent: return nil
        }
        guard let character = text.character(at: start), character.isEncoded, character.byte < EscapedCharacter.other
        else {
            return nil
        }
        return (character.byte, character.range.upperBound)
    }
}
