/// The columns of a price list, named as in its header.
enum PriceListColumn: String, CaseIterable {
    case productID = "product_id"
    case bundleID = "bundle_id"
    case territory
    case currency
    case price
    case effectiveFrom = "effective_from"
    case effectiveTo = "effective_to"
    case type
    case period
    case introPrice = "intro_price"
    case introMode = "intro_mode"
    case offerID = "offer_id"
    case offerPrice = "offer_price"
    case commission
    case taxRate = "tax_rate"
    case taxIncluded = "tax_included"
    case preservedFrom = "preserved_from"
    case note

    static let required: [PriceListColumn] = [.productID, .currency, .price]

    /// Reads a name of the header in either case, or an alias that other tools write.
    init?(header: String) {
        switch header.lowercased() {
        case "sku": self = .productID
        case "storefront", "country": self = .territory
        case "customer_price": self = .price
        case "start_date": self = .effectiveFrom
        case let name: self.init(rawValue: name)
        }
    }
}
