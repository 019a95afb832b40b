import TillLedger

/// The spilled part of a ledger, for ``SettledLedger``: transactions by chain, failures by code.
final class SpilledPartitions: LedgerPartitions {
    private let transactions: PartitionedFile
    private let failures: PartitionedFile
    private let store: any SpillStore
    let transactionCount: Int
    let purchases: ClosedRange<Int64>?

    init(
        transactions: consuming PartitionedFile,
        failures: consuming PartitionedFile,
        store: any SpillStore,
        transactionCount: Int,
        purchases: ClosedRange<Int64>?
    ) {
        self.transactions = transactions
        self.failures = failures
        self.store = store
        self.transactionCount = transactionCount
        self.purchases = purchases
    }

    var transactionPartitions: Int { transactions.count }
    var failurePartitions: Int { failures.count }
    /// Bytes of spilled failures.
    var failureBytes: Int { failures.byteCount }

    func readTransactions(of partition: Int, into ledger: inout Ledger) throws {
        try transactions.read(partition, into: &ledger)
    }

    func readFailures(of partition: Int, into ledger: inout Ledger) throws {
        try failures.read(partition, into: &ledger)
    }

    func makeSharedSales() throws -> any SharedSales { try SpilledSales(in: store) }
}
