extension FailureDomain {
    /// The iTunes Store framework of iOS 12 and before, errors of the client.
    static let storeServices = FailureDomain(
        name: "SSErrorDomain",
        rows: [
            Row(0, "cannotConnect", .store, retry: .maybe)
                .meaning(
                    "The iTunes Store could not be reached, or a family member's earlier purchase stood in the way."
                )
                .advice("Let the customer try again; look at the network if it comes in numbers."),
            Row(anyCode, "clientError", .store, retry: .maybe)
                .meaning("The iTunes Store framework failed on the device.")
                .advice("Let the customer try again."),
        ]
    )

    /// The iTunes Store framework of iOS 12 and before, errors reported by its server.
    static let storeServicesServer = FailureDomain(
        name: "SSServerErrorDomain",
        rows: [
            Row(-5000, "twoFactorTrustMissing", .auth, retry: .never)
                .meaning("The account is not trusted on this device by two-factor authentication.")
                .advice("Ask the customer to sign in again and to confirm the device."),
            Row(0, "cannotConnect", .store, retry: .maybe)
                .meaning(
                    "The iTunes Store could not be reached, or a family member's earlier purchase stood in the way."
                )
                .advice("Let the customer try again; look at the network if it comes in numbers."),
            Row(5002, "unknownError", .store, retry: .maybe)
                .meaning("The iTunes Store failed and calls the reason unknown.")
                .advice("Let the customer try again later."),
            Row(5020, "signInFailed", .auth, retry: .never)
                .meaning("The customer could not be signed in and was asked about a forgotten password.")
                .advice("Ask the customer to check their account and password."),
        ]
    )

    /// The App Store daemon of the device.
    static let appStoreDaemon = FailureDomain(
        name: "ASDErrorDomain",
        rows: [
            Row(500, "unhandled", .store, retry: .maybe)
                .meaning("The App Store daemon failed without a reason of its own.")
                .advice("Look at the underlying error."),
            Row(603, "throttled", .throttled, retry: .maybe)
                .meaning("The App Store was asked too often, mostly for a new receipt.")
                .advice("Refresh the receipt only when the customer asks for it, and wait before the next time."),
        ]
    )

    /// Errors that the App Store's server reports to the daemon.
    static let appStoreServer = FailureDomain(
        name: "ASDServerErrorDomain",
        rows: [
            Row(3504, "itemNotFound", .catalogue, retry: .never)
                .meaning("The item was not found or is not for sale.")
                .advice("Check the product's status and availability in App Store Connect."),
            Row(3532, "alreadySubscribed", .alreadyOwned, retry: .never)
                .meaning("The customer is subscribed to this product already.")
                .advice("Restore purchases instead of buying again."),
        ]
    )

    /// Apple Media Services, which signs in and shows the payment sheet.
    static let appleMediaServices = FailureDomain(
        name: "AMSErrorDomain",
        rows: [
            Row(6, "paymentSheetFailed", .store, retry: .maybe)
                .meaning("The payment sheet failed; under SKErrorDomain 907 the customer closed it.")
                .advice("Look at the outer error before counting it."),
            Row(100, "authenticationFailed", .auth, retry: .never)
                .meaning("The customer could not be signed in.")
                .advice("Ask the customer to sign in to the App Store again."),
            Row(301, "invalidHTTPStatus", .store, retry: .maybe)
                .meaning("The App Store's server answered with an HTTP status that is an error.")
                .advice("Look at AMSStatusCode and at the error code of the server's payload."),
            Row(306, "retriesExhausted", .network, retry: .maybe)
                .meaning("The request was tried as often as is allowed and never passed.")
                .advice("Let the customer try again with a better connection."),
        ]
    )
}
