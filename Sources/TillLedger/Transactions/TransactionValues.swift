import TillColumns
import TillRows

/// The attributes of one row, or of several joined duplicates, unpacked.
///
/// Duplicates of equal trust are joined attribute by attribute (``join(_:isRanked:in:)``): a known value counts before an
/// unknown one, and the larger value before a smaller one. If two known values of a fact differ, the transaction is
/// marked. So every value is a maximum or a minimum and every mark an OR: joining is commutative, associative and
/// idempotent, and the order of documents does not matter. The joined duplicates of each ``TrustRank`` are kept; a
/// higher rank counts before a lower one (``init(ranked:in:)``).
package struct TransactionValues {
    /// The numbers of the entry.
    private var numbers = EntryNumbers(repeating: TransactionEntry.unknown)
    /// A code of the ledger's texts; -1 if it is unknown.
    private var product: Int32 = -1
    package var answers = TransactionAnswers()
    package var marks: TransactionMarks = []
    package var shared = SharedValues()
    /// Without ``RareValues/wide``, whose numbers are in ``numbers`` here.
    package var rare = RareValues.none
    /// The fingerprint of the account of the seller; 0 if none is known.
    package var account: UInt64 = 0
    /// The time of the newest document in milliseconds, where the table keeps it.
    package var observed = TransactionEntry.unknown

    package init() {}

    /// A number; ``TransactionEntry/unknown`` if it is not known.
    package subscript(_ attribute: NumberAttribute) -> Int64 {
        @inline(__always) get {
            attribute.rawValue < NumberAttribute.firstRare ? numbers[attribute.rawValue] : rare[attribute]
        }
        @inline(__always) set {
            if attribute.rawValue < NumberAttribute.firstRare {
                numbers[attribute.rawValue] = newValue
            } else {
                rare[attribute] = newValue
            }
        }
    }

    /// A code; -1 if it is unknown.
    package subscript(_ attribute: CodeAttribute) -> Int32 {
        @inline(__always) get {
            if attribute == .product { return product }
            return attribute.rawValue < CodeAttribute.firstRare ? shared[attribute] : rare[attribute]
        }
        @inline(__always) set {
            if attribute == .product {
                product = newValue
            } else if attribute.rawValue < CodeAttribute.firstRare {
                shared[attribute] = newValue
            } else {
                rare[attribute] = newValue
            }
        }
    }

    /// Whether the row is never joined with other rows.
    package var isAlone: Bool { marks.contains(.isAlone) }

    /// Whether they are joined from duplicates of several ranks.
    package var hasSeveralRanks: Bool { answers.rank == .mixed }

    /// Whether it has an id, or an original id and a line item instead.
    package var isNamed: Bool { TransactionEntry.isNamed(by: self[.identifier], self[.original], self[.webOrder]) }

    /// The smallest expiry of the duplicates.
    var firstExpiry: Int64 {
        let first = self[.firstExpiry]
        return first == TransactionEntry.unknown ? self[.expiresDate] : first
    }

    /// Whether some duplicate has a value of a field.
    func knows(_ field: TransactionField) -> Bool {
        switch field {
        case .isTrial: return answers.isTrial != nil
        case .isIntro: return answers.isIntro != nil
        default:
            return NumberAttribute.allCases.contains {
                $0.definition.join.field == field && self[$0] != TransactionEntry.unknown
            } || CodeAttribute.allCases.contains { $0.definition.join.field == field && self[$0] >= 0 }
        }
    }

    /// The same with the texts of another dictionary.
    package func translated(_ translation: TextTranslation) -> TransactionValues {
        var translated = self
        for attribute in NumberAttribute.identifiers {
            translated[attribute] = translation.identifier(self[attribute])
        }
        for attribute in CodeAttribute.texts { translated[attribute] = translation.text(self[attribute]) }
        return translated
    }
}

// MARK: - Packing

extension TransactionValues {
    /// Unpacks an entry.
    ///
    /// - Parameters:
    ///   - shared: the shared values that the entry names.
    ///   - rare: its rare values; ``RareValues/none`` if it has none.
    init(_ entry: TransactionEntry, _ shared: SharedValues, _ rare: RareValues, account: UInt64) {
        self[.identifier] = entry.identifier
        self[.original] = entry.original
        self[.webOrder] = entry.webOrder
        self[.purchaseDate] = entry.instants.purchase(elsewhere: rare.wide)
        self[.expiresDate] = entry.instants.expires(elsewhere: rare.wide)
        self[.originalPurchaseDate] = entry.instants.originalPurchase(elsewhere: rare.wide)
        self[.quantity] = entry.quantity(elsewhere: rare.wide) ?? TransactionEntry.unknown
        product = Int32(entry.product) - 1
        answers = entry.answers
        marks = entry.marks
        self.shared = shared
        self.rare = rare
        self.rare.wide = WideNumbers()
        self.account = account
    }

    /// The entry of the values, without the numbers of shared and rare values; and the rare values, perhaps none.
    func packed() -> (entry: TransactionEntry, rare: RareValues) {
        var entry = TransactionEntry(identifier: self[.identifier])
        entry.original = self[.original]
        entry.webOrder = self[.webOrder]
        let numbers = WideNumbers(
            quantity: self[.quantity],
            purchaseDate: self[.purchaseDate],
            expiresDate: self[.expiresDate],
            originalPurchaseDate: self[.originalPurchaseDate]
        )
        entry.pack(numbers)
        entry.product = UInt32(product + 1)
        entry.answers = answers
        entry.marks = marks
        var rare = rare
        if !numbers.fitEntry { rare.wide = numbers }
        return (entry, rare)
    }
}

// MARK: - Joining

extension TransactionValues {
    /// Joins another duplicate of the same transaction into this one.
    ///
    /// - Parameter isRanked: whether this one is more trusted than the other, whose cancellation is not joined then.
    mutating func join(_ other: TransactionValues, isRanked: Bool = false, in texts: borrowing TextDictionary) {
        var join = ValueJoin(self, other, isRanked: isRanked)
        join.numbers(&self, other, in: texts)
        join.codes(&self, other, in: texts)
        join.pairs(&self, other, in: texts)
        join.answer(&answers.isTrial, other.answers.isTrial, .isTrial)
        join.answer(&answers.isIntro, other.answers.isIntro, .isIntro)
        marks = join.marks
        account = max(account, other.account)
        if isRanked {
            if join.isChanged { rare.changes.insert(.facts) }
            return
        }
        rare.cancellation.join(other.rare.cancellation)
        if other.answers.isUpgraded == true || answers.isUpgraded == nil {
            answers.isUpgraded = other.answers.isUpgraded
        }
    }

    /// What counts of the duplicates of several ranks, the highest rank first.
    ///
    /// The first rank that shows a cancellation decides it, and the upgrade that explains it.
    init(ranked copies: [TransactionValues], in texts: borrowing TextDictionary) {
        self = copies[0]
        for copy in copies.dropFirst() { join(copy, isRanked: true, in: texts) }
        answers.rank = .mixed
        comparePrices(of: copies)
        rare.cancellation = copies.first { !$0.rare.cancellation.isEmpty }?.rare.cancellation ?? .none
        let upgrade = copies.first { $0.cancelsService } ?? copies.first { $0.answers.isUpgraded != nil }
        answers.isUpgraded = upgrade?.answers.isUpgraded
        let (counted, isUpgraded) = (rare.cancellation, answers.isUpgraded == true)
        let isOther = copies.contains { copy in
            let cancellation = copy.rare.cancellation
            return !cancellation.isEmpty
                && copy.answers.rank != copies.first { !$0.rare.cancellation.isEmpty }?.answers.rank
                && cancellation.differs(from: counted, reversed: self[.refundReversed])
        }
        let isOtherUpgrade = copies.contains { copy in
            copy.cancelsService && copy.answers.rank != upgrade?.answers.rank
                && (copy.answers.isUpgraded ?? isUpgraded) != isUpgraded
        }
        if isOther || isOtherUpgrade { rare.changes.insert(.cancellation) }
    }

    /// Notes contradictions between the prices of several ranks, also those between parts that do not count.
    private mutating func comparePrices(of copies: [TransactionValues]) {
        let counted = OwnPrice(price: self[.price], currency: self[.currency], looseCurrency: -1)
        for (index, copy) in copies.enumerated() {
            let price = copy.rare.ownPrice
            guard copies[..<index].contains(where: { $0.rare.ownPrice.contradicts(price) }) else { continue }
            marks.formUnion(.conflict(in: .price))
            if counted.contradicts(price) { rare.changes.insert(.facts) }
        }
    }

    /// Whether a duplicate shows a cancellation, or an upgrade, which is one.
    private var cancelsService: Bool { !rare.cancellation.isEmpty || answers.isUpgraded == true }
}

// MARK: - Parts

/// The attributes that many transactions have in common; texts are codes of the ledger's dictionary, -1 where not
/// known.
package struct SharedValues: Hashable {
    private var codes = SharedCodes(repeating: -1)

    package init() {}

    package subscript(_ attribute: CodeAttribute) -> Int32 {
        @inline(__always) get { codes[attribute.rawValue - CodeAttribute.firstShared] }
        @inline(__always) set { codes[attribute.rawValue - CodeAttribute.firstShared] = newValue }
    }

    @inline(__always)
    package static func == (left: Self, right: Self) -> Bool {
        for index in left.codes.indices where left.codes[index] != right.codes[index] { return false }
        return true
    }

    package func hash(into hasher: inout Hasher) {
        for index in codes.indices { hasher.combine(codes[index]) }
    }

    /// The columns of the values, in their order.
    static let columns = CodeAttribute.shared.map(\.definition.column)

    subscript(at index: Int) -> Int32 {
        @inline(__always) get { codes[index] }
        @inline(__always) set { codes[index] = newValue }
    }

    /// The same with other codes of the known texts.
    func mapTexts(_ code: (Int32) -> Int32) -> SharedValues {
        var mapped = self
        for index in codes.indices where codes[index] >= 0 { mapped.codes[index] = code(codes[index]) }
        return mapped
    }

    /// The same with the texts of another dictionary.
    package func translated(_ translation: TextTranslation) -> SharedValues { mapTexts(translation.text) }
}

/// The attributes that few transactions have. Numbers that are not known are ``TransactionEntry/unknown``, codes -1.
package struct RareValues: Equatable {
    private var numbers = RareNumbers(repeating: TransactionEntry.unknown)
    private var codes = RareCodes(repeating: -1)
    package var cancellation = Cancellation.none
    /// Only if one of them does not fit the entry.
    var wide = WideNumbers()
    /// The number of the duplicates of each rank in the table plus one; 0 if all have one rank.
    var ranked: UInt32 = 0
    /// What less trusted duplicates say otherwise than the values that count.
    var changes: Changes = []
    /// The differences of dates between duplicates that are not in conflict.
    private var spreads = InlineArray<3, InstantSpread>(repeating: InstantSpread())

    package static let none = RareValues()

    struct Changes: OptionSet {
        let rawValue: UInt8
        static let facts = Changes(rawValue: 1)
        static let cancellation = Changes(rawValue: 2)
    }

    package subscript(_ attribute: NumberAttribute) -> Int64 {
        @inline(__always) get { numbers[attribute.rawValue - NumberAttribute.firstRare] }
        @inline(__always) set { numbers[attribute.rawValue - NumberAttribute.firstRare] = newValue }
    }

    package subscript(_ attribute: CodeAttribute) -> Int32 {
        @inline(__always) get { codes[attribute.rawValue - CodeAttribute.firstRare] }
        @inline(__always) set { codes[attribute.rawValue - CodeAttribute.firstRare] = newValue }
    }

    /// The attributes that have spreads, one after the other.
    package static let spreadDates: [NumberAttribute] = [.purchaseDate, .expiresDate, .originalPurchaseDate]

    package subscript(spreadOf date: NumberAttribute) -> InstantSpread {
        @inline(__always) get { spreads[date.rawValue - NumberAttribute.purchaseDate.rawValue] }
        @inline(__always) set { spreads[date.rawValue - NumberAttribute.purchaseDate.rawValue] = newValue }
    }

    /// Replaces codes of texts, and ids that are texts, by those of another dictionary.
    mutating func translate(_ text: (Int32) -> Int32, _ identifier: (Int64) -> Int64) {
        for attribute in NumberAttribute.rareIdentifiers where self[attribute] != TransactionEntry.unknown {
            self[attribute] = identifier(self[attribute])
        }
        for attribute in CodeAttribute.rareTexts where self[attribute] >= 0 { self[attribute] = text(self[attribute]) }
    }

    package static func == (left: Self, right: Self) -> Bool {
        for index in left.numbers.indices where left.numbers[index] != right.numbers[index] { return false }
        for index in left.codes.indices where left.codes[index] != right.codes[index] { return false }
        return left.wide == right.wide && left.cancellation == right.cancellation && left.ranked == right.ranked
            && left.changes == right.changes && left.spreads[0] == right.spreads[0]
            && left.spreads[1] == right.spreads[1] && left.spreads[2] == right.spreads[2]
    }
}

/// The range of duplicates' dates below and above the date that counts, in milliseconds: at most a day, because dates
/// further apart are a conflict.
package struct InstantSpread: Equatable {
    package var below: UInt32 = 0
    package var above: UInt32 = 0

    package init(below: UInt32 = 0, above: UInt32 = 0) {
        (self.below, self.above) = (below, above)
    }

    package var isEmpty: Bool { below == 0 && above == 0 }
}
