import TillCore
import TillPricing

/// What Apple kept of what customers paid, as a file of commissions.
///
///     from,until,product,storefront,rate
///     2026-03-01,2026-03-31,com.example.pro,USA,0.3
///
/// The last day belongs to the range. A rate is 1 − proceeds ÷ gross, tax and commission together, rounded half-even to six
/// decimals. Rows whose proceeds are in another currency than what customers paid have no rate, and those that brought nothing.
public struct ApplePayout: Sendable {
    /// The lines of the file with its header.
    public private(set) var lines = ["from,until,product,storefront,rate"]
    /// Months, products and storefronts without a rate, because they are paid in another currency.
    public private(set) var foreignCount = 0

    private struct Key: Hashable {
        let period: ReportedPeriod
        let product: String
        let country: String
    }

    /// - Throws: ``ReconciliationError`` where reports of several kinds tell the same sales.
    public init(_ apple: AppleFigures) throws(ReconciliationError) {
        guard apple.kinds.count <= 1 else {
            throw ReconciliationError(
                "apple.kinds",
                "--payout takes reports of one kind, not of \(apple.kinds.map(\.title).joined(separator: " and ")), which "
                    + "tell the same sales"
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
        let told = sums.filter { !foreign.contains($0.key) }.sorted { left, right in
            let (mine, other) = (left.key, right.key)
            if mine.period != other.period { return mine.period.days.lowerBound < other.period.days.lowerBound }
            return mine.product == other.product
                ? Order.precedes(mine.country, other.country) : Order.precedes(mine.product, other.product)
        }
        for (key, amounts) in told {
            guard let kept = amounts.keptMillionths else { continue }
            let cells = [
                DayName.text(key.period.days.lowerBound), DayName.text(key.period.days.upperBound), key.product,
                key.country,
                Self.decimal(kept),
            ]
            lines.append(cells.map(Self.quoted).joined(separator: ","))
        }
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
