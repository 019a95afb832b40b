import TillColumns
public import TillCore
public import TillJSON
public import TillRows

/// StoreKit 2: the payload of a signed transaction, of renewal info or of an app transaction.
///
///     eyJhbGciOi….eyJ0cmFuc2FjdGlvbklkIj….MEUCIQ…        compact JWS, a line each or in JSON
///     {"transactionId":"2000000…","price":9990,…}          its payload, decoded
///
/// ``Unwrapper`` takes the payload out of a JWS and hands it on, so that both come here as JSON. A transaction is a
/// row, renewal info a row of another table, an app transaction a document without rows. Nothing is required of a
/// payload but that its members say which of them it is. An object that is no payload of a JWS needs a member of
/// Apple's too, or id, product and date of a purchase.
public struct JWSFormat: ReceiptFormat {
    public static let name = "jws"
    public static let summary = "StoreKit 2: signed transactions, renewal info, app transactions, or their payloads"
    public static let jsonKeys = [
        "transactionId", "originalTransactionId", "webOrderLineItemId", "productId", "purchaseDate",
        "originalPurchaseDate", "inAppOwnershipType", "autoRenewProductId", "autoRenewStatus", "renewalDate",
        "receiptType", "applicationVersion", "originalApplicationVersion", "receiptCreationDate", "appTransactionId",
    ]
    public static let readsSignedPayloads = true

    private var payloads = PayloadReader()

    public init() {}

    public var path: String { payloads.path }

    @_lifetime(cursor: copy cursor)
    public mutating func decode(json cursor: inout JSONCursor, into rows: inout RowBatch) throws(Finding) -> Decoded {
        payloads.beginDocument()
        let start = cursor.position
        let mark = rows.mark()
        let payload = try payloads.read(&cursor, into: &rows)
        if let receipt = payload.transactionReceipt {
            return .wrapped(receipt, member: "transactionReceipt", hasOthers: true)
        }
        if payload.hasProperties, let text = payload.jsonRepresentation {
            return .wrapped(text, member: "jsonRepresentation", hasOthers: true)
        }
        if let other = payload.other.format { return .other(other) }
        if payload.isOfGooglePlay { return .unclear(.payload(Finding(.unrecognized, at: start))) }
        if payload.isOfResponse { return .other(FormatID(VerifyFormat.self)) }
        if let defect = payloads.defect { return .unclear(.payload(defect)) }
        guard let kind = payload.kind else { return .unclear(.payload(Finding(.payload, at: start))) }
        switch kind {
        case .transaction:
            rows.transactions.set(.trust, Word.unsigned.cell)
            rows.transactions.set(.kind, Word.jws.cell)
            rows.transactions.endRow()
        case .renewal:
            rows.renewals.set(.trust, Word.unsigned.cell)
            rows.renewals.set(.kind, Word.jws.cell)
            rows.renewals.endRow()
        case .appTransaction: break
        }
        let facts = DocumentFacts(
            kind: .jws,
            trust: .unsigned,
            environment: payload.anyEnvironment,
            bundleID: payload.bundleID,
            appVersion: payload.appVersion,
            receiptType: payload.receiptType,
            observedAt: payload.observedAt
        )
        rows.appendDocument(facts, from: mark)
        if payload.isAmbiguous { return .unclear(.payload(nil)) }
        if payload.holdsSigned { return .unclear(.document) }
        return .document(loggedAt: .read(payload.loggedAt?.instant))
    }
}
