/// Reads the header of a gzip member (RFC 1952 §2.3) byte by byte, because the input may be cut anywhere.
///
///     1F 8B  08  FLG  MTIME×4  XFL  OS  [ XLEN×2 extra ] [ name 00 ] [ comment 00 ] [ CRC16×2 ]
///                └ 0x04 extra, 0x08 name, 0x10 comment, 0x02 checksum of the header; 0xE0 must be 0
///
/// The header is checked and skipped. Its values are not used.
struct GzipHeader {
    enum Answer: Equatable {
        case unfinished
        case complete
        /// One clause for a person.
        case damaged(String)
    }

    private enum Field: Equatable {
        /// The ten bytes that every header has, with the number of those that were read.
        case fixed(Int)
        case extraLength(low: Int?)
        case extra(left: Int)
        case name
        case comment
        case checksum(low: UInt8?)
        case none
    }

    private var field = Field.fixed(0)
    private var flags: UInt8 = 0
    private var sum = Checksum()

    private static let magic: [UInt8] = [0x1F, 0x8B]
    private static let (hasChecksum, hasExtra, hasName, hasComment): (UInt8, UInt8, UInt8, UInt8) = (2, 4, 8, 16)

    static func recognizes(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    /// The first index at which a header may begin. The method, the flags, the extra flags (XFL) and the system (OS)
    /// must have defined values, so that random bytes pass once in about 10¹¹ places.
    static func first(in bytes: UnsafeRawBufferPointer) -> Int? {
        RawSpan(_unsafeBytes: bytes).firstIndex(of: magic[0]) { index in
            guard bytes.count - index >= 10 else { return false }
            let (extraFlags, system) = (bytes[index + 8], bytes[index + 9])
            return bytes[index + 1] == magic[1] && bytes[index + 2] == 8 && bytes[index + 3] & 0xE0 == 0
                && (extraFlags == 0 || extraFlags == 2 || extraFlags == 4) && (system <= 13 || system == 255)
        }
    }

    /// Takes the next byte.
    mutating func push(_ byte: UInt8) -> Answer {
        if case .checksum = field {} else { sum.update([byte]) }
        switch field {
        case .fixed(let count):
            if let defect = defect(byte, at: count) { return .damaged("the gzip stream is damaged: \(defect)") }
            field = count < 9 ? .fixed(count + 1) : next(after: 0)
        case .extraLength(nil): field = .extraLength(low: Int(byte))
        case .extraLength(let low?):
            let length = low | Int(byte) << 8
            field = length > 0 ? .extra(left: length) : next(after: Self.hasExtra)
        case .extra(let left): field = left > 1 ? .extra(left: left - 1) : next(after: Self.hasExtra)
        case .name: if byte == 0 { field = next(after: Self.hasName) }
        case .comment: if byte == 0 { field = next(after: Self.hasComment) }
        case .checksum(nil): field = .checksum(low: byte)
        case .checksum(let low?):
            guard UInt16(truncatingIfNeeded: sum.value) == UInt16(low) | UInt16(byte) << 8 else {
                return .damaged("the gzip stream is damaged: the checksum of a header is wrong")
            }
            field = .none
        case .none: break
        }
        return field == .none ? .complete : .unfinished
    }

    /// Checks a byte of the fixed part; one clause for a person, or `nil`.
    private mutating func defect(_ byte: UInt8, at offset: Int) -> String? {
        switch offset {
        case 0, 1: return byte == Self.magic[offset] ? nil : "no member begins here"
        case 2: return byte == 8 ? nil : "compression method \(byte) is unknown"
        case 3:
            flags = byte
            return byte & 0xE0 == 0 ? nil : "a header has unknown flags"
        default: return nil
        }
    }

    /// The next field. `done` is the flag of the field that was read; 0 for the fixed part.
    private func next(after done: UInt8) -> Field {
        if done < Self.hasExtra, flags & Self.hasExtra != 0 { return .extraLength(low: nil) }
        if done < Self.hasName, flags & Self.hasName != 0 { return .name }
        if done < Self.hasComment, flags & Self.hasComment != 0 { return .comment }
        return flags & Self.hasChecksum != 0 ? .checksum(low: nil) : .none
    }
}
