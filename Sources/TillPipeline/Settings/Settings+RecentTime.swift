public import TillCore
import TillPricing

extension Settings {
    /// Whether the period ends at the newest record, so that it is known only after all data is read.
    public var countsBack: Bool { recentTime != nil }

    private var recentTime: RecentTime? { self[.until] == nil ? self[.since].flatMap { RecentTime($0) } : nil }

    /// The same without a period.
    var ofAllTime: Settings {
        [Flag.period, .month, .yearBegins, .fiscal, .fiscalMonth, .since, .until].reduce(self) {
            $0.replacing($1, by: [])
        }
    }

    /// Returns settings whose `--since` is the instant at which the period begins; unchanged if it does not count back.
    ///
    /// - Parameters:
    ///   - newest: the time of the newest record of the data.
    ///   - endsThere: whether `--until` is set too, so that later records are in no period.
    public func counting(backFrom newest: Timestamp, endsThere: Bool = false) throws -> Settings {
        guard let recentTime else { return self }
        let start = recentTime.start(endingWith: newest, in: try calendar())
        let settings = replacing(.since, by: [GivenOption(.since, start.description)])
        guard endsThere else { return settings }
        let end = Timestamp(milliseconds: newest.milliseconds + 1)
        return settings.replacing(.until, by: [GivenOption(.until, end.description)])
    }
}
