public import TillRows

/// The environments that a report counts.
public struct EnvironmentFilter: Hashable, Sendable {
    /// The word for rows without an environment of Apple's.
    public static let unknown = "unknown"

    /// The environments that are booked by default: production and unknown.
    public static let booked = EnvironmentFilter(["production", unknown])

    /// The words, in the order in which they were given.
    public let words: [String]
    /// The words that count, bit by place in ``all``.
    private let mask: UInt8

    /// All words that a filter knows: Apple's environments in the order of their codes, then ``unknown``.
    public static let all = Word.environments.map(\.text) + [unknown]

    /// Takes words of ``all``; any other word counts nothing.
    public init(_ words: [String]) {
        self.words = words
        mask = Self.all.indices.reduce(0) { words.contains(Self.all[$1]) ? $0 | 1 << UInt8($1) : $0 }
    }

    /// Whether rows of an environment count.
    ///
    /// - Parameter cell: the code of its text in a dictionary that begins with ``Word``; `nil` where it is unknown. A
    ///   text that is not Apple's is unknown too.
    public func counts(_ cell: Int64?) -> Bool {
        mask >> UInt8(Word(environment: cell)?.rawValue ?? Word.environments.count) & 1 == 1
    }
}
