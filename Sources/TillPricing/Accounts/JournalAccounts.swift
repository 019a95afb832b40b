/// The names of the accounts that a journal posts to.
public struct JournalAccounts: Hashable, Sendable {
    /// What an account is for.
    public enum Account: String, Sendable, CaseIterable {
        /// What Apple owes: customer prices, less refunds, tax and commission.
        case receivable
        /// What was earned, before refunds.
        case revenue
        /// What was billed and is neither earned nor refunded.
        case deferredRevenue = "deferred_revenue"
        /// Refunds, which reduce revenue.
        case refunds
        /// Apple's commission, an estimate.
        case commission
        /// The tax in the customer prices, which Apple remits; an estimate.
        case tax

        /// The name unless another one is given: as in the manual of hledger, which knows the kind of account by its first part.
        public var usualName: String {
            switch self {
            case .receivable: "assets:receivable:apple"
            case .revenue: "revenues:app store"
            case .deferredRevenue: "liabilities:deferred revenue"
            case .refunds: "revenues:refunds"
            case .commission: "expenses:commission"
            case .tax: "revenues:tax remitted by apple"
            }
        }
    }

    private var names: [Account: String] = [:]

    /// The usual names.
    public init() {}

    public subscript(_ account: Account) -> String {
        get { names[account] ?? account.usualName }
        set { names[account] = newValue }
    }
}
