import TillColumns
public import TillCore
public import TillJSON
public import TillRows

/// verifyReceipt: responses of both generations, requests, which are wrappings of their receipt, and pairs of both.
///
///     { "status": 0, "environment": "Production",
///       "receipt": { "bundle_id": …, "in_app": [ transaction, … ] },
///       "latest_receipt_info": [ transaction, … ],          an object in iOS 6 responses
///       "pending_renewal_info": [ renewal, … ], "latest_receipt": "MIIT…" }
///
/// The response gives one row per transaction id: the union of all lists, joined field by field, where the copy of a
/// `latest_*` list comes first (quirks 40–42). `latest_receipt` is the same data once more and is not decoded.
public struct VerifyFormat: ReceiptFormat {
    public static let name = "verify"
    public static let summary = "verifyReceipt responses of either generation, requests, and pairs of both"
    public static let jsonKeys = responseKeys + ["in_app"] + transactionKeys
    public static let weakKeys = ["status", "request", "response"] + transactionKeys

    /// The ``jsonKeys`` of responses, requests and pairs of both.
    static let responseKeys = [
        "status", "receipt", "latest_receipt_info", "latest_expired_receipt_info", "latest_receipt",
        "pending_renewal_info", "receipt-data", "receipt_data", "request", "response",
    ]

    /// The keys of a single transaction.
    private static let transactionKeys = ["purchase_date_ms", "purchase_date", "transaction_id"]

    public static let rank = 2

    /// Bytes of a list or an object without elements, as it is pretty-printed at most.
    static let emptyListCount = 8

    public static let readsNestedDocuments = true

    /// The ``jsonKeys`` of requests and of records of a receipt.
    static let requestKeys: Set<String> = [
        "receipt-data", "receipt_data", "receipt", "latest_receipt", "request", "response",
    ]

    public static let readsLoggedAt = true

    var info = ReceiptInfoReader()
    var responseKeys = ResponseKey.keyTable
    var receiptKeys = ObjectReader(ReceiptKey.keyTable, reading: \.isRead)
    var requestMembers = RequestKey.keyTable
    /// Holds a half of a pair that came as a string, its escapes undone.
    var scratch: [UInt8] = []

    /// The values of the members outside the lists of transactions.
    struct Envelope {
        var status: Int64?
        /// The defect of a value that Apple cannot have written, and its member.
        var strange: (error: Finding, key: ResponseKey)?
        var isRetryable: Int64?
        var environment: Int64?
        var receiptType: Int64?
        var typeEnvironment: Int64?
        /// The environment of a `receipt` with the key of a legacy receipt, as libraries write it.
        var receiptEnvironment: Int64?
        var bundleID: Int64?
        var appVersion: Int64?
        var requestDate: Int64?
        var creationDate: Int64?
        /// The instant of the most preferred member so far, and how preferred it is.
        var loggedAt: (instant: Int64, rank: Int)?
        var requestID: Int64?
        /// The digest of a receipt that stood in a request that came as a string.
        var receiptDigest: Int64?
        /// The strings that the document may wrap, best first.
        var receiptData: JSONToken?
        var receipt: JSONToken?
        var latestReceipt: JSONToken?
        /// How many members held one of these strings.
        var encodedCount = 0
        /// Whether anything decoded was there: a `receipt` object or a list.
        var hasContent = false
        /// Where a `receipt` that is a list of something else begins.
        var receiptList: Int?
        /// Whether anything decoded was there that may have purchases; `pending_renewal_info` has none.
        var hasPurchases = false
        /// Whether there was a `receipt` object, be it empty.
        var hasReceipt = false
        /// Whether the `receipt` has neither purchases nor members of one, but others that may hold a document, such as
        /// a whole response.
        var receiptMayHoldDocument = false
        /// Whether its row is the object itself, a transaction by itself.
        var isAlone = false
        /// Whether a receipt with `in_app` was there.
        var hasList = false
        var pair = Pair()
        var isNotification = false
        var isEvent = false
        /// Whether it may be the payload of a JWS, in the other spelling of its keys.
        var isPayload = false
        /// Whether it is a row that `convert` wrote. Its trust and its kind would be lost if it were read as a
        /// transaction.
        var isRow = false
        /// Whether there was a member that neither a response nor a dump of them has.
        var hasOthers = false
        /// The renewal state at the top level of iOS 6 responses.
        var renewal = TopLevelRenewal()
        var cancellation = TopLevelCancellation()

        var observedAt: Int64? { requestDate ?? creationDate }
        var rowEnvironment: Int64? { environment ?? typeEnvironment ?? receiptEnvironment ?? pair.environment }
        /// Whether results beside the purchases could tell more.
        var lacksOutcome: Bool { status == nil || rowEnvironment == nil }
        /// Whether its `receipt` may be a document, to which its own status, if it is none of a failure, does not
        /// apply.
        var mayBeHolder: Bool { receiptMayHoldDocument && (isBooked || !hasKnownStatus) }
        /// Whether its rows count; a dump that left the status out says nothing of a failure.
        var isBooked: Bool { status == nil || VerifyStatus.isBooked(status) }
    }

    /// The state of a `{request, response}` pair.
    struct Pair {
        var isPair = false
        /// Whether the members being read are those of the response.
        var isInResponse = false
        /// The response, be it an object, or a string that holds one or other text.
        var response: JSONToken?
        var hasResponse: Bool { response != nil }
        /// Whether the response is text that is no JSON.
        var hasPage = false
        /// The environment that a member beside the response tells, one of Apple's. It counts where the response tells
        /// none.
        var environment: Int64?
        /// Whether they stand in a string of their own, so that a token of them means nothing later.
        var isDetached = false
        /// A request that came as a string: without a response it is the document.
        var request: JSONToken?
        /// Whether that string is neither JSON nor a receipt by itself.
        var isRequestUnknown = false
        /// The digest of the receipt that a recorded request has in its body, or under another name. The response beside
        /// it may be recorded in the same way, so it does not show that this is a pair of verifyReceipt.
        var recordedDigest: Int64?
        /// The first defect of a half, and where it is.
        var defect: (error: Finding, place: ReceiptInfoReader.Place, parent: MemberName?)?
    }

    var envelope = Envelope()
    public var surroundings = Surroundings()
    /// Where the rows of the document begin, and whether none of its transactions is skipped.
    private(set) var documentStart: (mark: RowBatch.Mark, readsAll: Bool)?

    public init() {}

    public var path: String { info.path }

    @_lifetime(cursor: copy cursor)
    public mutating func decode(json cursor: inout JSONCursor, into rows: inout RowBatch) throws(Finding) -> Decoded {
        let start = copy cursor
        let mark = rows.mark()
        if let decoded = try decode(json: &cursor, readsAll: false, into: &rows) { return decoded }
        // A skipped transaction was not the duplicate that it seemed to be. That is rare; then all are read.
        rows.rollBack(to: mark)
        cursor = start
        return try decode(json: &cursor, readsAll: true, into: &rows) ?? .document()
    }

    /// Reads a document; `nil` if a transaction was skipped that must be read.
    @_lifetime(cursor: copy cursor)
    private mutating func decode(
        json cursor: inout JSONCursor,
        readsAll: Bool,
        into rows: inout RowBatch
    ) throws(Finding) -> Decoded? {
        envelope = Envelope()
        info.beginDocument(rows.duplicates.cache, readsAll: readsAll)
        let start = cursor.position
        let mark = rows.mark()
        documentStart = (mark, readsAll)
        try decodeMembers(in: &cursor, into: &rows)
        info.place = ReceiptInfoReader.Place()
        if envelope.isBare, envelope.isPayload, !envelope.isNotification { return .other(FormatID(JWSFormat.self)) }
        if envelope.isBare, envelope.hasOthers, !envelope.isNotification, !envelope.isEvent, !envelope.isRow {
            try decodeReceiptAlone(from: start, in: cursor, into: &rows)
        }
        if envelope.isNotification { return .other(FormatID(NotificationFormat.self)) }
        if envelope.isEvent, envelope.isBare { return .other(FormatID(EventFormat.self)) }
        if let defect = envelope.pair.defect, envelope.isPlausible, !envelope.isRequestBesidePage {
            (info.place, info.parent) = (defect.place, defect.parent)
            throw defect.error
        }
        if envelope.hasOthers, envelope.wrapsReceipt { try applyOutcome(besideReceiptAt: start, of: cursor) }
        if let wrapped = envelope.wrapped { return wrapped }
        guard envelope.isPlausible else { return .unclear(.reject(Finding(.unrecognized, at: start))) }
        if let (error, key) = envelope.strange, key != .status || !envelope.isBare {
            info.place.key = .response(key)
            // A status that a database has written with its type is none that may be passed over.
            if envelope.mayBeHolder, error.defect != .type { return .unclear(.holder(error)) }
            if key == .status { throw error }
            if envelope.isBare { return .unclear(.reject(error)) }
        }
        if let list = envelope.receiptList, envelope.status == nil ? !envelope.isBare : envelope.isBooked {
            info.place.key = .response(.receipt)
            guard envelope.isBare else { throw Finding(.type, at: list) }
            return .unclear(.reject(Finding(.type, at: list)))
        }
        guard envelope.isConclusive else {
            let error = Finding(.unrecognized, at: start)
            return .unclear(envelope.mayBeHolder ? .holder(error) : .reject(error))
        }
        if rows.wanted.contains(.requests), envelope.requestID == nil, envelope.receiptDigest == nil,
            let receiptData = envelope.receiptData
        {
            enterDigest(of: receiptData, in: cursor, &rows)
        }
        if envelope.hasOthers || envelope.pair.isPair, envelope.hasContent, envelope.lacksOutcome {
            try applyOutcome(besideMembersAt: start, of: cursor, &rows)
        }
        envelope.status = envelope.status ?? surroundings.status
        // The context lacks what rows take from a reason or an encoded receipt beside the lists, so then there is none.
        let context =
            envelope.cancellation.reason == nil && envelope.encodedPurchases == nil
            ? info.duplicates.context(
                environment: envelope.rowEnvironment,
                bundleID: envelope.bundleID,
                in: rows.dictionary
            ) : nil
        guard !info.index.isMixed, info.duplicates.isConfirmed(in: context) else { return nil }
        let isHolder = envelope.mayBeHolder && (envelope.isAlone || !hasTransactions(since: mark, in: rows))
        finish(from: mark, context: context, in: &rows)
        if isHolder { return .unclear(.holder(nil)) }
        guard let purchases = envelope.encodedPurchases else { return envelope.decodedAlone }
        let environment = Self.known(environment: envelope.rowEnvironment)
        if envelope.encodedCount > 1, !envelope.hasPurchases, !envelope.pair.isPair {
            return .holding(environment: environment)
        }
        return .both(purchases.token, member: purchases.member, environment: environment)
    }

    private func hasTransactions(since mark: RowBatch.Mark, in rows: borrowing RowBatch) -> Bool {
        rows.transactions.rowCount > mark.transactions || info.index.skippedCount > 0
    }

    /// Reads a part of a response in a dump: its `receipt`, or one transaction of its lists.
    ///
    ///     {"bundle_id":"com.example.shop","in_app":[ transaction, … ]}
    ///     {"transaction_id":"1000…","product_id":"coins","purchase_date_ms":"1772442600000", …}
    ///
    /// A transaction needs these three, since the records of other shops have any two of them.
    private mutating func decodeReceiptAlone(
        from start: Int,
        in cursor: borrowing JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        let mark = rows.mark()
        let before = envelope
        var inner = copy cursor
        inner.position = start
        do {
            try decodeReceipt(in: &inner, into: &rows)
        } catch  where !envelope.hasList {
            inner.position = start
            if try info.hasKeysOfTransaction(in: inner) { throw error }
            (envelope, info.place) = (before, ReceiptInfoReader.Place())
            return rows.rollBack(to: mark)
        }
        info.place = ReceiptInfoReader.Place()
        var isWhole = [.productID, .purchaseDate].allSatisfy { (column: TransactionColumn) in
            rows.transactions.rowCount > mark.transactions && rows.transactions[column, mark.transactions] != nil
        }
        if isWhole, rows.transactions[.transactionID, mark.transactions] == nil {
            isWhole = info.hasLostIdentifier(in: cursor.values)
        }
        if isWhole, !envelope.hasList {
            inner.position = start
            if try !info.hasKeysOfTransaction(in: inner) { isWhole = false }
        }
        if isWhole, !envelope.hasList, !envelope.hasKnownStatus {
            // In a table, each row may have a status of its own.
            (envelope.status, envelope.strange) = (nil, nil)
        }
        envelope.isAlone = isWhole
        envelope.receiptMayHoldDocument = before.receiptMayHoldDocument
        guard !envelope.hasList, !isWhole else { return }
        envelope = before
        info.index.beginDocument()
        rows.rollBack(to: mark)
    }

    /// Reads the members of a response, be it the document or the half of a pair.
    @_lifetime(cursor: copy cursor)
    mutating func decodeMembers(in cursor: inout JSONCursor, into rows: inout RowBatch) throws(Finding) {
        var walk = try responseKeys.enter(&cursor)
        while let key = try info.nextKey(&walk, of: &responseKeys, as: MemberName.response, in: &cursor) {
            try decode(key, in: &cursor, into: &rows)
        }
        if walk.hasUnknown { envelope.hasOthers = true }
    }

    @_lifetime(cursor: copy cursor)
    private mutating func decode(
        _ key: ResponseKey,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        let token = try cursor.token()
        if envelope.pair.hasResponse, !envelope.pair.isInResponse, key.isOfResponse {
            return try passOver(key, token, in: &cursor, into: &rows)
        }
        switch key {
        case .receipt where token.kind == .object:
            envelope.hasReceipt = true
            try decodeReceipt(in: &cursor, into: &rows)
        case .latestReceiptInfo, .latestExpiredReceiptInfo:
            (envelope.hasContent, envelope.hasPurchases) = (true, true)
            try info.decodeTransactions(token, isLatest: true, in: &cursor, into: &rows)
        case .pendingRenewalInfo:
            envelope.hasContent = true
            try info.decodeRenewals(token, in: &cursor, into: &rows)
        case .receipt where try ReceiptInfoReader.isListOfTransactions(token, at: cursor):
            (envelope.hasContent, envelope.hasPurchases) = (true, true)
            (envelope.hasReceipt, envelope.hasList) = (true, true)
            try info.decodeTransactions(token, isLatest: false, in: &cursor, into: &rows)
        case .receipt where TypedScalars.jsonText(of: token, in: cursor) != nil:
            throw Finding(.type, at: token.start)
        case .receipt, .latestReceipt, .exception: try keepText(token, of: key, in: &cursor)
        case .status: try readStatus(token, in: &cursor)
        // Apple's own spelling takes precedence over other spellings.
        case .isRetryableHyphen:
            envelope.isRetryable = try info.fields.flag(token, in: cursor.values) ?? envelope.isRetryable
        case .isRetryable:
            let isRetryable = try info.fields.flag(token, in: cursor.values)
            envelope.isRetryable = envelope.isRetryable ?? isRetryable
        case .environment:
            envelope.environment = try info.fields.word(
                token,
                in: cursor.values,
                &rows.dictionary,
                AppleWord.environment
            )
        case .requestID: try readRequestID(token, in: cursor.values, &rows)
        case .receiptData, .receiptDataHyphen:
            if token.kind == .null {
                envelope.strange = envelope.strange ?? (Finding(.type, at: token.start), key)
                return
            }
            guard token.kind == .string else { throw Finding(.type, at: token.start) }
            keep(token, of: key)
        case .request, .response: try decodeHalf(key, token, in: &cursor, into: &rows)
        case .notificationType, .unifiedReceipt, .autoRenewAdamID, .signedPayload, .notificationTypeV2,
            .notificationUUID:
            envelope.isNotification = envelope.isNotification || !envelope.pair.isInResponse
            if token.isContainer { try cursor.skipContainer() }
        case .event:
            envelope.isEvent = envelope.isEvent || token.kind == .string
            if token.isContainer { try cursor.skipContainer() }
        case .signedDate, .transactionReason:
            envelope.isPayload = envelope.isPayload || token.kind != .null
            if token.isContainer { try cursor.skipContainer() }
        case .table:
            envelope.isRow = info.fields.isText("transactions", token, in: cursor.values)
            envelope.hasOthers = true
            if token.isContainer { try cursor.skipContainer() }
        case .autoRenewStatus:
            let status = try info.fields.enumerated(.autoRenewStatus, token, in: cursor.values, &rows.reading)
            envelope.renewal.status = status
        case .autoRenewProductID:
            envelope.renewal.autoRenewProductID = try info.fields.text(token, in: cursor.values, &rows.dictionary)
        case .expirationIntent:
            let intent = try info.fields.enumerated(.expirationIntent, token, in: cursor.values, &rows.reading)
            envelope.renewal.expirationIntent = intent
        case .isInBillingRetryPeriod:
            envelope.renewal.isInBillingRetryPeriod = try info.fields.flag(token, in: cursor.values)
        case .cancellationReason:
            let reason = try info.fields.enumerated(.revocationReason, token, in: cursor.values, &rows.reading)
            envelope.cancellation.reason = reason
        case .loggedAtMilliseconds, .loggedAt, .ts, .timestamp, .atTimestamp, .time, .receivedAt, .date,
            .realtimeTimestamp, .tsMilliseconds:
            try readLogTime(token, of: key, in: &cursor)
        }
    }

    /// Keeps the text of a receipt or an exception for later; an object or a list there is passed over.
    @_lifetime(cursor: copy cursor)
    private mutating func keepText(
        _ token: JSONToken,
        of key: ResponseKey,
        in cursor: inout JSONCursor
    ) throws(Finding) {
        guard token.isContainer else {
            if token.kind == .string, token.count > 0 { keep(token, of: key) }
            return
        }
        try cursor.skipContainer()
        // PHP writes an empty object as `[]`; of a list with elements the purchases would be lost.
        let isEmpty = cursor.position - token.start <= Self.emptyListCount
        if key == .receipt, token.kind == .array, !isEmpty {
            envelope.receiptList = token.start
        }
    }

    @_lifetime(cursor: copy cursor)
    private mutating func readStatus(_ token: JSONToken, in cursor: inout JSONCursor) throws(Finding) {
        do {
            envelope.status = try info.fields.code(token, in: cursor.values)
        } catch {
            if envelope.pair.isInResponse { throw error }
            envelope.strange = (error, .status)
            if token.isContainer { try cursor.skipContainer() }
        }
    }

    /// The request id of the dump takes precedence over one inside the response.
    private mutating func readRequestID(_ token: JSONToken, in json: JSONBytes, _ rows: inout RowBatch) throws(Finding)
    {
        guard rows.wanted.contains(.requests) else {
            _ = try info.fields.isPresent(token)
            return
        }
        guard !envelope.pair.isInResponse || envelope.requestID == nil else { return }
        envelope.requestID = try info.fields.text(token, in: json, &rows.dictionary) ?? envelope.requestID
    }

    /// Takes the time of the document if no member that takes precedence has one.
    @_lifetime(cursor: copy cursor)
    private mutating func readLogTime(
        _ token: JSONToken,
        of key: ResponseKey,
        in cursor: inout JSONCursor
    ) throws(Finding) {
        // A time that a database has written with its type is read again without it.
        if token.kind == .object, TypedScalars.isTagged(at: cursor) { throw Finding(.type, at: token.start) }
        if token.isContainer { return try cursor.skipContainer() }
        // Members of the document count before those of the response inside it.
        let rank =
            (ResponseKey.logTimes.firstIndex(of: key) ?? 0)
            + (envelope.pair.isInResponse ? ResponseKey.logTimes.count : 0)
        if let instant = info.fields.loggedInstant(token, in: cursor.values), rank < envelope.loggedAt?.rank ?? .max {
            envelope.loggedAt = (instant, rank)
        }
    }

    /// Writes the values of the whole document into its rows, or removes the rows if the status forbids them.
    private mutating func finish(from mark: RowBatch.Mark, context: UInt64?, in rows: inout RowBatch) {
        let skippedCount = info.index.skippedCount
        let transactionCount = rows.transactions.rowCount - mark.transactions + skippedCount
        let isBooked = envelope.isBooked
        if isBooked {
            envelope.renewal.append(to: &rows, from: mark)
            envelope.cancellation.complete(&rows, mark.transactions..<rows.transactions.rowCount)
            completeRows(from: mark, in: &rows)
            rows.duplicates.countSkipped(skippedCount)
            info.duplicates.commit(context, to: &rows)
        } else {
            rows.rollBack(to: mark)
        }
        let facts = DocumentFacts(
            kind: .verify,
            trust: .unsigned,
            environment: envelope.rowEnvironment,
            bundleID: envelope.bundleID,
            appVersion: envelope.appVersion,
            receiptType: envelope.receiptType,
            observedAt: envelope.observedAt
        )
        rows.appendDocument(facts, from: mark, withheld: isBooked ? 0 : transactionCount) { documents in
            documents.set(.status, envelope.status)
            documents.set(.isRetryable, envelope.isRetryable)
            documents.set(.loggedAt, envelope.loggedAt?.instant ?? envelope.requestDate)
            documents.set(.pairKey, envelope.requestID ?? envelope.receiptDigest ?? envelope.pair.recordedDigest)
        }
    }

    @inline(__always)  // A call would copy the whole format, for each document.
    private func completeRows(from mark: RowBatch.Mark, in rows: inout RowBatch) {
        for row in mark.transactions..<rows.transactions.rowCount {
            if let environment = envelope.rowEnvironment { rows.transactions.set(.environment, environment, row: row) }
            // A flat receipt tells its own app; an iOS 7 one tells it once for all.
            rows.transactions.fill(.bundleID, envelope.bundleID, row: row)
            rows.transactions.fill(.appVersion, envelope.appVersion, row: row)
            if let observedAt = envelope.observedAt { rows.transactions.set(.observedAt, observedAt, row: row) }
            rows.transactions.set(.trust, Word.unsigned.cell, row: row)
            rows.transactions.set(.kind, Word.verify.cell, row: row)
        }
        for row in mark.renewals..<rows.renewals.rowCount {
            if let environment = envelope.rowEnvironment { rows.renewals.set(.environment, environment, row: row) }
            if let bundleID = envelope.bundleID { rows.renewals.set(.bundleID, bundleID, row: row) }
            if let observedAt = envelope.observedAt { rows.renewals.set(.observedAt, observedAt, row: row) }
            rows.renewals.set(.trust, Word.unsigned.cell, row: row)
            rows.renewals.set(.kind, Word.verify.cell, row: row)
        }
    }
}
