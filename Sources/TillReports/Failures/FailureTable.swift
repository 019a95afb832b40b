import TillColumns
import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The rows of the failures report: domains and codes, their hours and their spikes.
///
/// A log can hold a million codes, so that a code takes some 80 bytes and each of its hours 24.
struct FailureTable: Sendable {
    /// All failures of one domain and code.
    struct Row: Sendable {
        /// An index into the texts of the table, -1 where the domain is not known.
        fileprivate let domain: Int32
        let code: Int64?
        /// An index into the texts of the table.
        fileprivate let failureClass: Int32
        /// Whether the row counts no failures but cancellations, or receipts that are valid but expired (21006).
        let isHarmless: Bool
        let count: Int
        /// How many records could have failed like this; the rate is the share of ``count`` in them.
        let cases: Int
        let first: Timestamp?
        let last: Timestamp?
        let examples: [RecordPlace]
    }

    /// The failures of one domain and code in an hour.
    struct Hour: Sendable {
        /// Hours since 1970, in UTC.
        let hour: Int
        /// An index into ``FailureTable/rows``.
        fileprivate(set) var row: Int32
        let count: Int
    }

    /// An hour in which a domain and code rose.
    struct SpikeRow: Sendable {
        let spike: Spike
        /// An index into ``FailureTable/rows``.
        fileprivate(set) var row: Int32
    }

    /// Spikes of a domain and code that belong together.
    struct IncidentRow: Sendable {
        let incident: Incident
        /// An index into ``FailureTable/rows``.
        fileprivate(set) var row: Int32
    }

    /// The failures of one domain and code with the same values of the requested keys.
    struct GroupRow: Sendable {
        /// An index into ``FailureTable/rows``.
        fileprivate(set) var row: Int32
        let group: FailureGroup
    }

    /// Sorted by domain and code.
    private(set) var rows: [Row] = []
    /// Sorted by hour, then by domain and code.
    private(set) var hours: [Hour] = []
    /// The largest count first; equal ones by hour, domain and code.
    private(set) var spikes: [SpikeRow] = []
    /// The latest beginning first; equal ones by domain and code.
    private(set) var incidents: [IncidentRow] = []
    /// Sorted by domain and code, then by the keys in their order.
    private(set) var groups: [GroupRow] = []
    let rates: FailureRates
    /// The times of the first and of the newest record.
    let span: ClosedRange<Timestamp>?
    /// The time zone by which charts are divided.
    let calendar: BookingCalendar
    private var texts = TextDictionary()

    /// - Parameters:
    ///   - mostExamples: how many examples each row gets.
    ///   - grouping: the keys by which failures are grouped.
    init(_ ledger: borrowing SettledLedger, mostExamples: Int, groupedBy grouping: FailureGrouping? = nil) throws {
        self.init(rates: ledger.failureRates, span: ledger.recordSpan, calendar: ledger.rules.calendar)
        try ledger.forEachFailure(mostExamples: mostExamples, groupedBy: grouping) { append($0) }
        sort()
    }

    /// An empty table.
    init(rates: FailureRates, span: ClosedRange<Timestamp>?, calendar: BookingCalendar) {
        (self.rates, self.span, self.calendar) = (rates, span, calendar)
    }

    mutating func append(_ counts: FailureCounts) {
        let number = Int32(rows.count)
        rows.append(
            Row(
                domain: counts.key.domain.map { Int32(texts.code(for: $0)) } ?? -1,
                code: counts.key.code,
                failureClass: Int32(texts.code(for: counts.failureClass)),
                isHarmless: FailureClass(rawValue: counts.failureClass)?.isHarmless == true,
                count: counts.count,
                cases: rates.cases(for: counts.key, ofClass: counts.failureClass),
                first: counts.first,
                last: counts.last,
                examples: counts.examples
            )
        )
        for (hour, count) in counts.hours { hours.append(Hour(hour: hour, row: number, count: count)) }
        for incident in counts.incidents { incidents.append(IncidentRow(incident: incident, row: number)) }
        for group in counts.groups { groups.append(GroupRow(row: number, group: group)) }
        for spike in counts.spikes { spikes.append(SpikeRow(spike: spike, row: number)) }
    }

    /// Sorts everything, after the last ``append(_:)``.
    mutating func sort() {
        let ranks = textRanks
        // An unknown domain comes last.
        func rank(_ domain: Int32) -> Int { domain < 0 ? .max : ranks[Int(domain)] }
        let order = rows.indices.sorted { left, right in
            let (first, second) = (rows[left], rows[right])
            if first.domain != second.domain { return rank(first.domain) < rank(second.domain) }
            guard let code = first.code else { return false }
            return second.code.map { code < $0 } ?? true
        }
        var places = Array(repeating: Int32(0), count: order.count)
        for (place, number) in order.enumerated() { places[number] = Int32(place) }
        rows = order.map { rows[$0] }
        for index in hours.indices { hours[index].row = places[Int(hours[index].row)] }
        for index in spikes.indices { spikes[index].row = places[Int(spikes[index].row)] }
        for index in incidents.indices { incidents[index].row = places[Int(incidents[index].row)] }
        for index in groups.indices { groups[index].row = places[Int(groups[index].row)] }
        groups.sort {
            $0.row != $1.row ? $0.row < $1.row : FailureGroup.Value.precede($0.group.values, $1.group.values)
        }
        incidents.sort { left, right in
            let (first, second) = (left.incident.hours.lowerBound, right.incident.hours.lowerBound)
            return first != second ? first > second : left.row < right.row
        }
        hours.sort { ($0.hour, $0.row) < ($1.hour, $1.row) }
        spikes.sort { left, right in
            let (first, second) = (left.spike, right.spike)
            if first.count != second.count { return first.count > second.count }
            return first.hour != second.hour ? first.hour < second.hour : first.key < second.key
        }
    }

    /// The place of each text among all of them, bytewise.
    private var textRanks: [Int] {
        var ranks = Array(repeating: 0, count: texts.count)
        for (rank, code) in (0..<texts.count).sorted(by: texts.precedes).enumerated() { ranks[code] = rank }
        return ranks
    }

    func domain(of row: Row) -> String? { row.domain < 0 ? nil : texts.text(of: Int(row.domain)) }

    /// The meaning of a code, and advice.
    func entry(of row: Row) -> FailureEntry? {
        domain(of: row).flatMap { FailureCatalogue.entry(domain: $0, code: row.code) }
    }

    /// The domain of statuses of verifyReceipt.
    static let verificationDomain = "verifyReceipt"

    func failureClass(of row: Row) -> String { texts.text(of: Int(row.failureClass)) }

    /// The class, for programs and for people.
    func classCell(of row: Row) -> Cell {
        .failureClass(failureClass(of: row))
    }

    /// `SKErrorDomain 0`
    func name(of row: Row) -> String {
        (domain(of: row) ?? "unknown domain") + " " + (row.code.map { String($0) } ?? "without a code")
    }

    subscript(_ row: Int32) -> Row { rows[Int(row)] }
}

extension FailureGroup.Value {
    /// Whether values come before others of the same keys: units of time in order, texts bytewise, unknown ones last.
    fileprivate static func precede(_ left: [Self], _ right: [Self]) -> Bool {
        for (value, other) in zip(left, right) where value != other {
            switch (value, other) {
            case (.time(let code), .time(let otherCode)): return code < otherCode
            case (.text(let text), .text(let otherText)): return Order.precedes(text, otherText)
            case (.unknown, _): return false
            case (_, .unknown), (.time, _), (.text, _): return true
            }
        }
        return false
    }
}

extension Cell {
    /// A class of failures by its code; people read it in words.
    static func failureClass(_ code: String) -> Cell { .word(code, FailureClass(rawValue: code)?.words ?? code) }
}
