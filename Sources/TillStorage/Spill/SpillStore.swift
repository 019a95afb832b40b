import TillLedger

/// Makes the files of a ledger that does not fit its memory; this module opens no files.
public protocol SpillStore: AnyObject, Sendable {
    /// Makes a file that no other process can open. It is removed with the last reference to it, however the run ends.
    func makeFile() throws -> any SpillFile
}

/// Bytes that are written once, end to end, and read at any place.
public protocol SpillFile: AnyObject, Sendable {
    /// Writes all of `bytes` at `offset`.
    func write(_ bytes: [UInt8], at offset: Int) throws
    /// Reads `count` bytes from `offset` on, which were written before.
    func read(_ count: Int, at offset: Int) throws -> [UInt8]
}

/// The memory that a ledger may take, and the store for the rest.
public struct MemoryAllowance: Sendable {
    /// For the ledger's tables, and for the data that reports keep of one partition.
    public let bytes: Int
    let store: any SpillStore

    /// The least number of partitions by chain; more than one only in tests.
    var fewestPartitions = 1
    /// The number of partitions by id. Each is joined alone, and divided again where it is too large.
    var identifierPartitions = 256
    /// Bytes of a partition by id that is divided again.
    var mostPartitionBytes: Int

    /// Whether the ledger is written as a partial, whose bytes follow the partitions. They have no seed then, so that the
    /// same input gives the same bytes.
    public var writesPartial = false
    var seed: UInt64 { writesPartial ? Partitioner.sharedSeed : .random(in: .min ... .max) }

    /// Bytes that distinct failures may take before they are spilled too. Usually there are few, and they can stay.
    var mostFailures: Int

    /// The smallest allowance. The program itself takes more memory than this.
    public static let smallest = 1 << 20

    /// Makes an allowance; data beyond it goes to files of `store`.
    ///
    /// - Parameter bytes: a value below ``smallest`` is replaced by it.
    public init(bytes: Int, store: any SpillStore) {
        self.bytes = max(bytes, Self.smallest)
        mostFailures = self.bytes / 8
        mostPartitionBytes = self.bytes / 4
        self.store = store
    }

    /// The largest number of partitions that are settled one by one.
    static let mostPartitions = 1024

    /// The number of partitions in which a ledger is settled. Each may take a quarter of the allowance, because the
    /// data that reports keep of a partition can be three times as large as its transactions.
    func partitionCount(of entries: Int) -> Int {
        let (need, overflow) = entries.multipliedReportingOverflow(by: TransactionTable.bytesPerEntry)
        return overflow ? Self.mostPartitions : min(max(fewestPartitions, need / (bytes / 4) + 1), Self.mostPartitions)
    }
}
