import TillCore

/// What can happen to a customer; each happens to at least two customers, so that every case of the ledger is
/// in the samples.
enum Story: CaseIterable {
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

/// Everybody who bought something, in a fixed order.
struct Clientele {
    let customers: [Customer]

    init(seed: UInt64) {
        var teller = StoryTeller(random: SplitMix64(seed: seed, stream: "customers"))
        let stories = Story.allCases + Story.allCases
        customers = stories.map { teller.tell($0) }
    }
}

private struct StoryTeller {
    var random: SplitMix64
    private var issued = 0
    private var purchases: [Purchase] = []

    init(random: SplitMix64) {
        self.random = random
    }

    mutating func tell(_ story: Story) -> Customer {
        purchases = []
        let subscription = random.pick([(Shop.lumen, Shop.monthly), (Shop.kochbuch, Shop.weekly)])
        let unlock = random.pick([(Shop.lumen, Shop.pro), (Shop.kochbuch, Shop.baking), (Shop.tabi, Shop.map)])
        let start = someTime(after: Timestamp.utc(2026, 1, 2), withinDays: 45)
        let app: App
        switch story {
        case .trialThenRenewals, .introductoryPrice, .refundedPeriod, .familyShared, .secondDevice, .lapsed:
            app = subscription.0
            tellSubscription(story, to: subscription.1, from: start)
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
            tellSandbox(from: start)
        }
        purchases.sort { ($0.date, $0.id) < ($1.date, $1.id) }
        return Customer(
            app: app,
            isSandbox: story == .sandboxTester,
            installed: start.adding(days: -random.number(in: 1...300)),
            downloadID: 80_000_000_000_000 + random.number(in: 0...99_999_999),
            purchases: purchases
        )
    }

    private mutating func tellSubscription(_ story: Story, to product: Product, from start: Timestamp) {
        let periods = product.days == 7 ? 8 : 3
        subscribe(to: product, from: start, periods: story == .lapsed ? 2 : periods)
        switch story {
        case .trialThenRenewals: startWithTrial()
        case .introductoryPrice: purchases[0].isIntroductory = true
        case .refundedPeriod: refund(at: 1, reason: 1)
        case .familyShared:
            for index in purchases.indices { purchases[index].isFamilyShared = true }
        case .secondDevice: restore(1, afterDays: 3)
        default: break
        }
    }

    /// Monthly at first; a yearly subscription of the same group then ends the running month.
    private mutating func tellUpgrade(from start: Timestamp) {
        subscribe(to: Shop.monthly, from: start, periods: 2)
        let change = purchases[1].date.adding(days: 9, minutes: random.number(in: 1...600))
        purchases[1].cancelled = change
        purchases[1].isUpgraded = true
        subscribe(to: Shop.yearly, from: change, periods: 1, chain: purchases[0])
    }

    /// Months last five minutes in the sandbox.
    private mutating func tellSandbox(from start: Timestamp) {
        subscribe(to: Shop.monthly, from: start, periods: 4, inSandbox: true)
        buy(Shop.coins, after: start, quantity: 2, inSandbox: true)
    }

    private mutating func subscribe(
        to product: Product,
        from start: Timestamp,
        periods: Int,
        chain first: Purchase? = nil,
        inSandbox: Bool = false
    ) {
        var first = first
        var date = start
        for _ in 0..<periods {
            let id = newID(inSandbox: inSandbox)
            let end = inSandbox ? date.adding(minutes: 5) : date.adding(days: product.days)
            let purchase = Purchase(
                product: product,
                id: id,
                originalID: first?.originalID ?? id,
                webOrderLineItemID: id / 2 + 11,
                date: date,
                originalDate: first?.date ?? date,
                expires: end
            )
            purchases.append(purchase)
            first = first ?? purchase
            date = end
        }
    }

    /// The first period becomes a free week and all that follows begins earlier, where periods are longer than that.
    private mutating func startWithTrial() {
        purchases[0].isTrial = true
        let saved = purchases[0].product.days - 7
        purchases[0].expires = purchases[0].date.adding(days: 7)
        for index in purchases.indices.dropFirst() {
            purchases[index].date = purchases[index].date.adding(days: -saved)
            purchases[index].expires = purchases[index].expires?.adding(days: -saved)
        }
    }

    private mutating func buy(_ product: Product, after start: Timestamp, quantity: Int = 1, inSandbox: Bool = false) {
        let id = newID(inSandbox: inSandbox)
        let date = someTime(after: start, withinDays: 40)
        purchases.append(
            Purchase(product: product, id: id, originalID: id, date: date, originalDate: date, quantity: quantity)
        )
    }

    /// The same sale under a new transaction id: a subscription keeps its line item, the others get the day of the
    /// restore as their date.
    private mutating func restore(_ index: Int, afterDays days: Int) {
        let sale = purchases[index]
        let restored = Purchase(
            product: sale.product,
            id: newID(inSandbox: false),
            originalID: sale.originalID,
            webOrderLineItemID: sale.webOrderLineItemID,
            date: sale.isSubscription ? sale.date : sale.date.adding(days: days, minutes: random.number(in: 0...900)),
            originalDate: sale.originalDate,
            expires: sale.expires
        )
        purchases.append(restored)
    }

    private mutating func refund(at index: Int, reason: Int) {
        purchases[index].cancelled = someTime(after: purchases[index].date, withinDays: 15)
        purchases[index].cancellationReason = reason
    }

    private mutating func someTime(after start: Timestamp, withinDays days: Int) -> Timestamp {
        start.adding(seconds: random.number(in: 0...days * 86_400))
    }

    /// Distinct by construction and not consecutive, like Apple's.
    private mutating func newID(inSandbox: Bool) -> Int {
        issued += 1
        return (inSandbox ? 1_000_000_000_000_000 : 170_000_000_000_000) + issued * 829_348_951 % 899_999_999_981
    }
}
