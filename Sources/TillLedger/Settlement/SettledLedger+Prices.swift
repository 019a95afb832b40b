import TillColumns
import TillCore
import TillPricing
import TillRows

/// What a transaction cost, and what Apple keeps of it.
extension SettledLedger {
    /// What the price list says of the transaction's product, then and there.
    func point(
        _ entry: TransactionEntry,
        _ rare: RareValues?,
        _ shared: SharedValues,
        _ product: ProductPrices?
    ) -> PricePoint? {
        guard let product else { return nil }
        let purchaseDate = table.purchaseDate(of: entry)
        let isDated = purchaseDate != TransactionEntry.unknown
        func point(in currency: CurrencyCode?) -> PricePoint? {
            product.price(
                at: isDated ? Timestamp(milliseconds: purchaseDate) : nil,
                storefront: text(rare?[.storefront]),
                currency: currency,
                bundleID: product.distinguishesBundles ? text(shared[.bundleID]) : nil,
                offerID: text(rare?[.offerID]),
                subscriberSince: product.preservesPrices ? subscribers?.start(of: entry) : nil
            )
        }
        guard let currency = ownCurrency(rare) else { return point(in: nil) }
        // Of a sale that carries its price only the fees are asked for, and a row in another currency may tell them.
        return point(in: currency) ?? (rare?.ownPrice.isComplete == true ? point(in: nil) : nil)
    }

    private func text(_ code: Int32?) -> String? { code.flatMap { $0 < 0 ? nil : texts.text(of: Int($0)) } }

    private func ownCurrency(_ rare: RareValues?) -> CurrencyCode? {
        text(rare?[.currency]).flatMap { CurrencyCode($0) }
    }

    /// The price that the transaction carries, which is that of all its units.
    func ownPrice(_ rare: RareValues?) -> Money? {
        guard let rare, rare.ownPrice.isComplete, let currency = ownCurrency(rare) else { return nil }
        return Money(millionths: Int128(rare[.price]) * 1000, currency: currency)
    }

    /// The list's price for each unit; of a trial nothing, in the currency that it tells itself, else in the list's.
    func listPrice(
        _ entry: TransactionEntry,
        _ rare: RareValues?,
        units: Int64,
        _ point: PricePoint?
    ) throws(LedgerError) -> Money? {
        if entry.answers.isTrial == true {
            return (ownCurrency(rare) ?? point?.currency).map { Money(millionths: 0, currency: $0) }
        }
        guard let point, let unitPrice = unitPrice(entry, rare, point) else { return nil }
        let (total, overflow) = unitPrice.multipliedReportingOverflow(by: units)
        guard !overflow else { throw Self.overflow(entry.product == 0 ? nil : Int(entry.product) - 1, texts) }
        return Money(millionths: Int128(total), currency: point.currency)
    }

    /// An introductory or offered price that the list does not have is not known; the full price would be a guess.
    private func unitPrice(_ entry: TransactionEntry, _ rare: RareValues?, _ point: PricePoint) -> Int64? {
        if entry.answers.isIntro == true { return point.introPrice }
        // Type 1 is an introductory offer; of the others (promotional, code, win-back) some come without an id.
        let isOffered = rare.map { $0[.offerID] >= 0 || $0[.offerType] > 1 } ?? false
        return isOffered ? point.offerPrice : point.price
    }

    /// Apple's commission and the tax in the price: the price list's, else that of the rules, and no more than that of the second
    /// year in it. An unknown tax counts as none.
    func fees(
        _ point: PricePoint?,
        number: Int,
        isSubscription: Bool,
        _ products: inout ProductCache
    ) -> SettledTransaction.Fees? {
        guard estimatesProceeds else { return nil }
        var commission =
            point?.commission ?? scheduledCommission(number, isSubscription: isSubscription, &products)
            ?? rules.commission
        if let rate = rules.secondYearRate, paidService?.isSecondYear(number) == true {
            commission = min(commission ?? rate, rate)
        }
        guard let commission else { return nil }
        return SettledTransaction.Fees(includedTax: point?.includedTax ?? 0, commission: commission)
    }

    /// What the schedule of commissions says of a transaction.
    private func scheduledCommission(
        _ number: Int,
        isSubscription: Bool,
        _ products: inout ProductCache
    ) -> Int64? {
        guard let schedule = rules.commissions else { return nil }
        let entry = table.entries[number]
        let told = text(table.sharedValues[Int(entry.shared)][.productType]).flatMap { ProductType(rawValue: $0) }
        let purchaseDate = table.purchaseDate(of: entry)
        return schedule.rate(
            ofProduct: text(Int32(entry.product) - 1),
            type: products.type(of: entry.product) ?? told ?? (isSubscription ? .autoRenewable : nil),
            territory: text(table.rare(of: entry)?[.storefront]).flatMap { Territory($0) },
            at: purchaseDate == TransactionEntry.unknown ? nil : Timestamp(milliseconds: purchaseDate)
        )
    }
}
