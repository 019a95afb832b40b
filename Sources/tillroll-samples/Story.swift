import TillCore

/// The course of a customer's purchases. Each story happens to two customers, so that the samples hold every case of
/// the ledger.
private enum Story: CaseIterable {
    case trialThenRenewals
    case introductoryPrice
    case refundedPeriod
    case familyShared
    case secondDevice
    case upgrade
    case lapsed
    case coins
    case unlockAndRestore
    case unlockRefunded
    case traveller
    case course
    case sandboxTester
}

/// All customers, in a fixed order. Every sample is about them.
struct Clientele {
    let seed: UInt64
    let customers: [Customer]

    init(seed: UInt64) {
        self.seed = seed
        let teller = StoryTeller(random: SplitMix64(seed: seed, stream: "customers"))
        customers = (Story.allCases + Story.allCases).map(teller.tell)
    }

    /// One customer for each story.
    var cast: ArraySlice<Customer> { customers.prefix(Story.allCases.count) }

    func random(_ stream: String) -> SplitMix64 { SplitMix64(seed: seed, stream: stream) }
}

private final class StoryTeller {
    private let random: SplitMix64
    private let ids = TransactionIDs()
    private var purchases: [Purchase] = []
    private var isSandbox = false

    init(random: SplitMix64) {
        self.random = random
    }

    func tell(_ story: Story) -> Customer {
        purchases = []
        isSandbox = story == .sandboxTester
        let (shop, subscription) = random.pick([(Shop.lumen, Shop.monthly), (Shop.kochbuch, Shop.weekly)])
        let unlock = random.pick([(Shop.lumen, Shop.pro), (Shop.kochbuch, Shop.baking), (Shop.tabi, Shop.map)])
        let start = someTime(after: .utc(2026, 1, 2), withinDays: 45)
        let app: App
        switch story {
        case .trialThenRenewals, .introductoryPrice, .refundedPeriod, .familyShared, .secondDevice, .lapsed:
            app = shop
            tellSubscription(story, to: subscription, from: start)
        case .upgrade:
            app = Shop.lumen
            tellUpgrade(from: start)
        case .coins:
            app = Shop.lumen
            for _ in 0..<4 { buy(Shop.coins, after: start, quantity: random.pick([1, 1, 2, 3, 5])) }
            refund(at: 1, reason: 1)
        case .unlockAndRestore:
            app = unlock.0
            buy(unlock.1, after: start)
            restore(0, afterDays: 12)
            restore(0, afterDays: 19)
        case .unlockRefunded:
            app = unlock.0
            buy(unlock.1, after: start)
            refund(at: 0, reason: 0)
        case .traveller:
            app = Shop.tabi
            for product in [Shop.tickets, Shop.map, Shop.tickets, Shop.stamps] {
                buy(product, after: start, quantity: product.type == .consumable ? random.number(in: 1...10) : 1)
            }
        case .course:
            app = Shop.kochbuch
            buy(Shop.course, after: start)
            buy(Shop.baking, after: start)
        case .sandboxTester:
            app = Shop.lumen
            subscribe(to: Shop.monthly, from: start, periods: 4)
            buy(Shop.coins, after: start, quantity: 2)
        }
        return Customer(
            app: app,
            isSandbox: isSandbox,
            installed: start.adding(days: -random.number(in: 1...300)),
            downloadID: 80_000_000_000_000 + random.number(in: 0...99_999_999),
            purchases: purchases.sorted { ($0.date, $0.id) < ($1.date, $1.id) }
        )
    }

    private func tellSubscription(_ story: Story, to product: Product, from start: Timestamp) {
        subscribe(to: product, from: start, periods: story == .lapsed ? 2 : product.days == 7 ? 8 : 3)
        switch story {
        case .trialThenRenewals: startWithTrial()
        case .introductoryPrice: purchases[0].isIntroductory = true
        case .refundedPeriod:
            refund(at: 1, reason: 1)
            purchases[1].refundPercentage = 41_667
        case .familyShared: for index in purchases.indices { purchases[index].isFamilyShared = true }
        case .secondDevice: restore(1, afterDays: 3)
        default: break
        }
    }

    /// Monthly at first; a yearly subscription of the same group then ends the running month.
    private func tellUpgrade(from start: Timestamp) {
        subscribe(to: Shop.monthly, from: start, periods: 2)
        let change = purchases[1].date.adding(days: 9, minutes: random.number(in: 1...600))
        (purchases[1].cancelled, purchases[1].isUpgraded) = (change, true)
        subscribe(to: Shop.yearly, from: change, periods: 1)
    }

    /// Appends periods to the customer's subscription, the first of which may begin it. A month lasts five minutes in
    /// the sandbox.
    private func subscribe(to product: Product, from start: Timestamp, periods: Int) {
        var date = start
        for _ in 0..<periods {
            let id = newID()
            let end = isSandbox ? date.adding(minutes: 5) : date.adding(days: product.days)
            purchases.append(
                Purchase(
                    product: product,
                    id: id,
                    originalID: purchases.first?.originalID ?? id,
                    webOrderLineItemID: id / 2 + 11,
                    date: date,
                    originalDate: purchases.first?.date ?? date,
                    expires: end
                )
            )
            date = end
        }
    }

    /// The first period becomes a free week. Where periods are longer than a week, the later ones begin earlier.
    private func startWithTrial() {
        purchases[0].isTrial = true
        let saved = purchases[0].product.days - 7
        purchases[0].expires = purchases[0].date.adding(days: 7)
        for index in purchases.indices.dropFirst() {
            purchases[index].date = purchases[index].date.adding(days: -saved)
            purchases[index].expires = purchases[index].expires?.adding(days: -saved)
        }
    }

    private func buy(_ product: Product, after start: Timestamp, quantity: Int = 1) {
        let id = newID()
        let date = someTime(after: start, withinDays: 40)
        purchases.append(
            Purchase(product: product, id: id, originalID: id, date: date, originalDate: date, quantity: quantity)
        )
    }

    /// Repeats a sale under a new transaction id. A subscription keeps its line item and date; any other product gets
    /// the day of the restore as its date.
    private func restore(_ index: Int, afterDays days: Int) {
        var restored = purchases[index]
        restored.id = newID()
        if !restored.isSubscription {
            restored.date = restored.date.adding(days: days, minutes: random.number(in: 0...900))
        }
        purchases.append(restored)
    }

    private func refund(at index: Int, reason: Int) {
        purchases[index].cancelled = someTime(after: purchases[index].date, withinDays: 15)
        purchases[index].cancellationReason = reason
    }

    private func someTime(after start: Timestamp, withinDays days: Int) -> Timestamp {
        start.adding(seconds: random.number(in: 0...days * 86_400))
    }

    private func newID() -> Int { ids.next(after: isSandbox ? 1_000_000_000_000_000 : 170_000_000_000_000) }
}

/// Distinct by construction and not consecutive, like Apple's.
final class TransactionIDs {
    private var issued = 0

    func next(after base: Int) -> Int {
        issued += 1
        return base + issued * 829_348_951 % 899_999_999_981
    }
}
