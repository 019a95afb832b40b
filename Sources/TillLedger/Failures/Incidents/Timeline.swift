import TillCore

/// Counts by ten minutes from the beginning of the data to now, with sums over ranges of them.
struct Timeline: Sendable {
    private struct Entry: Sendable {
        let slot: Int
        /// The sums of this slot and all before it.
        var failures: Int
        var accounts: Int
        /// 64 groups of accounts that failed.
        var groups: UInt64
    }

    /// In the order of slots, each of which has a count.
    private var entries: [Entry] = []
    /// By slot after ``first``: the number of entries before it. Empty where there are few entries: then they are
    /// searched.
    private var places: [Int32] = []
    private var first = 0

    /// Makes sums cheap, after the last slot was added.
    ///
    /// It takes 4 bytes for each slot, so a timeline with few entries, of which there may be thousands, has none.
    mutating func index() {
        guard let start = entries.first?.slot, let end = entries.last?.slot, end - start < 16 * entries.count else {
            return
        }
        (first, places) = (start, [])
        places.reserveCapacity(end - start + 1)
        for (place, entry) in entries.enumerated() {
            while places.count < entry.slot - start + 1 { places.append(Int32(place)) }
        }
    }

    var slots: some Collection<Int> { entries.lazy.map(\.slot) }

    /// Adds to the newest slot, or begins a later one.
    mutating func add(_ slot: Int, _ count: Int) {
        guard entries.last?.slot == slot else { return append(slot, count) }
        entries[entries.count - 1].failures += count
    }

    /// Adds a slot later than all before it.
    mutating func append(_ slot: Int, _ count: Int, groups: UInt64 = 0) {
        let (failures, accounts) = entries.last.map { ($0.failures, $0.accounts) } ?? (0, 0)
        let own = Evidence.accounts(count, in: groups)
        entries.append(Entry(slot: slot, failures: failures + count, accounts: accounts + own, groups: groups))
    }

    /// Adds bits to the newest slot, or begins a later one.
    mutating func appendUnion(_ slot: Int, _ bits: UInt64) {
        guard entries.last?.slot == slot else { return append(slot, 0, groups: bits) }
        entries[entries.count - 1].groups |= bits
    }

    /// The number of entries up to a slot.
    private func place(after slot: Int) -> Int {
        guard !places.isEmpty else { return entries.partitioningIndex { $0.slot > slot } }
        let next = slot + 1 - first
        return next <= 0 ? 0 : next < places.count ? Int(places[next]) : entries.count
    }

    private func sums(before place: Int) -> (failures: Int, accounts: Int) {
        place > 0 ? (entries[place - 1].failures, entries[place - 1].accounts) : (0, 0)
    }

    /// Failures and failing accounts over the slots after `start`, through `end`.
    func counts(after start: Int, through end: Int) -> (failures: Int, accounts: Int) {
        guard start < end else { return (0, 0) }
        let (before, all) = (sums(before: place(after: start)), sums(before: place(after: end)))
        return (all.failures - before.failures, all.accounts - before.accounts)
    }

    /// The sum over the slots after `start`, through `end`.
    func count(after start: Int, through end: Int) -> Int { counts(after: start, through: end).failures }

    /// The same without the slots of a span.
    func counts(after start: Int, through end: Int, without span: ClosedRange<Int>?) -> (failures: Int, accounts: Int) {
        var sums = counts(after: start, through: end)
        if let span, span.upperBound > start, span.lowerBound <= end {
            let inside = counts(after: max(start, span.lowerBound - 1), through: min(end, span.upperBound))
            sums = (sums.failures - inside.failures, sums.accounts - inside.accounts)
        }
        return sums
    }

    /// The union of the groups of accounts that failed in the slots after `start`, through `end`.
    func union(after start: Int, through end: Int) -> UInt64 {
        let (first, last) = (place(after: start), place(after: end))
        return first < last ? entries[first..<last].reduce(0) { $0 | $1.groups } : 0
    }
}
