import TillColumns
import TillCore
import TillLedger

extension Ledger {
    /// Writes the cells from which incidents are found, in blocks. Each block has the series and values that it uses.
    borrowing func encodeCells(_ write: (PartialBlock, [UInt8]) throws -> Void) rethrows {
        // In an order of their own, so that the bytes do not depend on which series came first.
        let cells = events.cells.inOrderOfTexts
        let ordered = cells.ordered
        var impossible = cells.impossible
        var start = 0
        repeat {
            let block = ordered[start..<min(start + Self.blockCount, ordered.count)]
            let lost = cells.lostThrough
            guard !block.isEmpty || impossible > 0 || lost.contains(where: { $0 != nil }) else { return }
            var writer = PartialWriter()
            writer.write(count: impossible)
            for hour in lost { writer.write(optional: hour.map(Int64.init)) }
            writer.write(block, of: cells)
            try write(.cells, writer.take())
            impossible = 0
            start += block.count
        } while start < ordered.count
    }
}

/// Numbers in a block, in the order in which they are used first.
private struct BlockNumbers {
    private var numbers: [Int32: Int32] = [:]
    private(set) var used: [Int32] = []

    mutating func number(of other: Int32) -> Int32 {
        if let number = numbers[other] { return number }
        let number = Int32(used.count)
        numbers[other] = number
        used.append(other)
        return number
    }
}

extension PartialWriter {
    fileprivate mutating func write(_ cells: ArraySlice<IncidentCells.Cell>, of all: IncidentCells) {
        var (series, combinations, underlying) = (BlockNumbers(), BlockNumbers(), BlockNumbers())
        var records = PartialWriter()
        for cell in cells {
            let (key, table) = (cell.key, cell.key.table)
            records.write(byte: table.rawValue)
            records.write(difference: Int64(key.time))
            if table.hasSeries { records.write(count: Int(series.number(of: key.series))) }
            switch table.value {
            case .combination: records.write(count: Int(combinations.number(of: key.value)))
            case .underlying: records.write(count: Int(underlying.number(of: key.value)))
            case .account: records.write(code: key.value)
            case nil: break
            }
            records.write(number: cell.count)
            if table.hasSources { records.write(word: cell.sources) }
        }
        write(count: series.used.count)
        for number in series.used {
            let one = all.series[Int(number)]
            write(byte: one.app == CellSeries.allApps ? 1 : 0)
            if one.app != CellSeries.allApps { write(code: one.app) }
            write(byte: one.family.rawValue)
            write(byte: one.failure == nil ? 0 : 1)
            if let failure = one.failure { write(failure) }
        }
        write(count: combinations.used.count)
        for number in combinations.used { write(all.combinations[number], nil) }
        write(count: underlying.used.count)
        for number in underlying.used { write(all.underlying[Int(number)]) }
        write(count: cells.count)
        write(written: records.take())
    }

    private mutating func write(_ failure: FailureCode) {
        write(code: failure.domain)
        write(optional: failure.code)
    }
}

extension PartialCursor {
    /// Reads cells, as ``Ledger/encodeCells(_:)`` writes them.
    ///
    /// - Parameter textCount: the number of texts of the partial. `translation` has their codes in the ledger.
    @_lifetime(self: copy self)
    mutating func readCells(
        into ledger: inout Ledger,
        textCount: Int,
        _ translation: TextTranslation,
        within allowance: inout CountAllowance
    ) throws(Finding) {
        var cells = IncidentCells()
        cells.impossible = try tally(within: &allowance)
        for limit in IncidentCells.Limit.allCases {
            let start = offset
            guard let lost = try optional() else { continue }
            cells.forget(limit, through: try hour(lost, at: start))
        }
        var (series, combinations, underlying): ([Int32], [Int32], [Int32]) = ([], [], [])
        for _ in 0..<(try count(ofSize: 4)) {
            series.append(cells.number(of: try readSeries(textCount, translation)))
        }
        for _ in 0..<(try count(ofSize: 4)) {
            combinations.append(cells.number(of: try combination(below: textCount, translation)))
        }
        for _ in 0..<(try count(ofSize: 2)) {
            underlying.append(cells.number(ofUnderlying: try readCode(textCount, translation)))
        }
        for _ in 0..<(try count(ofSize: 3)) {
            let start = offset
            guard let table = IncidentCells.Table(rawValue: try byte()) else {
                throw Finding("partial.value", at: start, "a cell is of an unknown table")
            }
            let time = try difference()
            let bounds = table.times
            guard bounds.contains(time) else {
                throw Finding("partial.value", at: start, "a cell is before 10 July 2008 or from 2100 on")
            }
            let own = table.hasSeries ? try member(of: series) : 0
            var value: Int32 = 0
            switch table.value {
            case .combination: value = try member(of: combinations)
            case .underlying: value = try member(of: underlying)
            case .account:
                value = translation.text(try code(below: textCount))
                guard value >= 0 else { throw Finding("partial.value", at: start, "an account has no text") }
            case nil: break
            }
            let count = table.isInstant ? try number() : UInt64(try tally(within: &allowance))
            let sources = table.hasSources ? try word(as: UInt64.self) : 0
            guard !table.isInstant || count / UInt64(Timestamp.millisecondsPerHour) == UInt64(time) else {
                throw Finding("partial.value", at: start, "the newest record or purchase of an hour is not in it")
            }
            cells.add(.init(.init(table, Int(time), series: own, value: value), count, sources: sources))
        }
        ledger.add(cells)
    }

    @_lifetime(self: copy self)
    private mutating func hour(_ hour: Int64, at start: Int) throws(Finding) -> Int {
        guard IncidentCells.Table.records.times.contains(hour) else {
            throw Finding("partial.value", at: start, "an hour is before 10 July 2008 or from 2100 on")
        }
        return Int(hour)
    }

    @_lifetime(self: copy self)
    private mutating func member(of numbers: [Int32]) throws(Finding) -> Int32 {
        let start = offset
        let index = try number()
        guard index < UInt64(numbers.count) else {
            throw Finding("partial.value", at: start, "a cell names a series or value that is not there")
        }
        return numbers[Int(index)]
    }

    @_lifetime(self: copy self)
    private mutating func readSeries(_ textCount: Int, _ translation: TextTranslation) throws(Finding) -> CellSeries {
        let app = try flag() ? CellSeries.allApps : translation.text(try code(below: textCount))
        let start = offset
        guard let family = AttemptFamily(rawValue: try byte()) else {
            throw Finding("partial.value", at: start, "a series is of an unknown kind of attempts")
        }
        return CellSeries(app: app, family: family, failure: try flag() ? try readCode(textCount, translation) : nil)
    }

    @_lifetime(self: copy self)
    private mutating func readCode(_ textCount: Int, _ translation: TextTranslation) throws(Finding) -> FailureCode {
        let domain = translation.text(try code(below: textCount))
        return FailureCode(domain: domain, code: try optional())
    }
}
