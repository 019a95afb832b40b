package import TillCore

/// One row of a price list: the price of one unit of a product, with its place and time.
package struct PriceListRow {
    let line: Int
    let productID: String
    /// `nil` for every bundle without its own row.
    let bundleID: String?
    /// `nil` for `*`: every territory without its own row.
    let territory: Territory?
    /// `nil` for sales without an offer.
    let offerID: String?
    /// The name of the product for people.
    let name: String?
    let type: ProductType?
    let period: BillingPeriod?
    /// Inclusive; `nil` for an open beginning.
    let effectiveFrom: Timestamp?
    /// Exclusive; `nil` for an open end.
    let effectiveTo: Timestamp?
    let point: PricePoint

    package init(
        line: Int,
        productID: String,
        bundleID: String?,
        territory: Territory?,
        offerID: String?,
        name: String? = nil,
        type: ProductType?,
        period: BillingPeriod?,
        effectiveFrom: Timestamp?,
        effectiveTo: Timestamp?,
        point: PricePoint
    ) {
        self.line = line
        self.productID = productID
        self.bundleID = bundleID
        self.territory = territory
        self.offerID = offerID
        self.name = name
        self.type = type
        self.period = period
        self.effectiveFrom = effectiveFrom
        self.effectiveTo = effectiveTo
        self.point = point
    }

    /// The first instant at which the row can apply.
    var start: Timestamp { effectiveFrom ?? Timestamp(milliseconds: .min) }
}
