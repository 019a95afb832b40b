import TillColumns
import TillLedger

/// One transaction as a partial has it.
///
///     presence │ answers u8 │ marks │ facet │ then what presence says, in this order:
///     id │ original │ line item │ purchase │ expires │ original purchase │ product │ quantity │ cancelled │ seen
///     │ reversed │ price │ currency │ storefront │ offer │ offer type │ ranks │ spreads │ account
///
/// Ids, line items and purchases are differences from the row before in the block, the original from the id, other dates
/// from the purchase: most of them are small.
struct TransactionRecord {
    var copy: TransactionCopy
    var facet: UInt32

    /// Values of the row before.
    struct Previous {
        var identifier: Int64 = 0
        var webOrder: Int64 = 0
        var purchaseDate: Int64 = 0
    }

    fileprivate struct Presence: OptionSet {
        var rawValue: UInt32
        static let identifier = Presence(rawValue: 1 << 0)
        static let original = Presence(rawValue: 1 << 1)
        static let webOrder = Presence(rawValue: 1 << 2)
        static let purchaseDate = Presence(rawValue: 1 << 3)
        static let expiresDate = Presence(rawValue: 1 << 4)
        static let originalPurchaseDate = Presence(rawValue: 1 << 5)
        static let product = Presence(rawValue: 1 << 6)
        static let quantity = Presence(rawValue: 1 << 7)
        static let cancellationDate = Presence(rawValue: 1 << 8)
        static let cancellationSeen = Presence(rawValue: 1 << 9)
        static let refundReversed = Presence(rawValue: 1 << 10)
        static let price = Presence(rawValue: 1 << 11)
        static let currency = Presence(rawValue: 1 << 12)
        static let storefront = Presence(rawValue: 1 << 13)
        static let offerID = Presence(rawValue: 1 << 14)
        static let offerType = Presence(rawValue: 1 << 15)
        static let ranks = Presence(rawValue: 1 << 16)
        static let spreads = Presence(rawValue: 1 << 17)
        static let account = Presence(rawValue: 1 << 18)
        static let all = Presence(rawValue: 1 << 19 - 1)
    }

    /// The numbers that are written as their difference from the purchase.
    private static let datesAfterPurchase: [(Presence, WritableKeyPath<TransactionCopy, Int64> & Sendable)] = [
        (.expiresDate, \.expiresDate), (.originalPurchaseDate, \.originalPurchaseDate),
    ]
    private static let newsAfterPurchase: [(Presence, WritableKeyPath<TransactionCopy, Int64> & Sendable)] = [
        (.cancellationDate, \.extra.cancellationDate), (.cancellationSeen, \.extra.cancellationSeen),
        (.refundReversed, \.extra.refundReversed),
    ]
    /// The codes of texts.
    private static let texts: [(Presence, WritableKeyPath<TransactionCopy, Int32> & Sendable)] = [
        (.currency, \.extra.currency), (.storefront, \.extra.storefront), (.offerID, \.extra.offerID),
    ]
    private static let spreads: [(TransactionField, WritableKeyPath<TransactionCopy, InstantSpread> & Sendable)] = [
        (.purchaseDate, \.extra.purchaseSpread), (.expiresDate, \.extra.expiresSpread),
        (.originalPurchaseDate, \.extra.originalPurchaseSpread),
    ]

    init(copy: TransactionCopy, facet: UInt32) {
        self.copy = copy
        self.facet = facet
    }
}

// MARK: - Writing

extension TransactionRecord {
    func write(to writer: inout PartialWriter, after previous: inout Previous, withAccount: Bool) {
        let presence = Presence(copy, withAccount: withAccount)
        writer.write(number: UInt64(presence.rawValue))
        writer.write(byte: copy.answers.rawValue)
        writer.write(number: UInt64(copy.marks.rawValue))
        writer.write(number: UInt64(facet))
        func writeDifference(_ value: Int64, since base: inout Int64) {
            guard value != TransactionEntry.unknown else { return }
            writer.write(difference: value &- base)
            base = value
        }
        writeDifference(copy.identifier, since: &previous.identifier)
        var base = copy.identifier == TransactionEntry.unknown ? 0 : copy.identifier
        writeDifference(copy.original, since: &base)
        writeDifference(copy.webOrder, since: &previous.webOrder)
        writeDifference(copy.purchaseDate, since: &previous.purchaseDate)
        let purchaseDate = previous.purchaseDate
        for (field, path) in Self.datesAfterPurchase where presence.contains(field) {
            writer.write(difference: copy[keyPath: path] &- purchaseDate)
        }
        if presence.contains(.product) { writer.write(code: copy.product) }
        if presence.contains(.quantity) { writer.write(difference: copy.quantity) }
        for (field, path) in Self.newsAfterPurchase where presence.contains(field) {
            writer.write(difference: copy[keyPath: path] &- purchaseDate)
        }
        if presence.contains(.price) { writer.write(difference: copy.extra.price) }
        for (field, path) in Self.texts where presence.contains(field) { writer.write(code: copy[keyPath: path]) }
        if presence.contains(.offerType) { writer.write(number: UInt64(copy.extra.offerType)) }
        if presence.contains(.ranks) { writer.write(number: copy.extra.ranks.rawValue) }
        if presence.contains(.spreads) {
            for (_, path) in Self.spreads {
                writer.write(number: UInt64(copy[keyPath: path].below))
                writer.write(number: UInt64(copy[keyPath: path].above))
            }
        }
        if presence.contains(.account) { writer.write(word: copy.account) }
    }
}

extension TransactionRecord.Presence {
    fileprivate init(_ copy: TransactionCopy, withAccount: Bool) {
        self = []
        let unknown = TransactionEntry.unknown
        let extra = copy.extra
        if copy.identifier != unknown { insert(.identifier) }
        if copy.original != unknown { insert(.original) }
        if copy.webOrder != unknown { insert(.webOrder) }
        if copy.purchaseDate != unknown { insert(.purchaseDate) }
        if copy.expiresDate != unknown { insert(.expiresDate) }
        if copy.originalPurchaseDate != unknown { insert(.originalPurchaseDate) }
        if copy.product >= 0 { insert(.product) }
        if copy.quantity != unknown { insert(.quantity) }
        if withAccount, copy.account != 0 { insert(.account) }
        guard extra != .none else { return }
        if extra.cancellationDate != unknown { insert(.cancellationDate) }
        if extra.cancellationSeen != unknown { insert(.cancellationSeen) }
        if extra.refundReversed != unknown { insert(.refundReversed) }
        if extra.price != unknown { insert(.price) }
        if extra.currency >= 0 { insert(.currency) }
        if extra.storefront >= 0 { insert(.storefront) }
        if extra.offerID >= 0 { insert(.offerID) }
        if extra.offerType >= 0 { insert(.offerType) }
        if !extra.ranks.isEmpty { insert(.ranks) }
        let spreads = [extra.purchaseSpread, extra.expiresSpread, extra.originalPurchaseSpread]
        if !spreads.allSatisfy(\.isEmpty) { insert(.spreads) }
    }
}

// MARK: - Reading

extension TransactionRecord {
    /// Reads what ``write(to:after:withAccount:)`` writes.
    ///
    /// - Parameters:
    ///   - textCount: how many texts there are to name.
    ///   - facetCount: how many facets there are to name.
    init(
        from cursor: inout PartialCursor,
        after previous: inout Previous,
        textCount: Int,
        facetCount: Int,
        withAccount: Bool
    ) throws(PartialError) {
        let start = cursor.offset
        let bits = try cursor.number()
        let presence = Presence(rawValue: UInt32(truncatingIfNeeded: bits))
        guard bits <= UInt64(UInt32.max), presence.isSubset(of: .all), withAccount || !presence.contains(.account)
        else {
            throw PartialError(.value, at: start, "a transaction has values that this tillroll does not know")
        }
        copy = TransactionCopy()
        copy.answers = TransactionAnswers(rawValue: try cursor.byte())
        let marks = try cursor.number()
        let facet = try cursor.number()
        guard marks <= UInt64(UInt16.max), facet < UInt64(facetCount) else {
            throw PartialError(.value, at: start, "a transaction has marks or a facet that there are not")
        }
        copy.marks = TransactionMarks(rawValue: UInt16(marks))
        self.facet = UInt32(facet)
        try readIdentifiers(presence, from: &cursor, after: &previous, textCount)
        if presence.contains(.purchaseDate) {
            copy.purchaseDate = try Self.known(&cursor, since: previous.purchaseDate)
            previous.purchaseDate = copy.purchaseDate
        }
        try read(Self.datesAfterPurchase, presence, from: &cursor, since: previous.purchaseDate)
        if presence.contains(.product) { copy.product = try cursor.code(below: textCount) }
        if presence.contains(.quantity) { copy.quantity = try Self.known(&cursor, since: 0) }
        try readExtra(presence, from: &cursor, since: previous.purchaseDate, textCount)
        if presence.contains(.account) { copy.account = try cursor.word(as: UInt64.self) }
        let unknown = TransactionEntry.unknown
        let isNamed = copy.identifier != unknown || copy.original != unknown && copy.webOrder != unknown
        guard copy.isAlone || isNamed else {
            throw PartialError(.value, at: start, "a transaction without an id is to be joined with others")
        }
    }

    private mutating func readIdentifiers(
        _ presence: Presence,
        from cursor: inout PartialCursor,
        after previous: inout Previous,
        _ textCount: Int
    ) throws(PartialError) {
        if presence.contains(.identifier) {
            copy.identifier = try Self.identifier(&cursor, since: previous.identifier, textCount)
            previous.identifier = copy.identifier
        }
        let base = copy.identifier == TransactionEntry.unknown ? 0 : copy.identifier
        if presence.contains(.original) { copy.original = try Self.identifier(&cursor, since: base, textCount) }
        if presence.contains(.webOrder) {
            copy.webOrder = try Self.identifier(&cursor, since: previous.webOrder, textCount)
            previous.webOrder = copy.webOrder
        }
    }

    private mutating func read(
        _ dates: [(Presence, WritableKeyPath<TransactionCopy, Int64> & Sendable)],
        _ presence: Presence,
        from cursor: inout PartialCursor,
        since purchaseDate: Int64
    ) throws(PartialError) {
        for (field, path) in dates where presence.contains(field) {
            copy[keyPath: path] = try Self.known(&cursor, since: purchaseDate)
        }
    }

    private mutating func readExtra(
        _ presence: Presence,
        from cursor: inout PartialCursor,
        since purchaseDate: Int64,
        _ textCount: Int
    ) throws(PartialError) {
        try read(Self.newsAfterPurchase, presence, from: &cursor, since: purchaseDate)
        if presence.contains(.price) { copy.extra.price = try Self.known(&cursor, since: 0) }
        for (field, path) in Self.texts where presence.contains(field) {
            copy[keyPath: path] = try cursor.code(below: textCount)
        }
        if presence.contains(.offerType) {
            copy.extra.offerType = Int32(try Self.number(&cursor, atMost: UInt64(Int32.max)))
        }
        if presence.contains(.ranks) { copy.extra.ranks.rawValue = try Self.number(&cursor, atMost: FieldRanks.all) }
        guard presence.contains(.spreads) else { return }
        for (field, path) in Self.spreads {
            let most = UInt64(field.tolerance)
            copy[keyPath: path].below = UInt32(try Self.number(&cursor, atMost: most))
            copy[keyPath: path].above = UInt32(try Self.number(&cursor, atMost: most))
        }
    }

    private static func number(_ cursor: inout PartialCursor, atMost most: UInt64) throws(PartialError) -> UInt64 {
        let start = cursor.offset
        let number = try cursor.number()
        guard number <= most else { throw PartialError(.value, at: start, "\(number) is more than \(most)") }
        return number
    }

    /// A number that is known.
    private static func known(_ cursor: inout PartialCursor, since base: Int64) throws(PartialError) -> Int64 {
        let start = cursor.offset
        let value = base &+ (try cursor.difference())
        guard value != TransactionEntry.unknown else {
            throw PartialError(.value, at: start, "a value is the one that stands for none")
        }
        return value
    }

    private static func identifier(
        _ cursor: inout PartialCursor,
        since base: Int64,
        _ textCount: Int
    ) throws(PartialError) -> Int64 {
        let start = cursor.offset
        let word = try known(&cursor, since: base)
        if let code = Identifier(word: word).code, code >= textCount {
            throw PartialError(.value, at: start, "an id names a text that is not there")
        }
        return word
    }
}
