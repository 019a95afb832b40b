/// The type of a product; the raw values are those of price lists.
public enum ProductType: String, Sendable, CaseIterable {
    /// Used up and bought again; the App Store never restores it.
    case consumable
    /// Bought once and kept for good.
    case nonConsumable = "non_consumable"
    /// A subscription that the App Store renews.
    case autoRenewable = "auto_renewable"
    /// A subscription that ends by itself and is bought anew.
    case nonRenewing = "non_renewing"
}
