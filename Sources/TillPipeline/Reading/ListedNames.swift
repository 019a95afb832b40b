/// The number of things of one kind, and the names of the first of them, for one line on standard error.
public struct ListedNames: Sendable {
    /// How many there are.
    public private(set) var count = 0
    private var first: [String] = []

    /// Names that are listed; the others are only counted.
    private static let most = 5

    mutating func add(_ name: String) {
        count += 1
        if count <= Self.most { first.append(name) }
    }

    mutating func add(_ others: ListedNames) {
        count += others.count
        first = Array((first + others.first).prefix(Self.most))
    }

    /// `a, b and 7 more`.
    var text: String {
        first.joined(separator: ", ") + (count > first.count ? " and \(count - first.count) more" : "")
    }
}
