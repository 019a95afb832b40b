import TillColumns
import TillParquet
import TillTestSupport

/// A column of each type, for tests.
enum SampleColumn: Int, TableColumn {
    case word, essay, id, big, small, flag, at

    static let tableName = "samples"

    var name: String { "\(self)" }

    var type: ColumnType {
        switch self {
        case .word, .essay: .text
        case .id: .identifier
        case .big: .int64
        case .small: .int32
        case .flag: .bool
        case .at: .instant
        }
    }
}

typealias SampleRow = Row<SampleColumn>

/// How a column's nulls lie.
enum NullPattern: CaseIterable {
    case none, all, alternate, runs, random, firstOnly, lastOnly

    func isNull(_ index: Int, of count: Int, _ generator: inout SplitMix64) -> Bool {
        switch self {
        case .none: false
        case .all: true
        case .alternate: index.isMultiple(of: 2)
        case .runs: index / 37 % 3 == 1
        case .random: generator.once(in: 3)
        case .firstOnly: index > 0
        case .lastOnly: index < count - 1
        }
    }
}

/// How the values of a column are spread.
enum ValueSpread: CaseIterable {
    case constant, few, rising, anything

    func row(_ index: Int, _ generator: inout SplitMix64) -> SampleRow {
        let number: Int64 =
            switch self {
            case .constant: 7
            case .few: Int64(generator.below(5))
            case .rising: 1_700_000_000_000 + Int64(index) * 1000 + Int64(generator.below(900))
            case .anything: generator.pick([.min, .max, -1, 0, Int64(bitPattern: generator.next())])
            }
        let word = self == .anything ? String(generator.next(), radix: 36) + "é" : "w\(number % 1000)"
        let essay = self == .anything ? String(repeating: "日本😀", count: generator.below(30)) + word : word
        return [
            .word: .text(word), .essay: .text(essay),
            .id: .text(number > 0 ? String(number) : generator.pick(["007", "", "abc", "18446744073709551616"])),
            .big: .number(number), .small: .number(Int64(Int32(truncatingIfNeeded: number))),
            .flag: .number(number & 1), .at: .number(number),
        ]
    }
}

enum SampleTable {
    static func rows(
        _ count: Int,
        _ spread: ValueSpread,
        _ pattern: NullPattern,
        _ generator: inout SplitMix64
    ) -> [SampleRow] {
        (0..<count).map { index in
            let full = spread.row(index, &generator)
            var row: SampleRow = [:]
            for column in SampleColumn.allCases where !pattern.isNull(index, of: count, &generator) {
                row[column] = full[column]
            }
            return row
        }
    }

    /// A file of the rows, which come to the writer in batches of `batchSizes`, over and over.
    static func file(
        _ rows: [SampleRow],
        options: ParquetOptions = ParquetOptions(),
        jobs: Int = 1,
        batchSizes: [Int] = [1000]
    ) throws -> [UInt8] {
        final class Output {
            var bytes: [UInt8] = []
        }
        let output = Output()
        let writer = try ParquetWriter(
            columns: ParquetColumn.columns(of: SampleColumn.self),
            keyValues: [("answer", "42")],
            createdBy: "tests",
            queue: EncodingQueue(jobs: jobs, options: options),
            write: { output.bytes += $0 }
        )
        var start = 0
        var turn = 0
        while start < rows.count {
            let end = min(rows.count, start + batchSizes[turn % batchSizes.count])
            turn += 1
            var batch = RecordBatch<SampleColumn>()
            var texts = TextDictionary()
            for row in rows[start..<end] {
                batch.beginRow()
                for column in SampleColumn.allCases { batch.set(column, row.word(column, in: &texts)) }
                batch.endRow()
            }
            try writer.append(batch, texts: texts)
            start = end
        }
        try writer.finish()
        return output.bytes
    }

    /// The rows that a reader finds.
    static func read(
        _ bytes: [UInt8],
        limit: Int = 1000,
        dropsEmptyTexts: Bool = false
    ) throws -> [SampleRow] {
        let file = try ParquetFile(MemorySource(bytes))
        let reader = try ParquetTableReader<SampleColumn>(file, dropsEmptyTexts: dropsEmptyTexts)
        var rows: [SampleRow] = []
        while true {
            var batch = RecordBatch<SampleColumn>()
            var texts = TextDictionary()
            guard try reader.read(into: &batch, texts: &texts, limit: limit) > 0 else { return rows }
            for index in 0..<batch.rowCount {
                var row: SampleRow = [:]
                for column in SampleColumn.allCases {
                    guard let word = batch[column, index] else { continue }
                    switch column.type {
                    case .text: row[column] = .text(texts.text(of: Int(word)))
                    case .identifier: row[column] = .text(Identifier(word: word).text(in: texts))
                    default: row[column] = .number(word)
                    }
                }
                rows.append(row)
            }
        }
    }
}

/// A file that lies in memory.
final class MemorySource: ParquetSource {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var byteCount: Int { bytes.count }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) {
        buffer.copyBytes(from: bytes[offset..<offset + buffer.count])
    }
}
