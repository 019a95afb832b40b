import TillColumns
import TillCore
import TillRows

/// What a transaction cost, and what Apple keeps of it.
extension SettledLedger {
    /// What the price list says of the transaction's product, then and there.
    func point(
        _ entry: TransactionEntry,
        _ extra: TransactionExtra?,
        _ facet: TransactionFacet,
        _ product: ProductPrices?
    ) -> PricePoint? {
        guard let product, entry.purchaseDate != TransactionEntry.unknown else { return nil }
        return product.price(
            at: Timestamp(milliseconds: entry.purchaseDate),
            storefront: text(extra?.storefront),
            currency: text(extra?.currency).flatMap { CurrencyCode($0) },
            bundleID: product.distinguishesBundles ? text(facet.bundleID) : nil,
            offerID: text(extra?.offerID),
            subscriberSince: product.preservesPrices ? subscribers?.start(of: entry) : nil
        )
    }

    private func text(_ code: Int32?) -> String? { code.flatMap { $0 < 0 ? nil : texts.text(of: Int($0)) } }

    /// The price that the transaction carries, which is that of all its units.
    func ownPrice(_ extra: TransactionExtra?) -> Money? {
        guard let price = extra?.price, let currency = text(extra?.currency).flatMap({ CurrencyCode($0) }) else {
            return nil
        }
        return Money(millionths: Int128(price) * 1000, currency: currency)
    }

    /// The list's price for each unit.
    func listPrice(
        _ entry: TransactionEntry,
        _ extra: TransactionExtra?,
        units: Int64,
        _ point: PricePoint?
    ) throws(LedgerError) -> Money? {
        guard let point else { return nil }
        if entry.flags.contains(.isTrial) { return Money(millionths: 0, currency: point.currency) }
        // An introductory price that the list does not have is not known; the full price would be a guess.
        let unitPrice =
            entry.flags.contains(.isIntro)
            ? point.introPrice : (extra?.offerID ?? -1) < 0 ? point.price : point.offerPrice ?? point.price
        guard let unitPrice else { return nil }
        let (total, overflow) = unitPrice.multipliedReportingOverflow(by: units)
        guard !overflow else { throw Self.overflow(entry.product == 0 ? nil : Int(entry.product) - 1, texts) }
        return Money(millionths: Int128(total), currency: point.currency)
    }

    /// What Apple keeps, the list's word before the rules'; a tax that nobody tells is none.
    func fees(_ point: PricePoint?) -> SettledTransaction.Fees? {
        guard estimatesProceeds, let commission = point?.commission ?? rules.commission else { return nil }
        return SettledTransaction.Fees(includedTax: point?.includedTax ?? 0, commission: commission)
    }
}
