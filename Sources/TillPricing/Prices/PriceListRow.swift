package import TillCore

/// One row of a price list: what one unit of a product costs at one place, and when.
package struct PriceListRow {
    let line: Int
    let productID: String
    /// `nil` for every bundle that has no row of its own.
    let bundleID: String?
    /// `nil` for `*`, every territory that has no row of its own.
    let territory: Territory?
    /// `nil` for sales without an offer.
    let offerID: String?
    /// What people call the product.
    let name: String?
    let type: ProductType?
    let period: BillingPeriod?
    /// Inclusive; `nil` for always.
    let effectiveFrom: Timestamp?
    /// Exclusive; `nil` for ever.
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

    /// The first instant at which the row can hold.
    var start: Timestamp { effectiveFrom ?? Timestamp(milliseconds: .min) }
}
