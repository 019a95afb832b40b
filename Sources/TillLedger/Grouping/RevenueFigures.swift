public import TillCore
public import TillPricing

/// The measures of a row of revenue; amounts are millionths of one currency.
///
/// A price is less than 2⁷³ millionths and a ledger holds less than 2³² transactions, so no sum leaves 128 bits.
public struct RevenueFigures: Hashable, Sendable {
    /// Sales.
    public var transactions: Int64 = 0
    /// Sales of an amount above 0.
    public var paid: Int64 = 0
    /// Free trials begun.
    public var trials: Int64 = 0
    /// Units of the sales.
    public var units: Int64 = 0
    /// Prices of the sales with a known price.
    public var gross: Int128 = 0
    /// Refunds less reversals.
    public var refundedTransactions: Int64 = 0
    /// Units of the refunded transactions.
    public var refundedUnits: Int64 = 0
    /// Refunded amounts less reversals.
    public var refunds: Int128 = 0
    /// Units of sales without a known price; they are not in ``gross``.
    public var unpricedUnits: Int64 = 0
    /// The part of ``gross`` without tax, and Apple's proceeds of it, where they are known.
    public var grossWithoutTax: Int128 = 0
    public var grossProceeds: Int128 = 0
    /// The same of ``refunds``.
    public var refundsWithoutTax: Int128 = 0
    public var refundsProceeds: Int128 = 0
    /// Sales, refunds and reversals whose tax is not known.
    public var untaxed: Int64 = 0
    /// Sales, refunds and reversals of known tax whose commission is not known.
    public var uncommissioned: Int64 = 0

    /// Takes the measures as they are; amounts are millionths of one currency.
    public init(
        transactions: Int64 = 0,
        units: Int64 = 0,
        gross: Int128 = 0,
        refundedTransactions: Int64 = 0,
        refundedUnits: Int64 = 0,
        refunds: Int128 = 0,
        unpricedUnits: Int64 = 0
    ) {
        self.transactions = transactions
        self.units = units
        self.gross = gross
        self.refundedTransactions = refundedTransactions
        self.refundedUnits = refundedUnits
        self.refunds = refunds
        self.unpricedUnits = unpricedUnits
    }

    /// The figures of a sale.
    public init(saleOf transaction: SettledTransaction, _ rounding: Rounding) {
        transactions = 1
        units = transaction.units
        trials = transaction.saleKind == .trial ? 1 : 0
        guard let parts = transaction.parts(rounding) else {
            unpricedUnits = transaction.units
            return
        }
        paid = parts.paid > 0 ? 1 : 0
        gross = parts.paid
        (grossWithoutTax, grossProceeds) = (parts.withoutTax ?? 0, parts.proceeds ?? 0)
        countUnknown(parts)
    }

    /// The figures of its refund.
    ///
    /// - Parameter sign: 1 for the refund, -1 for its reversal.
    public init(refundOf transaction: SettledTransaction, sign: Int64, _ rounding: Rounding) {
        refundedTransactions = sign
        refundedUnits = transaction.units * sign
        guard let parts = transaction.refundedParts(rounding) else { return }
        refunds = parts.paid * Int128(sign)
        refundsWithoutTax = (parts.withoutTax ?? 0) * Int128(sign)
        refundsProceeds = (parts.proceeds ?? 0) * Int128(sign)
        countUnknown(parts)
    }

    private mutating func countUnknown(_ parts: SaleParts) {
        untaxed = parts.withoutTax == nil ? 1 : 0
        uncommissioned = parts.withoutTax != nil && parts.proceeds == nil ? 1 : 0
    }

    /// Gross less refunds.
    public var net: Int128 { gross - refunds }

    /// The same without parts of amounts, paid sales and trials: what earlier reports have too.
    public var asPaid: RevenueFigures {
        RevenueFigures(
            transactions: transactions,
            units: units,
            gross: gross,
            refundedTransactions: refundedTransactions,
            refundedUnits: refundedUnits,
            refunds: refunds,
            unpricedUnits: unpricedUnits
        )
    }

    /// Adds each measure; the amounts of both sides must be in the same currency.
    public static func += (left: inout RevenueFigures, right: RevenueFigures) {
        left.transactions += right.transactions
        left.paid += right.paid
        left.trials += right.trials
        left.units += right.units
        left.gross += right.gross
        left.refundedTransactions += right.refundedTransactions
        left.refundedUnits += right.refundedUnits
        left.refunds += right.refunds
        left.unpricedUnits += right.unpricedUnits
        left.grossWithoutTax += right.grossWithoutTax
        left.grossProceeds += right.grossProceeds
        left.refundsWithoutTax += right.refundsWithoutTax
        left.refundsProceeds += right.refundsProceeds
        left.untaxed += right.untaxed
        left.uncommissioned += right.uncommissioned
    }
}
