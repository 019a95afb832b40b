public import TillCore
public import TillLedger
public import TillPricing

extension ClosedMonths {
    /// The terms by which books are made.
    public struct Terms: Sendable {
        /// The rules for booking, prices and conversion.
        public var rules: LedgerRules
        /// The environments whose transactions are booked.
        public var environments: EnvironmentFilter

        /// Needs both, because rules do not say which environments are booked.
        public init(_ rules: LedgerRules, _ environments: EnvironmentFilter) {
            self.rules = rules
            self.environments = environments
        }
    }

    /// The parts of today's terms that differ from the closed report, and are applied to its documents step by step.
    public struct Differences: OptionSet, Sendable {
        public let rawValue: UInt8

        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The price list, the catalogues or the default territory.
        public static let prices = Differences(rawValue: 1 << 0)
        /// The rates, or the flags for rates.
        public static let rates = Differences(rawValue: 1 << 1)
    }

    /// The months that a revenue report closed, from the documents of then.
    ///
    /// The documents are settled by the terms of then, and again for each of the differences.
    ///
    /// - Parameters:
    ///   - then: the terms of the closed report; rules without an effect on figures are ignored.
    ///   - now: today's terms, with the calendar and the keys of the closed report.
    ///   - settle: makes a ledger from the documents of the closed report. It is called again for each set of terms.
    /// - Throws: ``Finding`` if the closed months are unknown, and the errors of `settle` and the report.
    public init(
        name: String,
        then: Terms,
        now: Terms,
        _ differences: Differences,
        settle: (Terms) throws -> SettledLedger
    ) throws {
        var terms = then
        terms.rules.closed = nil
        terms.rules.comparison = nil
        let base = terms.rules.conversion?.base
        let restatesConverted = base != nil && base == now.rules.conversion?.base
        if !restatesConverted { terms.rules.conversion = nil }
        var index = BookingIndex()
        let printed = try ClosedBooks(settle(terms), by: terms.rules, tellsTransactions: true, &index)
        let scope = try ClosedScope(
            terms.rules.period,
            RevenueReport.keys(terms.rules),
            rows: printed.rows.keys,
            in: terms.rules.calendar
        )
        self.init(name: name, scope: scope, tellsTransactions: true)
        self.restatesConverted = restatesConverted
        books = printed.limited(to: scope, index)

        func change(_ cause: RestatementCause) throws {
            let next = try ClosedBooks(settle(terms), by: terms.rules, tellsTransactions: true, &index)
                .limited(to: scope, index)
            changes.add(cause, [(next, 1), (books, -1)])
            books = next
        }
        if differences.contains(.prices) {
            terms.rules.prices = now.rules.prices
            terms.rules.catalogue = now.rules.catalogue
            terms.rules.defaultTerritory = now.rules.defaultTerritory
            try change(.priceList)
        }
        if restatesConverted, differences.contains(.rates) {
            terms.rules.conversion = now.rules.conversion
            terms.rules.rounding = now.rules.rounding
            try change(.rate)
        }
        if terms.rules.refundDating != now.rules.refundDating
            || Set(terms.environments.words) != Set(now.environments.words)
        {
            terms.rules.refundDating = now.rules.refundDating
            terms.environments = now.environments
            try change(.rule)
        }
        if terms.rules.refundDating == .purchase {
            terms.rules.refundsEnd = scope.end
            booksAtClose = try ClosedBooks(settle(terms), by: terms.rules, tellsTransactions: true, &index)
                .limited(to: scope, index)
        }
        self.index = index
    }
}

extension ClosedScope {
    /// The time that a revenue report of some rows closes: its period, or up to the last month, week or day of its rows
    /// where the period has no end.
    ///
    /// - Parameters:
    ///   - keys: those of the rows.
    ///   - rows: the names of the keys of each row.
    public init(
        _ period: Period?,
        _ keys: [GroupKey],
        rows: some Sequence<[String?]>,
        in calendar: BookingCalendar
    ) throws(Finding) {
        if let period, period.until != nil {
            self.init(period)
        } else {
            guard let place = keys.timeIndex, let unit = keys[place].unit else {
                throw Finding("", "it is unclear which months it closed: its period has no end, and --by has no month")
            }
            try self.init(period, untilLastOf: rows, by: unit, at: place, in: calendar)
        }
    }
}
