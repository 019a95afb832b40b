public import TillCore

/// One of Apple's sales reports, added up by product, country and currency.
///
/// Only sales and refunds of in-app purchases are added up. Other rows are counted.
public struct AppleReport: Sendable {
    /// The kinds of sales reports, each with its calendar.
    public enum Kind: String, Sendable, CaseIterable {
        /// Summary Sales of Sales and Trends: calendar days, weeks, months and years.
        case salesSummary = "sales_summary"
        /// A financial report of a region, or of all of them: a fiscal month.
        case financial
        /// Financial Detail (Z1): a fiscal month, row by row with the date of the transaction.
        case financialDetail = "financial_detail"

        /// A heading for people.
        public var title: String {
            switch self {
            case .salesSummary: "Summary Sales"
            case .financial: "Financial"
            case .financialDetail: "Financial Detail"
            }
        }

        /// The calendar whose months the report has.
        public var calendar: CalendarKind { self == .salesSummary ? .gregorian : .appleFiscal }
    }

    /// Units and amounts of sales and of refunds; those of refunds are positive too.
    public struct Amounts: Hashable, Sendable {
        /// Sold units; refunded units are not subtracted.
        public var units: Int64 = 0
        /// Refunded units, counted as positive numbers.
        public var refundedUnits: Int64 = 0
        /// Customer prices, in millionths.
        public var gross: Int128 = 0
        /// Refunded customer prices, in millionths.
        public var refunds: Int128 = 0
        /// Proceeds of the sales, in millionths of the currency of proceeds.
        public var saleProceeds: Int128 = 0
        /// Proceeds of the refunded sales, which Apple takes back, in millionths of the currency of proceeds.
        public var refundProceeds: Int128 = 0

        /// Makes amounts that are all 0.
        public init() {}

        /// Proceeds of sales less those of refunds.
        public var proceeds: Int128 { saleProceeds - refundProceeds }
        /// Customer prices less refunds.
        public var net: Int128 { gross - refunds }

        /// Adds every amount of `right`, which must be in the same currencies; that is not checked.
        public static func += (left: inout Amounts, right: Amounts) {
            left.units += right.units
            left.refundedUnits += right.refundedUnits
            left.gross += right.gross
            left.refunds += right.refunds
            left.saleProceeds += right.saleProceeds
            left.refundProceeds += right.refundProceeds
        }
    }

    /// The amounts of a product in one currency, country and time.
    public struct Entry: Sendable {
        /// The days that the row covers, or the day of its transaction, since 1970-01-01.
        public var days: ClosedRange<Int>
        /// An index into ``AppleReport/products``.
        public var product: Int
        /// An index into ``AppleReport/countries``.
        public var country: Int
        /// The currency of customers.
        public var currency: CurrencyCode
        /// The currency of proceeds; `nil` if the row has neither proceeds nor a currency of them.
        public var proceedsCurrency: CurrencyCode?
        /// The sums of all rows with these days, product, country and currencies.
        public var amounts: Amounts

        /// Makes an entry; `product` and `country` must be indices of the report that gets it.
        public init(
            days: ClosedRange<Int>,
            product: Int,
            country: Int,
            currency: CurrencyCode,
            proceedsCurrency: CurrencyCode?,
            amounts: Amounts
        ) {
            self.days = days
            self.product = product
            self.country = country
            self.currency = currency
            self.proceedsCurrency = proceedsCurrency
            self.amounts = amounts
        }
    }

    /// The file as the user named it.
    public var name: String
    /// The kind of the report, recognised by the names of its columns.
    public var kind: Kind
    /// The days that the report covers, since 1970-01-01, ascending and distinct; none where it has only a header.
    public var spans: [ClosedRange<Int>] = []
    /// Product ids: SKU or Vendor Identifier.
    public var products: [String] = []
    /// Apple's number of each product, by index; `nil` if the first row of the product has none.
    public var appleIDs: [String?] = []
    /// Alpha-3 codes of ISO 3166-1, or the code as it came.
    public var countries: [String] = []
    /// The sums by days, product, country and currencies, in the order of their first rows.
    public var entries: [Entry] = []
    /// Rows that are sales or refunds of in-app purchases.
    public var rowCount = 0
    /// Rows that are neither: apps, updates, restored purchases.
    public var otherRowCount = 0

    /// Makes a report without days, rows and entries.
    public init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }
}
