import TillColumns
import TillCore
import TillRows

/// Joins the attributes of two duplicates of a transaction, one by one, and notes the conflicts.
///
/// Of two different known values the more trusted one counts, else the larger one.
struct ValueJoin {
    private let mine: FieldRanks
    private let theirs: FieldRanks
    private(set) var marks: TransactionMarks

    /// - Parameters:
    ///   - mine: the ranks that know the fields of the first duplicate; empty if both have one rank.
    ///   - marks: those of both duplicates.
    init(_ mine: FieldRanks, _ theirs: FieldRanks, marks: TransactionMarks) {
        self.mine = mine
        self.theirs = theirs
        self.marks = marks
    }

    /// Notes that a field differs. Returns whether the other duplicate's value counts.
    private mutating func prefersTheirs(_ field: TransactionField, isLarger: Bool) -> Bool {
        marks.formUnion(.conflict(in: field))
        return choosesTheirs(field, isLarger: isLarger)
    }

    private func choosesTheirs(_ field: TransactionField, isLarger: Bool) -> Bool {
        let ranks = (mine.highest(field), theirs.highest(field))
        return ranks.0 == ranks.1 ? isLarger : ranks.0 < ranks.1
    }

    mutating func answer(_ value: inout Bool?, _ other: Bool?, _ field: TransactionField) {
        guard let other, other != value else { return }
        if value == nil || prefersTheirs(field, isLarger: other) { value = other }
    }

    /// Joins all numbers but those that are one value with another attribute.
    mutating func numbers(
        _ values: inout TransactionValues,
        _ other: TransactionValues,
        in texts: borrowing TextDictionary
    ) {
        let unknown = TransactionEntry.unknown
        for attribute in NumberAttribute.allCases {
            let (mine, theirs) = (values[attribute], other[attribute])
            let definition = attribute.definition
            if case .near(let field) = definition.join { instant(&values, other, attribute, field) }
            guard theirs != unknown, theirs != mine else { continue }
            // Ids are larger by length, then by text.
            func isLarger() -> Bool {
                definition.encoding.isIdentifier
                    ? Identifier(word: mine).precedes(Identifier(word: theirs), in: texts) : theirs > mine
            }
            switch definition.join {
            case .ranked(let field):
                if mine == unknown || prefersTheirs(field, isLarger: isLarger()) { values[attribute] = theirs }
            case .largest: values[attribute] = max(mine, theirs)
            case .never, .near, .paired, .cancellation: break
            }
        }
    }

    /// Joins a date. As long as the dates of all duplicates are within the attribute's tolerance, they do not
    /// contradict each other. Their range around the date that counts is kept, because two dates can both be near to a
    /// third one and not near to each other.
    private mutating func instant(
        _ values: inout TransactionValues,
        _ other: TransactionValues,
        _ attribute: NumberAttribute,
        _ field: TransactionField
    ) {
        let (value, otherValue) = (values[attribute], other[attribute])
        let (spread, otherSpread) = (values.rare[spreadOf: attribute], other.rare[spreadOf: attribute])
        guard otherValue != TransactionEntry.unknown, otherValue != value || otherSpread != spread else { return }
        guard value != TransactionEntry.unknown else {
            (values[attribute], values.rare[spreadOf: attribute]) = (otherValue, otherSpread)
            return
        }
        let lowest = min(Int128(value) - Int128(spread.below), Int128(otherValue) - Int128(otherSpread.below))
        let highest = max(Int128(value) + Int128(spread.above), Int128(otherValue) + Int128(otherSpread.above))
        if otherValue != value, choosesTheirs(field, isLarger: otherValue > value) { values[attribute] = otherValue }
        let mark = TransactionMarks.conflict(in: field)
        if highest - lowest > Int128(attribute.tolerance) { marks.formUnion(mark) }
        let chosen = Int128(values[attribute])
        // After a conflict, the range is not needed.
        values.rare[spreadOf: attribute] =
            marks.contains(mark)
            ? InstantSpread() : InstantSpread(below: UInt32(chosen - lowest), above: UInt32(highest - chosen))
    }

    /// Joins all codes but those that are one value with another attribute.
    mutating func codes(
        _ values: inout TransactionValues,
        _ other: TransactionValues,
        in texts: borrowing TextDictionary
    ) {
        for attribute in CodeAttribute.allCases {
            let (mine, theirs) = (values[attribute], other[attribute])
            guard theirs >= 0, theirs != mine else { continue }
            func isLarger() -> Bool {
                attribute == .environment
                    ? Self.isLargerEnvironment(theirs, than: mine, in: texts) : texts.precedes(Int(mine), Int(theirs))
            }
            switch attribute.definition.join {
            case .ranked(let field):
                if mine < 0 || prefersTheirs(field, isLarger: isLarger()) { values[attribute] = theirs }
            case .largest:
                if mine < 0 || isLarger() { values[attribute] = theirs }
            case .never, .near, .paired, .cancellation: break
            }
        }
    }

    /// Production is the largest environment, then sandbox, Xcode, local testing, and any that Apple may add.
    private static func isLargerEnvironment(
        _ code: Int32,
        than other: Int32,
        in texts: borrowing TextDictionary
    ) -> Bool {
        // The words are numbered in this order, before all other texts.
        let isWord = min(code, other) <= Int32(Word.localTesting.rawValue)
        return isWord ? code < other : texts.precedes(Int(other), Int(code))
    }

    /// Joins attributes that are one value with each other.
    mutating func pairs(
        _ values: inout TransactionValues,
        _ other: TransactionValues,
        in texts: borrowing TextDictionary
    ) {
        let (price, otherPrice) = (values.rare.ownPrice, other.rare.ownPrice)
        if otherPrice.isKnown, price != otherPrice,
            !price.isKnown || prefersTheirs(.price, isLarger: price.isSmaller(than: otherPrice, in: texts))
        {
            (values[.price], values[.currency]) = (otherPrice.price, otherPrice.currency)
        }
        let (offer, otherOffer) = (values.rare.offer, other.rare.offer)
        if otherOffer.isKnown, offer != otherOffer,
            !offer.isKnown || prefersTheirs(.offer, isLarger: offer.isSmaller(than: otherOffer, in: texts))
        {
            (values[.offerID], values[.offerType]) = (otherOffer.offerID, otherOffer.offerType)
        }
        let (cancellation, otherCancellation) = (values.rare.cancellation, other.rare.cancellation)
        if cancellation.contradicts(otherCancellation) { values.rare.ranks.noteDifferentCancellations() }
        values.rare.cancellation = max(cancellation, otherCancellation)
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

/// A cancellation, its reason and the share of the price that was refunded: one value, complete ones first, then by
/// date, reason and percentage, each with unknown before known.
struct Cancellation: Equatable, Comparable {
    /// In milliseconds.
    var date = TransactionEntry.unknown
    /// Apple's code, -1 where it is not known.
    var reason: Int32 = -1
    /// In thousandths of a percent, up to 100,000; -1 where it is not known.
    var percentage: Int32 = -1

    static let none = Cancellation()

    var isComplete: Bool { date != TransactionEntry.unknown && reason >= 0 && percentage >= 0 }

    /// Whether both have different dates, or both are complete and differ. Receipts have whole seconds, other documents
    /// milliseconds.
    ///
    /// For an incomplete value, only the date is compared: other parts may be missing in the value that counts, and
    /// then a difference would depend on the order of duplicates.
    func contradicts(_ other: Self) -> Bool {
        let unknown = TransactionEntry.unknown
        guard date != unknown, other.date != unknown else { return false }
        if date.dividedFloor(by: 1000) != other.date.dividedFloor(by: 1000) { return true }
        return isComplete && other.isComplete && (reason, percentage) != (other.reason, other.percentage)
    }

    static func < (left: Self, right: Self) -> Bool {
        if left.isComplete != right.isComplete { return right.isComplete }
        return (left.date, left.reason, left.percentage) < (right.date, right.reason, right.percentage)
    }
}

extension RareValues {
    var ownPrice: OwnPrice { OwnPrice(price: self[.price], currency: self[.currency]) }
    var offer: Offer { Offer(offerID: self[.offerID], offerType: self[.offerType]) }
    var cancellation: Cancellation {
        get {
            Cancellation(
                date: self[.cancellationDate],
                reason: self[.cancellationReason],
                percentage: self[.refundPercentage]
            )
        }
        set {
            self[.cancellationDate] = newValue.date
            self[.cancellationReason] = newValue.reason
            self[.refundPercentage] = newValue.percentage
        }
    }
}
