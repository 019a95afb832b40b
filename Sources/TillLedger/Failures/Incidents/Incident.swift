import TillColumns
public import TillCore

/// A time in which a larger share of attempts failed than is usual, or in which purchases were missing.
public struct Incident: Sendable {
    public enum What: String, Sendable {
        case failures, purchases
        /// Purchases are missing, and there are no other events either: the log itself may have stopped.
        case silence
    }

    public enum State: String, Sendable, Comparable {
        case ongoing, quiet, ended, resolved

        private var order: Int {
            switch self {
            case .ongoing: 0
            case .quiet: 1
            case .ended, .resolved: 2
            }
        }

        public static func < (left: State, right: State) -> Bool { left.order < right.order }
    }

    /// Failures of one code.
    public struct Code: Sendable {
        public let key: FailureKey
        public let failures: Int
    }

    /// Twelve hexadecimal digits that stay while the incident grows; `-2` and so on where two would be the same.
    public internal(set) var id: String
    public let what: What
    public let state: State
    /// The beginning of its first ten minutes, and the end of the last bad ones.
    public let since: Timestamp
    public let until: Timestamp
    /// When it was found.
    public let opened: Timestamp
    /// The bundle id, "" where events have none; `nil` for all apps together.
    public let app: String?
    public let family: AttemptFamilyName
    /// Codes with a tenth of the failures or more, most first.
    public let codes: [Code]
    /// The window in which it was found, in hours.
    public let window: Int
    /// Failures and attempts from its beginning to its end.
    public let failures: Int
    public let attempts: Int
    /// Failures of attempts before it; `nil` where there is nothing to compare with.
    public let usual: Usual?
    /// Failures above the usual rate, or purchases that are missing.
    public let excess: Int
    /// Whole bits of evidence.
    public let score: Int
    public let missing: MissingPurchases?
    /// The values that explain it, the best first; at most five.
    public let causes: [Cause]
    /// The innermost errors under its failures; at most three, most first.
    public let underlying: [Code]
    /// Ids of incidents that were open at the same time.
    public internal(set) var related: [String] = []
    /// Its newest records, the newest first.
    public internal(set) var examples: [DatedPlace] = []
    /// All codes that it has.
    let allCodes: Set<FailureKey>
    /// Whether no other app has failures of its codes in its hours. Records are kept by code, not by app, so only then
    /// are they its own.
    let hasOwnRecords: Bool

    /// Its hours, by number since 1970.
    public var hours: ClosedRange<Int> {
        since.hour...max(since.hour, Timestamp(milliseconds: until.milliseconds - 1).hour)
    }

    /// Failures of attempts that are usual.
    public struct Usual: Sendable {
        public let failures: Int
        public let attempts: Int
    }
}

/// The name of a kind of attempts, such as `purchase`.
public typealias AttemptFamilyName = String

/// One account that fails again and again, which is no incident.
public struct AccountNotice: Sendable {
    public let app: String
    public let key: FailureKey
    public let account: String
    /// Its first instant.
    public let hour: Timestamp
    /// Failures of the account in the hour, and of all accounts.
    public let failures: Int
    public let failuresInAll: Int
}

/// What is found in the rates of a log, up to now.
public struct IncidentFindings: Sendable {
    /// Ongoing first, then quiet ones, then the others; in each, the largest excess first.
    public internal(set) var incidents: [Incident] = []
    public let notices: [AccountNotice]
    /// `nil` if no record has a possible time.
    public let now: Timestamp?
    /// Whether the data spans less than 24 hours.
    public let hasNoHistory: Bool
    /// Records dated after now by clocks that are ahead, and the newest of them.
    public let ahead: Int
    /// Records whose time is before 10 July 2008, or from 2100 on.
    public let impossible: Int
    /// The newest purchase up to now.
    public let lastPurchase: Timestamp?
    /// `nil` where nothing looks back, or no record has a possible time.
    public let recent: RecentCounts?
    /// The rates of the last hours up to now, by family; empty if no record has a possible time.
    public private(set) var rates: [HourlyRates] = []

    /// - Parameters:
    ///   - given: now in milliseconds; `nil` for the end of the data.
    ///   - looksBack: whether figures of the last hours will be asked for.
    ///   - dictionary: the dictionary of the ledger.
    init(
        _ cells: IncidentCells,
        now given: Int64?,
        looksBack: Bool = false,
        _ dictionary: borrowing TextDictionary
    ) {
        impossible = cells.impossible
        let texts = CellTexts(cells, dictionary)
        let text: (Int32) -> String = { texts[$0] }
        guard let data = IncidentData(cells, now: given, text: text) else {
            (now, notices, hasNoHistory, ahead) = (given.map(Timestamp.init(milliseconds:)), [], true, 0)
            (lastPurchase, recent) = (nil, nil)
            return
        }
        now = Timestamp(milliseconds: data.now)
        hasNoHistory = data.end - data.first < IncidentDetector.day
        ahead = data.ahead
        lastPurchase = data.lastPurchase.map(Timestamp.init(milliseconds:))
        recent = looksBack ? RecentCounts(cells, now: data.now, text: text) : nil
        notices = Self.notices(data)
        incidents = Self.incidents(IncidentDetector(data).incidents, data)
        rates = HourlyRates.all(data, incidents)
    }

    private init() {
        (now, notices, hasNoHistory, ahead, impossible) = (nil, [], true, 0, 0)
        (lastPurchase, recent) = (nil, nil)
    }

    /// What is found in a log without records.
    package static let nothing = IncidentFindings()

    private static func incidents(_ found: [FoundIncident], _ data: IncidentData) -> [Incident] {
        var incidents = found.map { Incident($0, data) }
        // Two that have one name are numbered in the order of opening.
        var counts: [String: Int] = [:]
        let byOpening = incidents.indices.sorted {
            let (left, right) = (incidents[$0], incidents[$1])
            return left.opened != right.opened ? left.opened < right.opened : left.id < right.id
        }
        for place in byOpening {
            let id = incidents[place].id
            counts[id, default: 0] += 1
            if let count = counts[id], count > 1 { incidents[place].id = "\(id)-\(count)" }
        }
        for place in incidents.indices {
            let one = incidents[place]
            incidents[place].related = incidents.filter {
                $0.id != one.id && $0.since < one.until && one.since < $0.until
            }
            .map(\.id).sorted()
        }
        return incidents.sorted { left, right in
            if left.state < right.state || right.state < left.state { return left.state < right.state }
            return left.excess != right.excess ? left.excess > right.excess : left.id < right.id
        }
    }

    private static func notices(_ data: IncidentData) -> [AccountNotice] {
        var notices: [AccountNotice] = []
        for hour in data.accountHours where Int64(hour.hour) * Timestamp.millisecondsPerHour <= data.now {
            let all = hour.accounts.reduce(0) { $0 + $1.count }
            for (account, count) in hour.accounts where count >= 20 && 2 * count >= all {
                notices.append(
                    AccountNotice(
                        app: data.name(ofApp: hour.app) ?? "",
                        key: data.key(of: data.codes[hour.code]),
                        account: data.text(of: account),
                        hour: Timestamp(startOfHour: hour.hour),
                        failures: count,
                        failuresInAll: all
                    )
                )
            }
        }
        func words(_ notice: AccountNotice) -> String { notice.account + "\0" + notice.app }
        return notices.sorted { left, right in
            if left.hour != right.hour { return left.hour < right.hour }
            if words(left) != words(right) { return words(left).utf8.lexicographicallyPrecedes(words(right).utf8) }
            return left.key < right.key
        }
    }
}

/// The texts that cells use.
private struct CellTexts {
    private var texts: [Int32: String] = [:]

    init(_ cells: IncidentCells, _ dictionary: borrowing TextDictionary) {
        for code in cells.texts { texts[code] = dictionary.text(of: Int(code)) }
    }

    subscript(_ code: Int32) -> String { texts[code] ?? "" }
}

extension IncidentData {
    fileprivate func key(of code: FailureCode) -> FailureKey { FailureKey(code, text: text(of:)) }
}

extension Incident {
    fileprivate init(_ found: FoundIncident, _ data: IncidentData) {
        let length = IncidentCells.slotLength
        func instant(_ slot: Int) -> Timestamp { Timestamp(milliseconds: Int64(slot) * length) }
        app = data.name(ofApp: found.app)
        family = found.family.name
        what = found.isSilent ? .silence : found.what == .failures ? .failures : .purchases
        since = instant(found.since)
        until = instant(found.until + 1)
        opened = min(instant(found.opened + 1), Timestamp(milliseconds: data.now))
        state =
            if found.isOpen {
                found.spared >= IncidentDetector.quiet ? .quiet : .ongoing
            } else {
                data.end - found.until > IncidentDetector.day ? .resolved : .ended
            }
        window = found.window / IncidentCells.slotsOfHour
        score = Int(found.score >> 32)
        missing = found.missing
        var counts = Rate()
        if found.isOfFailures {
            for code in found.countedCodes {
                let series = FailureSeries(app: found.app, family: found.family, code: code)
                let failures = data.tested(series)?.failures
                counts.failures += failures?.count(after: found.since - 1, through: found.until) ?? 0
            }
            counts.attempts = data.attempts[found.ofAttempts]?.count(after: found.since - 1, through: found.until) ?? 0
        }
        (failures, attempts) = (counts.failures, counts.attempts)
        usual = found.usual.map { Usual(failures: $0.failures, attempts: $0.attempts) }
        let past = found.usual ?? Rate(failures: 0, attempts: 1)
        let over = Int128(counts.failures) * Int128(past.attempts) - Int128(counts.attempts) * Int128(past.failures)
        // Rounded down, also below 0.
        let quotient = over / Int128(past.attempts)
        let isRoundedUp = over < 0 && quotient * Int128(past.attempts) != over
        let above = found.isOfFailures ? Int(isRoundedUp ? quotient - 1 : quotient) : 0
        excess = missing.map { max(above, $0.expected - $0.actual) } ?? above
        causes = found.codes.isEmpty ? [] : IncidentCauses(found, through: found.until, data).all
        let hash = ContentHash()
        let (born, hour) = (found.born == .failures ? "failures" : "purchases", found.since / IncidentCells.slotsOfHour)
        let name = "\(app ?? "")|\(born)|\(family)|\(hour)"
        hash.update(Array(name.utf8))
        id = String(decoding: hash.text.prefix(12), as: UTF8.self)
        var byCode: [Int: Int] = [:]
        var under: [Int32: Int] = [:]
        if !found.codes.isEmpty {
            for hour in (found.since / IncidentCells.slotsOfHour)...(found.until / IncidentCells.slotsOfHour) {
                for app in data.apps(of: found.app) {
                    for code in data.codes(of: found, in: app) {
                        for (_, count) in data.failures(of: app, found.family, code: code, in: hour) {
                            byCode[code, default: 0] += count
                        }
                        for (error, count) in data.underlying(of: app, found.family, code: code, in: hour) {
                            under[error, default: 0] += count
                        }
                    }
                }
            }
        }
        let ownApps = Set(data.apps(of: found.app))
        let ownHours = (found.since / IncidentCells.slotsOfHour)...(found.until / IncidentCells.slotsOfHour)
        hasOwnRecords = !byCode.keys.contains { data.hasFailures(outsideOf: ownApps, code: $0, in: ownHours) }
        // From the counts by ten minutes, which are kept of every hour.
        let failed =
            found.hasAllCodes
            ? data.codesOfFailures(in: found.app, found.family, after: found.since - 1, through: found.until)
            : found.codes.compactMap(\.self)
        allCodes = Set(failed.map { data.key(of: data.codes[$0]) })
        codes = byCode.filter { 10 * $0.value >= counts.failures }.sorted {
            ($1.value, $0.key) < ($0.value, $1.key)
        }
        .map { Code(key: data.key(of: data.codes[$0.key]), failures: $0.value) }
        underlying = Array(
            under.map { Code(key: data.key(of: data.underlyingCodes[Int($0.key)]), failures: $0.value) }.sorted {
                $0.failures != $1.failures ? $0.failures > $1.failures : $0.key < $1.key
            }
            .prefix(3)
        )
    }
}
