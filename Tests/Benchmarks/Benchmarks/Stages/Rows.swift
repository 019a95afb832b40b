import TillColumns
import TillInput
import TillParquet
import TillReceipts
import TillRows

/// Rows of one chunk, decoded before the clock runs.
final class Rows: Sendable {
    static let verify = Dump.verify.chunks.map { chunk in Rows(chunk, format: "verify") }
    static let events = Dump.events.chunks.map { chunk in Rows(chunk, format: "event") }
    /// A file of all transactions of ``verify``.
    static let parquet: [UInt8] = {
        do {
            return try writeParquet(verify)
        } catch {
            fatalError("Parquet of the samples cannot be written: \(error)")
        }
    }()

    let batch: RowBatch

    private init(_ chunk: [UInt8], format: String) {
        var batch = RowBatch()
        var reader = DocumentReader(format: format)
        Self.decode(chunk, with: &reader, into: &batch)
        self.batch = batch
    }

    /// Decodes a chunk of documents that are all in order.
    static func decode(_ chunk: [UInt8], with reader: inout DocumentReader, into batch: inout RowBatch) {
        let summary = reader.read(
            chunk.span.bytes,
            limit: chunk.count - ByteBuffer.padding,
            streamOffset: 0,
            isFinal: true,
            into: &batch
        )
        precondition(summary.rejects.isEmpty && summary.accepted > 0, "\(summary.rejects.first as Any)")
    }

    /// The file of some transactions, made on one thread.
    static func writeParquet(_ rows: [Rows]) throws -> [UInt8] {
        let output = Output()
        let writer = try ParquetWriter(
            columns: ParquetColumn.columns(of: TransactionColumn.self),
            keyValues: [],
            createdBy: "tillroll benchmarks",
            queue: EncodingQueue(jobs: 1),
            write: { output.bytes += $0 }
        )
        for rows in rows { try writer.append(rows.batch.transactions, texts: rows.batch.dictionary) }
        try writer.finish()
        return output.bytes
    }

    /// Reads a file of transactions; gives how many there were.
    static func readParquet(_ file: [UInt8]) throws -> Int {
        let reader = try ParquetTableReader<TransactionColumn>(ParquetFile(MemorySource(file)))
        var batch = RowBatch()
        var total = 0
        while true {
            batch.removeAll()
            let count = try reader.read(into: &batch.transactions, texts: &batch.dictionary, limit: 16_384)
            guard count > 0 else { return total }
            total += count
        }
    }

    private final class Output {
        var bytes: [UInt8] = []
    }
}

/// A file in memory.
private final class MemorySource: ParquetSource {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var byteCount: Int { bytes.count }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) {
        buffer.copyBytes(from: bytes[offset..<offset + buffer.count])
    }
}
