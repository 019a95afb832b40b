/// Turns UTF-16 into UTF-8, piece by piece (RFC 2781).
///
///     3D D8 │ 00 DE       a surrogate pair, cut between its halves or inside one: F0 9F 98 80
///     3D D8   41 00       half a pair: EF BF BD, which is U+FFFD, then 41
///     41                  an odd byte at the end: EF BF BD
///
/// The output does not depend on how the input is cut. Only a byte and half of a surrogate pair are kept.
struct UTF16Transcoder {
    /// Bytes at the start of a source that are looked at.
    static let headCount = 4
    /// Bytes of the byte order mark.
    static let markCount = 2

    private let isBigEndian: Bool
    /// The first byte of a unit that is not complete.
    private var oddByte: UInt8?
    /// The first half of a surrogate pair that is not complete.
    private var highSurrogate: UInt16?

    /// Makes a transcoder for a source that begins with `head`; `nil` where that is no byte order mark of UTF-16.
    ///
    /// `FF FE 00 00` is that of UTF-32, which is not read.
    init?(head: [UInt8]) {
        if head.starts(with: [0xFE, 0xFF]) {
            isBigEndian = true
        } else if head.starts(with: [0xFF, 0xFE]), !head.starts(with: [0xFF, 0xFE, 0x00, 0x00]) {
            isBigEndian = false
        } else {
            return nil
        }
    }

    /// Appends what further bytes stand for.
    mutating func append(_ bytes: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        var index = 0
        if let first = oddByte, let second = bytes.first {
            append(unit(first, second), to: &output)
            oddByte = nil
            index = 1
        }
        while index + 1 < bytes.count {
            let unit = unit(bytes[index], bytes[index + 1])
            if unit < 0x80, highSurrogate == nil {
                output.append(UInt8(truncatingIfNeeded: unit))
            } else {
                append(unit, to: &output)
            }
            index += 2
        }
        if index < bytes.count { oddByte = bytes[index] }
    }

    /// Appends what the end of the source leaves incomplete.
    mutating func finish(into output: inout [UInt8]) {
        if highSurrogate != nil { Self.append(scalar: 0xFFFD, to: &output) }
        if oddByte != nil { Self.append(scalar: 0xFFFD, to: &output) }
        (highSurrogate, oddByte) = (nil, nil)
    }

    private func unit(_ first: UInt8, _ second: UInt8) -> UInt16 {
        isBigEndian ? UInt16(first) << 8 | UInt16(second) : UInt16(second) << 8 | UInt16(first)
    }

    private mutating func append(_ unit: UInt16, to output: inout [UInt8]) {
        if let high = highSurrogate {
            highSurrogate = nil
            if (0xDC00...0xDFFF).contains(unit) {
                let scalar = 0x10000 + (UInt32(high) - 0xD800) << 10 + (UInt32(unit) - 0xDC00)
                return Self.append(scalar: scalar, to: &output)
            }
            Self.append(scalar: 0xFFFD, to: &output)
        }
        switch unit {
        case 0xD800...0xDBFF: highSurrogate = unit
        case 0xDC00...0xDFFF: Self.append(scalar: 0xFFFD, to: &output)
        default: Self.append(scalar: UInt32(unit), to: &output)
        }
    }

    /// Appends a scalar as UTF-8 (RFC 3629 §3).
    private static func append(scalar: UInt32, to output: inout [UInt8]) {
        func continuation(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(scalar >> shift & 0x3F) }
        switch scalar {
        case 0..<0x80: output.append(UInt8(scalar))
        case 0x80..<0x800: output += [0xC0 | UInt8(scalar >> 6), continuation(0)]
        case 0x800..<0x10000: output += [0xE0 | UInt8(scalar >> 12), continuation(6), continuation(0)]
        default: output += [0xF0 | UInt8(scalar >> 18 & 0x07), continuation(12), continuation(6), continuation(0)]
        }
    }
}
