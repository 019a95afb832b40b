import TillColumns
import TillCore

/// Failures of one code as a block of a partial tells them, in texts of the ledger that takes them in.
struct ToldFailures {
    var code: FailureCode
    var sum = FailureTally.Sum()
    /// Of the code with the number 0.
    var cells: [FailureCell] = []

    func add(to tally: inout FailureTally) {
        let number = tally.merge(sum, of: code)
        for var cell in cells {
            cell.number = number
            tally.add(cell)
        }
    }
}

extension PartialWriter {
    /// Writes failures of one code, whose cells are in order.
    ///
    /// - Parameter translation: from the texts of the ledger to those of what is written, where these differ.
    mutating func write(
        _ code: FailureCode,
        _ sum: FailureTally.Sum,
        _ cells: ArraySlice<FailureCell>,
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
        for told in classes.sorted(by: { $0.name < $1.name }) {
            write(text: told.name)
            write(count: told.count)
        }
        let hours = cells.lazy.filter { $0.kind == .hour }
        write(count: hours.count)
        for cell in hours {
            write(difference: Int64(cell.hour))
            write(count: cell.count)
        }
        let values = cells.lazy.filter { $0.dimension != nil }
        write(count: values.count)
        for cell in values {
            write(difference: Int64(cell.hour))
            write(byte: cell.kind.rawValue)
            write(code: translation?.text(cell.value) ?? cell.value)
            write(count: cell.count)
        }
    }
}

extension ToldFailures {
    /// Reads what ``PartialWriter`` writes.
    ///
    /// - Parameters:
    ///   - textCount: of the texts of the partial, whose codes `translation` knows.
    ///   - texts: those of the ledger.
    init(
        from cursor: inout PartialCursor,
        textCount: Int,
        _ translation: TextTranslation,
        _ texts: inout TextDictionary
    ) throws(PartialError) {
        let domain: Int32 = try cursor.flag() ? Int32(texts.code(for: try cursor.text())) : -1
        code = FailureCode(domain: domain, code: try cursor.optional())
        let count = try cursor.tally()
        let first = try cursor.optional()
        sum = FailureTally.Sum(count: count, first: first, last: try cursor.optional())
        for _ in 0..<(try cursor.count(ofSize: 2)) {
            let name = Int32(texts.code(for: try cursor.text()))
            cells.append(FailureCell(0, .failureClass, value: name, count: try cursor.tally()))
        }
        for _ in 0..<(try cursor.count(ofSize: 2)) {
            let hour = try Self.hour(&cursor)
            cells.append(FailureCell(0, .hour, hour: hour, count: try cursor.tally()))
        }
        for _ in 0..<(try cursor.count(ofSize: 4)) {
            let hour = try Self.hour(&cursor)
            let start = cursor.offset
            let dimension = FailureDimension(rawValue: Int(try cursor.byte()))
            let value = translation.text(try cursor.code(below: textCount))
            guard let dimension, value >= 0 else {
                throw PartialError(.value, at: start, "a dimension of failures that nobody knows")
            }
            let kind = FailureCell.Kind.dimensions[dimension.rawValue]
            cells.append(FailureCell(0, kind, hour: hour, value: value, count: try cursor.tally()))
        }
    }

    /// The number of an hour that an instant of 64 bits can lie in.
    private static func hour(_ cursor: inout PartialCursor) throws(PartialError) -> Int {
        let start = cursor.offset
        let hour = try cursor.difference()
        let hours = Timestamp(milliseconds: .min).hour...Timestamp(milliseconds: .max).hour
        guard hours.contains(Int(hour)) else {
            throw PartialError(.value, at: start, "an hour lies outside of time")
        }
        return Int(hour)
    }
}
