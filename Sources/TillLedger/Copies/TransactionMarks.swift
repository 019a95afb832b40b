import TillRows

/// What of a transaction its copies tell, and by what name; (price, currency) and (offer_id, offer_type) are one each.
package enum TransactionField: UInt8, CaseIterable {
    // Facts of the sale: copies that differ in one of them are in conflict.
    case original, webOrder, purchaseDate, expiresDate, originalPurchaseDate, product, quantity, isTrial, isIntro
    case environment, bundleID, ownership, price
    // What is told of the product or the store.
    case productType, storefront, offer

    /// The facts of the sale, with the columns that tell them.
    static let facts: [(field: TransactionField, column: TransactionColumn)] = [
        (.original, .originalTransactionID), (.webOrder, .webOrderLineItemID), (.purchaseDate, .purchaseDate),
        (.expiresDate, .expiresDate), (.originalPurchaseDate, .originalPurchaseDate), (.product, .productID),
        (.quantity, .quantity), (.isTrial, .isTrial), (.isIntro, .isIntro), (.environment, .environment),
        (.bundleID, .bundleID), (.ownership, .ownershipType), (.price, .price),
    ]

    /// Dates of two copies that are no further apart than this, in milliseconds, do not contradict each other: receipts
    /// tell whole seconds where responses tell milliseconds. Original purchases differ by more from receipt to receipt.
    package var tolerance: Int64 { self == .originalPurchaseDate ? 86_400_000 : 1000 }
}

/// What is odd about the copies of a transaction: facts in which two of them differ, and dates that cannot be.
///
/// A mark once set stays, so marks are joined by OR.
package struct TransactionMarks: OptionSet, BitwiseCopyable {
    package var rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// A copy was in a document older than the purchase that it tells of; no conflict.
    static let observedBeforePurchase = TransactionMarks(rawValue: 1 << 13)
    /// A copy has an original purchase later than the purchase itself; no conflict.
    static let originalAfterPurchase = TransactionMarks(rawValue: 1 << 14)
    /// A row that is never joined: nothing identifies it, or it is of Xcode or of local testing.
    static let isAlone = TransactionMarks(rawValue: 1 << 15)

    /// All that say that copies differ.
    static let conflicts = TransactionMarks(rawValue: 1 << 13 - 1)

    /// That copies differ in a field; nothing for a field that is no fact of the sale.
    static func conflict(in field: TransactionField) -> TransactionMarks {
        TransactionMarks(rawValue: 1 << UInt16(field.rawValue)).intersection(.conflicts)
    }

    /// The columns in which copies differ.
    var conflictingColumns: [TransactionColumn] {
        TransactionField.facts.filter { contains(.conflict(in: $0.field)) }.map(\.column)
    }
}

/// How far what a document says can be relied on; facts of a higher rank count before those of a lower one.
enum TrustRank: UInt8, Comparable {
    /// Unsigned, or not checked.
    case other
    /// The signature holds, and its signer leads to no root.
    case unanchored
    case trusted
    /// Copies of different ranks; ``FieldRanks`` tells which knew what.
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

/// Copies of which ranks knew each field: three bits a field, one for each rank but ``TrustRank/mixed``.
package struct FieldRanks: Equatable {
    package var rawValue: UInt64 = 0

    /// Of all fields, each rank.
    package static let all: UInt64 = 1 << (3 * UInt64(TransactionField.allCases.count)) - 1

    package var isEmpty: Bool { rawValue == 0 }

    private func bits(_ field: TransactionField) -> UInt64 { rawValue >> (3 * UInt64(field.rawValue)) & 7 }

    mutating func insert(_ rank: TrustRank, of field: TransactionField) {
        rawValue |= 1 << (3 * UInt64(field.rawValue) + UInt64(rank.rawValue))
    }

    mutating func formUnion(_ other: FieldRanks) { rawValue |= other.rawValue }

    /// The highest rank that knows a field, as a number that is 0 where none does.
    func highest(_ field: TransactionField) -> Int { UInt64.bitWidth - bits(field).leadingZeroBitCount }

    /// Whether copies of several ranks know a field.
    func isMixed(_ field: TransactionField) -> Bool { bits(field).nonzeroBitCount > 1 }
}
