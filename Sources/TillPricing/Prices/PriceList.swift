/// What products cost, where and when, as finance keeps it in a spreadsheet.
///
///     product_id,territory,currency,price,effective_from,effective_to,type
///     coins.100,*,USD,0.99,,,consumable
///     coins.100,DE,EUR,1.09,2023-01-01,2024-01-01,consumable
///     coins.100,DE,EUR,1.19,2024-01-01,,consumable
///
/// Columns may stand in any order; `product_id`, `currency` and `price` must be there. Cells are separated by `,`, `;`
/// or TAB, the latter two also with decimal commas. A row holds from `effective_from` (inclusive, else always) to
/// `effective_to` (exclusive, else for ever, or until a newer row for the same product and place begins); a plain day
/// is its midnight in the report's time zone. What a row lacks of `intro_price` and `offer_price` is not known: sales at
/// such a price have none.
public struct PriceList: Sendable {
    private let products: [String: ProductPrices]
    /// Those of the rows; `nil` for `*`.
    private let territories: Set<Territory?>
    /// What is doubtful and no error: times without a price between two prices, unusual currencies.
    public let warnings: [PriceListError.Problem]
    /// Rows read.
    public let rowCount: Int

    /// Makes a list of rows, or throws everything that is wrong with it.
    ///
    /// - Parameters:
    ///   - name: the file as errors call it.
    ///   - problems: what was found while the rows were read.
    ///   - defaultTerritory: where sales of unknown storefront took place.
    package init(
        _ rows: [PriceListRow],
        name: String,
        problems: [PriceListError.Problem] = [],
        defaultTerritory: Territory? = nil
    ) throws(PriceListError) {
        var problems = problems
        products = Dictionary(grouping: rows, by: \.productID).mapValues { rows in
            ProductPrices(rows, defaultTerritory: defaultTerritory, reporting: &problems)
        }
        problems += PriceJumps.problems(in: rows)
        names = PriceListNames.names(in: rows, reporting: &problems)
        let errors = problems.filter { !$0.code.isWarning }
        guard errors.isEmpty else { throw PriceListError(name: name, problems: errors.sorted()) }
        warnings = problems.sorted()
        rowCount = rows.count
        territories = Set(rows.map(\.territory))
        tellsCommission = rows.contains { $0.point.commission != nil }
    }

    /// Whether some product has a price for a territory, by its own row or by one of `*`.
    public func covers(_ territory: Territory) -> Bool { territories.contains(nil) || territories.contains(territory) }

    /// How many products the list names.
    public var productCount: Int { products.count }

    /// Whether some row tells Apple's commission.
    public let tellsCommission: Bool

    /// The products that the list names, in no order.
    public var productIDs: some Collection<String> { products.keys }

    /// The names that the list tells, by product: of two names of one product that of the price that takes effect last, else
    /// that of the later line.
    public let names: [String: String]

    /// The types that the list tells, by product.
    public var types: [String: ProductType] { products.compactMapValues(\.type) }

    /// The prices of one product, or `nil` if the list does not name it.
    public func prices(for productID: String) -> ProductPrices? {
        products[productID]
    }
}
