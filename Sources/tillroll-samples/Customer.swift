import TillCore

/// One transaction, as the App Store would remember it.
struct Purchase {
    let product: Product
    var id: Int
    var originalID: Int
    var webOrderLineItemID: Int?
    var date: Timestamp
    var originalDate: Timestamp
    var quantity = 1
    var expires: Timestamp?
    var cancelled: Timestamp?
    /// 1: because of an issue in the app; 0: for another reason.
    var cancellationReason = 0
    /// Thousandths of a percent; `nil` where the App Store does not tell it.
    var refundPercentage: Int?
    var isTrial = false
    var isIntroductory = false
    var isFamilyShared = false
    var isUpgraded = false

    var isSubscription: Bool { product.type == .autoRenewable }
    var ownership: String { isFamilyShared ? "FAMILY_SHARED" : "PURCHASED" }

    /// The transaction before its refund or upgrade.
    var uncancelled: Purchase {
        var purchase = self
        (purchase.cancelled, purchase.refundPercentage, purchase.isUpgraded) = (nil, nil, false)
        return purchase
    }
}

struct Customer {
    let app: App
    let isSandbox: Bool
    let installed: Timestamp
    let downloadID: Int
    /// In order of date.
    let purchases: [Purchase]

    var environment: String { isSandbox ? "Sandbox" : "Production" }

    /// The purchases that the App Store knows at an instant: later purchases and refunds are missing.
    func snapshot(at instant: Timestamp) -> Snapshot {
        let known = purchases.filter { $0.date <= instant }
            .map { ($0.cancelled ?? instant) > instant ? $0.uncancelled : $0 }
        let age = Int(instant.milliseconds - Timestamp.utc(2026, 1, 1).milliseconds)
        let step = 95 * Int(Timestamp.millisecondsPerDay) / app.versions.count
        let version = app.versions[min(app.versions.count - 1, max(0, age) / step)]
        return Snapshot(customer: self, instant: instant, appVersion: version, purchases: known)
    }
}

/// A customer's receipt at one instant; written as JSON it is a verifyReceipt response, written as DER an app receipt.
struct Snapshot {
    let customer: Customer
    let instant: Timestamp
    let appVersion: String
    let purchases: [Purchase]

    var receiptType: String { customer.isSandbox ? "ProductionSandbox" : "Production" }

    /// These three numbers are 0 in the sandbox.
    var appID: Int { customer.isSandbox ? 0 : customer.app.id }
    var downloadID: Int { customer.isSandbox ? 0 : customer.downloadID }
    var versionID: Int { customer.isSandbox ? 0 : 840_000_117 }

    /// When the app itself was bought; the sandbox has one answer for all.
    var installed: Timestamp { customer.isSandbox ? .utc(2013, 8, 1, hour: 7) : customer.installed }
    var originalAppVersion: String { customer.isSandbox ? "1.0" : customer.app.versions[0] }
}
