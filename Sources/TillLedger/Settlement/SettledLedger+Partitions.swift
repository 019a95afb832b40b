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
        let latest = try latestCharge(in: partitions)
        for number in 0..<partitions.transactionPartitions {
            let part = try settled(number, of: partitions, latestCharge: latest)
            try body(part)
        }
    }

    private func settled(
        _ number: Int,
        of partitions: any LedgerPartitions,
        latestCharge: Int64?
    ) throws -> SettledLedger {
        var ledger = Ledger(environments: environments, needs: needs)
        ledger.texts = texts
        ledger.provenance = ProvenanceLog(sources: provenance.sources)
        ledger.subscriptions.see(at: subscriptions.newest)
        try partitions.readTransactions(of: number, into: &ledger)
        return SettledLedger(
            ledger,
            rules: rules,
            jobs: jobs,
            partOf: (partitions, number),
            latestCharge: latestCharge
        )
    }

    /// The time of the latest charge of a subscription, which can decide `as_of`; `nil` if no report needs it, or if a
    /// document is later than every purchase. Otherwise every partition is read once more.
    private func latestCharge(in partitions: any LedgerPartitions) throws -> Int64? {
        guard needs.contains(.subscriptions), let purchase = partitions.latestPurchase,
            purchase > subscriptions.newest ?? .min
        else { return nil }
        var sales = SubscriptionSales()
        for number in 0..<partitions.transactionPartitions {
            let part = try settled(number, of: partitions, latestCharge: nil)
            try part.forEachTransaction { sales.see($0) }
        }
        return sales.latest
    }
}
