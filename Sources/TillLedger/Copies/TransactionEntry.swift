import TillColumns

/// The joined copies of one transaction: 56 bytes, since a ledger has millions.
///
/// What nearly every transaction lacks (a refund, a price of its own, an offer) lies in a ``TransactionExtra``;
/// what is the same for thousands of them is one number for a ``TransactionFacet``. ``TransactionCopy`` is the same
/// unpacked.
package struct TransactionEntry: BitwiseCopyable {
    /// Stands for an instant, id or number that is not known.
    package static let unknown = Int64.min

    package var identifier: Int64
    package var original = unknown
    var webOrder = unknown
    var instants = PackedInstants()
    /// The code of the product id plus one; 0 where it is not known.
    package var product: UInt32 = 0
    package var facet: UInt32 = 0
    /// The number of the extra plus one; 0 where there is none.
    var extra: UInt32 = 0
    /// 0…253; 254 where the extra has it, 255 where it is not known.
    var quantity: UInt8 = 255
    var answers = TransactionAnswers()
    var marks: TransactionMarks = []

    /// What all transactions of a subscription have in common: the original's id, else that of the only one known.
    package var chain: Int64 { original == Self.unknown ? identifier : original }

    /// Whether copies differ in a fact of the sale that both know.
    var hasConflict: Bool { !marks.isDisjoint(with: .conflicts) }

    /// Whether the row is one that is never joined with others.
    package var isAlone: Bool { marks.contains(.isAlone) }
}

/// Three questions that a copy answers with yes, no, or not at all, and how far its document is trusted: 8 bits.
///
///     rank 2 │ isUpgraded 2 │ isIntro 2 │ isTrial 2        0 not known, 1 no, 2 yes
package struct TransactionAnswers: Equatable, BitwiseCopyable {
    package private(set) var rawValue: UInt8 = 0

    init() {}

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    var isTrial: Bool? {
        get { answer(at: 0) }
        set { set(newValue, at: 0) }
    }

    var isIntro: Bool? {
        get { answer(at: 2) }
        set { set(newValue, at: 2) }
    }

    var isUpgraded: Bool? {
        get { answer(at: 4) }
        set { set(newValue, at: 4) }
    }

    /// The trust of all copies; ``TrustRank/mixed`` where they differ in it.
    var rank: TrustRank {
        get { TrustRank(rawValue: rawValue >> 6) ?? .mixed }
        set { rawValue = rawValue & 0x3F | newValue.rawValue << 6 }
    }

    private func answer(at bit: UInt8) -> Bool? {
        switch rawValue >> bit & 3 {
        case 0: nil
        case 1: false
        default: true
        }
    }

    private mutating func set(_ answer: Bool?, at bit: UInt8) {
        let code: UInt8 = answer.map { $0 ? 2 : 1 } ?? 0
        rawValue = rawValue & ~(3 << bit) | code << bit
    }
}

/// The dates of a transaction in 16 bytes.
///
/// Each takes 42 bits: milliseconds since 1970 plus one, up to the year 2109. 0 is a date that is not known; all ones
/// is one outside of that time, which lies in the ``TransactionExtra``.
///
///     low    original purchase, low 22 bits │ purchase 42
///     high   original purchase, high 20 bits │ expiry 42
struct PackedInstants: Equatable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    private static let mask: UInt64 = 1 << 42 - 1
    /// Given for a date that the extra has. No date of a document is that instant, 292 million years ago.
    static let elsewhere = TransactionEntry.unknown + 1

    /// Whether a known date fits 42 bits.
    static func fits(_ milliseconds: Int64) -> Bool { milliseconds >= 0 && milliseconds < Int64(mask) - 1 }

    private static func code(_ milliseconds: Int64) -> UInt64 {
        if milliseconds == TransactionEntry.unknown { return 0 }
        return fits(milliseconds) ? UInt64(milliseconds) + 1 : mask
    }

    private static func milliseconds(_ code: UInt64) -> Int64 {
        switch code {
        case 0: TransactionEntry.unknown
        case mask: elsewhere
        default: Int64(code - 1)
        }
    }

    init() {}

    init(purchase: Int64, expires: Int64, originalPurchase: Int64) {
        let original = Self.code(originalPurchase)
        low = Self.code(purchase) | original << 42
        high = Self.code(expires) | (original >> 22) << 42
    }

    var knowsExpiry: Bool { high & Self.mask != 0 }
    var purchase: Int64 { Self.milliseconds(low & Self.mask) }
    var expires: Int64 { Self.milliseconds(high & Self.mask) }
    package var originalPurchase: Int64 { Self.milliseconds(low >> 42 | (high >> 42) << 22) }
}

/// What is told of many transactions at once; texts are codes of the ledger's dictionary, -1 where not known.
package struct TransactionFacet: Hashable {
    package var environment: Int32 = -1
    package var bundleID: Int32 = -1
    package var productType: Int32 = -1
    package var ownership: Int32 = -1
    /// Only where a report asks for it: there are many, and each makes facets of its own.
    package var appVersion: Int32 = -1

    package init() {}
}

/// What few transactions have. Numbers that are not known are ``TransactionEntry/unknown``, texts and codes -1.
package struct TransactionExtra: Equatable {
    package var cancellationDate = TransactionEntry.unknown
    /// When the newest document was made that shows the cancellation.
    package var cancellationSeen = TransactionEntry.unknown
    package var refundReversed = TransactionEntry.unknown
    /// Thousandths of the unit, for the whole quantity.
    package var price = TransactionEntry.unknown
    package var currency: Int32 = -1
    package var storefront: Int32 = -1
    package var offerID: Int32 = -1
    package var offerType: Int32 = -1
    /// Only of a quantity that its byte of the entry does not hold.
    var quantity = TransactionEntry.unknown
    /// Only of dates that 42 bits do not hold.
    var purchaseDate = TransactionEntry.unknown
    var expiresDate = TransactionEntry.unknown
    package var originalPurchaseDate = TransactionEntry.unknown
    /// Where copies differ in trust, which of them knew each field.
    package var ranks = FieldRanks()
    /// How far copies differ in dates without being in conflict.
    package var purchaseSpread = InstantSpread()
    package var expiresSpread = InstantSpread()
    package var originalPurchaseSpread = InstantSpread()

    package static let none = TransactionExtra()
}

/// How far the dates of copies lie below and above the one that counts, in milliseconds: at most a day, for dates
/// further apart are a conflict.
package struct InstantSpread: Equatable {
    package var below: UInt32 = 0
    package var above: UInt32 = 0

    package var isEmpty: Bool { below == 0 && above == 0 }
}
