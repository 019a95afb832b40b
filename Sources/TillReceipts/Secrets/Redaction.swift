import TillInput

/// Masks secrets in texts before they are written (``SecretScanner`` says which).
///
/// Each byte of a secret becomes a `*`, so lengths and offsets do not change. Secrets inside base64 are masked too,
/// also where the base64 is encoded again.
package enum Redaction {
    /// A range of the text and the bytes that replace it, of the same length.
    package struct Edit {
        package var range: Range<Int>
        package var text: [UInt8]
    }

    /// The depth to which base64 inside base64 is searched.
    private static let depthLimit = 4

    /// Bytes of the shortest text with a secret: `pwd=a`.
    private static let shortest = 5

    /// The text with its secrets masked.
    package static func redacted(_ raw: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(raw.count)
        var copied = 0
        for edit in edits(in: raw.span.bytes) {
            output += raw[copied..<edit.range.lowerBound]
            output += edit.text
            copied = edit.range.upperBound
        }
        return output + raw[copied...]
    }

    /// The replacements, in the order of the text. They do not overlap.
    package static func edits(in raw: RawSpan) -> [Edit] {
        guard raw.byteCount >= shortest else { return [] }
        let plain = SecretScanner.ranges(in: raw).map { Edit(range: $0, text: mask(raw, $0)) }
        let encoded = encodedEdits(in: raw, besides: plain, depth: 0)
        guard !encoded.isEmpty else { return plain }
        return (plain + encoded).sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Whether a text may hold a secret. Most texts do not, and need no copy.
    package static func mayApply(to raw: RawSpan) -> Bool {
        if SecretName.search.next(in: raw, from: 0) != nil { return true }
        var index = 0
        return Base64Run(in: raw, from: &index) != nil
    }

    /// A `*` for each byte of `range`. Zero bytes stay, because UTF-16 has them between characters.
    private static func mask(_ raw: RawSpan, _ range: Range<Int>) -> [UInt8] {
        range.map { raw.byte($0) == 0 ? 0 : 0x2A }
    }

    /// Replacements for secrets in the base64 of the text. Base64 that overlaps one of `known` is skipped.
    private static func encodedEdits(in raw: RawSpan, besides known: [Edit], depth: Int) -> [Edit] {
        guard depth < depthLimit else { return [] }
        var edits: [Edit] = []
        var rest = known[...]
        var index = 0
        while let run = Base64Run(in: raw, from: &index) {
            rest = rest.drop { $0.range.upperBound <= run.range.lowerBound }
            if let next = rest.first, next.range.overlaps(run.range) { continue }
            for skipped in run.beginsCleanly ? 0..<1 : 0..<4 {
                guard let edit = edit(of: run, in: raw, skipping: skipped, depth: depth) else { continue }
                edits.append(edit)
                break
            }
        }
        return edits
    }

    /// The run with its secrets masked; `nil` if it has none.
    ///
    /// - Parameter skipped: digits before the first group of four. A run may begin inside a group, so the caller tries
    ///   0 to 3.
    private static func edit(of run: Base64Run, in raw: RawSpan, skipping skipped: Int, depth: Int) -> Edit? {
        var octets = run.decoded(in: raw, skipping: skipped)
        let plain = SecretScanner.ranges(in: octets.span.bytes).map {
            Edit(range: $0, text: mask(octets.span.bytes, $0))
        }
        let edits = plain + encodedEdits(in: octets.span.bytes, besides: plain, depth: depth + 1)
        guard !edits.isEmpty else { return nil }
        for edit in edits { octets.replaceSubrange(edit.range, with: edit.text) }
        return Edit(range: run.range, text: run.encoded(octets, in: raw, skipping: skipped))
    }
}
