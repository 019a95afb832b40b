package import TillColumns
import TillCore

extension SettledLedger {
    /// The ledger data in a closed partial: failures, events by hour and counters. Attempts, requests and other sets
    /// are already counted. It has no transactions, and only the texts that it uses.
    ///
    /// Failures that were moved to files are read again, all at once.
    package borrowing func tallies() throws -> Ledger {
        var ledger = Ledger(environments: environments, needs: needs)
        ledger.texts = texts
        (ledger.rowCount, ledger.withheld, ledger.trust) = (rowCount, withheld, trust)
        (ledger.omitted, ledger.reading) = (omitted, reading)
        ledger.subscriptions.documents = subscriptions.documents
        ledger.examples = examples
        ledger.verifications = verifications
        ledger.verifications.forgetPairs()
        ledger.events = events
        ledger.events.countOwnMembers()
        if let partitions {
            for partition in 0..<partitions.failurePartitions {
                try partitions.readFailures(of: partition, into: &ledger)
            }
        }
        ledger.forgetTexts()
        return ledger
    }

    /// 21007s with a later success.
    package var pairedVerifications: Int { verifications.paired }

    /// The texts of the codes in sums.
    package var reportedTexts: TextDictionary { texts }
}

extension Ledger {
    /// Adds the 21007s with a later success of a closed partial.
    package mutating func add(paired count: Int) { verifications.add(paired: count) }
}

/// The partitions of a ledger whose transactions were counted elsewhere: there are none to read.
package struct CountedTransactions: LedgerPartitions {
    package let transactionCount: Int
    package var transactionPartitions: Int { 0 }
    package var failurePartitions: Int { 0 }
    package var purchases: ClosedRange<Int64>? { nil }

    package init(count: Int) {
        transactionCount = count
    }

    package func readTransactions(of partition: Int, into ledger: inout Ledger) {}
    package func readFailures(of partition: Int, into ledger: inout Ledger) {}
    package func makeSharedSales() throws -> any SharedSales {
        throw Finding("ledger.counted", "transactions that were counted cannot be compared")
    }
}
