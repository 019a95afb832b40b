import TillCore

/// Failures of attempts of one family by hour up to now, of all apps together, with what is usual at each hour.
///
/// Each line of the log counts, as in incidents; figures of the whole report count transactions and attempts.
public struct HourlyRates: Sendable {
    public struct Hour: Sendable {
        /// By number since 1970, in UTC.
        public let hour: Int
        /// `nil` without attempts.
        public let rate: Rate?
        /// The lowest and the highest rate of the same hour on the days before; `nil` where fewer than
        /// ``HourlyRates/fewestDays`` of them are known.
        public let usual: (lowest: Rate, highest: Rate)?
    }

    /// How many hours there are at most; the newest is the one of now.
    public static let mostHours = 48
    /// How many days before are looked at.
    public static let days = 7
    public static let fewestDays = 3

    public let family: AttemptFamilyName
    /// In order, without a gap; fewer than ``mostHours`` where the data is shorter.
    public let hours: [Hour]

    /// The rates of each family whose failures may be an incident.
    static func all(_ data: IncidentData, _ incidents: [Incident]) -> [HourlyRates] {
        AttemptFamily.allCases.filter(\.isTested).map { HourlyRates(of: $0, data, incidents) }
    }

    private init(of family: AttemptFamily, _ data: IncidentData, _ incidents: [Incident]) {
        self.family = family.name
        let bad = incidents.filter { $0.what == .failures && $0.family == family.name }.map(\.hours)
        let last = data.end / IncidentCells.slotsOfHour
        let first = max(data.first / IncidentCells.slotsOfHour, last - Self.mostHours + 1)
        hours = (first...last).map { hour in
            // An outage must not look usual on the days after it.
            let past = (1...Self.days).map { hour - 24 * $0 }.filter { hour in !bad.contains { $0.contains(hour) } }
                .compactMap { data.rate(of: family, in: $0) }.sorted()
            guard past.count >= Self.fewestDays, let lowest = past.first, let highest = past.last else {
                return Hour(hour: hour, rate: data.rate(of: family, in: hour), usual: nil)
            }
            return Hour(hour: hour, rate: data.rate(of: family, in: hour), usual: (lowest, highest))
        }
    }
}

extension IncidentData {
    /// Failures of attempts of a family in an hour, of all apps together; `nil` without attempts.
    fileprivate func rate(of family: AttemptFamily, in hour: Int) -> Rate? {
        let all = AttemptSeries(app: nil, family: family)
        // A single app is not counted again as all apps.
        let app = attempts[all] == nil ? scopes.first ?? nil : nil
        let (before, last) = (hour * IncidentCells.slotsOfHour - 1, (hour + 1) * IncidentCells.slotsOfHour - 1)
        let count = attempts[AttemptSeries(app: app, family: family)]?.count(after: before, through: last) ?? 0
        guard count > 0 else { return nil }
        let failed = tested(FailureSeries(app: app, family: family, code: nil))?.failures
        return Rate(failures: failed?.count(after: before, through: last) ?? 0, attempts: count)
    }
}
