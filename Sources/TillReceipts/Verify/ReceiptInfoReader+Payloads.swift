import TillColumns
import TillCore
import TillJSON
import TillRows

/// Payloads of a JWS where a response has its transactions.
///
///     {"receipt":{"in_app":[{"transactionId":"2000…","price":4990,"currency":"EUR","revocationDate":1726000000000,…}]}}
///
/// A server that moved to StoreKit 2 may keep the names of its lists. In camel case, a payload and a transaction of a
/// response have most members in common; price, currency and refund are in a payload only.
extension ReceiptInfoReader {
    /// The members of an object that payloads have, and no transaction of a response.
    struct PayloadMarks {
        /// Whether one of them shows a payload for sure.
        fileprivate private(set) var isSigned = false
        fileprivate private(set) var revocationDate: JSONToken?
        fileprivate private(set) var revocationReason: JSONToken?

        /// Notes such a member, unless it is null. Few transactions have one, so the others make no marks.
        static func note(_ key: TransactionKey, _ token: JSONToken, in marks: inout PayloadMarks?) {
            guard token.kind != .null else { return }
            var noted = marks ?? PayloadMarks()
            switch key {
            case .signedDate, .transactionReason: noted.isSigned = true
            case .revocationDate: noted.revocationDate = token
            case .revocationReason: noted.revocationReason = token
            default: break
            }
            marks = noted
        }
    }

    /// Sets the refund that a payload tells.
    mutating func setRefund(_ marks: PayloadMarks, in json: JSONBytes, _ rows: inout RowBatch) throws(Finding) {
        try setMissing(.revocationDate, marks.revocationDate, .cancellationDate, in: json, &rows)
        guard let reason = marks.revocationReason,
            rows.transactions[.cancellationReason, rows.transactions.rowCount] == nil
        else { return }
        let number = try fields.enumerated(.revocationReason, reason, in: json, &rows.reading)
        rows.transactions.set(.cancellationReason, number)
    }

    /// Reads the object at the cursor into the open row as the payload of a JWS; `false` if it is none. The row has
    /// what was found in it as a transaction of a response.
    ///
    /// - Parameter identifierKey: the number of the key of the id. In camel case, as in payloads, it lies behind those
    ///   of Apple's spelling.
    @_lifetime(cursor: copy cursor)
    mutating func decodePayload(
        _ marks: PayloadMarks,
        identifierKey: Int,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) -> Bool {
        let row = rows.transactions.rowCount
        // Records of libraries have prices too, which are not in thousandths.
        guard marks.isSigned || identifierKey >= TransactionKey.allCases.count, rows.transactions[.isTrial, row] == nil
        else { return false }
        let isDated = rows.transactions[.purchaseDate, row] != nil
        var reader = payloads.take() ?? PayloadReader()
        defer { payloads = reader }
        reader.beginDocument()
        let payload: Payload
        do {
            payload = try reader.read(&cursor, into: &rows)
        } catch {
            place.isInPayload = true
            throw error
        }
        guard payload.isPurchase, payload.kind == .transaction, !payload.isOfResponse else { return false }
        return !isDated || rows.transactions[.purchaseDate, row] != nil
    }
}
