extension FailureDomain {
    /// `ErrorCode` of RevenueCat's SDK.
    static let revenueCat = FailureDomain(
        name: "RevenueCat.ErrorCode",
        rows: [
            Row(1, "purchaseCancelledError", as: storeKit, 2), Row(2, "storeProblemError", as: storeKit, 0),
            Row(3, "purchaseNotAllowedError", as: storeKit, 4), Row(4, "purchaseInvalidError", as: storeKit, 3),
            Row(5, "productNotAvailableForPurchaseError", as: storeKit, 5),
            Row(6, "productAlreadyPurchasedError", as: appStoreServer, 3532), Row(10, "networkError", as: url, 0),
            Row(18, "ineligibleError", as: storeKit, 18), Row(32, "productRequestTimedOut", as: url, -1001),
            Row(34, "invalidPromotionalOfferError", as: storeKit, 12),
            Row(35, "offlineConnectionError", as: url, -1009),
        ]
    )

    /// `ErrorCode` of react-native-iap and expo-iap.
    static let reactNative = FailureDomain(
        name: "RNIap",
        rows: [
            Row("E_UNKNOWN", as: storeKit, 0), Row("E_USER_CANCELLED", as: storeKit, 2),
            // An invalid payment and one that is not allowed both get this name.
            Row("E_USER_ERROR", as: storeKit, 0), Row("E_ITEM_UNAVAILABLE", as: storeKit, 5),
            Row("E_REMOTE_ERROR", as: storeKit, 0), Row("E_NETWORK_ERROR", as: storeKit, 7),
            Row("E_SERVICE_ERROR", as: storeKit, 0), Row("E_ALREADY_OWNED", as: appStoreServer, 3532),
            Row("E_DEVELOPER_ERROR", as: storeKit, 3), Row("E_IAP_NOT_AVAILABLE", as: storeKit, 4),
            Row("E_PURCHASE_ERROR", as: storeKit, 0),
        ]
    )

    /// `PurchaseFailureReason` of Unity IAP.
    static let unity = FailureDomain(
        name: "PurchaseFailureReason",
        rows: [
            Row("PurchasingUnavailable", as: storeKit, 4), Row("ExistingPurchasePending", as: storeKit, 0),
            Row("ProductUnavailable", as: storeKit, 5),
            Row("SignatureInvalid", as: verificationError, "invalidSignature"),
            Row("UserCancelled", as: storeKit, 2), Row("PaymentDeclined", as: storeKit, 0),
            Row("DuplicateTransaction", as: appStoreServer, 3532), Row("Unknown", as: storeKit, 0),
        ]
    )

    /// The codes of a `PlatformException` that Flutter's in_app_purchase throws.
    static let flutter = FailureDomain(
        name: "PlatformException",
        rows: [
            Row("storekit_user_cancelled", as: storeKit, 2), Row("storekit_purchase_cancelled", as: storeKit, 2),
            Row("storekit2_purchase_cancelled", as: storeKit, 2),
            Row("storekit_duplicate_product_object", as: storeKit, 3),
            Row("storekit_invalid_argument", as: storeKit, 3), Row("storekit_invalid_payment_object", as: storeKit, 3),
            Row("storekit_finish_transaction_exception", as: storeKit, 3),
            Row("storekit_getproductrequest_platform_error", as: storeKit, 0),
            Row("storekit_no_response", as: storeKit, 0),
            Row("storekit2_failed_to_fetch_product", as: storeKit, 0),
        ]
    )

    /// The error codes and names of SDKs above StoreKit.
    static let sdks: [FailureDomain] = [revenueCat, reactNative, unity, flutter]
}

extension FailureDomain.Row {
    /// A code of an SDK, with the meaning of Apple's code from which the SDK makes it.
    fileprivate init(_ code: Int64, _ name: String, as domain: FailureDomain, _ same: Int64) {
        self.init(codes: code...code, name, as: domain.rows.first { $0.codes?.contains(same) == true })
    }

    /// A name of an SDK, which has no code.
    fileprivate init(_ name: String, as domain: FailureDomain, _ same: Int64) {
        self.init(codes: nil, name, as: domain.rows.first { $0.codes?.contains(same) == true })
    }

    fileprivate init(_ name: String, as domain: FailureDomain, _ same: String) {
        self.init(codes: nil, name, as: domain.rows.first { $0.name == same })
    }

    private init(codes: ClosedRange<Int64>?, _ name: String, as row: Self?) {
        self = Self(codes, name, row?.failureClass ?? .unknown, retry: row?.retry ?? .maybe)
            .meaning(row?.meaning ?? "")
            .advice(row?.advice ?? "")
    }
}
