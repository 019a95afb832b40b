import TillColumns
import TillRows

/// A document that mentions a transaction.
public struct RowSource: Sendable {
    /// The number of the transaction.
    public let transaction: Int
    /// The source as it was named.
    public let source: String
    /// Counted from 1 within the source.
    public let document: Int64
    /// Counted from 1 within the document.
    public let row: Int64
    /// The place of the source among all.
    let sourceNumber: UInt32

    /// Whether the mention comes before another one by source, document and row.
    public func precedes(_ other: RowSource) -> Bool {
        (sourceNumber, document, row) < (other.sourceNumber, other.document, other.row)
    }
}

/// The source of a transaction's price.
public enum PriceSource: String, Sendable {
    /// The transaction carries it.
    case transaction
    case priceList = "price_list"
    /// A trial costs nothing.
    case trial
    case none
}

extension SettledLedger {
    /// Every mention of the transactions in `numbers`, in the order of the input.
    ///
    /// Empty unless ``LedgerNeeds/provenance`` was asked for. Cost: a pass over all mentions.
    public func mentions(of numbers: Set<Int>) -> [RowSource] {
        var found: [RowSource] = []
        for index in 0..<provenance.mentions.count {
            let mention = provenance.mentions[index]
            guard numbers.contains(Int(mention.transaction)) else { continue }
            found.append(
                RowSource(
                    transaction: Int(mention.transaction),
                    source: provenance.sources[Int(mention.source)],
                    document: mention.document,
                    row: mention.row,
                    sourceNumber: mention.source
                )
            )
        }
        return found
    }

    /// The id of a transaction, as its documents have it.
    public func identifier(of number: Int) -> String? { text(ofIdentifier: table.entries[number].identifier) }

    /// The id of the chain that a transaction is of, as its documents have it.
    public func originalIdentifier(of number: Int) -> String? { text(ofIdentifier: table.entries[number].original) }

    /// Whether the duplicates of a transaction have different values of a fact of the sale, or, with different trust,
    /// of the cancellation.
    public func hasConflict(_ number: Int) -> Bool { table.hasConflict(table.entries[number]) }

    /// The source of a transaction's price: the transaction, the price list, the fact that it is a trial, or none.
    public func priceSource(of transaction: SettledTransaction) -> PriceSource {
        guard transaction.price != nil else { return .none }
        let entry = table.entries[transaction.number]
        if ownPrice(of: entry) != nil { return .transaction }
        return entry.answers.isTrial == true ? .trial : .priceList
    }

    private func text(ofIdentifier word: Int64) -> String? {
        word == TransactionEntry.unknown ? nil : Identifier(word: word).text(in: texts)
    }
}
