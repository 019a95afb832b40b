public import TillCore

extension SubscriptionHistory {
    /// Sums the noted differences, and includes every month between the first and the last.
    ///
    /// Called once, after the charges of all parts.
    public mutating func finish() {
        periods = periodCounts.map { key, count in
            ProductPeriod(
                product: key.product,
                period: key.period?.rawValue,
                isEstimated: key.isEstimated,
                charges: count
            )
        }
        guard let lastMonth else { return }
        let noted = Set(flows.keys).union(recurring.keys.map(\.month)).filter { $0 <= lastMonth }.sorted()
        guard let first = noted.first else { return }
        let months = lastMonth - first < Self.contiguousLimit ? Array(first...lastMonth) : noted
        var activeAtEnd = 0
        for month in months {
            var flow = flows[month] ?? Flow()
            flow.activeAtStart = activeAtEnd
            activeAtEnd += flow.new + flow.startedBefore + flow.resubscribed - flow.expired - flow.unobserved
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

    /// The sum of the monthly prices, rounded once, half to even, to the minor unit of the currency.
    ///
    /// Throws `ledger.overflow`, with the name `group`, if 128 bits are not enough.
    public func perMonth(
        in currency: CurrencyCode,
        weeklyMillionths weekly: Int64,
        months: Int128 = 1,
        group: String
    ) throws(Finding) -> Money {
        var total: Int128 = 0
        for (period, price) in prices {
            let (product, isTooLarge) = price.multipliedReportingOverflow(
                by: period.monthlyTwelfths(weeklyMillionths: weekly) * months
            )
            let (sum, overflow) = total.addingReportingOverflow(product)
            guard !isTooLarge, !overflow else { throw Finding.overflow(of: group) }
            total = sum
        }
        let quantum = currency.quantum
        return Money(millionths: total.dividedHalfEven(by: 12_000_000 * quantum) * quantum, currency: currency)
    }
}
