import TillColumns
import TillCore
import TillLedger

extension PartialWriter {
    /// Writes failures of one kind.
    ///
    /// - Parameters:
    ///   - cells: all cells of the kind, in order.
    ///   - translation: from the texts of the ledger to the texts of the output, if they differ.
    mutating func write(
        _ kind: FailureKind,
        _ bounds: InstantBounds,
        _ cells: ArraySlice<FailureCell>,
        _ combinations: CombinationTable,
        _ translation: TextTranslation?
    ) {
        func own(_ text: Int32) -> Int32 { translation?.text(text) ?? text }
        write(code: own(kind.code.domain))
        write(optional: kind.code.code)
        write(code: own(kind.failureClass))
        write(optional: bounds.first)
        write(optional: bounds.last)
        write(count: cells.count)
        // By their texts, so that the bytes do not depend on which combination came first.
        let values = cells.map { (cell: $0, combination: combinations[$0.combination]) }
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
    /// Reads the failures of one kind, as ``PartialWriter`` writes them.
    ///
    /// - Parameter textCount: the number of texts of the partial. `translation` has their codes in the ledger.
    @_lifetime(self: copy self)
    mutating func readFailures(
        into ledger: inout Ledger,
        textCount: Int,
        _ translation: TextTranslation,
        within allowance: inout CountAllowance
    ) throws(Finding) {
        let domain = translation.text(try code(below: textCount))
        let failureCode = FailureCode(domain: domain, code: try optional())
        let start = offset
        let failureClass = translation.text(try code(below: textCount))
        guard failureClass >= 0 else { throw Finding("partial.value", at: start, "a class of failures has no text") }
        var bounds = InstantBounds()
        bounds.see(try optional())
        bounds.see(try optional())
        var cells: [(hour: Int, combination: Combination, count: Int)] = []
        for _ in 0..<(try count(ofSize: 6)) {
            let (hour, combination) = (try hour(), try combination(below: textCount, translation))
            cells.append((hour, combination, try tally(within: &allowance)))
        }
        ledger.add(FailureKind(failureCode, failureClass: failureClass), bounds, cells)
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

    /// The number of an hour that an instant of 64 bits can lie in, or ``FailureCell/noHour``.
    @_lifetime(self: copy self)
    private mutating func hour() throws(Finding) -> Int {
        let start = offset
        let hour = try difference()
        if hour == FailureCell.noHour { return FailureCell.noHour }
        let hours = Timestamp(milliseconds: .min).hour...Timestamp(milliseconds: .max).hour
        guard hours.contains(Int(hour)) else {
            throw Finding("partial.value", at: start, "an hour is outside the range of 64-bit instants")
        }
        return Int(hour)
    }
}
