import TillColumns
import TillRows

/// Joins the fields of two copies of a transaction, one by one, and notes the conflicts.
///
/// Of two known values that differ the more trusted one counts, else the larger.
struct FieldJoin {
    private let mine: FieldRanks
    private let theirs: FieldRanks
    private(set) var marks: TransactionMarks

    /// - Parameters:
    ///   - mine: which ranks knew the fields of the copy that the other is joined into; none where both are of one rank.
    ///   - marks: those of both copies.
    init(_ mine: FieldRanks, _ theirs: FieldRanks, marks: TransactionMarks) {
        self.mine = mine
        self.theirs = theirs
        self.marks = marks
    }

    /// Notes that a field differs; whether the other copy's value counts.
    private mutating func prefersTheirs(_ field: TransactionField, isLarger: Bool) -> Bool {
        marks.formUnion(.conflict(in: field))
        return choosesTheirs(field, isLarger: isLarger)
    }

    private func choosesTheirs(_ field: TransactionField, isLarger: Bool) -> Bool {
        let ranks = (mine.highest(field), theirs.highest(field))
        return ranks.0 == ranks.1 ? isLarger : ranks.0 < ranks.1
    }

    mutating func number(_ value: inout Int64, _ other: Int64, _ field: TransactionField) {
        let unknown = TransactionEntry.unknown
        guard other != unknown, other != value else { return }
        if value == unknown || prefersTheirs(field, isLarger: other > value) { value = other }
    }

    /// Ids are larger by length, then by text.
    mutating func identifier(
        _ value: inout Int64,
        _ other: Int64,
        _ field: TransactionField,
        in texts: borrowing TextDictionary
    ) {
        let unknown = TransactionEntry.unknown
        guard other != unknown, other != value else { return }
        guard value != unknown else {
            value = other
            return
        }
        let isLarger = Identifier(word: value).precedes(Identifier(word: other), in: texts)
        if prefersTheirs(field, isLarger: isLarger) { value = other }
    }

    mutating func text(
        _ value: inout Int32,
        _ other: Int32,
        _ field: TransactionField,
        in texts: borrowing TextDictionary
    ) {
        guard other >= 0, other != value else { return }
        guard value >= 0 else {
            value = other
            return
        }
        if prefersTheirs(field, isLarger: texts.precedes(Int(value), Int(other))) { value = other }
    }

    mutating func answer(_ value: inout Bool?, _ other: Bool?, _ field: TransactionField) {
        guard let other, other != value else { return }
        if value == nil || prefersTheirs(field, isLarger: other) { value = other }
    }

    /// Joins a date. As long as the dates of all copies lie within the field's tolerance they do not contradict; how far
    /// they lie around the one that counts is kept, since two near ones can each be near to a third that is not.
    mutating func instant(
        _ value: inout Int64,
        _ spread: inout InstantSpread,
        _ other: Int64,
        _ otherSpread: InstantSpread,
        _ field: TransactionField
    ) {
        guard other != TransactionEntry.unknown, other != value || otherSpread != spread else { return }
        guard value != TransactionEntry.unknown else {
            (value, spread) = (other, otherSpread)
            return
        }
        let lowest = min(Int128(value) - Int128(spread.below), Int128(other) - Int128(otherSpread.below))
        let highest = max(Int128(value) + Int128(spread.above), Int128(other) + Int128(otherSpread.above))
        if other != value, choosesTheirs(field, isLarger: other > value) { value = other }
        let mark = TransactionMarks.conflict(in: field)
        if highest - lowest > Int128(field.tolerance) { marks.formUnion(mark) }
        // Once in conflict, how far they differ is of no interest.
        spread =
            marks.contains(mark)
            ? InstantSpread()
            : InstantSpread(below: UInt32(Int128(value) - lowest), above: UInt32(highest - Int128(value)))
    }

    mutating func facet(_ facet: inout TransactionFacet, _ other: TransactionFacet, in texts: borrowing TextDictionary)
    {
        environment(&facet.environment, other.environment, in: texts)
        text(&facet.bundleID, other.bundleID, .bundleID, in: texts)
        text(&facet.productType, other.productType, .productType, in: texts)
        text(&facet.ownership, other.ownership, .ownership, in: texts)
        // The same transaction in a receipt of a later version is no conflict, and no matter of trust.
        let (version, otherVersion) = (facet.appVersion, other.appVersion)
        guard otherVersion >= 0, otherVersion != version else { return }
        if version < 0 || texts.precedes(Int(version), Int(otherVersion)) { facet.appVersion = otherVersion }
    }

    /// Production is the largest environment, then sandbox, Xcode, local testing, and any that Apple may add.
    private mutating func environment(_ value: inout Int32, _ other: Int32, in texts: borrowing TextDictionary) {
        guard other >= 0, other != value else { return }
        guard value >= 0 else {
            value = other
            return
        }
        // The words are numbered in this order, before all other texts.
        let isWord = min(value, other) <= Int32(Word.localTesting.rawValue)
        let isLarger = isWord ? other < value : texts.precedes(Int(value), Int(other))
        if prefersTheirs(.environment, isLarger: isLarger) { value = other }
    }

    mutating func extra(_ extra: inout TransactionExtra, _ other: TransactionExtra, in texts: borrowing TextDictionary)
    {
        text(&extra.storefront, other.storefront, .storefront, in: texts)
        let (price, otherPrice) = (extra.ownPrice, other.ownPrice)
        if otherPrice.isKnown, price != otherPrice,
            !price.isKnown || prefersTheirs(.price, isLarger: price.isSmaller(than: otherPrice, in: texts))
        {
            (extra.price, extra.currency) = (otherPrice.price, otherPrice.currency)
        }
        let (offer, otherOffer) = (extra.offer, other.offer)
        if otherOffer.isKnown, offer != otherOffer,
            !offer.isKnown || prefersTheirs(.offer, isLarger: offer.isSmaller(than: otherOffer, in: texts))
        {
            (extra.offerID, extra.offerType) = (otherOffer.offerID, otherOffer.offerType)
        }
        // What happens to a sale later any document may tell, whatever its trust.
        extra.cancellationDate = max(extra.cancellationDate, other.cancellationDate)
        extra.cancellationSeen = max(extra.cancellationSeen, other.cancellationSeen)
        extra.refundReversed = max(extra.refundReversed, other.refundReversed)
    }
}

/// The price that a transaction carries, and its currency: one value, complete ones first, then by price and currency.
struct OwnPrice: Equatable {
    var price: Int64
    var currency: Int32

    var isKnown: Bool { price != TransactionEntry.unknown || currency >= 0 }
    var isComplete: Bool { price != TransactionEntry.unknown && currency >= 0 }

    func isSmaller(than other: OwnPrice, in texts: borrowing TextDictionary) -> Bool {
        if isComplete != other.isComplete { return other.isComplete }
        if price != other.price { return price < other.price }
        if currency < 0 || other.currency < 0 { return currency < other.currency }
        return texts.precedes(Int(currency), Int(other.currency))
    }
}

/// The offer of a transaction and its type: one value, complete ones first, then by offer and type.
struct Offer: Equatable {
    var offerID: Int32
    var offerType: Int32

    var isKnown: Bool { offerID >= 0 || offerType >= 0 }
    var isComplete: Bool { offerID >= 0 && offerType >= 0 }

    func isSmaller(than other: Offer, in texts: borrowing TextDictionary) -> Bool {
        if isComplete != other.isComplete { return other.isComplete }
        if offerID == other.offerID { return offerType < other.offerType }
        if offerID < 0 || other.offerID < 0 { return offerID < other.offerID }
        return texts.precedes(Int(offerID), Int(other.offerID))
    }
}

extension TransactionExtra {
    var ownPrice: OwnPrice { OwnPrice(price: price, currency: currency) }
    var offer: Offer { Offer(offerID: offerID, offerType: offerType) }
}
