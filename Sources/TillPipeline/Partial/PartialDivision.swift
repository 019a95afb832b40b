/// Into how many shares a partial is divided, and what each share has whole.
public struct PartialDivision: Sendable, Equatable {
    public enum Key: String, Sendable, CaseIterable {
        /// Copies of transactions, attempts, requests: open partials.
        case transactions
        /// Chains, of an open partial that has all copies of its transactions: open partials.
        case chains
        /// Accounts and line items, of a partial that is being closed.
        case accounts
    }

    public var key: Key
    public var count: Int

    /// The most shares; each is a file.
    public static let limit = 100_000

    /// Reads `chains:200`; `nil` for other texts.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let key = Key(rawValue: String(parts[0])), let count = Int(parts[1]) else { return nil }
        guard (1...Self.limit).contains(count) else { return nil }
        (self.key, self.count) = (key, count)
    }

    /// The file of a share.
    func path(of share: Int, in folder: String) -> String { "\(folder)/\(share).tillpart" }
}
