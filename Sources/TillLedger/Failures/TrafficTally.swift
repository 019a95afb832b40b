import TillColumns
import TillCore

/// All events by hour: the number of attempts, and the number of events with each combination of values.
///
///     slots    { 14:00 → 0, 15:00 → 1, … }
///     hours    [ 310 begun, …                        | 296 begun, … ]
///     cells    [ 5.2.0 · 18.4 · DEU · pro → 9, …     | …            ]
///     pending  [ 5.2.0 · 18.4 · DEU · pro → 1, …  ]  runs [ 1, 0, 1, … ]
///
/// Events are appended to ``pending``, and counted when there are many of them, hour by hour. Most hours of a long log
/// have few events of each combination, so a hash table of all cells would be larger than the caches, and would wait
/// for memory at each event.
///
/// Incidents are compared with it. An adversary could send a million values an hour, so only the newest whole hours are
/// kept, up to ``mostEntries`` entries in all. An hour that is not kept in the end would be kept in no part of the
/// input either, so the result does not depend on how the input is split.
package struct TrafficTally: Sendable {
    /// Attempts and responses of an hour, by line.
    package struct Attempts: Hashable, Sendable {
        /// Attempts to buy that began.
        package var begun = 0
        /// Attempts to buy that ended, for a log without beginnings.
        package var ended = 0
        /// Responses of verifyReceipt.
        package var responses = 0

        package init(begun: Int = 0, ended: Int = 0, responses: Int = 0) {
            (self.begun, self.ended, self.responses) = (begun, ended, responses)
        }

        static func += (sum: inout Attempts, other: Attempts) {
            sum.begun += other.begun
            sum.ended += other.ended
            sum.responses += other.responses
        }
    }

    package struct Hour: Sendable {
        package let hour: Int
        /// In the period and outside of it.
        package fileprivate(set) var inPeriod = Attempts()
        package fileprivate(set) var outside = Attempts()
    }

    /// Events of one combination in an hour.
    package struct Cell: Sendable {
        package let number: Int32
        package let count: UInt32
    }

    /// The cells of all hours, slot by slot.
    private struct Cells: Sendable {
        var all: [Cell] = []
        /// By slot, one past the last cell. There are none yet of the newest slots.
        var ends: [Int] = []

        subscript(_ slot: Int) -> ArraySlice<Cell> {
            slot < ends.count ? all[(slot == 0 ? 0 : ends[slot - 1])..<ends[slot]] : []
        }
    }

    /// Events one after the other in ``pending`` that are of one hour.
    private struct Run: Sendable {
        let slot: Int32
        /// One past the last of them.
        var end: Int32
    }

    /// Entries of all hours that are kept: one for each hour and one for each combination of an hour.
    package static let mostEntries = 1 << 20
    /// The number of extra entries before the oldest hours are removed, so that many are removed at once.
    private static let slack = mostEntries / 4
    /// The largest number of events that wait to be counted.
    private static let mostPending = 1 << 19

    package private(set) var hours: [Hour] = []
    private var slots = IntegerMap<UInt64, Int32>()
    private var cells = Cells()
    /// Events that are not counted yet.
    private var pending: [Cell] = []
    private var runs: [Run] = []
    package private(set) var combinations = CombinationTable()
    /// This hour and those before it are not kept.
    package private(set) var lostThrough: Int?

    package init() {}

    /// Bytes of memory, growing tables counted with half as much again.
    var footprint: Int {
        let cellCount = cells.all.capacity + pending.capacity
        let fixed = hours.capacity * MemoryLayout<Hour>.stride + cells.ends.capacity * MemoryLayout<Int>.stride
        let waiting = cellCount * MemoryLayout<Cell>.stride + runs.capacity * MemoryLayout<Run>.stride
        return (fixed + waiting + slots.capacity * 12) * 3 / 2 + combinations.footprint
    }

    var texts: Set<Int32> {
        var texts: Set<Int32> = []
        combinations.insertTexts(into: &texts)
        return texts
    }

    /// The slot of an hour; `nil` if it is not kept.
    private mutating func slot(of hour: Int) -> Int? {
        if let lostThrough, hour <= lostThrough { return nil }
        let slot = slots[UInt64(bitPattern: Int64(hour)), entering: Int32(hours.count)]
        if slot == hours.count { hours.append(Hour(hour: hour)) }
        return Int(slot)
    }

    /// Adds attempts and responses of an hour.
    package mutating func add(_ attempts: Attempts, in hour: Int, isInPeriod: Bool) {
        guard let slot = slot(of: hour) else { return }
        if isInPeriod { hours[slot].inPeriod += attempts } else { hours[slot].outside += attempts }
        forgetIfNeeded()
    }

    /// Adds events of a combination.
    package mutating func add(_ count: UInt32, of combination: Combination, in hour: Int) {
        guard let slot = slot(of: hour) else { return }
        append(Cell(number: combinations.number(entering: combination), count: count), to: slot)
        forgetIfNeeded()
    }

    private mutating func append(_ cell: Cell, to slot: Int) {
        guard cell.count > 0 else { return }
        pending.append(cell)
        endRun(in: slot)
    }

    /// Assigns the events appended last to an hour.
    private mutating func endRun(in slot: Int) {
        if let last = runs.indices.last, runs[last].slot == slot {
            runs[last].end = Int32(pending.count)
        } else {
            runs.append(Run(slot: Int32(slot), end: Int32(pending.count)))
        }
    }

    /// Counts the events of a batch, whose combinations are given with the texts of the ledger.
    mutating func count(_ batchDelta: TrafficDelta, _ translated: [Combination]) {
        guard !batchDelta.runs.isEmpty else { return }
        let numbers = combinations.numbers(entering: translated)
        var start = 0
        for run in batchDelta.runs {
            defer { start = run.end }
            guard let slot = slot(of: run.hour) else { continue }
            if run.isInPeriod { hours[slot].inPeriod += run.attempts } else { hours[slot].outside += run.attempts }
            guard start < run.end else { continue }
            for index in batchDelta.events[start..<run.end] {
                pending.append(Cell(number: numbers[Int(index)], count: 1))
            }
            endRun(in: slot)
        }
        forgetIfNeeded()
    }

    /// Counts the pending events. Cost: one pass over them and over all cells.
    private mutating func countPending() {
        guard !pending.isEmpty else { return }
        // The runs of each slot, as a list: the last run, and for each run the one before it.
        var lastRun = Array(repeating: Int32(-1), count: hours.count)
        var before: [Int32] = []
        before.reserveCapacity(runs.count)
        for (number, run) in runs.enumerated() {
            before.append(lastRun[Int(run.slot)])
            lastRun[Int(run.slot)] = Int32(number)
        }
        // By number of the combination: zeros between two hours.
        var sums = Array(repeating: UInt32(0), count: combinations.count)
        var summed: [Int32] = []
        var counted = Cells()
        counted.all.reserveCapacity(cells.all.count + pending.count)
        counted.ends.reserveCapacity(hours.count)
        func sum(_ cell: Cell) {
            let number = Int(cell.number)
            if sums[number] == 0 { summed.append(cell.number) }
            let (sum, hasOverflowed) = sums[number].addingReportingOverflow(cell.count)
            sums[number] = hasOverflowed ? .max : sum
        }
        for slot in hours.indices {
            if lastRun[slot] < 0 {
                counted.all += cells[slot]
            } else {
                for cell in cells[slot] { sum(cell) }
                var run = Int(lastRun[slot])
                while run >= 0 {
                    for index in (run == 0 ? 0 : Int(runs[run - 1].end))..<Int(runs[run].end) { sum(pending[index]) }
                    run = Int(before[run])
                }
                for number in summed {
                    counted.all.append(Cell(number: number, count: sums[Int(number)]))
                    sums[Int(number)] = 0
                }
                summed.removeAll(keepingCapacity: true)
            }
            counted.ends.append(counted.all.count)
        }
        cells = counted
        pending.removeAll(keepingCapacity: true)
        runs.removeAll(keepingCapacity: true)
    }

    /// Adds events that were counted separately.
    mutating func merge(_ other: TrafficTally, _ translation: TextTranslation) {
        if let lost = other.lostThrough { forget(through: lost) }
        let numbers = other.combinations.all.map { combinations.number(entering: $0.translated(translation)) }
        var ownSlots: [Int?] = []
        for hour in other.hours {
            let slot = slot(of: hour.hour)
            ownSlots.append(slot)
            guard let slot else { continue }
            hours[slot].inPeriod += hour.inPeriod
            hours[slot].outside += hour.outside
        }
        func add(_ added: ArraySlice<Cell>, of slot: Int) {
            guard let own = ownSlots[slot] else { return }
            for cell in added { append(Cell(number: numbers[Int(cell.number)], count: cell.count), to: own) }
            // No hour is forgotten yet, because forgetting renumbers the slots.
            if pending.count >= Self.mostPending { countPending() }
        }
        for slot in other.hours.indices { add(other.cells[slot], of: slot) }
        var start = 0
        for run in other.runs {
            add(other.pending[start..<Int(run.end)], of: Int(run.slot))
            start = Int(run.end)
        }
        forgetIfNeeded()
    }

    /// Replaces its text codes by those of another dictionary.
    mutating func renumber(_ translation: TextTranslation) {
        let old = self
        self = TrafficTally()
        merge(old, translation)
    }

    // MARK: Forgetting

    private mutating func forgetIfNeeded() {
        if pending.count >= Self.mostPending { countPending() }
        if hours.count + cells.all.count > Self.mostEntries + Self.slack { settle() }
    }

    /// Counts the pending events, and removes the oldest hours until the others have at most ``mostEntries`` entries.
    package mutating func settle() { settle(keeping: Self.mostEntries) }

    mutating func settle(keeping most: Int) {
        countPending()
        guard hours.count + cells.all.count > most else { return }
        var left = most
        for (slot, hour) in hours.enumerated().sorted(by: { $0.element.hour > $1.element.hour }) {
            left -= 1 + cells[slot].count
            if left < 0 { return forget(through: hour.hour) }
        }
    }

    /// Removes an hour and all earlier ones.
    package mutating func forget(through lost: Int) {
        lostThrough = max(lost, lostThrough ?? lost)
        guard hours.contains(where: { $0.hour <= lost }) else { return }
        countPending()
        let old = self
        self = TrafficTally()
        lostThrough = old.lostThrough
        for (slot, hour) in old.hours.enumerated() where hour.hour > lost {
            _ = slots[UInt64(bitPattern: Int64(hour.hour)), entering: Int32(hours.count)]
            hours.append(hour)
            for cell in old.cells[slot] {
                let number = combinations.number(entering: old.combinations[cell.number])
                cells.all.append(Cell(number: number, count: cell.count))
            }
            cells.ends.append(cells.all.count)
        }
    }

    // MARK: Reading, after the last event

    /// The combinations of the hour in a slot, in no particular order. The tally must be settled.
    package func cells(in slot: Int) -> ArraySlice<Cell> {
        precondition(pending.isEmpty, "the tally is not settled")
        return cells[slot]
    }

    /// The slots of hours in a range, in no particular order; `nil` if some hour in it is not kept.
    package func slots(in range: Range<Int>) -> [Int]? {
        if let lostThrough, range.lowerBound <= lostThrough { return nil }
        return range.compactMap { slots[UInt64(bitPattern: Int64($0))].map(Int.init) }
    }

    /// Attempts in some hours; `nil` if some hour is not kept.
    func attempts(in range: Range<Int>, isInPeriod: Bool) -> Attempts? {
        slots(in: range)?.reduce(into: Attempts()) { sum, slot in
            sum += hours[slot].inPeriod
            if !isInPeriod { sum += hours[slot].outside }
        }
    }

    /// The hours in order, each with its combinations in the order of their texts. The tally must be settled.
    package func visitHours(_ body: (Hour, [(combination: Combination, count: UInt32)]) throws -> Void) rethrows {
        for (slot, hour) in hours.enumerated().sorted(by: { $0.element.hour < $1.element.hour }) {
            let cells = cells(in: slot).map { (combination: combinations[$0.number], count: $0.count) }
            try body(hour, cells.sorted { $0.combination < $1.combination })
        }
    }
}
