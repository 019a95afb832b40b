import CZlib

/// The CRC-32 of gzip (RFC 1952 §8).
public struct Checksum: Sendable {
    public private(set) var value: UInt32 = 0

    public init() {}

    /// Continues from the checksum of earlier bytes.
    init(value: UInt32) {
        self.value = value
    }

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

    public mutating func update(_ bytes: [UInt8]) { update(bytes.span.bytes) }
}
