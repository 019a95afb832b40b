import TillColumns
import TillCore

extension SettledLedger {
    /// Passes the ledger to `body` partition by partition. Each chain is in one partition. A ledger that fits its
    /// memory is one partition.
    ///
    /// Codes of products, environments and other group keys are the same in all partitions; numbers of transactions are
    /// not. A partition does not answer questions about the whole ledger, such as ``failureRates``.
    public func forEachPartition(_ body: (borrowing SettledLedger) throws -> Void) throws {
        guard let partitions else { return try body(self) }
        for number in 0..<partitions.transactionPartitions {
            let part = try settled(number, of: partitions)
            try body(part)
        }
    }

    private func settled(_ number: Int, of partitions: any LedgerPartitions) throws -> SettledLedger {
        var ledger = Ledger(environments: environments, needs: needs)
        ledger.texts = texts
        ledger.provenance = ProvenanceLog(sources: provenance.sources)
        ledger.subscriptions.documents = subscriptions.documents
        try partitions.readTransactions(of: number, into: &ledger)
        return SettledLedger(ledger, rules: rules, jobs: jobs, partOf: (partitions, number))
    }
}
