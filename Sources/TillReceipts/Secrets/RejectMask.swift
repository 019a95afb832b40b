import TillInput

/// Masks the rejects of one source, each in view of the source around it: the framer may cut between a name and its value.
package struct RejectMask: Sendable {
    /// The end of what came before the bytes at hand.
    private var before: [UInt8] = []
    /// Those bytes and the bytes at hand, once a reject is among them.
    private var text: [UInt8] = []
    /// The place up to which names were searched, and their values.
    private var (searched, found): (Int, [Range<Int>]) = (0, [])
    /// Whether nothing of the source was passed yet.
    private var isFirst = true

    package init() {}

    /// The document at a place in the bytes at hand, with its secrets masked.
    ///
    /// - Parameter bytes: the bytes at hand, the same until ``pass(_:)``.
    package mutating func masked(_ place: Range<Int>, in bytes: RawSpan) -> [UInt8] {
        if text.isEmpty { text = before + bytes.withUnsafeBytes(Array.init) }
        let place = before.count + place.lowerBound..<before.count + place.upperBound
        if place.upperBound > searched {
            let start = max(searched, place.lowerBound - SecretScanner.reach)
            found += Redaction.named(in: text.span.bytes, start..<place.upperBound, mayBeCut: start == 0 && isFirst)
            searched = place.upperBound
        }
        var raw = Array(text[place])
        // Rejects come in the order of the source.
        found.removeAll { $0.upperBound <= place.lowerBound }
        for range in found.map({ $0.clamped(to: place) }) where !range.isEmpty {
            Redaction.mask(&raw, [range.lowerBound - place.lowerBound..<range.upperBound - place.lowerBound])
        }
        Redaction.mask(&raw, Redaction.unnamed(in: text.span.bytes.extracting(place)))
        return raw
    }

    /// Goes on to what comes after these bytes, the first ones at hand.
    package mutating func pass(_ bytes: RawSpan) {
        guard bytes.byteCount > 0 else { return }
        let kept = max(0, SecretScanner.reach - bytes.byteCount)
        before = before.suffix(kept) + bytes.extracting(last: SecretScanner.reach).withUnsafeBytes(Array.init)
        (text, searched, found, isFirst) = ([], 0, [], false)
    }
}
