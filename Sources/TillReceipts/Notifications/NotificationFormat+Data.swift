import TillColumns
import TillCore
import TillInput
import TillJSON
import TillRows

/// The content of a V2 notification: its `data`, `summary`, `externalPurchaseToken` or `appData` (quirk 68).
extension NotificationFormat {
    @_lifetime(cursor: copy cursor)
    mutating func decodeData(
        _ token: JSONToken,
        of member: NotificationKey,
        in cursor: inout JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        if token.kind == .null { return }
        guard token.kind == .object else {
            if token.isContainer { try cursor.skipContainer() }
            // Beside members of Apple's it is a defect, and beside others their own.
            envelope.defect = envelope.defect ?? (Finding(.type, at: token.start), member)
            return
        }
        place.append(member.rawValue)
        var walk = try dataKeys.enter(&cursor)
        while let number = try dataKeys.next(&walk, in: &cursor) {
            guard number != KeyTable<NotificationDataKey>.unknown else {
                try decodeUnknown(in: &cursor, into: &rows)
                continue
            }
            let key = dataKeys[number]
            info.place.key = .notificationData(key)
            let token = try cursor.token()
            if key.isApple, token.kind != .null { envelope.isCertain = true }
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
    ) throws(Finding) {
        switch token.kind {
        case .null: return
        case .string where token.count == 0: return
        case .object:
            enter()
            let payload = try payloads.read(&cursor, into: &rows)
            try count(payload, trust: nil, at: token.start, in: &rows)
        case .string where cursor.raw(token).beginsJSONObject:
            if try decodePayload(text: token, in: cursor, into: &rows) { return }
            throw Finding(.innerJSON, at: token.start)
        case .string:
            enter()
            do {
                try decodeJWS(token, in: cursor, into: &rows)
            } catch {
                throw error.inside(token)
            }
        default: throw Finding(.type, at: token.start)
        }
        place.removeLast()
    }

    /// Reads a member with another name than Apple's: it may be a signed payload, or one that was decoded before.
    ///
    ///     {"notificationType":"DID_RENEW","data":{…},"transaction":{"transactionId":"2000…",…}}
    ///     {"notificationType":"DID_RENEW","data":{"transactionInfo":"{\"transactionId\":…}"}}
    ///
    /// Decoded ones wait for the end of the notification (``decodeSiblings(in:into:)``).
    @_lifetime(cursor: copy cursor)
    mutating func decodeUnknown(in cursor: inout JSONCursor, into rows: inout RowBatch) throws(Finding) {
        info.place.key = nil
        let token = try cursor.token()
        switch token.kind {
        case .object, .array:
            try cursor.skipContainer()
            envelope.siblings.append(token)
            if cursor.bytes.extracting(token.start..<cursor.position).mayHoldSigned { envelope.holdsSigned = true }
        case .string where cursor.raw(token).beginsJSONObject: envelope.siblings.append(token)
        case .string where cursor.beginsSignedString(at: token):
            do {
                try decodeJWS(token, in: cursor, into: &rows)
            } catch {
                payloads.beginDocument()
                envelope.holdsSigned = true
            }
        default: return
        }
    }

    /// Reads the decoded payloads beside the notification's own members, unless these have signed ones, or in a V1
    /// notification transactions or a receipt: they say the same.
    mutating func decodeSiblings(
        in cursor: borrowing JSONCursor,
        from mark: RowBatch.Mark,
        into rows: inout RowBatch
    ) throws(Finding) {
        let hasOwn = rows.transactions.rowCount > mark.transactions || envelope.receipt != nil
        guard !envelope.hasSigned, !envelope.isVersion1 || !hasOwn else { return }
        for token in envelope.siblings {
            if token.kind == .string {
                if try !decodePayload(text: token, in: cursor, into: &rows) {
                    envelope.holdsSigned = envelope.holdsSigned || cursor.raw(token).mayHoldSigned
                }
                continue
            }
            var inner = copy cursor
            inner.position = token.start
            try decodeSibling(&inner, depth: 0, into: &rows)
        }
    }

    /// Objects and lists inside one another in which decoded payloads are looked for.
    private static let siblingDepth = 4

    /// Reads the object or the list at the cursor: a payload, or payloads in its members or elements.
    @_lifetime(cursor: copy cursor)
    private mutating func decodeSibling(
        _ cursor: inout JSONCursor,
        depth: Int,
        into rows: inout RowBatch
    ) throws(Finding) {
        let start = copy cursor
        let isList = cursor.byte(cursor.position) == 0x5B
        if !isList {
            let payload = try payloads.readAny(&cursor, into: &rows)
            if payload.isDefectiveTransaction, let defect = payloads.defect { throw defect }
            payloads.beginDocument()
            if payload.isPurchase { return try count(payload, trust: nil, at: start.position, in: &rows) }
            cursor = start
        }
        guard depth < Self.siblingDepth else { return try cursor.skipValue() }
        try cursor.expect(isList ? 0x5B : 0x7B)
        var isFirst = true
        while true {
            if isList {
                guard try cursor.nextElement(isFirst: &isFirst) else { return }
            } else {
                guard try cursor.nextKey(isFirst: &isFirst) != nil else { return }
            }
            if cursor.byte(cursor.position) == 0x7B || cursor.byte(cursor.position) == 0x5B {
                try decodeSibling(&cursor, depth: depth + 1, into: &rows)
            } else {
                try cursor.skipValue()
            }
        }
    }

    /// Reads the members of the notification itself as those of a transaction, if they are: a table of notifications
    /// may have the members of the payload beside the type.
    ///
    ///     {"notificationType":"REFUND","transactionId":"2000…","productId":"p","purchaseDate":1725000000000,…}
    mutating func decodeOwnMembers(
        at start: Int,
        of notification: borrowing JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        guard !envelope.hasSigned, envelope.receipt == nil else { return }
        var cursor = copy notification
        cursor.position = start
        guard try info.hasKeysOfTransaction(in: cursor) else {
            for words in Self.namesOfPayloads {
                try decodeMembers(named: words, at: start, of: notification, into: &rows)
            }
            return
        }
        envelope.hasUnsignedTransactions = true
        try info.decodeTransaction(isLatest: false, in: &cursor, into: &rows)
        info.place = ReceiptInfoReader.Place()
    }

    /// The beginnings of the names of a payload's members in a flat table, without the first letter.
    private static let namesOfPayloads = [["ransactionInfo", "ransaction_info"], ["enewalInfo", "enewal_info"]]
        .map { $0.map { Array($0.utf8) } }

    /// Reads the members whose names begin with words, without these words, as those of a payload.
    ///
    ///     {"notificationType":"DID_RENEW","transactionInfoTransactionId":"2000…","transactionInfoProductId":"p",…}
    private mutating func decodeMembers(
        named words: [[UInt8]],
        at start: Int,
        of notification: borrowing JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
        var cursor = copy notification
        cursor.position = start
        var text: [UInt8] = [0x7B]
        try cursor.expect(0x7B)
        var isFirst = true
        while let (key, token) = try cursor.nextScalar(isFirst: &isFirst) {
            guard let name = cursor.raw(key).name(behind: words) else { continue }
            let quotes = token.kind == .string ? 1 : 0
            let value = cursor.bytes.extracting(token.start - quotes..<token.end + quotes).copied
            text += (text.count > 1 ? [0x2C, 0x22] : [0x22]) + name + [0x22, 0x3A] + value
        }
        guard text.count > 1 else { return }
        let limit = text.count + 1
        text += [0x7D] + Array(repeating: 0, count: JSONCursor.padding)
        var inner = JSONCursor(text.span.bytes, limit: limit)
        defer { payloads.beginDocument() }
        let payload: Payload
        do {
            payload = try payloads.read(&inner, into: &rows)
        } catch {
            throw error.at(start)
        }
        // The names say that it is one of Apple's, which must not be lost.
        if let defect = payloads.defect { throw defect.at(start) }
        guard payload.isPurchase else { return }
        try count(payload, trust: nil, at: start, in: &rows)
    }

    /// Reads the JSON of a payload in a string; `false` if the string holds something else. Throws the defect of a
    /// payload.
    private mutating func decodePayload(
        text token: JSONToken,
        in cursor: borrowing JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) -> Bool {
        var text: [UInt8] = []
        cursor.appendText(of: token, to: &text)
        let limit = text.count
        text.append(contentsOf: repeatElement(0, count: JSONCursor.padding))
        var inner = JSONCursor(text.span.bytes, limit: limit)
        defer { payloads.beginDocument() }
        let payload: Payload
        do {
            payload = try payloads.readAny(&inner, into: &rows)
        } catch {
            // Text that only begins as JSON does.
            return false
        }
        inner.skipWhitespace()
        guard inner.position == limit else { return false }
        if payload.isDefectiveTransaction, let defect = payloads.defect { throw defect.inside(token) }
        guard payload.isPurchase else { return false }
        try count(payload, trust: nil, at: token.start, in: &rows)
        return true
    }

    /// Makes the current member the parent of the next members.
    private mutating func enter() {
        place.append(info.place.key?.text ?? "")
        info.place.key = nil
    }

    private mutating func decodeJWS(
        _ token: JSONToken,
        in cursor: borrowing JSONCursor,
        into rows: inout RowBatch
    ) throws(Finding) {
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
        guard inner.position == limit else { throw Finding(.jsonSyntax, at: inner.position) }
        // A token of another service leaves no trace.
        guard payload.kind != nil else { throw Finding(.payload) }
        let verdict = finding?.verdict(signedAt: payload.observedAt) ?? .unchecked
        envelope.hasSigned = true
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
    ) throws(Finding) {
        if let defect = payloads.defect { throw defect }
        guard let kind = payload.kind else { throw Finding(.payload, at: offset) }
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

extension RawSpan {
    /// The rest of a name behind the first of these words in it, in camel case; `nil` if they are not in it.
    fileprivate func name(behind words: [[UInt8]]) -> [UInt8]? {
        for word in words {
            guard let index = firstIndex(of: word, from: 0, to: byteCount) else { continue }
            var start = index + word.count
            // `transaction_info_product_id`, `transactionInfo.productId`
            while start < byteCount, byte(start) == 0x5F || byte(start) == 0x2E { start += 1 }
            var name = extracting(start..<byteCount).copied
            guard let first = name.first, first.isLetterOrDigit, !name.contains(0x5C) else { return nil }
            name[0] = first.lowercased
            return name
        }
        return nil
    }
}
