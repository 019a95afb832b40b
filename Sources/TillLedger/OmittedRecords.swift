/// Events and responses that are missing from figures of a report.
public struct OmittedRecords: Sendable {
    /// Without a time: they are in no hour and in no period.
    public package(set) var undated = 0
    /// Events of environments that do not count.
    public package(set) var otherEvents = 0
    /// Responses of environments that do not count.
    public package(set) var otherResponses = 0

    /// All counts, in the order in which a partial has them.
    package static let all: [WritableKeyPath<OmittedRecords, Int> & Sendable] = [
        \.undated, \.otherEvents, \.otherResponses,
    ]

    /// Adds the counts of other records.
    mutating func add(_ other: OmittedRecords) {
        for count in Self.all { self[keyPath: count] += other[keyPath: count] }
    }
}
