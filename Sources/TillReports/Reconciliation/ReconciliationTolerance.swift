import TillCore

/// The largest difference between two figures that agree.
public struct ReconciliationTolerance: Sendable, CustomStringConvertible {
    private enum Limit: Sendable {
        /// Millionths of a unit, of goods as of money.
        case amount(UInt128)
        /// Millionths of a percent of Apple's figure.
        case percentage(UInt128)
    }

    private let limit: Limit
    /// As it was written: `0.5%`.
    public let description: String

    /// No difference at all.
    public static let none = ReconciliationTolerance(limit: .amount(0), description: "0")

    /// Whether rows with a difference can agree.
    var allowsDifferences: Bool {
        switch limit {
        case .amount(let most), .percentage(let most): most > 0
        }
    }

    private init(limit: Limit, description: String) {
        (self.limit, self.description) = (limit, description)
    }

    /// Reads a number such as `0.05`, or a percentage of Apple's figure such as `0.5%`; `nil` for anything else.
    public init?(_ text: String) {
        let isPercentage = text.hasSuffix("%")
        let number = isPercentage ? String(text.dropLast()) : text
        guard let millionths = ScaledDecimal.parse(number.utf8.span.bytes, scale: 6), millionths >= 0 else {
            return nil
        }
        limit = isPercentage ? .percentage(UInt128(millionths)) : .amount(UInt128(millionths))
        description = text
    }

    /// Whether a row agrees: units and money, sales and refunds. A row without a price does not agree.
    func allows(_ row: ReconciliationMeasures) -> Bool {
        guard let gross = row.grossDifference, let refunds = row.refundsDifference else { return false }
        return allows(Int128(row.unitsDifference) * 1_000_000, of: Int128(row.appleUnits) * 1_000_000)
            && allows(Int128(row.refundedUnitsDifference) * 1_000_000, of: Int128(row.appleRefundedUnits) * 1_000_000)
            && allows(gross, of: row.appleGross) && allows(refunds, of: row.appleRefunds)
    }

    /// Whether a count agrees. A count that Apple does not report is not a difference.
    func allows(_ row: SubscriptionRow.Counts) -> Bool {
        guard let difference = row.difference, let apple = row.appleUnits else { return true }
        return allows(Int128(difference) * 1_000_000, of: Int128(apple) * 1_000_000)
    }

    /// Whether a difference is small enough, both in millionths.
    private func allows(_ difference: Int128, of apple: Int128) -> Bool {
        switch limit {
        case .amount(let most): return difference.magnitude <= most
        case .percentage(let most):
            // |difference| / |apple| ≤ most / 10⁸, without a division.
            let left = difference.magnitude.multipliedFullWidth(by: 100_000_000)
            let right = apple.magnitude.multipliedFullWidth(by: most)
            return (left.high, left.low) <= (right.high, right.low)
        }
    }
}
