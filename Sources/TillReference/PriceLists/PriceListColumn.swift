/// The columns of a price list.
enum PriceListColumn: Int, CaseIterable {
    case productID, bundleID, territory, currency, price, effectiveFrom, effectiveTo, type, period
    case introPrice, introMode, offerID, offerPrice, commission, taxRate, taxIncluded, preservedFrom, displayName, note

    /// Its name in the header.
    var name: String {
        switch self {
        case .productID: "product_id"
        case .bundleID: "bundle_id"
        case .territory: "territory"
        case .currency: "currency"
        case .price: "price"
        case .effectiveFrom: "effective_from"
        case .effectiveTo: "effective_to"
        case .type: "type"
        case .period: "period"
        case .introPrice: "intro_price"
        case .introMode: "intro_mode"
        case .offerID: "offer_id"
        case .offerPrice: "offer_price"
        case .commission: "commission"
        case .taxRate: "tax_rate"
        case .taxIncluded: "tax_included"
        case .preservedFrom: "preserved_from"
        case .displayName: "name"
        case .note: "note"
        }
    }

    static let required: [PriceListColumn] = [.productID, .currency, .price]

    /// Reads a name of the header in either case, or an alias that other tools write.
    init?(header: String) {
        switch header.lowercased() {
        case "sku": self = .productID
        case "storefront", "country": self = .territory
        case "customer_price": self = .price
        case "product_name", "display_name": self = .displayName
        case "start_date": self = .effectiveFrom
        case let name:
            guard let column = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = column
        }
    }
}

/// The cell of each column in a record.
struct PriceListLayout {
    private var places = Array(repeating: Int?.none, count: PriceListColumn.allCases.count)

    subscript(_ column: PriceListColumn) -> Int? {
        get { places[column.rawValue] }
        set { places[column.rawValue] = newValue }
    }
}
