/// The parts of a file in their order, and their metadata for the footer.
struct ParquetFileBuilder {
    static let magic = Array("PAR1".utf8)

    private let columns: [ParquetColumn]
    private let codec: ParquetCodec
    private var metadata: FileMetadata
    private var position = ParquetFileBuilder.magic.count
    /// By row group and column; a column without known bounds has no index.
    private var columnIndexes: [[ColumnIndex?]] = []
    private var offsetIndexes: [[OffsetIndex]] = []

    init(columns: [ParquetColumn], keyValues: [(key: String, value: String)], createdBy: String, codec: ParquetCodec) {
        self.columns = columns
        self.codec = codec
        metadata = FileMetadata()
        // 2: that there are encodings and pages which the first version of the format did not have.
        metadata.version = 2
        metadata.createdBy = createdBy
        metadata.keyValues = keyValues.map { KeyValue(key: $0.key, value: $0.value) }
        metadata.schema =
            [SchemaElement(name: "schema", childCount: columns.count)] + columns.map(\.schemaElement)
    }

    private mutating func emit(_ bytes: [UInt8], to write: ([UInt8]) throws -> Void) throws {
        try write(bytes)
        position += bytes.count
    }

    mutating func write(
        _ group: RowGroupBuilder,
        encoder: inout PageEncoder,
        to write: ([UInt8]) throws -> Void
    ) throws {
        var row = RowGroupMetadata()
        row.rowCount = group.rowCount
        row.ordinal = metadata.rowGroups.count
        row.fileOffset = position
        var (columnIndexes, offsetIndexes): ([ColumnIndex?], [OffsetIndex]) = ([], [])
        for (column, builder) in zip(columns, group.chunks) {
            let bounds = ChunkBounds(builder, type: column.physicalType)
            var chunk = ChunkMetadata()
            chunk.column = ColumnMetadata(type: column.physicalType, path: [column.name], codec: codec.rawValue)
            chunk.valueCount = group.rowCount
            chunk.statistics = bounds.statistics
            let start = position
            if builder.hasCodedPages {
                let page = encoder.encodeDictionary(builder.dictionary)
                chunk.dictionaryPageOffset = position
                chunk.uncompressedByteCount += page.uncompressedSize
                chunk.column.count(.dictionary, .plain)
                try emit(page.bytes, to: write)
            }
            chunk.dataPageOffset = position
            var offsets = OffsetIndex()
            var firstRow = 0
            for page in builder.pages {
                offsets.pages.append(.init(offset: position, byteCount: page.bytes.count, firstRow: firstRow))
                firstRow += page.rowCount
                chunk.uncompressedByteCount += page.uncompressedSize
                chunk.column.count(.data, page.encoding)
                try emit(page.bytes, to: write)
            }
            builder.pages.removeAll()
            chunk.compressedByteCount = position - start
            // The levels' encoding is named too.
            chunk.encodings = Set(chunk.pageCounts.map(\.encoding) + [.rle]).sorted { $0.rawValue < $1.rawValue }
            row.byteCount += chunk.uncompressedByteCount
            row.compressedByteCount += chunk.compressedByteCount
            row.chunks.append(chunk)
            columnIndexes.append(bounds.index)
            offsetIndexes.append(offsets)
        }
        metadata.rowCount += group.rowCount
        metadata.rowGroups.append(row)
        self.columnIndexes.append(columnIndexes)
        self.offsetIndexes.append(offsetIndexes)
    }

    /// Page indexes (PageIndex.md) and footer.
    mutating func writeEnd(to write: ([UInt8]) throws -> Void) throws {
        for (group, indexes) in columnIndexes.enumerated() {
            for (column, index) in indexes.enumerated() {
                guard let bytes = index?.bytes else { continue }
                metadata.rowGroups[group].chunks[column].columnIndex = position..<position + bytes.count
                try emit(bytes, to: write)
            }
        }
        for (group, indexes) in offsetIndexes.enumerated() {
            for (column, index) in indexes.enumerated() {
                let bytes = index.bytes
                metadata.rowGroups[group].chunks[column].offsetIndex = position..<position + bytes.count
                try emit(bytes, to: write)
            }
        }
        let footer = metadata.bytes
        let length = UInt32(footer.count).littleEndian
        try emit(footer + withUnsafeBytes(of: length, Array.init) + Self.magic, to: write)
    }
}

extension ColumnMetadata {
    fileprivate mutating func count(_ type: PageType, _ encoding: Encoding) {
        if let index = pageCounts.firstIndex(where: { $0 == type && $1 == encoding && $2 > 0 }) {
            pageCounts[index].count += 1
        } else {
            pageCounts.append((type, encoding, 1))
        }
    }
}
