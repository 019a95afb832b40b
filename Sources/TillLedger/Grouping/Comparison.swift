public import TillCore

/// The earlier figures with which a report is compared.
public enum Comparison: Sendable {
    /// Each month against the one before.
    case month
    /// Each month against the same one a year before.
    case year
    /// Another report, made earlier.
    case report(EarlierReport)

    /// The number of months between the compared figures; `nil` for another report.
    public var months: Int64? {
        switch self {
        case .month: 1
        case .year: 12
        case .report: nil
        }
    }
}

/// The revenue of a report that was made earlier.
public struct EarlierReport: Sendable {
    /// A row of the earlier report.
    public struct Row: Sendable {
        /// In the order of ``EarlierReport/keys``; `nil` for an unknown value.
        public let keys: [String?]
        /// The figures as they were printed.
        public let revenue: PrintedRevenue

        /// The figures without converted amounts.
        public var figures: RevenueFigures { revenue.figures }

        /// Takes the figures as the earlier report printed them.
        public init(keys: [String?], revenue: PrintedRevenue) {
            self.keys = keys
            self.revenue = revenue
        }
    }

    /// The file, as it was named.
    public let name: String
    /// The names of its key columns.
    public let keys: [String]
    /// The settings behind its numbers, as texts.
    public let settings: [(name: String, value: String)]
    /// The rows in the order of the file.
    public let rows: [Row]

    /// Takes rows whose keys are in the order of `keys`, which is not checked.
    public init(name: String, keys: [String], settings: [(name: String, value: String)], rows: [Row]) {
        self.name = name
        self.keys = keys
        self.settings = settings
        self.rows = rows
    }
}

/// The measures of a row of revenue; amounts are millionths of one currency.
///
/// A price is less than 2⁷³ millionths and a ledger holds less than 2³² transactions, so no sum leaves 128 bits.
public struct RevenueFigures: Hashable, Sendable {
    /// Sales.
    public var transactions: Int64 = 0
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

    /// Gross less refunds.
    public var net: Int128 { gross - refunds }

    /// The same with each amount rounded once, half to even, to the minor unit of the currency; net is the difference
    /// of the two.
    ///
    /// Sales can be finer than the minor unit. A group of them keeps all decimals until it is written.
    public func rounded(in currency: CurrencyCode?) -> RevenueFigures {
        guard let currency else { return self }
        var rounded = self
        rounded.gross = Money(millionths: gross, currency: currency).roundedToMinorUnit.millionths
        rounded.refunds = Money(millionths: refunds, currency: currency).roundedToMinorUnit.millionths
        return rounded
    }

    /// Adds each measure; the amounts of both sides must be in the same currency.
    public static func += (left: inout RevenueFigures, right: RevenueFigures) {
        left.transactions += right.transactions
        left.units += right.units
        left.gross += right.gross
        left.refundedTransactions += right.refundedTransactions
        left.refundedUnits += right.refundedUnits
        left.refunds += right.refunds
        left.unpricedUnits += right.unpricedUnits
    }
}
