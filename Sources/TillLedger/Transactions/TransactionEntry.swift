import TillColumns

/// The joined duplicates of one transaction: 56 bytes, because a ledger has millions of them.
///
/// Attributes that few transactions have (a refund, an own price, an offer) are in ``RareValues``; attributes that are
/// equal in thousands of transactions are one number, that of the ``SharedValues``. ``TransactionValues`` is the same
/// unpacked.
package struct TransactionEntry: BitwiseCopyable {
    /// Stands for an unknown instant, id or number.
    package static let unknown = Int64.min

    package var identifier: Int64
    package var original = unknown
    var webOrder = unknown
    var instants = PackedInstants()
    /// The code of the product id plus one; 0 if it is unknown.
    package var product: UInt32 = 0
    /// The number of the shared values.
    package var shared: UInt32 = 0
    /// The number of the rare values plus one; 0 if there are none.
    var rare: UInt32 = 0
    /// 0…253; 254 if the rare values have it, 255 if it is unknown.
    private(set) var quantity = unknownQuantity
    var answers = TransactionAnswers()
    var marks: TransactionMarks = []

    /// The chain of a transaction: the original id, else its own id.
    package var chain: Int64 { original == Self.unknown ? identifier : original }

    /// Whether something identifies the transaction: see ``isNamed(by:_:_:)``.
    var isNamed: Bool { Self.isNamed(by: identifier, original, webOrder) }

    /// Whether a transaction has an id, or an original id and a line item instead.
    @inline(__always)
    static func isNamed(by identifier: Int64, _ original: Int64, _ webOrder: Int64) -> Bool {
        identifier != unknown || original != unknown && webOrder != unknown
    }

    /// Whether its id and its original id are known, and differ.
    var hasOtherOriginal: Bool {
        identifier != Self.unknown && original != Self.unknown && identifier != original
    }

    /// Whether one of its ids is a text, not a number.
    var hasTextIdentifier: Bool {
        func isText(_ word: Int64) -> Bool { word < 0 && word != Self.unknown }
        return isText(identifier) || isText(original) || isText(webOrder)
    }

    /// Whether duplicates differ in a fact of the sale that both know.
    var hasConflict: Bool { marks.hasConflict }

    /// Whether the row is one that is never joined with others.
    package var isAlone: Bool { marks.contains(.isAlone) }

    /// Packs numbers. Those that do not fit must also be in the rare values (``WideNumbers/fitEntry``).
    mutating func pack(_ numbers: WideNumbers) {
        instants = PackedInstants(numbers)
        quantity = Self.packed(numbers.quantity)
    }

    fileprivate static let wideQuantity: UInt8 = 254
    private static let unknownQuantity: UInt8 = 255

    fileprivate static func packed(_ quantity: Int64) -> UInt8 {
        if quantity == unknown { return unknownQuantity }
        return (0..<Int64(wideQuantity)).contains(quantity) ? UInt8(quantity) : wideQuantity
    }

    /// The number of units, if it is known.
    ///
    /// - Parameter wide: gives the numbers of the rare values; called if the quantity is there.
    func quantity(elsewhere wide: @autoclosure () -> WideNumbers) -> Int64? {
        switch quantity {
        case Self.unknownQuantity: nil
        case Self.wideQuantity: wide().quantity
        default: Int64(quantity)
        }
    }
}

/// The numbers of a transaction that its entry has in packed form. If one of them does not fit, all of them are in the
/// rare values.
struct WideNumbers: Equatable, BitwiseCopyable {
    var quantity = TransactionEntry.unknown
    // In milliseconds:
    var purchaseDate = TransactionEntry.unknown
    var expiresDate = TransactionEntry.unknown
    var originalPurchaseDate = TransactionEntry.unknown

    /// Whether each number is unknown or fits an entry.
    var fitEntry: Bool {
        func fits(_ date: Int64) -> Bool { date == TransactionEntry.unknown || PackedInstants.fits(date) }
        return TransactionEntry.packed(quantity) != TransactionEntry.wideQuantity && fits(purchaseDate)
            && fits(expiresDate) && fits(originalPurchaseDate)
    }
}

/// Three flags of a row, each yes, no or unknown, and the trust of its document: 8 bits.
///
///     rank 2 │ isUpgraded 2 │ isIntro 2 │ isTrial 2        0 not known, 1 no, 2 yes
package struct TransactionAnswers: Equatable, BitwiseCopyable {
    package private(set) var rawValue: UInt8 = 0

    init() {}

    init(isTrial: Bool?, isIntro: Bool?, isUpgraded: Bool?, rank: TrustRank) {
        rawValue = Self.code(isTrial) | Self.code(isIntro) << 2 | Self.code(isUpgraded) << 4 | rank.rawValue << 6
    }

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

    /// The trust of all duplicates; ``TrustRank/mixed`` if they differ in it.
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
        rawValue = rawValue & ~(3 << bit) | Self.code(answer) << bit
    }

    private static func code(_ answer: Bool?) -> UInt8 { answer.map { $0 ? 2 : 1 } ?? 0 }
}

/// The dates of a transaction in 16 bytes.
///
/// Each takes 42 bits: milliseconds since 1970 plus one, up to the year 2109. 0 is a date that is not known; all ones
/// is one outside of that time, which is in ``RareValues``.
///
///     low    original purchase, low 22 bits │ purchase 42
///     high   original purchase, high 20 bits │ expiry 42
struct PackedInstants: Equatable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    private static let mask: UInt64 = 1 << 42 - 1
    /// Whether a known date fits 42 bits.
    static func fits(_ milliseconds: Int64) -> Bool { milliseconds >= 0 && milliseconds < Int64(mask) - 1 }

    private static func code(_ milliseconds: Int64) -> UInt64 {
        if milliseconds == TransactionEntry.unknown { return 0 }
        return fits(milliseconds) ? UInt64(milliseconds) + 1 : mask
    }

    /// - Parameter wide: gives the date of the rare values; called if it is there.
    private static func milliseconds(_ code: UInt64, elsewhere wide: () -> Int64) -> Int64 {
        switch code {
        case 0: TransactionEntry.unknown
        case mask: wide()
        default: Int64(code - 1)
        }
    }

    init() {}

    init(_ numbers: WideNumbers) {
        let original = Self.code(numbers.originalPurchaseDate)
        low = Self.code(numbers.purchaseDate) | original << 42
        high = Self.code(numbers.expiresDate) | (original >> 22) << 42
    }

    var knowsExpiry: Bool { high & Self.mask != 0 }

    // Each in milliseconds, ``TransactionEntry/unknown`` if it is not known; `wide` gives the numbers of the rare
    // values, where it may be instead:

    func purchase(elsewhere wide: @autoclosure () -> WideNumbers) -> Int64 {
        Self.milliseconds(low & Self.mask) { wide().purchaseDate }
    }

    func expires(elsewhere wide: @autoclosure () -> WideNumbers) -> Int64 {
        Self.milliseconds(high & Self.mask) { wide().expiresDate }
    }

    func originalPurchase(elsewhere wide: @autoclosure () -> WideNumbers) -> Int64 {
        Self.milliseconds(low >> 42 | (high >> 42) << 22) { wide().originalPurchaseDate }
    }
}
