import TillColumns
import TillCore
import TillJSON
import TillRows

/// The receipt in a response.
///
///     {"receipt_type":"Production","bundle_id":"com.example.shop","in_app":[ transaction, … ]}      of iOS 7 and later
///     {"bid":"com.example.shop","product_id":"coins","transaction_id":"1000…", …}                   of iOS 6: a transaction itself
extension VerifyFormat {
    /// Reads the `receipt` object. That of an iOS 6 response is itself the transaction (its `product_id` or
    /// `transaction_id` tells) and is read again as one.
    @_lifetime(cursor: copy cursor)
    mutating func decodeReceipt(in cursor: inout JSONCursor, into rows: inout RowBatch) throws(Finding) {
        let start = cursor.position
        var (isFlat, isNumbered) = (false, false)
        // As in a transaction, the text of a date is read only where its milliseconds are missing.
        var (creationText, requestText): (JSONToken?, JSONToken?)
        var isKnown = false
        var walk = try receiptKeys.enter(&cursor)
        while let number = try receiptKeys.next(&walk, in: &cursor) {
            guard number >= 0 else {
                info.place.key = .response(.receipt)
                let token = try receiptKeys.token(&walk, in: &cursor)
                if token.isContainer { try cursor.skipContainer() }
                continue
            }
            isKnown = true
            let key = receiptKeys[number]
            info.place.key = .receipt(key)
            let token = try receiptKeys.token(&walk, in: &cursor)
            switch key {
            case .receiptType:
                envelope.receiptType = try info.fields.text(token, in: cursor.values, &rows.dictionary)
                envelope.typeEnvironment = try info.fields.word(
                    token,
                    in: cursor.values,
                    &rows.dictionary,
                    AppleWord.environment
                )
            case .bundleID: envelope.bundleID = try info.fields.text(token, in: cursor.values, &rows.dictionary)
            case .applicationVersion:
                envelope.appVersion = try info.fields.text(token, in: cursor.values, &rows.dictionary)
            case .inApp:
                envelope.hasList = true
                try info.decodeTransactions(token, isLatest: false, in: &cursor, into: &rows)
            case .receiptCreationDateMilliseconds:
                envelope.creationDate = try info.fields.milliseconds(token, in: cursor.values)
            case .requestDateMilliseconds: envelope.requestDate = try info.fields.milliseconds(token, in: cursor.values)
            case .receiptCreationDate: creationText = token
            case .requestDate: requestText = token
            case .bid:
                if envelope.bundleID == nil {
                    envelope.bundleID = try info.fields.text(token, in: cursor.values, &rows.dictionary)
                }
            case .bvrs:
                let version = try info.fields.text(token, in: cursor.values, &rows.dictionary)
                envelope.appVersion = envelope.appVersion ?? version
            case .productID: isFlat = true
            case .transactionID:
                isFlat = true
                isNumbered = ReceiptInfoReader.isNumber(token, in: cursor.values)
            case .environment:
                envelope.receiptEnvironment = try info.fields.word(
                    token,
                    in: cursor.values,
                    &rows.dictionary,
                    AppleWord.environment
                )
            default: break
            }
            if token.isContainer, key != .inApp { try cursor.skipContainer() }
        }
        if isFlat, !isNumbered, !envelope.hasList,
            try !ReceiptInfoReader.isOfAppStore(transactionAt: start, in: cursor)
        {
            // Tables have purchases of several shops, and some validators put any record there.
            (envelope.hasReceipt, envelope.receiptMayHoldDocument) = (false, true)
            return
        }
        if isKnown { (envelope.hasContent, envelope.hasPurchases) = (true, true) }
        if envelope.creationDate == nil, let creationText {
            info.place.key = .receipt(.receiptCreationDate)
            envelope.creationDate = try info.fields.instant(creationText, in: cursor.values)
        }
        if envelope.requestDate == nil, let requestText {
            info.place.key = .receipt(.requestDate)
            envelope.requestDate = try info.fields.instant(requestText, in: cursor.values)
        }
        // Errors from here on are not those of the last member.
        info.place.key = .response(.receipt)
        guard isFlat, !envelope.hasList else {
            if !envelope.hasList { try noteMembers(ofReceiptAt: start, in: cursor) }
            return
        }
        let end = cursor.position
        cursor.position = start
        info.place = ReceiptInfoReader.Place(list: .response(.receipt), transactionKey: KeyTable<TransactionKey>.start)
        try info.decodeTransaction(isLatest: false, in: &cursor, into: &rows)
        cursor.position = end
        info.place = ReceiptInfoReader.Place()
    }

    /// Notes whether a receipt without purchases has members of one, and whether it may hold another document.
    ///
    /// All members are looked at once more: from the second object of a shape on, those without a meaning are not
    /// passed on.
    private mutating func noteMembers(
        ofReceiptAt start: Int,
        in document: borrowing JSONCursor
    ) throws(Finding) {
        var cursor = copy document
        cursor.position = start
        try cursor.expect(0x7B)
        var isFirst = true
        var mayHold = false
        while let key = try cursor.nextKey(isFirst: &isFirst) {
            let token = try cursor.token()
            if token.isContainer { try cursor.skipContainer() }
            if ReceiptKey.keyTable.number(of: key, in: cursor) != nil {
                (envelope.hasContent, envelope.hasPurchases) = (true, true)
            } else if token.isContainer || token.kind == .string && token.count >= Unwrapper.shortestText {
                mayHold = true
            }
        }
        envelope.receiptMayHoldDocument = mayHold
    }
}
