import TillCore

// The fields of the structs of parquet.thrift, as far as they are used, with their ids there.

extension FileMetadata: ThriftStruct {
    /// Reads a footer; offsets of errors count from its start.
    init(_ bytes: [UInt8]) throws(Finding) {
        var reader = ThriftReader(bytes)
        self.init()
        try reader.structure(into: &self)
    }

    func check(_ ids: ThriftIDs, at position: Int) throws(Finding) {
        guard ids.contains(2), ids.contains(4) else {
            throw Finding("parquet.footer", "the footer has no \(ids.contains(2) ? "row groups" : "schema")")
        }
    }

    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.int32(1, &version)
        try coder.list(2, &schema)
        try coder.count(3, &rowCount)
        try coder.list(4, &rowGroups)
        try coder.list(5, &keyValues)
        try coder.text(6, &createdBy)
        // Column orders: without them readers ignore `min_value` and `max_value`.
        try coder.write { writer in
            writer.write(7, schema.dropFirst().map(\.name)) { writer, _ in writer.write(1) { _ in } }
        }
    }
}

extension KeyValue: ThriftStruct {
    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.text(1, &key)
        try coder.text(2, &value)
    }
}

extension SchemaElement: ThriftStruct {
    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        // Only groups have children.
        var children = type == nil ? childCount : nil
        var union = LogicalTypeUnion(logicalType)
        try coder.enumeration(1, &type, "physical type")
        try coder.enumeration(3, &repetition, "repetition")
        try coder.text(4, &name)
        try coder.count(5, &children, isWide: false)
        try coder.int32(6, &convertedType)
        try coder.structure(10, &union)
        childCount = children ?? childCount
        logicalType = union?.type ?? logicalType
    }

    func check(_ ids: ThriftIDs, at position: Int) throws(Finding) {
        guard ids.contains(4) else { throw Finding("parquet.schema", at: position, "a schema element without a name") }
    }
}

/// The union of LogicalTypes.md; only types that can become our columns are distinguished.
private struct LogicalTypeUnion: ThriftStruct {
    var isString = false
    var timestamp: TimestampType?
    var integer: IntegerType?
    /// The id of any other type.
    var other: Int16?

    init() {}

    init?(_ type: LogicalType) {
        switch type {
        case .string: isString = true
        case .timestamp(let unit, let isAdjusted): timestamp = TimestampType(isAdjusted, TimeUnit(unit))
        case .integer(let bits, let isSigned): integer = IntegerType(bits: UInt8(bits), isSigned: isSigned)
        case .none, .other: return nil
        }
    }

    private static let names: [Int16: String] = [
        2: "MAP", 3: "LIST", 5: "DECIMAL", 6: "DATE", 7: "TIME", 11: "NULL", 13: "BSON", 14: "UUID", 15: "FLOAT16",
    ]

    var type: LogicalType {
        switch (timestamp, integer, other) {
        case (let timestamp?, _, _):
            .timestamp(timestamp.unit?.unit ?? .milliseconds, isAdjustedToUTC: timestamp.isAdjustedToUTC)
        case (_, let integer?, _): .integer(bits: Int(integer.bits), isSigned: integer.isSigned)
        // ENUM and JSON are text with a further meaning.
        case (_, _, 1), (_, _, 4), (_, _, 12): .string
        case (_, _, let id?): .other(Self.names[id] ?? "unknown")
        default: .none
        }
    }

    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.presence(1, &isString)
        try coder.structure(8, &timestamp)
        try coder.structure(10, &integer)
        try coder.remaining(&other)
    }
}

private struct TimestampType: ThriftStruct {
    var isAdjustedToUTC = false
    var unit: TimeUnit?

    init() {}

    init(_ isAdjustedToUTC: Bool, _ unit: TimeUnit) { (self.isAdjustedToUTC, self.unit) = (isAdjustedToUTC, unit) }

    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.bool(1, &isAdjustedToUTC)
        try coder.structure(2, &unit)
    }

    func check(_ ids: ThriftIDs, at position: Int) throws(Finding) {
        guard unit?.unit != nil else {
            throw Finding("parquet.schema", at: position, "a timestamp without a known unit")
        }
    }
}

/// The union `TimeUnit`: an empty struct whose id is the unit.
private struct TimeUnit: ThriftStruct {
    private var units = [false, false, false]
    private static let all: [LogicalType.Unit] = [.milliseconds, .microseconds, .nanoseconds]

    init() {}

    init(_ unit: LogicalType.Unit) { units = Self.all.map { $0 == unit } }

    var unit: LogicalType.Unit? { units.firstIndex(of: true).map { Self.all[$0] } }

    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        for index in units.indices { try coder.presence(Int16(index + 1), &units[index]) }
    }
}

private struct IntegerType: ThriftStruct {
    var bits: UInt8 = 0
    var isSigned = true

    init() {}

    init(bits: UInt8, isSigned: Bool) { (self.bits, self.isSigned) = (bits, isSigned) }

    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.byte(1, &bits)
        try coder.bool(2, &isSigned)
    }
}

extension RowGroupMetadata: ThriftStruct {
    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.list(1, &chunks)
        try coder.count(2, &byteCount)
        try coder.count(3, &rowCount)
        try coder.count(5, &fileOffset)
        try coder.count(6, &compressedByteCount)
        // 16 bits; omitted in a file with more row groups.
        try coder.write { writer in
            if let ordinal, let ordinal = Int16(exactly: ordinal) { writer.write(7, ordinal) }
        }
    }

    func check(_ ids: ThriftIDs, at position: Int) throws(Finding) {
        guard !chunks.isEmpty else { throw Finding("parquet.footer", at: position, "a row group without columns") }
    }
}

extension ChunkMetadata: ThriftStruct {
    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.presence(1, &isExternal)
        // Deprecated and required: where the ColumnMetaData stands outside the footer; it never does.
        try coder.write { $0.write(2, Int64(0)) }
        var column: ColumnMetadata? = column
        try coder.structure(3, &column)
        self.column = column ?? self.column
        try coder.write { writer in
            if let offsetIndex {
                writer.write(4, Int64(offsetIndex.lowerBound))
                writer.write(5, Int32(offsetIndex.count))
            }
            if let columnIndex {
                writer.write(6, Int64(columnIndex.lowerBound))
                writer.write(7, Int32(columnIndex.count))
            }
        }
        try coder.presence(8, &isEncrypted)
        try coder.presence(9, &isEncrypted)
    }

    func check(_ ids: ThriftIDs, at position: Int) throws(Finding) {
        // Required, so that one byte of a list cannot cause the allocation of a chunk.
        guard !column.path.isEmpty || isExternal || isEncrypted else {
            throw Finding("parquet.chunk", at: position, "a column chunk without a path")
        }
    }
}

extension ColumnMetadata: ThriftStruct {
    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.enumeration(1, &type, "physical type")
        try coder.write { $0.write(2, encodings.map(\.rawValue)) }
        try coder.texts(3, &path)
        try coder.int32(4, &codec)
        try coder.count(5, &valueCount)
        try coder.count(6, &uncompressedByteCount)
        try coder.count(7, &compressedByteCount)
        try coder.count(9, &dataPageOffset)
        try coder.count(11, &dictionaryPageOffset, isWide: true)
        try coder.structure(12, &statistics)
        try coder.write { writer in
            writer.write(13, pageCounts) { writer, entry in
                writer.write(1, entry.type.rawValue)
                writer.write(2, entry.encoding.rawValue)
                writer.write(3, Int32(entry.count))
            }
        }
    }
}

extension ColumnStatistics: ThriftStruct {
    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        var exactness = (maximum: maximum.map { _ in maximumIsExact }, minimum: minimum.map { _ in minimumIsExact })
        // 1 and 2 are bounds in an order that the format never defined; they are not used.
        try coder.count(3, &nullCount, isWide: true)
        try coder.binary(5, &maximum)
        try coder.binary(6, &minimum)
        try coder.bool(7, &exactness.maximum)
        try coder.bool(8, &exactness.minimum)
        maximumIsExact = exactness.maximum ?? maximumIsExact
        minimumIsExact = exactness.minimum ?? minimumIsExact
    }
}

// MARK: - Pages

extension PageHeader: ThriftStruct {
    /// Reads the header at the start of `bytes`. Returns it and its length.
    static func read(_ bytes: [UInt8]) throws(Finding) -> (header: PageHeader, length: Int) {
        var reader = ThriftReader(bytes)
        var header = PageHeader()
        try reader.structure(into: &header)
        return (header, reader.position)
    }

    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        var bits = checksum.map { Int32(bitPattern: $0) }
        try coder.enumeration(1, &type, nil)
        try coder.count(2, &uncompressedSize, isWide: false)
        try coder.count(3, &compressedSize, isWide: false)
        try coder.int32(4, &bits)
        try coder.structure(5, &data)
        try coder.structure(7, &dictionary)
        try coder.structure(8, &dataV2)
        checksum = bits.map { UInt32(bitPattern: $0) }
    }
}

extension PageHeader.DataPage: ThriftStruct {
    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.count(1, &valueCount, isWide: false)
        try coder.int32(2, &encoding)
        try coder.int32(3, &definitionEncoding)
        // The encoding of repetition levels, which flat columns do not have.
        try coder.write { $0.write(4, Encoding.rle.rawValue) }
    }
}

extension PageHeader.DictionaryPage: ThriftStruct {
    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.count(1, &entryCount, isWide: false)
        try coder.int32(2, &encoding)
        // Whether it is sorted.
        try coder.write { writer in
            var isSorted: Bool? = false
            writer.bool(3, &isSorted)
        }
    }
}

extension PageHeader.DataPageV2: ThriftStruct {
    mutating func code<Coder: ThriftCoder>(_ coder: inout Coder) throws(Coder.Failure) {
        try coder.count(1, &valueCount, isWide: false)
        try coder.count(2, &nullCount, isWide: false)
        try coder.count(3, &rowCount, isWide: false)
        try coder.int32(4, &encoding)
        try coder.count(5, &definitionLevelsLength, isWide: false)
        try coder.count(6, &repetitionLevelsLength, isWide: false)
        try coder.bool(7, &isCompressed)
    }
}

// MARK: - Page indexes, which are only written

extension ColumnIndex {
    var bytes: [UInt8] {
        ThriftWriter.bytes { writer in
            writer.write(1, nullPages)
            writer.write(2, minimums)
            writer.write(3, maximums)
            writer.write(4, order.rawValue)
            writer.write(5, nullCounts)
        }
    }
}

extension OffsetIndex {
    var bytes: [UInt8] {
        ThriftWriter.bytes { writer in
            writer.write(1, pages) { writer, page in
                writer.write(1, Int64(page.offset))
                writer.write(2, Int32(page.byteCount))
                writer.write(3, Int64(page.firstRow))
            }
        }
    }
}
