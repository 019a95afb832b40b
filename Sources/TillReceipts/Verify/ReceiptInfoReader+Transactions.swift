import TillColumns
import TillCore
import TillJSON
import TillRows

extension ReceiptInfoReader {
    /// Reads a list of transactions; an object is a list of one (quirk 39).
    @_lifetime(cursor: copy cursor)
    mutating func decodeTransactions(
        _ token: JSONToken,
        isLatest: Bool,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        let list = place.key
        switch token.kind {
        case .object:
            place = Place(list: list, transactionKey: KeyTable<TransactionKey>.start)
            switch try Self.shape(of: cursor) {
            case .empty: try cursor.skipContainer()
            case .transaction: try decodeTransaction(isLatest: isLatest, in: &cursor, into: &rows)
            case .numbered: try decodeNumbered(isLatest: isLatest, in: &cursor, into: &rows)
            case .list(let start):
                var rest = copy cursor
                try rest.skipContainer()
                cursor.position = start
                place = Place(key: list)
                try decodeTransactions(try cursor.token(), isLatest: isLatest, in: &cursor, into: &rows)
                cursor.position = rest.position
            }
        case .null: return
        case .string where token.count == 0: return
        case .array:
            place = Place(list: list, transactionKey: KeyTable<TransactionKey>.start)
            try cursor.expect(0x5B)
            duplicates.beginList()
            var isFirst = true
            while try cursor.nextElement(isFirst: &isFirst) {
                try decodeElement(isLatest: isLatest, in: &cursor, into: &rows)
                place.element += 1
            }
        default: throw Finding(.type, at: token.start)
        }
        place = Place(key: list)
    }

    /// Reads one transaction of a list, or skips it where it is a duplicate.
    @inline(__always)
    @_lifetime(cursor: copy cursor)
    private mutating func decodeElement(
        isLatest: Bool,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        guard let text = duplicates.candidate(at: cursor) else {
            try decodeTransaction(isLatest: isLatest, in: &cursor, into: &rows)
            return
        }
        guard duplicates.skip(text, isLatest: isLatest, in: cursor.values, &index) else {
            let reading = rows.reading
            let transaction = try decodeTransaction(isLatest: isLatest, in: &cursor, into: &rows)
            // One with an odd or unread value is never skipped, so that the value is counted in every document.
            if rows.reading == reading { duplicates.note(text, transaction, in: cursor) }
            return
        }
        cursor.position = text.end
        if text.spansLines { cursor.sawNewline = true }
        (place.key, place.transactionKey) = (nil, KeyTable<TransactionKey>.start)
    }

    /// The meaning of an object in place of a list.
    private enum Shape {
        case empty, transaction, numbered
        /// The list, which starts here, is the only member: `{"item":[…]}`.
        case list(start: Int)
    }

    /// The kind of the object at the cursor, by its first member: no member of a transaction has a number as name, or
    /// is a list.
    private static func shape(of start: borrowing JSONCursor) throws(Finding) -> Shape {
        var cursor = copy start
        try cursor.expect(0x7B)
        var isFirst = true
        guard try cursor.nextMember(isFirst: &isFirst) else { return .empty }
        let key = try cursor.string()
        if cursor.values.decimal(key.start, key.end) != nil { return .numbered }
        try cursor.expect(0x3A)
        cursor.skipWhitespace()
        let value = cursor.position
        guard cursor.byte(value) == 0x5B else { return .transaction }
        try cursor.skipContainer()
        return try cursor.nextMember(isFirst: &isFirst) ? .transaction : .list(start: value)
    }

    /// Reads the members of an object that PHP has made of a list of which an element was taken out:
    /// `{"0":{…},"2":{…}}`.
    @_lifetime(cursor: copy cursor)
    private mutating func decodeNumbered(
        isLatest: Bool,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        try cursor.expect(0x7B)
        var isFirst = true
        while try cursor.nextKey(isFirst: &isFirst) != nil {
            cursor.skipWhitespace()
            try decodeTransaction(isLatest: isLatest, in: &cursor, into: &rows)
            place.element += 1
        }
    }

    /// Reads one transaction into the open row, which it ends or joins into the row of the same id.
    ///
    /// A date comes up to three times. Its milliseconds win. The text is read only where they are missing, and the
    /// Pacific copy never (quirks 32–34).
    ///
    /// - Parameters:
    ///   - readsPayload: whether the object may be a payload of a JWS.
    ///   - depth: objects around this one that have only this one in them.
    @_lifetime(cursor: copy cursor)
    @discardableResult
    mutating func decodeTransaction(
        isLatest: Bool,
        readsPayload: Bool = true,
        depth: Int = 0,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) -> ReadTransaction {
        rows.transactions.beginRow()
        let reading = rows.reading
        try cursor.requireObject()
        let start = cursor.position
        try readMembers(in: &cursor, into: &rows)
        try setMissingDates(in: cursor.values, &rows)
        if let marks = members.marks { try setRefund(marks, in: cursor.values, &rows) }
        if let marks = members.marks, readsPayload {
            let end = cursor.position
            cursor.position = start
            // The payload has the same members.
            rows.reading = reading
            if try !decodePayload(marks, identifierKey: members.identifierKey, in: &cursor, into: &rows) {
                rows.reading = reading
                cursor.position = start
                return try decodeTransaction(
                    isLatest: isLatest,
                    readsPayload: false,
                    depth: depth,
                    in: &cursor,
                    into: &rows
                )
            }
            cursor.position = end
        }
        // Errors from here on are not those of the last member.
        (place.key, place.transactionKey) = (nil, KeyTable<TransactionKey>.start)
        let row = rows.transactions.rowCount
        let cell = rows.transactions[.transactionID, row]
        if cell == nil, rows.transactions.isNameless(row) {
            let contents = try Self.contents(at: start, in: cursor)
            if let inner = contents.onlyObject, depth < Self.wrapLimit {
                let end = cursor.position
                cursor.position = inner
                defer { cursor.position = end }
                return try decodeTransaction(isLatest: isLatest, depth: depth + 1, in: &cursor, into: &rows)
            }
            if !contents.isTransaction { throw Finding(.transaction, at: start) }
        }
        let cells = rows.transactions.presence(row: row)
        let joined = index.join(isLatest: isLatest, comparesCopies: duplicates.isOn, in: &rows)
        return ReadTransaction(identifier: members.identifier, cell: cell, cells: cells, joined: joined)
    }

    /// What the members of a transaction say beside the cells of its row.
    struct TransactionMembers {
        var dates = DateTexts()
        var identifier: JSONToken?
        var identifierKey = 0
        var marks: PayloadMarks?
        /// The offset and the key of a `purchase_date_ms` that means "no date".
        var noPurchaseDate: (offset: Int, key: Int)?
    }

    /// Reads the members of the object at the cursor into the open row.
    @inline(__always)
    @_lifetime(cursor: copy cursor)
    private mutating func readMembers(
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        members = TransactionMembers()
        var walk = try transactionKeys.enter(&cursor)
        while let number = try transactionKeys.next(&walk, in: &cursor) {
            place.transactionKey = number
            guard number >= 0 else {
                try transactionKeys.skipValue(&walk, in: &cursor)
                continue
            }
            let token = try transactionKeys.token(&walk, in: &cursor)
            switch transactionKeys[number] {
            case .quantity: rows.transactions.set(.quantity, try fields.code(token, in: cursor.values))
            case .productID: try setText(.productID, token, in: cursor.values, &rows)
            case .transactionID:
                (members.identifier, members.identifierKey) = (token, number)
                try setIdentifier(.transactionID, token, in: cursor.values, &rows)
            case .originalTransactionID: try setIdentifier(.originalTransactionID, token, in: cursor.values, &rows)
            case .webOrderLineItemID:
                let identifier = try fields.identifier(token, in: cursor.values, &rows)
                if identifier != 0 { rows.transactions.set(.webOrderLineItemID, identifier) }
            case .purchaseDateMilliseconds:
                let date = try fields.saleMilliseconds(token, in: cursor.values)
                rows.transactions.set(.purchaseDate, date)
                if date == nil, token.kind != .null { members.noPurchaseDate = (token.start, number) }
            case .originalPurchaseDateMilliseconds:
                rows.transactions.set(.originalPurchaseDate, try fields.milliseconds(token, in: cursor.values))
            case .expiresDateMilliseconds:
                rows.transactions.set(.expiresDate, try fields.saleMilliseconds(token, in: cursor.values))
            case .cancellationDateMilliseconds:
                rows.transactions.set(.cancellationDate, try fields.saleMilliseconds(token, in: cursor.values))
            case .purchaseDate: members.dates.purchase = token
            case .originalPurchaseDate: members.dates.originalPurchase = token
            case .expiresDate: members.dates.expires = token
            case .expiresDateFormatted: members.dates.expiresFormatted = token
            case .cancellationDate: members.dates.cancellation = token
            case .expirationDate, .expirationDateMilliseconds: members.dates.expiration = token
            case .isTrialPeriod: rows.transactions.set(.isTrial, try fields.flag(token, in: cursor.values))
            case .isInIntroOfferPeriod: rows.transactions.set(.isIntro, try fields.flag(token, in: cursor.values))
            case .isUpgraded: rows.transactions.set(.isUpgraded, try fields.flag(token, in: cursor.values))
            case .cancellationReason:
                let reason = try fields.enumerated(.revocationReason, token, in: cursor.values, &rows.reading)
                rows.transactions.set(.cancellationReason, reason)
            case .ownershipType: try setWord(.ownershipType, token, AppleWord.ownership, in: cursor.values, &rows)
            case .promotionalOfferID: try setText(.offerID, token, in: cursor.values, &rows)
            case .offerCodeReferenceName:
                let code = try fields.text(token, in: cursor.values, &rows.dictionary)
                // If both are present, the promotional offer counts, in any order.
                if rows.transactions[.offerID, rows.transactions.rowCount] == nil {
                    rows.transactions.set(.offerID, code)
                }
            case .appAccountToken: try setText(.accountToken, token, in: cursor.values, &rows)
            case .subscriptionGroupIdentifier:
                // Only a report with another commission in the second year asks for it.
                guard rows.wanted.contains(.groups) else { break }
                try setText(.subscriptionGroupID, token, in: cursor.values, &rows)
            case .environment: try setWord(.environment, token, AppleWord.environment, in: cursor.values, &rows)
            case .bid: try setText(.bundleID, token, in: cursor.values, &rows)
            case .bvrs: try setText(.appVersion, token, in: cursor.values, &rows)
            case .signedDate, .transactionReason, .revocationDate, .revocationReason, .offerType, .offerDiscountType,
                .storefront, .price, .currency:
                if token.isContainer {
                    try cursor.skipContainer()
                } else {
                    PayloadMarks.note(transactionKeys[number], token, in: &members.marks)
                }
                continue
            case .purchaseDatePST, .originalPurchaseDatePST, .expiresDatePST, .cancellationDatePST,
                .expiresDateFormattedPST:
                break
            }
            if token.isContainer { throw Finding(.type, at: token.start) }
        }
    }

    @inline(__always)
    private mutating func setText(
        _ column: TransactionColumn,
        _ token: JSONToken,
        in json: JSONBytes,
        _ rows: inout RowBatch
    ) throws(Finding) {
        rows.transactions.set(column, try fields.text(token, in: json, &rows.dictionary))
    }

    @inline(__always)
    private mutating func setIdentifier(
        _ column: TransactionColumn,
        _ token: JSONToken,
        in json: JSONBytes,
        _ rows: inout RowBatch
    ) throws(Finding) {
        rows.transactions.set(column, try fields.identifier(token, in: json, &rows))
    }

    @inline(__always)
    private mutating func setWord(
        _ column: TransactionColumn,
        _ token: JSONToken,
        _ known: (RawSpan) -> Word?,
        in json: JSONBytes,
        _ rows: inout RowBatch
    ) throws(Finding) {
        rows.transactions.set(column, try fields.word(token, in: json, &rows.dictionary, known))
    }

    /// Whether an id is a text with other characters than digits: those of the App Store are numbers.
    private static func isOfOtherShop(_ identifier: JSONToken, in json: JSONBytes) -> Bool {
        guard identifier.kind == .string, identifier.count > 0, !identifier.hasEscapes else { return false }
        let text = json.raw(identifier).withoutBlanks
        let isNumber =
            text.exponentStart != nil
            || (0..<text.byteCount).allSatisfy { text.byte($0).isDigit || text.byte($0) == 0x2E }
        return !isNumber && !text.isPlaceholder
    }

    /// Whether the id of the transaction that was read last has an exponent, so that its cell is missing.
    func hasLostIdentifier(in json: JSONBytes) -> Bool {
        guard let token = members.identifier, !token.isContainer else { return false }
        return json.raw(token).withoutBlanks.exponentStart != nil
    }

    /// Objects around a transaction that are taken off.
    private static let wrapLimit = 4

    /// The contents of an object without an id, a product and a date of purchase.
    private struct Contents {
        /// Whether it has members of a transaction, and no object or list.
        var isTransaction = false
        /// The start of the only object in an object without members of a transaction: `{"element":{…}}`.
        var onlyObject: Int?
    }

    private static func contents(at start: Int, in document: borrowing JSONCursor) throws(Finding) -> Contents {
        var cursor = copy document
        cursor.position = start
        var (hasMember, objects, listCount) = (false, [Int](), 0)
        try cursor.expect(0x7B)
        var isFirst = true
        while let key = try cursor.nextKey(isFirst: &isFirst) {
            // Also those that ``transactionKeys`` leaves out because nothing depends on them.
            if TransactionKey.keyTable.number(of: key, in: cursor) != nil { hasMember = true }
            let token = try cursor.token()
            guard token.isContainer else { continue }
            if token.kind == .array { listCount += 1 } else { objects.append(cursor.position) }
            try cursor.skipContainer()
        }
        return Contents(
            isTransaction: hasMember && objects.isEmpty && listCount == 0,
            onlyObject: !hasMember && listCount == 0 && objects.count == 1 ? objects[0] : nil
        )
    }

    /// Whether the object at the cursor has the keys of a transaction's id, product and date of purchase, whatever
    /// their values are, and no id of another shop.
    mutating func hasKeysOfTransaction(in start: borrowing JSONCursor) throws(Finding) -> Bool {
        var cursor = copy start
        var (hasIdentifier, hasProduct, hasDate) = (false, false, false)
        var walk = try transactionKeys.enter(&cursor)
        while let number = try transactionKeys.next(&walk, in: &cursor) {
            guard number >= 0 else {
                try transactionKeys.skipValue(&walk, in: &cursor)
                continue
            }
            let token = try transactionKeys.token(&walk, in: &cursor)
            switch transactionKeys[number] {
            case .transactionID: hasIdentifier = !Self.isOfOtherShop(token, in: cursor.values)
            case .originalTransactionID: if Self.isOfOtherShop(token, in: cursor.values) { return false }
            case .productID: hasProduct = true
            case .purchaseDate, .purchaseDateMilliseconds: hasDate = true
            default: break
            }
            if token.isContainer { try cursor.skipContainer() }
        }
        return hasIdentifier && hasProduct && hasDate
    }

    /// Whether an object with an id or a product is a transaction of the App Store: it has a numeric id, or else a member
    /// that only Apple has and no id of Google Play. Other texts may be ids with masked digits.
    static func isOfAppStore(
        transactionAt start: Int,
        in document: borrowing JSONCursor
    ) throws(Finding) -> Bool {
        var cursor = copy document
        cursor.position = start
        try cursor.expect(0x7B)
        var isFirst = true
        var isOwn = false
        while let name = try cursor.nextKey(isFirst: &isFirst) {
            let number = TransactionKey.keyTable.number(of: name, in: cursor)
            let token = try cursor.token()
            if token.isContainer { try cursor.skipContainer() }
            guard let number else { continue }
            let key = TransactionKey.keyTable[number]
            // The infos of a renewal have the original id alone, and are no transaction.
            if key == .transactionID {
                if isNumber(token, in: cursor.values) { return true }
                if cursor.values.isOrderOfGooglePlay(token) { return false }
            }
            if TransactionKey.ofAppleOnly.contains(key), token.kind != .null { isOwn = true }
        }
        return isOwn
    }

    /// Whether the list at the cursor begins with a transaction of the App Store.
    static func isListOfTransactions(_ token: JSONToken, at start: borrowing JSONCursor) throws(Finding) -> Bool {
        guard token.kind == .array else { return false }
        var cursor = copy start
        try cursor.expect(0x5B)
        var isFirst = true
        guard try cursor.nextElement(isFirst: &isFirst), cursor.byte(cursor.position) == 0x7B else { return false }
        return try isOfAppStore(transactionAt: cursor.position, in: cursor)
    }

    /// Whether an id is a number, as those of the App Store are.
    static func isNumber(_ token: JSONToken, in json: JSONBytes) -> Bool {
        if json.decimal(token.start, token.end) != nil { return true }
        return switch token.kind {
        case .number: true
        case .string: token.count > 0 && !isOfOtherShop(token, in: json) && !json.raw(token).isPlaceholder
        default: false
        }
    }

    /// The data of a transaction for ``DuplicateFilter``.
    struct ReadTransaction {
        let identifier: JSONToken?
        let cell: Int64?
        /// The cells that its text gave, bit by column.
        let cells: UInt64
        let joined: DocumentIndex.Joined
    }

    /// The dates that came as text.
    struct DateTexts {
        var purchase: JSONToken?
        var originalPurchase: JSONToken?
        var expires: JSONToken?
        var expiresFormatted: JSONToken?
        var cancellation: JSONToken?
        var expiration: JSONToken?
    }

    private mutating func setMissingDates(in json: JSONBytes, _ rows: inout RowBatch) throws(Finding) {
        try setMissing(.purchaseDate, members.dates.purchase, .purchaseDate, in: json, &rows)
        if let none = members.noPurchaseDate, rows.transactions[.purchaseDate, rows.transactions.rowCount] == nil {
            (place.key, place.transactionKey) = (nil, none.key)
            throw Finding(.noPurchaseDate, at: none.offset)
        }
        try setMissing(.originalPurchaseDate, members.dates.originalPurchase, .originalPurchaseDate, in: json, &rows)
        try setMissing(.expiresDate, members.dates.expires, .expiresDate, in: json, &rows)
        try setMissing(.expiresDateFormatted, members.dates.expiresFormatted, .expiresDate, in: json, &rows)
        try setMissing(.cancellationDate, members.dates.cancellation, .cancellationDate, in: json, &rows)
        guard let expiration = members.dates.expiration else { return }
        // A library writes the cancellation for any refunded product.
        let isCancelled = rows.transactions[.cancellationDate, rows.transactions.rowCount] != nil
        guard !isCancelled else { return }
        try setMissing(.expirationDate, expiration, .expiresDate, in: json, &rows)
    }

    mutating func setMissing(
        _ key: TransactionKey,
        _ token: JSONToken?,
        _ column: TransactionColumn,
        in json: JSONBytes,
        _ rows: inout RowBatch
    ) throws(Finding) {
        guard let token, rows.transactions[column, rows.transactions.rowCount] == nil else { return }
        (place.key, place.transactionKey) = (.transaction(key), nil)
        let date =
            switch column {
            case .purchaseDate: try fields.purchaseInstant(token, in: json)
            case .expiresDate, .cancellationDate: try fields.saleInstant(token, in: json)
            default: try fields.instant(token, in: json)
            }
        rows.transactions.set(column, date)
    }
}

extension RecordBatch<TransactionColumn> {
    /// Whether a row has neither id nor product nor date of purchase, so that it tells no sale.
    fileprivate func isNameless(_ row: Int) -> Bool {
        self[.transactionID, row] == nil && self[.productID, row] == nil && self[.purchaseDate, row] == nil
    }
}
