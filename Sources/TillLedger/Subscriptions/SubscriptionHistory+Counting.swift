import TillColumns
import TillCore
import TillPricing
import TillThreads

/// The data about the transactions in a part of a ledger that is needed before its chains are processed one by one.
public struct SubscriptionSales: Sendable {
    /// Sales of subscriptions with a date.
    private(set) var count = 0
    /// Sales of subscriptions without a date; they are in no history.
    public private(set) var undated = 0
    /// The first and the latest purchase of anything, in milliseconds.
    private(set) var purchases: ClosedRange<Int64>?

    /// Starts without transactions; each part of a ledger needs a value of its own.
    public init() {}

    /// Notes a transaction of any kind.
    @inline(__always)
    public mutating func see(_ transaction: SettledTransaction) {
        let date = transaction.purchaseDate?.milliseconds
        if let date { note(date...date) }
        guard transaction.isRenewing, transaction.isSale else { return }
        if date == nil { undated += 1 } else { count += 1 }
    }

    /// Joins the notes of another value about the same part.
    public mutating func join(_ other: SubscriptionSales) {
        count += other.count
        undated += other.undated
        if let purchases = other.purchases { note(purchases) }
    }

    private mutating func note(_ dates: ClosedRange<Int64>) {
        let known = purchases ?? dates
        purchases = min(known.lowerBound, dates.lowerBound)...max(known.upperBound, dates.upperBound)
    }
}

extension SettledLedger {
    /// Adds the subscriptions of this part to the history of all parts. Call ``SubscriptionHistory/finish()`` after the
    /// last part.
    ///
    /// Charges are twice as large as the ledger's entries, so chains are processed bucket by bucket, on as many threads
    /// as may work on the ledger. Cost: each sale is settled once more.
    ///
    /// - Parameters:
    ///   - sales: the value that has visited all transactions of the part.
    ///   - atOnce: the number of charges in a bucket, as long as there are not too many buckets.
    ///   - period: returns the length of a product's period from a list, if it has one. Several threads may call it.
    public func countSubscriptions(
        _ sales: SubscriptionSales,
        in history: inout SubscriptionHistory,
        atOnce: Int = 2048,
        period: (Int?) -> RenewalPeriod?
    ) throws {
        guard let (first, newest) = knownTime(sales) else { return }
        history.know(from: first, until: newest)
        guard sales.count > 0 else { return }
        history.countChains(asOf: newest)
        let buckets = subscriptionNumbers(inBuckets: BucketedNumbers.bucketCount(for: sales.count, size: atOnce))
        let width = min(jobs, Workers.processorCount, buckets.bucketCount)
        let empty = history.withoutCounts
        let parts = try concurrentMap(width, width: width) { first in
            var part = empty
            try count(stride(from: first, to: buckets.bucketCount, by: width), of: buckets, in: &part, period)
            return part
        }
        for part in parts { try SumBuffer.join(part, into: &history) }
    }

    /// Counts the chains of some buckets.
    private func count(
        _ bucketNumbers: some Sequence<Int>,
        of buckets: BucketedNumbers,
        in history: inout SubscriptionHistory,
        _ period: (Int?) -> RenewalPeriod?
    ) throws(Finding) {
        guard let newest = history.countedAsOf?.milliseconds else { return }
        var products = ProductCache(rules, texts: texts)
        var listed: [Int?: RenewalPeriod?] = [:]
        var charges: [SubscriptionCharge] = []
        for bucket in bucketNumbers {
            charges.removeAll(keepingCapacity: true)
            for number in buckets[bucket] {
                let transaction = try settled(Int(number), &products)
                guard transaction.isSale, transaction.isRenewing, var charge = subscriptionCharge(of: transaction)
                else { continue }
                if let length = listed[charge.product] {
                    charge.setPeriod(listed: length)
                } else {
                    let length = period(charge.product)
                    listed[charge.product] = .some(length)
                    charge.setPeriod(listed: length)
                }
                charges.append(charge)
            }
            // Charges are large, so their places are sorted.
            let places = charges.indices.sorted { precedes(charges[$0], charges[$1]) }
            count(places.map { charges[$0] }, in: &history, asOf: newest)
        }
    }

    /// Counts charges that are sorted.
    private func count(_ charges: [SubscriptionCharge], in history: inout SubscriptionHistory, asOf newest: Int64) {
        var first = 0
        while first < charges.count {
            let chain = charges[first].chain
            var end = first
            while end < charges.count, charges[end].chain == chain { end += 1 }
            history.count(charges[first..<end], renewal(ofChain: chain), asOf: newest)
            first = end
        }
    }

    /// By chain, then as they were made; of those made at once, the smaller id comes first, and those without an id
    /// last.
    private func precedes(_ left: SubscriptionCharge, _ right: SubscriptionCharge) -> Bool {
        if left.chain != right.chain { return left.chain < right.chain }
        if left.start != right.start { return left.start < right.start }
        let ends = (left.end ?? .max, right.end ?? .max)
        if ends.0 != ends.1 { return ends.0 < ends.1 }
        if left.isTrial != right.isTrial { return left.isTrial }
        let ids = (table.entries[left.number].identifier, table.entries[right.number].identifier)
        let unknown = TransactionEntry.unknown
        if (ids.0 == unknown) != (ids.1 == unknown) { return ids.1 == unknown }
        if ids.0 != ids.1 {
            return Identifier(word: ids.0).precedes(Identifier(word: ids.1), in: texts)
        }
        // Rows that are never joined can share an id; rows with equal counted values may be in any order.
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

extension SubscriptionHistory {
    /// Counts one chain, whose charges are in the order in which they were made.
    fileprivate mutating func count(
        _ charges: ArraySlice<SubscriptionCharge>,
        _ renewal: SubscriptionState.Renewal?,
        asOf: Int64
    ) {
        chains += 1
        let isEarlier = beganBefore(charges)
        let graceEnd = renewal.flatMap { $0.graceEnd == TransactionEntry.unknown ? nil : $0.graceEnd }
        countPeriods(of: charges)
        let paid = charges.filter { !$0.isTrial }
        for charge in paid {
            let month = month(of: charge.start)
            self.charges[month, default: ChargeCohort()].charges += 1
            if charge.isRefunded { self.charges[month, default: ChargeCohort()].refunded += 1 }
            if charge.end == nil { withoutExpiry += 1 }
        }
        let service = ServiceTimeline(paid, graceEnd: graceEnd)
        let intervals = service.intervals
        for span in service.spans { countRecurring(paid[span.charge], in: span, asOf: asOf) }
        countFlow(intervals, isEarlier: isEarlier, asOf: asOf, observed: observed(charges, renewal))
        if !isEarlier { countRetention(intervals, asOf: asOf) }
        countTrial(charges, asOf: asOf)
        if tellsProducts { countProducts(charges, paid: paid, service.spans, isEarlier: isEarlier, asOf: asOf) }
        let isActive = intervals.last.map { $0.end > asOf } ?? false
        if isActive {
            active += 1
            if !paid.contains(where: { $0.end ?? .min > asOf }) { inGrace += 1 }
        } else if charges.contains(where: { $0.isTrial && $0.end ?? .min > asOf }) {
            inTrial += 1
        }
    }

    /// Whether a chain began before the first row of the input, by its original purchase. Original purchases and
    /// purchases of one charge differ by seconds in many receipts.
    private mutating func beganBefore(_ charges: ArraySlice<SubscriptionCharge>) -> Bool {
        guard let first = charges.first?.start, let known = since?.milliseconds,
            let start = charges.compactMap(\.originalStart).min(), start < known,
            Int128(first) - Int128(start) > Int128(Timestamp.millisecondsPerDay)
        else { return false }
        latestEarlier = Timestamp(milliseconds: max(latestEarlier?.milliseconds ?? start, start))
        return true
    }

    /// The instant up to which documents show the service of a chain. A cancellation is shown by a document.
    private func observed(
        _ charges: ArraySlice<SubscriptionCharge>,
        _ renewal: SubscriptionState.Renewal?
    ) -> Int64 {
        charges.reduce(renewal?.seen ?? TransactionEntry.unknown) { seen, charge in
            max(seen, charge.start, charge.observed ?? charge.start, charge.isRevoked ? charge.end ?? .min : .min)
        }
    }

    private mutating func countTrial(_ charges: ArraySlice<SubscriptionCharge>, asOf: Int64) {
        guard let trial = charges.first(where: \.isTrial) else { return }
        let month = month(of: trial.start)
        var cohort = trials[month] ?? TrialCohort()
        cohort.trials += 1
        if Self.conversion(of: trial, in: charges) != nil { cohort.converted += 1 }
        let window = Self.longestGraceDays * Timestamp.millisecondsPerDay
        let (closing, overflow) = (trial.end ?? .max).addingReportingOverflow(window)
        if overflow || closing > asOf { cohort.isComplete = false }
        trials[month] = cohort
    }

    /// The first paid charge after a trial, by which it was converted.
    static func conversion(
        of trial: SubscriptionCharge,
        in charges: ArraySlice<SubscriptionCharge>
    ) -> SubscriptionCharge? {
        charges.first { !$0.isTrial && $0.start >= trial.start }
    }

    private mutating func countFlow(
        _ intervals: [ServiceTimeline.Interval],
        isEarlier: Bool,
        asOf: Int64,
        observed: Int64
    ) {
        for (index, interval) in intervals.enumerated() {
            let began = index > 0 ? \Flow.resubscribed : isEarlier ? \.startedBefore : \.new
            flows[month(of: interval.start), default: Flow()][keyPath: began] += 1
            guard interval.end <= asOf else { continue }
            let ended = interval.end <= observed ? \Flow.expired : \.unobserved
            flows[month(of: interval.end), default: Flow()][keyPath: ended] += 1
        }
    }

    /// Adds a charge to the recurring revenue at the end of each month in which it is in force, as differences;
    /// ``finish()`` sums the months.
    private mutating func countRecurring(
        _ charge: SubscriptionCharge,
        in span: ServiceTimeline.Span,
        asOf: Int64
    ) {
        // A charge can come into force again when an overlapping charge ends, also after the known time.
        guard span.start <= asOf else { return }
        let last = month(of: asOf)
        let from = month(of: span.start)
        // A charge is in force at the last instant of a month if it ends in a later month. For the running month, the
        // last known instant is used.
        let until = span.end > asOf ? last + 1 : min(month(of: span.end), last)
        guard from < until else { return }
        for (month, sign) in [(from, 1), (until, -1)] {
            let key = RecurringKey(month: month, currency: charge.price?.currency)
            recurring[key, default: Recurring()].add(charge, sign)
        }
    }

    private mutating func countRetention(_ intervals: [ServiceTimeline.Interval], asOf: Int64) {
        guard let start = intervals.first?.start, start <= asOf else { return }
        let cohort = month(of: start)
        let last = min(age(from: start, to: asOf), Self.retentionLimit)
        var retained = Array(repeating: false, count: last + 1)
        for (index, interval) in intervals.enumerated() {
            // Where clocks changed since the purchase, service ends an hour later by the clock than it began. So an
            // hour of a month does not count, at the end of the service or at its beginning; the first month always
            // does.
            let begin = interval.start.addingReportingOverflow(Timestamp.millisecondsPerHour)
            let end = interval.end.subtractingReportingOverflow(1 + Timestamp.millisecondsPerHour)
            let isFirst = index == 0
            let from =
                isFirst || begin.overflow
                ? age(from: start, to: interval.start) : age(from: start, to: begin.partialValue)
            let lastCounted = end.overflow ? interval.start : end.partialValue
            let through = min(age(from: start, to: isFirst ? max(lastCounted, interval.start) : lastCounted), last)
            guard from <= through else { continue }
            for month in from...through { retained[month] = true }
        }
        cohorts[cohort, default: []].count(retained)
    }

    /// Whole months from one instant to a later one by the clocks of the time zone: a month is complete when its day
    /// and time come again. With ISO weeks, whole weeks.
    func age(from start: Int64, to end: Int64) -> Int {
        let (from, to) = (
            calendar.local(Timestamp(milliseconds: start)), calendar.local(Timestamp(milliseconds: end))
        )
        // In autumn clocks show an earlier time an hour later.
        guard to > from else { return 0 }
        if calendar.kind == .isoWeek {
            let weeks = (Int128(to) - Int128(from)) / Int128(7 * Timestamp.millisecondsPerDay)
            return Int(weeks)
        }
        let (first, last) = (Timestamp(milliseconds: from).day, Timestamp(milliseconds: to).day)
        let months = (last.date.year - first.date.year) * 12 + last.date.month - first.date.month
        let isEarly = (last.date.day, last.millisecondOfDay) < (first.date.day, first.millisecondOfDay)
        return isEarly ? months - 1 : months
    }

    private mutating func countPeriods(of charges: ArraySlice<SubscriptionCharge>) {
        for charge in charges where !charge.isTrial {
            let key = PeriodKey(
                product: charge.product,
                period: charge.period,
                isEstimated: !charge.isPeriodListed
            )
            periodCounts[key, default: 0] += 1
        }
    }
}

/// Chains of a cohort by the month of their life.
struct CohortCounts: Sendable {
    var chains = 0
    var retained = 0
}

extension [CohortCounts] {
    /// Counts a chain: whether it was retained in each month of its life.
    fileprivate mutating func count(_ retained: [Bool]) {
        while count < retained.count { append(CohortCounts()) }
        for (month, isRetained) in retained.enumerated() {
            self[month].chains += 1
            if isRetained { self[month].retained += 1 }
        }
    }
}

extension SubscriptionHistory.Recurring {
    /// Adds a charge, or takes it away.
    ///
    /// - Parameter sign: 1, or -1 if it is taken away.
    fileprivate mutating func add(_ charge: SubscriptionCharge, _ sign: Int) {
        subscriptions += sign
        guard let period = charge.period else {
            withoutPeriod += sign
            return
        }
        prices[period, default: 0] += Int128(sign) * (charge.price?.millionths ?? 0)
        if !charge.isPeriodListed { estimated += sign }
    }
}
