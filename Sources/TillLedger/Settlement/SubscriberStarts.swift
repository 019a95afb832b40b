import TillCore

/// The start dates of subscribers, for products whose earlier subscribers keep an older price.
///
/// The start of a chain is its earliest purchase in the rows read; earlier purchases that are missing in the receipts
/// are unknown.
struct SubscriberStarts: Sendable {
    private var starts: [Int64: Int64] = [:]

    /// `nil` if no product asks for it, which costs nothing.
    ///
    /// - Parameter isBookable: by the number of shared values. Charges of other environments start no subscription.
    init?(_ table: borrowing TransactionTable, isBookable: [Bool], _ products: inout ProductCache) {
        for number in 0..<table.count {
            let entry = table.entries[number]
            let purchaseDate = table.purchaseDate(of: entry)
            guard isBookable[Int(entry.shared)], products.preservesPrices(of: entry.product), !entry.isAlone,
                purchaseDate != TransactionEntry.unknown
            else { continue }
            starts[entry.chain] = min(starts[entry.chain] ?? purchaseDate, purchaseDate)
        }
        if starts.isEmpty { return nil }
    }

    func start(of entry: TransactionEntry) -> Timestamp? {
        starts[entry.chain].map(Timestamp.init(milliseconds:))
    }
}
