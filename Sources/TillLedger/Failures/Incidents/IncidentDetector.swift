import TillCore

/// Finds incidents: times in which a larger share of attempts fails than is usual, or purchases are missing.
///
/// The rule of rates: at least five accounts failed with a code within an hour (or 6, or 24), that is 1.5 times as often
/// as is usual for the app at that time of day, and chance does so once in 2¹⁸ times. It goes on until ten failures that
/// would have come have not. See docs/rules.md.
///
/// Everything is decided in integers from cells that do not depend on the order of the input.
struct IncidentDetector {
    static let day = 144
    static let week = 1008
    private static let hour = IncidentCells.slotsOfHour
    /// 1, 6 and 24 hours, in slots.
    private static let windows = [6, 36, day]
    private static let fewestAccounts = 5
    private static let fewestGroups = 3
    private static let fewestBits = 18 * Evidence.bit
    /// With fewer attempts there is nothing to compare with.
    private static let fewestAttempts = 30
    /// Failures that would have come, after which an incident is quiet, and after which it has ended.
    static let quiet = 5 * Evidence.bit
    private static let over = 10 * Evidence.bit
    /// Slots within which another code is of the same trouble.
    private static let joining = 18

    let data: IncidentData
    private(set) var incidents: [FoundIncident] = []
    /// Places in ``incidents`` of those that are open, in order.
    private var open: [Int] = []

    init(_ data: IncidentData) {
        self.data = data
        sweep()
    }

    /// A window of a series that holds.
    private struct Finding {
        let series: FailureSeries
        let since: Int
        let usual: Rate?
        let score: Int128
        let window: Int
    }

    private mutating func sweep() {
        guard data.first <= data.end else { return }
        // A rate can only rise in a slot with a failure.
        var due: [(slot: Int, place: Int)] = []
        for (place, tested) in data.tested.enumerated() { due += tested.failures.slots.map { ($0, place) } }
        due.sort { $0 < $1 }
        var next = due[...]
        let apps = data.scopes.compactMap { app in data.purchases[app].map { (app, $0) } }
        for slot in data.first...data.end {
            for place in open { follow(place, slot) }
            open.removeAll { !incidents[$0].isOpen }
            var found: [Finding] = []
            while let (_, place) = next.first, next[next.startIndex].slot == slot {
                next.removeFirst()
                if let finding = test(data.tested[place], slot) { found.append(finding) }
            }
            if found.count > 1 { found.sort(by: precedes) }
            for finding in found { admit(finding, slot) }
            // Complete half hours.
            if (slot - data.first) % 3 == 2, slot < data.end {
                for (app, purchases) in apps { testPurchases(of: app, purchases, slot) }
            }
        }
    }

    private func precedes(_ left: Finding, _ right: Finding) -> Bool {
        func isOfAll(_ finding: Finding) -> Bool {
            finding.series.app == nil && finding.series.family != .verifyReceipt
        }
        let (one, other) = (left.series, right.series)
        if (one.code == nil) != (other.code == nil) { return other.code == nil }
        if isOfAll(left) != isOfAll(right) { return isOfAll(right) }
        if left.score != right.score { return left.score > right.score }
        return data.rank(of: one) < data.rank(of: other)
    }

    // MARK: Failures

    /// Failing accounts, and the attempts with them: whoever fails again in a slot counts once.
    private func rate(
        _ tested: borrowing TestedSeries,
        after start: Int,
        through end: Int,
        without span: ClosedRange<Int>? = nil
    ) -> Rate {
        let (failures, accounts) = tested.failures.counts(after: start, through: end, without: span)
        let attempts = tested.attempts.counts(after: start, through: end, without: span).failures
        return Rate(failures: accounts, attempts: max(accounts, attempts - failures + accounts))
    }

    private func test(_ tested: borrowing TestedSeries, _ slot: Int) -> Finding? {
        let series = tested.series
        guard tested.failures.counts(after: slot - Self.day, through: slot).accounts >= Self.fewestAccounts,
            !open.contains(where: { incidents[$0].tells(series) })
        else { return nil }
        let last = lastSpan(of: series)
        for window in Self.windows {
            // A window does not reach back into an incident.
            let start = max(slot - window, last?.upperBound ?? 0)
            let now = rate(tested, after: start, through: slot)
            guard now.failures >= Self.fewestAccounts else { continue }
            let past = past(of: tested, slot, window, without: last)
            var usual: Rate?
            var score = Self.fewestBits
            if !hasNothingToCompare(tested, now, past, window, slot) {
                guard past.attempts > 0,
                    2 * Int128(now.failures) * Int128(past.attempts) >= 3 * Int128(past.failures) * Int128(now.attempts)
                else { continue }
                usual = past
                score = Evidence.bits(now.failures, of: now.attempts, past: past)
            }
            guard score >= Self.fewestBits,
                tested.failures.union(after: start, through: slot).nonzeroBitCount >= Self.fewestGroups
            else { continue }
            return Finding(
                series: series,
                since: beginning(of: tested, slot, window, now, usual, after: last?.upperBound ?? 0),
                usual: usual,
                score: score,
                window: window
            )
        }
        return nil
    }

    /// Whether nearly all attempts of a family fail, with too short a past to compare with.
    private func hasNothingToCompare(
        _ tested: borrowing TestedSeries,
        _ now: Rate,
        _ past: Rate,
        _ window: Int,
        _ slot: Int
    ) -> Bool {
        guard tested.series.code == nil, window < Self.day, past.attempts < Self.fewestAttempts,
            5 * now.failures >= 4 * now.attempts
        else { return false }
        if [.purchase, .verifyReceipt].contains(tested.series.family) { return true }
        return tested.attempts.count(after: 0, through: slot) > tested.failures.count(after: 0, through: slot)
    }

    /// What is usual: the same hours, and an hour to either side, of the seven days before. For a day, or where that is
    /// too little, the seven days that end a day before.
    private func past(
        of tested: borrowing TestedSeries,
        _ slot: Int,
        _ window: Int,
        without span: ClosedRange<Int>?
    ) -> Rate {
        if window < Self.day {
            var past = Rate()
            for days in 1...7 where slot - window - Self.hour - days * Self.day >= data.first - 1 {
                let start = slot - window - Self.hour - days * Self.day
                past =
                    past + rate(tested, after: start, through: slot + Self.hour - days * Self.day, without: span)
            }
            if past.attempts >= Self.fewestAttempts { return past }
        }
        var end = slot - window - Self.day
        if end - data.first + 1 < 2 * Self.day { end = slot - window }
        return rate(tested, after: end - Self.week, through: end, without: span)
    }

    /// The slot since which most failures are above the middle of the usual rate and the rate of now.
    private func beginning(
        of tested: borrowing TestedSeries,
        _ slot: Int,
        _ window: Int,
        _ now: Rate,
        _ usual: Rate?,
        after last: Int
    ) -> Int {
        let past = usual ?? Rate(failures: 1, attempts: 10)
        let middle =
            Int128(now.failures) * Int128(past.attempts) + Int128(past.failures) * Int128(now.attempts)
        let scale = 2 * Int128(now.attempts) * Int128(past.attempts)
        var (best, since, total) = (Int128(0), slot, Int128(0))
        var candidate = slot
        while candidate > max(slot - max(window, Self.day), last) {
            let one = rate(tested, after: candidate - 1, through: candidate)
            total += Int128(one.failures) * scale - Int128(one.attempts) * middle
            if total >= best, one.failures > 0 { (best, since) = (total, candidate) }
            candidate -= 1
        }
        return since
    }

    /// The span of the last incident of the app or of all apps, with the code or all codes; of several, the one that was
    /// bad last.
    private func lastSpan(of series: FailureSeries) -> ClosedRange<Int>? {
        var last: ClosedRange<Int>?
        for incident in incidents where incident.isOfFailures && incident.mayHide(series) {
            if last.map({ incident.until > $0.upperBound }) ?? true {
                last = min(incident.since, incident.until)...incident.until
            }
        }
        return last
    }

    private func excess(_ series: FailureSeries, _ usual: Rate?, after start: Int, through end: Int) -> Int128 {
        guard let tested = data.tested(series) else { return 0 }
        let (now, past) = (rate(tested, after: start, through: end), usual ?? Rate(failures: 0, attempts: 1))
        return Int128(now.failures) - Int128(now.attempts) * Int128(past.failures) / Int128(past.attempts)
    }

    /// A finding is reported already, belongs to an incident, or opens one.
    private mutating func admit(_ finding: Finding, _ slot: Int) {
        let series = finding.series
        let start = max(finding.since - 1, slot - finding.window)
        let near = incidents.indices.filter {
            incidents[$0].isOfFailures && incidents[$0].family == series.family
                && (incidents[$0].isOpen || incidents[$0].until >= slot - finding.window)
        }
        if isTold(finding, near, after: start, slot) { return }
        for place in near where incidents[place].isOpen && incidents[place].isOf(series.app, orAll: true) {
            let incident = incidents[place]
            let reach = max(finding.window, incident.window) == Self.day ? Self.day : Self.joining
            guard incident.hasAllCodes || abs(incident.since - finding.since) <= reach,
                agree(incident, finding, slot)
            else { continue }
            if incident.app == series.app, !incident.hasAllCodes { incidents[place].codes.append(series.code) }
            return
        }
        // Purchases are missing because they fail.
        for place in open
        where incidents[place].what == .purchases && incidents[place].app == series.app && series.family == .purchase
            && abs(incidents[place].since - finding.since) <= Self.joining
        {
            incidents[place].becomeFailures(of: series.code, finding.usual, finding.score)
            return
        }
        open.append(incidents.count)
        incidents.append(opened(by: finding, slot))
    }

    /// The incident that a finding opens.
    private func opened(by finding: Finding, _ slot: Int) -> FoundIncident {
        FoundIncident(
            .failures,
            app: finding.series.app,
            finding.series.family,
            codes: [finding.series.code],
            since: finding.since,
            opened: slot,
            usual: finding.usual,
            score: finding.score,
            window: finding.window
        )
    }

    /// Whether incidents of its apps and codes tell half of it already.
    private func isTold(_ finding: Finding, _ near: [Int], after start: Int, _ slot: Int) -> Bool {
        let series = finding.series
        var told: Int128 = 0
        for incident in near.lazy.map({ incidents[$0] }) where incident.app == series.app || series.app == nil {
            for code in incident.codes where code == series.code || series.code == nil {
                guard incident.app != series.app || code != series.code else { continue }
                let part = FailureSeries(app: incident.app, family: series.family, code: code)
                let end = incident.isOpen ? slot : incident.until
                told += max(0, excess(part, incident.usual, after: max(start, incident.since - 1), through: end))
            }
        }
        return 2 * told >= excess(series, finding.usual, after: start, through: slot)
    }

    /// Whether two troubles may be one: their first causes share a value, or one of them has none.
    private func agree(_ incident: FoundIncident, _ finding: Finding, _ slot: Int) -> Bool {
        let known = IncidentCauses(incident, through: slot, data).all.first
        let candidate = opened(by: finding, slot)
        guard let known, let other = IncidentCauses(candidate, through: slot, data).all.first else { return true }
        return known.values.contains { other.values.contains($0) }
    }

    /// Counts the failures that would have come at the middle of the usual rate and the incident's, less those that
    /// came.
    private mutating func follow(_ place: Int, _ slot: Int) {
        let incident = incidents[place]
        guard incident.what == .failures else {
            // An hour with half of the usual purchases ends it.
            let bought = data.bought(in: incident.app, after: slot - Self.hour, through: slot)
            let usual = meanBought(in: incident.app, after: slot - Self.hour, through: slot)
            if bought >= 2, usual > 0, 2 * bought >= usual {
                incidents[place].isOpen = false
            } else {
                incidents[place].until = slot
            }
            return
        }
        let own = total(of: incident, after: incident.since - 1, through: incident.until)
        let now = total(of: incident, after: slot - 1, through: slot)
        let usual = incident.usual ?? Rate(failures: 1, attempts: 10)
        let attempts = Int128(max(1, own.attempts))
        let middle = Int128(own.failures) * Int128(usual.attempts) + Int128(usual.failures) * attempts
        let would = Int128(now.attempts) * middle * Evidence.bit / (2 * attempts * Int128(usual.attempts))
        let spared = max(0, incident.spared + would - Int128(now.failures) * Evidence.bit)
        if spared == 0 {
            incidents[place].until = slot
        } else if incident.spared == 0 {
            incidents[place].until = slot - 1
        }
        incidents[place].spared = spared
        if spared >= Self.over { incidents[place].isOpen = false }
    }

    /// Failing accounts of all codes of an incident, and the attempts with them.
    private func total(of incident: FoundIncident, after start: Int, through end: Int) -> Rate {
        var (failures, accounts) = (0, 0)
        for code in incident.countedCodes {
            let series = FailureSeries(app: incident.app, family: incident.family, code: code)
            guard let counts = data.tested(series)?.failures.counts(after: start, through: end) else { continue }
            failures += counts.failures
            accounts += counts.accounts
        }
        let attempts = data.attempts[incident.ofAttempts]?.count(after: start, through: end) ?? 0
        return Rate(failures: accounts, attempts: max(accounts, attempts - failures + accounts))
    }

    // MARK: Purchases that are missing

    private func meanBought(in app: Int?, after start: Int, through end: Int) -> Int {
        var (sum, days) = (0, 0)
        for back in 1...28 where start - back * Self.day >= data.first - 1 {
            sum += data.bought(in: app, after: start - back * Self.day, through: end - back * Self.day)
            days += 1
        }
        return sum / max(1, days)
    }

    private mutating func testPurchases(of app: Int?, _ purchases: Timeline, _ slot: Int) {
        let isMissing = open.contains { incidents[$0].isOf(app, orAll: true) && incidents[$0].missing != nil }
        if isMissing { return }
        for window in [6, 12, 18, 36, 72, Self.day] {
            let isOver = incidents.contains {
                $0.family == .purchase && !$0.isOpen && $0.isOf(app, orAll: true) && $0.until > slot - window
            }
            if isOver { return }
            func boughtBefore(days back: Int) -> Int {
                purchases.count(after: slot - window - back * Self.day, through: slot - back * Self.day)
            }
            let days = min(28, (slot - window - data.first + 1) / Self.day)
            guard days >= 5 else { return }
            let bought = boughtBefore(days: 0)
            // The second smallest of the days is usual, of 5 or 6 the smallest: so many days may have had fewer.
            var fewer = days > 6 ? 1 : 0
            for back in 1...days where fewer >= 0 && boughtBefore(days: back) < 5 * (bought + 4) { fewer -= 1 }
            guard fewer >= 0 else { continue }
            let isAlive = data.isAlive(without: app, after: slot - window, through: slot)
            guard isAlive || data.isNowGiven else { continue }
            if app == nil, open.contains(where: { incidents[$0].missing != nil }) { return }
            var since = slot
            while since > slot - Self.day, purchases.count(after: since - 2, through: slot) <= bought {
                since -= 1
            }
            let expected = (1...days).map(boughtBefore(days:)).sorted()[days / 2]
            let missing = MissingPurchases(expected: expected, actual: bought, hours: window / Self.hour)
            // They fail, or failed just before.
            for place in open
            where incidents[place].what == .failures && incidents[place].family == .purchase
                && incidents[place].isOf(app, orAll: true) && incidents[place].since >= slot - window - Self.day
            {
                incidents[place].missing = missing
                return
            }
            var incident = FoundIncident(
                .purchases,
                app: app,
                .purchase,
                codes: [],
                since: since,
                opened: slot,
                usual: nil,
                score: Self.fewestBits,
                window: window
            )
            incident.missing = missing
            incident.isSilent = !isAlive
            open.append(incidents.count)
            incidents.append(incident)
            return
        }
    }
}

/// Purchases that were expected in a window and did not come.
public struct MissingPurchases: Hashable, Sendable {
    /// The upper median of the same hours of the days before.
    public let expected: Int
    /// Purchases in the window.
    public let actual: Int
    /// The length of the window in hours.
    public let hours: Int
}

/// An incident while it is looked for: apps and codes by their numbers in ``IncidentData``.
struct FoundIncident {
    enum What { case failures, purchases }

    private(set) var what: What
    /// What it was when it opened.
    let born: What
    /// `nil` for all apps together.
    let app: Int?
    let family: AttemptFamily
    /// `nil` stands for all codes.
    var codes: [Int?]
    /// Slots: its beginning, and the last bad one.
    let since: Int
    var until: Int
    let opened: Int
    /// Before it; `nil` where there is nothing to compare with.
    private(set) var usual: Rate?
    private(set) var score: Int128
    let window: Int
    /// Failures that would have come, and did not.
    var spared: Int128 = 0
    var isOpen = true
    var missing: MissingPurchases?
    /// Whether nothing else proves that the log is alive.
    var isSilent = false

    init(
        _ what: What,
        app: Int?,
        _ family: AttemptFamily,
        codes: [Int?],
        since: Int,
        opened: Int,
        usual: Rate?,
        score: Int128,
        window: Int
    ) {
        (self.what, born, self.app, self.family, self.codes) = (what, what, app, family, codes)
        (self.since, until, self.opened, self.usual, self.score) = (since, opened, opened, usual, score)
        self.window = window
    }

    var isOfFailures: Bool { what == .failures }
    var hasAllCodes: Bool { codes.contains(nil) }
    var countedCodes: [Int?] { hasAllCodes ? [nil] : codes }
    var ofAttempts: AttemptSeries { AttemptSeries(app: app, family: family) }

    func isOf(_ app: Int?, orAll: Bool) -> Bool { self.app == app || orAll && self.app == nil }

    /// Whether its app has a series that is not tested while it is open.
    func tells(_ series: FailureSeries) -> Bool {
        family == series.family && isOf(series.app, orAll: true) && codes.contains(series.code)
    }

    /// Whether failures of a series may belong to the incident.
    func mayHide(_ series: FailureSeries) -> Bool {
        family == series.family && isOf(series.app, orAll: true) && (hasAllCodes || codes.contains(series.code))
    }

    mutating func becomeFailures(of code: Int?, _ usual: Rate?, _ score: Int128) {
        (what, codes, self.usual, self.score) = (.failures, [code], usual, score)
    }
}
