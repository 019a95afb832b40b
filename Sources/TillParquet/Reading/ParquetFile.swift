public import TillCore

/// An open Parquet file: its footer, checked against the file.
///
///     PAR1 │ pages … │ footer │ its length, 4 bytes │ PAR1
///
/// The footer is not trusted: its places and sizes are checked against the file when it is opened, and its data about
/// pages when they are read.
public final class ParquetFile {
    /// Bytes of the longest footer that is read.
    public static let footerLimit = 64 << 20
    /// Nodes of the largest schema that is read.
    static let schemaLimit = 10_000

    /// A column of the file.
    struct Leaf {
        var path: [String]
        var element: SchemaElement
        /// Whether it is at the top level and not repeated; only such columns can be read.
        var isFlat: Bool
        /// Its number among the columns of every row group.
        var index: Int

        /// Whether a value may be null; the highest definition level is 1 then, and else 0.
        var isOptional: Bool { element.repetition == .optional }
    }

    let source: any ParquetSource
    let metadata: FileMetadata
    let leaves: [Leaf]
    /// The offset of the footer, which is the limit of all pages.
    let footerStart: Int

    /// Whether bytes begin like a Parquet file.
    public static func recognizes(_ head: [UInt8]) -> Bool { head.starts(with: ParquetFileBuilder.magic) }

    /// Opens a file and reads its footer. Throws ``Finding`` for a file that is broken, encrypted or over a limit.
    public init(_ source: any ParquetSource) throws(Finding) {
        self.source = source
        let end = source.byteCount
        guard end >= 12 else {
            throw Finding("parquet.magic", at: end, "a Parquet file has 12 bytes at least, this \(end)")
        }
        guard try source.bytes(0..<4) == ParquetFileBuilder.magic else {
            throw Finding("parquet.magic", "the file does not begin with PAR1")
        }
        let tail = try source.bytes(end - 8..<end)
        guard tail[4...].elementsEqual(ParquetFileBuilder.magic) else {
            if tail[4...].elementsEqual("PARE".utf8) {
                throw Finding("parquet.encrypted", at: end - 4, "the file is encrypted")
            }
            throw Finding("parquet.magic", at: end - 4, "the file does not end with PAR1; it may be cut short")
        }
        let length = tail[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= end - 12 else {
            throw Finding("parquet.footer-length", at: end - 8, "a footer of \(length) bytes in a file of \(end)")
        }
        guard length <= Self.footerLimit else {
            let reason = "a footer of \(length) bytes (limit: footer size, \(Self.footerLimit))"
            throw Finding("parquet.too-large", at: end - 8, reason)
        }
        footerStart = end - 8 - length
        let bytes = try source.bytes(footerStart..<end - 8)
        do {
            metadata = try FileMetadata(bytes)
            leaves = try Self.leaves(of: metadata.schema)
        } catch {
            throw error.at(footerStart + error.offset)
        }
        try checkRowGroups()
    }

    /// Rows of all row groups together.
    public var rowCount: Int { metadata.rowCount }
    /// Row groups of the file, also those without rows.
    public var rowGroupCount: Int { metadata.rowGroups.count }

    /// The names of the columns that could be read.
    public var columnNames: [String] { leaves.filter(\.isFlat).map { $0.path[0] } }

    /// The value of a key of the footer's metadata.
    public func value(ofKey key: String) -> String? { metadata.keyValues.first { $0.key == key }?.value }

    /// The columns among the nodes of the schema, which come parents first.
    private static func leaves(of schema: [SchemaElement]) throws(Finding) -> [Leaf] {
        func broken(_ reason: String) -> Finding { Finding("parquet.schema", reason) }
        guard schema.count <= schemaLimit else {
            let reason = "a schema of \(schema.count) nodes (limit: \(schemaLimit))"
            throw Finding("parquet.too-large", reason)
        }
        guard let root = schema.first, root.type == nil else { throw broken("the schema has no root") }
        var leaves: [Leaf] = []
        // Groups that are open, and how many of their children are still to come.
        var open = [(name: root.name, left: root.childCount)]
        for element in schema.dropFirst() {
            while let last = open.last, last.left == 0 { open.removeLast() }
            guard !open.isEmpty else { throw broken("the schema goes on behind its root") }
            open[open.count - 1].left -= 1
            let path = open.dropFirst().map(\.name) + [element.name]
            guard path.count <= 100 else { throw broken("the schema is more than 100 deep") }
            if element.type == nil {
                guard element.childCount > 0 else { throw broken("\(element.name) has neither a type nor children") }
                open.append((element.name, element.childCount))
            } else {
                let isFlat = path.count == 1 && element.repetition != .repeated
                leaves.append(Leaf(path: path, element: element, isFlat: isFlat, index: leaves.count))
            }
        }
        guard open.allSatisfy({ $0.left == 0 }) else { throw broken("the schema ends early") }
        return leaves
    }

    private func checkRowGroups() throws(Finding) {
        var rows = 0
        for group in metadata.rowGroups {
            guard group.chunks.count == leaves.count else {
                let reason = "a row group has \(group.chunks.count) columns, the schema \(leaves.count)"
                throw Finding("parquet.chunk", at: footerStart, reason)
            }
            let (sum, isOver) = rows.addingReportingOverflow(group.rowCount)
            guard !isOver else { throw Finding("parquet.row-count", at: footerStart, "more rows than can be counted") }
            rows = sum
            for (chunk, leaf) in zip(group.chunks, leaves) where leaf.isFlat { try check(chunk, leaf, group) }
        }
        guard rows == metadata.rowCount else {
            let reason = "the row groups have \(rows) rows, the file \(metadata.rowCount)"
            throw Finding("parquet.row-count", at: footerStart, reason)
        }
    }

    private func check(_ chunk: ChunkMetadata, _ leaf: Leaf, _ group: RowGroupMetadata) throws(Finding) {
        func broken(_ code: String, _ reason: String) -> Finding {
            Finding(code, at: footerStart, path: leaf.path[0], reason)
        }
        guard !chunk.isEncrypted else { throw broken("parquet.encrypted", "the column is encrypted") }
        guard !chunk.isExternal else {
            throw broken("parquet.chunk", "the column lies in another file; name the files themselves")
        }
        guard chunk.path == leaf.path, chunk.type == leaf.element.type else {
            throw broken("parquet.chunk", "the column is not the one that the schema has at its place")
        }
        guard chunk.valueCount == group.rowCount else {
            throw broken(
                "parquet.row-count",
                "the column has \(chunk.valueCount) rows, its row group \(group.rowCount)"
            )
        }
        // The chunks of a row group without rows have no pages, and some writers no offsets.
        guard group.rowCount > 0 else { return }
        guard let range = chunk.range, range.lowerBound >= 4, range.upperBound <= footerStart else {
            throw broken("parquet.chunk", "the column does not lie within the file")
        }
    }
}

extension ChunkMetadata {
    /// The range of the pages. A dictionary page is the first of them, also if the footer does not mention it.
    var range: Range<Int>? {
        var start = column.dataPageOffset
        // Some writers write 0 for none.
        if let dictionary = column.dictionaryPageOffset, dictionary > 0 { start = min(start, dictionary) }
        let (end, isOver) = start.addingReportingOverflow(column.compressedByteCount)
        return isOver ? nil : start..<end
    }
}
