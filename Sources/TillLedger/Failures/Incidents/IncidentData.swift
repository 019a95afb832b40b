import TillColumns
import TillCore

/// Failures of one code in an app and a family, or of all of them.
struct FailureSeries: Hashable {
    /// The number of the app; `nil` for all apps together.
    let app: Int?
    let family: AttemptFamily
    /// The number of the code; `nil` for all codes.
    let code: Int?

    var ofAttempts: AttemptSeries { AttemptSeries(app: app, family: family) }
}

/// Attempts of an app and a family.
struct AttemptSeries: Hashable {
    /// The number of the app; `nil` for all apps together.
    let app: Int?
    let family: AttemptFamily
}

/// Failures of a series by ten minutes, with the attempts of its app and family.
struct TestedSeries {
    let series: FailureSeries
    let failures: Timeline
    let attempts: Timeline
}

/// The cells of ``IncidentCells``, ordered for looking for incidents.
struct IncidentData {
    /// The most apps that are looked at by themselves; the others count in all apps together.
    static let mostApps = 64
    /// A sum above it counts as this, so that products of three sums fit 128 bits.
    static let mostOfSum = 1 << 31 - 1

    /// An app and a code, by number.
    private struct HourSeries: Hashable {
        let app: Int
        let family: AttemptFamily
        /// `nil` for attempts.
        let code: Int?
    }

    /// Text codes of the apps, in the order of their texts: -1 where events have none.
    let apps: [Int32]
    /// In the order of their texts, then of their numbers.
    let codes: [FailureCode]
    /// The apps that are looked at, and at last all of them together.
    let scopes: [Int?]
    let combinations: CombinationTable
    let underlyingCodes: [FailureCode]

    let first: Int
    let end: Int
    /// In milliseconds.
    let now: Int64
    let isNowGiven: Bool
    /// The newest purchase up to now, in milliseconds.
    let lastPurchase: Int64?
    /// Records dated by clocks that are ahead.
    let ahead: Int

    /// The series with failures, in a fixed order.
    private(set) var tested: [TestedSeries] = []
    private var places: [FailureSeries: Int] = [:]
    private(set) var attempts: [AttemptSeries: Timeline] = [:]
    private(set) var purchases: [Int?: Timeline] = [:]
    private var others = Timeline()

    private let ordered: [IncidentCells.Cell]
    /// The numbers of series in ``ordered``, and the reverse.
    private var numbers: [HourSeries: Int32] = [:]
    private var hourSeries: [HourSeries?] = []
    /// By app and family: the codes that failed.
    private var codesOfFamily: [AttemptSeries: [Int]] = [:]
    /// By code: the hours in which it failed, and the apps.
    private var appsOfCodes: [Int: [(hour: Int, app: Int)]] = [:]
    private let text: (Int32) -> String

    /// - Parameters:
    ///   - now: in milliseconds; `nil` for the end of the data.
    ///   - text: gives the text of a code.
    /// - Returns: `nil` if there is no record with a possible time.
    init?(_ cells: IncidentCells, now given: Int64?, text: @escaping (Int32) -> String) {
        ordered = cells.ordered
        self.text = text
        var hours: [DataExtent.Hour] = []
        for table in [IncidentCells.Table.records, .newest] {
            var place = 0
            for cell in Self.cells(of: table, in: ordered) {
                while place < hours.count, hours[place].hour < cell.key.time { place += 1 }
                if place == hours.count || hours[place].hour != cell.key.time {
                    hours.insert(.init(hour: cell.key.time), at: place)
                }
                if table == .records {
                    (hours[place].records, hours[place].sources) = (Self.clamped(cell.count), cell.sources)
                } else {
                    hours[place].newest = Int64(clamping: cell.count)
                }
            }
        }
        guard let extent = DataExtent(hours, given: given) else { return nil }
        now = extent.now
        isNowGiven = given != nil
        // A newer one in the hour of now is dated by a clock that is ahead.
        lastPurchase = Self.cells(of: .newestPurchase, in: ordered)
            .last { $0.key.time <= Int(extent.now / Timestamp.millisecondsPerHour) }
            .map { min(Int64(clamping: $0.count), extent.now) }
        end = Int(extent.now / IncidentCells.slotLength)
        first = min(extent.first * IncidentCells.slotsOfHour, end)
        ahead = hours.reduce(0) { $1.hour > extent.lastBelieved ? $0 + $1.records : $0 }

        var known = Set(cells.series.lazy.map(\.app))
        known.remove(CellSeries.allApps)
        func name(_ app: Int32) -> String { app < 0 ? "" : text(app) }
        apps = known.sorted { name($0).utf8.lexicographicallyPrecedes(name($1).utf8) }
        let numbers = Dictionary(uniqueKeysWithValues: apps.enumerated().map { ($1, $0) })
        let failureCodes = Set(cells.series.lazy.compactMap(\.failure))
        func words(_ code: FailureCode) -> (String, Int64) {
            (code.domain < 0 ? "" : text(code.domain), code.code ?? .min)
        }
        codes = failureCodes.map { (words($0), $0) }.sorted { left, right in
            left.0.0 == right.0.0
                ? left.0.1 < right.0.1 : left.0.0.utf8.lexicographicallyPrecedes(right.0.0.utf8)
        }
        .map(\.1)
        let codeNumbers = Dictionary(uniqueKeysWithValues: codes.enumerated().map { ($1, $0) })
        combinations = cells.combinations
        underlyingCodes = cells.underlying

        // Apps with the most attempts are looked at by themselves.
        var attemptsOfApps = Array(repeating: 0, count: apps.count)
        for cell in Self.cells(of: .attempts, in: ordered) {
            let series = cells.series[Int(cell.key.series)]
            if series.family.isTested, let app = numbers[series.app] {
                attemptsOfApps[app] += Self.clamped(cell.count)
            }
        }
        // Apps of which only responses tell are in no cell by ten minutes.
        var seen: Set<Int> = []
        for table in [IncidentCells.Table.attempts, .purchases, .others] {
            for cell in Self.cells(of: table, in: ordered) {
                if let app = numbers[cells.series[Int(cell.key.series)].app] { seen.insert(app) }
            }
        }
        let most = seen.sorted {
            (attemptsOfApps[$1], $0) < (attemptsOfApps[$0], $1)
        }
        .prefix(Self.mostApps).sorted()
        let hasAll = seen.count > 1
        let looked = Set(most)
        scopes = most.map(Optional.some) + [nil]
        /// The scopes in which the cells of a series count.
        func counting(_ app: Int32) -> [Int?] {
            guard let number = numbers[app] else { return [nil] }
            return (looked.contains(number) ? [number] : []) + (hasAll ? [nil] : [])
        }

        readAttempts(cells.series, counting)
        readFailures(cells.series, codeNumbers, counting)
        for cell in Self.cells(of: .others, in: ordered) {
            others.appendUnion(cell.key.time, cell.sources)
        }
        for (number, series) in cells.series.enumerated() {
            let code = series.failure.flatMap { codeNumbers[$0] }
            let own = numbers[series.app].map { HourSeries(app: $0, family: series.family, code: code) }
            hourSeries.append(own)
            guard let own else { continue }
            self.numbers[own] = Int32(number)
            if let code {
                codesOfFamily[AttemptSeries(app: own.app, family: own.family), default: []].append(code)
            }
        }
        var last: IncidentCells.Key?
        for cell in Self.cells(of: .failuresByValues, in: ordered) {
            // A cell of each combination follows.
            if let last, last.time == cell.key.time, last.series == cell.key.series { continue }
            last = cell.key
            guard let own = hourSeries[Int(cell.key.series)], let code = own.code else { continue }
            appsOfCodes[code, default: []].append((cell.key.time, own.app))
        }
    }

    private static func clamped(_ value: UInt64) -> Int { Int(min(value, UInt64(mostOfSum))) }

    private static func cells(
        of table: IncidentCells.Table,
        in ordered: [IncidentCells.Cell]
    ) -> ArraySlice<IncidentCells.Cell> {
        let first = ordered.partitioningIndex { $0.key.table.rawValue >= table.rawValue }
        return ordered[first..<ordered.partitioningIndex { $0.key.table.rawValue > table.rawValue }]
    }

    /// Adds the cells of a table in the time of the data to the timelines of some keys.
    ///
    /// - Parameter keys: gives the keys to which a series adds.
    private func timelines<Key: Hashable>(
        of table: IncidentCells.Table,
        _ series: [CellSeries],
        _ keys: (CellSeries) -> [Key]
    ) -> [Key: Timeline] {
        var places: [Key: Int] = [:]
        var timelines: [(key: Key, timeline: Timeline)] = []
        var targets = [[Int]?](repeating: nil, count: series.count)
        for cell in Self.cells(of: table, in: ordered) where (first...end).contains(cell.key.time) {
            let number = Int(cell.key.series)
            if targets[number] == nil {
                targets[number] = keys(series[number]).map { key in
                    if let place = places[key] { return place }
                    places[key] = timelines.count
                    timelines.append((key, Timeline()))
                    return timelines.count - 1
                }
            }
            for target in targets[number] ?? [] {
                timelines[target].timeline.add(cell.key.time, Self.clamped(cell.count))
            }
        }
        for place in timelines.indices { timelines[place].timeline.index() }
        return Dictionary(uniqueKeysWithValues: timelines.map { ($0.key, $0.timeline) })
    }

    private mutating func readAttempts(_ series: [CellSeries], _ scopes: (Int32) -> [Int?]) {
        attempts = timelines(of: .attempts, series) { counted in
            // A request for products has no success: it is counted among the purchases.
            let families = counted.family == .purchase ? [.purchase, .products] : [counted.family]
            return scopes(counted.app).flatMap { scope in families.map { AttemptSeries(app: scope, family: $0) } }
        }
        purchases = timelines(of: .purchases, series) { scopes($0.app) }
    }

    /// Failures in a slot, of several series.
    private struct SlotFailures {
        let slot: Int
        var count = 0
        var groups: UInt64 = 0
    }

    private mutating func readFailures(
        _ series: [CellSeries],
        _ codeNumbers: [FailureCode: Int],
        _ scopes: (Int32) -> [Int?]
    ) {
        var places: [FailureSeries: Int] = [:]
        var slots: [(series: FailureSeries, slots: [SlotFailures])] = []
        let targets = series.map { counted -> [Int] in
            guard let code = counted.failure.flatMap({ codeNumbers[$0] }) else { return [] }
            return scopes(counted.app).flatMap { scope in
                [code, nil].map { code in
                    let key = FailureSeries(app: scope, family: counted.family, code: code)
                    if let place = places[key] { return place }
                    places[key] = slots.count
                    slots.append((key, []))
                    return slots.count - 1
                }
            }
        }
        for cell in Self.cells(of: .failures, in: ordered) where (first...end).contains(cell.key.time) {
            for target in targets[Int(cell.key.series)] {
                if slots[target].slots.last?.slot != cell.key.time {
                    slots[target].slots.append(SlotFailures(slot: cell.key.time))
                }
                let last = slots[target].slots.count - 1
                slots[target].slots[last].count += Self.clamped(cell.count)
                slots[target].slots[last].groups |= cell.sources
            }
        }
        tested = slots.filter { !$0.slots.isEmpty }.map { series, slots in
            var timeline = Timeline()
            for slot in slots { timeline.append(slot.slot, min(slot.count, Self.mostOfSum), groups: slot.groups) }
            timeline.index()
            let attempts = attempts[AttemptSeries(app: series.app, family: series.family)] ?? Timeline()
            return TestedSeries(series: series, failures: timeline, attempts: attempts)
        }
        .sorted { left, right in
            let (one, other) = (left.series, right.series)
            return (one.code ?? .max, one.family.rawValue, one.app ?? .max)
                < (other.code ?? .max, other.family.rawValue, other.app ?? .max)
        }
        for (place, one) in tested.enumerated() { self.places[one.series] = place }
    }

    /// The order among findings that are equal otherwise.
    func rank(of series: FailureSeries) -> Int { places[series] ?? 0 }

    /// The failures of a series by ten minutes; `nil` if it has none.
    func tested(_ series: FailureSeries) -> TestedSeries? { places[series].map { tested[$0] } }

    /// The codes of the failures after `start`, through `end`.
    func codesOfFailures(in app: Int?, _ family: AttemptFamily, after start: Int, through end: Int) -> [Int] {
        tested.compactMap { one in
            guard one.series.ofAttempts == AttemptSeries(app: app, family: family),
                one.failures.count(after: start, through: end) > 0
            else { return nil }
            return one.series.code
        }
    }

    func bought(in app: Int?, after start: Int, through end: Int) -> Int {
        purchases[app]?.count(after: start, through: end) ?? 0
    }

    /// Whether it is seen that the log goes on: three sources tell other events, or others buy in another app.
    func isAlive(without app: Int?, after start: Int, through end: Int) -> Bool {
        if others.union(after: start, through: end).nonzeroBitCount >= 3 { return true }
        guard app != nil else { return false }
        return scopes.contains { $0 != nil && $0 != app && bought(in: $0, after: start, through: end) >= 10 }
    }

    // MARK: By hour

    /// The text of a code of the ledger's dictionary.
    func text(of code: Int32) -> String { text(code) }

    /// The bundle id; "" where events have none, `nil` for all apps.
    func name(ofApp app: Int?) -> String? { app.map { apps[$0] < 0 ? "" : text(apps[$0]) } }

    /// The apps of a scope.
    func apps(of scope: Int?) -> [Int] { scope.map { [$0] } ?? Array(apps.indices) }

    /// The codes of an incident that failed in an app.
    func codes(of incident: FoundIncident, in app: Int) -> [Int] {
        let known = codesOfFamily[AttemptSeries(app: app, family: incident.family)] ?? []
        return (incident.hasAllCodes ? known : incident.codes.compactMap(\.self).filter(known.contains)).sorted()
    }

    /// The cells of a series in an hour, by combination, underlying error or account.
    private func cells(
        of table: IncidentCells.Table,
        _ series: HourSeries,
        in hour: Int
    ) -> some Sequence<(value: Int32, count: Int)> {
        var cells: ArraySlice<IncidentCells.Cell> = []
        if let number = numbers[series] {
            let start = IncidentCells.Key(table, hour, series: number)
            // Values that follow -1, the largest number without a sign, are of the next series.
            let last = IncidentCells.Key(table, hour, series: number, value: -1)
            let first = ordered.partitioningIndex { $0.key >= start }
            cells = ordered[first...].prefix { $0.key <= last }
        }
        return cells.lazy.map { ($0.key.value, Self.clamped($0.count)) }
    }

    /// Attempts of an app in an hour, by combination. A combination may be there twice.
    func attempts(of app: Int, _ family: AttemptFamily, in hour: Int) -> [(combination: Int32, count: Int)] {
        func attempts(_ family: AttemptFamily) -> [(combination: Int32, count: Int)] {
            cells(of: .attemptsByValues, HourSeries(app: app, family: family, code: nil), in: hour).map { ($0, $1) }
        }
        return family == .products ? attempts(.purchase) + attempts(.products) : attempts(family)
    }

    /// Failures of a code in an hour, by combination.
    func failures(of app: Int, _ family: AttemptFamily, code: Int, in hour: Int) -> [(combination: Int32, count: Int)] {
        cells(of: .failuresByValues, HourSeries(app: app, family: family, code: code), in: hour).map { ($0, $1) }
    }

    /// Whether a code failed in some hours in an app other than these, in attempts of any kind.
    func hasFailures(outsideOf apps: Set<Int>, code: Int, in hours: ClosedRange<Int>) -> Bool {
        let all = appsOfCodes[code] ?? []
        let first = all.partitioningIndex { $0.hour >= hours.lowerBound }
        return all[first...].prefix { $0.hour <= hours.upperBound }.contains { !apps.contains($0.app) }
    }

    /// Failures of a code in an hour, by the number of the innermost error under them.
    func underlying(of app: Int, _ family: AttemptFamily, code: Int, in hour: Int) -> [(error: Int32, count: Int)] {
        cells(of: .underlying, HourSeries(app: app, family: family, code: code), in: hour).map { ($0, $1) }
    }

    /// Failures of a code in an app and an hour, by account.
    struct AccountHour {
        let app: Int
        let code: Int
        let hour: Int
        var accounts: [(account: Int32, count: Int)]
    }

    /// The hours in which accounts failed, in order.
    var accountHours: [AccountHour] {
        var hours: [AccountHour] = []
        var last: IncidentCells.Key?
        for cell in Self.cells(of: .accounts, in: ordered) {
            guard let series = hourSeries[Int(cell.key.series)], let code = series.code else { continue }
            if last?.time != cell.key.time || last?.series != cell.key.series {
                hours.append(AccountHour(app: series.app, code: code, hour: cell.key.time, accounts: []))
            }
            hours[hours.count - 1].accounts.append((cell.key.value, Self.clamped(cell.count)))
            last = cell.key
        }
        return hours
    }
}
