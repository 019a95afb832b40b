import CKernels
import TillInput

/// A part of a raw document that may be base64, in either alphabet. It may hold line breaks, also as JSON escapes
/// (`\n`), and escaped digits: `%2B`, `%2F`, `\/`.
///
/// Unlike in ``Base64``, a space between digits ends it and does not stand for a lost `+`. Secrets and their names are
/// ASCII, whose base64 rarely has a `+`.
struct Base64Run {
    /// The fewest digits. Fewer can hold no name with a secret.
    private static let shortest = 24

    let range: Range<Int>
    /// Whether it begins at the start of the document or after a quote, a `>` or a line feed. Its first digit is then
    /// the first of a group of four.
    let beginsCleanly: Bool

    /// Finds the next run from `index` on, and moves `index` behind it; `nil` if there is none.
    init?(in raw: RawSpan, from index: inout Int) {
        let start = raw.withUnsafeBytes { [index] memory in
            memory.baseAddress.map { till_find_digits($0, index, memory.count, Self.shortest) } ?? memory.count
        }
        guard start < raw.byteCount else {
            index = raw.byteCount
            return nil
        }
        var end = raw.endOfDigits(from: start)
        index = end
        while let (value, width) = Self.mark(in: raw, at: index) {
            index += width
            if value != nil { end = index }
            let next = raw.endOfDigits(from: index)
            if next > index { (index, end) = (next, next) }
        }
        range = start..<end
        beginsCleanly = start == 0 || [0x22, 0x3E, 0x0A].contains(raw.byte(start - 1))
    }

    /// The bytes that the digits after the first `skipped` ones encode.
    func decoded(in raw: RawSpan, skipping skipped: Int) -> [UInt8] {
        var digits: [UInt8] = []
        digits.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let end = min(range.upperBound, raw.endOfDigits(from: index))
            raw.extracting(index..<end).withUnsafeBytes { digits.append(contentsOf: $0) }
            index = end
            guard index < range.upperBound, let (value, width) = Self.mark(in: raw, at: index) else { break }
            if let value { digits.append(value == 62 ? 0x2B : 0x2F) }
            index += width
        }
        var count = max(0, digits.count - skipped)
        // A single digit at the end encodes no byte.
        if count % 4 == 1 { count -= 1 }
        var octets: [UInt8] = []
        do {
            try Base64.decode(digits.span.bytes.extracting(skipped..<skipped + count), into: &octets)
        } catch {
            // This cannot happen: all bytes are digits, and their number is valid.
            octets.removeAll()
        }
        return octets
    }

    /// The value and the width in bytes of an escaped digit at `index`. The value is `nil` for a line break and for
    /// white space around it. The result is `nil` if the run ends.
    private static func mark(in raw: RawSpan, at index: Int) -> (value: UInt8?, width: Int)? {
        guard index < raw.byteCount else { return nil }
        switch raw.byte(index) {
        case 0x09, 0x0A, 0x0D: return (nil, 1)
        case 0x20:
            let isMargin =
                index == 0 || raw.byte(index - 1) <= 0x20 || index + 1 < raw.byteCount && raw.byte(index + 1) <= 0x20
            return isMargin ? (nil, 1) : nil
        case 0x25:
            guard index + 2 < raw.byteCount, raw.byte(index + 1) == 0x32 else { return nil }
            switch raw.byte(index + 2) | 0x20 {
            case 0x62: return (62, 3)
            case 0x66: return (63, 3)
            default: return nil
            }
        case 0x5C:
            var end = index
            while end < raw.byteCount, raw.byte(end) == 0x5C { end += 1 }
            guard end < raw.byteCount else { return nil }
            switch raw.byte(end) {
            case 0x2F: return (63, end + 1 - index)
            case 0x6E, 0x72, 0x74: return (nil, end + 1 - index)
            default: return nil
            }
        default: return nil
        }
    }
}
