import Testing
import TillColumns
import TillTestSupport

@Suite("Batches of rows")
struct RecordBatchTests {
    enum Column: Int, TableColumn {
        case a, b, c

        static let tableName = "test"
        var name: String { "\(self)" }
        var type: ColumnType { .int64 }
    }

    /// As many columns as a batch can have.
    private enum WideColumn: TableColumn {
        case number(Int)

        init?(rawValue: Int) { self = .number(rawValue) }
        var rawValue: Int { if case .number(let number) = self { number } else { 0 } }
        static var allCases: [WideColumn] { (0..<64).map { .number($0) } }
        static let tableName = "wide"
        var name: String { "\(rawValue)" }
        var type: ColumnType { .int64 }
    }

    private static func contents(_ batch: borrowing RecordBatch<Column>) -> [[Int64?]] {
        (0..<batch.rowCount).map { row in Column.allCases.map { batch[$0, row] } }
    }

    private static func append(_ row: [Int64?], to batch: inout RecordBatch<Column>) {
        batch.beginRow()
        for (column, value) in zip(Column.allCases, row) { batch.set(column, value) }
        batch.endRow()
    }

    @Test("Cells are what was set, and absent where nothing was, through any growth")
    func keepsCells() {
        var random = SplitMix64(seed: 1)
        var batch = RecordBatch<Column>()
        var model: [[Int64?]] = []
        for _ in 0..<2000 {
            let row = Column.allCases.map { _ in random.once(in: 3) ? nil : Int64(truncatingIfNeeded: random.next()) }
            Self.append(row, to: &batch)
            model.append(row)
        }
        #expect(Self.contents(batch) == model)
        for (index, row) in model.enumerated() {
            let presence = row.enumerated().reduce(UInt64(0)) { $1.element == nil ? $0 : $0 | 1 << UInt64($1.offset) }
            if batch.presence(row: index) != presence { Issue.record("row \(index)") }
        }
    }

    @Test("An open row is not counted, can be read, and is forgotten by the next one")
    func opensRows() {
        var batch = RecordBatch<Column>()
        batch.beginRow()
        batch.set(.a, 1)
        #expect(batch.rowCount == 0 && batch[.a, 0] == 1 && batch.presence(row: 0) == 1)
        batch.beginRow()
        batch.set(.b, 2)
        batch.set(.b, 3)
        batch.endRow()
        #expect(Self.contents(batch) == [[nil, 3, nil]])
    }

    @Test("The row on which a batch grows is whole", arguments: [255, 256, 257, 511, 512, 513])
    func growsInTime(_ count: Int) {
        var batch = RecordBatch<Column>()
        for row in 0..<count { Self.append([Int64(row), nil, Int64(-row)], to: &batch) }
        #expect(Self.contents(batch) == (0..<count).map { [Int64($0), nil, Int64(-$0)] })
    }

    @Test("Rolling back takes rows away and leaves nothing of them in those that follow")
    func rollsBack() {
        var random = SplitMix64(seed: 2)
        var batch = RecordBatch<Column>()
        var model: [[Int64?]] = []
        for round in 0..<300 {
            let mark = batch.rowCount
            for _ in 0..<random.below(9) {
                let row = Column.allCases.map { _ in random.once(in: 2) ? nil : Int64(round) }
                Self.append(row, to: &batch)
                model.append(row)
            }
            if random.once(in: 2) { batch.beginRow() }
            if random.once(in: 3) {
                batch.rollBack(to: mark)
                model.removeSubrange(mark...)
            }
        }
        #expect(!model.isEmpty && Self.contents(batch) == model)
        batch.removeAll()
        #expect(batch.rowCount == 0)
        Self.append([nil, nil, 7], to: &batch)
        #expect(Self.contents(batch) == [[nil, nil, 7]])
    }

    @Test("Joining takes what the open row has, except where the finished row is to be kept")
    func mergesRows() {
        for kept in UInt64(0)..<8 {
            for old in 0..<8 {
                for new in 0..<8 {
                    var batch = RecordBatch<Column>()
                    let finished = (0..<3).map { old >> $0 & 1 == 1 ? Int64(10 + $0) : nil }
                    let open = (0..<3).map { new >> $0 & 1 == 1 ? Int64(20 + $0) : nil }
                    Self.append(finished, to: &batch)
                    Self.append([1, 2, 3], to: &batch)
                    batch.beginRow()
                    for (column, value) in zip(Column.allCases, open) { batch.set(column, value) }
                    batch.mergeOpenRow(into: 0, keeping: kept)
                    let expected = (0..<3).map { kept >> UInt64($0) & 1 == 1 ? finished[$0] : open[$0] ?? finished[$0] }
                    #expect(Self.contents(batch) == [expected, [1, 2, 3]])
                }
            }
        }
    }

    @Test("A cell of a finished row can be set later")
    func setsFinishedRows() {
        var batch = RecordBatch<Column>()
        for _ in 0..<3 { Self.append([nil, nil, nil], to: &batch) }
        batch.set(.c, 5, row: 1)
        #expect(Self.contents(batch) == [[nil, nil, nil], [nil, nil, 5], [nil, nil, nil]])
        #expect(batch.word(.c, 1) == 5)
    }

    @Test("Sixty-four columns are held apart")
    func holdsManyColumns() {
        var batch = RecordBatch<WideColumn>()
        for row in 0..<300 {
            batch.beginRow()
            for column in WideColumn.allCases where (column.rawValue + row) % 3 != 0 {
                batch.set(column, Int64(column.rawValue * 1000 + row))
            }
            batch.endRow()
        }
        for row in 0..<300 {
            for column in WideColumn.allCases {
                let expected = (column.rawValue + row) % 3 == 0 ? nil : Int64(column.rawValue * 1000 + row)
                if batch[column, row] != expected { Issue.record("\(column.rawValue), \(row)") }
            }
        }
    }
}
