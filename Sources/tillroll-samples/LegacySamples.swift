import TillCore

/// Transaction receipts as apps for iOS 6 and older got them: a property list inside a property list.
struct LegacySamples {
    private let seed: UInt64
    private let customers: [Customer]

    init(seed: UInt64, clientele: Clientele) {
        self.seed = seed
        customers = clientele.customers
    }

    func files() throws -> [SampleFile] {
        let receipts = receipts()
        return [
            SampleFile(
                path: "legacy/receipts.b64",
                shows: "iOS 6 transaction receipts, base64 one a line: a consumable, and a restored subscription",
                lines: try receipts.prefix(2).map { Base64.encode(Array(try $0.list().ascii.utf8)) }
            ),
            SampleFile(
                path: "legacy/receipt.plist",
                shows: "such a receipt as the property list that it is, from the sandbox",
                text: try receipts[2].list().ascii + "\n"
            ),
            SampleFile(
                path: "legacy/receipt-xml.plist",
                shows: "such a receipt as an XML property list, refunded",
                text: try receipts[3].list().xml
            ),
        ]
    }

    /// All of these transactions are in `verify/` or `pkcs7/` too.
    private func receipts() -> [LegacyReceipt] {
        [
            receipt { !$0.isSandbox && $1.product.type == .consumable },
            receipt { !$0.isSandbox && $1.isSubscription && $0.purchases.contains($1, repeatedBefore: true) },
            receipt { $0.isSandbox && $1.isSubscription },
            receipt { !$0.isSandbox && $1.cancelled != nil && $1.product.type == .nonConsumable },
        ]
    }

    /// The receipt of the first purchase that is asked for.
    private func receipt(of isWanted: (Customer, Purchase) -> Bool) -> LegacyReceipt {
        for customer in customers {
            guard let purchase = customer.purchases.first(where: { isWanted(customer, $0) }) else { continue }
            let snapshot = customer.snapshot(at: Timestamp.utc(2026, 3, 31))
            return LegacyReceipt(snapshot: snapshot, purchase: purchase, seed: seed)
        }
        let customer = customers[0]
        let snapshot = customer.snapshot(at: Timestamp.utc(2026, 3, 31))
        return LegacyReceipt(snapshot: snapshot, purchase: customer.purchases[0], seed: seed)
    }
}

extension [Purchase] {
    /// Whether a purchase before this one has its line item: then this one is its restore.
    fileprivate func contains(_ purchase: Purchase, repeatedBefore: Bool) -> Bool {
        contains { $0.webOrderLineItemID == purchase.webOrderLineItemID && $0.id < purchase.id } == repeatedBefore
    }
}

/// One transaction receipt, of version 3, signed with a test key.
private struct LegacyReceipt {
    let snapshot: Snapshot
    let purchase: Purchase
    let seed: UInt64

    func list() throws -> PropertyListText {
        var random = SplitMix64(seed: seed, stream: "legacy/\(purchase.id)")
        let info = Array(info(&random).ascii.utf8)
        let signature = try TestSigner.signLegacyReceipt([3] + info)
        let certificate = TestSigner.receiptCertificates[0]
        let length = [24, 16, 8, 0].map { UInt8(certificate.count >> $0 & 0xFF) }
        var entries = [
            ("signature", Base64.encode([3] + signature + length + certificate)),
            ("purchase-info", Base64.encode(info)),
        ]
        if snapshot.customer.isSandbox { entries.append(("environment", "Sandbox")) }
        entries += [("pod", snapshot.customer.isSandbox ? "100" : "17"), ("signing-status", "0")]
        return PropertyListText(entries: entries)
    }

    private func info(_ random: inout SplitMix64) -> PropertyListText {
        var entries: [(key: String, value: String)] = [
            ("product-id", purchase.product.id),
            ("quantity", String(purchase.quantity)),
            ("transaction-id", String(purchase.id)),
            ("original-transaction-id", String(purchase.originalID)),
            ("item-id", String(995_000_000 + purchase.id % 1_000_000)),
            ("bid", snapshot.customer.app.bundleID),
            ("bvrs", snapshot.appVersion),
            ("unique-identifier", random.hexadecimal(40)),
        ]
        entries += date("purchase-date", purchase.date) + date("original-purchase-date", purchase.originalDate)
        if let expires = purchase.expires {
            entries += [
                ("expires-date", String(expires.milliseconds)),
                ("expires-date-formatted", expires.gmtText),
                ("expires-date-formatted-pst", expires.losAngelesText),
            ]
        }
        if let webOrderLineItemID = purchase.webOrderLineItemID {
            entries.append(("web-order-line-item-id", String(webOrderLineItemID)))
        }
        if let cancelled = purchase.cancelled {
            entries += date("cancellation-date", cancelled)
            entries.append(("cancellation-reason", String(purchase.cancellationReason)))
        }
        return PropertyListText(entries: random.shuffled(entries))
    }

    private func date(_ key: String, _ instant: Timestamp) -> [(key: String, value: String)] {
        [
            (key, instant.gmtText), ("\(key)-ms", String(instant.milliseconds)),
            ("\(key)-pst", instant.losAngelesText),
        ]
    }
}

/// A property list of strings, none of which holds a character that either notation escapes.
private struct PropertyListText {
    let entries: [(key: String, value: String)]

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

        """
            + entries.map { "\t<key>\($0.key)</key>\n\t<string>\($0.value)</string>\n" }.joined()
            + "</dict>\n</plist>\n"
    }
}
