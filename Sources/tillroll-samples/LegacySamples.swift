import TillCore

/// Transaction receipts as apps for iOS 6 and older got them: a property list inside a property list.
struct LegacySamples {
    let clientele: Clientele

    /// All of these transactions are in `verify/` or `pkcs7/` too.
    func files() throws -> [SampleFile] {
        let consumable = try receipt { !$0.isSandbox && $1.product.type == .consumable }
        let restored = try receipt { customer, purchase in
            !customer.isSandbox && purchase.isSubscription
                && customer.purchases.contains {
                    $0.webOrderLineItemID == purchase.webOrderLineItemID && $0.id < purchase.id
                }
        }
        return [
            SampleFile("legacy/receipts.b64", lines: [consumable, restored].map { Array($0.ascii.utf8).base64 }),
            SampleFile("legacy/receipt.plist", text: try receipt { $0.isSandbox && $1.isSubscription }.ascii + "\n"),
            SampleFile(
                "legacy/receipt-xml.plist",
                text: try receipt { !$0.isSandbox && $1.cancelled != nil && $1.product.type == .nonConsumable }.xml
            ),
        ]
    }

    /// The receipt of the first purchase that `isWanted` accepts; of the first purchase, where it accepts none.
    private func receipt(where isWanted: (Customer, Purchase) -> Bool) throws -> PropertyList {
        let purchases = clientele.customers.flatMap { customer in customer.purchases.map { (customer, $0) } }
        let (customer, purchase) = purchases.first(where: isWanted) ?? purchases[0]
        return try receipt(of: purchase, customer.snapshot(at: .utc(2026, 3, 31)))
    }

    /// A receipt of version 3, signed with a test key.
    private func receipt(of purchase: Purchase, _ snapshot: Snapshot) throws -> PropertyList {
        let random = clientele.random("legacy/\(purchase.id)")
        var info: PropertyList = [
            "product-id": purchase.product.id, "quantity": String(purchase.quantity),
            "transaction-id": String(purchase.id), "original-transaction-id": String(purchase.originalID),
            "item-id": String(995_000_000 + purchase.id % 1_000_000),
            "bid": snapshot.customer.app.bundleID, "bvrs": snapshot.appVersion,
            "unique-identifier": random.hexadecimal(40),
            "purchase-date": purchase.date.gmtText, "purchase-date-ms": purchase.date.millisecondsText,
            "purchase-date-pst": purchase.date.losAngelesText,
            "original-purchase-date": purchase.originalDate.gmtText,
            "original-purchase-date-ms": purchase.originalDate.millisecondsText,
            "original-purchase-date-pst": purchase.originalDate.losAngelesText,
            "expires-date": purchase.expires?.millisecondsText,
            "expires-date-formatted": purchase.expires?.gmtText,
            "expires-date-formatted-pst": purchase.expires?.losAngelesText,
            "web-order-line-item-id": purchase.webOrderLineItemID.map { String($0) },
            "cancellation-date": purchase.cancelled?.gmtText,
            "cancellation-date-ms": purchase.cancelled?.millisecondsText,
            "cancellation-date-pst": purchase.cancelled?.losAngelesText,
            "cancellation-reason": purchase.cancelled.map { _ in String(purchase.cancellationReason) },
        ]
        info.entries = random.shuffled(info.entries)
        let octets = Array(info.ascii.utf8)
        let signature = try TestSigner.signLegacyReceipt([3] + octets)
        let certificate = TestKeys.rsaLeaf.octets
        let length = withUnsafeBytes(of: UInt32(certificate.count).bigEndian) { Array($0) }
        let isSandbox = snapshot.customer.isSandbox
        return [
            "signature": ([3] + signature + length + certificate).base64,
            "purchase-info": octets.base64,
            "environment": isSandbox ? "Sandbox" : nil,
            "pod": isSandbox ? "100" : "17", "signing-status": "0",
        ]
    }
}

/// A property list of strings, none of which holds a character that either notation escapes.
private struct PropertyList: ExpressibleByDictionaryLiteral {
    var entries: [(key: String, value: String)]

    /// Leaves out the keys without a value.
    init(dictionaryLiteral entries: (String, String?)...) {
        self.entries = entries.compactMap { key, value in value.map { (key, $0) } }
    }

    /// As Apple's receipts are written.
    var ascii: String {
        "{\n" + entries.map { "\t\"\($0.key)\" = \"\($0.value)\";\n" }.joined() + "}"
    }

    var xml: String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \(entries.map { "\t<key>\($0.key)</key>\n\t<string>\($0.value)</string>\n" }.joined())\
        </dict>
        </plist>

        """
    }
}
