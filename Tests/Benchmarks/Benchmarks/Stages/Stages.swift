import Benchmark
import TillColumns
import TillInput
import TillJSON
import TillLedger
import TillReceipts
import TillRows

/// Each stage, and beside it its floor: `NAME.sum` adds up the same bytes, eight at a time; `NAME.library` is the
/// inflating library with nothing around it. All on one thread.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.throughput, .wallClock, bytesMetric],
        warmupIterations: 2,
        maxDuration: .seconds(2),
        maxIterations: 200
    )
    registerParsing()
    registerDecoding()
    registerInflating()
    registerTables()
}

private let bytesMetric = BenchmarkMetric.custom("bytes", polarity: .prefersLarger, useScalingFactor: false)

/// A stage that handles `byteCount` bytes each time.
private func stage(_ name: String, _ byteCount: Int, _ body: @escaping @Sendable () throws -> Int) {
    Benchmark(name) { benchmark in
        let result = try body()
        blackHole(result)
        benchmark.measurement(bytesMetric, byteCount)
    }
}

private func floor(_ name: String, _ bytes: @escaping @autoclosure @Sendable () -> [UInt8]) {
    let bytes = bytes()
    stage("\(name).sum", bytes.count) { sum(bytes.span.bytes) }
}

private func sum(_ bytes: RawSpan) -> Int {
    var total: UInt64 = 0
    for word in 0..<bytes.byteCount / 8 {
        total &+= bytes.unsafeLoadUnaligned(fromByteOffset: word * 8, as: UInt64.self)
    }
    return Int(truncatingIfNeeded: total)
}

private func registerParsing() {
    let verify = Dump.verify
    stage("json-skip", verify.bytes.count) {
        var documents = 0
        for chunk in verify.chunks {
            var cursor = JSONCursor(chunk.span.bytes, limit: chunk.count - ByteBuffer.padding)
            cursor.skipWhitespace()
            while cursor.position < cursor.limit {
                try cursor.skipValue()
                cursor.skipWhitespace()
                documents += 1
            }
        }
        return documents
    }
    floor("json-skip", verify.bytes)

    let digits = Dump.base64
    let lines = digits.lines.map(Array.init)
    stage("base64", digits.bytes.count) {
        var decoded: [UInt8] = []
        var total = 0
        for line in lines {
            try Base64.decode(line.span.bytes, into: &decoded)
            total += decoded.count
        }
        return total
    }
    floor("base64", digits.bytes)
}

private func registerDecoding() {
    for (format, dump) in [("verify", Dump.verify), ("pkcs7", .pkcs7), ("event", .events)] {
        stage("decode-\(format)", dump.bytes.count) {
            var reader = DocumentReader()
            var batch = RowBatch()
            var rows = 0
            for chunk in dump.chunks {
                batch.removeAll()
                Rows.decode(chunk, with: &reader, into: &batch)
                rows += batch.transactions.rowCount + batch.events.rowCount
            }
            return rows
        }
        floor("decode-\(format)", dump.bytes)
    }
}

private func registerInflating() {
    let size = Dump.verify.bytes.count
    let memory = Memory(byteCount: 1 << 20)
    let gzip = Compressed.gzip
    stage("inflate-gzip", size) { try gzip.inflate(into: memory.bytes) }
    stage("inflate-gzip.library", size) { gzip.inflateWithZlib(into: memory.bytes) }
    let zstd = Compressed.zstd
    stage("inflate-zstd", size) { try zstd.inflate(into: memory.bytes) }
    stage("inflate-zstd.library", size) { zstd.inflateWithZstd(into: memory.bytes) }
    // What is read, and not what comes of it, would be too little to compare with.
    floor("inflate-gzip", Dump.verify.bytes)
    floor("inflate-zstd", Dump.verify.bytes)
}

/// The bytes of a table are its cells: eight for each row and column.
private func registerTables() {
    let verify = Rows.verify
    let events = Rows.events
    let rowCount = verify.reduce(0) { $0 + $1.batch.transactions.rowCount }
    let byteCount = rowCount * TransactionColumn.allCases.count * 8
    let eventBytes = events.reduce(0) { $0 + $1.batch.events.rowCount } * EventColumn.allCases.count * 8
    for (name, batches, byteCount) in [("transactions", verify, byteCount), ("events", events, eventBytes)] {
        stage("ledger-\(name)", byteCount) {
            var ledger = Ledger(needs: .failures)
            for rows in batches { ledger.update(with: rows.batch) }
            return ledger.rowCount
        }
        floor("ledger-\(name)", [UInt8](repeating: 1, count: byteCount))
    }
    stage("parquet-write", byteCount) { try Rows.writeParquet(verify).count }
    floor("parquet-write", [UInt8](repeating: 1, count: byteCount))
    let file = Rows.parquet
    stage("parquet-read", byteCount) { try Rows.readParquet(file) }
    floor("parquet-read", [UInt8](repeating: 1, count: byteCount))
}

/// Memory that all runs of a stage inflate into.
private final class Memory: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    init(byteCount: Int) { bytes = .allocate(byteCount: byteCount, alignment: 64) }

    deinit { bytes.deallocate() }
}
