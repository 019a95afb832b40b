import TillColumns
import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The rows of the failures report: domains and codes, their hours, and incidents.
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

        var index: Int { Int(row) }
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
    /// Incidents, notices, and which instant is now.
    let found: IncidentFindings
    /// Where now comes from: `data`, `given`, or `clock`.
    private(set) var nowFrom = "data"
    /// Sorted by domain and code, then by the keys in their order.
    private(set) var groups: [GroupRow] = []
    private(set) var rates: FailureRates
    /// The times of the first and of the newest record.
    let span: ClosedRange<Timestamp>?
    /// The time zone by which charts are divided.
    let calendar: BookingCalendar
    private var texts = TextDictionary()

    /// - Parameters:
    ///   - mostExamples: how many examples each row gets.
    ///   - grouping: the keys by which failures are grouped.
    init(_ ledger: borrowing SettledLedger, mostExamples: Int, groupedBy grouping: FailureGrouping? = nil) throws {
        self.init(
            rates: ledger.failureRates,
            span: ledger.recordSpan,
            calendar: ledger.rules.calendar,
            try ledger.findIncidents(now: ledger.rules.now, mostExamples: mostExamples)
        )
        if ledger.rules.now != nil { nowFrom = ledger.rules.isNowClock ? "clock" : "given" }
        try ledger.forEachFailure(mostExamples: mostExamples, groupedBy: grouping) { append($0) }
        sort()
    }

    /// An empty table.
    init(
        rates: FailureRates,
        span: ClosedRange<Timestamp>?,
        calendar: BookingCalendar,
        _ found: IncidentFindings
    ) {
        (self.rates, self.span, self.calendar, self.found) = (rates, span, calendar, found)
        self.rates.lastPurchase = found.lastPurchase
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
        for group in counts.groups { groups.append(GroupRow(row: number, group: group)) }
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
        for index in groups.indices { groups[index].row = places[Int(groups[index].row)] }
        groups.sort {
            $0.row != $1.row ? $0.row < $1.row : FailureGroup.Value.precede($0.group.values, $1.group.values)
        }
        hours.sort { ($0.hour, $0.row) < ($1.hour, $1.row) }
    }

    /// The place of each text among all of them, bytewise.
    private var textRanks: [Int] {
        var ranks = Array(repeating: 0, count: texts.count)
        for (rank, code) in (0..<texts.count).sorted(by: texts.precedes).enumerated() { ranks[code] = rank }
        return ranks
    }

    func domain(of row: Row) -> String? { row.domain < 0 ? nil : texts.text(of: Int(row.domain)) }

    /// The meaning of a code, and advice.
    func entry(of row: Row) -> FailureEntry? { Self.entry(of: key(of: row)) }

    static func entry(of key: FailureKey) -> FailureEntry? {
        key.domain.flatMap { FailureCatalogue.entry(domain: $0, code: key.code) }
    }

    func key(of row: Row) -> FailureKey { FailureKey(domain: domain(of: row), code: row.code) }

    /// What the report says in one word.
    enum Verdict: String {
        case incident
        /// Now is not known.
        case noData = "no_data"
        /// The data spans less than 24 hours.
        case noHistory = "no_history"
        case quiet, ok
    }

    var verdict: Verdict {
        if found.incidents.contains(where: { $0.state == .ongoing }) { return .incident }
        guard found.now != nil else { return .noData }
        if found.hasNoHistory { return .noHistory }
        return found.incidents.contains { $0.state == .quiet } ? .quiet : .ok
    }

    /// The domain of statuses of verifyReceipt.
    static let verificationDomain = "verifyReceipt"

    func failureClass(of row: Row) -> String { texts.text(of: Int(row.failureClass)) }

    /// The class, for programs and for people.
    func classCell(of row: Row) -> Cell {
        .failureClass(failureClass(of: row))
    }

    /// `SKErrorDomain 0`
    func name(of row: Row) -> String { key(of: row).name }

    /// By key: the rows of codes.
    func failureClass(of key: FailureKey) -> String? { rows.first { self.key(of: $0) == key }.map(failureClass) }

    subscript(_ row: Int32) -> Row { rows[Int(row)] }
}

extension FailureGroup.Value {
    /// Whether values come before others of the same keys: units of time in order, texts bytewise, unknown ones last.
    static func precede(_ left: [Self], _ right: [Self]) -> Bool {
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
