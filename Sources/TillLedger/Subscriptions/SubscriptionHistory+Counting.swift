import TillColumns
public import TillCore

/// What must be known of the sales of subscriptions in a part of a ledger before its chains are looked at one by one.
public struct SubscriptionSales: Sendable {
    /// Those with a date.
    private(set) var count = 0
    /// Those without one, which are in no history.
    public private(set) var undated = 0
    private(set) var latest: Int64?

    public init() {}

    /// Sees a transaction, which may be anything.
    @inline(__always)
    public mutating func see(_ transaction: SettledTransaction) {
        guard transaction.isSubscription, transaction.isSale else { return }
        guard let date = transaction.purchaseDate?.milliseconds else {
            undated += 1
            return
        }
        count += 1
        latest = max(latest ?? date, date)
    }
}

extension SettledLedger {
    /// Counts the subscriptions of this part in the history of all parts, which is to be finished.
    ///
    /// Charges are three times as large as what a ledger keeps of a transaction, so chains are looked at some at a time. Cost:
    /// each sale is settled once more, and the part gone through eight times at most.
    ///
    /// - Parameters:
    ///   - sales: what all transactions of the part were seen by.
    ///   - atOnce: how many charges are held at once, if they are not more than eight times as many.
    ///   - period: the length of a product's period where a list tells it.
    public func countSubscriptions(
        _ sales: SubscriptionSales,
        in history: inout SubscriptionHistory,
        atOnce: Int = 16_384,
        period: (Int?) -> RenewalPeriod?
    ) throws(LedgerError) {
        let known = [newestDocument?.milliseconds, latestCharge, sales.latest]
        guard sales.count > 0, let newest = known.compactMap(\.self).max() else { return }
        history.know(until: newest)
        let shares = Share.all(of: sales.count, size: atOnce)
        var products = ProductCache(rules, texts: texts)
        var charges: [SubscriptionCharge] = []
        charges.reserveCapacity(sales.count / shares.count)
        for share in shares {
            charges.removeAll(keepingCapacity: true)
            try settleSubscriptions(&products) { number in
                share.contains(chain(of: number))
            } into: { transaction in
                if transaction.isSale, let charge = subscriptionCharge(of: transaction) { charges.append(charge) }
            }
            history.countPeriods(of: charges, period: period)
            charges.sort { precedes($0, $1) }
            count(charges, in: &history, asOf: newest, period: period)
        }
    }

    /// Counts charges that are sorted.
    private func count(
        _ charges: [SubscriptionCharge],
        in history: inout SubscriptionHistory,
        asOf newest: Int64,
        period: (Int?) -> RenewalPeriod?
    ) {
        var first = 0
        while first < charges.count {
            let chain = charges[first].chain
            var end = first
            while end < charges.count, charges[end].chain == chain { end += 1 }
            history.count(charges[first..<end], graceEnd: graceEnd(ofChain: chain), asOf: newest, period: period)
            first = end
        }
    }

    /// By chain, then as they were made; of those made at once, the smaller id comes first.
    private func precedes(_ left: SubscriptionCharge, _ right: SubscriptionCharge) -> Bool {
        func key(_ charge: SubscriptionCharge) -> (Int64, Int64, Int64, Int) {
            (charge.chain, charge.start, charge.end ?? .max, charge.isTrial ? 0 : 1)
        }
        if key(left) != key(right) { return key(left) < key(right) }
        let ids = (table.entries[left.number].identifier, table.entries[right.number].identifier)
        let unknown = TransactionEntry.unknown
        if ids.0 != ids.1, ids.0 != unknown, ids.1 != unknown {
            return Identifier(word: ids.0).precedes(Identifier(word: ids.1), in: texts)
        }
        // Rows that are never joined can share an id; what is equal in all that is counted may come in any order.
        func facts(_ charge: SubscriptionCharge) -> (Int128, UInt32, Int64, Int, Int) {
            let currency = charge.price?.currency.packed ?? 0
            let flags = (charge.isRevoked ? 1 : 0, charge.isRefunded ? 1 : 0)
            return (charge.price?.millionths ?? -1, currency, charge.expires ?? .min, flags.0, flags.1)
        }
        if facts(left) != facts(right) { return facts(left) < facts(right) }
        guard let product = left.product, let other = right.product else { return right.product != nil }
        return texts.precedes(product, other)
    }
}

/// Paid service of one chain without a gap.
private struct Service {
    var start: Int64
    var end: Int64
}

extension SubscriptionHistory {
    /// Counts one chain, whose charges stand in the order in which they were made.
    fileprivate mutating func count(
        _ charges: ArraySlice<SubscriptionCharge>,
        graceEnd: Int64?,
        asOf: Int64,
        period: (Int?) -> RenewalPeriod?
    ) {
        chains += 1
        countTrial(charges, asOf: asOf)
        let paid = charges.filter { !$0.isTrial }
        for charge in paid {
            let month = Self.month(of: charge.start)
            self.charges[month, default: ChargeCohort()].charges += 1
            if charge.isRefunded { self.charges[month, default: ChargeCohort()].refunded += 1 }
            if charge.end == nil { withoutExpiry += 1 }
        }
        var services: [Service] = []
        for (index, charge) in paid.enumerated() {
            let next = index + 1 < paid.count ? paid[index + 1].start : nil
            guard var end = charge.end else { continue }
            // A grace period prolongs what was paid last; what was revoked has none.
            let isInGrace = next == nil && !charge.isRevoked && graceEnd ?? .min > end
            if isInGrace, let graceEnd { end = graceEnd }
            if isInGrace, charge.end ?? .max <= asOf, asOf < end { inGrace += 1 }
            if let next { end = min(end, next) }
            guard end > charge.start else { continue }
            countRecurring(charge, until: end, asOf: asOf, period: period)
            if let last = services.last, last.end >= charge.start {
                services[services.count - 1].end = max(last.end, end)
            } else {
                services.append(Service(start: charge.start, end: end))
            }
        }
        countFlow(services, asOf: asOf)
        countRetention(services, asOf: asOf)
    }

    private mutating func countTrial(_ charges: ArraySlice<SubscriptionCharge>, asOf: Int64) {
        guard let trial = charges.first(where: \.isTrial) else { return }
        let month = Self.month(of: trial.start)
        var cohort = trials[month] ?? TrialCohort()
        cohort.trials += 1
        if charges.contains(where: { !$0.isTrial && $0.start >= trial.start }) { cohort.converted += 1 }
        let window = Self.longestGraceDays * Timestamp.millisecondsPerDay
        let (closing, overflow) = (trial.end ?? .max).addingReportingOverflow(window)
        if overflow || closing > asOf { cohort.isComplete = false }
        trials[month] = cohort
        if charges.last?.isTrial == true, let end = charges.last?.end, end > asOf { inTrial += 1 }
    }

    private mutating func countFlow(_ services: [Service], asOf: Int64) {
        for (index, service) in services.enumerated() {
            let month = Self.month(of: service.start)
            if index == 0 {
                flows[month, default: Flow()].new += 1
            } else {
                flows[month, default: Flow()].resubscribed += 1
            }
            if service.end <= asOf {
                flows[Self.month(of: service.end), default: Flow()].expired += 1
            } else {
                active += 1
            }
        }
    }

    /// Adds a charge to what recurs at the end of each month in which it is the one in force, as differences: the
    /// months are summed up by ``finish()``.
    private mutating func countRecurring(
        _ charge: SubscriptionCharge,
        until end: Int64,
        asOf: Int64,
        period: (Int?) -> RenewalPeriod?
    ) {
        let last = Self.month(of: asOf)
        let from = Self.month(of: charge.start)
        // In force at the last instant of a month if it ends in a later one; of the running month, at its last known.
        let until = end > asOf ? last + 1 : min(Self.month(of: end), last)
        guard from < until else { return }
        let known = period(charge.product)
        let length = known ?? charge.expires.flatMap { RenewalPeriod(from: charge.start, to: $0) }
        for (month, sign) in [(from, 1), (until, -1)] {
            let key = RecurringKey(month: month, currency: charge.price?.currency)
            var recurring = recurring[key] ?? Recurring()
            recurring.subscriptions += sign
            if let length {
                recurring.prices[length, default: 0] += Int128(sign) * (charge.price?.millionths ?? 0)
                if known == nil { recurring.estimated += sign }
            } else {
                recurring.withoutPeriod += sign
            }
            self.recurring[key] = recurring
        }
    }

    private mutating func countRetention(_ services: [Service], asOf: Int64) {
        guard let start = services.first?.start else { return }
        let cohort = Self.month(of: start)
        let last = min(Self.wholeMonths(from: start, to: asOf), Self.retentionLimit)
        guard last >= 0 else { return }
        var retained = Array(repeating: false, count: last + 1)
        for service in services {
            let from = Self.wholeMonths(from: start, to: service.start)
            let through = min(Self.wholeMonths(from: start, to: service.end - 1), last)
            guard from <= through else { continue }
            for month in from...through { retained[month] = true }
        }
        for (month, isRetained) in retained.enumerated() {
            cohorts[cohort, default: []].count(month, isRetained)
        }
    }

    /// Months from one instant to another by the calendar: the day and time of the month must have come again.
    static func wholeMonths(from start: Int64, to end: Int64) -> Int {
        let (first, last) = (Timestamp(milliseconds: start).day, Timestamp(milliseconds: end).day)
        let months = month(of: end) - month(of: start)
        let isEarly = (last.date.day, last.millisecondOfDay) < (first.date.day, first.millisecondOfDay)
        return isEarly ? months - 1 : months
    }

    fileprivate mutating func countPeriods(of charges: [SubscriptionCharge], period: (Int?) -> RenewalPeriod?) {
        for charge in charges where !charge.isTrial {
            let known = period(charge.product)
            let length = known ?? charge.expires.flatMap { RenewalPeriod(from: charge.start, to: $0) }
            let key = PeriodKey(product: charge.product, period: length?.rawValue, isEstimated: known == nil)
            periodCounts[key, default: 0] += 1
        }
    }

    /// Sums up what was noted as differences, and leaves no month out between the first and the last.
    ///
    /// Called once, after the charges of all parts.
    public mutating func finish() {
        periods = periodCounts.map { key, count in
            ProductPeriod(product: key.product, period: key.period, isEstimated: key.isEstimated, charges: count)
        }
        guard let lastMonth else { return }
        let noted = Set(flows.keys).union(recurring.keys.map(\.month)).filter { $0 <= lastMonth }.sorted()
        guard let first = noted.first else { return }
        let months = lastMonth - first < Self.contiguousLimit ? Array(first...lastMonth) : noted
        var activeAtEnd = 0
        for month in months {
            var flow = flows[month] ?? Flow()
            flow.activeAtStart = activeAtEnd
            activeAtEnd += flow.new + flow.resubscribed - flow.expired
            flow.activeAtEnd = activeAtEnd
            flows[month] = flow
        }
        sumRecurring(over: months)
        retention = cohorts.sorted { $0.key < $1.key }.flatMap { cohort, counts in
            counts.enumerated().map { month, count in
                Retention(cohort: cohort, month: month, chains: count.chains, retained: count.retained)
            }
        }
    }

    private mutating func sumRecurring(over months: [Int]) {
        let differences = recurring
        recurring = [:]
        for currency in Set(differences.keys.map(\.currency)) {
            var sum = Recurring()
            for month in months {
                let key = RecurringKey(month: month, currency: currency)
                if let difference = differences[key] { sum.add(difference) }
                if sum.subscriptions > 0 { recurring[key] = sum }
            }
        }
    }
}

extension SubscriptionHistory.Recurring {
    fileprivate mutating func add(_ other: Self) {
        subscriptions += other.subscriptions
        estimated += other.estimated
        withoutPeriod += other.withoutPeriod
        for (period, price) in other.prices { prices[period, default: 0] += price }
    }

    /// The prices of one month's worth, rounded once, half to even, to the smallest unit of the currency.
    ///
    /// Throws where 128 bits do not hold it; `group` is named then.
    public func perMonth(
        in currency: CurrencyCode,
        weeklyMillionths weekly: Int64,
        months: Int128 = 1,
        group: String
    ) throws(LedgerError) -> Money {
        var total: Int128 = 0
        for (period, price) in prices {
            let (product, isTooLarge) = price.multipliedReportingOverflow(
                by: period.monthlyTwelfths(weeklyMillionths: weekly) * months
            )
            let (sum, overflow) = total.addingReportingOverflow(product)
            guard !isTooLarge, !overflow else { throw LedgerError(code: "ledger.overflow", productID: group) }
            total = sum
        }
        let unit = (0..<max(0, 6 - currency.minorUnitDigits)).reduce(Int128(1)) { unit, _ in unit * 10 }
        return Money(millionths: Self.rounded(total, by: 12_000_000 * unit) * unit, currency: currency)
    }

    /// A quotient rounded half to even.
    private static func rounded(_ value: Int128, by divisor: Int128) -> Int128 {
        let (quotient, remainder) = value.magnitude.quotientAndRemainder(dividingBy: divisor.magnitude)
        let missing = divisor.magnitude - remainder
        let isUp = remainder > missing || remainder == missing && quotient % 2 == 1
        let magnitude = Int128(quotient + (isUp ? 1 : 0))
        return value < 0 ? -magnitude : magnitude
    }
}

/// Chains of a cohort by the month of their life.
struct CohortCounts: Sendable {
    var chains = 0
    var retained = 0
}

extension [CohortCounts] {
    fileprivate mutating func count(_ month: Int, _ isRetained: Bool) {
        while count <= month { append(CohortCounts()) }
        self[month].chains += 1
        if isRetained { self[month].retained += 1 }
    }
}
