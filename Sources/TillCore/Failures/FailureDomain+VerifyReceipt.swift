extension FailureDomain {
    /// Statuses whose response says in `is-retryable` whether to try again.
    static let internalDataAccess: ClosedRange<Int64> = 21_100...21_199

    /// The `status` of a verifyReceipt response. Apple does not name the statuses; the names are ours.
    static let verifyReceipt = FailureDomain(
        name: "verifyReceipt",
        rows: [
            Row(0, "valid", .ok, retry: .never)
                .meaning("The receipt as a whole is valid, though a subscription in it may have run out.")
                .advice("Nothing is to be done."),
            Row(21_000, "requestUnreadable", .client, retry: .never)
                .meaning("The request was not an HTTP POST, or its JSON could not be read.")
                .advice("Mend the method, the content type or the body of the request."),
            Row(21_001, "retired", .client, retry: .never)
                .meaning("The App Store no longer sends this status.")
                .advice("Treat it as unknown and keep the response."),
            Row(21_002, "receiptMalformed", .client, retry: .maybe)
                .meaning("The receipt data was malformed or missing, or the service failed for a moment.")
                .advice("Try once or twice; then look for line breaks, URL encoding or a cut field in the base64."),
            Row(21_003, "receiptNotAuthentic", .invalid, retry: .never)
                .meaning("The receipt could not be authenticated.")
                .advice("Refuse it: its signature does not match, so it was tampered with or is not this app's."),
            Row(21_004, "sharedSecretMismatch", .config, retry: .never)
                .meaning("The shared secret is not the one on file for the account.")
                .advice("Correct the app-specific or primary shared secret, above all after an app transfer."),
            Row(21_005, "serverUnavailable", .transient, retry: .yes)
                .meaning("The receipt server could not answer for the moment.")
                .advice("Try again with growing pauses."),
            Row(21_006, "subscriptionExpired", .okExpired, retry: .never)
                .meaning(
                    "The receipt is valid but its subscription has run out; only receipts of the iOS 6 style say so."
                )
                .advice("Read the decoded receipt in the response and count it as valid."),
            Row(21_007, "sandboxReceipt", .routing, retry: .yes)
                .meaning("A receipt of the sandbox was sent to production.")
                .advice("Send it to the sandbox."),
            Row(21_008, "productionReceipt", .routing, retry: .yes)
                .meaning("A receipt of production was sent to the sandbox.")
                .advice("Send it to production, and always try production first."),
            Row(21_009, "internalDataAccess", .transient, retry: .yes)
                .meaning("The App Store could not get at its own data.")
                .advice("Try again with growing pauses unless is-retryable is 0."),
            Row(21_010, "accountNotFound", .invalid, retry: .never)
                .meaning("The customer's account cannot be found or was deleted.")
                .advice("Treat the receipt as if nothing had been bought."),
            Row(internalDataAccess, "internalDataAccess", .transient, retry: .maybe)
                .meaning("The App Store could not get at its own data.")
                .advice("Obey is-retryable: try again with growing pauses unless it is 0."),
        ]
    )
}
