import TillRows

/// Anomalies of the duplicates of a transaction: different facts, and impossible dates.
///
/// A mark once set stays, so marks are joined by OR.
package struct TransactionMarks: OptionSet, BitwiseCopyable {
    package var rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// A duplicate was in a document older than its purchase; not a conflict.
    static let observedBeforePurchase = TransactionMarks(rawValue: 1 << 13)
    /// A duplicate has an original purchase later than the purchase itself; not a conflict.
    static let originalAfterPurchase = TransactionMarks(rawValue: 1 << 14)
    /// A row that is never joined: nothing identifies it, or it is of Xcode or of local testing.
    static let isAlone = TransactionMarks(rawValue: 1 << 15)

    /// All marks for different duplicates: a bit for each of ``TransactionField/facts``.
    static let conflicts = TransactionMarks(rawValue: 1 << UInt16(TransactionField.facts.count) - 1)

    /// The mark for different values of a field in duplicates; empty for a field that is not a fact of the sale.
    static func conflict(in field: TransactionField) -> TransactionMarks {
        TransactionMarks(rawValue: 1 << UInt16(field.rawValue)).intersection(.conflicts)
    }

    /// Whether duplicates differ in a fact of the sale that both know.
    var hasConflict: Bool { !isDisjoint(with: .conflicts) }

    /// The columns in which duplicates differ.
    var conflictingColumns: [TransactionColumn] {
        TransactionField.facts.indices.compactMap { index in
            let fact = TransactionField.facts[index]
            return contains(.conflict(in: fact.field)) ? fact.column : nil
        }
    }
}

/// The trust in a document; facts of a higher rank count before facts of a lower one.
enum TrustRank: UInt8, Comparable {
    /// Unsigned, or not checked.
    case other
    /// The signature is valid, and no path leads from its signer to a root.
    case unanchored
    case trusted
    /// Duplicates of different ranks; ``TransactionTable/forEachCopy(_:_:)`` has the duplicates of each.
    case mixed

    /// The rank of a row, by its cell of trust.
    init(cell: Int64?) {
        self =
            switch cell {
            case Word.trusted.cell: .trusted
            case Word.unanchored.cell: .unanchored
            default: .other
            }
    }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
