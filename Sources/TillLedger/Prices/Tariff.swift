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
        anywhere = PriceTimeline(
            agreementOf: territories.isEmpty ? [] : Array(territories.values) + Array(currencies.values)
        )
    }

    /// Whether some price is not for those who subscribed before.
    var preservesPrices: Bool {
        territories.values.contains(where: \.preservesPrices) || currencies.values.contains(where: \.preservesPrices)
            || worldwide.preservesPrices
    }

    /// The price of the sale's own territory, else of `*` in its currency, else of `*`.
    ///
    /// A storefront that is not known, or is no ISO code, is the default territory; a sale that still has no price
    /// takes the one on which all rows agree.
    func price(of sale: PriceQuery) -> PricePoint? {
        guard !territories.isEmpty else { return worldwidePrice(of: sale) }
        let storefront = sale.storefront.flatMap { Territory($0) }
        if let territory = storefront ?? defaultTerritory, let price = territories[territory]?.price(of: sale) {
            return price
        }
        return worldwidePrice(of: sale) ?? (storefront == nil ? anywhere.price(of: sale) : nil)
    }

    private func worldwidePrice(of sale: PriceQuery) -> PricePoint? {
        if let currency = sale.currency, let price = currencies[currency]?.price(of: sale) { return price }
        return worldwide.price(of: sale)
    }
}
