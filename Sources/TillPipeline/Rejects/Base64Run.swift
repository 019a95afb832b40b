import TillInput

/// A stretch of a raw document that may be base64, with whatever repairs ``Base64`` would make: line breaks, also as JSON
/// escapes, either alphabet, `%2B`, `\/`, a space for a lost `+`.
struct Base64Run {
    /// Fewer digits hold no member with a secret.
    private static let shortest = 24

    let range: Range<Int>
    /// Whether it stands where text begins, so that its first digit is the first of a group.
    let beginsCleanly: Bool

    /// Finds the next run from `index` on, which is moved behind it.
    init?(in raw: [UInt8], from index: inout Int) {
        while index < raw.count {
            guard Self.digit(in: raw, at: index)?.value != nil else {
                let isEscape = raw[index] == 0x5C
                index += 1
                // Of a run of backslashes, any number of them, the answer is the same for each.
                while isEscape, index < raw.count, raw[index] == 0x5C { index += 1 }
                continue
            }
            let start = index
            var end = start
            var count = 0
            while let (value, width) = Self.digit(in: raw, at: index) {
                index += width
                guard value != nil else { continue }
                count += 1
                end = index
            }
            guard count >= Self.shortest else { continue }
            range = start..<end
            beginsCleanly = start == 0 || [0x22, 0x3E, 0x0A].contains(raw[start - 1])
            return
        }
        return nil
    }

    /// What the digits behind the first `skipped` stand for; a group that is not whole is left out.
    func decoded(in raw: [UInt8], skipping skipped: Int) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(range.count / 4 * 3)
        var (bits, bitCount): (UInt32, Int) = (0, 0)
        forEachDigit(in: raw) { number, value, _ in
            guard number >= skipped else { return }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            guard bitCount >= 8 else { return }
            bitCount -= 8
            octets.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        }
        return octets
    }

    /// The run with its digits replaced by those of `octets`; where `octets` end, the digits stay.
    func encoded(_ octets: [UInt8], in raw: [UInt8], skipping skipped: Int) -> [UInt8] {
        let digits = Base64.encode(octets).prefix { $0 != 0x3D }
        var text: [UInt8] = []
        var copied = range.lowerBound
        forEachDigit(in: raw) { number, _, place in
            guard number >= skipped, number - skipped < octets.count * 8 / 6 else { return }
            text += raw[copied..<place.lowerBound]
            text.append(digits[number - skipped])
            copied = place.upperBound
        }
        return text + raw[copied..<range.upperBound]
    }

    private func forEachDigit(in raw: [UInt8], _ body: (Int, UInt8, Range<Int>) -> Void) {
        var (index, number) = (range.lowerBound, 0)
        while index < range.upperBound, let (value, width) = Self.digit(in: raw, at: index) {
            if let value {
                body(number, value, index..<index + width)
                number += 1
            }
            index += width
        }
    }

    /// The digit at `index` and how many bytes it takes, no value for white space; `nil` where a run ends.
    private static func digit(in raw: [UInt8], at index: Int) -> (value: UInt8?, width: Int)? {
        guard index < raw.count else { return nil }
        switch raw[index] {
        case 0x41...0x5A: return (raw[index] - 0x41, 1)
        case 0x61...0x7A: return (raw[index] - 0x61 + 26, 1)
        case 0x30...0x39: return (raw[index] - 0x30 + 52, 1)
        case 0x2B, 0x2D: return (62, 1)
        case 0x2F, 0x5F: return (63, 1)
        case 0x09, 0x0A, 0x0D: return (nil, 1)
        case 0x20:
            // Between two digits it is a lost `+`; at either end of a line it is white space.
            guard index > 0, index + 1 < raw.count, raw[index - 1] > 0x20, raw[index + 1] > 0x20 else {
                return (nil, 1)
            }
            return (62, 1)
        case 0x25:
            guard index + 2 < raw.count, raw[index + 1] == 0x32 else { return nil }
            switch raw[index + 2] | 0x20 {
            case 0x62: return (62, 3)
            case 0x66: return (63, 3)
            default: return nil
            }
        case 0x5C:
            let end = raw[index...].firstIndex { $0 != 0x5C } ?? raw.count
            guard end < raw.count else { return nil }
            switch raw[end] {
            case 0x2F: return (63, end + 1 - index)
            case 0x6E, 0x72, 0x74: return (nil, end + 1 - index)
            default: return nil
            }
        default: return nil
        }
    }
}
