import TillColumns
import TillCore
import TillRows

/// Joins the attributes of two duplicates of a transaction, one by one, and notes the conflicts.
///
/// Of two different known values the larger one counts; between duplicates of different trust the first one counts,
/// which is the more trusted.
struct ValueJoin {
    private let isRanked: Bool
    private(set) var marks: TransactionMarks
    /// Whether the less trusted duplicate has another value of a fact than the one that counts.
    private(set) var isChanged = false

    /// - Parameter isRanked: whether the first duplicate is more trusted than the other.
    init(_ values: TransactionValues, _ other: TransactionValues, isRanked: Bool) {
        self.isRanked = isRanked
        marks = values.marks.union(other.marks)
        guard isRanked, other.marks.hasConflict else { return }
        isChanged = TransactionField.facts.indices.contains { index in
            let field = TransactionField.facts[index].field
            return other.marks.contains(.conflict(in: field)) && values.knows(field)
        }
    }

    /// Notes that a field differs.
    private mutating func noteDifference(in field: TransactionField) {
        let mark = TransactionMarks.conflict(in: field)
        marks.formUnion(mark)
        if isRanked, !mark.isEmpty { isChanged = true }
    }

    /// Notes that a field differs. Returns whether the other duplicate's value counts.
    private mutating func prefersTheirs(_ field: TransactionField, isLarger: Bool) -> Bool {
        noteDifference(in: field)
        return !isRanked && isLarger
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
        let firstExpiry =
            isRanked && values[.expiresDate] != unknown
            ? values.firstExpiry : earlier(values.firstExpiry, other.firstExpiry)
        defer { values[.firstExpiry] = firstExpiry == values[.expiresDate] ? unknown : firstExpiry }
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
            case .never, .near, .paired, .derived: break
            }
        }
    }

    private func earlier(_ date: Int64, _ other: Int64) -> Int64 {
        if date == TransactionEntry.unknown || other == TransactionEntry.unknown { return max(date, other) }
        return min(date, other)
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
        if !isRanked { values[attribute] = max(value, otherValue) }
        let mark = TransactionMarks.conflict(in: field)
        if highest - lowest > Int128(attribute.tolerance) { marks.formUnion(mark) }
        let chosen = Int128(values[attribute])
        let distance = max(
            Int128(otherValue) + Int128(otherSpread.above) - chosen,
            chosen - Int128(otherValue) + Int128(otherSpread.below)
        )
        if isRanked, distance > Int128(attribute.tolerance) { isChanged = true }
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
                // Environments are numbered from the largest on (``Word``).
                attribute == .environment ? theirs < mine : texts.precedes(Int(mine), Int(theirs))
            }
            switch attribute.definition.join {
            case .ranked(let field):
                if mine < 0 || prefersTheirs(field, isLarger: isLarger()) { values[attribute] = theirs }
            case .largest:
                if mine < 0 || isLarger() { values[attribute] = theirs }
            case .never, .near, .paired, .derived: break
            }
        }
    }

    /// Joins attributes that are one value with each other.
    mutating func pairs(
        _ values: inout TransactionValues,
        _ other: TransactionValues,
        in texts: borrowing TextDictionary
    ) {
        joinPrices(&values, other, in: texts)
        let (offer, otherOffer) = (values.rare.offer, other.rare.offer)
        if otherOffer.isKnown, offer != otherOffer,
            !offer.isKnown || prefersTheirs(.offer, isLarger: offer.isSmaller(than: otherOffer, in: texts))
        {
            (values[.offerID], values[.offerType]) = (otherOffer.offerID, otherOffer.offerType)
        }
    }

    /// Joins prices. A part that one duplicate lacks does not contradict the other.
    private mutating func joinPrices(
        _ values: inout TransactionValues,
        _ other: TransactionValues,
        in texts: borrowing TextDictionary
    ) {
        let (price, otherPrice) = (values.rare.ownPrice, other.rare.ownPrice)
        guard otherPrice.isKnown, price != otherPrice else { return }
        guard price.isKnown else {
            values.rare.ownPrice = otherPrice
            return
        }
        guard !isRanked else { return }
        if price.contradicts(otherPrice) { noteDifference(in: .price) }
        var chosen = price.isSmaller(than: otherPrice, in: texts) ? otherPrice : price
        let isLoose = chosen.currency < 0 && !marks.contains(.conflict(in: .price))
        chosen.looseCurrency = isLoose ? max(price.anyCurrency, otherPrice.anyCurrency) : -1
        values.rare.ownPrice = chosen
    }
}

/// The price that a transaction carries, and its currency: one value, complete ones first, then by price and currency.
struct OwnPrice: Equatable {
    var price: Int64
    var currency: Int32
    /// ``CodeAttribute/looseCurrency``
    var looseCurrency: Int32

    /// The currency that some duplicate has; several are a conflict.
    var anyCurrency: Int32 { max(currency, looseCurrency) }

    /// Whether a part that both have differs.
    func contradicts(_ other: OwnPrice) -> Bool {
        let unknown = TransactionEntry.unknown
        return price != unknown && other.price != unknown && price != other.price
            || anyCurrency >= 0 && other.anyCurrency >= 0 && anyCurrency != other.anyCurrency
    }

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

extension RareValues {
    var ownPrice: OwnPrice {
        get { OwnPrice(price: self[.price], currency: self[.currency], looseCurrency: self[.looseCurrency]) }
        set {
            (self[.price], self[.currency], self[.looseCurrency]) = (
                newValue.price, newValue.currency, newValue.looseCurrency
            )
        }
    }
    var offer: Offer { Offer(offerID: self[.offerID], offerType: self[.offerType]) }
}
