import TillColumns
import TillCore

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
///     slots   attempts; failures and the groups of accounts that failed; purchases; other events and their sources
///     hours   records and their sources, newest record and purchase; attempts and failures by combination; failures
///             by underlying error and by account
///
/// Every value adds, is a union of bits, or is a maximum. So order, split and merging of the input do not matter.
/// Memory grows with hours, apps and codes, not with events: up to 64 bytes for each cell. What grows with combinations,
/// underlying errors and accounts is limited (``mostEntries``); of these the newest whole hours are kept.
package struct IncidentCells: Sendable {
    /// What a cell counts.
    package enum Table: UInt8, CaseIterable, Sendable {
        case attempts, failures, purchases, others
        case records, newest, newestPurchase
        case attemptsByValues, failuresByValues, underlying, accounts
        /// The same of the period alone, where there is one. Incidents do not depend on it, but other rates do.
        case attemptsOfPeriod, failuresOfPeriod, underlyingOfPeriod

        /// Whether the count of a cell is an instant of its hour instead, in milliseconds.
        package var isInstant: Bool { self == .newest || self == .newestPurchase }

        /// Whether cells have a set of sources.
        package var hasSources: Bool { self == .failures || self == .others || self == .records }

        /// Whether cells are of a series.
        package var hasSeries: Bool { self != .records && !isInstant }

        /// The slots or hours that a cell can have.
        package var times: Range<Int64> {
            let length = rawValue < Table.records.rawValue ? IncidentCells.slotLength : Timestamp.millisecondsPerHour
            return IncidentCells.possible.lowerBound / length..<(IncidentCells.possible.upperBound / length)
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

    package struct Cell: SortedCell {
        package var key: Key
        package var count: UInt64
        /// A set of 64: of failures the groups of accounts that failed, of other records their sources; else 0.
        package var sources: UInt64

        package init(_ key: Key, _ count: UInt64, sources: UInt64 = 0) {
            (self.key, self.count, self.sources) = (key, count, sources)
        }

        var packed: UInt128 { key.packed }

        mutating func join(_ other: Cell) {
            sources |= other.sources
            let (sum, hasOverflowed) = count.addingReportingOverflow(other.count)
            count = key.table.isInstant ? max(count, other.count) : hasOverflowed ? .max : sum
        }
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
    private var cells = SortedCells<Cell>()
    /// The number of cells after which limits are looked at, and then after each quarter more.
    private var large = mostEntries + mostEntries / 4
    /// Records whose time is before the App Store opened, or from 2100 on.
    package var impossible = 0
    /// By limit: this hour and those before it are not kept.
    package private(set) var lostThrough: [Int?] = Array(repeating: nil, count: Limit.allCases.count)

    package init() {}

    var footprint: Int { cells.footprint + combinations.footprint + (series.count + underlying.count) * 64 }

    var isEmpty: Bool { cells.isEmpty && impossible == 0 }

    package var series: [CellSeries] { numberedSeries.all }
    /// Innermost errors.
    package var underlying: [FailureCode] { numberedUnderlying.all }

    package mutating func number(of added: CellSeries) -> Int32 { numberedSeries.number(entering: added) }

    package mutating func number(of combination: Combination) -> Int32 { combinations.number(entering: combination) }

    package mutating func number(ofUnderlying code: FailureCode) -> Int32 { numberedUnderlying.number(entering: code) }

    /// Adds a value of a cell, whose numbers are of this table.
    package mutating func add(_ cell: Cell) {
        if let limit = cell.key.table.limit, let lost = lostThrough[limit.rawValue], cell.key.time <= lost { return }
        cells.add(cell)
        if cells.counted.count > large { forget() }
    }

    /// The cells of some of the tables, in order, each once.
    func ordered(of tables: Set<Table>) -> some Sequence<Cell> { ordered.lazy.filter { tables.contains($0.key.table) } }

    /// The cells in order, each once.
    package var ordered: [Cell] { cells.ordered }

    /// Sorts all cells, and keeps as many as the limits allow. Cells may be added afterwards.
    package mutating func settle() {
        cells.settle()
        forget()
    }

    /// Removes the oldest hours of tables that have too many entries.
    private mutating func forget() {
        cells.settle()
        guard cells.counted.count > Self.mostEntries else { return }
        for limit in Limit.allCases {
            var hours: [Int: Int] = [:]
            for cell in cells.counted where cell.key.table.limit == limit { hours[cell.key.time, default: 0] += 1 }
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
        cells.remove { [lostThrough] cell in
            cell.key.table.limit.flatMap { lostThrough[$0.rawValue] }.map { cell.key.time <= $0 } ?? false
        }
        large = max(large, cells.counted.count + cells.counted.count / 4)
    }

    /// Forgets the hours of a limit, up to one, as another part of the input did.
    package mutating func forget(_ limit: Limit, through hour: Int) {
        lostThrough[limit.rawValue] = max(hour, lostThrough[limit.rawValue] ?? hour)
        cells.settle()
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
        _ added: [Cell],
        of series: [CellSeries],
        _ combinations: [Combination],
        _ underlying: [FailureCode],
        account: (Int32) -> Int32
    ) {
        let ownSeries = series.map { number(of: $0) }
        let ownCombinations = self.combinations.numbers(entering: combinations)
        let ownUnderlying = underlying.map { number(ofUnderlying: $0) }
        for cell in added {
            let (key, table) = (cell.key, cell.key.table)
            let value =
                switch table.value {
                case .combination: ownCombinations[Int(key.value)]
                case .underlying: ownUnderlying[Int(key.value)]
                case .account: account(key.value)
                case nil: Int32(0)
                }
            let series = table.hasSeries ? ownSeries[Int(key.series)] : 0
            add(Cell(Key(table, key.time, series: series, value: value), cell.count, sources: cell.sources))
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
        for cell in cells.all where cell.key.table == .accounts { texts.insert(cell.key.value) }
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
