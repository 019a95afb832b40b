/// The dimensions in which causes of incidents are looked for.
public enum CauseDimension: Int, CaseIterable, Sendable {
    case appVersion, osVersion, storefront, productID, bundleID

    /// The name of the column.
    public var name: String {
        switch self {
        case .appVersion: FailureDimension.appVersion.name
        case .osVersion: FailureDimension.osVersion.name
        case .storefront: FailureDimension.storefront.name
        case .productID: FailureDimension.productID.name
        case .bundleID: "bundle_id"
        }
    }

    fileprivate var failureDimension: FailureDimension? { FailureDimension(rawValue: rawValue) }
}

/// A value of one dimension, or a pair of values of two, that explains an incident.
public struct Cause: Hashable, Sendable {
    /// A value of one dimension, such as an app version.
    public struct Value: Hashable, Sendable {
        /// The dimension of ``text``; of a pair, the first value has the earlier dimension.
        public let dimension: CauseDimension
        /// The value as the events have it.
        public let text: String
    }

    /// One or two.
    public let values: [Value]
    /// Failures of the incident with these values, and those that tell the dimensions.
    public let failures: Int
    public let failuresInAll: Int
    /// Attempts in the hours of the incident with these values, and those that tell the dimensions.
    public let attempts: Int
    public let attemptsInAll: Int
    /// Whole bits of evidence; 0 for a new value.
    public let score: Int
    /// Whether the value is named because it is new: the attempts before the incident hardly had it.
    public let isNew: Bool
}

/// The values that fail more than others in the hours of an incident.
///
///     expected of a value = Σ over hours of failures × attempts with the value ÷ attempts
///
/// By hour, because a version that more people get while an outage grows is innocent.
struct IncidentCauses {
    static let most = 5
    private static let fewestBits = 10

    private let data: IncidentData
    private let usual: Rate
    private let apps: [Int]
    private let family: AttemptFamily
    private let firstHour: Int
    private var failures: [Group: Int] = [:]
    private var attempts: [Group: Int] = [:]
    /// In 1/65536.
    private var expected: [Group: Int] = [:]
    private(set) var all: [Cause] = []

    /// An app and the number of a combination.
    private struct Group: Hashable {
        let app: Int
        let combination: Int32
    }

    /// - Parameter until: the last slot whose hour counts.
    init(_ incident: FoundIncident, through until: Int, _ data: IncidentData) {
        self.data = data
        usual = incident.usual ?? Rate(failures: 0, attempts: 1)
        apps = data.apps(of: incident.app)
        family = incident.family
        firstHour = incident.since / IncidentCells.slotsOfHour
        let codes = apps.map { data.codes(of: incident, in: $0) }
        for hour in firstHour...max(firstHour, until / IncidentCells.slotsOfHour) { count(hour, codes) }
        let total = failures.values.reduce(0, +)
        guard total > 0 else { return }
        let dimensions = CauseDimension.allCases.filter { $0 != .bundleID || incident.app == nil }
        let found = candidates(dimensions, total)
        all = found.isEmpty ? arrivals(total) : Array(found.prefix(Self.most))
    }

    private mutating func count(_ hour: Int, _ codes: [[Int]]) {
        var now: (failures: [Group: Int], attempts: [Group: Int]) = ([:], [:])
        for (app, codes) in zip(apps, codes) {
            for code in codes {
                for (combination, count) in data.failures(of: app, family, code: code, in: hour) {
                    now.failures[Group(app: app, combination: combination), default: 0] += count
                }
            }
            for (combination, count) in data.attempts(of: app, family, in: hour) {
                now.attempts[Group(app: app, combination: combination), default: 0] += count
            }
        }
        let failed = now.failures.values.reduce(0, +)
        let tried = now.attempts.values.reduce(0, +)
        failures.merge(now.failures, uniquingKeysWith: +)
        attempts.merge(now.attempts, uniquingKeysWith: +)
        guard tried > 0 else { return }
        for (group, count) in now.attempts {
            expected[group, default: 0] += Int(65_536 * Int128(failed) * Int128(count) / Int128(tried))
        }
    }

    private func value(_ dimension: CauseDimension, of group: Group) -> Int32 {
        guard let dimension = dimension.failureDimension else { return data.apps[group.app] }
        return data.combinations[group.combination][dimension]
    }

    /// The values of some dimensions; one for each, -1 for a second that is not asked for.
    private struct Values: Hashable {
        let first: Int32
        let second: Int32
    }

    /// The sums by the values of one or two dimensions, of groups that tell them.
    private func sums(_ counts: [Group: Int], by dimensions: [CauseDimension]) -> (by: [Values: Int], all: Int) {
        var (sums, all) = ([Values: Int](), 0)
        for (group, count) in counts {
            let values = Values(
                first: value(dimensions[0], of: group),
                second: dimensions.count > 1 ? value(dimensions[1], of: group) : -1
            )
            guard values.first >= 0, dimensions.count == 1 || values.second >= 0 else { continue }
            sums[values, default: 0] += count
            all += count
        }
        return (sums, all)
    }

    private struct Candidate {
        let cause: Cause
        let score: Int128
        let order: Int
        var words: String { cause.values.map(\.text).joined(separator: "\0") }

        /// Twice the excess of its failures over the usual rate, times the attempts of that rate.
        func excess(over usual: Rate) -> Int128 {
            Int128(cause.failures) * Int128(usual.attempts) - Int128(cause.attempts) * Int128(usual.failures)
        }
    }

    private func candidates(_ dimensions: [CauseDimension], _ total: Int) -> [Cause] {
        let pairs = dimensions.flatMap { one in dimensions.filter { $0.rawValue > one.rawValue }.map { [one, $0] } }
        var found: [Candidate] = []
        for (order, dimensions) in (dimensions.map { [$0] } + pairs).enumerated() {
            let (failures, failed) = sums(self.failures, by: dimensions)
            let (attempts, tried) = sums(self.attempts, by: dimensions)
            let (expected, expectedInAll) = sums(self.expected, by: dimensions)
            // Half of the failures must tell the dimensions.
            guard 2 * failed >= total, expectedInAll > 0 else { continue }
            let fewest = Int128(Self.fewestBits + Int.bitWidth - failures.count.leadingZeroBitCount) * Evidence.bit
            let excess = Int128(failed) * Int128(usual.attempts) - Int128(tried) * Int128(usual.failures)
            for (values, count) in failures {
                let (of, likely) = (attempts[values] ?? 0, max(1, expected[values] ?? 0))
                let own = Int128(count) * Int128(usual.attempts) - Int128(of) * Int128(usual.failures)
                guard 2 * own >= excess, Int128(count) * Int128(expectedInAll) > Int128(failed) * Int128(likely),
                    likely < expectedInAll
                else { continue }
                let others = Rate(failures: failed - count, attempts: expectedInAll - likely)
                let score = Evidence.bits(count, of: likely, past: others)
                guard score >= fewest else { continue }
                let cause = Cause(
                    values: texts(of: values, dimensions),
                    failures: count,
                    failuresInAll: failed,
                    attempts: of,
                    attemptsInAll: tried,
                    score: Int(score >> 32),
                    isNew: false
                )
                found.append(Candidate(cause: cause, score: score, order: order))
            }
        }
        found.sort { left, right in
            if left.score != right.score { return left.score > right.score }
            if left.order != right.order { return left.order < right.order }
            return left.words.utf8.lexicographicallyPrecedes(right.words.utf8)
        }
        // A pair must explain clearly more than one value.
        if let place = found.firstIndex(where: { $0.cause.values.count == 1 }), place > 0 {
            let (best, single) = (found[0], found[place])
            let isClear =
                best.score - single.score > 6 * Evidence.bit
                && 20 * best.excess(over: usual) >= 17 * single.excess(over: usual)
            if !isClear {
                found.remove(at: place)
                found.insert(single, at: 0)
            }
        }
        return found.map(\.cause)
    }

    private func texts(of values: Values, _ dimensions: [CauseDimension]) -> [Cause.Value] {
        zip(dimensions, [values.first, values.second]).map { .init(dimension: $0, text: data.text(of: $1)) }
    }

    /// Values that are new. What all attempts have shows no difference, so it is named where it is new and the others
    /// fail no more than usual.
    private func arrivals(_ total: Int) -> [Cause] {
        var before: [Group: Int] = [:]
        for app in apps {
            for hour in (firstHour - 168)..<firstHour {
                for (combination, count) in data.attempts(of: app, family, in: hour) {
                    before[Group(app: app, combination: combination), default: 0] += count
                }
            }
        }
        var found: [Cause] = []
        for dimension in CauseDimension.allCases where dimension != .bundleID {
            let (failures, failed) = sums(self.failures, by: [dimension])
            let (attempts, tried) = sums(self.attempts, by: [dimension])
            let (earlier, told) = sums(before, by: [dimension])
            guard told >= 50 else { continue }
            let named = failures.keys.map { (values: $0, texts: texts(of: $0, [dimension])) }
            for (values, texts) in named.sorted(by: {
                $0.texts[0].text.utf8.lexicographicallyPrecedes($1.texts[0].text.utf8)
            }) {
                let (count, of) = (failures[values] ?? 0, attempts[values] ?? 0)
                guard 50 * (earlier[values] ?? 0) < told, 2 * count >= total,
                    2 * Int128(failed - count) * Int128(usual.attempts)
                        <= 3 * Int128(tried - of) * Int128(usual.failures)
                else { continue }
                found.append(
                    Cause(
                        values: texts,
                        failures: count,
                        failuresInAll: failed,
                        attempts: of,
                        attemptsInAll: tried,
                        score: 0,
                        isNew: true
                    )
                )
            }
        }
        return found
    }
}
