/// What a ledger keeps beyond what every report counts; each is paid for only by the reports that ask for it.
public struct LedgerNeeds: OptionSet, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Grace periods of renewal states, and when the newest document was made.
    public static let subscriptions = LedgerNeeds(rawValue: 1)
    /// What stands for the account of each transaction (8 bytes each), and dates that cannot be.
    public static let anomalies = LedgerNeeds(rawValue: 2)
    /// Which documents mention a transaction: 24 bytes for each row, copies included.
    public static let evidence = LedgerNeeds(rawValue: 4)
}

/// Rows that were read and are in no transaction of the ledger, counted by why.
public struct OmittedRows: Hashable, Sendable {
    /// Of documents whose signature or chain is wrong.
    public var untrusted = 0
    /// Of other apps than those asked for.
    public var foreign = 0
    /// Of responses whose status says that they are not valid.
    public var withheld = 0

    public init() {}

    mutating func add(_ other: OmittedRows) {
        untrusted += other.untrusted
        foreign += other.foreign
        withheld += other.withheld
    }
}
