import CKernels
import TillInput

/// A part of a raw document that may be base64, with whatever repairs ``Base64`` would make: line breaks, also as JSON
/// escapes, either alphabet, `%2B`, `\/`.
///
/// A space where a form post ate a `+` ends it: text of ASCII, as secrets and their names are, has hardly a `+` in its base64.
struct Base64Run {
    /// Fewer digits hold no member with a secret.
    private static let shortest = 24

    let range: Range<Int>
    /// Whether it stands where text begins, so that its first digit is the first of a group.
    let beginsCleanly: Bool

    /// Finds the next run from `index` on, which is moved behind it.
    init?(in raw: RawSpan, from index: inout Int) {
        let start = raw.withUnsafeBytes { [index] memory in
            memory.baseAddress.map { till_find_digits($0, index, memory.count, Self.shortest) } ?? memory.count
        }
        guard start < raw.byteCount else {
            index = raw.byteCount
            return nil
        }
        var end = Self.endOfDigits(in: raw, from: start)
        index = end
        while let (value, width) = Self.mark(in: raw, at: index) {
            index += width
            if value != nil { end = index }
            let next = Self.endOfDigits(in: raw, from: index)
            if next > index { (index, end) = (next, next) }
        }
        range = start..<end
        beginsCleanly = start == 0 || [0x22, 0x3E, 0x0A].contains(raw.byte(start - 1))
    }

    private static func endOfDigits(in raw: RawSpan, from start: Int) -> Int {
        raw.withUnsafeBytes { memory in
            memory.baseAddress.map { till_end_of_digits($0, start, memory.count) } ?? start
        }
    }

    /// What the digits behind the first `skipped` stand for.
    func decoded(in raw: RawSpan, skipping skipped: Int) -> [UInt8] {
        var digits: [UInt8] = []
        digits.reserveCapacity(range.count)
        var index = range.lowerBound
        while index < range.upperBound {
            let end = min(range.upperBound, Self.endOfDigits(in: raw, from: index))
            raw.extracting(index..<end).withUnsafeBytes { digits.append(contentsOf: $0) }
            index = end
            guard index < range.upperBound, let (value, width) = Self.mark(in: raw, at: index) else { break }
            if let value { digits.append(value == 62 ? 0x2B : 0x2F) }
            index += width
        }
        var count = max(0, digits.count - skipped)
        // One digit is no byte.
        if count % 4 == 1 { count -= 1 }
        var octets: [UInt8] = []
        do {
            try Base64.decode(digits.span.bytes.extracting(skipped..<skipped + count), into: &octets)
        } catch {
            // Digits alone are never wrong.
            octets.removeAll()
        }
        return octets
    }

    /// The run with its digits replaced by those of `octets`; where `octets` end, the digits stay.
    func encoded(_ octets: [UInt8], in raw: RawSpan, skipping skipped: Int) -> [UInt8] {
        let digits = Base64.encode(octets).prefix { $0 != 0x3D }
        var text: [UInt8] = []
        text.reserveCapacity(range.count)
        var (index, number) = (range.lowerBound, 0)
        while index < range.upperBound {
            let (value, width) = Self.mark(in: raw, at: index) ?? (Base64.value(of: raw.byte(index)), 1)
            if let value, digits.indices.contains(number - skipped), Base64.value(of: digits[number - skipped]) != value
            {
                text.append(digits[number - skipped])
            } else {
                raw.extracting(index..<index + width).withUnsafeBytes { text.append(contentsOf: $0) }
            }
            if value != nil { number += 1 }
            index += width
        }
        return text
    }

    /// What stands at `index` and is no digit, and how many bytes it takes: a digit that is escaped, or no value for a line
    /// break and the white space around it; `nil` where a run ends.
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
