import TillCore
import TillLedger
import TillPricing

/// The bookings of a period whose price or tax is not known: of which products, and in which territories.
struct RevenueGaps {
    /// What is not known of a product, or in a territory.
    private struct Gap: Summed {
        /// Units of sales.
        var units: Int64 = 0
        var refundedUnits: Int64 = 0
        /// Sales, refunds and reversals.
        var bookings: Int64 = 0
        /// Customer sales, in millionths.
        var net: Int128 = 0
        var since: Timestamp?

        static func += (left: inout Gap, right: Gap) {
            left.units += right.units
            left.refundedUnits += right.refundedUnits
            left.bookings += right.bookings
            left.net += right.net
            if let since = right.since { left.since = min(left.since ?? since, since) }
        }

        mutating func visitSums(_ coder: inout some SumCoder) throws {
            try coder.add(&units)
            try coder.add(&refundedUnits)
            try coder.add(&bookings)
            try coder.add(&net)
            try coder.earlier(&since)
        }
    }

    private let knowsTax: Bool
    private var unpriced: GroupTable<Gap>
    /// Empty if no tax at all is known: then it is no exception that a tax is not.
    private var untaxed: GroupTable<Gap>

    init(_ rules: LedgerRules) {
        knowsTax = rules.knowsTax
        unpriced = GroupTable(by: [.productID], in: rules.calendar, empty: Gap())
        untaxed = GroupTable(by: [.storefront, .currency], in: rules.calendar, empty: Gap())
    }

    mutating func add(_ booking: RevenueFigures, of transaction: SettledTransaction, at date: Timestamp?) {
        let isUnpriced = transaction.price == nil
        guard isUnpriced || knowsTax && booking.untaxed > 0 else { return }
        let gap = Gap(
            units: booking.unpricedUnits,
            refundedUnits: Int64(clamping: booking.refundedUnits.magnitude),
            bookings: 1,
            net: booking.net,
            since: date
        )
        if isUnpriced {
            unpriced[unpriced.group(of: transaction, at: date)] += gap
        } else {
            untaxed[untaxed.group(of: transaction, at: date)] += gap
        }
    }

    mutating func visitSums(_ coder: inout some SumCoder) throws {
        _ = try unpriced.visitSums(&coder) { gap, coder in try gap.visitSums(&coder) }
        _ = try untaxed.visitSums(&coder) { gap, coder in try gap.visitSums(&coder) }
    }

    /// Units of sales without a price; where only refunds have none, their units.
    var unpricedUnits: Int64 {
        let units = unpriced.values.reduce(0) { $0 + $1.units }
        return units > 0 ? units : unpriced.values.reduce(0) { $0 + $1.refundedUnits }
    }

    /// Sales, refunds and reversals whose tax is not known.
    var untaxedBookings: Int64 { untaxed.values.reduce(0) { $0 + $1.bookings } }

    /// Products that programs get by name.
    private static let mostProducts = 5

    /// The products with the most units without a price.
    func products(_ ledger: borrowing SettledLedger) -> ExceptionPlaces {
        let all = Self.places(of: unpriced, ledger) { $0.units > 0 ? $0.units : $0.refundedUnits }
        return ExceptionPlaces(list: "products", key: "product_id", places: Array(all.prefix(Self.mostProducts)))
    }

    /// The territories where the tax of the most bookings is not known, with customer sales by currency.
    func territories(_ ledger: borrowing SettledLedger) -> ExceptionPlaces {
        ExceptionPlaces(list: "territories", key: "territory", places: Self.places(of: untaxed, ledger) { $0.bookings })
    }

    /// The largest count first; equal counts in the order of the keys.
    private static func places(
        of table: GroupTable<Gap>,
        _ ledger: borrowing SettledLedger,
        count: (Gap) -> Int64
    ) -> [ExceptionPlaces.Place] {
        let currencyIndex = table.keys.firstIndex(of: .currency)
        let places = table.sorted(ledger).map { group in
            let gap = table[group.number]
            let currency = currencyIndex.flatMap { CurrencyCode(groupCode: group.code(at: $0)) }
            return ExceptionPlaces.Place(
                name: group.name(at: 0),
                count: count(gap),
                since: gap.since.map(ledger.rules.calendar.day),
                amount: currency.map { Money(millionths: gap.net, currency: $0).roundedToMinorUnit }
            )
        }
        return places.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
            .map(\.element)
    }
}
