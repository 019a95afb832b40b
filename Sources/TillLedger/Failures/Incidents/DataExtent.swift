import TillColumns
import TillCore
public import TillRows

/// Events and responses by hour, for a run that needs nothing of them but which instant is now.
///
/// The same hours are cells of ``IncidentCells``. It takes some 60 bytes for each hour.
public struct RecordHours: Sendable {
    private var hours: [Int: DataExtent.Hour] = [:]

    public init() {}

    /// Counts the events and the responses of a batch, which must have the senders of its events.
    public mutating func count(_ rows: borrowing RowBatch) {
        var hashes = SourceHashes()
        for row in 0..<rows.events.rowCount {
            guard let at = rows.events[.at, row], IncidentCells.possible.contains(at) else { continue }
            note(at, from: hashes.hash(of: row, rows, at: at))
        }
        for row in 0..<rows.documents.rowCount {
            guard rows.documents.responseStatus(row) != nil, let at = rows.documents[.loggedAt, row],
                IncidentCells.possible.contains(at)
            else { continue }
            note(at, from: hashes.hash(of: at))
        }
    }

    private mutating func note(_ instant: Int64, from source: UInt64) {
        let hour = Timestamp(milliseconds: instant).hour
        hours[hour, default: DataExtent.Hour(hour: hour)].note(instant, from: source)
    }

    /// The instant that counts as now (`docs/rules.md`, Incidents), in milliseconds; `nil` without a record that has a
    /// possible time.
    public var now: Int64? { DataExtent(hours.values.sorted { $0.hour < $1.hour }, given: nil)?.now }
}

/// The time that the data covers: when it begins, and which instant is now.
struct DataExtent {
    /// The first hour that is live.
    let first: Int
    /// In milliseconds.
    let now: Int64
    /// Records after this hour are dated by clocks that are ahead.
    let lastBelieved: Int

    struct Hour {
        let hour: Int
        var records = 0
        var sources: UInt64 = 0
        var newest: Int64 = 0

        mutating func note(_ instant: Int64, from source: UInt64) {
            records += 1
            sources |= 1 << (source & 63)
            newest = max(newest, instant)
        }
    }

    /// - Parameter hours: those with records, in order.
    /// - Returns: `nil` without any.
    init?(_ hours: [Hour], given: Int64?) {
        guard let oldest = hours.first, let last = hours.last else { return nil }
        let usual = hours.map(\.records).sorted()[hours.count / 2]
        let few = usual >= 20 ? 3 : 2
        let live = hours.filter { $0.sources.nonzeroBitCount >= few && $0.records * 50 >= usual }
        let all = hours.reduce(0) { $0 + $1.records }
        var start = live.last?.hour ?? (all >= 10 ? Self.middle(of: hours, all) : last.hour)
        let week = hours.reduce(0) { $1.hour > start - 168 && $1.hour <= start ? $0 + $1.records : $0 }
        let span = 10 * min(168, start - oldest.hour + 1)
        let reach = max(3, (span + max(1, week) - 1) / max(1, week))
        // A trickle after an outage moves now; a few clocks that are ahead do not.
        for index in hours.indices where hours[index].hour > start {
            let from = max(start, hours[index].hour - reach)
            var (records, sources) = (0, UInt64(0))
            for near in hours[...index].reversed() {
                if near.hour <= from { break }
                records += near.records
                sources |= near.sources
            }
            if sources.nonzeroBitCount >= few, records * 200 >= usual * (hours[index].hour - from) {
                start = hours[index].hour
            }
        }
        first = (live.first ?? oldest).hour
        guard let given else {
            now = hours.first { $0.hour == start }?.newest ?? last.newest
            lastBelieved = start + reach
            return
        }
        now = given
        lastBelieved = Int(given / Timestamp.millisecondsPerHour)
    }

    /// The hour of the middle record; of two, the later one.
    private static func middle(of hours: [Hour], _ all: Int) -> Int {
        var sum = 0
        for hour in hours {
            sum += hour.records
            if sum > all / 2 { return hour.hour }
        }
        return hours[hours.count - 1].hour
    }
}
