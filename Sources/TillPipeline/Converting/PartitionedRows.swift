import TillColumns
import TillParquet
import TillStorage

/// Rows of a table by partition, in the order in which they came.
///
/// At most ``memoryLimit`` bytes of them are in memory. Of what is more, the largest partitions go to a temporary file,
/// each as a segment that tells where the one before is:
///
///     [offset of the segment before, 8 bytes][bytes of rows, 8 bytes][rows]
///
/// A row is its presence (``RecordBatch/presence(row:)``) and 8 bytes for each present cell; a text follows its length,
/// and an identifier that is a text follows -1.
struct PartitionedRows<Column: TableColumn> {
    private var open: [UInt64: [UInt8]] = [:]
    private var openCount = 0
    /// Where the last segment of a partition is.
    private var last: [UInt64: Int] = [:]
    private var file: (any SpillFile)?
    private var fileEnd = 0
    private let columns = Array(Column.allCases)

    private static var memoryLimit: Int { 16 << 20 }
    private static var headCount: Int { 16 }
    /// Rows and bytes that are decoded at once.
    private static var blockRows: Int { 1024 }
    private static var blockBytes: Int { 1 << 20 }

    /// The numbers of the partitions that have rows, in order.
    var partitions: [UInt64] { Set(open.keys).union(last.keys).sorted() }

    mutating func append(
        _ batch: borrowing RecordBatch<Column>,
        _ texts: borrowing TextDictionary,
        row: Int,
        to partition: UInt64
    ) throws {
        let count = Self.encode(batch, texts, row, columns, into: &open[partition, default: []])
        openCount += count
        if openCount > Self.memoryLimit { try spill() }
    }

    /// Returns the number of bytes.
    private static func encode(
        _ batch: borrowing RecordBatch<Column>,
        _ texts: borrowing TextDictionary,
        _ row: Int,
        _ columns: [Column],
        into bytes: inout [UInt8]
    ) -> Int {
        let start = bytes.count
        append(Int64(bitPattern: batch.presence(row: row)), to: &bytes)
        for column in columns {
            guard let word = batch[column, row] else { continue }
            switch column.type {
            case .text: append(Int(word), of: texts, to: &bytes)
            case .identifier:
                let code = Identifier(word: word).code
                append(code == nil ? word : -1, to: &bytes)
                if let code { append(code, of: texts, to: &bytes) }
            case .int64, .int32, .bool, .instant: append(word, to: &bytes)
            }
        }
        return bytes.count - start
    }

    private static func append(_ word: Int64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private static func append(_ code: Int, of texts: borrowing TextDictionary, to bytes: inout [UInt8]) {
        append(Int64(texts.byteCount(of: code)), to: &bytes)
        texts.withBytes(of: code) { text in text.withUnsafeBytes { bytes.append(contentsOf: $0) } }
    }

    /// Moves the largest partitions out of memory, until half of it is free.
    private mutating func spill() throws {
        let file = try self.file ?? TemporaryFiles().makeFile()
        self.file = file
        for (partition, rows) in open.sorted(by: { ($1.value.count, $0.key) < ($0.value.count, $1.key) }) {
            guard openCount > Self.memoryLimit / 2 else { return }
            var segment: [UInt8] = []
            segment.reserveCapacity(Self.headCount + rows.count)
            for word in [last[partition] ?? -1, rows.count] {
                withUnsafeBytes(of: Int64(word).littleEndian) { segment.append(contentsOf: $0) }
            }
            segment += rows
            try file.write(segment, at: fileEnd)
            last[partition] = fileEnd
            fileEnd += segment.count
            openCount -= rows.count
            open[partition] = nil
        }
    }

    /// Writes the rows of a partition.
    func write(_ partition: UInt64, to writer: ParquetWriter) throws {
        if let file, var offset = last[partition] {
            var segments: [(offset: Int, count: Int)] = []
            while offset >= 0 {
                let head = try file.read(Self.headCount, at: offset)
                let (before, count) = head.withUnsafeBytes { (Self.word($0, 0), Self.word($0, 8)) }
                segments.append((offset + Self.headCount, Int(count)))
                offset = Int(before)
            }
            for segment in segments.reversed() { try decode(file.read(segment.count, at: segment.offset), writer) }
        }
        if let rows = open[partition] { try decode(rows, writer) }
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int64 {
        Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
    }

    private func decode(_ rows: [UInt8], _ writer: ParquetWriter) throws {
        try rows.withUnsafeBytes { bytes in
            var offset = 0
            func word() -> Int64 {
                defer { offset += 8 }
                return Self.word(bytes, offset)
            }
            while offset < bytes.count {
                var batch = RecordBatch<Column>()
                var texts = TextDictionary()
                let start = offset
                func text() -> Int64 {
                    let count = Int(word())
                    defer { offset += count }
                    let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
                    return Int64(texts.code(for: RawSpan(_unsafeBytes: part)))
                }
                while offset < bytes.count, batch.rowCount < Self.blockRows, offset - start < Self.blockBytes {
                    let presence = UInt64(bitPattern: word())
                    batch.beginRow()
                    for column in columns where presence >> UInt64(column.rawValue) & 1 == 1 {
                        switch column.type {
                        case .text: batch.set(column, text())
                        case .identifier:
                            let number = word()
                            batch.set(column, number < 0 ? Identifier(code: Int(text())).word : number)
                        case .int64, .int32, .bool, .instant: batch.set(column, word())
                        }
                    }
                    batch.endRow()
                }
                try writer.append(batch, texts: texts)
            }
        }
    }
}
