public import TillPricing

/// The keys by which the rows of a report are grouped.
public enum GroupKey: String, Sendable, CaseIterable {
    case month, week, day, hour
    case productID = "product_id"
    case productType = "product_type"
    case saleKind = "sale_kind"
    case storefront
    case bundleID = "bundle_id"
    case appVersion = "app_version"
    case osVersion = "os_version"
    case underlyingCode = "underlying_code"
    case environment
    case currency

    /// Reads a name as users write it; `kind` is short for `sale_kind`.
    public init?(name: String) {
        self.init(rawValue: name == "kind" ? "sale_kind" : name)
    }

    /// The key that groups by a unit of time.
    public init(_ unit: CalendarUnit) {
        switch unit {
        case .month: self = .month
        case .week: self = .week
        case .day: self = .day
        case .hour: self = .hour
        }
    }

    /// The unit of time of the key; `nil` for a key of another kind.
    public var unit: CalendarUnit? {
        switch self {
        case .month: .month
        case .week: .week
        case .day: .day
        case .hour: .hour
        case .productID, .productType, .saleKind, .storefront, .bundleID, .appVersion, .osVersion,
            .underlyingCode, .environment, .currency:
            nil
        }
    }

    /// Whether sales can be grouped by it. Only failures have a version of the OS, and an error under theirs.
    public var isOfSales: Bool { self != .osVersion && self != .underlyingCode }

    /// A heading for people.
    public var title: String {
        switch self {
        case .month: "Month"
        case .week: "Week"
        case .day: "Day"
        case .hour: "Hour"
        case .productID: "Product"
        case .productType: "Type"
        case .saleKind: "Sale"
        case .storefront: "Storefront"
        case .bundleID: "App"
        case .appVersion: "App version"
        case .osVersion: "OS version"
        case .underlyingCode: "Underlying error"
        case .environment: "Environment"
        case .currency: "Currency"
        }
    }
}

/// The kind of a sale; if several match, the first.
public enum SaleKind: String, Sendable, CaseIterable {
    /// A free trial.
    case trial
    /// At an introductory price.
    case intro
    /// Under a promotional offer, an offer code or the like.
    case offer
    /// A later period of a subscription.
    case renewal
    /// Anything else that is bought.
    case new
}
