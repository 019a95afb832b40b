// The libraries define the codes: OpenIAP's `ErrorCode`, RevenueCat's `ErrorCode`, Unity's
// `PurchaseFailureReason`, in_app_purchase_storekit of Flutter and `CdvPurchase.ErrorCode`.
extension FailureDomain {
    /// `ErrorCode` of RevenueCat's SDK.
    static let revenueCat = FailureDomain(
        sdk: "RevenueCat.ErrorCode",
        aliases: [
            "RCPurchasesErrorDomain", "RCPurchasesErrorCodeDomain", "Purchases.ErrorCode", "PurchasesErrorCode",
            "PURCHASES_ERROR_CODE", "RevenueCat",
        ],
        """
        0 unknownError SK:0
        1 purchaseCancelledError SK:2
        2 storeProblemError SK:0
        3 purchaseNotAllowedError SK:4
        4 purchaseInvalidError SK:3
        5 productNotAvailableForPurchaseError SK:5
        6 productAlreadyPurchasedError ASDServer:3532
        7 receiptAlreadyInUseError ASDServer:3532
        8 invalidReceiptError verifyReceipt:21003
        9 missingReceiptFileError SK:0
        10 networkError URL:0
        11 invalidCredentialsError verifyReceipt:21004
        12 unexpectedBackendResponseError SK:0
        13 receiptInUseByOtherSubscriberError ASDServer:3532
        14 invalidAppUserIdError SK:3
        15 operationAlreadyInProgressForProductError SK:3
        16 unknownBackendError SK:0
        17 invalidAppleSubscriptionKeyError verifyReceipt:21004
        18 ineligibleError SK:18
        19 insufficientPermissionsError SK:4
        20 paymentPendingError deferred
        21 invalidSubscriberAttributesError SK:3
        22 logOutAnonymousUserError SK:3
        23 configurationError verifyReceipt:21004
        24 unsupportedError SK:19
        25 emptySubscriberAttributesError SK:3
        26 productDiscountMissingIdentifierError SK:13
        28 productDiscountMissingSubscriptionGroupIdentifierError SK:13
        29 customerInfoError SK:0
        30 systemInfoError Cocoa:0
        31 beginRefundRequestError RefundRequestError:failed
        32 productRequestTimedOut URL:-1001
        33 apiEndpointBlockedError URL:-1004
        34 invalidPromotionalOfferError SK:12
        35 offlineConnectionError URL:-1009
        37 signatureVerificationFailed VerificationError:invalidSignature
        40 purchaseBelongsToOtherUser ASDServer:3532
        """
    )

    /// `ErrorCode` of OpenIAP: react-native-iap, expo-iap, flutter_inapp_purchase and kmp-iap. Newer versions write
    /// `user-cancelled`, and some `UserCancelled`, for `E_USER_CANCELLED`.
    static let reactNative = FailureDomain(
        sdk: "RNIap",
        aliases: [
            "OpenIAP", "OpenIap", "ExpoIap", "expo-iap", "react-native-iap", "flutter_inapp_purchase", "ErrorCode",
        ],
        """
        E_UNKNOWN SK:0
        E_USER_CANCELLED SK:2
        E_USER_ERROR SK:0
        E_ITEM_UNAVAILABLE SK:5
        E_REMOTE_ERROR SK:0
        E_NETWORK_ERROR SK:7
        E_SERVICE_ERROR SK:0
        E_ALREADY_OWNED ASDServer:3532
        E_DEVELOPER_ERROR SK:3
        E_IAP_NOT_AVAILABLE SK:4
        E_PURCHASE_ERROR SK:0
        E_DEFERRED_PAYMENT deferred
        E_PENDING deferred
        E_RECEIPT_FAILED SK:0
        E_RECEIPT_FINISHED SK:0
        E_RECEIPT_FINISHED_FAILED SK:0
        E_NOT_PREPARED SK:3
        E_NOT_ENDED SK:3
        E_ALREADY_PREPARED SK:3
        E_INTERRUPTED SK:0
        E_SYNC_ERROR SK:0
        E_BILLING_RESPONSE_JSON_PARSE_ERROR SK:0
        E_TRANSACTION_VALIDATION_FAILED VerificationError:invalidSignature
        E_PURCHASE_VERIFICATION_FAILED VerificationError:invalidSignature
        E_PURCHASE_VERIFICATION_FINISHED SK:0
        E_PURCHASE_VERIFICATION_FINISH_FAILED SK:0
        E_ACTIVITY_UNAVAILABLE SK:16
        E_CONNECTION_CLOSED URL:-1005
        E_INIT_CONNECTION URL:-1004
        E_SERVICE_DISCONNECTED URL:-1005
        E_SERVICE_TIMEOUT URL:-1001
        E_QUERY_PRODUCT SK:0
        E_SKU_NOT_FOUND SK:5
        E_PRODUCT_NOT_AVAILABLE SK:5
        E_SKU_OFFER_MISMATCH SK:11
        E_ITEM_NOT_OWNED SK:3
        E_PRODUCT_ALREADY_OWNED ASDServer:3532
        E_DUPLICATE_PURCHASE ASDServer:3532
        E_BILLING_UNAVAILABLE SK:4
        E_FEATURE_NOT_SUPPORTED SK:19
        E_EMPTY_SKU_LIST SK:3
        """
    )

    /// `PurchaseFailureReason` of Unity IAP.
    static let unity = FailureDomain(
        sdk: "PurchaseFailureReason",
        """
        PurchasingUnavailable SK:4
        ExistingPurchasePending SK:0
        ProductUnavailable SK:5
        SignatureInvalid VerificationError:invalidSignature
        UserCancelled SK:2
        PaymentDeclined SK:0
        DuplicateTransaction ASDServer:3532
        Unknown SK:0
        ValidationFailure VerificationError:invalidSignature
        StoreNotConnected URL:-1004
        PurchaseMissing SK:0
        """
    )

    /// The codes of a `PlatformException` or an `IAPError` of Flutter's in_app_purchase.
    static let flutter = FailureDomain(
        sdk: "PlatformException",
        aliases: ["IAPError", "app_store"],
        """
        storekit_user_cancelled SK:2
        storekit_purchase_cancelled SK:2
        storekit2_purchase_cancelled SK:2
        storekit2_purchase_pending deferred
        storekit2_purchase_unverified VerificationError:invalidSignature
        storekit_duplicate_product_object SK:3
        storekit_invalid_argument SK:3
        storekit_invalid_payment_object SK:3
        storekit_finish_transaction_exception SK:3
        storekit_getproductrequest_platform_error SK:0
        storekit_no_response SK:0
        storekit2_failed_to_fetch_product SK:0
        restore_transactions_failed SK:0
        """
    )

    /// `ErrorCode` of cordova-plugin-purchase, for Cordova and Capacitor.
    static let cordova = FailureDomain(
        sdk: "CdvPurchase.ErrorCode",
        aliases: ["CdvPurchase"],
        """
        6777001 SETUP SK:0
        6777002 LOAD SK:0
        6777003 PURCHASE SK:0
        6777004 LOAD_RECEIPTS SK:0
        6777005 CLIENT_INVALID SK:1
        6777006 PAYMENT_CANCELLED SK:2
        6777007 PAYMENT_INVALID SK:3
        6777008 PAYMENT_NOT_ALLOWED SK:4
        6777010 UNKNOWN SK:0
        6777011 REFRESH_RECEIPTS SK:0
        6777012 INVALID_PRODUCT_ID SK:5
        6777013 FINISH SK:0
        6777014 COMMUNICATION URL:-1004
        6777015 SUBSCRIPTIONS_NOT_AVAILABLE SK:19
        6777016 MISSING_TOKEN SK:3
        6777017 VERIFICATION_FAILED VerificationError:invalidSignature
        6777018 BAD_RESPONSE SK:0
        6777019 REFRESH SK:0
        6777020 PAYMENT_EXPIRED SK:0
        6777021 DOWNLOAD SK:0
        6777022 SUBSCRIPTION_UPDATE_NOT_AVAILABLE SK:19
        6777023 PRODUCT_NOT_AVAILABLE SK:5
        6777024 CLOUD_SERVICE_PERMISSION_DENIED SK:6
        6777025 CLOUD_SERVICE_NETWORK_CONNECTION_FAILED SK:7
        6777026 CLOUD_SERVICE_REVOKED SK:8
        6777027 PRIVACY_ACKNOWLEDGEMENT_REQUIRED SK:9
        6777028 UNAUTHORIZED_REQUEST_DATA SK:10
        6777029 INVALID_OFFER_IDENTIFIER SK:11
        6777030 INVALID_OFFER_PRICE SK:14
        6777031 INVALID_SIGNATURE SK:12
        6777032 MISSING_OFFER_PARAMS SK:13
        """
    )

    /// The error codes and names of SDKs above StoreKit.
    static let sdks: [FailureDomain] = [revenueCat, reactNative, unity, flutter, cordova]
    /// The same in the order in which a name without a type is looked for.
    private static let sdksByUse = [reactNative, revenueCat, unity, flutter, cordova]

    /// Codes of SDKs by their names (``spelling(_:)``).
    private static let spelled: [[UInt8]: [(domain: FailureDomain, row: Row)]] = {
        var spelled: [[UInt8]: [(domain: FailureDomain, row: Row)]] = [:]
        for domain in sdksByUse {
            for row in domain.rows { spelled[spelling(row.name), default: []].append((domain, row)) }
        }
        return spelled
    }()

    /// The letters and digits of a name in lower case. `E_`, `ERR_` or `e` before it and `error` after it do not
    /// matter, and `canceled` is `cancelled`.
    ///
    ///     user-cancelled   E_USER_CANCELLED   ERR_USER_CANCELED   eUserCancelled   UserCancelled
    private static func spelling(_ name: String) -> [UInt8] {
        let name = Array(name.utf8)
        let (e, lowerE, mark) = (UInt8(ascii: "E"), UInt8(ascii: "e"), [UInt8(ascii: "_"), UInt8(ascii: "-")])
        var start = 0
        if name.count > 4, name[..<3].allSatisfy({ [e, lowerE, 0x52, 0x72].contains($0) }), mark.contains(name[3]) {
            start = 4
        } else if name.count > 2, [e, lowerE].contains(name[0]), mark.contains(name[1]) {
            start = 2
        } else if name.count > 2, name[0] == lowerE, (0x41...0x5A).contains(name[1]) {
            start = 1
        }
        var letters: [UInt8] = []
        for byte in name[start...] {
            switch byte {
            case 0x41...0x5A: letters.append(byte | 0x20)
            case 0x61...0x7A, 0x30...0x39, 0x80...: letters.append(byte)
            default: break
            }
        }
        let (suffix, american) = (Array("error".utf8), Array("canceled".utf8))
        if letters.count > suffix.count, letters.suffix(suffix.count).elementsEqual(suffix) {
            letters.removeLast(suffix.count)
        }
        if letters.count >= american.count, letters.suffix(american.count).elementsEqual(american) {
            letters.replaceSubrange(letters.count - 2..<letters.count, with: Array("led".utf8))
        }
        return letters
    }

    /// Bytes of the longest name of a code.
    private static let longestName = 64

    /// The code of an SDK that a name means; `nil` if no SDK has such a name.
    ///
    /// - Parameter type: the name of the SDK's domain or type. Beside a domain that is not in the catalogue, only a name
    ///   of several words counts, such as `user-cancelled`.
    static func sdkCode(named name: String, of type: String?) -> (domain: FailureDomain, row: Row)? {
        guard name.utf8.count <= longestName, let found = spelled[spelling(name)] else { return nil }
        guard let type else { return found.first }
        if let own = found.first(where: { $0.domain.isCalled(type) }) { return own }
        let isOther = !FailureCatalogue.domains.contains { $0.name == type } && !sdks.contains { $0.isCalled(type) }
        return isOther && !name.utf8.contains(where: { $0 == 0x2D || $0 == 0x5F }) ? nil : found.first
    }
}

extension FailureDomain {
    /// Apple's domains by their short names in the tables above.
    private static let apple: [String: FailureDomain] = [
        "SK": storeKit, "ASDServer": appStoreServer, "URL": url, "Cocoa": cocoa, "verifyReceipt": verifyReceipt,
        "VerificationError": verificationError, "RefundRequestError": refundRequestError,
    ]

    /// Reads a table. A line has a code, which may be left out, its name, and Apple's error of the same meaning. For a
    /// deferral, which Apple reports without an error, the line says `deferred`.
    private init(sdk name: String, aliases: [String] = [], _ table: String) {
        let rows = table.split(separator: "\n").map { line in
            let words = line.split(separator: " ").map(String.init)
            let code = Int64(words[0])
            return Row(code, words[code == nil ? 0 : 1], standingFor: words[words.count - 1])
        }
        self.init(name: name, aliases: aliases, rows: rows)
    }

    fileprivate static func row(of error: String) -> Row? {
        let parts = error.split(separator: ":").map(String.init)
        guard parts.count == 2, let domain = apple[parts[0]] else { return nil }
        guard let code = Int64(parts[1]) else { return domain.rows.first { $0.name == parts[1] } }
        return domain.rows.first { $0.codes?.contains(code) == true }
    }
}

extension FailureDomain.Row {
    /// An SDK's code or name, with the class, meaning and advice of an error of Apple.
    fileprivate init(_ code: Int64?, _ name: String, standingFor error: String) {
        let (codes, row) = (code.map { $0...$0 }, FailureDomain.row(of: error))
        if error == "deferred" {
            self = Self(codes, name, .deferred, retry: .never)
                .meaning("The purchase waits for approval, as with Ask to Buy.")
                .advice("Show no error; deliver when the transaction arrives.")
        } else {
            self = Self(codes, name, row?.failureClass ?? .unknown, retry: row?.retry ?? .maybe)
                .meaning(row?.meaning ?? "")
                .advice(row?.advice ?? "")
        }
    }
}
