import TillInput

/// Texts in place of an id that was removed or never known. Read as ids, they would make one sale of different ones.
///
///     [FILTERED]  ***  2000****0011  xxxx  N/A  None  (null)  ${transactionId}  00000000
enum Placeholder {
    /// Words that stand for a missing value, by their letters.
    private static let words = Set(
        [
            "null", "nil", "none", "undefined", "na", "nan", "unknown", "empty", "missing", "notavailable",
            "notapplicable", "filtered", "redacted", "removed", "masked", "hidden", "omitted", "scrubbed", "sanitized",
            "sanitised", "anonymized", "anonymised", "obfuscated", "censored", "deleted", "stripped", "secret",
            "private", "sensitive", "confidential", "placeholder", "string",
        ].map { Array($0.utf8) }
    )
    private static let longestWord = 16

    /// Whether letters stand for a missing value: such a word, or `xxx`.
    static func isWord(_ letters: [UInt8]) -> Bool { words.contains(letters) || isOfX(letters) }

    private static func isOfX(_ letters: [UInt8]) -> Bool { letters.count > 2 && letters.allSatisfy { $0 == 0x78 } }

    /// The letters of a text in lower case; `nil` if there are more than a word of ``words`` has.
    static func letters(of text: RawSpan) -> [UInt8]? {
        var letters: [UInt8] = []
        for index in 0..<text.byteCount where text.byte(index).isLetterOrDigit {
            guard letters.count < longestWord else { return nil }
            letters.append(text.byte(index).lowercased)
        }
        return letters
    }
}

extension RawSpan {
    /// Whether a text that is no number is a placeholder, and no id.
    var isPlaceholder: Bool {
        guard byteCount > 0 else { return true }
        // Signs that programs write in place of each character that they hide: an asterisk, a bullet, a block.
        for index in 0..<byteCount {
            switch byte(index) {
            case 0x2A: return true
            case 0xE2 where index + 2 < byteCount:
                let sign = (byte(index + 1), byte(index + 2))
                if sign == (0x80, 0xA2) || sign == (0x96, 0x88) || sign == (0x97, 0x8F) { return true }
            default: continue
            }
        }
        var (hasDigit, hasLetter, isZero) = (false, false, true)
        for index in 0..<byteCount where byte(index).isLetterOrDigit {
            if byte(index).isDigit {
                hasDigit = true
                isZero = isZero && byte(index) == 0x30
            } else {
                hasLetter = true
            }
        }
        if hasDigit { return isZero && !hasLetter && byteCount > 1 }
        // A pseudonym in brackets has a number.
        if !hasLetter || [0x5B, 0x3C, 0x28, 0x7B, 0x24, 0x25].contains(byte(0)) { return true }
        return Placeholder.letters(of: self).map(Placeholder.isWord) ?? false
    }

    /// Whether the text is a whole number with a fraction of zeros, `2000001100220011.0`, as tools write ids that they
    /// keep as floating-point numbers.
    var isWholeDecimal: Bool {
        guard let point = lastIndex(of: 0x2E, before: byteCount), point > 0, byte(0) != 0x30, point + 1 < byteCount
        else { return false }
        return (0..<point).allSatisfy { byte($0).isDigit } && (point + 1..<byteCount).allSatisfy { byte($0) == 0x30 }
    }
}
