import TillCore

/// One transaction, as the App Store would remember it.
struct Purchase {
    let product: Product
    let id: Int
    var originalID: Int
    var webOrderLineItemID: Int?
    var date: Timestamp
    var originalDate: Timestamp
    var quantity = 1
    var expires: Timestamp?
    var cancelled: Timestamp?
    /// 1: because of an issue in the app; 0: for another reason.
    var cancellationReason = 0
    var isTrial = false
    var isIntroductory = false
    var isFamilyShared = false
    var isUpgraded = false

    var isSubscription: Bool { product.type == .autoRenewable }
}

struct Customer {
    let app: App
    let isSandbox: Bool
    let installed: Timestamp
    let downloadID: Int
    /// In order of date.
    var purchases: [Purchase]

    /// What the App Store tells at an instant: no purchase of the future, no refund of the future.
    func snapshot(at instant: Timestamp) -> Snapshot {
        var known = purchases.filter { $0.date <= instant }
        for index in known.indices {
            guard let cancelled = known[index].cancelled, cancelled > instant else { continue }
            known[index].cancelled = nil
            known[index].isUpgraded = false
        }
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

    /// The app's number is 0 in the sandbox.
    var appID: Int { customer.isSandbox ? 0 : customer.app.id }

    /// When the app itself was bought; the sandbox has one answer for all.
    var installed: Timestamp { customer.isSandbox ? Timestamp.utc(2013, 8, 1, hour: 7) : customer.installed }

    var originalAppVersion: String { customer.isSandbox ? "1.0" : customer.app.versions[0] }
}
