/// The members of all three payloads that are rows or a document: transaction, renewal info and app transaction.
///
/// Members without a column are named where they are common, so that they are guessed.
enum PayloadKey: String, CaseIterable {
    // A transaction (JWSTransactionDecodedPayload).
    case transactionID = "transactionId"
    case originalTransactionID = "originalTransactionId"
    case webOrderLineItemID = "webOrderLineItemId"
    case bundleID = "bundleId"
    case productID = "productId"
    case subscriptionGroupIdentifier
    case purchaseDate
    case originalPurchaseDate
    case expiresDate
    case quantity
    case type
    case appAccountToken
    case inAppOwnershipType
    case signedDate
    case revocationReason
    case revocationDate
    case revocationPercentage
    case isUpgraded
    case offerType
    case offerIdentifier
    case environment
    case transactionReason
    case storefront
    case storefrontID = "storefrontId"
    case price
    case currency
    case offerDiscountType
    case appTransactionID = "appTransactionId"
    case offerPeriod
    case revocationType
    case deviceVerification
    case deviceVerificationNonce
    // Renewal info (JWSRenewalInfoDecodedPayload).
    case autoRenewProductID = "autoRenewProductId"
    case autoRenewStatus
    case expirationIntent
    case isInBillingRetryPeriod
    case priceIncreaseStatus
    case gracePeriodExpiresDate
    case renewalDate
    case renewalPrice
    case recentSubscriptionStartDate
    // An app transaction.
    case receiptType
    case appAppleID = "appAppleId"
    case applicationVersion
    case originalApplicationVersion
    case receiptCreationDate
    case originalPlatform
    case preorderDate
    // Further members of an app's own record of a purchase (quirk 7).
    case transactionReceipt
    // Properties of StoreKit's `Transaction`, by which some apps write it down.
    case identifier = "id"
    case originalID
    case appBundleID
    case expirationDate
    case ownershipType
    case productType
    case purchasedQuantity
    case subscriptionGroupID
    case offerID
    /// The payload itself, as text.
    case jsonRepresentation
    /// Any that a transaction of a response has, and no payload (``TransactionKey/ofResponsesOnly``).
    case ofResponse
    /// Any that tells a document of another format.
    case other

    /// The properties of StoreKit's `Transaction` whose names differ from those of a payload. They are read in this
    /// spelling only.
    static let properties: [PayloadKey] = [
        .identifier, .originalID, .appBundleID, .expirationDate, .ownershipType, .productType, .purchasedQuantity,
        .subscriptionGroupID, .offerID, .jsonRepresentation,
    ]

    /// Whether only Apple's payloads have the member. The others stand in the records of other shops too.
    var isApple: Bool {
        switch self {
        case .transactionID, .productID, .purchaseDate, .expiresDate, .renewalDate, .quantity, .type, .environment,
            .storefront, .price, .currency, .offerType, .offerIdentifier, .offerPeriod, .receiptType, .appAccountToken,
            .applicationVersion, .preorderDate, .transactionReceipt, .identifier, .expirationDate, .ownershipType,
            .productType, .offerID, .jsonRepresentation, .ofResponse, .other:
            false
        default: true
        }
    }
}
