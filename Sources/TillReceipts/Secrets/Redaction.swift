import TillInput

/// Masks secrets in texts before they are written (docs/trust.md says which).
///
/// Each byte of a secret becomes a `*`, so lengths and offsets do not change. Line ends stay.
package enum Redaction {
    /// Digits of Apple's shared secret.
    private static let secretLength = 32
    /// The depth to which base64 inside base64 is searched.
    private static let depthLimit = 4

    /// The text with its secrets masked.
    package static func redacted(_ raw: [UInt8]) -> [UInt8] {
        var raw = raw
        mask(&raw, ranges(in: raw.span.bytes))
        return raw
    }

    /// Masks parts of a text.
    package static func mask(_ raw: inout [UInt8], _ ranges: [Range<Int>]) {
        for range in ranges {
            // Zero bytes stay, because UTF-16 has them between characters.
            for index in range where ![0, 0x0A, 0x0D].contains(raw[index]) { raw[index] = 0x2A }
        }
    }

    /// The secrets of a text; they may overlap.
    package static func ranges(in text: RawSpan, _ notations: SecretScanner.Notations = .all) -> [Range<Int>] {
        named(in: text, 0..<text.byteCount, notations) + unnamed(in: text)
    }

    /// The values of names in a part of a text; they may end after it.
    ///
    /// - Parameter mayBeCut: whether the text is the beginning of a source, which may have lost the beginning of a name.
    package static func named(
        in text: RawSpan,
        _ range: Range<Int>,
        _ notations: SecretScanner.Notations = .all,
        mayBeCut: Bool = false
    ) -> [Range<Int>] {
        SecretScanner(text, in: range, notations, mayBeCut: mayBeCut).ranges
    }

    /// The secrets of a text that need no name outside of them: hexadecimal digits, and base64 that holds a name.
    package static func unnamed(in text: RawSpan) -> [Range<Int>] {
        hexadecimal(in: text) + encoded(in: text, depth: 0)
    }

    /// Whether a text may hold a secret. Most texts do not, and need no copy.
    package static func mayApply(to text: RawSpan) -> Bool {
        var index = 0
        return SecretName.isMentioned(in: text) || Base64Run(in: text, from: &index) != nil
    }

    /// Runs of exactly 32 hexadecimal digits. Every run that is as long has a digit at a multiple of 32.
    private static func hexadecimal(in text: RawSpan) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var (end, probe) = (0, secretLength - 1)
        while probe < text.byteCount {
            if probe >= end, text.byte(probe).hexadecimalValue != nil {
                var start = probe
                while start > end, text.byte(start - 1).hexadecimalValue != nil { start -= 1 }
                end = probe + 1
                while end < text.byteCount, text.byte(end).hexadecimalValue != nil { end += 1 }
                if end - start == secretLength { ranges.append(start..<end) }
            }
            probe += secretLength
        }
        return ranges
    }

    /// Runs of base64 that hold the name of a secret.
    private static func encoded(in text: RawSpan, depth: Int) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var index = 0
        while let run = Base64Run(in: text, from: &index) {
            // A run may begin inside a group of four digits.
            let holdsName = (run.beginsCleanly ? 0..<1 : 0..<4).contains { skipped in
                let octets = run.decoded(in: text, skipping: skipped)
                return SecretName.isMentioned(in: octets.span.bytes)
                    || depth + 1 < depthLimit && !encoded(in: octets.span.bytes, depth: depth + 1).isEmpty
            }
            if holdsName { ranges.append(run.range) }
        }
        return ranges
    }
}
