/// Appends the values of a partial to one buffer.
///
///     word       4, 8 or 16 bytes, little-endian
///     number     7 bits a byte, lowest first, the top bit set on all but the last (LEB128); 1 to 10 bytes
///     difference a number: 0, -1, 1, -2, … as 0, 1, 2, 3, … ("zigzag"), modulo 2⁶⁴
///     text       its length as a number, then its bytes
public struct PartialWriter: Sendable {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8] = []

    /// Makes a writer whose buffer is empty.
    public init() {}

    /// Appends one byte.
    public mutating func write(byte: UInt8) { bytes.append(byte) }

    /// Appends an integer of fixed width, little-endian.
    public mutating func write<Word: FixedWidthInteger>(word: Word) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends an unsigned LEB128 number: 1 to 10 bytes.
    public mutating func write(number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Writes a count, which is never negative.
    public mutating func write(count: Int) { write(number: UInt64(count)) }

    /// Appends a signed number in zigzag form: 1 to 10 bytes.
    public mutating func write(difference: Int64) {
        write(number: UInt64(bitPattern: difference &<< 1 ^ difference >> 63))
    }

    /// Writes a code of a dictionary, -1 for none, as the code plus one.
    mutating func write(code: Int32) { write(number: UInt64(code + 1)) }

    /// Writes 0 for `nil`, else 1 and the value.
    public mutating func write(optional: Int64?) {
        write(byte: optional == nil ? 0 : 1)
        if let optional { write(difference: optional) }
    }

    /// Appends the length of the text in UTF-8 bytes, then the bytes.
    public mutating func write(text: String) {
        write(count: text.utf8.count)
        bytes += text.utf8
    }

    /// Appends the number of bytes, then the bytes.
    public mutating func write(blob: [UInt8]) {
        write(count: blob.count)
        bytes += blob
    }

    /// Appends the bytes of another writer.
    mutating func write(written: [UInt8]) { bytes += written }

    /// Returns the bytes written so far, and removes them from the writer.
    mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
