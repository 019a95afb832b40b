import TillColumns
public import TillCore
public import TillJSON
public import TillRows

/// App Store Server Notifications, version 1 and 2.
///
///     {"signedPayload":"eyJ…"}                                            V2, as Apple posts it
///     {"notificationType":"DID_RENEW","subtype":…,"signedDate":…,         V2, decoded
///      "data":{"environment":…,"signedTransactionInfo":"eyJ…","signedRenewalInfo":"eyJ…"}}
///     {"notification_type":"RENEWAL","environment":"PROD","password":…,   V1
///      "unified_receipt":{"latest_receipt_info":[…],"pending_renewal_info":[…]}}
///
/// A signed payload is a wrapper that ``Unwrapper`` removes, so a V2 body is decoded already. Its `data` (or `summary`,
/// `externalPurchaseToken`, `appData`) may hold up to three more payloads, each a JWS or decoded already; rows take
/// from it what their own payload lacks. Any type and any subtype is accepted. Of V1 bodies the lists are those of a
/// verifyReceipt response, and `password` is never read (quirk 63).
public struct NotificationFormat: ReceiptFormat {
    public static let name = "notification"
    public static let summary = "App Store Server Notifications, version 1 and 2"
    public static let jsonKeys = [
        "signedPayload", "notificationType", "notificationUUID", "notification_type", "unified_receipt",
        "auto_renew_adam_id",
    ]
    public static let readsSignedPayloads = true
    public static let rank = 3
    public static let readsNestedDocuments = true

    var info = ReceiptInfoReader()
    var payloads = PayloadReader()
    var envelopes = CompactJWS()
    public var checker: (any SignatureChecker)?
    private var keys = NotificationKey.keyTable
    var dataKeys = NotificationDataKey.keyTable
    var unifiedKeys = UnifiedReceiptKey.keyTable
    /// Holds the payload of a nested JWS.
    var payloadBytes: [UInt8] = []

    /// The values of the members outside the rows.
    struct Envelope {
        /// The type under either name: only one of the versions has it.
        var type: Int64?
        /// The text of the type, for the one type that means something here.
        var isRefundReversed = false
        var subtype: Int64?
        var environment: Int64?
        var innerEnvironment: Int64?
        var bundleID: Int64?
        var appVersion: Int64?
        var receiptType: Int64?
        var signedDate: Int64?
        var signedPayload: JSONToken?
        /// Whether a signed payload was read.
        var hasSigned = false
        /// Members that may be or hold payloads that were decoded before.
        var siblings: [JSONToken] = []
        /// Whether a member was there that only V1 notifications have. Where they list transactions or have a receipt,
        /// members that are not Apple's mean nothing.
        var isVersion1 = false
        /// The status of the receipt of a V1 notification.
        var status: Int64?
        /// A member that is no object where Apple's notifications have one, and its name.
        var defect: (error: Finding, key: NotificationKey)?
        /// Whether a member that is not decoded holds what begins as a signed document or a receipt does.
        var holdsSigned = false
        /// The receipt of a V1 notification, of several the one of the lowest rank. It is decoded only where no list
        /// has its transactions.
        var receipt: (token: JSONToken, place: ReceiptPlace)?
        /// Renewals before the row of the state at the top level.
        var renewalCount = 0
        /// Whether a member was there that only Apple's notifications have, or the type is one of theirs.
        var isCertain = false
        /// The type, by which a notification without such members is known.
        var typeToken: JSONToken?
        var renewal = TopLevelRenewal()
        /// The verdict on the first payload inside that is not trusted.
        var untrusted: TrustVerdict?
        /// The verdict on an inner payload.
        var signer: String?
        /// Whether there is a transaction without a signature of its own.
        var hasUnsignedTransactions = false
        var cancellation = TopLevelCancellation()
    }

    var envelope = Envelope()
    /// Whether the notification that was decoded last has its transactions only in its receipt, which the caller has to
    /// decode.
    private(set) var leavesReceipt = false
    /// The members that hold what is being read, for ``path``.
    var place: [String] = []

    /// The environment of the notification, if it is one of Apple's.
    var knownEnvironment: Word? {
        VerifyFormat.known(environment: envelope.environment ?? envelope.innerEnvironment)
    }

    public init() {}

    public var path: String {
        (place + [payloads.path, info.path]).filter { !$0.isEmpty }.joined(separator: " › ")
    }

    @_lifetime(cursor: copy cursor)
    public mutating func decode(json cursor: inout JSONCursor, into rows: inout RowBatch) throws(Finding) -> Decoded {
        envelope = Envelope()
        leavesReceipt = false
        place.removeAll(keepingCapacity: true)
        info.beginDocument()
        payloads.beginDocument()
        let (start, mark) = (cursor.position, rows.mark())
        var walk = try keys.enter(&cursor)
        while let number = try keys.next(&walk, in: &cursor) {
            if number == KeyTable<NotificationKey>.unknown {
                try decodeUnknown(in: &cursor, into: &rows)
            } else {
                info.place.key = .notification(keys[number])
                try decode(keys[number], in: &cursor, into: &rows)
            }
        }
        info.place = ReceiptInfoReader.Place()
        // The signed payload takes precedence over its decoded copy.
        if let signedPayload = envelope.signedPayload { return .wrapped(signedPayload, member: "signedPayload") }
        guard envelope.isCertain || NotificationType.isKnown(envelope.typeToken, in: cursor.values) else {
            return .unclear(.reject(Finding(.unrecognized, at: start)))
        }
        if let defect = envelope.defect {
            info.place.key = .notification(defect.key)
            throw defect.error
        }
        try decodeSiblings(in: cursor, from: mark, into: &rows)
        if rows.transactions.rowCount == mark.transactions { try decodeOwnMembers(at: start, of: cursor, into: &rows) }
        envelope.renewalCount = rows.renewals.rowCount
        finish(from: mark, in: &rows)
        if isBooked, rows.transactions.rowCount == mark.transactions, let receipt = envelope.receipt,
            isReceipt(receipt.token, in: cursor)
        {
            leavesReceipt = true
            return .unclear(.document)
        }
        if !isBooked, rows.documents[.withheld, mark.documents] == 0, let receipt = envelope.receipt {
            return .refused(part: receipt.token)
        }
        let hasRows = rows.transactions.rowCount > mark.transactions || rows.renewals.rowCount > mark.renewals
        return envelope.holdsSigned && !hasRows ? .unclear(.document) : .document()
    }

    @_lifetime(cursor: copy cursor)
    private mutating func keepReceipt(
        _ token: JSONToken,
        _ place: ReceiptPlace,
        in cursor: inout JSONCursor
    ) throws(Finding) {
        if token.isContainer { try cursor.skipContainer() }
        guard token.kind == .string, token.count > 0, place.rawValue < envelope.receipt?.place.rawValue ?? .max else {
            return
        }
        envelope.receipt = (token, place)
    }

    private func isReceipt(_ token: JSONToken, in cursor: borrowing JSONCursor) -> Bool {
        guard token.hasEscapes else { return cursor.raw(token).beginsLikeDocument }
        var text: [UInt8] = []
        cursor.appendText(of: token, to: &text)
        return text.span.bytes.beginsLikeDocument
    }

    /// Takes back what ``finish(from:in:)`` wrote, so that the receipt can be decoded whose transactions the
    /// notification is about.
    func prepareForReceipt(from mark: RowBatch.Mark, in rows: inout RowBatch) {
        rows.documents.rollBack(to: mark.documents)
        rows.renewals.rollBack(to: envelope.renewalCount)
    }

    /// Makes the document that was decoded from the receipt of the notification, and its rows, those of the
    /// notification.
    ///
    /// Each row keeps the trust that the signature of the receipt gives it. The type of the notification is not signed,
    /// so the notification is unsigned; where the receipt is untrusted, so is the notification.
    mutating func finishReceipt(from mark: RowBatch.Mark, in rows: inout RowBatch) {
        let receipt = mark.documents
        guard receipt < rows.documents.rowCount else { return }
        envelope.innerEnvironment = envelope.innerEnvironment ?? rows.documents[.environment, receipt]
        envelope.bundleID = envelope.bundleID ?? rows.documents[.bundleID, receipt]
        envelope.appVersion = envelope.appVersion ?? rows.documents[.appVersion, receipt]
        envelope.receiptType = rows.documents[.receiptType, receipt]
        envelope.signer = rows.signer(ofDocument: receipt)
        if rows.documents[.trust, receipt] == Word.untrusted.cell {
            let code = rows.documents[.trustCode, receipt].flatMap {
                TrustCode(rawValue: rows.dictionary.text(of: Int($0)))
            }
            envelope.untrusted = TrustVerdict(.untrusted, code: code, signer: envelope.signer)
        }
        rows.documents.rollBack(to: receipt)
        finish(from: mark, in: &rows)
    }

    @_lifetime(cursor: copy cursor)
    private mutating func decode(
        _ key: NotificationKey,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        let token = try cursor.token()
        if key.isApple, token.kind != .null { envelope.isCertain = true }
        if key.isOfVersion1 { envelope.isVersion1 = true }
        switch key {
        case .signedPayload:
            guard token.kind == .string else { throw Finding(.type, at: token.start) }
            envelope.signedPayload = token
        case .notificationType, .notificationTypeV1:
            guard !token.isContainer else { return try cursor.skipContainer() }
            envelope.type = try info.fields.text(token, in: cursor.values, &rows.dictionary) ?? envelope.type
            envelope.typeToken = token
            envelope.isRefundReversed =
                envelope.isRefundReversed || info.fields.isWord("refundreversed", token, in: cursor.values)
        case .subtype: envelope.subtype = try info.fields.text(token, in: cursor.values, &rows.dictionary)
        case .signedDate: envelope.signedDate = try info.fields.saleInstant(token, in: cursor.values)
        case .data, .summary, .externalPurchaseToken, .appData:
            try decodeData(token, of: key, in: &cursor, into: &rows)
        case .environment:
            envelope.environment = try info.fields.word(
                token,
                in: cursor.values,
                &rows.dictionary,
                AppleWord.environment
            )
        case .bid:
            envelope.bundleID = try info.fields.text(token, in: cursor.values, &rows.dictionary) ?? envelope.bundleID
        case .bvrs: envelope.appVersion = try info.fields.text(token, in: cursor.values, &rows.dictionary)
        case .autoRenewProductID:
            envelope.renewal.autoRenewProductID = try info.fields.text(token, in: cursor.values, &rows.dictionary)
        case .autoRenewStatus:
            let status = try info.fields.enumerated(.autoRenewStatus, token, in: cursor.values, &rows.reading)
            envelope.renewal.status = status
        case .expirationIntent:
            let intent = try info.fields.enumerated(.expirationIntent, token, in: cursor.values, &rows.reading)
            envelope.renewal.expirationIntent = intent
        case .isInBillingRetryPeriod:
            envelope.renewal.isInBillingRetryPeriod = try info.fields.flag(token, in: cursor.values)
        case .originalTransactionID:
            envelope.renewal.originalTransactionID = try info.fields.identifier(token, in: cursor.values, &rows)
        case .latestReceiptInfo, .latestExpiredReceiptInfo:
            envelope.hasUnsignedTransactions = true
            try info.decodeTransactions(token, isLatest: true, in: &cursor, into: &rows)
        case .pendingRenewalInfo: try info.decodeRenewals(token, in: &cursor, into: &rows)
        case .unifiedReceipt:
            try decodeUnifiedReceipt(token, in: &cursor, into: &rows)
        case .cancellationDate: envelope.cancellation.text = try info.fields.saleInstant(token, in: cursor.values)
        case .cancellationDateMilliseconds:
            envelope.cancellation.milliseconds = try info.fields.saleMilliseconds(token, in: cursor.values)
        case .cancellationReason:
            let reason = try info.fields.enumerated(.revocationReason, token, in: cursor.values, &rows.reading)
            envelope.cancellation.reason = reason
        case .webOrderLineItemID:
            envelope.cancellation.lineItemID = try info.fields.identifier(token, in: cursor.values, &rows)
        case .latestReceipt: try keepReceipt(token, .latest, in: &cursor)
        case .latestExpiredReceipt: try keepReceipt(token, .latestExpired, in: &cursor)
        case .notificationUUID, .version, .autoRenewAdamID, .password, .cancellationDatePST:
            if token.isContainer { try cursor.skipContainer() }
        }
    }

    /// Reads `unified_receipt`, which holds what older V1 bodies have at the top level (quirk 62).
    @_lifetime(cursor: copy cursor)
    private mutating func decodeUnifiedReceipt(
        _ token: JSONToken,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        if token.kind == .null { return }
        guard token.kind == .object else { throw Finding(.type, at: token.start) }
        info.parent = .notification(.unifiedReceipt)
        var walk = try unifiedKeys.enter(&cursor)
        while let key = try info.nextKey(&walk, of: &unifiedKeys, as: MemberName.unifiedReceipt, in: &cursor) {
            let token = try cursor.token()
            switch key {
            case .environment:
                envelope.innerEnvironment = try info.fields.word(
                    token,
                    in: cursor.values,
                    &rows.dictionary,
                    AppleWord.environment
                )
            case .latestReceiptInfo, .latestExpiredReceiptInfo:
                envelope.hasUnsignedTransactions = true
                try info.decodeTransactions(token, isLatest: true, in: &cursor, into: &rows)
            case .pendingRenewalInfo: try info.decodeRenewals(token, in: &cursor, into: &rows)
            case .status: envelope.status = try info.fields.code(token, in: cursor.values)
            case .latestReceipt: try keepReceipt(token, .unified, in: &cursor)
            }
        }
        info.parent = nil
    }

    /// Whether the transactions count; those of a receipt that failed its verification do not.
    private var isBooked: Bool { envelope.status == nil || VerifyStatus.isBooked(envelope.status) }

    /// Writes the values of the whole notification into rows that lack them, and its own row.
    private mutating func finish(from mark: RowBatch.Mark, in rows: inout RowBatch) {
        let withheld = isBooked ? 0 : rows.transactions.rowCount - mark.transactions
        if !isBooked { rows.rollBack(to: mark) }
        let transactions = mark.transactions..<rows.transactions.rowCount
        if isBooked { envelope.renewal.append(to: &rows, from: mark) }
        envelope.cancellation.complete(&rows, transactions)
        envelope.environment =
            envelope.environment ?? envelope.innerEnvironment
            ?? rows.transactions.agreed(.environment, in: transactions)
        // Old V1 bodies name the app only in their transactions.
        envelope.bundleID = envelope.bundleID ?? rows.transactions.agreed(.bundleID, in: transactions)
        envelope.appVersion = envelope.appVersion ?? rows.transactions.agreed(.appVersion, in: transactions)
        for row in transactions { completeTransaction(row, in: &rows.transactions) }
        for row in mark.renewals..<rows.renewals.rowCount { completeRenewal(row, in: &rows.renewals) }
        let facts = DocumentFacts(
            kind: .notification,
            trust: TrustVerdict(.unsigned, signer: envelope.signer),
            environment: envelope.environment,
            bundleID: envelope.bundleID,
            appVersion: envelope.appVersion,
            receiptType: envelope.receiptType,
            observedAt: envelope.signedDate
        )
        rows.appendDocument(facts, from: mark, withheld: withheld) { documents in
            documents.set(.notificationType, envelope.type)
            documents.set(.notificationSubtype, envelope.subtype)
        }
        if let untrusted = envelope.untrusted { rows.apply(untrusted, from: mark) }
    }

    /// Writes the values of the whole notification into a transaction that lacks them.
    ///
    /// The trust of a transaction is that of its own payload if it has all of its values from there. A transaction that
    /// takes a value from the notification has the trust of the notification.
    private func completeTransaction(_ row: Int, in transactions: inout RecordBatch<TransactionColumn>) {
        let cells = transactions.presence(row: row)
        transactions.fill(.environment, envelope.environment, row: row)
        transactions.fill(.bundleID, envelope.bundleID, row: row)
        transactions.fill(.observedAt, envelope.signedDate, row: row)
        if envelope.isRefundReversed {
            let reversed = envelope.signedDate ?? transactions[.observedAt, row]
            transactions.fill(.refundReversedAt, reversed, row: row)
        }
        let isOwn =
            transactions.presence(row: row) == cells && !envelope.hasUnsignedTransactions
            && !envelope.cancellation.isKnown
        if transactions[.trust, row] == nil || transactions[.trust, row] == Word.trusted.cell && !isOwn {
            transactions.set(.trust, Word.unsigned.cell, row: row)
        }
        transactions.fill(.appVersion, envelope.appVersion, row: row)
        transactions.set(.kind, Word.notification.cell, row: row)
    }

    /// The same for the state of a renewal.
    private func completeRenewal(_ row: Int, in renewals: inout RecordBatch<RenewalColumn>) {
        let cells = renewals.presence(row: row)
        renewals.fill(.environment, envelope.environment, row: row)
        renewals.fill(.bundleID, envelope.bundleID, row: row)
        renewals.fill(.observedAt, envelope.signedDate, row: row)
        let isOwn = renewals.presence(row: row) == cells
        if renewals[.trust, row] == nil || renewals[.trust, row] == Word.trusted.cell && !isOwn {
            renewals.set(.trust, Word.unsigned.cell, row: row)
        }
        renewals.set(.kind, Word.notification.cell, row: row)
    }
}
