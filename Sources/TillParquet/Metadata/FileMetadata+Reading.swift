extension FileMetadata {
    /// Reads a footer; offsets of errors count from its start.
    init(_ bytes: [UInt8]) throws(ParquetError) {
        var reader = ThriftReader(bytes)
        var (hasSchema, hasRowGroups) = (false, false)
        var metadata = FileMetadata()
        try reader.structure { reader, field throws(ParquetError) in
            switch field.id {
            case 1: metadata.version = try reader.int32(field)
            case 2:
                metadata.schema = try reader.list(field, SchemaElement.read)
                hasSchema = true
            case 3: metadata.rowCount = try reader.count(field)
            case 4:
                metadata.rowGroups = try reader.list(field, RowGroupMetadata.read)
                hasRowGroups = true
            case 5:
                metadata.keyValues = try reader.list(field) { reader throws(ParquetError) in
                    var pair = (key: "", value: "")
                    try reader.structure { reader, field throws(ParquetError) in
                        switch field.id {
                        case 1: pair.key = try reader.string(field)
                        case 2: pair.value = try reader.string(field)
                        default: return false
                        }
                        return true
                    }
                    return pair
                }
            case 6: metadata.createdBy = try reader.string(field)
            default: return false
            }
            return true
        }
        guard hasSchema, hasRowGroups else {
            throw ParquetError(.footer, at: 0, "the footer has no \(hasSchema ? "row groups" : "schema")")
        }
        self = metadata
    }
}

extension SchemaElement {
    fileprivate static func read(_ reader: inout ThriftReader) throws(ParquetError) -> SchemaElement {
        var element = SchemaElement()
        var hasName = false
        try reader.structure { reader, field throws(ParquetError) in
            switch field.id {
            case 1:
                let position = reader.position
                let type = try reader.int32(field)
                element.type = PhysicalType(rawValue: type)
                if element.type == nil {
                    throw ParquetError(.schema, at: position, "there is no physical type \(type)")
                }
            case 3:
                let position = reader.position
                let repetition = try reader.int32(field)
                element.repetition = Repetition(rawValue: repetition)
                if element.repetition == nil {
                    throw ParquetError(.schema, at: position, "there is no repetition \(repetition)")
                }
            case 4:
                element.name = try reader.string(field)
                hasName = true
            case 5: element.childCount = try reader.count(field)
            case 6: element.convertedType = try reader.int32(field)
            case 10: element.logicalType = try LogicalType.read(&reader, field)
            default: return false
            }
            return true
        }
        guard hasName else { throw ParquetError(.schema, at: reader.position, "a schema element without a name") }
        return element
    }
}

extension LogicalType {
    /// The union of LogicalTypes.md; only what ours can come from is told apart.
    fileprivate static func read(
        _ reader: inout ThriftReader,
        _ field: ThriftReader.Field
    ) throws(ParquetError) -> LogicalType {
        guard field.kind == .structure else {
            throw ParquetError(.schema, at: reader.position, "a logical type is no struct")
        }
        let names = [
            2: "MAP", 3: "LIST", 4: "ENUM", 5: "DECIMAL", 6: "DATE", 7: "TIME", 11: "NULL", 12: "JSON", 13: "BSON",
            14: "UUID", 15: "FLOAT16",
        ]
        var type = LogicalType.none
        try reader.structure { reader, field throws(ParquetError) in
            switch field.id {
            case 1:
                type = .string
                return false
            case 8: type = try timestamp(&reader, field)
            case 10: type = try integer(&reader, field)
            // Text with a further meaning is text.
            case 4, 12:
                type = .string
                return false
            default:
                type = .other(names[Int(field.id)] ?? "unknown")
                return false
            }
            return true
        }
        return type
    }

    private static func timestamp(
        _ reader: inout ThriftReader,
        _ field: ThriftReader.Field
    ) throws(ParquetError) -> LogicalType {
        var (unit, isAdjusted): (Unit?, Bool) = (nil, false)
        try reader.nestedStructure(field) { reader, field throws(ParquetError) in
            switch field.id {
            case 1: isAdjusted = try reader.bool(field)
            case 2:
                try reader.nestedStructure(field) { _, field throws(ParquetError) in
                    unit = [1: .milliseconds, 2: .microseconds, 3: .nanoseconds][field.id]
                    return false
                }
            default: return false
            }
            return true
        }
        guard let unit else { throw ParquetError(.schema, at: reader.position, "a timestamp without a known unit") }
        return .timestamp(unit, isAdjustedToUTC: isAdjusted)
    }

    private static func integer(
        _ reader: inout ThriftReader,
        _ field: ThriftReader.Field
    ) throws(ParquetError) -> LogicalType {
        var (bits, isSigned) = (0, true)
        try reader.nestedStructure(field) { reader, field throws(ParquetError) in
            switch field.id {
            case 1: bits = try reader.byte(field)
            case 2: isSigned = try reader.bool(field)
            default: return false
            }
            return true
        }
        return .integer(bits: bits, isSigned: isSigned)
    }
}

extension RowGroupMetadata {
    fileprivate static func read(_ reader: inout ThriftReader) throws(ParquetError) -> RowGroupMetadata {
        var group = RowGroupMetadata()
        try reader.structure { reader, field throws(ParquetError) in
            switch field.id {
            case 1: group.chunks = try reader.list(field, ChunkMetadata.read)
            case 2: group.byteCount = try reader.count(field)
            case 3: group.rowCount = try reader.count(field)
            case 5: group.fileOffset = try reader.count(field)
            case 6: group.compressedByteCount = try reader.count(field)
            default: return false
            }
            return true
        }
        guard !group.chunks.isEmpty else {
            throw ParquetError(.footer, at: reader.position, "a row group without columns")
        }
        return group
    }
}

extension ChunkMetadata {
    fileprivate static func read(_ reader: inout ThriftReader) throws(ParquetError) -> ChunkMetadata {
        var chunk = ChunkMetadata()
        var (offsetIndex, columnIndex) = ((offset: 0, length: 0), (offset: 0, length: 0))
        try reader.structure { reader, field throws(ParquetError) in
            switch field.id {
            case 1:
                chunk.isExternal = true
                return false
            case 3: try chunk.readMetadata(&reader, field)
            case 4: offsetIndex.offset = try reader.count(field)
            case 5: offsetIndex.length = try reader.count(field)
            case 6: columnIndex.offset = try reader.count(field)
            case 7: columnIndex.length = try reader.count(field)
            case 8, 9:
                chunk.isEncrypted = true
                return false
            default: return false
            }
            return true
        }
        // Required, so that one byte of a list cannot ask for the memory of a chunk.
        guard !chunk.path.isEmpty || chunk.isExternal || chunk.isEncrypted else {
            throw ParquetError(.chunk, at: reader.position, "a column chunk without a path")
        }
        chunk.offsetIndex = range(offsetIndex.offset, offsetIndex.length)
        chunk.columnIndex = range(columnIndex.offset, columnIndex.length)
        return chunk
    }

    private static func range(_ offset: Int, _ length: Int) -> Range<Int>? {
        let (end, isOver) = offset.addingReportingOverflow(length)
        return length > 0 && !isOver ? offset..<end : nil
    }

    private mutating func readMetadata(
        _ reader: inout ThriftReader,
        _ field: ThriftReader.Field
    ) throws(ParquetError) {
        var chunk = self
        try reader.nestedStructure(field) { reader, field throws(ParquetError) in
            switch field.id {
            case 1:
                let number = try reader.int32(field)
                guard let type = PhysicalType(rawValue: number) else {
                    throw ParquetError(.schema, at: reader.position, "there is no physical type \(number)")
                }
                chunk.type = type
            case 3: chunk.path = try reader.strings(field)
            case 4: chunk.codec = try reader.int32(field)
            case 5: chunk.valueCount = try reader.count(field)
            case 6: chunk.uncompressedByteCount = try reader.count(field)
            case 7: chunk.compressedByteCount = try reader.count(field)
            case 9: chunk.dataPageOffset = try reader.count(field)
            case 11: chunk.dictionaryPageOffset = try reader.count(field)
            case 12: chunk.statistics = try ColumnStatistics.read(&reader, field)
            default: return false
            }
            return true
        }
        self = chunk
    }
}

extension ColumnStatistics {
    fileprivate static func read(
        _ reader: inout ThriftReader,
        _ field: ThriftReader.Field
    ) throws(ParquetError) -> ColumnStatistics {
        var statistics = ColumnStatistics()
        try reader.nestedStructure(field) { reader, field throws(ParquetError) in
            switch field.id {
            // 1 and 2 are bounds in an order that nobody settled; they are left alone.
            case 3: statistics.nullCount = try reader.count(field)
            case 5: statistics.maximum = try reader.binary(field)
            case 6: statistics.minimum = try reader.binary(field)
            case 7: statistics.maximumIsExact = try reader.bool(field)
            case 8: statistics.minimumIsExact = try reader.bool(field)
            default: return false
            }
            return true
        }
        return statistics
    }
}

extension PageHeader {
    /// Reads the header at the start of `bytes`; gives it and its length.
    static func read(_ bytes: [UInt8]) throws(ParquetError) -> (header: PageHeader, length: Int) {
        var reader = ThriftReader(bytes)
        var header = PageHeader()
        try reader.structure { reader, field throws(ParquetError) in
            switch field.id {
            case 1: header.type = PageType(rawValue: try reader.int32(field))
            case 2: header.uncompressedSize = try reader.count(field)
            case 3: header.compressedSize = try reader.count(field)
            case 4: header.checksum = UInt32(bitPattern: try reader.int32(field))
            case 5: try header.readData(&reader, field)
            case 7: try header.readDictionary(&reader, field)
            case 8: try header.readDataV2(&reader, field)
            default: return false
            }
            return true
        }
        return (header, reader.position)
    }

    private mutating func readData(_ reader: inout ThriftReader, _ field: ThriftReader.Field) throws(ParquetError) {
        var header = self
        try reader.nestedStructure(field) { reader, field throws(ParquetError) in
            switch field.id {
            case 1: header.valueCount = try reader.count(field)
            case 2: header.encoding = try reader.int32(field)
            case 3: header.definitionEncoding = try reader.int32(field)
            default: return false
            }
            return true
        }
        self = header
    }

    private mutating func readDictionary(
        _ reader: inout ThriftReader,
        _ field: ThriftReader.Field
    ) throws(ParquetError) {
        var header = self
        try reader.nestedStructure(field) { reader, field throws(ParquetError) in
            switch field.id {
            case 1: header.valueCount = try reader.count(field)
            case 2: header.encoding = try reader.int32(field)
            default: return false
            }
            return true
        }
        self = header
    }

    private mutating func readDataV2(
        _ reader: inout ThriftReader,
        _ field: ThriftReader.Field
    ) throws(ParquetError) {
        var header = self
        try reader.nestedStructure(field) { reader, field throws(ParquetError) in
            switch field.id {
            case 1: header.valueCount = try reader.count(field)
            case 2: header.nullCount = try reader.count(field)
            case 3: header.rowCount = try reader.count(field)
            case 4: header.encoding = try reader.int32(field)
            case 5: header.definitionLevelsLength = try reader.count(field)
            case 6: header.repetitionLevelsLength = try reader.count(field)
            case 7: header.isCompressed = try reader.bool(field)
            default: return false
            }
            return true
        }
        self = header
    }
}

extension ColumnIndex {
    init(_ bytes: [UInt8]) throws(ParquetError) {
        var index = ColumnIndex()
        var reader = ThriftReader(bytes)
        try reader.structure { reader, field throws(ParquetError) in
            switch field.id {
            case 1: index.nullPages = try reader.bools(field)
            case 2: index.minimums = try reader.binaries(field)
            case 3: index.maximums = try reader.binaries(field)
            case 4: index.order = Order(rawValue: try reader.int32(field)) ?? .unordered
            case 5: index.nullCounts = try reader.int64s(field)
            default: return false
            }
            return true
        }
        self = index
    }
}

extension OffsetIndex {
    init(_ bytes: [UInt8]) throws(ParquetError) {
        var index = OffsetIndex()
        var reader = ThriftReader(bytes)
        try reader.structure { reader, field throws(ParquetError) in
            guard field.id == 1 else { return false }
            index.pages = try reader.list(field) { reader throws(ParquetError) in
                var location = Location()
                try reader.structure { reader, field throws(ParquetError) in
                    switch field.id {
                    case 1: location.offset = try reader.count(field)
                    case 2: location.byteCount = try reader.count(field)
                    case 3: location.firstRow = try reader.count(field)
                    default: return false
                    }
                    return true
                }
                return location
            }
            return true
        }
        self = index
    }
}
