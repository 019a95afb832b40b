import TillColumns
import TillCore
public import TillJSON
public import TillRows

/// verifyReceipt: responses of both generations, and requests, which are wrappings of their receipt.
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
    public static let summary = "verifyReceipt responses of either generation, and requests"
    public static let jsonKeys = [
        "status", "receipt", "latest_receipt_info", "latest_expired_receipt_info", "latest_receipt",
        "pending_renewal_info", "receipt-data", "receipt_data",
    ]

    var fields = FieldReader()
    var index = DocumentIndex()
    private var responseKeys = KeyTable<ResponseKey>()
    private var receiptKeys = KeyTable<ReceiptKey>()
    var transactionKeys = KeyTable<TransactionKey>()
    var renewalKeys = KeyTable<RenewalKey>()

    /// What the members outside the lists of transactions told.
    struct Envelope {
        var status: Int64?
        var isRetryable: Int64?
        var environment: Int64?
        var receiptType: Int64?
        var typeEnvironment: Int64?
        var bundleID: Int64?
        var appVersion: Int64?
        var requestDate: Int64?
        var creationDate: Int64?
        /// The instant of the most preferred member so far, and how preferred it is.
        var loggedAt: (instant: Int64, rank: Int)?
        var pairKey: Int64?
        var receiptData: JSONToken?
        /// The renewal state at the top level of iOS 6 responses.
        var renewal = TopLevelRenewal()

        var observedAt: Int64? { requestDate ?? creationDate }
        var rowEnvironment: Int64? { environment ?? typeEnvironment }
    }

    struct TopLevelRenewal {
        var status: Int64?
        var productID: Int64?
        var expirationIntent: Int64?
        var isInBillingRetryPeriod: Int64?

        var isTold: Bool {
            status != nil || productID != nil || expirationIntent != nil || isInBillingRetryPeriod != nil
        }
    }

    var envelope = Envelope()
    /// Where the decoder stands, for ``path``.
    var place = Place()

    struct Place {
        var list: String?
        var element = 0
        var key: String = ""
        /// The number of the key within the table of the transactions, kept instead of a name on the hot path.
        var transactionKey: Int?
    }

    public init() {}

    public var path: String {
        let key = place.transactionKey.map { $0 < 0 ? "" : transactionKeys.name($0) } ?? place.key
        let parts = [place.list.map { "\($0)[\(place.element)]" }, key.isEmpty ? nil : key]
        return parts.compactMap(\.self).joined(separator: " › ")
    }

    @_lifetime(cursor: copy cursor)
    public mutating func decode(json cursor: inout JSONCursor, into rows: inout RowBatch) throws -> Decoded {
        envelope = Envelope()
        place = Place()
        index.beginDocument()
        let mark = rows.mark()

        try cursor.expect(0x7B)
        var isFirst = true
        var previous = KeyTable<ResponseKey>.start
        while true {
            let number = try responseKeys.next(in: &cursor, after: previous, isFirst: &isFirst)
            if number == KeyTable<ResponseKey>.end { break }
            if number == KeyTable<ResponseKey>.unknown {
                place.key = ""
                try cursor.skipValue()
                continue
            }
            previous = number
            place.key = responseKeys[number].rawValue
            try decode(responseKeys[number], in: &cursor, into: &rows)
        }
        place = Place()
        if envelope.status == nil, let receiptData = envelope.receiptData { return .wrapped(receiptData) }
        finish(from: mark, in: &rows)
        return .document
    }

    @_lifetime(cursor: copy cursor)
    private mutating func decode(
        _ key: ResponseKey,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws {
        let token = try cursor.token()
        switch key {
        case .receipt where token.kind == .object: try decodeReceipt(in: &cursor, into: &rows)
        case .latestReceiptInfo, .latestExpiredReceiptInfo:
            try decodeTransactions(token, isLatest: true, in: &cursor, into: &rows)
        case .pendingRenewalInfo: try decodeRenewals(token, in: &cursor, into: &rows)
        case .receipt, .latestReceipt, .exception:
            if token.isContainer { try cursor.skipContainer() }
        case .status: envelope.status = try fields.code(token, in: cursor)
        case .isRetryable, .isRetryableHyphen: envelope.isRetryable = try fields.flag(token, in: cursor)
        case .environment:
            envelope.environment = try fields.word(token, in: cursor, &rows.dictionary, AppleWord.environment)
        case .requestID: envelope.pairKey = try fields.text(token, in: cursor, &rows.dictionary)
        case .receiptData, .receiptDataHyphen:
            guard token.kind == .string else { throw DecodeError(.type, at: token.start) }
            envelope.receiptData = token
        case .autoRenewStatus:
            envelope.renewal.status = try fields.flag(token, in: cursor)
        case .autoRenewProductID:
            envelope.renewal.productID = try fields.text(token, in: cursor, &rows.dictionary)
        case .expirationIntent:
            envelope.renewal.expirationIntent = try fields.code(token, in: cursor)
        case .isInBillingRetryPeriod:
            envelope.renewal.isInBillingRetryPeriod = try fields.flag(token, in: cursor)
        case .loggedAtMilliseconds, .loggedAt, .ts, .timestamp, .atTimestamp, .time, .receivedAt:
            if token.isContainer { return try cursor.skipContainer() }
            let rank = ResponseKey.allCases.firstIndex(of: key) ?? 0
            if let instant = fields.loggedInstant(token, in: cursor), rank < envelope.loggedAt?.rank ?? .max {
                envelope.loggedAt = (instant, rank)
            }
        }
    }

    /// Reads the `receipt` object. That of an iOS 6 response is itself the transaction (its `product_id` or `bid` tells)
    /// and is read again as one.
    @_lifetime(cursor: copy cursor)
    private mutating func decodeReceipt(in cursor: inout JSONCursor, into rows: inout RowBatch) throws {
        let start = cursor.position
        var isFlat = false
        var hasList = false
        // As in a transaction, the text of a date is read only where its milliseconds are missing.
        var (creationText, requestText): (JSONToken?, JSONToken?)
        try cursor.expect(0x7B)
        var isFirst = true
        var previous = KeyTable<ReceiptKey>.start
        while true {
            let number = try receiptKeys.next(in: &cursor, after: previous, isFirst: &isFirst)
            if number == KeyTable<ReceiptKey>.end { break }
            if number == KeyTable<ReceiptKey>.unknown {
                place.key = ""
                try cursor.skipValue()
                continue
            }
            previous = number
            let key = receiptKeys[number]
            place.key = key.rawValue
            let token = try cursor.token()
            switch key {
            case .receiptType:
                envelope.receiptType = try fields.text(token, in: cursor, &rows.dictionary)
                envelope.typeEnvironment = try fields.word(token, in: cursor, &rows.dictionary, AppleWord.environment)
            case .bundleID: envelope.bundleID = try fields.text(token, in: cursor, &rows.dictionary)
            case .applicationVersion: envelope.appVersion = try fields.text(token, in: cursor, &rows.dictionary)
            case .inApp:
                hasList = true
                try decodeTransactions(token, isLatest: false, in: &cursor, into: &rows)
            case .receiptCreationDateMilliseconds: envelope.creationDate = try fields.milliseconds(token, in: cursor)
            case .requestDateMilliseconds: envelope.requestDate = try fields.milliseconds(token, in: cursor)
            case .receiptCreationDate: creationText = token
            case .requestDate: requestText = token
            case .bid:
                isFlat = true
                envelope.bundleID = try envelope.bundleID ?? fields.text(token, in: cursor, &rows.dictionary)
            case .bvrs:
                envelope.appVersion = try envelope.appVersion ?? fields.text(token, in: cursor, &rows.dictionary)
            case .productID, .transactionID: isFlat = true
            default: break
            }
            if token.isContainer, key != .inApp { try cursor.skipContainer() }
        }
        if envelope.creationDate == nil, let creationText {
            place.key = ReceiptKey.receiptCreationDate.rawValue
            envelope.creationDate = try fields.instant(creationText, in: cursor)
        }
        if envelope.requestDate == nil, let requestText {
            place.key = ReceiptKey.requestDate.rawValue
            envelope.requestDate = try fields.instant(requestText, in: cursor)
        }
        guard isFlat, !hasList else { return }
        let end = cursor.position
        cursor.position = start
        place = Place(list: "receipt", transactionKey: KeyTable<TransactionKey>.start)
        try decodeTransaction(isLatest: false, in: &cursor, into: &rows)
        cursor.position = end
        place = Place()
    }

    /// Writes what holds for the whole document into its rows, or takes the rows back where the status forbids them.
    private mutating func finish(from mark: RowBatch.Mark, in rows: inout RowBatch) {
        let transactionCount = rows.transactions.rowCount - mark.transactions
        // 21006 is valid data of an expired subscription; any other status says the data is not to be relied on.
        let isBooked = envelope.status == 0 || envelope.status == 21006
        if isBooked {
            appendTopLevelRenewal(from: mark, to: &rows)
            completeRows(from: mark, in: &rows)
        } else {
            rows.rollBack(to: mark)
        }
        rows.documents.beginRow()
        rows.documents.set(.kind, Word.verify.cell)
        rows.documents.set(.status, envelope.status)
        rows.documents.set(.isRetryable, envelope.isRetryable)
        rows.documents.set(.environment, envelope.rowEnvironment)
        rows.documents.set(.bundleID, envelope.bundleID)
        rows.documents.set(.appVersion, envelope.appVersion)
        rows.documents.set(.receiptType, envelope.receiptType)
        rows.documents.set(.observedAt, envelope.observedAt)
        rows.documents.set(.loggedAt, envelope.loggedAt?.instant ?? envelope.requestDate)
        rows.documents.set(.pairKey, envelope.pairKey)
        rows.documents.set(.trust, Word.unsigned.cell)
        rows.documents.set(.transactions, isBooked ? Int64(transactionCount) : 0)
        rows.documents.set(.withheld, isBooked ? 0 : Int64(transactionCount))
        rows.documents.endRow()
    }

    /// Writes the renewal state that stands at the top level, unless a list has told it.
    ///
    /// It is that of the one subscription which an iOS 6 response is about, so its transactions tell which that is.
    private func appendTopLevelRenewal(from mark: RowBatch.Mark, to rows: inout RowBatch) {
        let renewal = envelope.renewal
        guard renewal.isTold, rows.renewals.rowCount == mark.renewals else { return }
        rows.renewals.beginRow()
        rows.renewals.set(.autoRenewStatus, renewal.status)
        rows.renewals.set(.autoRenewProductID, renewal.productID)
        rows.renewals.set(.expirationIntent, renewal.expirationIntent)
        rows.renewals.set(.isInBillingRetryPeriod, renewal.isInBillingRetryPeriod)
        if mark.transactions < rows.transactions.rowCount {
            rows.renewals.set(.productID, rows.transactions[.productID, mark.transactions])
            rows.renewals.set(.originalTransactionID, rows.transactions[.originalTransactionID, mark.transactions])
        }
        rows.renewals.endRow()
    }

    private func completeRows(from mark: RowBatch.Mark, in rows: inout RowBatch) {
        for row in mark.transactions..<rows.transactions.rowCount {
            if let environment = envelope.rowEnvironment { rows.transactions.set(.environment, environment, row: row) }
            // A flat receipt tells its own app; an iOS 7 one tells it once for all.
            if rows.transactions[.bundleID, row] == nil, let bundleID = envelope.bundleID {
                rows.transactions.set(.bundleID, bundleID, row: row)
            }
            if rows.transactions[.appVersion, row] == nil, let appVersion = envelope.appVersion {
                rows.transactions.set(.appVersion, appVersion, row: row)
            }
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
