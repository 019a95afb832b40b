import Testing
import TillColumns
import TillParquet
import TillTestSupport

@Suite("Rows written and read back")
struct RoundTripTests {
    private static let small = ParquetOptions(pageRows: 256, rowGroupRows: 1500, pageBytes: 4096)

    @Test("Rows come back as they were", arguments: ValueSpread.allCases, NullPattern.allCases)
    func comeBack(_ spread: ValueSpread, _ pattern: NullPattern) throws {
        var generator = SplitMix64(seed: 11)
        for count in [1, 8, 63, 64, 65, 2000] {
            let rows = SampleTable.rows(count, spread, pattern, &generator)
            let bytes = try SampleTable.file(rows, options: Self.small)
            #expect(try SampleTable.read(bytes) == rows, "\(count) rows")
        }
    }

    @Test("An empty text is absent where that is asked for", arguments: ValueSpread.allCases)
    func dropsEmptyTexts(_ spread: ValueSpread) throws {
        var generator = SplitMix64(seed: 14)
        var rows = SampleTable.rows(2000, spread, .random, &generator)
        for index in rows.indices where index % 3 == 0 { rows[index][.word] = "" }
        let bytes = try SampleTable.file(rows, options: Self.small)
        for index in rows.indices {
            for column in [SampleColumn.word, .essay, .id] where rows[index][column] == "" {
                rows[index][column] = nil
            }
        }
        #expect(try SampleTable.read(bytes, dropsEmptyTexts: true) == rows)
    }

    @Test("Every codec that is written is read", arguments: ParquetCodec.written)
    func codecs(_ codec: ParquetCodec) throws {
        var generator = SplitMix64(seed: 12)
        let rows = SampleTable.rows(700, .anything, .random, &generator)
        let bytes = try SampleTable.file(rows, options: ParquetOptions(codec: codec, pageRows: 128))
        #expect(try SampleTable.read(bytes) == rows)
    }

    @Test("The bytes depend neither on the jobs nor on the batches")
    func sameBytes() throws {
        var generator = SplitMix64(seed: 13)
        let rows =
            SampleTable.rows(5000, .few, .random, &generator)
            + SampleTable.rows(1500, .anything, .runs, &generator)
        let expected = try SampleTable.file(rows, options: Self.small)
        for jobs in [1, 2, 7] {
            let bytes = try SampleTable.file(rows, options: Self.small, jobs: jobs, batchSizes: [700])
            #expect(bytes == expected, "\(jobs) jobs")
        }
    }

    @Test("Rows come back whatever the size of the batches that are read", arguments: [1, 7, 300, 100_000])
    func limits(_ limit: Int) throws {
        var generator = SplitMix64(seed: 14)
        let rows = SampleTable.rows(1200, .few, .runs, &generator)
        let bytes = try SampleTable.file(rows, options: Self.small)
        #expect(try SampleTable.read(bytes, limit: limit) == rows)
    }

    @Test("A table without rows is a file")
    func empty() throws {
        let bytes = try SampleTable.file([])
        let file = try ParquetFile(MemorySource(bytes))
        #expect(file.rowCount == 0)
        #expect(file.columnNames == SampleColumn.allCases.map(\.name))
        #expect(file.value(ofKey: "answer") == "42")
        #expect(try SampleTable.read(bytes).isEmpty)
    }
}
