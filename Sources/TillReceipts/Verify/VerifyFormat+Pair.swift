import TillColumns
import TillJSON
import TillRows

/// Requests, alone and in pairs.
///
///     {"request":{"receipt-data":"MIIT…","password":"…"},"response":{"status":0,…}}
///
/// A pair is one document, its response; of the request only the digest of the receipt is kept, to tie this
/// verification to others of the same receipt, and of the secret nothing. Either half may be a string that holds the
/// JSON, as recorded traffic has it (quirk 7). A request without a response is a wrapping of its receipt.
extension VerifyFormat {
    /// Remembers a string that may be all that the document holds.
    mutating func keep(_ token: JSONToken, of key: ResponseKey) {
        guard !envelope.pair.isDetached else { return }
        switch key {
        case .receiptData, .receiptDataHyphen: envelope.receiptData = token
        case .receipt: envelope.receipt = token
        case .latestReceipt: envelope.latestReceipt = token
        default: return
        }
    }

    @_lifetime(cursor: copy cursor)
    mutating func decodeRequest(_ token: JSONToken, in cursor: inout JSONCursor, into rows: inout RowBatch) throws {
        guard !envelope.pair.isInResponse else { return try skip(token, in: &cursor) }
        envelope.pair.isPair = true
        switch token.kind {
        case .object:
            let receiptData = try decodeRequest(in: &cursor)
            envelope.receiptData = receiptData ?? envelope.receiptData
        case .string where token.count > 0:
            envelope.pair.request = token
            try withJSON(of: token, in: cursor) { format, inner throws in
                guard let receiptData = try format.decodeRequest(in: &inner) else { return }
                format.enterDigest(of: receiptData, in: inner, &rows)
            }
        case .array: throw DecodeError(.type, at: token.start)
        default: return
        }
    }

    /// Reads the members of a request; gives its receipt.
    @_lifetime(cursor: copy cursor)
    private mutating func decodeRequest(in cursor: inout JSONCursor) throws -> JSONToken? {
        info.parent = ResponseKey.request.rawValue
        var receiptData: JSONToken?
        var walk = try requestKeys.enter(&cursor)
        while let number = try requestKeys.nextKnown(&walk, in: &cursor) {
            info.place.key = requestKeys[number].rawValue
            let token = try cursor.token()
            switch requestKeys[number] {
            case .receiptData, .receiptDataHyphen:
                guard token.kind == .string else { throw DecodeError(.type, at: token.start) }
                receiptData = token
            case .password, .excludeOldTransactions: if token.isContainer { try cursor.skipContainer() }
            }
        }
        info.parent = nil
        return receiptData
    }

    @_lifetime(cursor: copy cursor)
    mutating func decodeResponse(_ token: JSONToken, in cursor: inout JSONCursor, into rows: inout RowBatch) throws {
        guard !envelope.pair.isInResponse else { return try skip(token, in: &cursor) }
        envelope.pair.isPair = true
        envelope.pair.isInResponse = true
        guard token.kind != .array else { throw DecodeError(.type, at: token.start) }
        info.parent = ResponseKey.response.rawValue
        switch token.kind {
        case .object:
            envelope.pair.hasResponse = true
            try decodeMembers(in: &cursor, into: &rows)
        case .string where token.count > 0:
            envelope.pair.hasResponse = true
            envelope.pair.isDetached = true
            info.place.key = ""
            try withJSON(of: token, in: cursor) { format, inner throws in
                try format.decodeMembers(in: &inner, into: &rows)
            }
            envelope.pair.isDetached = false
        default: break
        }
        info.parent = nil
        envelope.pair.isInResponse = false
    }

    @_lifetime(cursor: copy cursor)
    private func skip(_ token: JSONToken, in cursor: inout JSONCursor) throws {
        if token.isContainer { try cursor.skipContainer() }
    }

    /// Keeps the digest of a request's receipt.
    mutating func enterDigest(of receipt: JSONToken, in cursor: borrowing JSONCursor, _ rows: inout RowBatch) {
        guard receipt.count > 0 else { return }
        let digest = ReceiptDigest.hexadecimal(of: receipt, in: cursor)
        envelope.receiptDigest = Int64(rows.dictionary.code(for: digest.span.bytes))
    }

    /// Lends a cursor over the JSON that a string holds. Whatever is wrong in there is wrong with the string: an
    /// offset inside it would be none of the document.
    private mutating func withJSON(
        of token: JSONToken,
        in cursor: borrowing JSONCursor,
        _ body: (inout VerifyFormat, inout JSONCursor) throws -> Void
    ) throws {
        var text: [UInt8] = []
        swap(&text, &scratch)
        defer { swap(&text, &scratch) }
        text.removeAll(keepingCapacity: true)
        cursor.appendText(of: token, to: &text)
        let limit = text.count
        text.append(contentsOf: repeatElement(0, count: JSONCursor.padding))
        var inner = JSONCursor(text.span.bytes, limit: limit)
        do {
            try body(&self, &inner)
        } catch {
            throw DecodeError.inside(token, error)
        }
        inner.skipWhitespace()
        guard inner.position == limit else { throw DecodeError(.innerJSON, at: token.start) }
    }
}

extension VerifyFormat.Envelope {
    /// The string that the document only wraps, if that is what it does.
    var wrapped: Decoded? {
        // Beside a status of a failure, a receipt is the one that was verified.
        guard !pair.hasResponse, status == nil || !hasContent && (status == 0 || !hasKnownStatus) else { return nil }
        // In a pair, some of the members that were read are not those of the document.
        let logged = pair.isPair ? LoggedAt.unread : .read(loggedAt?.instant)
        if let request = pair.request { return .wrapped(request, member: "request", loggedAt: logged) }
        if let receiptData { return .wrapped(receiptData, member: "receipt-data", loggedAt: logged) }
        guard !hasContent else { return nil }
        if let receipt { return .wrapped(receipt, member: "receipt", loggedAt: logged) }
        return latestReceipt.map { .wrapped($0, member: "latest_receipt", loggedAt: logged) }
    }

    /// Whether a pair is one of verifyReceipt: other traffic has requests and responses too.
    var isPlausible: Bool {
        guard pair.isPair else { return true }
        return hasContent || hasKnownStatus || receiptData != nil || receiptDigest != nil
    }

    /// Whether the status is one that Apple gives.
    var hasKnownStatus: Bool { status.map { $0 == 0 || (21_000..<21_200).contains($0) } ?? false }

    /// Whether nothing was there but what objects of other kinds have too: neither a receipt nor half of a pair.
    var isBare: Bool {
        !hasContent && !pair.isPair && receiptData == nil && receipt == nil && latestReceipt == nil
    }
}
