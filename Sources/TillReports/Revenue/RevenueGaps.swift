import TillCore
import TillLedger

/// The bookings of a period whose price or tax is not known: of which products, and in which territories.
struct RevenueGaps {
    private(set) var bookings = Cube(RevenueField.self, by: [.productID, .storefront, .currency])
    private let rules: LedgerRules

    init(_ rules: LedgerRules) { self.rules = rules }

    mutating func add(_ booking: RevenueValues, of transaction: SettledTransaction, at date: Timestamp?) {
        var figures = booking.figures
        // If no tax at all is known, it is no exception that a tax is not.
        guard booking.currency == nil || rules.knowsTax && figures.untaxed > 0 else { return }
        // A refund and its reversal are two bookings without a price.
        figures.refundedUnits = Int64(clamping: figures.refundedUnits.magnitude)
        bookings.add(RevenueValues(figures, in: booking.currency), of: transaction, at: date, in: rules.calendar)
    }

    mutating func visitSums(_ coder: inout some SumCoder) throws { try bookings.visitSums(&coder) }

    /// Products that programs get by name.
    private static let mostProducts = 5

    private func isUnpriced(_ group: Int) -> Bool { bookings.currency(of: group) == nil }

    /// Units of sales without a price; where only refunds have none, their units.
    private static func unpricedUnits(of group: CubeGroup) -> Int128 {
        let units = group[RevenueField.unpriced.rawValue]
        return units > 0 ? units : group[RevenueField.refundedUnits.rawValue]
    }

    /// Of all bookings, as ``products(_:)`` counts them.
    var unpricedUnits: Int { Int(clamping: Self.unpricedUnits(of: bookings.rollup(to: [], where: isUnpriced)[0, 0])) }

    /// Sales, refunds and reversals that have a price, and whose tax is not known.
    var untaxedBookings: Int {
        Int(clamping: bookings.filter { !isUnpriced($0) }.total(RevenueField.untaxed))
    }

    /// The products with the most units without a price.
    func products(_ ledger: borrowing SettledLedger) -> ExceptionPlaces {
        let products = bookings.named(by: ledger).rollup(to: [.productID], where: isUnpriced)
        return ExceptionPlaces(
            list: "products",
            key: "product_id",
            products,
            most: Self.mostProducts,
            rules.calendar,
            count: Self.unpricedUnits
        )
    }

    /// The territories where the tax of the most bookings is not known, with customer sales by currency.
    func territories(_ ledger: borrowing SettledLedger) -> ExceptionPlaces {
        let territories = bookings.named(by: ledger).rollup(to: [.storefront, .currency]) { !isUnpriced($0) }
        return ExceptionPlaces(
            list: "territories",
            key: "territory",
            territories,
            amount: RevenueMeasure.net,
            rules.calendar
        ) {
            $0[RevenueField.untaxed.rawValue]
        }
    }
}
