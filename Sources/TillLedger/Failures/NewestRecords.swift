import TillCore

/// The newest records of one domain and code in each hour, so that an incident can name some.
///
///     hours  [ 13:00 → 13:58 · 13:41 · … | 14:00 → 14:07 ]
///
/// Of each hour the newest ``FailureExamples/limit`` records are kept, and of all hours the newest ``mostHours``. A
/// record that is kept at the end is kept in every part of the input, so the result does not depend on the split of the
/// input.
package struct NewestRecords: Sendable {
    /// Hours with records that are kept for each code: two weeks of hours.
    package static let mostHours = 14 * 24

    package struct Record: Hashable, Sendable {
        package var place: FailureExamples.Place
        /// In milliseconds.
        package let at: Int64

        package init(_ place: FailureExamples.Place, at milliseconds: Int64) {
            (self.place, at) = (place, milliseconds)
        }

        fileprivate func isNewer(than other: Record, among sources: [String]) -> Bool {
            at != other.at ? at > other.at : place.precedes(other.place, among: sources)
        }
    }

    private struct Hour: Sendable {
        let hour: Int
        /// The newest first.
        var records: [Record]

        mutating func note(_ record: Record, among sources: [String]) -> Int {
            let count = records.count
            if count == FailureExamples.limit, !record.isNewer(than: records[count - 1], among: sources) { return 0 }
            // Mostly records come in the order of time.
            var place = 0
            while place < count, records[place].isNewer(than: record, among: sources) { place += 1 }
            guard place == count || record.isNewer(than: records[place], among: sources) else { return 0 }
            if count == FailureExamples.limit { records.removeLast() }
            records.insert(record, at: place)
            return count == FailureExamples.limit ? 0 : 1
        }
    }

    /// The oldest first.
    private var hours: [Hour] = []

    /// The number of records.
    var count: Int { hours.reduce(0) { $0 + $1.records.count } }

    /// Bytes of memory. An array takes 32 besides its elements.
    var footprint: Int {
        hours.reduce(hours.capacity * MemoryLayout<Hour>.stride) {
            $0 + 32 + $1.records.capacity * MemoryLayout<Record>.stride
        }
    }

    /// All records, the newest hour first, and in it the newest record.
    package var all: some Sequence<Record> { hours.reversed().lazy.flatMap(\.records) }

    /// Keeps a record if it is one of the newest of its hour. Of records of one instant, the one with the smallest
    /// place comes first.
    ///
    /// - Returns: by how much the number of records has grown.
    @discardableResult
    mutating func note(_ record: Record, among sources: [String]) -> Int {
        let hour = Timestamp(milliseconds: record.at).hour
        let index =
            hours.last.map { $0.hour < hour } ?? true ? hours.count : hours.partitioningIndex { $0.hour >= hour }
        if index == hours.count || hours[index].hour != hour {
            if index == 0, hours.count == Self.mostHours { return 0 }
            hours.insert(Hour(hour: hour, records: [record]), at: index)
            guard hours.count > Self.mostHours else { return 1 }
            return 1 - hours.removeFirst().records.count
        }
        return hours[index].note(record, among: sources)
    }

    /// The newest records of some hours.
    func newest(_ limit: Int, in range: ClosedRange<Int>) -> [Record] {
        let first = hours.partitioningIndex { $0.hour >= range.lowerBound }
        let end = hours.partitioningIndex { $0.hour > range.upperBound }
        return Array(hours[first..<end].reversed().lazy.flatMap(\.records).prefix(limit))
    }
}
