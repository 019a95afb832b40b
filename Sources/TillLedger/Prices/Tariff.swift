import TillCore

/// The prices of one product, for one bundle and offer, wherever it is sold.
final class Tariff: Sendable {
    /// Rows of one territory.
    private let territories: [Territory: PriceTimeline]
    /// Rows of `*`, by currency; empty where all are in one.
    private let currencies: [CurrencyCode: PriceTimeline]
    /// Rows of `*` whatever their currency, a gap where more than one price is in effect.
    private let worldwide: PriceTimeline
    /// What all rows agree on, for sales whose storefront is not known; empty where all rows are of `*`.
    private let anywhere: PriceTimeline
    /// What tells sales of unknown storefront apart where rows have several currencies; `nil` where they have one.
    private let mixture: CurrencyMixture?
    private let defaultTerritory: Territory?

    init(_ rows: [PriceListRow], defaultTerritory: Territory?, reporting problems: inout [PriceListError.Problem]) {
        var territories: [Territory: PriceTimeline] = [:]
        var currencies: [CurrencyCode: PriceTimeline] = [:]
        // In a gap of a territory the rows of `*` hold, if there are any.
        let hasWorldwide = rows.contains { $0.territory == nil }
        for (territory, rows) in Dictionary(grouping: rows, by: \.territory) {
            if let territory {
                territories[territory] = PriceTimeline(rows, tellsGaps: !hasWorldwide, reporting: &problems)
            } else {
                currencies = Dictionary(grouping: rows, by: \.point.currency).mapValues {
                    PriceTimeline($0, tellsGaps: true, reporting: &problems)
                }
            }
        }
        self.territories = territories
        self.currencies = currencies.count > 1 ? currencies : [:]
        self.defaultTerritory = defaultTerritory
        worldwide = PriceTimeline(agreementOf: currencies.values)
        let everywhere = territories.isEmpty ? [] : Array(territories.values) + Array(currencies.values)
        anywhere = PriceTimeline(agreementOf: everywhere)
        let codes = Set(rows.map(\.point.currency))
        mixture =
            territories.isEmpty || codes.count < 2
            ? nil : CurrencyMixture(of: codes, worldwide: currencies, everywhere: everywhere)
    }

    /// Whether some price is not for those who subscribed before.
    var preservesPrices: Bool {
        territories.values.contains(where: \.preservesPrices) || currencies.values.contains(where: \.preservesPrices)
            || worldwide.preservesPrices
    }

    /// The price of the sale's own territory, else of `*` in its currency, else of `*`.
    ///
    /// A storefront that is not known, or is no ISO code, is the default territory. Without one, the rows of `*` are for
    /// territories that the list does not name, and the sale may have been in one that it does: see ``CurrencyMixture``.
    /// A sale that still has no price takes the one on which all rows agree.
    func price(of sale: PriceQuery) -> PricePoint? {
        guard !territories.isEmpty else { return worldwidePrice(of: sale) }
        let storefront = sale.storefront.flatMap { Territory($0) }
        if let territory = storefront ?? defaultTerritory {
            if let price = territories[territory]?.price(of: sale) { return price }
        } else if let mixture {
            if let price = mixture.price(of: sale) { return price }
            guard mixture.isOfOneCurrency(at: sale) else { return nil }
        }
        return worldwidePrice(of: sale) ?? (storefront == nil ? anywhere.price(of: sale) : nil)
    }

    private func worldwidePrice(of sale: PriceQuery) -> PricePoint? {
        if let currency = sale.currency, let price = currencies[currency]?.price(of: sale) { return price }
        return worldwide.price(of: sale)
    }
}

/// The prices of a product in several currencies, for sales of unknown storefront (fx-and-prices.md §2).
///
///     coins,USA,USD,10        a sale in USD      10 USD
///     coins,*,EUR,11          a sale in EUR      11 EUR
///                             one that does not tell its currency, or tells another: not known
private struct CurrencyMixture: Sendable {
    /// Rows of `*`, by currency.
    private let worldwide: [CurrencyCode: PriceTimeline]
    /// What all rows in a currency agree on.
    private let agreed: [CurrencyCode: PriceTimeline]
    /// A gap where more than one currency is in effect; its prices mean nothing.
    private let single: PriceTimeline

    init(of codes: Set<CurrencyCode>, worldwide: [CurrencyCode: PriceTimeline], everywhere: [PriceTimeline]) {
        self.worldwide = worldwide
        agreed = Dictionary(
            uniqueKeysWithValues: codes.map { code in
                (code, PriceTimeline(agreementOf: everywhere.map { $0.prices(in: code) }))
            }
        )
        single = PriceTimeline(agreementOf: everywhere.map(\.currenciesAlone))
    }

    /// The price in the sale's own currency, that of `*` before what other rows agree on.
    func price(of sale: PriceQuery) -> PricePoint? {
        guard let currency = sale.currency else { return nil }
        return worldwide[currency]?.price(of: sale) ?? agreed[currency]?.price(of: sale)
    }

    /// Whether all prices in effect are in one currency.
    func isOfOneCurrency(at sale: PriceQuery) -> Bool { single.price(of: sale) != nil }
}
