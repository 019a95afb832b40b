public import TillCore

/// Properties of products from files for Apple or Xcode: types, periods, subscription groups, names.
///
/// A consumable is never restored, so it is not in the denominators of rates. JSON receipts do not contain the type of
/// a product.
public struct Catalogue: Sendable {
    /// The known properties of one product.
    public struct Entry: Hashable, Sendable {
        /// The type of the product in the App Store; `nil` if no file has it.
        public var type: ProductType?
        /// The length of one period of a subscription; `nil` if no file has it.
        public var period: BillingPeriod?
        /// The group or family of subscriptions of which a customer has one at a time.
        public var group: String?
        /// The name for people.
        public var name: String?

        /// Makes an entry in which `nil` means that the file does not have the property.
        public init(
            type: ProductType? = nil,
            period: BillingPeriod? = nil,
            group: String? = nil,
            name: String? = nil
        ) {
            self.name = name
            self.type = type
            self.period = period
            self.group = group
        }
    }

    private var entries: [String: Entry] = [:]

    /// Makes a catalogue without products.
    public init() {}

    /// The properties of a product; `nil` if no file has it.
    public subscript(productID: String) -> Entry? { entries[productID] }

    /// All product ids, sorted bytewise.
    public var productIDs: [String] {
        entries.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Adds the properties of a product from a file. Throws if a type or period differs from that of an earlier file.
    public mutating func add(_ entry: Entry, for productID: String) throws(Finding) {
        var merged = entries[productID] ?? Entry()
        merged.type = try Self.same(merged.type, entry.type, "type", productID)
        merged.period = try Self.same(merged.period, entry.period, "period", productID)
        // Xcode numbers groups and Apple names families: two names of one group are not a conflict.
        merged.group = merged.group ?? entry.group
        // No figure depends on a name, so the name of the first file counts.
        merged.name = merged.name ?? entry.name
        entries[productID] = merged
    }

    private static func same<Value: Equatable>(
        _ known: Value?,
        _ new: Value?,
        _ what: String,
        _ productID: String
    ) throws(Finding) -> Value? {
        guard let known, let new else { return known ?? new }
        guard known == new else {
            throw Finding("catalogue.conflict", "\(productID) has another \(what) than it had before")
        }
        return known
    }
}
