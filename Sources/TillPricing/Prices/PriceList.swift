public import TillCore

/// The prices of products by territory and time, as finance keeps them in a spreadsheet.
///
///     product_id,territory,currency,price,effective_from,effective_to,type
///     coins.100,*,USD,0.99,,,consumable
///     coins.100,DE,EUR,1.09,2023-01-01,2024-01-01,consumable
///     coins.100,DE,EUR,1.19,2024-01-01,,consumable
///
/// Columns may be in any order; `product_id`, `currency` and `price` are required. Cells are separated by `,`, `;` or
/// TAB, the latter two also with decimal commas. A row applies from `effective_from` (inclusive; an empty cell means
/// always) to `effective_to` (exclusive; an empty cell means until a newer row for the same product and place begins).
/// A plain day means its midnight in the report's time zone. An empty `intro_price` or `offer_price` is unknown, and
/// sales at such a price have no price.
public struct PriceList: Sendable {
    private let products: [String: ProductPrices]
    /// The territories of the rows; `nil` for `*`.
    private let territories: Set<Territory?>
    /// Doubtful rows that are not errors: times without a price between two prices, unusual currencies.
    public let warnings: [Finding]
    /// Rows read.
    public let rowCount: Int

    /// Makes a list of rows, or throws all of its defects.
    ///
    /// - Parameters:
    ///   - name: the file as errors call it.
    ///   - problems: the problems found while the rows were read.
    ///   - defaultTerritory: the territory of sales with an unknown storefront.
    package init(
        _ rows: [PriceListRow],
        name: String,
        problems: [Finding] = [],
        defaultTerritory: Territory? = nil
    ) throws(FileFindings) {
        var problems = problems
        products = Dictionary(grouping: rows, by: \.productID).mapValues { rows in
            ProductPrices(rows, defaultTerritory: defaultTerritory, reporting: &problems)
        }
        problems += PriceJumps.problems(in: rows)
        names = PriceListNames.names(in: rows, reporting: &problems)
        let errors = problems.filter { $0.cause != .warning }
        guard errors.isEmpty else { throw FileFindings(name, errors.sorted()) }
        warnings = problems.sorted()
        rowCount = rows.count
        territories = Set(rows.map(\.territory))
        tellsCommission = rows.contains { $0.point.commission != nil }
        tellsTax = rows.contains { $0.point.includedTax != nil }
        preservesPrices = rows.contains { $0.point.preservedFrom != nil }
    }

    /// Whether some product has a price for a territory, by its own row or by one of `*`.
    public func covers(_ territory: Territory) -> Bool { territories.contains(nil) || territories.contains(territory) }

    /// The number of products in the list.
    public var productCount: Int { products.count }

    /// Whether any row has Apple's commission.
    public let tellsCommission: Bool

    /// Whether any row has the tax in its price.
    public let tellsTax: Bool

    /// Whether earlier subscribers of some product keep an older price.
    package let preservesPrices: Bool

    /// The products of the list, in no particular order.
    public var productIDs: some Collection<String> { products.keys }

    /// Names by product. If a product has two names, the row that takes effect last counts, else the later line.
    public let names: [String: String]

    /// Types by product.
    public var types: [String: ProductType] { products.compactMapValues(\.type) }

    /// The prices of one product; `nil` if the list does not have it.
    public func prices(for productID: String) -> ProductPrices? {
        products[productID]
    }
}
