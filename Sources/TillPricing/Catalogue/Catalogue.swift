/// What products are, from files that describe them to Apple or to Xcode: types, periods, subscription groups, names.
///
/// A consumable never restores and leaves the denominators; receipts that are JSON do not say which products are.
public struct Catalogue: Sendable {
    /// What is known of one product.
    public struct Entry: Hashable, Sendable {
        public var type: ProductType?
        public var period: BillingPeriod?
        /// The group or family of subscriptions of which a customer has one at a time.
        public var group: String?
        /// What people call it.
        public var name: String?

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

    /// Two files that say different things of one product.
    public struct Conflict: Error, Hashable, Sendable, CustomStringConvertible {
        public let productID: String
        public let what: String

        public var description: String {
            "\(productID) has two different \(what)s (catalogue.conflict)"
        }
    }

    private var entries: [String: Entry] = [:]

    public init() {}

    public subscript(productID: String) -> Entry? { entries[productID] }

    /// All product ids, sorted bytewise.
    public var productIDs: [String] {
        entries.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Adds what a file says; what two files say of one product must be the same.
    public mutating func add(_ entry: Entry, for productID: String) throws(Conflict) {
        var merged = entries[productID] ?? Entry()
        merged.type = try Self.same(merged.type, entry.type, "type", productID)
        merged.period = try Self.same(merged.period, entry.period, "period", productID)
        // Xcode numbers groups and Apple names families: two names of one group are no contradiction.
        merged.group = merged.group ?? entry.group
        // A name decides no figure: the first file counts.
        merged.name = merged.name ?? entry.name
        entries[productID] = merged
    }

    private static func same<Value: Equatable>(
        _ known: Value?,
        _ new: Value?,
        _ what: String,
        _ productID: String
    ) throws(Conflict) -> Value? {
        guard let known, let new else { return known ?? new }
        guard known == new else { throw Conflict(productID: productID, what: what) }
        return known
    }
}
