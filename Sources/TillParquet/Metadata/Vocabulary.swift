/// The storage type of values (parquet.thrift, `Type`).
enum PhysicalType: Int32, Sendable {
    case boolean = 0
    case int32 = 1
    case int64 = 2
    case int96 = 3
    case float = 4
    case double = 5
    case byteArray = 6
    case fixedLengthByteArray = 7
}

/// The encoding of values as bytes (Encodings.md).
enum Encoding: Int32, Sendable {
    case plain = 0
    /// The name in Parquet 1.0 for ``rleDictionary``, and for ``plain`` in dictionary pages.
    case plainDictionary = 2
    case rle = 3
    case bitPacked = 4
    case deltaBinaryPacked = 5
    case deltaLengthByteArray = 6
    case deltaByteArray = 7
    case rleDictionary = 8
    case byteStreamSplit = 9
}

/// The compression of pages (Compression.md).
public enum ParquetCodec: Int32, Sendable, CaseIterable {
    case uncompressed = 0
    case snappy = 1
    case gzip = 2
    case zstd = 6

    /// The word for options and messages.
    public var name: String {
        switch self {
        case .uncompressed: "none"
        case .snappy: "snappy"
        case .gzip: "gzip"
        case .zstd: "zstd"
        }
    }

    /// The codecs for writing; the others are only read.
    public static let written: [ParquetCodec] = [.zstd, .gzip, .uncompressed]

    /// The names of unsupported codecs, by number.
    static let unread: [Int32: String] = [3: "LZO", 4: "Brotli", 5: "LZ4", 7: "LZ4_RAW"]
}

enum PageType: Int32, Sendable {
    case data = 0
    case index = 1
    case dictionary = 2
    case dataV2 = 3
}

/// The logical types that can become our types (LogicalTypes.md).
enum LogicalType: Hashable, Sendable {
    enum Unit: Sendable {
        case milliseconds, microseconds, nanoseconds
    }

    case none
    case string
    case timestamp(Unit, isAdjustedToUTC: Bool)
    case integer(bits: Int, isSigned: Bool)
    /// Anything else, such as a decimal or a date.
    case other(String)
}
