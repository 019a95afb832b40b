extension FailureDomain {
    /// `SKError.Code` of StoreKit.
    static let storeKit = FailureDomain(
        name: "SKErrorDomain",
        rows: [
            Row(0, "unknown", .store, retry: .maybe)
                .meaning("The purchase failed and StoreKit itself does not say why.")
                .advice("Look at the underlying error before counting it."),
            Row(1, "clientInvalid", .notAllowed, retry: .never)
                .meaning("This client may not do what it attempted.")
                .advice("Tell the customer that this account or device cannot buy."),
            Row(2, "paymentCancelled", .cancelled, retry: .never)
                .meaning("The customer cancelled the payment.")
                .advice("Show no error; keep it in the funnel and out of the failure rate."),
            Row(3, "paymentInvalid", .integration, retry: .never)
                .meaning("A parameter of the payment was not one that the App Store knows.")
                .advice("Compare product identifier and quantity with App Store Connect."),
            Row(4, "paymentNotAllowed", .notAllowed, retry: .never)
                .meaning("The customer may not pay, by parental controls or device management.")
                .advice("Ask whether payments are possible before offering them."),
            Row(5, "storeProductNotAvailable", .catalogue, retry: .never)
                .meaning("The product is not sold in this storefront.")
                .advice("Check the product's availability in App Store Connect."),
            Row(6, "cloudServicePermissionDenied", .notAllowed, retry: .never)
                .meaning("The customer did not allow access to cloud service information.")
                .advice("Explain what the access is for and ask again when it is needed."),
            Row(7, "cloudServiceNetworkConnectionFailed", .network, retry: .yes)
                .meaning("The device could not reach the network.")
                .advice("Try again when there is a connection."),
            Row(8, "cloudServiceRevoked", .notAllowed, retry: .never)
                .meaning("The customer withdrew the permission for this cloud service.")
                .advice("Go on without the service until the permission is given again."),
            Row(9, "privacyAcknowledgementRequired", .notAllowed, retry: .yes)
                .meaning("The customer has not yet accepted Apple's privacy terms.")
                .advice("Ask the customer to accept them, then try again."),
            Row(10, "unauthorizedRequestData", .integration, retry: .never)
                .meaning("The app used a property of the request for which it has no entitlement.")
                .advice("Remove the property or ask Apple for the entitlement."),
            Row(11, "invalidOfferIdentifier", .offer, retry: .never)
                .meaning("The offer identifier is unknown or the offer is not active.")
                .advice("Compare the offer with App Store Connect."),
            Row(12, "invalidSignature", .offer, retry: .never)
                .meaning("The signature of the promotional offer does not hold.")
                .advice("Check the signed fields, their order and the key on the server."),
            Row(13, "missingOfferParams", .offer, retry: .never)
                .meaning("A parameter of the promotional offer is missing.")
                .advice("Send identifier, key, nonce, timestamp and signature."),
            Row(14, "invalidOfferPrice", .offer, retry: .never)
                .meaning("The price of the offer no longer fits the product.")
                .advice("Set the offer's price below the current price in App Store Connect."),
            Row(15, "overlayCancelled", .cancelled, retry: .never)
                .meaning("The customer or the app dismissed the overlay.")
                .advice("Show no error; keep it out of the failure rate."),
            Row(16, "overlayInvalidConfiguration", .integration, retry: .never)
                .meaning("The overlay was configured wrongly.")
                .advice("Check the configuration that the app gives to the overlay."),
            Row(17, "overlayTimeout", .network, retry: .yes)
                .meaning("The overlay did not load in time.")
                .advice("Try again later."),
            Row(18, "ineligibleForOffer", .offer, retry: .never)
                .meaning("The customer does not qualify for the offer.")
                .advice("Check eligibility before showing the offer."),
            Row(19, "unsupportedPlatform", .integration, retry: .never)
                .meaning("The platform does not have what the app asked for.")
                .advice("Ask for it only where the platform has it."),
            Row(20, "overlayPresentedInBackgroundScene", .integration, retry: .never)
                .meaning("The overlay was shown in a scene that is not in the foreground.")
                .advice("Show the overlay in the active scene."),
            Row(21, "paymentMethodBindingConfigurationRequired", .paymentSetup, retry: .yes)
                .meaning("The customer must first set up a way to pay.")
                .advice("Let the customer add a payment method, then try again."),
            Row(907, "unhandledException", .store, retry: .maybe)
                .meaning("StoreKit met an exception that Apple does not document.")
                .advice("Look at the underlying error; over AMSErrorDomain 6 the customer cancelled."),
        ]
    )
}
