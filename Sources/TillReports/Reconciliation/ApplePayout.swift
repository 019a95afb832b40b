public import TillCore
import TillPricing

/// Apple's share of customer prices, as a file for `--commission`.
///
///     from,until,product,storefront,rate
///     2026-03-01,2026-03-31,com.example.pro,USA,0.3
///     2026-03-01,2026-03-31,com.example.pro,,0.3
///
/// The line without a storefront is for sales that name none. It is there where all storefronts in which the product
/// was sold in the month have one rate.
///
/// The last day belongs to the range. A rate is 1 − proceeds ÷ gross, tax and commission together, rounded half-even to
/// six decimals. Rows with proceeds in another currency than the customer price, and rows without an amount, have no
/// rate.
public struct ApplePayout: Sendable {
    /// The lines of the file with its header.
    public private(set) var lines = ["from,until,product,storefront,rate"]
    /// Months, products and storefronts without a rate, because they are paid in another currency.
    public private(set) var foreignCount = 0

    /// Months and products whose sales without a storefront have no rate, because the rates of the storefronts differ
    /// or are unknown.
    public private(set) var ambiguousCount = 0

    private struct Key: Hashable {
        let period: ReportedPeriod
        let product: String
        let country: String
    }

    /// Makes all lines at once, from the reports in the selected period.
    ///
    /// - Throws: ``Finding`` if reports of several kinds contain the same sales.
    public init(_ apple: AppleFigures) throws(Finding) {
        guard apple.kinds.count <= 1 else {
            throw Finding(
                "apple.kinds",
                "--payout takes reports of one kind, not of \(apple.kinds.map(\.title).joined(separator: " and ")), which "
                    + "contain the same sales"
            )
        }
        var sums: [Key: AppleReport.Amounts] = [:]
        var foreign: Set<Key> = []
        for row in apple.rows {
            let key = Key(period: row.period, product: row.product, country: row.country)
            if let paid = row.proceedsCurrency, paid != row.currency {
                foreign.insert(key)
            } else {
                sums[key, default: AppleReport.Amounts()] += row.amounts
            }
        }
        foreignCount = foreign.count
        // A month that was paid in two currencies has no rate for all of it.
        var rates: [Key: Int64] = [:]
        for (key, amounts) in sums where !foreign.contains(key) { rates[key] = amounts.keptMillionths }
        addRatesOfProducts(to: &rates, foreign)
        for (key, rate) in rates.sorted(by: { Self.precedes($0.key, $1.key) }) {
            let cells = [
                DayName.text(key.period.days.lowerBound), DayName.text(key.period.days.upperBound), key.product,
                key.country, Self.decimal(rate),
            ]
            lines.append(cells.map(Self.quoted).joined(separator: ","))
        }
    }

    /// Adds the rates for sales without a storefront, whose country is empty.
    private mutating func addRatesOfProducts(to rates: inout [Key: Int64], _ foreign: Set<Key>) {
        func product(_ key: Key) -> Key { Key(period: key.period, product: key.product, country: "") }
        var found: [Key: Set<Int64>] = [:]
        for (key, rate) in rates { found[product(key), default: []].insert(rate) }
        let unknown = Set(foreign.map(product))
        for (key, distinct) in found {
            if distinct.count == 1, !unknown.contains(key) {
                rates[key] = distinct.first
            } else {
                ambiguousCount += 1
            }
        }
    }

    private static func precedes(_ left: Key, _ right: Key) -> Bool {
        if left.period != right.period { return left.period.days.lowerBound < right.period.days.lowerBound }
        return left.product == right.product
            ? Order.precedes(left.country, right.country) : Order.precedes(left.product, right.product)
    }

    /// Millionths as a decimal number without zeros at its end.
    private static func decimal(_ millionths: Int64) -> String {
        let (whole, rest) = millionths.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        var digits = String(rest)
        digits = String(repeating: "0", count: 6 - digits.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return (millionths < 0 ? "-" : "") + "\(whole)" + (digits.isEmpty ? "" : "." + digits)
    }

    private static func quoted(_ text: String) -> String {
        guard text.contains(where: { ",\"\n\r".contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}
