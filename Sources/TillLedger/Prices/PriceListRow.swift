import TillCore

/// One row of a price list: what one unit of a product costs at one place, and when.
struct PriceListRow {
    let line: Int
    let productID: String
    /// `nil` for every bundle that has no row of its own.
    let bundleID: String?
    /// `nil` for `*`, every territory that has no row of its own.
    let territory: Territory?
    /// `nil` for sales without an offer.
    let offerID: String?
    let type: ProductType?
    let period: BillingPeriod?
    /// Inclusive; `nil` for always.
    let effectiveFrom: Timestamp?
    /// Exclusive; `nil` for ever.
    let effectiveTo: Timestamp?
    let point: PricePoint

    /// The first instant at which the row can hold.
    var start: Timestamp { effectiveFrom ?? Timestamp(milliseconds: .min) }
}
