public import TillCore

/// A double entry: amounts of one currency that move between accounts and add up to zero.
public struct JournalEntry: Hashable, Sendable {
    /// An amount of one account: a debit, or a credit where it is negative.
    public struct Posting: Hashable, Sendable {
        /// The name in the journal: `assets:receivable:apple`.
        public var account: String
        /// Positive for a debit, negative for a credit.
        public var amount: Money

        /// Needs a negative amount for a credit.
        public init(account: String, amount: Money) {
            self.account = account
            self.amount = amount
        }
    }

    /// The day of the entry: `2026-03-31`.
    public var day: String
    /// The text of the entry: `Billed, 2026-03`.
    public var description: String
    /// Whether its amount is an estimate.
    public var isEstimated: Bool
    /// The debits and credits, in the order in which formats list them.
    public var postings: [Posting]

    /// Does not check that the postings add up to zero; see ``isBalanced``.
    public init(day: String, description: String, isEstimated: Bool = false, postings: [Posting]) {
        self.day = day
        self.description = description
        self.isEstimated = isEstimated
        self.postings = postings
    }

    /// Whether its amounts add up to zero in each currency.
    public var isBalanced: Bool {
        var sums: [CurrencyCode: Int128] = [:]
        for posting in postings { sums[posting.amount.currency, default: 0] += posting.amount.millionths }
        return sums.values.allSatisfy { $0 == 0 }
    }
}
