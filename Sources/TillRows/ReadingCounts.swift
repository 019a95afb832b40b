/// Values that differ from their usual form, counted while documents are read.
///
/// They are in no table. Rows that are read back from Parquet have the odd ids that were kept.
public struct ReadingCounts: Hashable, Sendable {
    /// Optional values that were given and could not be read. Their cells are absent.
    public var unread = 0
    /// Ids that are not in the usual form.
    public var oddIDs = 0

    /// Nothing counted.
    @inlinable
    public init() {}

    /// All counts, in the order in which a partial holds them.
    public static var all: [WritableKeyPath<Self, Int> & Sendable] { [\.unread, \.oddIDs] }

    /// Removes what was counted between two states of the counts.
    mutating func remove(_ end: ReadingCounts, since start: ReadingCounts) {
        for count in Self.all { self[keyPath: count] -= end[keyPath: count] - start[keyPath: count] }
    }

    /// Adds the counts of another part of the input.
    public mutating func add(_ other: ReadingCounts) {
        for count in Self.all { self[keyPath: count] += other[keyPath: count] }
    }
}
