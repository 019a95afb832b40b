public import TillCore
import TillPricing

extension Settings {
    /// Whether the period ends at the newest record, so that it is known only after all data is read.
    public var countsBack: Bool { recentTime != nil }

    private var recentTime: RecentTime? { self[.until] == nil ? self[.since].flatMap { RecentTime($0) } : nil }

    /// The same without a period.
    var ofAllTime: Settings {
        [Flag.month, .fiscal, .fiscalMonth, .since, .until].reduce(self) { $0.replacing($1, by: []) }
    }

    /// Returns settings whose `--since` is the instant at which the period begins; unchanged if it does not count back.
    ///
    /// - Parameter newest: the time of the newest record of the data.
    public func counting(backFrom newest: Timestamp) throws -> Settings {
        guard let recentTime else { return self }
        let start = recentTime.start(endingWith: newest, in: try calendar())
        return replacing(.since, by: [GivenOption(.since, start.description)])
    }
}
