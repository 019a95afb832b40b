import TillColumns
package import TillCore

/// Failures counted by domain and code, hour and combination of values.
///
///     codes         [ SKErrorDomain 0   | verifyReceipt 21003 | … ]
///     sums          [ 34, first, last   | 12, first, last     | … ]
///     combinations  [ 5.2.0 · 18.4 · DEU · pro | … ]
///     cells         SKErrorDomain 0, 14:00, combination 0 → 9, …
///
/// Its memory grows with distinct combinations, not with failures: 100 bytes for each code and up to 64 for each cell.
/// Texts are codes of the ledger's dictionary.
package struct FailureTally: Sendable {
    /// Failures of one code, whenever they were.
    package struct Sum: Sendable {
        package var count = 0
        /// In milliseconds; the first is after the last where no instant is known.
        private var bounds = (first: Int64.max, last: Int64.min)

        /// The times of the first and the last failure in milliseconds, if known.
        package var first: Int64? { bounds.first > bounds.last ? nil : bounds.first }
        package var last: Int64? { bounds.first > bounds.last ? nil : bounds.last }

        package init(count: Int = 0, first: Int64? = nil, last: Int64? = nil) {
            self.count = count
            see(at: first)
            see(at: last)
        }

        mutating func see(at milliseconds: Int64?) {
            guard let milliseconds else { return }
            bounds = (min(bounds.first, milliseconds), max(bounds.last, milliseconds))
        }

        mutating func merge(_ other: Sum) {
            count += other.count
            see(at: other.first)
            see(at: other.last)
        }
    }

    private var numbers = IntegerMap<UInt128, Int32>()
    package private(set) var codes: [FailureCode] = []
    /// By number of the code.
    package private(set) var sums: [Sum] = []
    private var cells = FailureCellCounts()
    package private(set) var combinations = CombinationTable()
    /// The earliest and the latest instant of the log. An hour between them without failures counts as zero; hours
    /// outside are unknown.
    package private(set) var start: Timestamp?
    package private(set) var end: Timestamp?

    /// Bytes it takes, growing tables counted with half as much again.
    var footprint: Int {
        let word = MemoryLayout<UInt128>.stride
        let perCode = MemoryLayout<FailureCode>.stride + MemoryLayout<Sum>.stride
        return (codes.capacity * perCode + numbers.capacity * (word + 4)) * 3 / 2 + cells.footprint
            + combinations.footprint
    }

    /// Passes each code with its sum and its cells to `body`. The cells are in the order of ``FailureCell``.
    package func visitCells(_ body: (FailureCode, Sum, ArraySlice<FailureCell>) throws -> Void) rethrows {
        let ordered = OrderedCells(self)
        for number in codes.indices { try body(codes[number], sums[number], ordered[number]) }
    }

    /// The cells of a tally, ordered by code.
    package struct OrderedCells {
        private let cells: [FailureCell]
        private let starts: [Int]

        package init(_ tally: FailureTally) {
            let cells = tally.cells.ordered
            var starts: [Int] = [0]
            starts.reserveCapacity(tally.codes.count + 1)
            var index = 0
            for number in tally.codes.indices {
                while index < cells.count, cells[index].number == number { index += 1 }
                starts.append(index)
            }
            (self.cells, self.starts) = (cells, starts)
        }

        package subscript(_ number: Int) -> ArraySlice<FailureCell> { cells[starts[number]..<starts[number + 1]] }
    }

    /// Notes that the log covers an instant.
    mutating func see(at milliseconds: Int64?) {
        guard let milliseconds else { return }
        if milliseconds < start?.milliseconds ?? .max { start = Timestamp(milliseconds: milliseconds) }
        if milliseconds > end?.milliseconds ?? .min { end = Timestamp(milliseconds: milliseconds) }
    }

    /// The number under which a code is counted; `nil` if it never was.
    func number(of code: FailureCode) -> Int? { numbers[code.packed].map(Int.init) }

    /// The number under which a code is counted from now on.
    mutating func number(entering code: FailureCode) -> Int {
        let number = numbers[code.packed, entering: Int32(codes.count)]
        if number == codes.count {
            codes.append(code)
            sums.append(Sum())
        }
        return Int(number)
    }

    /// Adds failures that were counted separately.
    mutating func merge(_ other: FailureTally, _ translation: TextTranslation) {
        see(at: other.start?.milliseconds)
        see(at: other.end?.milliseconds)
        let own = zip(other.codes, other.sums).map { merge($1, of: translation.failure($0)) }
        let numbers = other.combinations.all.map { combinations.number(entering: $0.translated(translation)) }
        other.cells.visit {
            var cell = $0.translated(translation, numbers)
            cell.number = own[cell.number]
            add(cell)
        }
    }

    /// Adds failures of one code. Returns the number of the code, for adding their cells.
    @discardableResult
    mutating func merge(_ sum: Sum, of code: FailureCode) -> Int {
        let number = number(entering: code)
        sums[number].merge(sum)
        // The log covers its own failures, even where it has no other event of that time.
        see(at: sum.last)
        return number
    }

    /// Adds to a count of a code that has a number.
    mutating func add(_ cell: FailureCell) { cells.add(cell) }

    /// The number of a combination; a new one is added.
    mutating func number(entering combination: Combination) -> Int32 { combinations.number(entering: combination) }

    /// Sorts all cells, so that reading them in order costs nothing. Failures may be added afterwards.
    mutating func settle() { cells.settle() }

    /// Removes all failures, after they were written to a file, and keeps the period of the log.
    mutating func forget() {
        let (start, end) = (start, end)
        self = FailureTally()
        (self.start, self.end) = (start, end)
    }

    /// Codes of the texts that are in use.
    var texts: Set<Int32> {
        var texts = Set(codes.lazy.map(\.domain).filter { $0 >= 0 })
        cells.visit { if $0.kind == .failureClass { texts.insert($0.value) } }
        combinations.insertTexts(into: &texts)
        return texts
    }

    /// Takes the codes that its texts have in another dictionary.
    mutating func renumber(_ translation: TextTranslation) {
        let old = self
        forget()
        merge(old, translation)
    }

    /// Counts a failure.
    mutating func count(_ failure: FailureOccurrence) {
        let code = number(entering: failure.code)
        sums[code].count += 1
        sums[code].see(at: failure.at)
        cells.add(FailureCell(code, .failureClass, value: failure.failureClass))
        let hour = failure.at.map { Timestamp(milliseconds: $0).hour }
        if let hour { cells.add(FailureCell(code, .hour, hour: hour)) }
        guard failure.combination != .unknown else { return }
        cells.add(FailureCell(code, .combination, hour: hour, value: number(entering: failure.combination)))
    }

    /// Counts failures one after the other. The combination of each is prefetched some failures ahead.
    mutating func count(_ failures: [FailureOccurrence]) {
        for index in failures.indices {
            let ahead = index + CombinationTable.prefetchDistance
            if ahead < failures.count { combinations.prefetch(failures[ahead].combination) }
            count(failures[index])
        }
    }
}
