import TillCore
import TillLedger
import TillPricing

/// Bookings by the keys of the rows, in their own currencies and for the conversion to one.
struct RevenueBook {
    private(set) var figures: GroupTable<RevenueFigures>
    private var converted: ConvertedRevenue?

    init(by keys: [GroupKey], _ rules: LedgerRules) {
        figures = GroupTable(by: keys, in: rules.calendar, empty: RevenueFigures())
        converted = rules.conversion.map { ConvertedRevenue($0, rules) }
    }

    /// Adds a booking; gives its group.
    @discardableResult
    mutating func add(_ booking: RevenueFigures, of transaction: SettledTransaction, at date: Timestamp?) -> Int {
        let group = figures.group(of: transaction, at: date)
        figures[group] += booking
        if booking.hasAmount { converted?.book(booking, of: transaction, at: date, in: group) }
        return group
    }

    /// Gives the number of each group that was visited.
    @discardableResult
    mutating func visitSums(_ coder: inout some SumCoder) throws -> [Int] {
        let groups = try figures.visitSums(&coder) { figures, coder in try figures.visitSums(&coder) }
        try converted?.visitSums(&coder, of: groups)
        return groups
    }

    var converts: Bool { converted != nil }

    /// The rows in the order of their keys, without conversion; their amounts are exact.
    func plainRows(_ ledger: borrowing SettledLedger) -> PlainRevenueRows {
        PlainRevenueRows(
            groups: figures.sorted(ledger),
            figures: figures.values,
            currencyIndex: figures.keys.firstIndex(of: .currency) ?? 0
        )
    }

    /// Converts rows of ``plainRows(_:)``; gives the sections about the conversion, `nil` where nothing is converted.
    func convert(_ rows: inout [RevenueRow]) throws(LedgerError) -> ConvertedRevenue.Outcome? {
        guard let converted else { return nil }
        return try converted.settle(&rows)
    }

    /// The rounded rows, converted; `nil` where a rate that must be there is missing, or a sum does not fit.
    func rows(_ ledger: borrowing SettledLedger) -> [RevenueRow]? {
        var plain = plainRows(ledger)
        plain.roundsAmounts = true
        var rows = Array(plain)
        do throws(LedgerError) {
            _ = try convert(&rows)
        } catch {
            return nil
        }
        return rows
    }
}

extension RevenueFigures {
    var hasAmount: Bool { gross != 0 || refunds != 0 }
}

/// The bookings of a period that lies before the one that the report shows.
struct TrailingRevenue {
    let period: Period
    private(set) var book: RevenueBook

    /// `nil` where there is no such period.
    init?(_ period: Period?, by keys: [GroupKey], _ rules: LedgerRules) {
        guard let period else { return nil }
        self.period = period
        book = RevenueBook(by: keys, rules)
    }

    /// Adds a booking if it is in the period.
    mutating func add(_ booking: RevenueFigures, of transaction: SettledTransaction, at date: Timestamp?) {
        if period.contains(date) { book.add(booking, of: transaction, at: date) }
    }

    mutating func visitSums(_ coder: inout some SumCoder) throws { try book.visitSums(&coder) }
}
