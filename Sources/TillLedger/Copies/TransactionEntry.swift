import TillColumns

/// What is known of one transaction, joined from all its copies: 56 bytes, since a ledger has millions.
///
/// What nearly every transaction lacks (a refund, a price of its own, an offer) lies aside in ``TransactionExtra``;
/// what is the same for thousands of them is one number for a ``TransactionFacet``.
struct TransactionEntry {
    /// Stands for an instant or id that is not known.
    static let unknown = Int64.min

    var identifier: Int64
    var original = unknown
    var webOrder = unknown
    var purchaseDate = unknown
    var expiresDate = unknown
    /// The code of the product id plus one; 0 where it is not known.
    var product: UInt32 = 0
    var facet: UInt32 = 0
    /// The number of the extra plus one; 0 where there is none.
    var extra: UInt32 = 0
    /// 0…253; 254 where the extra has it, 255 where it is not known.
    var quantity: UInt8 = 255
    var flags: Flags = []
    var marks: TransactionMarks = []

    /// What all transactions of a subscription have in common: the original's id, else that of the only one known.
    var chain: Int64 { original == Self.unknown ? identifier : original }

    /// Whether copies differ in something that both know.
    var hasConflict: Bool { !marks.isDisjoint(with: .conflicts) || flags.isContradictory }

    /// A fact of three states takes two bits, one for each answer; a row that does not tell sets neither.
    struct Flags: OptionSet {
        var rawValue: UInt8
        static let isTrial = Flags(rawValue: 1)
        static let isIntro = Flags(rawValue: 2)
        static let isUpgraded = Flags(rawValue: 4)
        static let isNotTrial = Flags(rawValue: 1 << 3)
        static let isNotIntro = Flags(rawValue: 2 << 3)
        static let isNotUpgraded = Flags(rawValue: 4 << 3)
        /// A copy has an original purchase later than the purchase itself.
        static let originalAfterPurchase = Flags(rawValue: 64)
        /// A row that is never joined: its id is missing or 0, or it is of Xcode or of local testing.
        static let isAlone = Flags(rawValue: 128)

        /// The answer of a cell to the fact whose positive flag is `self`.
        func answer(_ cell: Int64?) -> Flags {
            switch cell {
            case 1: self
            case 0: Flags(rawValue: rawValue << 3)
            default: []
            }
        }

        /// Whether some fact is both affirmed and denied.
        var isContradictory: Bool { rawValue & 0b111 & rawValue >> 3 != 0 }
    }
}

/// What is told of many transactions at once; texts are codes of the ledger's dictionary, -1 where not known.
struct TransactionFacet: Hashable {
    var environment: Int32 = -1
    var bundleID: Int32 = -1
    var productType: Int32 = -1
    var ownership: Int32 = -1
    /// Only where a report asks for it: there are many, and each makes facets of its own.
    var appVersion: Int32 = -1
}

/// What few transactions have.
struct TransactionExtra {
    var quantity: Int64?
    var cancellationDate: Int64?
    /// The newest document that shows the cancellation.
    var cancellationSeen: Int64?
    var refundReversed: Int64?
    /// Thousandths of the unit, for the whole quantity.
    var price: Int64?
    var currency: Int32 = -1
    var storefront: Int32 = -1
    var offerID: Int32 = -1

    /// A refund that was reversed is none, if the reversal was signed after the newest document that shows the refund.
    var effectiveCancellation: Int64? {
        guard let cancellationDate else { return nil }
        guard let refundReversed, refundReversed > cancellationSeen ?? .min else { return cancellationDate }
        return nil
    }
}
