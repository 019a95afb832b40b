import TillColumns
package import TillCore

/// Domain, code and class of a failure. Texts are codes of a ledger's dictionary.
package struct FailureKind: Hashable, Sendable {
    package var code: FailureCode
    /// A text; never -1.
    package var failureClass: Int32

    package init(_ code: FailureCode, failureClass: Int32) {
        (self.code, self.failureClass) = (code, failureClass)
    }

    /// As one number.
    var packed: UInt128 {
        // The code takes 64 bits and one that it is known; the domain 32, because it may be -1; the class 31.
        let texts = UInt128(UInt32(bitPattern: code.domain)) | UInt128(UInt32(bitPattern: failureClass)) << 32
        return texts << 65 | UInt128(code.code == nil ? 0 : 1) << 64 | UInt128(UInt64(bitPattern: code.code ?? 0))
    }

    func translated(_ translation: TextTranslation) -> FailureKind {
        FailureKind(translation.failure(code), failureClass: translation.text(failureClass))
    }
}

/// Failures of the period, of events and of responses, by kind, hour and combination of values.
///
///     kinds         [ SKErrorDomain 0, unknown   | verifyReceipt 21003, retry | … ]
///     bounds        [ first and last             | first and last             | … ]
///     combinations  [ 5.2.0 · 18.4 · DEU · pro | … ]
///     cells         kind 0, 14:00, combination 0 → 9, …
///
/// Every failure is in one cell. Memory grows with distinct kinds, hours and combinations, not with failures: 100 bytes
/// for each kind and up to 64 for each cell.
package struct FailureTally: Sendable {
    private var numbers = IntegerMap<UInt128, Int32>()
    package private(set) var kinds: [FailureKind] = []
    /// By number of the kind: the times of its failures.
    package private(set) var bounds: [InstantBounds] = []
    private var cells = SortedCells<FailureCell>()
    package private(set) var combinations = CombinationTable()

    /// Bytes it takes, growing tables counted with half as much again.
    var footprint: Int {
        let word = MemoryLayout<UInt128>.stride
        let perKind = MemoryLayout<FailureKind>.stride + MemoryLayout<InstantBounds>.stride
        return (kinds.capacity * perKind + numbers.capacity * (word + 4)) * 3 / 2 + cells.footprint
            + combinations.footprint
    }

    /// The cells of each kind, in order, by its number. Cost: the cells that wait are sorted.
    package var cellsByKind: [ArraySlice<FailureCell>] {
        let ordered = cells.ordered
        var slices: [ArraySlice<FailureCell>] = []
        slices.reserveCapacity(kinds.count)
        var start = 0
        for kind in kinds.indices {
            var end = start
            while end < ordered.count, ordered[end].kind == kind { end += 1 }
            slices.append(ordered[start..<end])
            start = end
        }
        return slices
    }

    /// The number under which a kind is counted from now on.
    private mutating func number(entering kind: FailureKind) -> Int32 {
        let number = numbers[kind.packed, entering: Int32(kinds.count)]
        if number == kinds.count {
            kinds.append(kind)
            bounds.append(InstantBounds())
        }
        return number
    }

    /// Counts a failure.
    mutating func count(_ failure: FailureOccurrence) {
        let kind = number(entering: failure.kind)
        bounds[Int(kind)].see(failure.at)
        let hour = failure.at.map { Timestamp(milliseconds: $0).hour } ?? FailureCell.noHour
        let combination = combinations.number(entering: failure.combination)
        cells.add(FailureCell(kind: kind, hour: hour, combination: combination))
    }

    /// Counts failures one after the other. The combination of each is prefetched some failures ahead.
    mutating func count(_ failures: [FailureOccurrence]) {
        for index in failures.indices {
            let ahead = index + CombinationTable.prefetchDistance
            if ahead < failures.count { combinations.prefetch(failures[ahead].combination) }
            count(failures[index])
        }
    }

    /// Adds failures that were counted separately.
    mutating func merge(_ other: FailureTally, _ translation: TextTranslation) {
        let own = zip(other.kinds, other.bounds).map { enter($0.translated(translation), $1) }
        let numbers = combinations.numbers(entering: other.combinations.all.map { $0.translated(translation) })
        for cell in other.cells.all {
            let combination = numbers[Int(cell.combination)]
            add(FailureCell(kind: own[cell.kind], hour: cell.hour, combination: combination, count: cell.count))
        }
    }

    /// Enters a kind with the times of its failures. Returns its number, for adding its cells.
    package mutating func enter(_ kind: FailureKind, _ bounds: InstantBounds) -> Int32 {
        let number = number(entering: kind)
        self.bounds[Int(number)].merge(bounds)
        return number
    }

    /// The number of a combination; a new one is added.
    package mutating func number(of combination: Combination) -> Int32 { combinations.number(entering: combination) }

    /// Adds to the count of a kind and a combination that have numbers.
    package mutating func add(_ cell: FailureCell) { cells.add(cell) }

    /// Sorts all cells, so that reading them in order costs nothing. Failures may be added afterwards.
    mutating func settle() { cells.settle() }

    /// Codes of the texts that are in use.
    var texts: Set<Int32> {
        var texts = Set(kinds.lazy.map(\.code.domain).filter { $0 >= 0 })
        texts.formUnion(kinds.lazy.map(\.failureClass))
        combinations.insertTexts(into: &texts)
        return texts
    }

    /// Takes the codes that its texts have in another dictionary.
    mutating func renumber(_ translation: TextTranslation) {
        let old = self
        self = FailureTally()
        merge(old, translation)
    }
}
