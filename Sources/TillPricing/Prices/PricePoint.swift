public import TillCore

/// The price of one unit of a product at one instant and place.
///
/// Amounts are millionths of the currency's unit, tax included, as the customer sees them in the store.
public struct PricePoint: Hashable, Sendable {
    /// The currency of every amount here.
    public let currency: CurrencyCode
    /// The price without any offer.
    public let price: Int64
    /// The price under the introductory offer, 0 for a free one; `nil` if the list does not have it.
    public let introPrice: Int64?
    /// The payment mode of the introductory offer; `nil` if the list does not have it.
    public let introMode: IntroMode?
    /// The price under a promotional offer or offer code; `nil` if the list does not have it.
    public let offerPrice: Int64?
    /// Apple's share of the price without tax, in millionths; `nil` if the list does not have it.
    public var commission: Int64?
    /// The tax in the price, in millionths of the price without it; 0 if the price does not contain tax, `nil` if the
    /// list does not have it.
    public var includedTax: Int64?
    /// A customer who subscribed before this instant keeps the earlier price; `nil` if the price applies to all.
    public var preservedFrom: Timestamp?

    package init(
        currency: CurrencyCode,
        price: Int64,
        introPrice: Int64? = nil,
        introMode: IntroMode? = nil,
        offerPrice: Int64? = nil,
        commission: Int64? = nil,
        includedTax: Int64? = nil,
        preservedFrom: Timestamp? = nil
    ) {
        self.currency = currency
        self.price = price
        self.introPrice = introPrice
        self.introMode = introMode
        self.offerPrice = offerPrice
        self.commission = commission
        self.includedTax = includedTax
        self.preservedFrom = preservedFrom
    }
}

extension PricePoint {
    /// The values that both points have in common; `nil` if they differ in currency or price.
    ///
    /// An offer in which they differ is omitted, because neither of its prices is right for both.
    func agreeing(with other: PricePoint) -> PricePoint? {
        guard currency == other.currency, price == other.price, preservedFrom == other.preservedFrom else { return nil }
        let sameIntro = introPrice == other.introPrice && introMode == other.introMode
        return PricePoint(
            currency: currency,
            price: price,
            introPrice: sameIntro ? introPrice : nil,
            introMode: sameIntro ? introMode : nil,
            offerPrice: offerPrice == other.offerPrice ? offerPrice : nil,
            commission: commission == other.commission ? commission : nil,
            includedTax: includedTax == other.includedTax ? includedTax : nil,
            preservedFrom: preservedFrom
        )
    }
}
