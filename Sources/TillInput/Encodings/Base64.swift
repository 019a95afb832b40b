import CKernels
public import TillCore

/// Base64 (RFC 4648 §4), with the known damage of dumps repaired.
///
/// Besides the standard alphabet it reads (quirks 1 and "Alphabet"): line breaks and tabs anywhere, spaces at either
/// end of a line, `-` and `_` for `+` and `/` (§5), a space between digits for a `+` that a form post lost or, where
/// others were not lost, for the end of a line, `%2B`, `%2F` and `%3D`, and missing padding. Any other byte is an
/// error.
public enum Base64 {
    /// The class of each byte: the value 0…63 of a digit, or one of the classes below.
    private static let classes: [UInt8] = (0..<256).map { byte in
        switch byte {
        case 0x41...0x5A: UInt8(byte - 0x41)
        case 0x61...0x7A: UInt8(byte - 0x61 + 26)
        case 0x30...0x39: UInt8(byte - 0x30 + 52)
        case 0x2B, 0x2D: 62
        case 0x2F, 0x5F: 63
        case 0x09, 0x0A, 0x0D: lineBreak
        case 0x20: space
        case 0x25: percent
        case 0x3D: padding
        default: outside
        }
    }

    /// The value 0…63 of a digit of either alphabet; `nil` for any other byte.
    public static func value(of digit: UInt8) -> UInt8? {
        let value = classes[Int(digit)]
        return value < 64 ? value : nil
    }

    private static let lineBreak: UInt8 = 64
    private static let space: UInt8 = 65
    private static let percent: UInt8 = 66
    private static let padding: UInt8 = 67
    private static let outside: UInt8 = 255

    /// Replaces `output` with the bytes that `text` encodes.
    ///
    /// Cost: one pass. A vector kernel (`Base64Groups.h`) decodes up to the first byte that is not of the standard
    /// alphabet; the rest is decoded byte by byte.
    ///
    /// - Returns: whether anything had to be repaired: a space, the other alphabet, a percent escape or missing
    ///   padding. Line breaks do not count.
    @discardableResult
    public static func decode(_ text: RawSpan, into output: inout [UInt8]) throws(Finding) -> Bool {
        output.removeAll(keepingCapacity: true)
        let consumed = decodeGroups(text, into: &output)
        return try decodeRest(text, from: consumed, into: &output)
    }

    /// Decodes digits of the standard alphabet up to the first other byte.
    ///
    /// - Returns: the number of bytes of `text` that were decoded, a multiple of four.
    private static func decodeGroups(_ text: RawSpan, into output: inout [UInt8]) -> Int {
        var taken = 0
        output.append(addingCapacity: text.byteCount / 4 * 3 + Int(TILL_BASE64_SLACK)) { space in
            space.withUnsafeMutableBufferPointer { buffer, count in
                text.withUnsafeBytes { taken = till_base64_groups($0.baseAddress, $0.count, buffer.baseAddress) }
                count = taken / 4 * 3
            }
        }
        return taken
    }

    /// Decodes from `start` on, which must be at the beginning of a group of four digits.
    private static func decodeRest(
        _ text: RawSpan,
        from start: Int,
        into output: inout [UInt8]
    ) throws(Finding) -> Bool {
        var (bits, bitCount): (UInt32, Int) = (0, 0)
        var isRepaired = false
        var isPadded = false
        // Spaces since the last digit of the line. Each space between two digits stands for a `+`. Spaces at either end
        // of a line are white space.
        var spaces = 0
        var lineHasDigits = start > 0
        var joinsLines: Bool?
        var index = start
        while index < text.byteCount {
            let offset = index
            let (digit, width) = self.digit(in: text, at: index)
            index += width
            if width > 1 { isRepaired = true }
            if digit == lineBreak {
                spaces = 0
                lineHasDigits = false
                continue
            }
            if digit == space {
                spaces += 1
                isRepaired = true
                continue
            }
            if digit == padding {
                isPadded = true
                continue
            }
            guard digit < 64, !isPadded else { throw Finding(.base64Character, at: offset) }
            if lineHasDigits, spaces > 0 {
                let isJoint = joinsLines ?? spacesJoinLines(of: text)
                joinsLines = isJoint
                if isJoint { spaces = 0 }
                for _ in 0..<spaces { push(62, &bits, &bitCount, &output) }
            }
            spaces = 0
            lineHasDigits = true
            push(digit, &bits, &bitCount, &output)
            let byte = text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            isRepaired = isRepaired || byte == 0x2D || byte == 0x5F
        }
        guard bitCount != 6 else { throw Finding(.base64Truncated, at: text.byteCount) }
        return isRepaired || (bitCount > 0 && !isPadded)
    }

    /// Whether spaces between digits stand for the ends of lines: where there are `+` or `-`, a form has lost none,
    /// unless only those that are missing complete the groups of four; and of lines, two or more of one length come
    /// before the last.
    private static func spacesJoinLines(of text: RawSpan) -> Bool {
        var lengths: [Int] = []
        var length = 0
        var hasSign = false
        for index in 0..<text.byteCount {
            switch text.unsafeLoad(fromByteOffset: index, as: UInt8.self) {
            case 0x20:
                if length > 0 { lengths.append(length) }
                length = 0
            case 0x09, 0x0A, 0x0D: break
            case let byte:
                length += 1
                hasSign = hasSign || byte == 0x2B || byte == 0x2D
            }
        }
        let count = lengths.reduce(length, +)
        if hasSign { return count % 4 == 0 || (count + lengths.count) % 4 != 0 }
        guard lengths.count >= 2, let first = lengths.first else { return false }
        return lengths.allSatisfy { $0 == first } && length <= first
    }

    /// Calls `body` with each digit of the line `range` in the standard alphabet, padding and lost `+` included.
    ///
    /// `%2B` is one digit. White space at either end of the line is none. So the number of calls is the width of the
    /// line before it was damaged.
    ///
    /// - Returns: whether the whole line is base64.
    static func forEachDigit(of text: RawSpan, in range: Range<Int>, _ body: (UInt8) -> Void) -> Bool {
        var spaces = 0
        var hasDigits = false
        var index = range.lowerBound
        while index < range.upperBound {
            let (digit, width) = self.digit(in: text, at: index)
            index += width
            switch digit {
            case lineBreak: spaces = 0
            case space: spaces += hasDigits ? 1 : 0
            case outside, percent: return false
            default:
                for _ in 0..<spaces { body(0x2B) }
                spaces = 0
                hasDigits = true
                body(digit == padding ? 0x3D : alphabet[Int(digit)])
            }
        }
        return index == range.upperBound
    }

    /// The bytes that the first `count` digits of `range` encode; `nil` where any other byte comes before them or the
    /// range ends.
    static func head(of text: RawSpan, in range: Range<Int>, digits count: Int) -> [UInt8]? {
        var end = range.lowerBound
        var columns = 0
        while columns < count, end < range.upperBound {
            let (digit, width) = self.digit(in: text, at: end)
            guard digit < 64 else { return nil }
            columns += 1
            end += width
        }
        guard columns == count, end <= range.upperBound else { return nil }
        var bytes: [UInt8] = []
        do {
            try decode(text.extracting(range.lowerBound..<end), into: &bytes)
        } catch {
            return nil
        }
        return bytes
    }

    /// Encodes bytes in the standard alphabet with padding.
    public static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for (place, byte) in group.enumerated() { bits |= UInt32(byte) << UInt32(16 - 8 * place) }
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[Int(bits >> UInt32(18 - 6 * place) & 63)] : 0x3D)
            }
        }
        return text
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func push(_ digit: UInt8, _ bits: inout UInt32, _ bitCount: inout Int, _ output: inout [UInt8]) {
        bits = bits << 6 | UInt32(digit)
        bitCount += 6
        if bitCount >= 8 {
            bitCount -= 8
            output.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        }
    }

    /// The class of the byte at `index`, and how many bytes of text it takes: three for `%2B`, `%2F` and `%3D`.
    private static func digit(in text: RawSpan, at index: Int) -> (UInt8, Int) {
        func byte(_ distance: Int) -> UInt8 {
            index + distance < text.byteCount
                ? text.unsafeLoad(fromByteOffset: index + distance, as: UInt8.self) : 0
        }
        let value = classes[Int(byte(0))]
        guard value == percent else { return (value, 1) }
        switch (byte(1), byte(2) & ~0x20) {
        case (0x32, 0x42): return (62, 3)
        case (0x32, 0x46): return (63, 3)
        case (0x33, 0x44): return (padding, 3)
        default: return (outside, 1)
        }
    }
}

extension Defect {
    /// A byte outside the alphabet, or padding before the end.
    public static let base64Character = Defect("base64.character", "a byte that is not base64", cause: .invalidBase64)
    /// One digit is left over. Its six bits are less than a byte.
    public static let base64Truncated = Defect(
        "base64.truncated",
        "the base64 text ends in the middle of a byte",
        cause: .invalidBase64
    )
}
