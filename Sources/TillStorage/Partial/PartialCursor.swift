public import TillCore

/// The part that is left of the largest sum of all counts in all partials of a report,
/// ``PartialCursor/largestCount``. It is far above the counts of the App Store, and no sum within it can overflow.
public struct CountAllowance: Sendable {
    private var left = PartialCursor.largestCount

    /// Makes the whole allowance, which all partials of a report share.
    public init() {}

    fileprivate mutating func take(_ count: UInt64) -> Bool {
        guard count <= left else { return false }
        left -= count
        return true
    }
}

/// Reads the values that a ``PartialWriter`` writes, and checks each of them.
///
/// Every read is checked against the end of the bytes; a count is checked against the bytes that are left before
/// anything is allocated, so a false count costs nothing.
public struct PartialCursor: ~Escapable {
    private let bytes: RawSpan
    private var position = 0
    /// The offset of the first byte in the partial.
    private let base: Int

    /// Makes a cursor that stands at the first byte.
    ///
    /// - Parameter base: the offset of `bytes` in the partial, for errors.
    @_lifetime(copy bytes)
    public init(_ bytes: RawSpan, base: Int) {
        self.bytes = bytes
        self.base = base
    }

    /// The offset of the next value in the partial.
    public var offset: Int { base + position }

    /// Whether all bytes have been read.
    public var isAtEnd: Bool { position == bytes.byteCount }

    /// The limit of each position of a record, and of the sum of all counts.
    public static let largestCount: UInt64 = 1 << 53

    /// Reads one byte. Throws `partial.truncated` at the end.
    @_lifetime(self: copy self)
    public mutating func byte() throws(Finding) -> UInt8 {
        guard position < bytes.byteCount else { throw truncated(1) }
        defer { position += 1 }
        return bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self)
    }

    /// Reads a little-endian integer of the width of `type`. Throws `partial.truncated`.
    @_lifetime(self: copy self)
    public mutating func word<Word: FixedWidthInteger & BitwiseCopyable>(
        as type: Word.Type
    ) throws(Finding) -> Word {
        let width = MemoryLayout<Word>.size
        guard width <= bytes.byteCount - position else { throw truncated(width) }
        defer { position += width }
        return Word(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: Word.self))
    }

    /// Reads an unsigned LEB128 number of 1 to 10 bytes. Throws `partial.truncated`, or `partial.too-large` above 64
    /// bits.
    @_lifetime(self: copy self)
    public mutating func number() throws(Finding) -> UInt64 {
        let start = offset
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            let byte = try byte()
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || bits <= 1 else { break }
            value |= bits &<< shift
            if byte & 0x80 == 0 { return value }
        }
        throw Finding("partial.too-large", at: start, "a number takes more than 64 bits")
    }

    /// Reads a signed number in zigzag form (see ``PartialWriter``), with the errors of ``number()``.
    @_lifetime(self: copy self)
    public mutating func difference() throws(Finding) -> Int64 {
        let number = try number()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    /// Reads a count for which nothing is allocated. Throws `partial.value` where the allowance is used up.
    @_lifetime(self: copy self)
    public mutating func tally(within allowance: inout CountAllowance) throws(Finding) -> Int {
        let start = offset
        let count = try number()
        guard allowance.take(count) else {
            throw Finding("partial.value", at: start, "the counts of all partials are above the limit 2^53 in sum")
        }
        return Int(count)
    }

    /// Reads the number of elements that follow, each of at least `size` bytes. Throws `partial.truncated` if fewer
    /// bytes are left.
    @_lifetime(self: copy self)
    public mutating func count(ofSize size: Int = 1) throws(Finding) -> Int {
        let start = offset
        let count = try number()
        let left = bytes.byteCount - position
        guard count <= UInt64(left / size) else {
            throw Finding("partial.truncated", at: start, "\(count) elements are announced, \(left) bytes are left")
        }
        return Int(count)
    }

    /// Reads a flag, and a difference if it is 1; `nil` if it is 0.
    @_lifetime(self: copy self)
    public mutating func optional() throws(Finding) -> Int64? {
        try flag() ? try difference() : nil
    }

    /// Reads a byte that is 0 or 1. Throws `partial.value` for any other byte.
    @_lifetime(self: copy self)
    public mutating func flag() throws(Finding) -> Bool {
        let start = offset
        let byte = try byte()
        guard byte <= 1 else { throw Finding("partial.value", at: start, "\(byte) is not 0 or 1") }
        return byte == 1
    }

    /// Reads a length as a number, then that many bytes. Throws `partial.truncated` if fewer are left, before it
    /// allocates.
    @_lifetime(self: copy self)
    public mutating func blob() throws(Finding) -> [UInt8] {
        let count = try count()
        defer { position += count }
        return bytes.extracting(position..<position + count).withUnsafeBytes(Array.init)
    }

    /// Reads all bytes that are left.
    @_lifetime(self: copy self)
    mutating func rest() throws(Finding) -> [UInt8] {
        defer { position = bytes.byteCount }
        return bytes.extracting(position..<bytes.byteCount).withUnsafeBytes(Array.init)
    }

    /// Reads a blob as text. Throws `partial.value` if it is not UTF-8.
    @_lifetime(self: copy self)
    public mutating func text() throws(Finding) -> String {
        let start = offset
        guard let text = String(validInput: try blob()) else {
            throw Finding("partial.value", at: start, "a text is not UTF-8")
        }
        return text
    }

    /// Reads a code of a dictionary of `count` texts, -1 for none. Throws `partial.value` for any other number.
    @_lifetime(self: copy self)
    mutating func code(below count: Int) throws(Finding) -> Int32 {
        let start = offset
        let number = try number()
        guard number <= UInt64(count) else {
            throw Finding("partial.value", at: start, "there is no text \(number), there are \(count)")
        }
        return Int32(truncatingIfNeeded: number) - 1
    }

    /// Ends the block. Throws `partial.trailing` if bytes are left.
    public func finish() throws(Finding) {
        guard isAtEnd else {
            throw Finding("partial.trailing", at: offset, "more bytes follow the last value of a block")
        }
    }

    private func truncated(_ wanted: Int) -> Finding {
        Finding("partial.truncated", at: offset, "\(wanted) bytes are wanted, \(bytes.byteCount - position) are left")
    }
}
