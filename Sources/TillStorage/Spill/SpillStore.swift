import TillLedger

/// Makes the files of a ledger that does not fit its memory; this module opens no files.
public protocol SpillStore: AnyObject, Sendable {
    /// Makes a file that no other process sees, and that is gone when the last reference to it is, however the run ends.
    func makeFile() throws -> any SpillFile
}

/// Bytes that are written once, end to end, and read at any place.
public protocol SpillFile: AnyObject, Sendable {
    /// Writes all of `bytes` at `offset`.
    func write(_ bytes: [UInt8], at offset: Int) throws
    /// Reads `count` bytes from `offset` on, which were written before.
    func read(_ count: Int, at offset: Int) throws -> [UInt8]
}

/// How much memory a ledger may take, and the store for the rest.
public struct MemoryAllowance: Sendable {
    /// Of the ledger's tables, and of what reports hold of one partition.
    public let bytes: Int
    let store: any SpillStore

    /// Partitions by chain are no fewer than these; more than one only where a test wants several of few transactions.
    var fewestPartitions = 1

    /// Bytes that distinct failures may take before they are spilled too. Usually there are few, and they can stay.
    var mostFailures: Int

    /// Less is not worth a file: the program itself takes more.
    public static let smallest = 1 << 20

    /// - Parameter bytes: at least ``smallest``, which is taken where they are fewer.
    public init(bytes: Int, store: any SpillStore) {
        self.bytes = max(bytes, Self.smallest)
        mostFailures = self.bytes / 8
        self.store = store
    }

    /// Partitions by id. Each is joined alone, so a ledger of as many times the allowance is still joined within it; a
    /// larger one takes more memory than is allowed rather than fail.
    static let identifierPartitions = 256
    /// The most partitions that are settled apart.
    static let mostPartitions = 1024

    /// How many partitions a ledger is settled in: each may take a quarter of the allowance, since what reports hold of
    /// the transactions of a partition can be three times as large as the transactions.
    func partitionCount(of entries: Int) -> Int {
        let (need, overflow) = entries.multipliedReportingOverflow(by: TransactionTable.bytesPerEntry)
        return overflow ? Self.mostPartitions : min(max(fewestPartitions, need / (bytes / 4) + 1), Self.mostPartitions)
    }
}
