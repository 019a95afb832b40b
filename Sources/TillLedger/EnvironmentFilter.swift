import TillColumns

/// The environments that a report counts.
public struct EnvironmentFilter: Hashable, Sendable {
    /// The word for rows without an environment.
    public static let unknown = "unknown"

    /// The environments that are booked by default: production and unknown.
    public static let booked = EnvironmentFilter(["production", unknown])

    /// The words, in the order in which they were given.
    public let words: [String]

    /// Takes words of the column `environment`, and ``unknown``; a word that no row has is no error.
    public init(_ words: [String]) {
        self.words = words
    }

    /// The codes of the environments in `texts`; missing words are added. -1 is a row without an environment.
    func codes(in texts: inout TextDictionary) -> [Int32] {
        words.map { $0 == Self.unknown ? -1 : Int32(texts.code(for: $0)) }
    }
}
