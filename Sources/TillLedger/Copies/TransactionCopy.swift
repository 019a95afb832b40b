import TillColumns
import TillRows

/// One copy of a transaction, or several that were joined, with every field at hand.
///
/// Copies are joined field by field (``join(_:in:)``): known beats not known, a copy of a higher ``TrustRank`` beats one
/// of a lower, and of equals the larger value counts. Where two known values of a fact differ the transaction is marked.
/// Every field is thus a maximum, every mark an OR: joining is commutative, associative and idempotent, and the order
/// in which documents arrive is of no consequence.
package struct TransactionCopy {
    package var identifier = TransactionEntry.unknown
    package var original = TransactionEntry.unknown
    package var webOrder = TransactionEntry.unknown
    package var purchaseDate = TransactionEntry.unknown
    package var expiresDate = TransactionEntry.unknown
    package var originalPurchaseDate = TransactionEntry.unknown
    package var quantity = TransactionEntry.unknown
    /// A code of the ledger's texts; -1 where it is not known.
    package var product: Int32 = -1
    package var answers = TransactionAnswers()
    package var marks: TransactionMarks = []
    package var facet = TransactionFacet()
    /// Its quantity and dates are those above.
    package var extra = TransactionExtra.none
    /// What stands for the account, 0 where none is told.
    package var account: UInt64 = 0

    package init() {}

    /// Whether the copy is never joined with others.
    package var isAlone: Bool { marks.contains(.isAlone) }

    /// Whether it is another transaction of a product that was bought once: its id differs from the original's, and it is of
    /// no subscription.
    var isRestoredProduct: Bool {
        let unknown = TransactionEntry.unknown
        return identifier != unknown && original != unknown && identifier != original && expiresDate == unknown
            && facet.productType != Int32(Word.autoRenewable.rawValue)
    }

    /// Whether copies of lower trust than those that count say something else about a fact.
    var isChangedByLessTrusted: Bool {
        guard answers.rank == .mixed else { return false }
        return TransactionField.facts.contains {
            marks.contains(.conflict(in: $0.field)) && extra.ranks.isMixed($0.field)
        }
    }
}

// MARK: - Joining

extension TransactionCopy {
    /// Joins another copy of the same transaction into this one.
    mutating func join(_ other: TransactionCopy, in texts: borrowing TextDictionary) {
        var other = other
        if answers.rank != other.answers.rank || answers.rank == .mixed {
            tellRanksApart()
            other.tellRanksApart()
        }
        var join = FieldJoin(extra.ranks, other.extra.ranks, marks: marks.union(other.marks))
        join.identifier(&original, other.original, .original, in: texts)
        join.identifier(&webOrder, other.webOrder, .webOrder, in: texts)
        join.instant(
            &purchaseDate,
            &extra.purchaseSpread,
            other.purchaseDate,
            other.extra.purchaseSpread,
            .purchaseDate
        )
        join.instant(&expiresDate, &extra.expiresSpread, other.expiresDate, other.extra.expiresSpread, .expiresDate)
        join.instant(
            &originalPurchaseDate,
            &extra.originalPurchaseSpread,
            other.originalPurchaseDate,
            other.extra.originalPurchaseSpread,
            .originalPurchaseDate
        )
        join.number(&quantity, other.quantity, .quantity)
        join.text(&product, other.product, .product, in: texts)
        join.answer(&answers.isTrial, other.answers.isTrial, .isTrial)
        join.answer(&answers.isIntro, other.answers.isIntro, .isIntro)
        if facet != other.facet { join.facet(&facet, other.facet, in: texts) }
        if extra != other.extra { join.extra(&extra, other.extra, in: texts) }
        if other.answers.isUpgraded == true || answers.isUpgraded == nil {
            answers.isUpgraded = other.answers.isUpgraded
        }
        extra.ranks.formUnion(other.extra.ranks)
        marks = join.marks
        account = max(account, other.account)
    }

    /// Notes for each known field that it is known to copies of one rank, so that it can be joined with other ranks.
    private mutating func tellRanksApart() {
        let rank = answers.rank
        guard rank != .mixed else { return }
        answers.rank = .mixed
        for field in TransactionField.allCases where isKnown(field) { extra.ranks.insert(rank, of: field) }
    }

    private func isKnown(_ field: TransactionField) -> Bool {
        let unknown = TransactionEntry.unknown
        return switch field {
        case .original: original != unknown
        case .webOrder: webOrder != unknown
        case .purchaseDate: purchaseDate != unknown
        case .expiresDate: expiresDate != unknown
        case .originalPurchaseDate: originalPurchaseDate != unknown
        case .product: product >= 0
        case .quantity: quantity != unknown
        case .isTrial: answers.isTrial != nil
        case .isIntro: answers.isIntro != nil
        case .environment: facet.environment >= 0
        case .bundleID: facet.bundleID >= 0
        case .ownership: facet.ownership >= 0
        case .price: extra.ownPrice.isKnown
        case .productType: facet.productType >= 0
        case .storefront: extra.storefront >= 0
        case .offer: extra.offer.isKnown
        }
    }
}
