import TillCore

/// The newest document of each UTC day, and the number of documents.
///
/// A document whose clock is ahead must not decide how recent the data are, and the newest purchase, which shows that it
/// is ahead, is known only after the last row.
package struct DocumentDays: Sendable {
    package struct Day: Sendable {
        package var newest: Int64
        package var documents: Int
    }

    /// By day since 1970; no more than ``mostDays``, the earliest ones, once they are settled or written.
    package private(set) var days: [Int64: Day] = [:]
    /// A document later than the newest purchase by more days than this is left out.
    private static let longestLead: Int64 = 366
    private static let mostDays = 65_536

    package init() {}

    /// Notes the time of a document, or of rows of documents that are counted elsewhere.
    package mutating func see(at milliseconds: Int64, documents: Int) {
        let day = milliseconds.dividedFloor(by: Timestamp.millisecondsPerDay)
        var known = days[day] ?? Day(newest: milliseconds, documents: 0)
        known.newest = max(known.newest, milliseconds)
        known.documents += documents
        days[day] = known
        if days.count > 2 * Self.mostDays { limit() }
    }

    package mutating func merge(_ other: DocumentDays) {
        for day in other.days.values { see(at: day.newest, documents: day.documents) }
    }

    private mutating func limit() {
        guard days.count > Self.mostDays else { return }
        for day in days.keys.sorted().dropFirst(Self.mostDays) { days[day] = nil }
    }

    /// The days in order.
    package var sorted: [Day] {
        var limited = self
        limited.limit()
        return limited.days.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The time of the newest document, in milliseconds. Documents dated more than ``longestLead`` days after the newest
    /// purchase are left out. `nil` without other documents.
    package func newest(after purchase: Int64?) -> Int64? {
        let last = purchase.map {
            $0.dividedFloor(by: Timestamp.millisecondsPerDay).addingReportingOverflow(Self.longestLead).partialValue
        }
        return days.filter { $0.key <= last ?? .max }.values.map(\.newest).max()
    }

    /// The number of documents of the days after an instant, at least one for each of these days.
    func count(after milliseconds: Int64) -> Int {
        let day = milliseconds.dividedFloor(by: Timestamp.millisecondsPerDay)
        return days.reduce(0) { $1.key > day ? $0 + max(1, $1.value.documents) : $0 }
    }
}
