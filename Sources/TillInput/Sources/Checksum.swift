import CZlib

/// CRC-32 as gzip has it (RFC 1952 §8), for files of our own.
public struct Checksum: Sendable {
    public private(set) var value: UInt32 = 0

    public init() {}

    /// Goes on from the checksum of what came before.
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
