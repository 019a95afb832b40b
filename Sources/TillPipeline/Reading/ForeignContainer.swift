import TillInput

/// A kind of file that holds others and is not read: only a person can say which of its files are meant.
struct ForeignContainer {
    /// As a sentence about the source goes on: `is a zip archive`.
    let name: String
    private let magic: [UInt8]
    private let offset: Int

    private init(_ name: String, _ magic: [UInt8], at offset: Int = 0) {
        (self.name, self.magic, self.offset) = (name, magic, offset)
    }

    private static let all = [
        ForeignContainer("a zip archive", [0x50, 0x4B, 0x03, 0x04]),
        ForeignContainer("a 7z archive", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
        ForeignContainer("compressed with xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
        // The level of compression and the beginning of a block follow.
        ForeignContainer("compressed with bzip2", Array("BZh".utf8)),
        ForeignContainer("a binary property list", Array("bplist".utf8)),
        ForeignContainer("a tar archive", Array("ustar".utf8), at: 257),
    ]

    /// The kind of a source by its first bytes.
    static func recognize(_ bytes: RawSpan) -> ForeignContainer? {
        all.first { kind in
            kind.offset + kind.magic.count <= bytes.byteCount
                && kind.magic.indices.allSatisfy { index in
                    bytes.unsafeLoad(fromByteOffset: kind.offset + index, as: UInt8.self) == kind.magic[index]
                }
        }
    }
}
