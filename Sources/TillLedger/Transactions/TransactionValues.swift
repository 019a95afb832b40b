import TillColumns
import TillRows

/// The attributes of one row, or of several joined duplicates, unpacked.
///
/// Duplicates are joined attribute by attribute (``join(_:in:)``): a known value counts before an unknown one, a
/// duplicate of a higher ``TrustRank`` before one of a lower rank, and at equal rank the larger value. If two known
/// values of a fact differ, the transaction is marked. So every value is a maximum and every mark an OR: joining is
/// commutative, associative and idempotent, and the order of documents does not matter.
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

    /// Whether it has an id, or an original id and a line item instead.
    package var isNamed: Bool { TransactionEntry.isNamed(by: self[.identifier], self[.original], self[.webOrder]) }

    /// Whether duplicates of lower trust have another value of a fact.
    var isChangedByLessTrusted: Bool {
        guard answers.rank == .mixed else { return false }
        return rare.ranks.haveDifferentCancellations
            || TransactionField.facts.indices.contains { index in
                let field = TransactionField.facts[index].field
                return marks.contains(.conflict(in: field)) && rare.ranks.isMixed(field)
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
    mutating func join(_ other: TransactionValues, in texts: borrowing TextDictionary) {
        var other = other
        if answers.rank != other.answers.rank || answers.rank == .mixed {
            noteRanks()
            other.noteRanks()
        }
        var join = ValueJoin(rare.ranks, other.rare.ranks, marks: marks.union(other.marks))
        join.numbers(&self, other, in: texts)
        join.codes(&self, other, in: texts)
        join.pairs(&self, other, in: texts)
        join.answer(&answers.isTrial, other.answers.isTrial, .isTrial)
        join.answer(&answers.isIntro, other.answers.isIntro, .isIntro)
        if other.answers.isUpgraded == true || answers.isUpgraded == nil {
            answers.isUpgraded = other.answers.isUpgraded
        }
        rare.ranks.formUnion(other.rare.ranks)
        marks = join.marks
        account = max(account, other.account)
    }

    /// Notes the rank of the duplicates for each known field, so that they can be joined with other ranks.
    private mutating func noteRanks() {
        let rank = answers.rank
        guard rank != .mixed else { return }
        answers.rank = .mixed
        for attribute in NumberAttribute.allCases where self[attribute] != TransactionEntry.unknown {
            if let field = attribute.definition.join.field { rare.ranks.insert(rank, of: field) }
        }
        for attribute in CodeAttribute.allCases where self[attribute] >= 0 {
            if let field = attribute.definition.join.field { rare.ranks.insert(rank, of: field) }
        }
        if answers.isTrial != nil { rare.ranks.insert(rank, of: .isTrial) }
        if answers.isIntro != nil { rare.ranks.insert(rank, of: .isIntro) }
    }
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
    /// Only if one of them does not fit the entry.
    var wide = WideNumbers()
    /// The ranks that know each field, if duplicates differ in trust.
    package var ranks = FieldRanks()
    /// The differences of dates between duplicates that are not in conflict.
    private var spreads = InlineArray<3, InstantSpread>(repeating: InstantSpread())

    package static let none = RareValues()

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
        return left.wide == right.wide && left.ranks == right.ranks && left.spreads[0] == right.spreads[0]
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
