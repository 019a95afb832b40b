/// Additional data that a ledger keeps only if a report needs it.
public struct LedgerNeeds: OptionSet, Sendable {
    /// One bit for each need; partials store it, so a bit keeps its meaning.
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Grace periods of renewal states, and the time of the newest document of each transaction.
    public static let subscriptions = LedgerNeeds(rawValue: 1)
    /// The fingerprint of the account of each transaction (8 bytes each), and impossible dates.
    public static let anomalies = LedgerNeeds(rawValue: 2)
    /// The documents that mention a transaction: 24 bytes for each row, duplicates included.
    public static let provenance = LedgerNeeds(rawValue: 4)
    /// The places of a few records of each failure.
    public static let examples = LedgerNeeds(rawValue: 8)
    /// The number of events in each hour by app version, OS version, storefront and product, and the newest records of
    /// failures: some 50 MB at most.
    public static let incidents = LedgerNeeds(rawValue: 16)
    /// Events: their failures, attempts, purchases and restores; up to 16 bytes for each event.
    public static let events = LedgerNeeds(rawValue: 32)
    /// Responses of verifyReceipt and their failures; 24 bytes for each request that succeeded.
    public static let verifications = LedgerNeeds(rawValue: 64)
    /// The end of the data, where open periods end (``LedgerRules/asOf``).
    public static let dataEnd = LedgerNeeds(rawValue: 128)
    /// Whether the ledger keeps the times of documents.
    var keepsDocumentTimes: Bool { !isDisjoint(with: [.subscriptions, .dataEnd]) }
    /// Verifications and events.
    public static let failures: LedgerNeeds = [.events, .verifications]
}
