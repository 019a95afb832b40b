import TillColumns
import TillCore
import TillLedger

extension PartialWriter {
    /// Writes failures of one code, whose cells are in order.
    ///
    /// - Parameter translation: from the texts of the ledger to those of the output, if they differ.
    mutating func write(
        _ code: FailureCode,
        _ sum: FailureTally.Sum,
        _ cells: ArraySlice<FailureCell>,
        _ combinations: CombinationTable,
        _ texts: borrowing TextDictionary,
        _ translation: TextTranslation?
    ) {
        write(byte: code.domain < 0 ? 0 : 1)
        if code.domain >= 0 { write(text: texts.text(of: Int(code.domain))) }
        write(optional: code.code)
        write(count: sum.count)
        write(optional: sum.first)
        write(optional: sum.last)
        // By name, so that the bytes do not depend on which class came first.
        var classes: [(name: String, count: Int)] = []
        for cell in cells where cell.kind == .failureClass {
            classes.append((texts.text(of: Int(cell.value)), cell.count))
        }
        write(count: classes.count)
        for failureClass in classes.sorted(by: { $0.name < $1.name }) {
            write(text: failureClass.name)
            write(count: failureClass.count)
        }
        let hours = cells.lazy.filter { $0.kind == .hour }
        write(count: hours.count)
        for cell in hours {
            write(difference: Int64(cell.hour))
            write(count: cell.count)
        }
        // By their texts, so that the bytes do not depend on which combination came first.
        let values = cells.filter { $0.kind == .combination }.map { (cell: $0, combination: combinations[$0.value]) }
        write(count: values.count)
        for (cell, combination) in values.sorted(by: { ($0.cell.hour, $0.combination) < ($1.cell.hour, $1.combination) }
        ) {
            write(difference: Int64(cell.hour))
            write(combination, translation)
            write(count: cell.count)
        }
    }

    mutating func write(_ combination: Combination, _ translation: TextTranslation?) {
        for dimension in FailureDimension.allCases {
            write(code: translation?.text(combination[dimension]) ?? combination[dimension])
        }
    }
}

extension PartialCursor {
    /// Reads the failures of one code, as ``PartialWriter`` writes them, into the ledger's log.
    ///
    /// - Parameter textCount: the number of texts of the partial. `translation` has their codes in the ledger.
    @_lifetime(self: copy self)
    mutating func readFailures(
        of log: FailureLog,
        into ledger: inout Ledger,
        textCount: Int,
        _ translation: TextTranslation,
        within allowance: inout CountAllowance
    ) throws(Finding) {
        let domain: Int32 = try flag() ? Int32(ledger.texts.code(for: try text())) : -1
        let failureCode = FailureCode(domain: domain, code: try optional())
        let count = try tally(within: &allowance)
        let (first, last) = (try optional(), try optional())
        let number = ledger.merge(FailureTally.Sum(count: count, first: first, last: last), of: failureCode, into: log)
        for _ in 0..<(try self.count(ofSize: 2)) {
            let name = Int32(ledger.texts.code(for: try text()))
            ledger.add(FailureCell(number, .failureClass, value: name, count: try tally(within: &allowance)), to: log)
        }
        for _ in 0..<(try self.count(ofSize: 2)) {
            let hour = try hour()
            ledger.add(FailureCell(number, .hour, hour: hour, count: try tally(within: &allowance)), to: log)
        }
        for _ in 0..<(try self.count(ofSize: 6)) {
            let hour = try hour(mayBeUnknown: true)
            let combination = try combination(below: textCount, translation)
            ledger.add(try tally(within: &allowance), of: combination, toCode: number, hour: hour, in: log)
        }
    }

    /// Four codes, as ``PartialWriter`` writes a combination.
    @_lifetime(self: copy self)
    mutating func combination(
        below textCount: Int,
        _ translation: TextTranslation
    ) throws(Finding) -> Combination {
        var values: InlineArray<4, Int32> = [-1, -1, -1, -1]
        for index in values.indices { values[index] = translation.text(try code(below: textCount)) }
        return Combination(values)
    }

    /// The number of an hour that an instant of 64 bits can lie in.
    ///
    /// - Parameter mayBeUnknown: whether it may be ``FailureCell/noHour``.
    @_lifetime(self: copy self)
    mutating func hour(mayBeUnknown: Bool = false) throws(Finding) -> Int {
        let start = offset
        let hour = try difference()
        if mayBeUnknown, hour == FailureCell.noHour { return FailureCell.noHour }
        let hours = Timestamp(milliseconds: .min).hour...Timestamp(milliseconds: .max).hour
        guard hours.contains(Int(hour)) else {
            throw Finding("partial.value", at: start, "an hour is outside the range of 64-bit instants")
        }
        return Int(hour)
    }
}
