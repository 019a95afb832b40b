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

    /// The days of ``usual``, from its first one on; empty before the first document. A day without documents has the
    /// smallest integer as its newest time.
    private var days: [Day] = []
    /// All other days since 1970; no more than ``mostDays``, the earliest ones, once they are settled or written.
    private var others: [Int64: Day] = [:]
    /// 1 January 2008 to 31 December 2039, in days since 1970: nearly all documents, which need no hashing.
    private static let usual: Range<Int64> = 13_879..<25_567
    /// A document later than the newest purchase by more days than this is left out.
    private static let longestLead: Int64 = 366
    private static let mostDays = 65_536

    package init() {}

    /// Notes the time of a document, or of rows of documents that are counted elsewhere.
    package mutating func see(at milliseconds: Int64, documents: Int) {
        let day = milliseconds.dividedFloor(by: Timestamp.millisecondsPerDay)
        guard Self.usual.contains(day) else { return seeOther(day, at: milliseconds, documents: documents) }
        if days.isEmpty { days = Array(repeating: Day(newest: .min, documents: 0), count: Self.usual.count) }
        let place = Int(day - Self.usual.lowerBound)
        days[place].newest = max(days[place].newest, milliseconds)
        days[place].documents += documents
    }

    private mutating func seeOther(_ day: Int64, at milliseconds: Int64, documents: Int) {
        var known = others[day] ?? Day(newest: milliseconds, documents: 0)
        known.newest = max(known.newest, milliseconds)
        known.documents += documents
        others[day] = known
        guard others.count > 2 * Self.mostDays else { return }
        for day in others.keys.sorted().dropFirst(Self.mostDays) { others[day] = nil }
    }

    package mutating func merge(_ other: DocumentDays) {
        for (_, day) in other.all { see(at: day.newest, documents: day.documents) }
    }

    /// Notes the times of a batch.
    mutating func see(_ times: DocumentTimes) {
        for time in times.ofRows { see(at: time, documents: 0) }
        for time in times.ofDocuments { see(at: time, documents: 1) }
    }

    /// The days with documents, in no order.
    private var all: some Sequence<(key: Int64, value: Day)> {
        let usual = days.indices.lazy.filter { days[$0].newest != .min }.map { place in
            (key: Self.usual.lowerBound + Int64(place), value: days[place])
        }
        return Array(usual) + others.map { (key: $0.key, value: $0.value) }
    }

    /// The days in order.
    package var sorted: [Day] { all.sorted { $0.key < $1.key }.prefix(Self.mostDays).map(\.value) }

    /// The time of the newest document, in milliseconds. Documents dated more than ``longestLead`` days after the newest
    /// purchase are left out. `nil` without other documents.
    package func newest(after purchase: Int64?) -> Int64? {
        let last = purchase.map {
            $0.dividedFloor(by: Timestamp.millisecondsPerDay).addingReportingOverflow(Self.longestLead).partialValue
        }
        return all.filter { $0.key <= last ?? .max }.map(\.value.newest).max()
    }

    /// The number of documents of the days after an instant, at least one for each of these days.
    func count(after milliseconds: Int64) -> Int {
        let day = milliseconds.dividedFloor(by: Timestamp.millisecondsPerDay)
        return all.reduce(0) { $1.key > day ? $0 + max(1, $1.value.documents) : $0 }
    }
}

/// The times of the documents of a batch, and of rows whose documents may be counted elsewhere.
struct DocumentTimes: Sendable {
    var ofRows: [Int64] = []
    var ofDocuments: [Int64] = []
}
