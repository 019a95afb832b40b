public import CKernels

/// The bytes of tokens, for turning a token into a value.
///
/// It takes two words, which are passed in registers. A whole ``JSONCursor`` would be copied in memory for each value,
/// and the copy has to wait for the position that was stored just before.
@frozen
public struct JSONBytes: ~Escapable {
    /// The buffer of the cursor: the text, and the zero bytes behind it.
    public let bytes: RawSpan

    @inlinable
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) {
        self.bytes = bytes
    }

    /// Returns the byte at an index of ``bytes``; an index outside of them ends the program.
    @inlinable
    public func byte(_ index: Int) -> UInt8 {
        bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }

    /// Eight bytes, the first one lowest.
    @inlinable
    public func word(_ index: Int) -> UInt64 {
        UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }

    /// The text of a token without its escapes undone.
    @inlinable
    @_lifetime(copy self)
    public func raw(_ token: JSONToken) -> RawSpan {
        bytes.extracting(token.start..<token.end)
    }

    /// Appends the text of a string token, its escapes undone, to `text`. Half a surrogate pair becomes U+FFFD.
    ///
    /// The token was validated when it was read, so this cannot fail. Cost: one pass over the string.
    public func appendText(of token: JSONToken, to text: inout [UInt8]) {
        guard token.hasEscapes else {
            return raw(token).withUnsafeBytes { text.append(contentsOf: $0) }
        }
        // No escape is shorter than its text, and the last word may be written whole.
        let (start, room) = (text.count, token.count + MemoryLayout<UInt64>.size)
        text.append(contentsOf: repeatElement(0, count: room))
        let count = text.withUnsafeMutableBytes { memory in
            write(textOf: token, to: UnsafeMutableRawBufferPointer(rebasing: memory[start...]))
        }
        text.removeLast(room - count)
    }

    /// Writes the text of a string token, eight bytes at once where they have no escape; returns the number of bytes.
    private func write(textOf token: JSONToken, to output: UnsafeMutableRawBufferPointer) -> Int {
        precondition(output.count >= token.count + MemoryLayout<UInt64>.size)
        var (index, count) = (token.start, 0)
        while index < token.end {
            let next = word(index)
            output.storeBytes(of: next.littleEndian, toByteOffset: count, as: UInt64.self)
            let plain = min(Self.bytesBeforeBackslash(next), token.end - index)
            index += plain
            count += plain
            guard index < token.end, byte(index) == 0x5C else { continue }
            switch byte(index + 1) {
            case 0x62: output[count] = 0x08
            case 0x66: output[count] = 0x0C
            case 0x6E: output[count] = 0x0A
            case 0x72: output[count] = 0x0D
            case 0x74: output[count] = 0x09
            case 0x75:
                var scalar: [UInt8] = []
                index += appendCodePoint(at: index, below: token.end, to: &scalar)
                for byte in scalar {
                    output[count] = byte
                    count += 1
                }
                continue
            default: output[count] = byte(index + 1)
            }
            index += 2
            count += 1
        }
        return count
    }

    /// The number of bytes before the first backslash, of eight.
    private static func bytesBeforeBackslash(_ word: UInt64) -> Int {
        let marked = word ^ 0x5C5C_5C5C_5C5C_5C5C
        // The lowest bit that is set is that of the first byte that is zero (Hacker's Delight, 6-1).
        let zeros = (marked &- 0x0101_0101_0101_0101) & ~marked & 0x8080_8080_8080_8080
        return zeros.trailingZeroBitCount / 8
    }

    /// Appends the scalar of the `\u` escape (or pair of them) at `index`; returns the number of bytes read.
    private func appendCodePoint(at index: Int, below end: Int, to text: inout [UInt8]) -> Int {
        func unit(_ start: Int) -> UInt32 {
            (2..<6).reduce(0) { $0 << 4 | (Self.hexDigit(byte(start + $1)) ?? 0) }
        }
        let first = unit(index)
        let isPair =
            first & 0xFC00 == 0xD800 && index + 12 <= end && byte(index + 6) == 0x5C && byte(index + 7) == 0x75
            && unit(index + 6) & 0xFC00 == 0xDC00
        let value = isPair ? 0x10000 + (first & 0x3FF) << 10 + unit(index + 6) & 0x3FF : first
        text.append(contentsOf: String(Unicode.Scalar(value) ?? "\u{FFFD}").utf8)
        return isPair ? 12 : 6
    }

    static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46: UInt32(byte - 0x37)
        case 0x61...0x66: UInt32(byte - 0x57)
        default: nil
        }
    }

    /// The value of a run of decimal digits, or `nil` if it is empty, has another byte, or does not fit 63 bits.
    ///
    /// Up to sixteen digits are read at once (`Digits.h` of `CKernels`).
    @inlinable
    @inline(__always)
    public func decimal(_ start: Int, _ end: Int) -> Int64? {
        let count = end &- start
        guard count > 0, count <= 16, end >= 16, end <= bytes.byteCount else { return longDecimal(start, end) }
        let value = bytes.withUnsafeBytes { memory in
            memory.baseAddress.map { till_digits16($0 + end, UInt32(truncatingIfNeeded: count)) } ?? UInt64.max
        }
        return Int64(exactly: value)
    }

    @usableFromInline
    func longDecimal(_ start: Int, _ end: Int) -> Int64? {
        guard end > start else { return nil }
        var value: Int64 = 0
        for index in start..<end {
            guard (0x30...0x39).contains(byte(index)) else { return nil }
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, over) = product.addingReportingOverflow(Int64(byte(index) - 0x30))
            guard !tooLarge, !over else { return nil }
            value = sum
        }
        return value
    }
}
