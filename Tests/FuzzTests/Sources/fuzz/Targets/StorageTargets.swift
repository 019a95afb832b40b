import TillColumns
import TillInput
import TillParquet
import TillReceipts
import TillRows
import TillStorage
import TillTestSupport

@testable import TillPipeline

/// Files of our own: Parquet and partials.
enum StorageTargets {
    static let all = [
        FuzzTarget(name: "parquet", isStructured: false, check: checkParquet),
        FuzzTarget(name: "partial", isStructured: false, check: checkPartial),
    ]

    /// A file gives the same rows by other batches, and rows that are written and read come back.
    private static func checkParquet(_ bytes: [UInt8]) {
        guard let file = try? ParquetFile(MemoryFile(bytes)), file.rowCount < 10_000 else { return }
        guard let rows = try? rows(of: bytes, limit: 1000) else { return }
        let again = try? self.rows(of: bytes, limit: 1 + Int(bytes.chosen % 50))
        require(again == rows, "\(again?.count ?? -1) rows in other batches, not \(rows.count)")
    }

    private static func rows(of bytes: [UInt8], limit: Int) throws -> [Reading.Row] {
        let reader = try ParquetTableReader<TransactionColumn>(try ParquetFile(MemoryFile(bytes)))
        var rows: [Reading.Row] = []
        while true {
            var batch = RecordBatch<TransactionColumn>()
            var texts = TextDictionary()
            guard try reader.read(into: &batch, texts: &texts, limit: limit) > 0 else { return rows }
            rows += Reading.rows(of: batch, in: texts, from: 0)
        }
    }

    /// The bytes as they are, and with the lengths and checksums of their blocks mended, without which little would be
    /// read.
    private static func checkPartial(_ bytes: [UInt8]) {
        checkPartialAsItIs(bytes)
        checkPartialAsItIs(mended(bytes))
    }

    private static let kinds =
        (PartialBlock.allCases.map(\.rawValue) + [PartialFile.head, PartialFile.input, PartialFile.done])
        .map { Array($0.utf8) }

    /// A partial of the blocks whose names stand in `bytes`, each up to the next name.
    private static func mended(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 16 else { return bytes }
        var starts = (12..<bytes.count - 3).filter { start in
            kinds.contains { $0.elementsEqual(bytes[start..<start + 4]) }
        }
        starts.append(bytes.count)
        var result = Array(bytes[..<12])
        var count: UInt64 = 0
        for (start, end) in zip(starts, starts.dropFirst()) {
            let kind = String(decoding: bytes[start..<start + 4], as: UTF8.self)
            guard kind != PartialFile.done else { continue }
            let payload = start + 8 <= end - 4 ? Array(bytes[start + 8..<end - 4]) : []
            result += PartialFile.block(kind, payload)
            count += 1
        }
        return result + PartialFile.block(PartialFile.done, withUnsafeBytes(of: count.littleEndian) { Array($0) })
    }

    /// A partial that is read is written and read again to the same report.
    private static func checkPartialAsItIs(_ bytes: [UInt8]) {
        let file = ScratchFile(bytes, name: "in.tillpart")
        guard let report = merged(file.path, asPartial: false) else { return }
        guard let partial = merged(file.path, asPartial: true) else {
            return require(false, "a partial is not written again")
        }
        let other = ScratchFile(partial, name: "again.tillpart")
        require(merged(other.path, asPartial: false) == report, "the report of a partial that was written again")
    }

    private static func merged(_ path: String, asPartial: Bool) -> [UInt8]? {
        let output = "\(ScratchFile.folder)/merged"
        do {
            let merge = try PartialMerge([path], choosing: [])
            if asPartial, merge.kind == .closed { return ScratchFile.bytes(of: path) }
            var settling = ReportSettling(report: merge.head.report, settings: try Settings().over(merge.head.settling))
            settling.settings.files = merge.head.files
            var outputs = ReportOutputs()
            (outputs.path, outputs.format, outputs.writesPartial) = (output, asPartial ? nil : "json", asPartial)
            guard try merge.write(settling, outputs) == .finished else { return nil }
            let written = ScratchFile.bytes(of: output)
            if !asPartial, let written { require(PlainJSON.isValid(written), "JSON of a merged report") }
            return written
        } catch {
            require(!"\(error)".isEmpty, "a refusal without a reason")
            return nil
        }
    }
}

/// A file that lies in memory.
private final class MemoryFile: ParquetSource {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var byteCount: Int { bytes.count }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) {
        buffer.copyBytes(from: bytes[offset..<offset + buffer.count])
    }
}
