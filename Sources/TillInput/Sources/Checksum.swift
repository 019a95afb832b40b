import CZlib

/// The CRC-32 of gzip (RFC 1952 §8).
public struct Checksum: Sendable {
    /// The CRC-32 of all bytes so far; 0 before the first byte.
    public private(set) var value: UInt32 = 0

    /// Starts with the checksum of no bytes.
    public init() {}

    /// Continues from the checksum of earlier bytes.
    init(value: UInt32) {
        self.value = value
    }

    /// Adds bytes that follow those of earlier calls.
    public mutating func update(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { memory in
            // zlib takes lengths of 32 bits.
            var rest = memory[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
                let sum = crc32(UInt(value), part.bindMemory(to: UInt8.self).baseAddress, UInt32(part.count))
                value = UInt32(truncatingIfNeeded: sum)
                rest = rest.dropFirst(part.count)
            }
        }
    }

    /// Adds bytes that follow those of earlier calls.
    public mutating func update(_ bytes: [UInt8]) { update(bytes.span.bytes) }
}
