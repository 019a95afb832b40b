import TillColumns
import TillCore

/// The failures of events and of verifications, of all codes or of one partition.
struct FailureLogs {
    private let logs: [Log]
    /// The combinations of all logs.
    private let combinations: CombinationTable
    private let grouping: FailureGrouping?

    private struct Log {
        let tally: FailureTally
        let cells: FailureTally.OrderedCells
        /// The numbers of the tally's combinations among those of all logs; `nil` if they are the same.
        let numbers: [Int32]?

        init(_ tally: FailureTally, _ combinations: inout CombinationTable) {
            self.tally = tally
            cells = FailureTally.OrderedCells(tally)
            if combinations.count == 0 {
                combinations = tally.combinations
                numbers = nil
            } else {
                numbers = tally.combinations.all.map { combinations.number(entering: $0) }
            }
        }

        /// The cells of a code in order, with the numbers of all logs.
        func cells(ofCode number: Int) -> ArraySlice<FailureCell> {
            let slice = cells[number]
            guard let numbers else { return slice }
            return slice.map { cell in
                var cell = cell
                if cell.kind == .combination { cell.value = numbers[Int(cell.value)] }
                return cell
            }
            .sorted { $0.packed < $1.packed }[...]
        }
    }

    init(_ events: EventTally, _ verifications: VerificationTally, _ grouping: FailureGrouping?) {
        var combinations = CombinationTable()
        logs = [events.failures, verifications.failures].map { Log($0, &combinations) }
        self.combinations = combinations
        self.grouping = grouping
    }

    /// Passes the failures of every code to `body`.
    func forEachFailure(
        _ texts: borrowing TextDictionary,
        _ examples: FailureExamples,
        _ mostExamples: Int,
        _ body: (FailureCounts) throws -> Void
    ) rethrows {
        for (order, log) in logs.enumerated() {
            for code in log.tally.codes {
                if logs[..<order].contains(where: { $0.tally.number(of: code) != nil }) { continue }
                try body(counts(of: code, texts, examples, mostExamples))
            }
        }
    }

    private func counts(
        of code: FailureCode,
        _ texts: borrowing TextDictionary,
        _ examples: FailureExamples,
        _ mostExamples: Int
    ) -> FailureCounts {
        let (cells, sum) = joined(code)
        let domain = code.domain < 0 ? nil : texts.text(of: Int(code.domain))
        let key = FailureKey(domain: domain, code: code.code)
        let hours = cells.lazy.filter { $0.kind == .hour }.map { (hour: $0.hour, count: $0.count) }
        return FailureCounts(
            key: key,
            count: sum.count,
            first: sum.first.map(Timestamp.init(milliseconds:)),
            last: sum.last.map(Timestamp.init(milliseconds:)),
            failureClass: Self.failureClass(cells, texts),
            hours: Array(hours),
            examples: examples.places(of: code, mostExamples),
            groups: grouping?.groups(of: cells, count: sum.count, combinations, texts) ?? []
        )
    }

    /// The cells and the sum of a code in all logs together.
    private func joined(_ code: FailureCode) -> (cells: ArraySlice<FailureCell>, sum: FailureTally.Sum) {
        var joined: (cells: ArraySlice<FailureCell>, sum: FailureTally.Sum) = ([], .init())
        for log in logs {
            guard let number = log.tally.number(of: code) else { continue }
            joined.cells = FailureCell.joined(ofCode: joined.cells, log.cells(ofCode: number))
            joined.sum.merge(log.tally.sums[number])
        }
        return joined
    }

    private static func failureClass(_ cells: ArraySlice<FailureCell>, _ texts: borrowing TextDictionary) -> String {
        var most: (name: String, count: Int)?
        for cell in cells where cell.kind == .failureClass {
            let name = texts.text(of: Int(cell.value))
            if let most, (most.count, name) >= (cell.count, most.name) { continue }
            most = (name, cell.count)
        }
        return most?.name ?? FailureClass.unknown.rawValue
    }
}
