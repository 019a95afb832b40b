import TillColumns
import TillCore

/// All events by hour: how many attempts there were, and how many events of each combination of values.
///
///     slots   { 14:00 → 0, 15:00 → 1, … }
///     hours   [ 310 begun, … | 296 begun, … ]
///     cells   { 0, 5.2.0 · 18.4 · DEU · pro → 9, … }
///
/// An incident is set against it. An adversary could send a million values an hour, so that only the newest hours are kept, as many
/// whole ones as have ``mostEntries`` entries in all. An hour that is not kept in the end would be kept in no part of the
/// input either, so the result does not depend on how the input is split.
package struct TrafficTally: Sendable {
    /// Attempts and responses of an hour, by line.
    package struct Attempts: Hashable, Sendable {
        /// Attempts to buy that began.
        package var begun = 0
        /// Attempts to buy that ended, for a log that does not tell their beginnings.
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
        /// Combinations of the hour.
        fileprivate var cellCount = 0
    }

    /// Entries of all hours that are kept: one for each hour and one for each combination of an hour. Each takes up to 24 bytes.
    package static let mostEntries = 1 << 20
    /// How many entries there may be until the oldest hours are forgotten, so that this is done for many of them at once.
    private static let slack = mostEntries / 4

    package private(set) var hours: [Hour] = []
    private var slots = IntegerMap<UInt64, Int32>()
    /// By the slot of the hour, in the upper half of the key, and the number of the combination.
    private var cells = IntegerMap<UInt64, UInt32>()
    package private(set) var combinations = CombinationTable()
    /// This hour and those before it are not kept.
    package private(set) var lostThrough: Int?
    /// By number of the combination, zeros between two uses; and those that are not zero.
    private var sums: [UInt32] = []
    private var summed: [Int32] = []

    package init() {}

    private var entryCount: Int { hours.count + cells.count }

    /// Bytes of memory, growing tables counted with half as much again.
    var footprint: Int {
        (hours.capacity * MemoryLayout<Hour>.stride + slots.capacity * 12 + cells.capacity * 12) * 3 / 2
            + combinations.footprint
    }

    var texts: Set<Int32> {
        var texts: Set<Int32> = []
        combinations.insertTexts(into: &texts)
        return texts
    }

    /// The slot of an hour; `nil` where it is not kept.
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
        add(count, of: combinations.number(entering: combination), to: slot)
        forgetIfNeeded()
    }

    @inline(__always)
    private mutating func add(_ count: UInt32, of number: Int32, to slot: Int) {
        let isNew = cells.update(Self.key(slot, number), entering: 0) { known in
            defer { known = known.addingReportingOverflow(count).overflow ? .max : known &+ count }
            return known == 0
        }
        if isNew { hours[slot].cellCount += 1 }
    }

    private static func key(_ slot: Int, _ number: Int32) -> UInt64 {
        UInt64(slot + 1) << 32 | UInt64(UInt32(bitPattern: number))
    }

    /// Cells between the prefetch of one and its use.
    private static let prefetchDistance = 8

    /// Counts the events of a batch.
    mutating func count(_ batchDelta: TrafficDelta) {
        var start = 0
        for run in batchDelta.runs {
            defer { start = run.end }
            guard let slot = slot(of: run.hour) else { continue }
            if run.isInPeriod { hours[slot].inPeriod += run.attempts } else { hours[slot].outside += run.attempts }
            count(batchDelta.numbers[start..<run.end], in: slot)
        }
        // Not before, because it numbers the combinations anew.
        forgetIfNeeded()
    }

    /// Counts events of some combinations in an hour. Those of one combination are added together, since a log has many of them
    /// in an hour.
    private mutating func count(_ numbers: ArraySlice<Int32>, in slot: Int) {
        if sums.count < combinations.count {
            sums += Array(repeating: 0, count: combinations.count - sums.count)
        }
        summed.removeAll(keepingCapacity: true)
        for number in numbers {
            if sums[Int(number)] == 0 { summed.append(number) }
            sums[Int(number)] &+= 1
        }
        for index in summed.indices {
            let ahead = index &+ Self.prefetchDistance
            if ahead < summed.count { cells.prefetch(Self.key(slot, summed[ahead])) }
            let number = Int(summed[index])
            add(sums[number], of: summed[index], to: slot)
            sums[number] = 0
        }
    }

    /// The number of a combination for the next batch that is counted.
    @inline(__always)
    mutating func number(entering combination: Combination) -> Int32 { combinations.number(entering: combination) }

    /// Adds what was counted apart.
    mutating func merge(_ other: TrafficTally, _ translation: TextTranslation) {
        if let lost = other.lostThrough { forget(through: lost) }
        for hour in other.hours {
            guard let slot = slot(of: hour.hour) else { continue }
            hours[slot].inPeriod += hour.inPeriod
            hours[slot].outside += hour.outside
        }
        let numbers = other.combinations.all.map { combinations.number(entering: $0.translated(translation)) }
        other.cells.visit { key, count in
            let hour = other.hours[Int(key >> 32) - 1].hour
            guard let slot = slot(of: hour) else { return }
            add(count, of: numbers[Int(key & 0xFFFF_FFFF)], to: slot)
        }
        forgetIfNeeded()
    }

    /// Takes the codes of another dictionary in place of its own.
    mutating func renumber(_ translation: TextTranslation) {
        let old = self
        self = TrafficTally()
        merge(old, translation)
    }

    // MARK: Forgetting

    private mutating func forgetIfNeeded() {
        if entryCount > Self.mostEntries + Self.slack { settle() }
    }

    /// Forgets the oldest hours until the others have at most ``mostEntries`` entries.
    package mutating func settle() { settle(keeping: Self.mostEntries) }

    mutating func settle(keeping most: Int) {
        guard entryCount > most else { return }
        var left = most
        for hour in hours.sorted(by: { $0.hour > $1.hour }) {
            left -= 1 + hour.cellCount
            if left < 0 { return forget(through: hour.hour) }
        }
    }

    /// Forgets an hour and all before it.
    package mutating func forget(through lost: Int) {
        lostThrough = max(lost, lostThrough ?? lost)
        guard hours.contains(where: { $0.hour <= lost }) else { return }
        let old = self
        self = TrafficTally()
        lostThrough = old.lostThrough
        for hour in old.hours where hour.hour > lost {
            let slot = Int32(hours.count)
            _ = slots[UInt64(bitPattern: Int64(hour.hour)), entering: slot]
            hours.append(hour)
            hours[Int(slot)].cellCount = 0
        }
        old.cells.visit { key, count in
            let hour = old.hours[Int(key >> 32) - 1].hour
            guard hour > lost, let slot = slots[UInt64(bitPattern: Int64(hour))] else { return }
            let number = combinations.number(entering: old.combinations[Int32(key & 0xFFFF_FFFF)])
            add(count, of: number, to: Int(slot))
        }
    }

    // MARK: Reading

    /// Events of one combination in an hour.
    package struct Cell: Sendable {
        package let number: Int32
        package let count: UInt32
    }

    /// The cells, hour by hour.
    package struct OrderedCells: Sendable {
        private var cells: [Cell]
        /// By slot, one past the last cell.
        private var ends: [Int]

        package init(_ tally: borrowing TrafficTally) {
            var places: [Int] = []
            var start = 0
            for hour in tally.hours {
                places.append(start)
                start += hour.cellCount
            }
            var cells = Array(repeating: Cell(number: 0, count: 0), count: start)
            tally.cells.visit { key, count in
                let slot = Int(key >> 32) - 1
                cells[places[slot]] = Cell(number: Int32(truncatingIfNeeded: key), count: count)
                places[slot] += 1
            }
            (self.cells, ends) = (cells, places)
        }

        /// The cells of the hour in a slot, in no particular order.
        package subscript(_ slot: Int) -> ArraySlice<Cell> { cells[(slot == 0 ? 0 : ends[slot - 1])..<ends[slot]] }
    }

    /// The slots of hours in a range, in no particular order; `nil` where some hour in it is not kept.
    package func slots(in range: Range<Int>) -> [Int]? {
        if let lostThrough, range.lowerBound <= lostThrough { return nil }
        return range.compactMap { slots[UInt64(bitPattern: Int64($0))].map(Int.init) }
    }

    /// Attempts in some hours; `nil` where some hour is not kept.
    func attempts(in range: Range<Int>, isInPeriod: Bool) -> Attempts? {
        slots(in: range)?.reduce(into: Attempts()) { sum, slot in
            sum += hours[slot].inPeriod
            if !isInPeriod { sum += hours[slot].outside }
        }
    }

    /// The hours in order, each with its combinations in the order of their texts.
    package func visitHours(_ body: (Hour, [(combination: Combination, count: UInt32)]) throws -> Void) rethrows {
        let ordered = OrderedCells(self)
        for (slot, hour) in hours.enumerated().sorted(by: { $0.element.hour < $1.element.hour }) {
            let cells = ordered[slot].map { (combination: combinations[$0.number], count: $0.count) }
            try body(hour, cells.sorted { $0.combination < $1.combination })
        }
    }
}
