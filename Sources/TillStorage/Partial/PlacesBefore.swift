/// The documents and lines of a source before a range. Documents and lines in the range are counted from its start.
public struct PlacesBefore: Sendable, Equatable {
    /// Documents of the source before the range, rejected ones among them.
    public var documents: Int64
    /// Line feeds of the source before the range.
    public var lines: Int64

    /// Nothing, as before a whole source.
    public init() {
        self.init(documents: 0, lines: 0)
    }

    /// Makes the counts without a check; only those of a text are checked.
    public init(documents: Int64, lines: Int64) {
        (self.documents, self.lines) = (documents, lines)
    }

    /// Reads `documents:lines`; `nil` for other texts and for counts that no file has.
    public init?(_ text: some StringProtocol) {
        let counts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) }
        guard counts.count == 2, let documents = counts[0], let lines = counts[1] else { return nil }
        guard (0..<Self.limit).contains(documents), (0..<Self.limit).contains(lines) else { return nil }
        self.init(documents: documents, lines: lines)
    }

    /// Reads `0:0,5000:5001`; `nil` if a place is wrong.
    public static func list(_ text: String) -> [PlacesBefore]? {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let places = parts.compactMap { PlacesBefore($0) }
        return places.count == parts.count ? places : nil
    }

    private static let limit: Int64 = 1 << 53
}
