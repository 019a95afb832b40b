public import TillCore

/// The rows of a price list for one product.
///
/// A class, like ``Tariff``: it is used for every transaction, and returning a reference is cheaper than copying
/// tables.
public final class ProductPrices: Sendable {
    /// The product's type; `nil` if no row has it.
    public let type: ProductType?
    /// The length of one period of a subscription; `nil` if no row has it.
    public let period: BillingPeriod?
    /// Whether prices depend on the bundle.
    package let distinguishesBundles: Bool
    /// Whether prices depend on the start of a customer's subscription.
    package let preservesPrices: Bool
    /// Ascending.
    private let changes: [Timestamp]
    private let usual: BundleTariffs
    private let offers: [String: BundleTariffs]

    init(_ rows: [PriceListRow], defaultTerritory: Territory?, reporting problems: inout [Finding]) {
        changes = Set(rows.flatMap { [$0.effectiveFrom, $0.effectiveTo].compactMap(\.self) }).sorted()
        type = Self.only(\.type, of: rows, "prices.two-types", reporting: &problems) { $0.rawValue }
        period = Self.only(\.period, of: rows, "prices.two-periods", reporting: &problems) { $0.iso }
        var tariffs = Dictionary(grouping: rows, by: \.offerID).mapValues { rows in
            BundleTariffs(
                Dictionary(grouping: rows, by: \.bundleID).mapValues {
                    Tariff($0, defaultTerritory: defaultTerritory, reporting: &problems)
                }
            )
        }
        usual = tariffs.removeValue(forKey: nil) ?? BundleTariffs([:])
        offers = Dictionary(uniqueKeysWithValues: tariffs.compactMap { offer, tariffs in offer.map { ($0, tariffs) } })
        let all = [usual] + offers.values
        distinguishesBundles = all.contains { !$0.named.isEmpty }
        preservesPrices = all.contains(where: \.preservesPrices)
    }

    /// The price of one unit; `nil` if the list has none for the sale.
    ///
    /// For a sale with a `currency`, only rows in that currency apply, whatever its storefront. For a sale without a
    /// date, only rows without dates apply. A sale under an offer takes the rows of that offer, else those without an
    /// offer. Among them a bundle's own rows come before those for every bundle; a sale of an unknown bundle takes the
    /// latter, or the rows of the only bundle that the list names. Then comes the territory: the storefront's rows (ISO
    /// 3166-1 alpha-2 or alpha-3), else the rows of `*` if only one of their currencies is in effect. A sale of unknown
    /// storefront takes the default territory's rows, else `*` in the same way, else the price on which all rows in
    /// effect agree; without a default territory it has none where prices in several currencies are in effect.
    ///
    /// A customer who subscribed before a row's `preserved_from` keeps the price before that row.
    ///
    /// Cost: a binary search over the price changes, no allocation. An argument costs nothing if it is `nil` or no row
    /// depends on it.
    public func price(
        at instant: Timestamp?,
        storefront: String?,
        currency: CurrencyCode?,
        bundleID: String?,
        offerID: String?,
        subscriberSince: Timestamp? = nil
    ) -> PricePoint? {
        let sale = PriceQuery(
            instant: instant,
            storefront: storefront,
            currency: currency,
            bundleID: bundleID,
            subscriberSince: subscriberSince
        )
        return first(of: sale, offerID) { $0.price(of: sale) }
    }

    /// The currency of all rows that can hold for a sale without a currency, as ``price(at:storefront:currency:bundleID:offerID:subscriberSince:)``
    /// chooses them; `nil` if they have several.
    package func currency(
        at instant: Timestamp?,
        storefront: String?,
        bundleID: String?,
        offerID: String?
    ) -> CurrencyCode? {
        let sale = PriceQuery(
            instant: instant,
            storefront: storefront,
            currency: nil,
            bundleID: bundleID,
            subscriberSince: nil
        )
        return first(of: sale, offerID) { $0.currency(of: sale) }
    }

    /// What the rows of the sale's offer say, else those without an offer.
    private func first<Value>(of sale: PriceQuery, _ offerID: String?, _ value: (Tariff) -> Value?) -> Value? {
        if let offerID, !offers.isEmpty, let found = offers[offerID]?.first(of: sale, value) { return found }
        return usual.first(of: sale, value)
    }

    /// The time around an instant in which no row begins or ends, so that a sale with the same facts has the same
    /// price.
    ///
    /// Cost: a binary search over the price changes.
    package func timeBetweenChanges(around instant: Timestamp) -> Range<Timestamp> {
        let next = changes.partitioningIndex { $0 > instant }
        let start = next == 0 ? Timestamp(milliseconds: .min) : changes[next - 1]
        return start..<(next == changes.count ? Timestamp(milliseconds: .max) : changes[next])
    }

    /// The value of one column in all rows; two different values are a problem.
    private static func only<Value: Equatable>(
        _ column: (PriceListRow) -> Value?,
        of rows: [PriceListRow],
        _ code: String,
        reporting problems: inout [Finding],
        text: (Value) -> String
    ) -> Value? {
        var first: (value: Value, line: Int)?
        for row in rows {
            guard let value = column(row) else { continue }
            guard let first else {
                first = (value, row.line)
                continue
            }
            guard value != first.value else { continue }
            let message = "the product is \(text(value)) here and \(text(first.value)) in line \(first.line)"
            problems.append(Finding(code, at: row.line, message))
        }
        return first?.value
    }
}

/// The facts of a sale that determine its price.
struct PriceQuery {
    let instant: Timestamp?
    let storefront: String?
    let currency: CurrencyCode?
    let bundleID: String?
    let subscriberSince: Timestamp?
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

    var preservesPrices: Bool {
        general?.preservesPrices ?? false || named.values.contains(where: \.preservesPrices)
    }

    /// What the tariff of the sale's bundle says, else that for every bundle.
    func first<Value>(of sale: PriceQuery, _ value: (Tariff) -> Value?) -> Value? {
        guard !named.isEmpty else { return general.flatMap(value) }
        guard let bundleID = sale.bundleID else {
            let only = named.count == 1 ? named.values.first : nil
            return (general ?? only).flatMap(value)
        }
        return named[bundleID].flatMap(value) ?? general.flatMap(value)
    }
}
