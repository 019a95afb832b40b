import TillColumns
import TillCore
import TillJSON
import TillRows

/// What a V2 notification is about: its `data`, `summary`, `externalPurchaseToken` or `appData` (quirk 68).
extension NotificationFormat {
    @_lifetime(cursor: copy cursor)
    mutating func decodeData(
        _ token: JSONToken,
        of member: NotificationKey,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws {
        if token.kind == .null { return }
        guard token.kind == .object else { throw DecodeError(.type, at: token.start) }
        place.append(member.rawValue)
        var walk = try dataKeys.enter(&cursor)
        while let key = try info.nextKey(&walk, of: &dataKeys, in: &cursor) {
            let token = try cursor.token()
            switch key {
            case .environment:
                envelope.environment = try info.fields.word(
                    token,
                    in: cursor.values,
                    &rows.dictionary,
                    AppleWord.environment
                )
            case .bundleID:
                let bundleID = try info.fields.text(token, in: cursor.values, &rows.dictionary)
                envelope.bundleID = bundleID ?? envelope.bundleID
            case .bundleVersion:
                let version = try info.fields.text(token, in: cursor.values, &rows.dictionary)
                envelope.appVersion = version ?? envelope.appVersion
            case .signedTransactionInfo, .signedRenewalInfo, .signedAppTransactionInfo:
                try decodeNested(token, in: &cursor, into: &rows)
            case .appAppleID, .status, .consumptionRequestReason:
                if token.isContainer { try cursor.skipContainer() }
            }
        }
        place.removeLast()
    }

    /// Reads a payload inside the notification: a JWS, or an object where it was decoded before.
    @_lifetime(cursor: copy cursor)
    private mutating func decodeNested(
        _ token: JSONToken,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws {
        switch token.kind {
        case .null: return
        case .string where token.count == 0: return
        case .object:
            enter()
            let payload = try payloads.read(&cursor, into: &rows)
            try count(payload, trust: nil, at: token.start, in: &rows)
        case .string:
            enter()
            do {
                try decodeJWS(token, in: cursor, into: &rows)
            } catch {
                throw DecodeError.inside(token, error)
            }
        default: throw DecodeError(.type, at: token.start)
        }
        place.removeLast()
    }

    /// Makes the member being read one that holds what follows.
    private mutating func enter() {
        place.append(info.place.key)
        info.place.key = ""
    }

    private mutating func decodeJWS(
        _ token: JSONToken,
        in cursor: borrowing JSONCursor,
        into rows: inout RowBatch
    ) throws {
        var bytes: [UInt8] = []
        swap(&bytes, &payloadBytes)
        defer { swap(&bytes, &payloadBytes) }
        let limit: Int
        var finding: SignatureFinding?
        if token.hasEscapes {
            var text: [UInt8] = []
            cursor.appendText(of: token, to: &text)
            limit = try envelopes.decode(text.span.bytes, payload: &bytes)
            finding = checker.map { envelopes.finding(of: text.span.bytes, by: $0) }
        } else {
            limit = try envelopes.decode(cursor.raw(token), payload: &bytes)
            if let checker { finding = envelopes.finding(of: cursor.raw(token), by: checker) }
        }
        var inner = JSONCursor(bytes.span.bytes, limit: limit)
        let payload = try payloads.read(&inner, into: &rows)
        inner.skipWhitespace()
        guard inner.position == limit else { throw JSONError(.syntax, at: inner.position) }
        let verdict = finding?.verdict(signedAt: payload.observedAt) ?? .unchecked
        envelope.signer = envelope.signer ?? verdict.signer
        if verdict.trust == .untrusted, envelope.untrusted == nil { envelope.untrusted = verdict }
        try count(payload, trust: verdict.trust, at: 0, in: &rows)
    }

    /// Counts the open row that the payload is, or takes from an app transaction what the notification lacks.
    ///
    /// - Parameter trust: that of a payload with a signature of its own; `nil` for one that has none.
    private mutating func count(
        _ payload: Payload,
        trust: Word?,
        at offset: Int,
        in rows: inout RowBatch
    ) throws(DecodeError) {
        guard let kind = payload.kind else { throw DecodeError(.payload, at: offset) }
        switch kind {
        case .transaction:
            rows.transactions.set(.trust, trust?.cell)
            if trust == nil { envelope.hasUnsignedTransactions = true }
            info.index.join(isLatest: false, in: &rows)
        case .renewal:
            rows.renewals.set(.trust, trust?.cell)
            rows.renewals.endRow()
        case .appTransaction:
            envelope.innerEnvironment = payload.anyEnvironment
            envelope.bundleID = envelope.bundleID ?? payload.bundleID
            envelope.appVersion = envelope.appVersion ?? payload.appVersion
            envelope.receiptType = payload.receiptType
        }
    }
}
