import TillColumns
import TillCore
import TillPricing
import TillRows

/// The price of a transaction, and Apple's commission.
extension SettledLedger {
    /// The price row of the transaction's product for its date and territory.
    func point(_ entry: TransactionEntry, _ products: inout ProductCache) -> PricePoint? {
        guard products.hasPrices(of: entry.product) else { return nil }
        guard let currency = ownCurrency(of: entry) else { return point(entry, in: nil, &products) }
        // For a sale with its own price only the fees are needed, and they may come from a row in another currency.
        return point(entry, in: currency, &products)
            ?? (table.rare(.price, of: entry) == TransactionEntry.unknown ? nil : point(entry, in: nil, &products))
    }

    private func point(
        _ entry: TransactionEntry,
        in currency: CurrencyCode?,
        _ products: inout ProductCache
    ) -> PricePoint? {
        let terms = RecentPrices.Terms(
            product: entry.product,
            currency: currency?.packed ?? 0,
            storefront: table.rare(.storefront, of: entry),
            bundleID: table.sharedValues[Int(entry.shared)][.bundleID],
            offerID: table.rare(.offerID, of: entry)
        )
        let milliseconds = table.purchaseDate(of: entry)
        let date = milliseconds == TransactionEntry.unknown ? nil : Timestamp(milliseconds: milliseconds)
        if let date, let known = products.recentPrices[terms, at: date] { return known.point }
        guard let product = products.prices(of: entry.product) else { return nil }
        let point = product.price(
            at: date,
            storefront: text(terms.storefront),
            currency: currency,
            bundleID: product.distinguishesBundles ? text(terms.bundleID) : nil,
            offerID: text(terms.offerID),
            subscriberSince: product.preservesPrices ? subscribers?.start(of: entry) : nil
        )
        // Where subscribers keep older prices, the terms do not determine the price.
        if let date, !product.preservesPrices {
            let time = product.timeBetweenChanges(around: date)
            products.recentPrices.keep(RecentPrices.Answer(terms: terms, time: time, point: point))
        }
        return point
    }

    private func text(_ code: Int32) -> String? { code < 0 ? nil : texts.text(of: Int(code)) }

    private func ownCurrency(of entry: TransactionEntry) -> CurrencyCode? {
        let code = table.rare(.currency, of: entry)
        return code < 0 ? nil : texts.withBytes(of: Int(code)) { CurrencyCode(bytes: $0) }
    }

    /// The price in the transaction, which is for all its units.
    func ownPrice(of entry: TransactionEntry) -> Money? {
        let price = table.rare(.price, of: entry)
        guard price != TransactionEntry.unknown, let currency = ownCurrency(of: entry) else { return nil }
        return Money(millionths: Int128(price) * 1000, currency: currency)
    }

    /// The list price per unit; 0 for a trial, in its own currency, else in the currency of the list.
    func listPrice(
        _ entry: TransactionEntry,
        units: Int64,
        _ point: PricePoint?,
        _ products: inout ProductCache
    ) throws(Finding) -> Money? {
        if entry.answers.isTrial == true {
            let currency = ownCurrency(of: entry) ?? point?.currency ?? listCurrency(of: entry, &products)
            return currency.map { Money(millionths: 0, currency: $0) }
        }
        guard let point, !isOfOtherPeriod(entry, &products), let unitPrice = unitPrice(entry, point) else { return nil }
        let (total, overflow) = unitPrice.multipliedReportingOverflow(by: units)
        guard !overflow else { throw Self.overflow(entry.product == 0 ? nil : Int(entry.product) - 1, texts) }
        return Money(millionths: Int128(total), currency: point.currency)
    }

    /// The currency of all rows of the price list that can hold for a sale whose price they do not agree on.
    private func listCurrency(of entry: TransactionEntry, _ products: inout ProductCache) -> CurrencyCode? {
        let date = table.purchaseDate(of: entry)
        return products.prices(of: entry.product)?.currency(
            at: date == TransactionEntry.unknown ? nil : Timestamp(milliseconds: date),
            storefront: text(table.rare(.storefront, of: entry)),
            bundleID: text(table.sharedValues[Int(entry.shared)][.bundleID]),
            offerID: text(table.rare(.offerID, of: entry))
        )
    }

    /// Whether a charge at the usual price is for a period of another length than the listed price.
    func isOfOtherPeriod(_ entry: TransactionEntry, _ products: inout ProductCache) -> Bool {
        guard entry.instants.knowsExpiry, let listed = products.pricedPeriod(of: entry.product),
            entry.answers.isTrial != true, entry.answers.isIntro != true, !isOffered(entry),
            let own = RenewalPeriod(from: table.purchaseDate(of: entry), to: table.firstExpiry(of: entry))
        else { return false }
        return own != listed
    }

    /// An introductory or offered price that the list does not have is unknown; the full price would be a guess.
    private func unitPrice(_ entry: TransactionEntry, _ point: PricePoint) -> Int64? {
        if entry.answers.isIntro == true { return point.introPrice }
        return isOffered(entry) ? point.offerPrice : point.price
    }

    /// Whether the sale was under an offer. Type 1 is an introductory one; of the others (promotional, code, win-back)
    /// some come without an id.
    func isOffered(_ entry: TransactionEntry) -> Bool {
        table.rare(.offerID, of: entry) >= 0 || table.rare(.offerType, of: entry) > 1
    }

    /// The tax in the price and Apple's commission, from the price list or else from the rules. In the second year of a
    /// subscription, the commission is at most the rate of the second year.
    func fees(
        _ point: PricePoint?,
        number: Int,
        isSubscription: Bool,
        _ products: inout ProductCache
    ) -> SettledTransaction.Fees {
        guard knowsFees else { return SettledTransaction.Fees(includedTax: nil, commission: nil) }
        func scheduled(_ schedule: RateSchedule?) -> Int64? {
            schedule.flatMap { rate(in: $0, of: number, isSubscription: isSubscription, &products) }
        }
        var commission = point?.commission ?? scheduled(rules.commissions) ?? rules.commission
        if let rate = rules.secondYearRate, paidService?.isSecondYear(number) == true {
            commission = min(commission ?? rate, rate)
        }
        return SettledTransaction.Fees(
            includedTax: point?.includedTax ?? scheduled(rules.taxes) ?? (rules.hasNoTax ? 0 : nil),
            commission: commission
        )
    }

    /// The rate of a transaction in a schedule.
    private func rate(
        in schedule: RateSchedule,
        of number: Int,
        isSubscription: Bool,
        _ products: inout ProductCache
    ) -> Int64? {
        let entry = table.entries[number]
        let told = text(table.sharedValues[Int(entry.shared)][.productType]).flatMap { ProductType(rawValue: $0) }
        let purchaseDate = table.purchaseDate(of: entry)
        return schedule.rate(
            ofProduct: text(Int32(entry.product) - 1),
            type: products.type(of: entry.product) ?? told ?? (isSubscription ? .autoRenewable : nil),
            territory: text(table.rare(.storefront, of: entry)).flatMap { Territory($0) },
            at: purchaseDate == TransactionEntry.unknown ? nil : Timestamp(milliseconds: purchaseDate)
        )
    }
}
