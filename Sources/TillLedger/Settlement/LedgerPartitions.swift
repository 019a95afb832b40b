package import TillColumns

/// The part of a settled ledger that is outside of memory, cut into partitions that can be settled one by one.
///
/// A partition of transactions has whole chains, a partition of failures all failures of a code.
package protocol LedgerPartitions: Sendable {
    /// Partitions of transactions, at least one.
    var transactionPartitions: Int { get }
    /// Partitions of failures; 0 if all failures are in memory.
    var failurePartitions: Int { get }
    /// Transactions of all partitions, after joining duplicates.
    var transactionCount: Int { get }
    /// The first and the latest purchase of the counted environments, in milliseconds.
    var purchases: ClosedRange<Int64>? { get }
    /// Reads a partition of transactions into an empty ledger.
    func readTransactions(of partition: Int, into ledger: inout Ledger) throws
    /// Reads a partition of failures into an empty ledger.
    func readFailures(of partition: Int, into ledger: inout Ledger) throws
    /// Makes an empty store for sales of all partitions.
    func makeSharedSales() throws -> any SharedSales
}

/// Sales of several partitions, partitioned again by the line item or the account that they may have in common.
package protocol SharedSales: AnyObject, Sendable {
    /// Adds the sales of a partition.
    func add(_ sales: SaleNotes, of part: borrowing SettledLedger) throws
    /// Adds sales of a partition that have a line item.
    func add(_ sales: [LineItemSale], of part: borrowing SettledLedger) throws
    /// Passes the sales to `body`, group by group: all sales with a line item or an account in common are in one group.
    func forEachGroup(_ body: (inout [LineItemSale], inout [AccountSale], TextDictionary) throws -> Void) throws
}

/// A sale that has a line item.
package struct LineItemSale {
    /// The fingerprint of the line item, the same in every dictionary.
    package var item: UInt128
    /// The word of the transaction's id.
    package var identifier: Int64

    package init(item: UInt128, identifier: Int64) {
        (self.item, self.identifier) = (item, identifier)
    }

    /// Words of the ids of sales whose line item another sale has too.
    static func repeated(_ sales: inout [LineItemSale]) -> [Int64] {
        sales.sort { $0.item < $1.item }
        return sales.indices.filter { index in
            index > 0 && sales[index - 1].item == sales[index].item
                || index + 1 < sales.count && sales[index + 1].item == sales[index].item
        }.map { sales[$0].identifier }
    }
}
