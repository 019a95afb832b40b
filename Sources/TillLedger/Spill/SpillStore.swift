/// Where a ledger puts what its memory does not hold; the ledger itself opens no files.
public protocol SpillStore: AnyObject, Sendable {
    /// Makes a file that nobody else sees, and that is gone when the last reference to it is, however the run ends.
    func makeFile() throws -> any SpillFile
}

/// Bytes that are written once, end to end, and read at any place.
public protocol SpillFile: AnyObject, Sendable {
    /// Writes all of `bytes` at `offset`.
    func write(_ bytes: [UInt8], at offset: Int) throws
    /// Reads `count` bytes from `offset` on, which were written before.
    func read(_ count: Int, at offset: Int) throws -> [UInt8]
}

/// How much memory a ledger may take, and where the rest goes.
public struct MemoryAllowance: Sendable {
    /// Of the ledger's tables, and of what reports hold of one part of it.
    public let bytes: Int
    let store: any SpillStore

    /// Parts are no fewer than these; more than one only where a test wants several of few transactions.
    var fewestParts = 1

    /// Bytes that distinct failures may take before they are moved out too. Usually there are few, and they can stay.
    var mostFailures: Int

    /// Less is not worth a file: the program itself takes more.
    public static let smallest = 1 << 20

    /// - Parameter bytes: at least ``smallest``, which is taken where they are fewer.
    public init(bytes: Int, store: any SpillStore) {
        self.bytes = max(bytes, Self.smallest)
        mostFailures = self.bytes / 8
        self.store = store
    }

    /// How many files' worth of runs a reading is dealt out to. Each is joined alone, so a ledger of as many times the
    /// allowance is still joined within it; a larger one takes more memory than is allowed rather than fail.
    static let identifierRuns = 256
    /// The most parts that are settled apart.
    static let mostParts = 1024

    /// How many parts a ledger is settled in: each may take a quarter of the allowance, since what reports hold of the
    /// transactions of a part can be three times as large as the transactions.
    func partCount(of entries: Int) -> Int {
        let (need, overflow) = entries.multipliedReportingOverflow(by: TransactionTable.bytesPerEntry)
        return overflow ? Self.mostParts : min(max(fewestParts, need / (bytes / 4) + 1), Self.mostParts)
    }
}
