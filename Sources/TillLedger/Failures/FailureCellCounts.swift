import TillColumns

/// The counts of all cells of a ``FailureTally``.
///
///     sums      { code 0, 14:00 → 9, code 0, class 7 → 34, … }
///     counted   [ code 0, 14:00, combination 0 → 9 | code 0, 14:00, combination 3 → 2 | … ]    in order, each cell once
///     pending   [ code 0, 15:00, combination 0 → 1 | code 0, 15:00, combination 0 → 1 | … ]    as they came
///
/// A log has few hours and classes, so their sums stay in the caches. It can have a cell for nearly every failure with
/// a combination: a hash table of them would be larger than the caches, and each failure would wait for memory. They
/// are sorted instead, many at once. Takes up to 64 bytes for each cell.
struct FailureCellCounts: Sendable {
    private var sums = IntegerMap<UInt128, Int>()
    private var counted: [FailureCell] = []
    private var pending: [FailureCell] = []
    private static let leastPending = 1 << 15

    /// Bytes of memory, growing tables counted with half as much again.
    var footprint: Int {
        let sum = MemoryLayout<UInt128>.stride + MemoryLayout<Int>.stride
        return (sums.capacity * sum + (counted.capacity + pending.capacity) * MemoryLayout<FailureCell>.stride) * 3 / 2
    }

    /// Adds to the count of a cell. Each time a quarter as many wait as were counted, those are sorted, and one pass is
    /// made over all.
    mutating func add(_ cell: FailureCell) {
        guard cell.kind == .combination else { return sums.add(cell.count, to: cell.packed) }
        pending.append(cell)
        if pending.count >= max(Self.leastPending, counted.count / 4) { countPending() }
    }

    /// Moves all cells to `counted`, the sums too; ``ordered`` costs nothing then. Cells may be added afterwards.
    mutating func settle() {
        counted = ordered
        (sums, pending) = (IntegerMap(), [])
    }

    private mutating func countPending() {
        pending.sortByDigits(\.packed)
        counted = FailureCell.joined(counted[...], pending[...])
        pending.removeAll(keepingCapacity: true)
    }

    /// Passes all cells to `body`, in no particular order, perhaps several times.
    func visit(_ body: (FailureCell) -> Void) {
        sums.visit { body(FailureCell(packed: $0, count: $1)) }
        counted.forEach(body)
        pending.forEach(body)
    }

    /// All cells in order, each once.
    var ordered: [FailureCell] {
        if sums.isEmpty, pending.isEmpty { return counted }
        var others = pending
        sums.visit { others.append(FailureCell(packed: $0, count: $1)) }
        others.sortByDigits(\.packed)
        return FailureCell.joined(counted[...], others[...])
    }
}
