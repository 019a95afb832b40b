import TillCore
public import TillLedger
import TillPricing
import TillReportModel

/// Sales and refunds by month, product and currency, or by any other keys.
///
/// A sale is booked at the date of its purchase, and a refund at its own date or that of its purchase, as the rules
/// say. A sale without a known price counts in units and in `unpriced_units`, and has no currency and no amount. The
/// currency is always a key, because amounts of two currencies cannot be added. Amounts are exact until a row
/// or a total is written, and each is rounded then, once.
///
/// Why: `docs/decisions.md`, There is one way to book a sale.
public struct RevenueReport: Report {
    public static let name = "revenue"
    public static let title = "Revenue"
    public static let version = 2
    public static let summary = "Customer sales, tax and proceeds by month, product and currency"
    public static let needs: LedgerNeeds = .dataEnd
    public static let groupKeys = GroupKey.allCases.filter(\.isOfSales)
    public static let comparesEarlierFigures = true
    public static let explainsFigures = true

    let rules: LedgerRules
    let keys: [GroupKey]
    private(set) var book: RevenueBook
    /// The same by country, where people read tables of their own.
    private(set) var countries: RevenueBook?
    /// The same of each earlier period that is compared; empty if they are not counted.
    private var earlierBooks: [(period: Period, book: RevenueBook)] = []
    let trailing: TrailingPeriods?
    /// The deferred revenue at the end of the period; `nil` if it is not counted.
    private(set) var deferral: DeferralTable?
    /// The times of the first and the newest booking of the period, and of the first sale of the input.
    private(set) var bookings = CoveredTime()
    private(set) var firstSale: Timestamp?
    /// The newest booking of the input.
    private(set) var newest: Timestamp?
    /// The figures of the whole input, where the report compares months with earlier ones.
    private(set) var history: Cube?
    /// The days that the open month has not reached, in the month that it is compared with.
    private let notReached: Range<Timestamp>?
    /// The bookings of the period whose price or tax is not known.
    private(set) var gaps: RevenueGaps
    private(set) var lateRefunds: LateRefunds
    /// The bookings one by one, where closed months are restated, which one thread counts: they are not joined.
    var log: BookingLog?
    /// Sales that have no date, and so lie in no period.
    private(set) var undated = 0
    /// Bookings of an open period that are dated after the day to which the data are known.
    private(set) var ahead = 0

    public init(_ rules: LedgerRules) {
        self.init(rules, hasTrend: true)
    }

    /// - Parameter hasTrend: whether earlier periods and deferred revenue are counted too, for the summary.
    init(_ rules: LedgerRules, hasTrend: Bool) {
        self.rules = rules
        keys = Self.keys(rules)
        book = RevenueBook(by: keys, rules)
        let periods = TrailingPeriods(of: rules.selectedPeriod, through: rules.lastDayToDate, in: rules.calendar)
        trailing = hasTrend ? periods : nil
        if hasTrend {
            if rules.hasDefaultKeys { countries = RevenueBook(by: [.storefront, .currency], rules) }
            let keys = keys
            earlierBooks = periods.distinct.map { ($0, RevenueBook(by: keys, rules)) }
            deferral = DeferredBalance.table(rules)
        }
        notReached = rules.comparison?.months.flatMap { rules.daysNotReached(monthsBefore: $0) }
        if rules.comparison?.months != nil {
            history = Cube(RevenueField.self, by: keys, without: RevenueField.ofParts)
        }
        gaps = RevenueGaps(rules)
        lateRefunds = LateRefunds(rules)
    }

    /// The keys of the rows: those of the rules and the currency, or the usual ones.
    public static func keys(_ rules: LedgerRules) -> [GroupKey] {
        guard let keys = rules.keys, !keys.isEmpty else {
            return [GroupKey(rules.calendar.kind.period), .productID, .currency]
        }
        return keys.contains(.currency) ? keys : keys + [.currency]
    }

    public mutating func update(with transaction: SettledTransaction) {
        guard transaction.isSale else { return }
        deferral?.add(transaction)
        let sale = RevenueValues(saleOf: transaction, rules)
        if rules.includesPurchase(of: transaction) { add(sale, of: transaction, at: transaction.purchaseDate) }
        if rules.period != nil, transaction.purchaseDate == nil { undated += 1 }
        addAnyTime(sale, of: transaction, at: transaction.purchaseDate)
        if let date = transaction.purchaseDate { firstSale = min(firstSale ?? date, date) }
        if transaction.refundDate != nil { addRefund(of: transaction) }
    }

    private mutating func addRefund(of transaction: SettledTransaction) {
        for entry in rules.refundEntries(of: transaction) {
            let refund = RevenueValues(refundOf: transaction, entry, rules)
            if rules.includes(entry) { add(refund, of: transaction, at: entry.date) }
            addAnyTime(refund, of: transaction, at: entry.date)
        }
        for entry in rules.lateRefundEntries(of: transaction) { lateRefunds.add(entry, of: transaction) }
    }

    /// Adds a booking of the period.
    private mutating func add(_ booking: RevenueValues, of transaction: SettledTransaction, at date: Timestamp?) {
        bookings.include(date)
        let group = book.add(booking, of: transaction, at: date)
        countries?.add(booking, of: transaction, at: date)
        // A closed report has no parts of amounts, and so they are not restated.
        log?.add(booking.figures.asPaid, of: transaction, in: group)
        gaps.add(booking, of: transaction, at: date)
    }

    /// Adds a booking of any time to the periods for comparison and to the history.
    private mutating func addAnyTime(_ booking: RevenueValues, of transaction: SettledTransaction, at date: Timestamp?)
    {
        for index in earlierBooks.indices where earlierBooks[index].period.contains(date) {
            earlierBooks[index].book.add(booking, of: transaction, at: date)
        }
        if let whole = rules.wholePeriod, whole.contains(date), rules.period?.contains(date) == false { ahead += 1 }
        if let date { newest = max(newest ?? date, date) }
        if let date, let notReached, notReached.contains(date) { return }
        history?.add(booking, of: transaction, at: date, in: rules.calendar)
    }

    /// The bookings of an earlier period; `nil` if they are not counted.
    func book(of period: Period?) -> RevenueBook? {
        period.flatMap { period in earlierBooks.first { $0.period.bounds == period.bounds }?.book }
    }

    public mutating func closeParts() { deferral?.dropEarned() }

    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        try book.visitSums(&coder)
        try countries?.visitSums(&coder)
        // Two runs with the same rules have the same periods in the same order.
        for index in earlierBooks.indices { try earlierBooks[index].book.visitSums(&coder) }
        try deferral?.visitSums(&coder)
        try history?.visitSums(&coder)
        try gaps.visitSums(&coder)
        try lateRefunds.visitSums(&coder)
        try bookings.visitSums(&coder)
        try coder.earlier(&firstSale)
        try coder.later(&newest)
        try coder.add(&undated)
        try coder.add(&ahead)
    }

    public func finish(_ ledger: borrowing SettledLedger) throws -> Findings {
        let restatement = try rules.closed.map { try Restatement($0, ledger, rules) }
        return try findings(of: book.rows(ledger), restatement, ledger)
    }
}
