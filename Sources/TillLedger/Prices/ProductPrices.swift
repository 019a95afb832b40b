public import TillCore

/// What a price list says of one product.
public struct ProductPrices: Sendable {
    /// The product's type; `nil` where no row names it.
    public let type: ProductType?
    private let usual: BundleTariffs
    private let offers: [String: BundleTariffs]

    init(_ rows: [PriceListRow], defaultTerritory: Territory?, reporting problems: inout [PriceListError.Problem]) {
        type = Self.type(of: rows, reporting: &problems)
        var tariffs = Dictionary(grouping: rows, by: \.offerID).mapValues { rows in
            BundleTariffs(
                Dictionary(grouping: rows, by: \.bundleID).mapValues {
                    Tariff($0, defaultTerritory: defaultTerritory, reporting: &problems)
                }
            )
        }
        usual = tariffs.removeValue(forKey: nil) ?? BundleTariffs([:])
        offers = Dictionary(uniqueKeysWithValues: tariffs.compactMap { offer, tariffs in offer.map { ($0, tariffs) } })
    }

    /// Whether it matters to which app the product belongs.
    var distinguishesBundles: Bool {
        !usual.named.isEmpty || offers.values.contains { !$0.named.isEmpty }
    }

    /// The price of one unit; `nil` where the list does not settle it.
    ///
    /// A sale under an offer takes the rows of that offer, else those without an offer. Among them a bundle's own rows
    /// come before those for every bundle; a sale of an unknown bundle takes the latter, or the rows of the only bundle
    /// that the list names. Then comes the territory: the storefront's rows (ISO 3166-1 alpha-2 or alpha-3), else the
    /// rows of `*` in `currency`, else the rows of `*` if only one of their currencies is in effect. A sale of unknown
    /// storefront takes the default territory's rows, else `*` in the same way, else the price on which all rows in
    /// effect agree.
    ///
    /// Cost: a binary search over the price changes, no allocation; each argument that is `nil`, or that no row tells
    /// apart, costs nothing.
    public func price(
        at instant: Timestamp,
        storefront: String?,
        currency: CurrencyCode?,
        bundleID: String?,
        offerID: String?
    ) -> PricePoint? {
        let sale = PriceQuery(instant: instant, storefront: storefront, currency: currency, bundleID: bundleID)
        if let offerID, !offers.isEmpty, let price = offers[offerID]?.price(of: sale) { return price }
        return usual.price(of: sale)
    }

    private static func type(
        of rows: [PriceListRow],
        reporting problems: inout [PriceListError.Problem]
    ) -> ProductType? {
        var first: (type: ProductType, line: Int)?
        for row in rows {
            guard let type = row.type else { continue }
            guard let first else {
                first = (type, row.line)
                continue
            }
            guard type != first.type else { continue }
            let message = "the product is \(type.rawValue) here and \(first.type.rawValue) in line \(first.line)"
            problems.append(PriceListError.Problem(line: row.line, code: .twoTypes, message: message))
        }
        return first?.type
    }
}

/// What a sale tells that decides its price.
struct PriceQuery {
    let instant: Timestamp
    let storefront: String?
    let currency: CurrencyCode?
    let bundleID: String?
}

/// The tariffs of one product and offer by bundle.
private struct BundleTariffs: Sendable {
    /// For every bundle without a tariff of its own.
    let general: Tariff?
    let named: [String: Tariff]

    init(_ tariffs: [String?: Tariff]) {
        general = tariffs[nil]
        named = Dictionary(uniqueKeysWithValues: tariffs.compactMap { bundle, tariff in bundle.map { ($0, tariff) } })
    }

    func price(of sale: PriceQuery) -> PricePoint? {
        guard !named.isEmpty else { return general?.price(of: sale) }
        guard let bundleID = sale.bundleID else {
            let only = named.count == 1 ? named.values.first : nil
            return (general ?? only)?.price(of: sale)
        }
        return named[bundleID]?.price(of: sale) ?? general?.price(of: sale)
    }
}
