import TillCore

/// Signed transactions and renewal info, as an app or the App Store Server API hands them on.
struct JWSSamples {
    private static let signedAt = Timestamp.utc(2026, 3, 29, hour: 11)

    let clientele: Clientele

    func files() throws -> [SampleFile] {
        // These customers are in `verify/` as well, so the copies have to be merged.
        let payloads = clientele.cast.flatMap { customer in
            let payload = StoreKitPayload(customer: customer, signedAt: Self.signedAt)
            let snapshot = customer.snapshot(at: Self.signedAt)
            let renewals = snapshot.purchases.filter(\.isSubscription).suffix(1).map(payload.renewal)
            return snapshot.purchases.map(payload.transaction) + renewals + [payload.app(snapshot)]
        }
        .map(\.compact)
        return [
            SampleFile("jws/signed.jws", lines: try payloads.map(SignedJWS.store.text)),
            SampleFile("jws/payloads.ndjson", lines: payloads.suffix(20)),
            SampleFile("jws/xcode.jws", lines: [try SignedJWS.xcode.text(of: Self.xcodePayload)]),
        ]
    }

    private static let xcodePayload =
        #"{"transactionId":"0","originalTransactionId":"0","webOrderLineItemId":"0","bundleId":"com.example.lumen","#
        + #""productId":"com.example.lumen.monthly","purchaseDate":1773997200049.7297,"#
        + #""originalPurchaseDate":1773997200049.7297,"expiresDate":1776675600049.7297,"quantity":1,"#
        + #""type":"Auto-Renewable Subscription","inAppOwnershipType":"PURCHASED","signedDate":1773997200056.485,"#
        + #""isUpgraded":false,"environment":"Xcode","storefront":"USA","storefrontId":"143441","#
        + #""transactionReason":"PURCHASE"}"#
}

/// A compact JWS (RFC 7515 §3.1), signed with a test key (``TestKeys``): only a program that is given the root
/// trusts it.
struct SignedJWS {
    private let header: JSON

    /// As the App Store writes it.
    static let store = SignedJWS(
        header: ["alg": "ES256", "x5c": TestKeys.ecChain.map(\.octets.base64)]
    )
    /// As Xcode writes it: a single certificate, and a key id.
    static let xcode = SignedJWS(
        header: ["x5c": [TestKeys.ecXcode.octets.base64], "kid": "Apple_Xcode_Key", "typ": "JWT", "alg": "ES256"]
    )

    func text(of payload: String) throws -> String {
        let signed = [header.compact, payload].map { Array($0.utf8).base64URL }.joined(separator: ".")
        return signed + "." + (try TestSigner.signJWS(Array(signed.utf8))).base64URL
    }
}
