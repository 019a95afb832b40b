import TillColumns
import TillCore
import TillPricing
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
        guard let product else { return nil }
        let purchaseDate = table.purchaseDate(of: entry)
        let isDated = purchaseDate != TransactionEntry.unknown
        func point(in currency: CurrencyCode?) -> PricePoint? {
            product.price(
                at: isDated ? Timestamp(milliseconds: purchaseDate) : nil,
                storefront: text(extra?.storefront),
                currency: currency,
                bundleID: product.distinguishesBundles ? text(facet.bundleID) : nil,
                offerID: text(extra?.offerID),
                subscriberSince: product.preservesPrices ? subscribers?.start(of: entry) : nil
            )
        }
        guard let currency = ownCurrency(extra) else { return point(in: nil) }
        // Of a sale that carries its price only the fees are asked for, and a row in another currency may tell them.
        return point(in: currency) ?? (extra?.ownPrice.isComplete == true ? point(in: nil) : nil)
    }

    private func text(_ code: Int32?) -> String? { code.flatMap { $0 < 0 ? nil : texts.text(of: Int($0)) } }

    private func ownCurrency(_ extra: TransactionExtra?) -> CurrencyCode? {
        text(extra?.currency).flatMap { CurrencyCode($0) }
    }

    /// The price that the transaction carries, which is that of all its units.
    func ownPrice(_ extra: TransactionExtra?) -> Money? {
        guard let extra, extra.ownPrice.isComplete, let currency = ownCurrency(extra) else { return nil }
        return Money(millionths: Int128(extra.price) * 1000, currency: currency)
    }

    /// The list's price for each unit; of a trial nothing, in the currency that it tells itself, else in the list's.
    func listPrice(
        _ entry: TransactionEntry,
        _ extra: TransactionExtra?,
        units: Int64,
        _ point: PricePoint?
    ) throws(LedgerError) -> Money? {
        if entry.answers.isTrial == true {
            return (ownCurrency(extra) ?? point?.currency).map { Money(millionths: 0, currency: $0) }
        }
        guard let point, let unitPrice = unitPrice(entry, extra, point) else { return nil }
        let (total, overflow) = unitPrice.multipliedReportingOverflow(by: units)
        guard !overflow else { throw Self.overflow(entry.product == 0 ? nil : Int(entry.product) - 1, texts) }
        return Money(millionths: Int128(total), currency: point.currency)
    }

    /// An introductory or offered price that the list does not have is not known; the full price would be a guess.
    private func unitPrice(_ entry: TransactionEntry, _ extra: TransactionExtra?, _ point: PricePoint) -> Int64? {
        if entry.answers.isIntro == true { return point.introPrice }
        return extra?.offerID ?? -1 < 0 ? point.price : point.offerPrice
    }

    /// What Apple keeps, the list's word before the rules'; a tax that nobody tells is none.
    func fees(_ point: PricePoint?) -> SettledTransaction.Fees? {
        guard estimatesProceeds, let commission = point?.commission ?? rules.commission else { return nil }
        return SettledTransaction.Fees(includedTax: point?.includedTax ?? 0, commission: commission)
    }
}
