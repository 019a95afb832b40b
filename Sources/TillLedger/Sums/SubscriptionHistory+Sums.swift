import TillCore
import TillPricing

extension SubscriptionHistory: Summed {
    public init() { self.init(asOf: nil) }

    /// Passes the counts before ``finish()`` to a coder.
    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        try visitInstants(&coder)
        for count in Self.counts { try coder.add(&self[keyPath: count]) }
        let unit = unit
        try Self.visitMonths(of: &flows, unit, &coder)
        try Self.visitMonths(of: &trials, unit, &coder)
        try Self.visitMonths(of: &charges, unit, &coder)
        try visitCohorts(&coder)
        try coder.table(&recurring, blank: RecurringKey(month: 0)) { key, coder in
            try coder.month(&key.month, unit)
            try coder.currency(&key.currency)
        }
        try coder.table(&periodCounts, blank: PeriodKey(isEstimated: false)) { key, coder in
            try coder.textCode(&key.product)
            try coder.period(&key.period)
            var isEstimated: Int64 = key.isEstimated ? 1 : 0
            try coder.value(&isEstimated)
            key.isEstimated = isEstimated == 1
        }
        guard tellsProducts else { return }
        try coder.table(&products, blank: ProductKey(month: 0)) { key, coder in
            try coder.month(&key.month, unit)
            try coder.textCode(&key.product)
        }
    }

    private struct CohortKey: Hashable {
        var cohort = 0
        /// The month of life.
        var month = 0
    }

    private mutating func visitCohorts(_ coder: inout some SumCoder) throws {
        var table: [CohortKey: CohortCounts] = [:]
        for (cohort, months) in cohorts {
            for (month, counts) in months.enumerated() { table[CohortKey(cohort: cohort, month: month)] = counts }
        }
        let unit = unit
        try coder.table(&table, blank: CohortKey()) { key, coder in
            try coder.month(&key.cohort, unit)
            var month = Int64(key.month)
            try coder.value(&month)
            guard 0...Self.retentionLimit ~= Int(month) else { throw coder.refusal("month \(month) of life") }
            key.month = Int(month)
        }
        guard coder.isReading else { return }
        for (key, counts) in table {
            var months = cohorts[key.cohort] ?? []
            while months.count <= key.month { months.append(CohortCounts()) }
            months[key.month] = counts
            cohorts[key.cohort] = months
        }
    }

    private static let counts: [WritableKeyPath<SubscriptionHistory, Int> & Sendable] = [
        \.chains, \.active, \.inTrial, \.inGrace, \.withoutExpiry,
    ]

    private static func visitMonths<Value: Summed>(
        of table: inout [Int: Value],
        _ unit: CalendarUnit,
        _ coder: inout some SumCoder
    ) throws {
        try coder.table(&table, blank: 0) { month, coder in try coder.month(&month, unit) }
    }
}

extension SumCoder {
    /// The code of the unit of time used as the month.
    fileprivate mutating func month(_ month: inout Int, _ unit: CalendarUnit) throws {
        var code = Int64(month)
        try timeCode(&code, of: unit)
        guard code != GroupCode.unknown else { throw refusal("a month that is not known") }
        month = Int(code)
    }

    /// The length of a period; an empty text means an unknown length.
    fileprivate mutating func period(_ period: inout RenewalPeriod?) throws {
        var name = period?.rawValue ?? ""
        try value(&name)
        let read = RenewalPeriod(rawValue: name)
        guard read != nil || name.isEmpty else { throw refusal("there is no period \(name)") }
        period = read
    }
}

extension SubscriptionHistory.Flow: Summed {
    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        try coder.add(&new)
        try coder.add(&startedBefore)
        try coder.add(&resubscribed)
        try coder.add(&expired)
        try coder.add(&unobserved)
    }
}

extension SubscriptionHistory.TrialCohort: Summed {
    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        try coder.add(&trials)
        try coder.add(&converted)
        try coder.all(&isComplete)
    }
}

extension SubscriptionHistory.ChargeCohort: Summed {
    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        try coder.add(&charges)
        try coder.add(&refunded)
    }
}

extension SubscriptionHistory.Recurring: Summed {
    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        try coder.add(&subscriptions)
        try coder.add(&estimated)
        try coder.add(&withoutPeriod)
        try coder.table(&prices, blank: RenewalPeriod.month) { period, coder in
            var known: RenewalPeriod? = period
            try coder.period(&known)
            guard let known else { throw coder.refusal("a price without a period") }
            period = known
        }
    }
}

extension SubscriptionHistory.ProductFlow: Summed {
    private static let counts: [WritableKeyPath<Self, Int> & Sendable] = [
        \.new, \.startedBefore, \.resubscribed, \.expired, \.joined, \.left, \.trials, \.conversions, \.charges,
    ]

    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        for count in Self.counts { try coder.add(&self[keyPath: count]) }
    }
}

extension CohortCounts: Summed {
    mutating func visitSums(_ coder: inout some SumCoder) throws {
        try coder.add(&chains)
        try coder.add(&retained)
    }
}
