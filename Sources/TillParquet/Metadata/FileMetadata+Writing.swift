extension FileMetadata {
    /// The footer as it stands in the file, without its length.
    var bytes: [UInt8] {
        ThriftWriter.bytes { writer in
            writer.write(1, version)
            writer.write(2, schema) { $1.write(to: &$0) }
            writer.write(3, Int64(rowCount))
            writer.write(4, rowGroups) { $1.write(to: &$0) }
            writer.write(5, keyValues) { writer, pair in
                writer.write(1, pair.key)
                writer.write(2, pair.value)
            }
            if let createdBy { writer.write(6, createdBy) }
            // Column orders: without them readers ignore `min_value` and `max_value`.
            writer.write(7, schema.dropFirst().map(\.name)) { writer, _ in writer.write(1) { _ in } }
        }
    }
}

extension SchemaElement {
    fileprivate func write(to writer: inout ThriftWriter) {
        if let type { writer.write(1, type.rawValue) }
        if let repetition { writer.write(3, repetition.rawValue) }
        writer.write(4, name)
        if type == nil { writer.write(5, Int32(childCount)) }
        if let convertedType { writer.write(6, convertedType) }
        guard logicalType != .none else { return }
        writer.write(10) { writer in logicalType.write(to: &writer) }
    }
}

extension LogicalType {
    fileprivate func write(to writer: inout ThriftWriter) {
        switch self {
        case .string: writer.write(1) { _ in }
        case .timestamp(let unit, let isAdjusted):
            writer.write(8) { writer in
                writer.write(1, isAdjusted)
                writer.write(2) { writer in
                    switch unit {
                    case .milliseconds: writer.write(1) { _ in }
                    case .microseconds: writer.write(2) { _ in }
                    case .nanoseconds: writer.write(3) { _ in }
                    }
                }
            }
        case .integer(let bits, let isSigned):
            writer.write(10) { writer in
                writer.writeByte(1, UInt8(bits))
                writer.write(2, isSigned)
            }
        case .none, .other: break
        }
    }
}

extension RowGroupMetadata {
    fileprivate func write(to writer: inout ThriftWriter) {
        writer.write(1, chunks) { $1.write(to: &$0) }
        writer.write(2, Int64(byteCount))
        writer.write(3, Int64(rowCount))
        writer.write(5, Int64(fileOffset))
        writer.write(6, Int64(compressedByteCount))
        // 16 bits; a file with more row groups than that goes without.
        if let ordinal, let ordinal = Int16(exactly: ordinal) { writer.write(7, ordinal) }
    }
}

extension ChunkMetadata {
    fileprivate func write(to writer: inout ThriftWriter) {
        // Deprecated and required: where the ColumnMetaData lies outside the footer, which is nowhere.
        writer.write(2, Int64(0))
        writer.write(3) { writer in writeMetadata(to: &writer) }
        if let offsetIndex {
            writer.write(4, Int64(offsetIndex.lowerBound))
            writer.write(5, Int32(offsetIndex.count))
        }
        if let columnIndex {
            writer.write(6, Int64(columnIndex.lowerBound))
            writer.write(7, Int32(columnIndex.count))
        }
    }

    private func writeMetadata(to writer: inout ThriftWriter) {
        writer.write(1, type.rawValue)
        writer.write(2, encodings.map(\.rawValue))
        writer.write(3, path.map { Array($0.utf8) })
        writer.write(4, codec)
        writer.write(5, Int64(valueCount))
        writer.write(6, Int64(uncompressedByteCount))
        writer.write(7, Int64(compressedByteCount))
        writer.write(9, Int64(dataPageOffset))
        if let dictionaryPageOffset { writer.write(11, Int64(dictionaryPageOffset)) }
        if let statistics { writer.write(12) { writer in statistics.write(to: &writer) } }
        writer.write(13, pageCounts) { writer, entry in
            writer.write(1, entry.type.rawValue)
            writer.write(2, entry.encoding.rawValue)
            writer.write(3, Int32(entry.count))
        }
    }
}

extension ColumnStatistics {
    fileprivate func write(to writer: inout ThriftWriter) {
        if let nullCount { writer.write(3, Int64(nullCount)) }
        if let maximum { writer.write(5, maximum) }
        if let minimum { writer.write(6, minimum) }
        if maximum != nil { writer.write(7, maximumIsExact) }
        if minimum != nil { writer.write(8, minimumIsExact) }
    }
}

extension PageHeader {
    /// A data page of version 1.
    static func data(
        _ encoding: Encoding,
        valueCount: Int,
        uncompressedSize: Int,
        compressedSize: Int,
        checksum: UInt32
    ) -> [UInt8] {
        page(.data, uncompressedSize, compressedSize, checksum) { writer in
            writer.write(5) { writer in
                writer.write(1, Int32(valueCount))
                writer.write(2, encoding.rawValue)
                writer.write(3, Encoding.rle.rawValue)
                writer.write(4, Encoding.rle.rawValue)
            }
        }
    }

    static func dictionary(
        entryCount: Int,
        uncompressedSize: Int,
        compressedSize: Int,
        checksum: UInt32
    ) -> [UInt8] {
        page(.dictionary, uncompressedSize, compressedSize, checksum) { writer in
            writer.write(7) { writer in
                writer.write(1, Int32(entryCount))
                writer.write(2, Encoding.plain.rawValue)
                writer.write(3, false)
            }
        }
    }

    private static func page(
        _ type: PageType,
        _ uncompressedSize: Int,
        _ compressedSize: Int,
        _ checksum: UInt32,
        _ body: (inout ThriftWriter) -> Void
    ) -> [UInt8] {
        ThriftWriter.bytes { writer in
            writer.write(1, type.rawValue)
            writer.write(2, Int32(uncompressedSize))
            writer.write(3, Int32(compressedSize))
            writer.write(4, Int32(bitPattern: checksum))
            body(&writer)
        }
    }
}

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
