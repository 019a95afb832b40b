/// The footer of a file (parquet.thrift, `FileMetaData`), as far as it is used.
struct FileMetadata: Sendable {
    var version: Int32 = 1
    var schema: [SchemaElement] = []
    var rowCount = 0
    var rowGroups: [RowGroupMetadata] = []
    var keyValues: [KeyValue] = []
    var createdBy: String?
}

struct KeyValue: Sendable {
    var key = ""
    var value = ""
}

/// A node of the schema; a file's schema is the tree flattened, parents first.
struct SchemaElement: Sendable {
    enum Repetition: Int32 {
        case required = 0
        case optional = 1
        case repeated = 2
    }

    var name = ""
    /// `nil` for a group.
    var type: PhysicalType?
    var repetition: Repetition?
    var childCount = 0
    var convertedType: Int32?
    var logicalType = LogicalType.none
}

struct RowGroupMetadata: Sendable {
    var chunks: [ChunkMetadata] = []
    var byteCount = 0
    var compressedByteCount = 0
    var rowCount = 0
    var fileOffset = 0
    var ordinal: Int?
}

/// One column of one row group (`ColumnChunk`); it has the members of its ``ColumnMetadata`` as its own.
@dynamicMemberLookup
struct ChunkMetadata: Sendable {
    var column = ColumnMetadata()
    /// Whether the pages are in another file.
    var isExternal = false
    var isEncrypted = false
    // Only written:
    var columnIndex: Range<Int>?
    var offsetIndex: Range<Int>?

    subscript<Value>(dynamicMember member: WritableKeyPath<ColumnMetadata, Value>) -> Value {
        get { column[keyPath: member] }
        set { column[keyPath: member] = newValue }
    }
}

/// The metadata of all pages of a column chunk (`ColumnMetaData`).
struct ColumnMetadata: Sendable {
    var type = PhysicalType.byteArray
    /// Only written.
    var encodings: [Encoding] = []
    var path: [String] = []
    /// The number of the codec, perhaps an unsupported one.
    var codec: Int32 = 0
    var valueCount = 0
    var uncompressedByteCount = 0
    var compressedByteCount = 0
    var dataPageOffset = 0
    var dictionaryPageOffset: Int?
    var statistics: ColumnStatistics?
    /// The number of pages of each type and encoding; only written.
    var pageCounts: [(type: PageType, encoding: Encoding, count: Int)] = []
}

/// The smallest and largest value of a column chunk, in its plain encoding, and the number of its nulls.
struct ColumnStatistics: Hashable, Sendable {
    var nullCount: Int?
    var minimum: [UInt8]?
    var maximum: [UInt8]?
    /// Whether the bound is itself a value of the column.
    var minimumIsExact = true
    var maximumIsExact = true
}

/// The header of a page (`PageHeader`).
struct PageHeader: Sendable {
    var type: PageType?
    var uncompressedSize = 0
    var compressedSize = 0
    var checksum: UInt32?
    var data: DataPage?
    var dictionary: DictionaryPage?
    var dataV2: DataPageV2?

    struct DataPage: Sendable {
        var valueCount: Int?
        var encoding: Int32?
        var definitionEncoding: Int32?
    }

    struct DictionaryPage: Sendable {
        var entryCount: Int?
        var encoding: Int32?
    }

    struct DataPageV2: Sendable {
        var valueCount: Int?
        var nullCount: Int?
        var rowCount: Int?
        var encoding: Int32?
        var definitionLevelsLength = 0
        var repetitionLevelsLength = 0
        var isCompressed = true
    }

    /// Values, nulls among them; of a dictionary page, its entries.
    var valueCount: Int? { data?.valueCount ?? dictionary?.entryCount ?? dataV2?.valueCount }
    // In version 2, the levels precede the compressed part.
    var definitionLevelsLength: Int { dataV2?.definitionLevelsLength ?? 0 }
    var repetitionLevelsLength: Int { dataV2?.repetitionLevelsLength ?? 0 }
    var encoding: Int32? { data?.encoding ?? dictionary?.encoding ?? dataV2?.encoding }
}

/// Bounds page by page (PageIndex.md, `ColumnIndex`).
struct ColumnIndex: Sendable {
    enum Order: Int32 {
        case unordered = 0
        case ascending = 1
        case descending = 2
    }

    var nullPages: [Bool] = []
    var minimums: [[UInt8]] = []
    var maximums: [[UInt8]] = []
    var order = Order.unordered
    var nullCounts: [Int64] = []
}

/// The places of the pages (`OffsetIndex`).
struct OffsetIndex: Sendable {
    struct Location: Sendable {
        var offset = 0
        /// The header included.
        var byteCount = 0
        /// Within the row group.
        var firstRow = 0
    }

    var pages: [Location] = []
}
