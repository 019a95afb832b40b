import TillCore
import TillPricing
import TillThreads

/// The start dates of subscribers, for products whose earlier subscribers keep an older price.
///
/// The start of a chain is the earliest purchase or original purchase in its rows, so that it does not depend on which
/// of the rows were read.
struct SubscriberStarts: Sendable {
    private var starts: [Int64: Int64] = [:]

    /// `nil` if no product asks for it, which costs nothing.
    ///
    /// - Parameters:
    ///   - isBookable: by the number of shared values. Charges of other environments start no subscription.
    ///   - products: of the same rules.
    ///   - jobs: the number of threads that may work on it.
    init?(
        _ table: borrowing TransactionTable,
        isBookable: [Bool],
        _ products: ProductCache,
        _ rules: LedgerRules,
        jobs: Int
    ) {
        guard rules.prices?.preservesPrices == true else { return nil }
        let ranges = table.ranges(for: jobs)
        let parts = concurrentMap(ranges.count, width: ranges.count) { part in
            var products = products
            var starts: [Int64: Int64] = [:]
            for number in ranges[part] {
                let entry = table.entries[number]
                guard isBookable[Int(entry.shared)], products.preservesPrices(of: entry.product), !entry.isAlone else {
                    continue
                }
                let dates = [table.purchaseDate(of: entry), table.originalPurchaseDate(of: entry)]
                for date in dates where date != TransactionEntry.unknown {
                    starts[entry.chain] = min(starts[entry.chain] ?? date, date)
                }
            }
            return starts
        }
        for part in parts { starts.merge(part) { min($0, $1) } }
        if starts.isEmpty { return nil }
    }

    func start(of entry: TransactionEntry) -> Timestamp? {
        starts[entry.chain].map(Timestamp.init(milliseconds:))
    }
}
