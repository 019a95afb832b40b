import TillColumns
package import TillCore

/// A kind of attempt that succeeds or fails; and ends and beginnings of attempts to buy, which only rates count.
package enum AttemptFamily: UInt8, CaseIterable, Sendable {
    case purchase, restore, verify, products, verifyReceipt
    case begun, cancelled, deferred

    package var name: String { "\(self)" }

    /// Whether its failures may be an incident.
    var isTested: Bool { rawValue <= AttemptFamily.verifyReceipt.rawValue }
}

/// What a cell counts: attempts of an app and a family, or failures of one code among them.
package struct CellSeries: Hashable, Comparable, Sendable {
    /// A text of the dictionary; -1 where an event names no app, ``allApps`` for responses.
    package var app: Int32
    package var family: AttemptFamily
    /// `nil` for attempts.
    package var failure: FailureCode?

    package static let allApps: Int32 = -2

    package init(app: Int32, family: AttemptFamily, failure: FailureCode? = nil) {
        (self.app, self.family, self.failure) = (app, family, failure)
    }

    package static func < (left: Self, right: Self) -> Bool {
        let (one, other) = (left.failure?.packed ?? 0, right.failure?.packed ?? 0)
        return (left.app, left.family.rawValue, one) < (right.app, right.family.rawValue, other)
    }

    /// The same with other codes for its texts.
    func mapTexts(_ code: (Int32) -> Int32) -> CellSeries {
        var series = self
        if app >= 0 { series.app = code(app) }
        series.failure = failure?.mapTexts(code)
        return series
    }
}

extension FailureCode {
    /// The same with another code for its domain.
    func mapTexts(_ text: (Int32) -> Int32) -> FailureCode {
        FailureCode(domain: domain < 0 ? -1 : text(domain), code: code)
    }
}

/// Counts from which incidents are found: of events and responses by ten minutes and by hour.
///
///     slots   attempts, failures, groups of accounts that failed, purchases, other events and their sources
///     hours   records, sources, newest record and purchase; attempts and failures by combination; failures by underlying error
///             and by account
///
/// Every value adds, is a union of bits, or is a maximum. So order, split and merging of the input do not matter.
/// Memory grows with hours, apps and codes, not with events: 24 bytes for each cell. What grows with combinations,
/// underlying errors and accounts is limited (``mostEntries``); of these the newest whole hours are kept.
package struct IncidentCells: Sendable {
    /// What a cell counts, and how two values of it are joined.
    package enum Table: UInt8, CaseIterable, Sendable {
        case attempts, failures, groups, purchases, others, otherSources
        case records, sources, newest, newestPurchase
        case attemptsByValues, failuresByValues, underlying, accounts
        /// The same of the period alone, where there is one. Incidents do not depend on it, but other rates do.
        case attemptsOfPeriod, failuresOfPeriod, underlyingOfPeriod

        /// Whether a value is a number that adds; the others are sets of 64 bits, or an instant.
        package var isCount: Bool { !isUnion && !isInstant }

        /// Whether a value is an instant of its hour, in milliseconds.
        package var isInstant: Bool { self == .newest || self == .newestPurchase }

        /// Whether cells are of a series.
        package var hasSeries: Bool { self != .records && self != .sources && !isInstant }

        /// The slots or hours that a cell can have.
        package var times: Range<Int64> {
            let length = rawValue < Table.records.rawValue ? IncidentCells.slotLength : Timestamp.millisecondsPerHour
            return IncidentCells.possible.lowerBound / length..<(IncidentCells.possible.upperBound / length)
        }

        /// Whether values are sets of 64 bits.
        fileprivate var isUnion: Bool { self == .groups || self == .otherSources || self == .sources }

        fileprivate func joined(_ value: UInt64, _ other: UInt64) -> UInt64 {
            if isUnion { return value | other }
            if isInstant { return max(value, other) }
            let (sum, hasOverflowed) = value.addingReportingOverflow(other)
            return hasOverflowed ? .max : sum
        }

        /// Tables whose entries share one limit; `nil` for the others.
        package var limit: Limit? {
            switch self {
            case .attemptsByValues, .failuresByValues: .values
            case .underlying: .underlying
            case .accounts: .accounts
            case .attemptsOfPeriod, .failuresOfPeriod, .underlyingOfPeriod: .period
            default: nil
            }
        }

        /// What a cell has beside its time and series; `nil` where it has nothing.
        package var value: Value? {
            switch self {
            case .attemptsByValues, .failuresByValues, .attemptsOfPeriod, .failuresOfPeriod: .combination
            case .underlying, .underlyingOfPeriod: .underlying
            case .accounts: .account
            default: nil
            }
        }
    }

    package enum Value: Sendable { case combination, underlying, account }

    /// What has a limit of its own.
    package enum Limit: Int, CaseIterable, Sendable { case values, underlying, accounts, period }

    /// A table, a time (ten minutes or an hour, by number since 1970), and the numbers of a series and of a value.
    package struct Key: Comparable, Sendable {
        fileprivate var packed: UInt128

        package init(_ table: Table, _ time: Int, series: Int32 = 0, value: Int32 = 0) {
            packed =
                UInt128(table.rawValue) << 96 | UInt128(UInt32(truncatingIfNeeded: time)) << 64
                | UInt128(UInt32(bitPattern: series)) << 32 | UInt128(UInt32(bitPattern: value))
        }

        fileprivate init(packed: UInt128) { self.packed = packed }

        package var table: Table { Table(rawValue: UInt8(truncatingIfNeeded: packed >> 96)) ?? .records }
        package var time: Int { Int(UInt32(truncatingIfNeeded: packed >> 64)) }
        package var series: Int32 { Int32(truncatingIfNeeded: packed >> 32) }
        package var value: Int32 { Int32(truncatingIfNeeded: packed) }

        package static func < (left: Key, right: Key) -> Bool { left.packed < right.packed }
    }

    package struct Cell: Sendable {
        package var key: Key
        package var value: UInt64

        package init(_ key: Key, _ value: UInt64) { (self.key, self.value) = (key, value) }
    }

    package static let slotLength: Int64 = 600_000
    package static let slotsOfHour = 6
    /// No other time is believed.
    package static let possible = Timestamp.ofStore

    /// The most entries of each ``Limit``.
    package static let mostEntries = 1 << 20

    private var numberedSeries = NumberedValues<CellSeries>()
    package private(set) var combinations = CombinationTable()
    private var numberedUnderlying = NumberedValues<FailureCode>()
    private var counter = CellCounter()
    /// Records whose time is before the App Store opened, or from 2100 on.
    package var impossible = 0
    /// By limit: this hour and those before it are not kept.
    package private(set) var lostThrough: [Int?] = Array(repeating: nil, count: Limit.allCases.count)

    package init() {}

    var footprint: Int { counter.footprint + combinations.footprint + (series.count + underlying.count) * 64 }

    var isEmpty: Bool { counter.isEmpty && impossible == 0 }

    package var series: [CellSeries] { numberedSeries.all }
    /// Innermost errors.
    package var underlying: [FailureCode] { numberedUnderlying.all }

    package mutating func number(of added: CellSeries) -> Int32 { numberedSeries.number(entering: added) }

    package mutating func number(of combination: Combination) -> Int32 { combinations.number(entering: combination) }

    package mutating func number(ofUnderlying code: FailureCode) -> Int32 { numberedUnderlying.number(entering: code) }

    /// Adds a value of a cell, whose numbers are of this table.
    package mutating func add(_ cell: Cell) {
        if let limit = cell.key.table.limit, let lost = lostThrough[limit.rawValue], cell.key.time <= lost { return }
        counter.add(cell)
        if counter.isLarge { forget() }
    }

    /// The cells of some of the tables, in order, each once.
    func ordered(of tables: Set<Table>) -> some Sequence<Cell> { ordered.lazy.filter { tables.contains($0.key.table) } }

    /// The cells in order, each once.
    package var ordered: [Cell] {
        var counter = counter
        counter.settle()
        return counter.counted
    }

    /// Sorts all cells, and keeps as many as the limits allow. Cells may be added afterwards.
    package mutating func settle() {
        counter.settle()
        forget()
    }

    /// Removes the oldest hours of tables that have too many entries.
    private mutating func forget() {
        counter.settle()
        for limit in Limit.allCases {
            var hours: [Int: Int] = [:]
            for cell in counter.counted where cell.key.table.limit == limit { hours[cell.key.time, default: 0] += 1 }
            var left = Self.mostEntries - hours.values.reduce(0, +)
            guard left < 0 else { continue }
            for (hour, count) in hours.sorted(by: { $0.key < $1.key }) where left < 0 {
                left += count
                lostThrough[limit.rawValue] = hour
            }
        }
        removeLost()
    }

    private mutating func removeLost() {
        counter.remove { [lostThrough] key in
            key.table.limit.flatMap { lostThrough[$0.rawValue] }.map { key.time <= $0 } ?? false
        }
    }

    /// Forgets the hours of a limit, up to one, as another part of the input did.
    package mutating func forget(_ limit: Limit, through hour: Int) {
        lostThrough[limit.rawValue] = max(hour, lostThrough[limit.rawValue] ?? hour)
        counter.settle()
        removeLost()
    }

    /// Adds cells that were counted separately.
    mutating func merge(_ other: IncidentCells, _ translation: TextTranslation? = nil) {
        impossible += other.impossible
        for limit in Limit.allCases { if let lost = other.lostThrough[limit.rawValue] { forget(limit, through: lost) } }
        add(
            other.ordered,
            of: translation.map { own in other.series.map { $0.mapTexts(own.text) } } ?? other.series,
            translation.map { own in other.combinations.all.map { $0.translated(own) } } ?? other.combinations.all,
            translation.map { own in other.underlying.map { $0.mapTexts(own.text) } } ?? other.underlying,
            account: { translation?.text($0) ?? $0 }
        )
    }

    /// Adds cells with numbers of their own, with the texts of this ledger.
    ///
    /// - Parameter account: gives the text of an account.
    mutating func add(
        _ cells: [Cell],
        of series: [CellSeries],
        _ combinations: [Combination],
        _ underlying: [FailureCode],
        account: (Int32) -> Int32
    ) {
        let ownSeries = series.map { number(of: $0) }
        let ownCombinations = self.combinations.numbers(entering: combinations)
        let ownUnderlying = underlying.map { number(ofUnderlying: $0) }
        for cell in cells {
            let (key, table) = (cell.key, cell.key.table)
            let value =
                switch table.value {
                case .combination: ownCombinations[Int(key.value)]
                case .underlying: ownUnderlying[Int(key.value)]
                case .account: account(key.value)
                case nil: Int32(0)
                }
            let series = table.hasSeries ? ownSeries[Int(key.series)] : 0
            add(Cell(Key(table, key.time, series: series, value: value), cell.value))
        }
    }

    /// The same with series, combinations and underlying errors numbered in the order of their texts' codes, and as many
    /// cells as the limits allow.
    package var inOrderOfTexts: IncidentCells {
        var old = self
        old.settle()
        var new = IncidentCells()
        (new.impossible, new.lostThrough) = (impossible, old.lostThrough)
        for one in series.sorted() { _ = new.number(of: one) }
        for one in combinations.all.sorted() { _ = new.number(of: one) }
        for one in underlying.sorted(by: { $0.packed < $1.packed }) { _ = new.number(ofUnderlying: one) }
        new.add(old.ordered, of: series, combinations.all, underlying) { $0 }
        new.settle()
        return new
    }

    /// Counts the events of a batch.
    mutating func count(_ delta: IncidentDelta, _ translated: TranslatedCells) {
        impossible += delta.impossible
        guard !delta.cells.isEmpty else { return }
        add(delta.cells, of: translated.series, translated.combinations, translated.underlying) {
            translated.accounts[$0] ?? -1
        }
    }

    /// Codes of the texts that are in use.
    var texts: Set<Int32> {
        var texts: Set<Int32> = []
        for one in series {
            if one.app >= 0 { texts.insert(one.app) }
            if let domain = one.failure?.domain, domain >= 0 { texts.insert(domain) }
        }
        for code in underlying where code.domain >= 0 { texts.insert(code.domain) }
        for cell in counter.all where cell.key.table == .accounts { texts.insert(cell.key.value) }
        combinations.insertTexts(into: &texts)
        return texts
    }

    /// Takes the codes that its texts have in another dictionary.
    mutating func renumber(_ translation: TextTranslation) {
        let old = self
        self = IncidentCells()
        merge(old, translation)
    }
}

/// What the numbers of the cells of a batch stand for, with the texts of the ledger.
struct TranslatedCells {
    var series: [CellSeries] = []
    var combinations: [Combination] = []
    var underlying: [FailureCode] = []
    var accounts: [Int32: Int32] = [:]
}

/// Cells that were counted, in order, and cells that wait.
///
/// A hash table of them would be larger than the caches, and each event would wait for memory. They are sorted instead,
/// many at once.
private struct CellCounter: Sendable {
    private(set) var counted: [IncidentCells.Cell] = []
    private var pending: [IncidentCells.Cell] = []
    private static let leastPending = 1 << 15
    /// The number of cells after which limits are looked at, and then after each quarter more.
    private var large = IncidentCells.mostEntries + IncidentCells.mostEntries / 4

    var footprint: Int { (counted.capacity + pending.capacity) * MemoryLayout<IncidentCells.Cell>.stride * 3 / 2 }

    var isEmpty: Bool { counted.isEmpty && pending.isEmpty }
    var isLarge: Bool { counted.count > large }

    /// In no particular order; a cell may be there several times.
    var all: some Sequence<IncidentCells.Cell> { [counted, pending].joined() }

    mutating func add(_ cell: IncidentCells.Cell) {
        pending.append(cell)
        if pending.count >= max(Self.leastPending, counted.count / 4) { settle() }
    }

    mutating func settle() {
        guard !pending.isEmpty else { return }
        pending.sortByDigits { $0.key.packed }
        counted = Self.joined(counted, pending)
        pending.removeAll(keepingCapacity: true)
    }

    mutating func remove(where isLost: (IncidentCells.Key) -> Bool) {
        counted.removeAll { isLost($0.key) }
        large = max(large, counted.count + counted.count / 4)
    }

    private static func joined(_ left: [IncidentCells.Cell], _ right: [IncidentCells.Cell]) -> [IncidentCells.Cell] {
        var joined: [IncidentCells.Cell] = []
        joined.reserveCapacity(left.count + right.count)
        var (first, second) = (0, 0)
        while first < left.count || second < right.count {
            let takesLeft =
                second == right.count || first < left.count && left[first].key.packed <= right[second].key.packed
            let cell = takesLeft ? left[first] : right[second]
            if takesLeft { first += 1 } else { second += 1 }
            if let last = joined.indices.last, joined[last].key.packed == cell.key.packed {
                joined[last].value = cell.key.table.joined(joined[last].value, cell.value)
            } else {
                joined.append(cell)
            }
        }
        return joined
    }
}
