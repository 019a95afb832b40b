import TillLedger
import TillRows
import TillTestSupport

/// A second, plain way to book sales of spring 2026 and to restate them, over a history of which then less was known
/// than today.
struct RestatementModel {
    struct Sale {
        var id: Int
        var product: String
        var month: Int
        var day: Int
        var quantity: Int
        /// What was paid, in thousandths, with its currency; `nil` where only a price list tells it.
        var paid: (milli: Int, currency: String)?
        var isSandbox: Bool
        /// A day, and thousandths of a percent.
        var refund: (month: Int, day: Int, share: Int?)?
        var isKnownThen: Bool
        var isRefundKnownThen: Bool
    }

    /// By what is booked.
    struct Terms {
        /// The price of a unit in hundredths, with its currency, by product.
        var prices: [String: (cents: Int, currency: String)]
        /// What a euro costs in each month, in thousandths, by currency.
        var rates: [Int: [String: Int]]
        var isByPurchase: Bool
        var environments: [String]
    }

    /// Figures of a group: counts, and exact amounts in millionths.
    struct Figures: Equatable {
        var transactions = 0
        var units = 0
        var gross: Int128 = 0
        var refunded = 0
        var refunds: Int128 = 0
        var unpriced = 0
        /// Amounts by the month of the purchase, whose rate holds.
        var parts: [Int: [Int128]] = [:]
    }

    var sales: [Sale] = []

    static let decimals = ["USD": 2, "EUR": 2, "JPY": 0]

    /// Half to even.
    static func divided(_ numerator: Int128, _ denominator: Int128) -> Int128 {
        var quotient = numerator / denominator
        var rest = numerator - quotient * denominator
        if rest < 0 {
            quotient -= 1
            rest += denominator
        }
        let isOver = 2 * rest > denominator || 2 * rest == denominator && !quotient.isMultiple(of: 2)
        return isOver ? quotient + 1 : quotient
    }

    static func rounded(_ amount: Int128, _ currency: String) -> Int128 {
        let quantum: Int128 = decimals[currency] == 0 ? 1_000_000 : 10_000
        return divided(amount, quantum) * quantum
    }

    static func price(_ sale: Sale, _ terms: Terms) -> (amount: Int128, currency: String)? {
        if let paid = sale.paid { return (Int128(paid.milli) * 1000, paid.currency) }
        guard let price = terms.prices[sale.product] else { return nil }
        return (Int128(price.cents * sale.quantity) * 10_000, price.currency)
    }

    static func name(_ month: Int, _ sale: Sale, _ currency: String?) -> String {
        "2026-0\(month)|\(sale.product)|\(currency ?? "null")"
    }

    /// The bookings of one sale by the name of their group.
    ///
    /// - Parameter openMonth: refunds from this month on are left out, where they are booked by the purchase.
    static func book(_ sale: Sale, _ terms: Terms, isThen: Bool, openMonth: Int? = nil) -> [String: Figures] {
        guard !isThen || sale.isKnownThen, !sale.isSandbox || terms.environments.contains("sandbox") else { return [:] }
        let price = price(sale, terms)
        let amount = price?.amount ?? 0
        var booked: [String: Figures] = [:]
        booked[name(sale.month, sale, price?.currency)] = Figures(
            transactions: 1,
            units: sale.quantity,
            gross: amount,
            unpriced: price == nil ? sale.quantity : 0,
            parts: [sale.month: [amount, 0]]
        )
        guard let refund = sale.refund, !isThen || sale.isRefundKnownThen else { return booked }
        if terms.isByPurchase, let openMonth, refund.month >= openMonth { return booked }
        var refunded = amount
        // All of a price is the price as it is, also where it is finer than the minor unit.
        if let share = refund.share, share < 100_000, let currency = price?.currency {
            let quantum: Int128 = decimals[currency] == 0 ? 1_000_000 : 10_000
            refunded = divided(amount * Int128(share), 100_000 * quantum) * quantum
        }
        let group = name(terms.isByPurchase ? sale.month : refund.month, sale, price?.currency)
        booked[group, default: Figures()].refunded += 1
        booked[group, default: Figures()].refunds += refunded
        let part = booked[group]?.parts[sale.month] ?? [0, 0]
        booked[group]?.parts[sale.month] = [part[0], part[1] + refunded]
        return booked
    }

    /// The printed figures of all groups: counts, rounded amounts, and converted amounts.
    func printed(_ terms: Terms, isThen: Bool, openMonth: Int? = nil) -> [String: [Int128]] {
        var groups: [String: Figures] = [:]
        for sale in sales {
            for (name, figures) in Self.book(sale, terms, isThen: isThen, openMonth: openMonth) {
                var sum = groups[name] ?? Figures()
                sum.transactions += figures.transactions
                sum.units += figures.units
                sum.gross += figures.gross
                sum.refunded += figures.refunded
                sum.refunds += figures.refunds
                sum.unpriced += figures.unpriced
                sum.parts.merge(figures.parts) { [$0[0] + $1[0], $0[1] + $1[1]] }
                groups[name] = sum
            }
        }
        var printed: [String: [Int128]] = [:]
        for (name, sum) in groups {
            let currency = String(name.split(separator: "|")[2])
            let isPriced = currency != "null"
            printed[name] = [
                Int128(sum.transactions), Int128(sum.units), isPriced ? Self.rounded(sum.gross, currency) : 0,
                Int128(sum.refunded), isPriced ? Self.rounded(sum.refunds, currency) : 0, Int128(sum.unpriced),
                isPriced ? Self.converted(sum.parts, 0, currency, terms) : 0,
                isPriced ? Self.converted(sum.parts, 1, currency, terms) : 0,
            ]
        }
        return printed
    }

    /// The exact sum of amounts over their rates, rounded once to cents of a euro.
    private static func converted(
        _ parts: [Int: [Int128]],
        _ place: Int,
        _ currency: String,
        _ terms: Terms
    ) -> Int128 {
        let rates = parts.keys.map { month in Int128(currency == "EUR" ? 1000 : terms.rates[month]?[currency] ?? 0) }
        let denominator = rates.reduce(1, *)
        var numerator: Int128 = 0
        for (amounts, rate) in zip(parts.values, rates) { numerator += amounts[place] * 1000 * (denominator / rate) }
        return divided(numerator, denominator * 10_000) * 10_000
    }

    /// What has changed by the name of a group and the cause, and the same of each sale, exact and without converted
    /// amounts.
    func restated(
        then: Terms,
        now: Terms,
        isClosed: (String) -> Bool,
        openMonth: Int
    ) -> (rows: [String: [Int128]], sales: [String: [Int128]]) {
        var (rows, sales): ([String: [Int128]], [String: [Int128]]) = ([:], [:])
        func add(_ cause: String, _ sign: Int128, _ terms: Terms, isThen: Bool, openMonth: Int? = nil) {
            for (name, figures) in printed(terms, isThen: isThen, openMonth: openMonth) where isClosed(name) {
                rows["\(name)|\(cause)", default: Array(repeating: 0, count: 8)].add(figures, times: sign)
            }
            for sale in self.sales {
                for (name, figures) in Self.book(sale, terms, isThen: isThen, openMonth: openMonth) where isClosed(name)
                {
                    let counts = [figures.transactions, figures.units, figures.refunded, figures.unpriced].map {
                        Int128($0)
                    }
                    let exact = [counts[0], counts[1], figures.gross, counts[2], figures.refunds, counts[3]]
                    sales["\(sale.id)|\(name)|\(cause)", default: Array(repeating: 0, count: 6)].add(exact, times: sign)
                }
            }
        }
        func change(_ cause: String, from: Terms, to: Terms) {
            add(cause, -1, from, isThen: true)
            add(cause, 1, to, isThen: true)
        }
        var terms = then
        let cause = [
            ("price_list", { (terms: inout Terms) in terms.prices = now.prices }),
            ("rate", { (terms: inout Terms) in terms.rates = now.rates }),
            ("rule", { (terms: inout Terms) in terms = now }),
        ]
        for (name, apply) in cause {
            var next = terms
            apply(&next)
            change(name, from: terms, to: next)
            terms = next
        }
        for isThen in [true, false] {
            let sign: Int128 = isThen ? -1 : 1
            add("late_document", sign, now, isThen: isThen, openMonth: openMonth)
            guard now.isByPurchase else { continue }
            add("refund_by_purchase", sign, now, isThen: isThen)
            add("refund_by_purchase", -sign, now, isThen: isThen, openMonth: openMonth)
        }
        return (rows.filter { $0.value.contains { $0 != 0 } }, sales.filter { $0.value.contains { $0 != 0 } })
    }
}

extension [Int128] {
    fileprivate mutating func add(_ other: [Int128], times sign: Int128) {
        for index in indices { self[index] += other[index] * sign }
    }
}

extension RestatementModel.Sale {
    /// The row of its document, as it was known then or is today; `nil` where it was not known.
    func row(isThen: Bool) -> Row<TransactionColumn>? {
        guard !isThen || isKnownThen else { return nil }
        var row: Row<TransactionColumn> = [
            .transactionID: "\(id)", .productID: .text(product), .purchaseDate: .text(Self.date(month, day)),
            .environment: isSandbox ? "sandbox" : "production", .quantity: .number(Int64(quantity)),
        ]
        if let paid {
            row[.price] = .number(Int64(paid.milli))
            row[.currency] = .text(paid.currency)
        }
        if let refund, !isThen || isRefundKnownThen {
            row[.cancellationDate] = .text(Self.date(refund.month, refund.day))
            row[.refundPercentage] = refund.share.map { .number(Int64($0)) }
        }
        return row
    }

    private static func date(_ month: Int, _ day: Int) -> String { "2026-0\(month)-\(day < 10 ? "0" : "")\(day)" }
}
