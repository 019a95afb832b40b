import TillColumns
import TillCore
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
        envelope.encodedCount += 1
    }

    /// Reads a half of a pair. A defect in it counts only where the pair turns out to be one of verifyReceipt: other
    /// traffic has requests and responses too.
    @_lifetime(cursor: copy cursor)
    mutating func decodeHalf(
        _ key: ResponseKey,
        _ token: JSONToken,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        guard !envelope.pair.isInResponse else { return try skip(token, in: &cursor) }
        envelope.pair.isPair = true
        let start = copy cursor
        do {
            if key == .request {
                try decodeRequest(token, in: &cursor, into: &rows)
            } else {
                try decodeResponse(token, in: &cursor, into: &rows)
            }
        } catch  where !error.isOfJSON {
            if envelope.pair.defect == nil { envelope.pair.defect = (error, info.place, info.parent) }
            (info.place, info.parent) = (ReceiptInfoReader.Place(), nil)
            (envelope.pair.isInResponse, envelope.pair.isDetached) = (false, false)
            cursor = start
            try skip(token, in: &cursor)
        }
    }

    @_lifetime(cursor: copy cursor)
    private mutating func decodeRequest(
        _ token: JSONToken,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        switch token.kind {
        case .object:
            var probe = copy cursor
            let receiptData = try decodeRequest(in: &cursor)
            envelope.receiptData = receiptData ?? envelope.receiptData
            guard receiptData == nil else { return }
            // The request as a server or a library records it: the receipt is in its body, or has another name.
            envelope.pair.recordedDigest = Self.enter(try ReceiptDigest.find(inRequest: &probe), &rows)
        case .string where token.count > 0:
            envelope.pair.request = token
            guard token.hasEscapes || cursor.raw(token).beginsJSONObject else {
                // The receipt by itself, or what a log has put in its place: the response is the document all the same.
                if cursor.raw(token).beginsLikeDocument { return enterDigest(of: token, in: cursor, &rows) }
                let digest = ReceiptDigest.find(inText: cursor.text(of: token))
                (envelope.pair.recordedDigest, envelope.pair.isRequestUnknown) = (Self.enter(digest, &rows), true)
                return
            }
            try withJSON(of: token, in: cursor) { format, inner throws(Finding) in
                var probe = copy inner
                let receiptData = try format.decodeRequest(in: &inner)
                if let receiptData { return format.enterDigest(of: receiptData, in: inner, &rows) }
                format.envelope.pair.recordedDigest = Self.enter(try ReceiptDigest.find(inRequest: &probe), &rows)
            }
        case .array: throw Finding(.type, at: token.start)
        default: return
        }
    }

    /// Reads the members of a request; gives its receipt.
    @_lifetime(cursor: copy cursor)
    private mutating func decodeRequest(in cursor: inout JSONCursor) throws(Finding) -> JSONToken? {
        info.parent = .response(.request)
        var receiptData: JSONToken?
        var walk = try requestMembers.enter(&cursor)
        while let number = try requestMembers.nextKnown(&walk, in: &cursor) {
            info.place.key = .request(requestMembers[number])
            let token = try cursor.token()
            switch requestMembers[number] {
            case .receiptData, .receiptDataHyphen:
                guard token.kind == .string else { throw Finding(.type, at: token.start) }
                receiptData = token
            case .password, .excludeOldTransactions: if token.isContainer { try cursor.skipContainer() }
            }
        }
        info.parent = nil
        return receiptData
    }

    @_lifetime(cursor: copy cursor)
    private mutating func decodeResponse(
        _ token: JSONToken,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        envelope.pair.isInResponse = true
        guard token.kind != .array else { throw Finding(.type, at: token.start) }
        info.parent = .response(.response)
        switch token.kind {
        case .object:
            beginResponse(token, &rows)
            try decodeMembers(in: &cursor, into: &rows)
        // A page of HTML, or the words of a proxy, are not a response; without a receipt they are a defect.
        case .string where token.count > 0 && !cursor.raw(token).mayBeginJSON:
            (envelope.pair.response, envelope.pair.hasPage) = (token, true)
            throw Finding(.innerJSON, at: token.start)
        case .string where token.count > 0:
            beginResponse(token, &rows)
            envelope.pair.isDetached = true
            info.place.key = nil
            try withJSON(of: token, in: cursor) { format, inner throws(Finding) in
                try format.decodeMembers(in: &inner, into: &rows)
            }
            envelope.pair.isDetached = false
        default: break
        }
        info.parent = nil
        envelope.pair.isInResponse = false
    }

    /// Forgets members beside the response with names of response members, such as the status of HTTP: the response is
    /// the document.
    private mutating func beginResponse(_ token: JSONToken, _ rows: inout RowBatch) {
        let outer = envelope
        envelope = Envelope()
        envelope.pair = outer.pair
        envelope.pair.response = token
        envelope.pair.environment = outer.pair.environment ?? Self.known(environment: outer.environment)?.cell
        (envelope.loggedAt, envelope.requestID) = (outer.loggedAt, outer.requestID)
        (envelope.receiptData, envelope.receiptDigest) = (outer.receiptData, outer.receiptDigest)
        (envelope.isNotification, envelope.isEvent) = (outer.isNotification, outer.isEvent)
        (envelope.isPayload, envelope.hasOthers) = (outer.isPayload, outer.hasOthers)
        guard let start = documentStart else { return }
        rows.rollBack(to: start.mark)
        let (place, parent) = (info.place, info.parent)
        info.beginDocument(rows.duplicates.cache, readsAll: start.readsAll)
        (info.place, info.parent) = (place, parent)
    }

    /// Skips a member after the response with the name of a response member.
    @_lifetime(cursor: copy cursor)
    mutating func passOver(
        _ key: ResponseKey,
        _ token: JSONToken,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        if token.isContainer { return try cursor.skipContainer() }
        guard key == .environment, envelope.pair.environment == nil else { return }
        let environment = try info.fields.word(token, in: cursor.values, &rows.dictionary, AppleWord.environment)
        envelope.pair.environment = Self.known(environment: environment)?.cell
    }

    /// An environment, if it is one of Apple's: servers have environments too.
    static func known(environment: Int64?) -> Word? {
        guard let environment, let word = Word(rawValue: Int(environment)) else { return nil }
        switch word {
        case .production, .sandbox, .xcode, .localTesting: return word
        default: return nil
        }
    }

    @_lifetime(cursor: copy cursor)
    private func skip(_ token: JSONToken, in cursor: inout JSONCursor) throws(Finding) {
        if token.isContainer { try cursor.skipContainer() }
    }

    /// Keeps the digest of a request's receipt.
    mutating func enterDigest(of receipt: JSONToken, in cursor: borrowing JSONCursor, _ rows: inout RowBatch) {
        guard receipt.count > 0 else { return }
        envelope.receiptDigest = Self.enter(ReceiptDigest.hexadecimal(of: receipt, in: cursor), &rows)
    }

    private static func enter(_ digest: [UInt8]?, _ rows: inout RowBatch) -> Int64? {
        digest.map { Int64(rows.dictionary.code(for: $0.span.bytes)) }
    }

    /// Lends a cursor over the JSON in a string. A defect in it is a defect of the string, because an offset inside the
    /// string is not an offset in the document.
    private mutating func withJSON(
        of token: JSONToken,
        in cursor: borrowing JSONCursor,
        _ body: (inout VerifyFormat, inout JSONCursor) throws(Finding) -> Void
    ) throws(Finding) {
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
            throw error.inside(token)
        }
        inner.skipWhitespace()
        guard inner.position == limit else { throw Finding(.innerJSON, at: token.start) }
    }
}

extension VerifyFormat {
    /// Whether a status is one that Apple gives.
    static func isKnown(status: Int64) -> Bool { status == 0 || (21_000..<21_200).contains(status) }
}

extension VerifyFormat.Envelope {
    /// The string that the document only wraps, if that is what it does.
    @inline(__always)  // A call would copy the envelope, for each document.
    var wrapped: Decoded? {
        // Beside a status of a failure, a receipt is the one that was verified.
        guard !pair.hasResponse || isRequestBesidePage,
            status == nil || !hasContent && (status == 0 && !isResponseOfReceipt || !hasKnownStatus)
        else { return nil }
        // In a pair, some of the members that were read are not those of the document.
        let logged = pair.isPair ? LoggedAt.unread : .read(loggedAt?.instant)
        let environment = VerifyFormat.known(environment: environment)
        func wrapped(_ token: JSONToken, _ member: String) -> Decoded {
            // Receipts under two names may be two.
            let hasOthers = hasOthers || encodedCount > 1
            return .wrapped(token, member: member, loggedAt: logged, environment: environment, hasOthers: hasOthers)
        }
        // What was decoded is a document too.
        guard !hasContent else { return nil }
        if let request = pair.request { return wrapped(request, "request") }
        if let receiptData { return wrapped(receiptData, "receipt-data") }
        if let receipt { return wrapped(receipt, "receipt") }
        return latestReceipt.map { wrapped($0, "latest_receipt") }
    }

    /// Whether the document may be the wrapping of a receipt whose outcome other members tell.
    var wrapsReceipt: Bool {
        lacksOutcome && !pair.hasResponse
            && (receiptData != nil || receipt != nil || latestReceipt != nil || pair.request != nil)
    }

    /// Whether a request has a page of HTML or the like in place of its response: the request is the document then.
    var isRequestBesidePage: Bool { pair.hasPage && receiptData != nil }

    /// Whether a pair is one of verifyReceipt: other traffic has requests and responses too.
    var isPlausible: Bool {
        guard pair.isPair else { return true }
        return hasContent || hasKnownStatus || receiptData != nil || receiptDigest != nil
    }

    /// Whether the members read are enough for a response. A status that Apple gives is, except for 0, which the
    /// answers of many services have; so beside a 0, or a half of a pair without a status, there must be more. So must
    /// there beside a 0 and a request that may be one of any service.
    @inline(__always)  // As above.
    var isConclusive: Bool {
        if hasContent { return true }
        guard let status else { return !pair.hasResponse && !isBare }
        if pair.isPair { return status != 0 || isApple || !pair.isRequestUnknown }
        guard hasKnownStatus else { return !isBare || !hasOthers }
        return status != 0 || !isBare || !hasOthers && (isApple || hasReceipt)
    }

    /// Whether a member was there that other services do not have, or not often.
    private var isApple: Bool { environment != nil || isRetryable != nil }

    /// Whether it is a response whose only purchases are in its encoded receipt:
    /// `{"status":0,"environment":"Production","latest_receipt":"MIIT…"}`.
    private var isResponseOfReceipt: Bool {
        (isApple || pair.hasResponse && status == VerifyStatus.expired)
            && (pair.hasResponse || receiptData == nil && !pair.isPair) && (latestReceipt != nil || receipt != nil)
    }

    /// The receipt that has the purchases, if only renewals were decoded, or nothing:
    /// `{"latest_receipt":"MIIT…","pending_renewal_info":[…]}`. Beside purchases without a status, which may be those of
    /// another receipt, it is that of the request.
    @inline(__always)  // As above.
    var encodedPurchases: (token: JSONToken, member: String)? {
        guard hasContent || isResponseOfReceipt, !pair.isPair || pair.hasResponse, isBooked else { return nil }
        if !hasPurchases {
            // In a pair, the receipt of the response is the one of the request, and the latest receipt has more.
            if let latestReceipt, receipt == nil || pair.isPair { return (latestReceipt, "latest_receipt") }
            if let receipt { return (receipt, "receipt") }
        }
        return pair.isPair || status != nil ? nil : receiptData.map { ($0, "receipt-data") }
    }

    /// The response, where ``encodedPurchases`` finds no receipt. It is refused, if its verification failed; beside
    /// 21006, receipts in any of its members are documents.
    @inline(__always)  // As above.
    var decodedAlone: Decoded {
        guard let status, status != 0, !hasPurchases, encodedCount > 0 || hasOthers || hasReceipt || pair.isPair else {
            return .document()
        }
        if !isBooked { return .refused(part: pair.response) }
        return pair.isPair ? .document() : .holding(environment: VerifyFormat.known(environment: rowEnvironment))
    }

    /// Whether the status is one that Apple gives.
    var hasKnownStatus: Bool { status.map(VerifyFormat.isKnown(status:)) ?? false }

    /// Whether there were only members that objects of other kinds have too: neither a receipt nor half of a pair.
    var isBare: Bool {
        !hasContent && !pair.isPair && receiptData == nil && receipt == nil && latestReceipt == nil
    }
}
