import TillColumns

/// Which environments a report counts.
public struct EnvironmentFilter: Hashable, Sendable {
    /// The word for rows whose environment no document tells.
    public static let unknown = "unknown"

    /// What is booked unless something else is asked for: production, and what is not known to be anything else.
    public static let booked = EnvironmentFilter(["production", unknown])

    /// The words, in the order in which they were given.
    public let words: [String]

    public init(_ words: [String]) {
        self.words = words
    }

    /// The codes of the environments in `texts`, which takes in those it lacks; -1 stands for a row without one.
    func codes(in texts: inout TextDictionary) -> [Int32] {
        words.map { $0 == Self.unknown ? -1 : Int32(texts.code(for: $0)) }
    }
}
