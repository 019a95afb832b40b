import TillCore

/// Signed transactions and renewal info, as an app or the App Store Server API hands them on.
struct JWSSamples {
    private let seed: UInt64
    private let customers: [Customer]
    private static let signedAt = Timestamp.utc(2026, 3, 29, hour: 11)

    init(seed: UInt64, clientele: Clientele) {
        self.seed = seed
        // Every story once; they are in `verify/` as well, so that the copies have to be merged.
        customers = Array(clientele.customers.prefix(Story.allCases.count))
    }

    func files() throws -> [SampleFile] {
        let jws = SignedJWS()
        return [
            SampleFile(
                path: "jws/signed.jws",
                shows: "compact JWS, one a line: transactions with their prices, renewal info, app transactions; "
                    + "signed with a test key",
                lines: try payloads().map { try jws.text(of: $0.compact()) }
            ),
            SampleFile(
                path: "jws/payloads.ndjson",
                shows: "such payloads already decoded, which nobody can check any more",
                lines: payloads().suffix(20).map { $0.compact() }
            ),
            SampleFile(
                path: "jws/xcode.jws",
                shows: "a transaction that Xcode signed: one certificate, fractions of milliseconds, the id 0",
                lines: [try SignedJWS.xcode.text(of: Self.xcodePayload)]
            ),
        ]
    }

    private func payloads() -> [JSONValue] {
        customers.flatMap { customer -> [JSONValue] in
            let payload = StoreKitPayload(customer: customer, signedAt: Self.signedAt)
            let snapshot = customer.snapshot(at: Self.signedAt)
            let latest = snapshot.purchases.last(where: \.isSubscription)
            return snapshot.purchases.map(payload.transaction) + [latest.map(payload.renewal)].compactMap(\.self)
                + [payload.app(snapshot)]
        }
    }

    private static let xcodePayload =
        #"{"transactionId":"0","originalTransactionId":"0","webOrderLineItemId":"0","bundleId":"com.example.lumen","#
        + #""productId":"com.example.lumen.monthly","purchaseDate":1773997200049.7297,"#
        + #""originalPurchaseDate":1773997200049.7297,"expiresDate":1776675600049.7297,"quantity":1,"#
        + #""type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","signedDate":1773997200056.485,"#
        + #""isUpgraded":false,"environment":"Xcode","storefront":"USA","storefrontId":"143441","#
        + #""transactionReason":"PURCHASE"}"#
}
