import TillColumns

/// One transaction as a partial has it.
///
///     presence u8 │ flags u8 │ marks │ facet │ id │ original │ line item │ purchase │ expires │ product │ quantity
///     │ extra: presence u8 │ cancelled │ seen │ reversed │ price │ currency │ storefront │ offer │ account
///
/// What a presence byte leaves out is not there. Ids, line items and purchases are differences from the row before in
/// the block, the original from the id, expiry and cancellation from the purchase: most of them are small.
struct TransactionRecord {
    var copy: TransactionCopy
    var facet: UInt32

    /// Values of the row before.
    struct Previous {
        var identifier: Int64 = 0
        var webOrder: Int64 = 0
        var purchaseDate: Int64 = 0
    }

    private struct Presence: OptionSet {
        var rawValue: UInt8
        static let identifier = Presence(rawValue: 1)
        static let original = Presence(rawValue: 2)
        static let webOrder = Presence(rawValue: 4)
        static let purchaseDate = Presence(rawValue: 8)
        static let expiresDate = Presence(rawValue: 16)
        static let product = Presence(rawValue: 32)
        static let quantity = Presence(rawValue: 64)
        static let extra = Presence(rawValue: 128)
    }

    fileprivate struct ExtraPresence: OptionSet {
        var rawValue: UInt8
        static let cancellationDate = ExtraPresence(rawValue: 1)
        static let cancellationSeen = ExtraPresence(rawValue: 2)
        static let refundReversed = ExtraPresence(rawValue: 4)
        static let price = ExtraPresence(rawValue: 8)
        static let currency = ExtraPresence(rawValue: 16)
        static let storefront = ExtraPresence(rawValue: 32)
        static let offerID = ExtraPresence(rawValue: 64)
        static let all = ExtraPresence(rawValue: 127)
    }

    // MARK: Writing

    func write(to writer: inout PartialWriter, after previous: inout Previous, withAccount: Bool) {
        let entry = copy.entry
        let extra = copy.extra.map { ExtraPresence($0) } ?? []
        writer.write(byte: presence(withExtra: !extra.isEmpty).rawValue)
        writer.write(byte: entry.flags.rawValue)
        writer.write(number: UInt64(entry.marks.rawValue))
        writer.write(number: UInt64(facet))
        func writeDifference(_ value: Int64, since base: inout Int64) {
            guard value != TransactionEntry.unknown else { return }
            writer.write(difference: value &- base)
            base = value
        }
        writeDifference(entry.identifier, since: &previous.identifier)
        var base = entry.identifier == TransactionEntry.unknown ? 0 : entry.identifier
        writeDifference(entry.original, since: &base)
        writeDifference(entry.webOrder, since: &previous.webOrder)
        writeDifference(entry.purchaseDate, since: &previous.purchaseDate)
        base = previous.purchaseDate
        writeDifference(entry.expiresDate, since: &base)
        if entry.product > 0 { writer.write(number: UInt64(entry.product)) }
        if let quantity = copy.quantity { writer.write(difference: quantity) }
        if !extra.isEmpty, let values = copy.extra { write(values, extra, to: &writer, since: previous.purchaseDate) }
        if withAccount {
            writer.write(byte: copy.account == 0 ? 0 : 1)
            if copy.account != 0 { writer.write(word: copy.account) }
        }
    }

    private func presence(withExtra hasExtra: Bool) -> Presence {
        let entry = copy.entry
        var presence: Presence = []
        if entry.identifier != TransactionEntry.unknown { presence.insert(.identifier) }
        if entry.original != TransactionEntry.unknown { presence.insert(.original) }
        if entry.webOrder != TransactionEntry.unknown { presence.insert(.webOrder) }
        if entry.purchaseDate != TransactionEntry.unknown { presence.insert(.purchaseDate) }
        if entry.expiresDate != TransactionEntry.unknown { presence.insert(.expiresDate) }
        if entry.product > 0 { presence.insert(.product) }
        if copy.quantity != nil { presence.insert(.quantity) }
        if hasExtra { presence.insert(.extra) }
        return presence
    }

    private func write(
        _ extra: TransactionExtra,
        _ presence: ExtraPresence,
        to writer: inout PartialWriter,
        since purchaseDate: Int64
    ) {
        writer.write(byte: presence.rawValue)
        for date in [extra.cancellationDate, extra.cancellationSeen, extra.refundReversed] {
            if let date { writer.write(difference: date &- purchaseDate) }
        }
        if let price = extra.price { writer.write(difference: price) }
        for code in [extra.currency, extra.storefront, extra.offerID] where code >= 0 { writer.write(code: code) }
    }

    // MARK: Reading

    init(copy: TransactionCopy, facet: UInt32) {
        self.copy = copy
        self.facet = facet
    }

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
        let presence = Presence(rawValue: try cursor.byte())
        var entry = TransactionEntry(identifier: TransactionEntry.unknown)
        entry.flags = TransactionEntry.Flags(rawValue: try cursor.byte())
        let marks = try cursor.number()
        entry.marks = TransactionMarks(rawValue: UInt16(truncatingIfNeeded: marks))
        let facet = try cursor.number()
        guard marks <= UInt64(UInt16.max), facet < UInt64(facetCount) else {
            throw PartialError(.value, at: start, "a transaction has marks or a facet that there are not")
        }
        self.facet = UInt32(facet)
        if presence.contains(.identifier) {
            entry.identifier = try Self.identifier(&cursor, since: &previous.identifier, textCount)
        }
        var base = entry.identifier == TransactionEntry.unknown ? 0 : entry.identifier
        if presence.contains(.original) { entry.original = try Self.identifier(&cursor, since: &base, textCount) }
        if presence.contains(.webOrder) {
            entry.webOrder = try Self.identifier(&cursor, since: &previous.webOrder, textCount)
        }
        if presence.contains(.purchaseDate) {
            entry.purchaseDate = try Self.date(&cursor, since: &previous.purchaseDate)
        }
        base = previous.purchaseDate
        if presence.contains(.expiresDate) { entry.expiresDate = try Self.date(&cursor, since: &base) }
        if presence.contains(.product) { entry.product = UInt32(try cursor.code(below: textCount) + 1) }
        let quantity = presence.contains(.quantity) ? try cursor.difference() : nil
        copy = TransactionCopy(entry: entry)
        if presence.contains(.extra) {
            copy.extra = try Self.extra(from: &cursor, since: previous.purchaseDate, textCount)
        }
        if let quantity { copy.set(quantity: quantity) }
        if withAccount, try cursor.flag() { copy.account = try cursor.word(as: UInt64.self) }
        let isNameless = entry.identifier == TransactionEntry.unknown || entry.identifier == 0
        guard entry.flags.contains(.isAlone) || !isNameless else {
            throw PartialError(.value, at: start, "a transaction without an id is to be joined with others")
        }
    }

    private static func date(
        _ cursor: inout PartialCursor,
        since base: inout Int64
    ) throws(PartialError) -> Int64 {
        let start = cursor.offset
        base = base &+ (try cursor.difference())
        guard base != TransactionEntry.unknown else {
            throw PartialError(.value, at: start, "an instant is the one that stands for none")
        }
        return base
    }

    private static func identifier(
        _ cursor: inout PartialCursor,
        since base: inout Int64,
        _ textCount: Int
    ) throws(PartialError) -> Int64 {
        let start = cursor.offset
        let word = try date(&cursor, since: &base)
        if let code = Identifier(word: word).code, code >= textCount {
            throw PartialError(.value, at: start, "an id names a text that is not there")
        }
        return word
    }

    private static func extra(
        from cursor: inout PartialCursor,
        since purchaseDate: Int64,
        _ textCount: Int
    ) throws(PartialError) -> TransactionExtra {
        let start = cursor.offset
        let presence = ExtraPresence(rawValue: try cursor.byte())
        guard presence.isSubset(of: .all) else {
            throw PartialError(.value, at: start, "a transaction has a value that nobody knows")
        }
        var extra = TransactionExtra()
        func date(_ cursor: inout PartialCursor) throws(PartialError) -> Int64 {
            purchaseDate &+ (try cursor.difference())
        }
        if presence.contains(.cancellationDate) { extra.cancellationDate = try date(&cursor) }
        if presence.contains(.cancellationSeen) { extra.cancellationSeen = try date(&cursor) }
        if presence.contains(.refundReversed) { extra.refundReversed = try date(&cursor) }
        if presence.contains(.price) { extra.price = try cursor.difference() }
        if presence.contains(.currency) { extra.currency = try cursor.code(below: textCount) }
        if presence.contains(.storefront) { extra.storefront = try cursor.code(below: textCount) }
        if presence.contains(.offerID) { extra.offerID = try cursor.code(below: textCount) }
        return extra
    }
}

extension TransactionRecord.ExtraPresence {
    fileprivate init(_ extra: TransactionExtra) {
        self = []
        if extra.cancellationDate != nil { insert(.cancellationDate) }
        if extra.cancellationSeen != nil { insert(.cancellationSeen) }
        if extra.refundReversed != nil { insert(.refundReversed) }
        if extra.price != nil { insert(.price) }
        if extra.currency >= 0 { insert(.currency) }
        if extra.storefront >= 0 { insert(.storefront) }
        if extra.offerID >= 0 { insert(.offerID) }
    }
}
