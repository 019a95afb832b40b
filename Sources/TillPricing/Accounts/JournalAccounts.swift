/// The names of the accounts that a journal posts to.
public struct JournalAccounts: Hashable, Sendable {
    /// The purpose of an account.
    public enum Account: String, Sendable, CaseIterable {
        /// Proceeds that Apple owes: customer prices, less refunds, tax and commission.
        case receivable
        /// Earned revenue, before refunds.
        case revenue
        /// Billed amounts that are neither earned nor refunded.
        case deferredRevenue = "deferred_revenue"
        /// Refunds, which reduce revenue.
        case refunds
        /// Apple's commission, an estimate.
        case commission
        /// The tax in the customer prices, which Apple remits; an estimate.
        case tax

        /// The default name. It follows the manual of hledger, which derives the kind of an account from the first part
        /// of its name.
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

    /// The name of an account: the usual one unless another is set.
    public subscript(_ account: Account) -> String {
        get { names[account] ?? account.usualName }
        set { names[account] = newValue }
    }
}
