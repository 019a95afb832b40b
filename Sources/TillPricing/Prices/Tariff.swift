import TillCore

/// The prices of one product, for one bundle and offer.
///
/// For a sale with a currency, only rows in that currency are used, as if the list had no others. For a sale without a
/// date, only rows without dates are used.
final class Tariff: Sendable {
    /// For sales without a currency.
    private let anyCurrency: PlacePrices
    /// The rows of each currency, for sales with a currency.
    private let currencies: [CurrencyCode: PlacePrices]
    /// Of the rows without dates; `nil` where no row or every row has none.
    private let undated: Tariff?
    private let isUndated: Bool
    /// Whether any price does not apply to earlier subscribers.
    let preservesPrices: Bool

    init(_ rows: [PriceListRow], defaultTerritory: Territory?, reporting problems: inout [Finding]) {
        let all = PlacePrices(rows, defaultTerritory: defaultTerritory, reporting: &problems)
        // Their problems are those of all rows.
        var repeated: [Finding] = []
        let byCurrency = Dictionary(grouping: rows, by: \.point.currency)
        anyCurrency = all
        currencies = byCurrency.mapValues { rows in
            byCurrency.count == 1
                ? all : PlacePrices(rows, defaultTerritory: defaultTerritory, reporting: &repeated)
        }
        let undatedRows = rows.filter { $0.effectiveFrom == nil && $0.effectiveTo == nil }
        preservesPrices = rows.contains { $0.point.preservedFrom != nil }
        isUndated = undatedRows.count == rows.count
        undated =
            isUndated || undatedRows.isEmpty
            ? nil : Tariff(undatedRows, defaultTerritory: defaultTerritory, reporting: &repeated)
    }

    func price(of sale: PriceQuery) -> PricePoint? {
        if sale.instant == nil, !isUndated { return undated?.price(of: sale) }
        guard let currency = sale.currency else { return anyCurrency.price(of: sale) }
        return currencies[currency]?.price(of: sale)
    }

    /// The currency of all rows that can hold for a sale without a currency; `nil` if they have several.
    func currency(of sale: PriceQuery) -> CurrencyCode? {
        if sale.instant == nil, !isUndated { return undated?.currency(of: sale) }
        return anyCurrency.price(of: sale)?.currency ?? anyCurrency.currency(of: sale)
    }
}

/// Rows of a tariff by territory.
private final class PlacePrices: Sendable {
    /// Rows of one territory. If some price does not apply to earlier subscribers, the rows of `*` are in the gaps: the
    /// price that these subscribers keep may be among them.
    private let territories: [Territory: PriceTimeline]
    /// Rows of `*`, a gap where more than one currency is in effect.
    private let worldwide: PriceTimeline
    /// The price on which all rows agree, for sales whose storefront is not known; empty where all rows are of `*`.
    private let anywhere: PriceTimeline
    /// A gap where more than one currency is in effect; its prices have no meaning. Empty where all rows are of `*`.
    private let oneCurrency: PriceTimeline
    private let isMixed: Bool
    private let defaultTerritory: Territory?

    init(_ rows: [PriceListRow], defaultTerritory: Territory?, reporting problems: inout [Finding]) {
        var territories: [Territory: PriceTimeline] = [:]
        var currencies: [CurrencyCode: PriceTimeline] = [:]
        // In a gap of a territory the rows of `*` apply, if there are any.
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
        self.defaultTerritory = defaultTerritory
        let worldwide = PriceTimeline(agreementOf: currencies.values)
        let preservesPrices = rows.contains { $0.point.preservedFrom != nil }
        self.worldwide = worldwide
        self.territories =
            hasWorldwide && preservesPrices ? territories.mapValues { $0.filled(by: worldwide) } : territories
        let everywhere = territories.isEmpty ? [] : Array(territories.values) + Array(currencies.values)
        anywhere = PriceTimeline(agreementOf: everywhere)
        isMixed = rows.contains { $0.point.currency != rows[0].point.currency }
        oneCurrency = PriceTimeline(agreementOf: everywhere.map(\.currenciesAlone))
    }

    /// The price of the sale's own territory, else of `*`.
    ///
    /// A storefront that is not known, or is no ISO code, is the default territory. Without one, the rows of `*` are
    /// for territories that the list does not name, and the sale may have been in one that it does: where prices in
    /// several currencies are in effect it has none (`docs/money.md`). A sale of unknown storefront that still
    /// has no price takes the one on which all rows agree.
    ///
    ///     coins,USA,USD,10        storefront USA    10 USD
    ///     coins,*,EUR,11          storefront FRA    11 EUR
    ///                             none              not known
    func price(of sale: PriceQuery) -> PricePoint? {
        guard !territories.isEmpty else { return worldwide.price(of: sale) }
        let storefront = sale.storefront.flatMap { Territory($0) }
        if let territory = storefront ?? defaultTerritory {
            if let price = territories[territory]?.price(of: sale) { return price }
        } else if isMixed, oneCurrency.price(of: sale) == nil {
            return nil
        }
        return worldwide.price(of: sale) ?? (storefront == nil ? anywhere.price(of: sale) : nil)
    }
    /// The currency of all rows in effect for a sale of unknown place; `nil` if they have several, or there is none.
    func currency(of sale: PriceQuery) -> CurrencyCode? {
        sale.storefront.flatMap { Territory($0) } ?? defaultTerritory == nil
            ? oneCurrency.price(of: sale)?.currency : nil
    }
}
