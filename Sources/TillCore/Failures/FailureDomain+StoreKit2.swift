extension FailureDomain {
    /// `StoreKitError` of StoreKit 2.
    static let storeKitError = FailureDomain(
        name: "StoreKitError",
        // The compiler numbers cases with a payload first, then the others as they are declared.
        numbered: [
            "networkError", "systemError", "unknown", "userCancelled", "notAvailableInStorefront", "notEntitled",
            "unsupported",
        ],
        rows: [
            Row(case: "unknown", .store, retry: .maybe)
                .meaning("StoreKit failed and does not say why.")
                .advice("Let the customer try again later."),
            Row(case: "userCancelled", .cancelled, retry: .never)
                .meaning("The customer cancelled; a purchase gives this as a result and not as an error.")
                .advice("Show no error; keep it in the funnel and out of the failure rate."),
            Row(case: "networkError", .network, retry: .yes)
                .meaning("The App Store could not be reached.")
                .advice("Look at the URLError in it, and try again when there is a connection."),
            Row(case: "systemError", .system, retry: .maybe)
                .meaning("The device's operating system failed.")
                .advice("Look at the error in it and at the versions that it happens on."),
            Row(case: "notAvailableInStorefront", .catalogue, retry: .never)
                .meaning("The product is not sold in this storefront.")
                .advice("Check the product's availability in App Store Connect."),
            Row(case: "notEntitled", .integration, retry: .never)
                .meaning("The app lacks the entitlement for what it asked of StoreKit.")
                .advice("Add the entitlement, or do not ask for it."),
            Row(case: "unsupported", .integration, retry: .never)
                .meaning("The platform does not have what the app asked for.")
                .advice("Ask for it only where the platform has it."),
            Row(case: "invalidPresentationContext", .integration, retry: .never)
                .meaning("StoreKit was given no place in which it could show its sheet.")
                .advice("Hand over a scene or view controller that is in the foreground."),
        ]
    )

    /// `Product.PurchaseError` of StoreKit 2.
    static let purchaseError = FailureDomain(
        name: "Product.PurchaseError",
        rows: [
            Row(case: "invalidQuantity", .integration, retry: .never)
                .meaning("The quantity is not one that can be bought.")
                .advice("Ask for 1 to 10, and for 1 of anything that is not consumable."),
            Row(case: "productUnavailable", .catalogue, retry: .never)
                .meaning("The product is not for sale.")
                .advice("Check the product's status and availability in App Store Connect."),
            Row(case: "purchaseNotAllowed", .notAllowed, retry: .never)
                .meaning("The customer may not pay, by parental controls or device management.")
                .advice("Ask whether payments are possible before offering them."),
            Row(case: "ineligibleForOffer", .offer, retry: .never)
                .meaning("The customer does not qualify for the offer.")
                .advice("Check eligibility before showing the offer."),
            Row(case: "invalidOfferIdentifier", .offer, retry: .never)
                .meaning("The offer identifier is unknown or the offer is not active.")
                .advice("Compare the offer with App Store Connect."),
            Row(case: "invalidOfferPrice", .offer, retry: .never)
                .meaning("The price of the offer no longer fits the product.")
                .advice("Set the offer's price below the current price in App Store Connect."),
            Row(case: "invalidOfferSignature", .offer, retry: .never)
                .meaning("The signature of the promotional offer does not hold.")
                .advice("Check the signed fields, their order and the key on the server."),
            Row(case: "missingOfferParameters", .offer, retry: .never)
                .meaning("A parameter of the promotional offer is missing.")
                .advice("Send identifier, key, nonce, timestamp and signature."),
            Row(case: "paymentMethodBindingConfigurationRequired", .paymentSetup, retry: .yes)
                .meaning("The customer must first set up a way to pay.")
                .advice("Let the customer add a payment method, then try again."),
        ]
    )

    /// `VerificationResult.VerificationError` of StoreKit 2.
    static let verificationError = FailureDomain(
        name: "VerificationResult.VerificationError",
        rows: [
            Row(case: "revokedCertificate", .verification, retry: .maybe)
                .meaning("A certificate that signed the transaction has been revoked.")
                .advice("Do not deliver; ask StoreKit for the transaction again, which may be signed anew."),
            Row(case: "invalidCertificateChain", .verification, retry: .never)
                .meaning("The certificates do not lead to Apple's root.")
                .advice("Do not deliver: the transaction was not signed by the App Store."),
            Row(case: "invalidDeviceVerification", .verification, retry: .never)
                .meaning("The transaction was signed for another device.")
                .advice("Do not deliver on this device."),
            Row(case: "invalidEncoding", .verification, retry: .never)
                .meaning("The signed transaction could not be decoded.")
                .advice("Do not deliver; keep the text of the transaction and look into it."),
            Row(case: "invalidSignature", .verification, retry: .never)
                .meaning("The signature of the transaction does not hold.")
                .advice("Do not deliver: the transaction was tampered with."),
            Row(case: "missingRequiredProperties", .verification, retry: .never)
                .meaning("The signed transaction lacks a property that it must have.")
                .advice("Do not deliver; keep the text of the transaction and look into it."),
        ]
    )

    /// `Transaction.RefundRequestError` of StoreKit 2.
    static let refundRequestError = FailureDomain(
        name: "Transaction.RefundRequestError",
        rows: [
            Row(case: "duplicateRequest", .refund, retry: .never)
                .meaning("A refund has been asked for already.")
                .advice("Tell the customer that the request is under way."),
            Row(case: "failed", .refund, retry: .maybe)
                .meaning("The request for a refund could not be sent.")
                .advice("Let the customer try again, or point them to Apple's page for refunds."),
        ]
    )
}

extension FailureDomain {
    /// The types of StoreKit 2, whose cases have names and no codes.
    static let storeKit2: [FailureDomain] = [.storeKitError, .purchaseError, .verificationError, .refundRequestError]

    /// The type of StoreKit 2 that a text names.
    ///
    ///     StoreKit.VerificationResult<StoreKit.Transaction>.VerificationError     as Swift prints it
    ///     VerificationResult.VerificationError                                   as the documentation does
    ///     VerificationError
    static func named(_ text: String) -> FailureDomain? {
        var name = ""
        var depth = 0
        for character in text {
            if character == "<" { depth += 1 }
            if depth == 0 { name.append(character) }
            if character == ">" { depth -= 1 }
        }
        if name.hasPrefix("StoreKit.") { name.removeFirst("StoreKit.".count) }
        return storeKit2.first { $0.name == name || $0.name.hasSuffix(".\(name)") }
    }

    /// The types that a text may mean: `SK2` is any of StoreKit 2, as some logs abbreviate them.
    static func all(named text: String) -> [FailureDomain] {
        text == "SK2" ? storeKit2 : named(text).map { [$0] } ?? sdks.filter { $0.name == text }
    }

    /// The class of every case, if it is the same.
    var onlyClass: FailureClass? {
        guard let first = rows.first, rows.allSatisfy({ $0.failureClass == first.failureClass }) else { return nil }
        return first.failureClass
    }
}
