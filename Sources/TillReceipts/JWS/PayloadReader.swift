import TillColumns
import TillCore
import TillJSON
import TillRows

/// Reads the payload of a signed transaction, renewal info or app transaction.
///
/// The kind of a payload is known only after all its members. So both a transaction and a renewal are built, each in
/// the open row of its table, and at the end ``Payload/kind`` decides which of the two counts. A row that is not
/// counted costs nothing.
struct PayloadReader {
    private var fields = FieldReader()
    private var keys = ObjectReader(Self.table, reading: { _ in true }, readsUnknown: true)
    private var keyNumber = KeyTable<PayloadKey>.start
    /// The first defect of a member of the last payload.
    private(set) var defect: Finding?

    /// A payload's own keys, behind them ``otherKeys``, and last those of a time of logging, the most preferred first.
    /// Made once for all readers.
    private static let table = KeyTable(
        ownKeys + otherKeys.map { ($0.key, .other) } + ResponseKey.logTimes.map { ($0.rawValue, .other) }
    )
    private static let ownKeys: [(name: String, key: PayloadKey)] = {
        let properties = PayloadKey.properties
        let own = PayloadKey.allCases.filter { $0 != .other && $0 != .ofResponse && !properties.contains($0) }
        let ofResponse = KeySpelling.all(TransactionKey.ofResponsesOnly.map { ($0.rawValue, PayloadKey.ofResponse) })
        // In snake case they are known to be of another format.
        let inCamelCase = ofResponse.dropFirst(TransactionKey.ofResponsesOnly.count)
            .filter { $0.name != PayloadKey.expirationDate.rawValue }
        return KeySpelling.all(own.map { ($0.rawValue, $0) }) + inCamelCase + properties.map { ($0.rawValue, $0) }
    }()
    /// Keys of documents of other formats.
    private static let otherKeys = Discriminator.all(above: JWSFormat.self)
    private let ownCount = Self.ownKeys.count
    private let otherKeys = Self.otherKeys

    /// The current member; empty between payloads.
    var path: String { keyNumber < 0 ? "" : keys.name(keyNumber) }

    /// Forgets where the last payload ended.
    mutating func beginDocument() { keyNumber = KeyTable<PayloadKey>.start }

    /// Reads the object at the cursor into the open rows of `rows`, which the caller completes and counts. Throws the
    /// defect of an object that is a payload for sure.
    @_lifetime(cursor: copy cursor)
    mutating func read(_ cursor: inout JSONCursor, into rows: inout RowBatch) throws(Finding) -> Payload {
        let payload = try readAny(&cursor, into: &rows)
        if let defect, !payload.isAmbiguous { throw defect }
        return payload
    }

    /// The same for an object of any kind; a defect of a member is left to the caller.
    @_lifetime(cursor: copy cursor)
    mutating func readAny(_ cursor: inout JSONCursor, into rows: inout RowBatch) throws(Finding) -> Payload {
        var payload = Payload()
        defect = nil
        rows.transactions.beginRow()
        rows.renewals.beginRow()
        var walk = try keys.enter(&cursor)
        while let number = try keys.next(&walk, in: &cursor) {
            // The number of an unknown key is negative, so it does not appear in the path.
            keyNumber = number
            let token = try keys.token(&walk, in: &cursor)
            if number == KeyTable<PayloadKey>.unknown {
                if cursor.beginsSignedString(at: token) { payload.holdsSigned = true }
                if token.isContainer { try cursor.skipContainer() }
                continue
            }
            if number >= ownCount {
                let other = number - ownCount
                if other >= otherKeys.count {
                    let rank = other - otherKeys.count
                    if rank < payload.loggedAt?.rank ?? .max,
                        let instant = fields.loggedInstant(token, in: cursor.values)
                    {
                        payload.loggedAt = (instant, rank)
                    }
                } else if token.kind != .null {
                    payload.other.update(with: otherKeys[other])
                }
                if token.isContainer { try cursor.skipContainer() }
                continue
            }
            do throws(Finding) {
                try set(keys[number], token, in: cursor.values, &payload, &rows)
                if token.isContainer { throw Finding(.type, at: token.start) }
            } catch {
                // Whether the object is a payload at all, only all of its members show.
                note(error, of: number, in: &payload)
                if token.isContainer { try cursor.skipContainer() }
            }
        }
        if payload.hasProperties { adopt(&payload, in: cursor.values, &rows) }
        keyNumber = payload.defectKey ?? KeyTable<PayloadKey>.start
        complete(payload, in: &rows)
        return payload
    }

    /// Takes the members of a record with the properties of a `Transaction` whose names have other meanings elsewhere.
    private mutating func adopt(_ payload: inout Payload, in json: JSONBytes, _ rows: inout RowBatch) {
        let row = rows.transactions.rowCount
        if rows.transactions[.transactionID, row] == nil, let token = payload.identifier {
            // Containers were left out when the token was kept, so this cannot throw.
            if let identifier = try? fields.identifier(token, in: json, &rows) {
                rows.transactions.set(.transactionID, identifier)
                payload.note(.transactionID)
            }
        }
        guard let (token, key) = payload.expirationDate else { return }
        do {
            rows.transactions.set(.expiresDate, try fields.saleInstant(token, in: json))
        } catch {
            note(error, of: key, in: &payload)
        }
    }

    private mutating func note(_ error: Finding, of key: Int, in payload: inout Payload) {
        guard payload.defectKey == nil else { return }
        (defect, payload.defectKey) = (error, key)
    }

    private mutating func set(
        _ key: PayloadKey,
        _ token: JSONToken,
        in json: JSONBytes,
        _ payload: inout Payload,
        _ rows: inout RowBatch
    ) throws(Finding) {
        if key.isApple, token.kind != .null { payload.note(.apple) }
        switch key {
        case .transactionID:
            let identifier = try fields.identifier(token, in: json, &rows)
            rows.transactions.set(.transactionID, identifier)
            if identifier != nil { payload.note(.transactionID) }
            if identifier ?? 0 < 0 { payload.hasOtherID = true }
            if json.isOrderOfGooglePlay(token) { payload.isOfGooglePlay = true }
        case .originalTransactionID, .originalID:
            if key == .originalID, token.kind != .null { payload.hasProperties = true }
            let identifier = try fields.identifier(token, in: json, &rows)
            rows.transactions.set(.originalTransactionID, identifier)
            rows.renewals.set(.originalTransactionID, identifier)
            if json.isOrderOfGooglePlay(token) { payload.isOfGooglePlay = true }
        case .productID:
            let product = try fields.text(token, in: json, &rows.dictionary)
            rows.transactions.set(.productID, product)
            rows.renewals.set(.productID, product)
            if product != nil { payload.note(.productID) }
        case .webOrderLineItemID:
            let identifier = try fields.identifier(token, in: json, &rows)
            if identifier != 0 { rows.transactions.set(.webOrderLineItemID, identifier) }
        case .bundleID, .appBundleID:
            payload.bundleID = try fields.text(token, in: json, &rows.dictionary) ?? payload.bundleID
        case .environment:
            payload.environment = try fields.word(token, in: json, &rows.dictionary, AppleWord.environment)
        case .signedDate:
            if token.kind != .null { payload.note(.signed) }
            payload.signedDate = try fields.saleInstant(token, in: json)
        case .offerType:
            let type = try fields.enumerated(.offerType, token, in: json, &rows.reading)
            rows.transactions.set(.offerType, type)
            rows.renewals.set(.offerType, type)
            payload.offerType = type
        case .offerIdentifier, .offerID:
            let offer = try fields.text(token, in: json, &rows.dictionary)
            rows.transactions.set(.offerID, offer)
            rows.renewals.set(.offerID, offer)
        case .offerDiscountType:
            if token.kind != .null { payload.isFreeTrial = fields.isWord("freetrial", token, in: json) }
        case .currency:
            let currency = try fields.text(token, in: json, &rows.dictionary)
            rows.transactions.set(.currency, currency)
            rows.renewals.set(.currency, currency)
        case .appAccountToken:
            let account = try fields.text(token, in: json, &rows.dictionary)
            rows.transactions.set(.accountToken, account)
            rows.renewals.set(.accountToken, account)
        case .purchaseDate, .originalPurchaseDate, .expiresDate, .quantity, .type, .inAppOwnershipType,
            .revocationReason, .revocationDate, .revocationPercentage, .isUpgraded, .storefront, .price,
            .appTransactionID, .subscriptionGroupIdentifier, .expirationDate, .ownershipType, .productType,
            .purchasedQuantity, .subscriptionGroupID:
            try setTransaction(key, token, in: json, &payload, &rows)
        case .autoRenewProductID, .autoRenewStatus, .renewalDate:
            if token.kind != .null { payload.note(.renewal) }
            try setRenewal(key, token, in: json, &rows)
        case .expirationIntent, .isInBillingRetryPeriod, .priceIncreaseStatus, .gracePeriodExpiresDate, .renewalPrice:
            try setRenewal(key, token, in: json, &rows)
        case .receiptType, .applicationVersion, .receiptCreationDate, .originalApplicationVersion, .originalPlatform,
            .preorderDate:
            if token.kind != .null { payload.note(.appTransaction) }
            try setAppTransaction(key, token, in: json, &payload, &rows.dictionary)
        case .transactionReceipt: if token.kind == .string, token.count > 0 { payload.transactionReceipt = token }
        case .jsonRepresentation: if token.kind == .string, token.count > 0 { payload.jsonRepresentation = token }
        case .identifier:
            if !token.isContainer { payload.identifier = token }
        case .transactionReason: if token.kind != .null { payload.note(.signed) }
        case .ofResponse: payload.note(.response)
        case .revocationType, .storefrontID, .offerPeriod, .deviceVerification,
            .deviceVerificationNonce, .recentSubscriptionStartDate, .appAppleID, .other:
            return
        }
    }

    /// Members that only a transaction has. The price is for the whole transaction, quantity included (quirk 58), in
    /// thousandths of the unit.
    private mutating func setTransaction(
        _ key: PayloadKey,
        _ token: JSONToken,
        in json: JSONBytes,
        _ payload: inout Payload,
        _ rows: inout RowBatch
    ) throws(Finding) {
        switch key {
        case .purchaseDate:
            let date = try fields.purchaseInstant(token, in: json)
            rows.transactions.set(.purchaseDate, date)
            if date != nil { payload.note(.purchaseDate) }
        case .originalPurchaseDate:
            rows.transactions.set(.originalPurchaseDate, try fields.instant(token, in: json))
        case .expiresDate: rows.transactions.set(.expiresDate, try fields.saleInstant(token, in: json))
        case .expirationDate:
            // Transactions of a response in camel case have it, too.
            payload.note(.response)
            payload.expirationDate = (token, keyNumber)
        case .quantity, .purchasedQuantity: rows.transactions.set(.quantity, try fields.code(token, in: json))
        case .type, .productType:
            let type = try fields.word(token, in: json, &rows.dictionary, AppleWord.productType)
            rows.transactions.set(.productType, type)
        case .inAppOwnershipType, .ownershipType:
            let ownership = try fields.word(token, in: json, &rows.dictionary, AppleWord.ownership)
            rows.transactions.set(.ownershipType, ownership)
        case .revocationReason:
            let reason = try fields.enumerated(.revocationReason, token, in: json, &rows.reading)
            rows.transactions.set(.cancellationReason, reason)
        case .revocationDate: rows.transactions.set(.cancellationDate, try fields.saleInstant(token, in: json))
        case .revocationPercentage: rows.transactions.set(.refundPercentage, try fields.code(token, in: json))
        case .isUpgraded: rows.transactions.set(.isUpgraded, try fields.flag(token, in: json))
        case .storefront: rows.transactions.set(.storefront, try fields.storefront(token, in: json, &rows.dictionary))
        case .price: rows.transactions.set(.price, try fields.paidPrice(token, in: json))
        case .appTransactionID:
            rows.transactions.set(.appTransactionID, try fields.identifier(token, in: json, &rows))
        case .subscriptionGroupIdentifier where rows.wanted.contains(.groups),
            .subscriptionGroupID where rows.wanted.contains(.groups):
            rows.transactions.set(.subscriptionGroupID, try fields.text(token, in: json, &rows.dictionary))
        default: return
        }
    }

    private mutating func setRenewal(
        _ key: PayloadKey,
        _ token: JSONToken,
        in json: JSONBytes,
        _ rows: inout RowBatch
    ) throws(Finding) {
        switch key {
        case .autoRenewProductID:
            rows.renewals.set(.autoRenewProductID, try fields.text(token, in: json, &rows.dictionary))
        case .autoRenewStatus:
            let status = try fields.enumerated(.autoRenewStatus, token, in: json, &rows.reading)
            rows.renewals.set(.autoRenewStatus, status)
        case .renewalDate: rows.renewals.set(.renewalDate, try fields.instant(token, in: json))
        case .expirationIntent:
            let intent = try fields.enumerated(.expirationIntent, token, in: json, &rows.reading)
            rows.renewals.set(.expirationIntent, intent)
        case .isInBillingRetryPeriod:
            rows.renewals.set(.isInBillingRetryPeriod, try fields.flag(token, in: json))
        case .priceIncreaseStatus:
            let status = try fields.enumerated(.priceIncreaseStatus, token, in: json, &rows.reading)
            rows.renewals.set(.priceConsentStatus, status)
        case .gracePeriodExpiresDate:
            rows.renewals.set(.gracePeriodExpiresDate, try fields.instant(token, in: json))
        case .renewalPrice: rows.renewals.set(.renewalPrice, try fields.integer(token, in: json))
        default: return
        }
    }

    private mutating func setAppTransaction(
        _ key: PayloadKey,
        _ token: JSONToken,
        in json: JSONBytes,
        _ payload: inout Payload,
        _ dictionary: inout TextDictionary
    ) throws(Finding) {
        switch key {
        case .receiptType:
            payload.receiptType = try fields.text(token, in: json, &dictionary)
            payload.typeEnvironment = try fields.word(token, in: json, &dictionary, AppleWord.environment)
        case .applicationVersion: payload.appVersion = try fields.text(token, in: json, &dictionary)
        case .receiptCreationDate: payload.creationDate = try fields.instant(token, in: json)
        default: return
        }
    }

    /// Writes common cells, and cells that depend on several members, into both open rows.
    private func complete(_ payload: Payload, in rows: inout RowBatch) {
        rows.transactions.set(.environment, payload.environment)
        rows.transactions.set(.bundleID, payload.bundleID)
        rows.transactions.set(.observedAt, payload.signedDate)
        rows.transactions.set(.isTrial, payload.isTrial.map { $0 ? 1 : 0 })
        rows.transactions.set(.isIntro, payload.isIntroductory ? 1 : 0)
        rows.renewals.set(.environment, payload.environment)
        rows.renewals.set(.bundleID, payload.bundleID)
        rows.renewals.set(.observedAt, payload.signedDate)
    }
}

extension JSONBytes {
    /// Whether an id is that of an order of Google Play, `GPA.3300-…`: tables have purchases of both shops.
    func isOrderOfGooglePlay(_ token: JSONToken) -> Bool {
        // Nearly all ids are numbers.
        guard token.kind == .string, token.count > 4, byte(token.start) == 0x47 else { return false }
        return raw(token).extracting(0..<4).equals("GPA.")
    }
}
