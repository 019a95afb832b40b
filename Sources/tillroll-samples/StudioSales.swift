import TillCore

/// Two years of a studio's sales, as the payloads of StoreKit 2 tell them.
///
/// More customers come each month, and many of them in December. Subscriptions renew until they are cancelled; some
/// begin with a trial. A refunded sale is told twice: when it was made, and when it was refunded.
final class StudioSales {
    static let start = Timestamp.utc(2024, 4, 1)
    /// Nothing later is known.
    static let end = Timestamp.utc(2026, 3, 31, hour: 2).adding(minutes: 57)
    private static let trialDays = 7

    private struct Refund {
        let date: Timestamp
        let reason: Int
        /// Thousandths of a percent; `nil` for all of the price.
        let percentage: Int?
    }

    private struct Sale {
        let product: StudioShop.Product
        let storefront: StudioShop.Storefront
        let date: Timestamp
        var expires: Timestamp?
        var isTrial = false
        var refund: Refund?
        /// The number of its customer.
        let customer: Int
        /// Its place among the sales of the customer.
        let place: Int
    }

    private let random: SplitMix64
    private let ids = TransactionIDs()
    private var sales: [Sale] = []
    private var customers = 0

    init(_ random: SplitMix64) {
        self.random = random
    }

    func file() -> SampleFile {
        var month = Self.start
        var age = 0
        while month < Self.end {
            let isDecember = month.day.date.month == 12
            for _ in 0..<(26 + 2 * age) * (isDecember ? 14 : 10) / 10 { tellCustomer(from: month) }
            (month, age) = (month.adding(months: 1), age + 1)
        }
        return SampleFile("studio/transactions.ndjson", lines: lines())
    }

    private func tellCustomer(from month: Timestamp) {
        customers += 1
        let product = random.pick(StudioShop.products, by: \.weight)
        let storefront = random.pick(StudioShop.storefronts, by: \.weight)
        // No later than the 28th, so that every month has the day.
        let date = month.adding(days: random.number(in: 0...27), seconds: random.number(in: 0...86_399))
        var sale = Sale(product: product, storefront: storefront, date: date, customer: customers, place: 0)
        if product.months > 0 { return tellSubscription(sale) }
        sale.refund = refund(of: sale)
        append(sale)
    }

    private func tellSubscription(_ first: Sale) {
        var (date, place) = (first.date, 0)
        if random.chance(40) {
            var trial = first
            (trial.isTrial, trial.expires) = (true, date.adding(days: Self.trialDays))
            append(trial)
            guard random.chance(55) else { return }
            (date, place) = (date.adding(days: Self.trialDays), 1)
        }
        let loyalty = first.product.months == 1 ? 86 : 58
        repeat {
            var sale = Sale(
                product: first.product,
                storefront: first.storefront,
                date: date,
                expires: date.adding(months: first.product.months),
                customer: first.customer,
                place: place
            )
            sale.refund = refund(of: sale)
            append(sale)
            guard sale.refund == nil, let expires = sale.expires else { return }
            (date, place) = (expires, place + 1)
        } while date < Self.end && random.chance(loyalty)
    }

    private func refund(of sale: Sale) -> Refund? {
        guard random.number(in: 1...1000) <= 27 else { return nil }
        let date = sale.date.adding(days: random.number(in: 0...19), minutes: random.number(in: 20...1439))
        guard date < min(Self.end, sale.expires ?? Self.end) else { return nil }
        let isPartial = sale.expires != nil && random.chance(25)
        return Refund(
            date: date,
            reason: random.number(in: 0...1),
            percentage: isPartial ? random.number(in: 20_000...90_000) : nil
        )
    }

    private func append(_ sale: Sale) {
        if sale.date < Self.end { sales.append(sale) }
    }

    /// The payloads in the order in which they were signed.
    private func lines() -> [String] {
        let inOrder = sales.sorted { ($0.date, $0.customer) < ($1.date, $1.customer) }
        var originals: [Int: (id: String, date: Timestamp)] = [:]
        var payloads: [(signed: Timestamp, payload: JSON)] = []
        for sale in inOrder {
            let id = String(ids.next(after: 2_000_000_000_000_000))
            let original = originals[sale.customer] ?? (id, sale.date)
            originals[sale.customer] = original
            let signed = sale.date.adding(seconds: random.number(in: 1...40))
            let payload = payload(of: sale, id: id, original: original)
            payloads.append((signed, JSON(joining: payload, ["signedDate": signed])))
            if let refund = sale.refund {
                let revocation: JSON = [
                    "revocationDate": refund.date, "revocationReason": refund.reason,
                    "revocationType": refund.percentage == nil ? "REFUND_FULL" : "REFUND_PRORATED",
                    "revocationPercentage": refund.percentage ?? 100_000, "signedDate": refund.date,
                ]
                payloads.append((refund.date, JSON(joining: payload, revocation)))
            }
        }
        return payloads.enumerated().sorted { ($0.element.signed, $0.offset) < ($1.element.signed, $1.offset) }
            .map(\.element.payload.compact)
    }

    private func payload(of sale: Sale, id: String, original: (id: String, date: Timestamp)) -> JSON {
        [
            "transactionId": id, "originalTransactionId": original.id, "bundleId": sale.product.bundleID,
            "productId": sale.product.id, "purchaseDate": sale.date, "originalPurchaseDate": original.date,
            "expiresDate": sale.expires, "quantity": 1, "type": sale.product.type.storeKitName,
            "inAppOwnershipType": "PURCHASED", "environment": "Production",
            "offerType": sale.isTrial ? 1 : nil, "offerDiscountType": sale.isTrial ? "FREE_TRIAL" : nil,
            "transactionReason": sale.place == 0 ? "PURCHASE" : "RENEWAL", "storefront": sale.storefront.code,
            "price": sale.isTrial ? 0 : sale.storefront.prices[sale.product.tier],
            "currency": sale.storefront.currency,
        ]
    }
}

extension SplitMix64 {
    /// One of `choices`, each as often as its weight says.
    func pick<Element>(_ choices: [Element], by weight: (Element) -> Int) -> Element {
        var rest = number(in: 1...choices.reduce(0) { $0 + weight($1) })
        return choices.first { choice in
            rest -= weight(choice)
            return rest <= 0
        } ?? choices[0]
    }
}
