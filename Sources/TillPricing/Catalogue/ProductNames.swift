/// The names of products for people, beside the ids of the App Store.
///
/// Names come from files and may contain any character, so renderers must escape them like other texts.
public struct ProductNames: Hashable, Sendable {
    /// The most characters (Unicode scalars) of a name; a longer one is cut and ends with `…`.
    public static let longestName = 100

    /// By product id. No two products have the same name, and no name is the id of another product in the table: such
    /// names are followed by the id in brackets.
    public private(set) var byProductID: [String: String] = [:]

    /// Makes a table without names, so that reports show ids alone.
    public init() {}

    /// Makes a table of the names on one line each; a name that is equal to its product id is left out.
    ///
    /// - Parameter names: product ids with their names; if a product has several names, the first one counts.
    public init(_ names: some Sequence<(String, String)>) {
        for (productID, name) in names where byProductID[productID] == nil {
            guard let name = Self.cleaned(name), name != productID else { continue }
            byProductID[productID] = name
        }
        let bearers = byProductID.values.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        byProductID = byProductID.reduce(into: [:]) { names, pair in
            let isClear = bearers[pair.value] == 1 && byProductID[pair.value] == nil
            names[pair.key] = isClear ? pair.value : "\(pair.value) (\(pair.key))"
        }
    }

    /// Whether no product has a name.
    public var isEmpty: Bool { byProductID.isEmpty }

    /// The name; `nil` if no file has one.
    public subscript(productID: String) -> String? { byProductID[productID] }

    /// The name, else the id: for sentences and charts, which have room for only one of them.
    public func text(for productID: String) -> String { byProductID[productID] ?? productID }

    /// The name on one line: each run of white space becomes one blank; `nil` if nothing is left.
    static func cleaned(_ name: String) -> String? {
        let scalars = name.split(whereSeparator: \.isWhitespace).joined(separator: " ").unicodeScalars
        guard !scalars.isEmpty else { return nil }
        guard scalars.count > longestName else { return String(scalars) }
        return String(String.UnicodeScalarView(scalars.prefix(longestName - 1))) + "…"
    }
}
