import TillCore
import TillPricing
import TillReportModel

/// The sum of all rows of a currency.
struct ReconciliationTotal: Sendable {
    /// `nil` if reports of one kind only were read.
    let kind: AppleReport.Kind?
    let currency: CurrencyCode?
    /// Our amounts are those of the sales with a price; `nil` if none has one.
    private(set) var measures = ReconciliationMeasures(gross: nil, refunds: nil)
    /// Whether each sale of ours has a price.
    private(set) var isKnown = true

    static func columns(byKind: Bool) -> [ReportColumn<ReconciliationTotal>] {
        var keys = [
            ReportColumn<ReconciliationTotal>("currency", "Currency", isKey: true) { .text($0.currency?.description) }
        ]
        if byKind { keys.insert(ReportColumn("kind", "Report", isKey: true) { .kind($0.kind) }, at: 0) }
        return keys + ReconciliationMeasures.columns(ofTotals: true, { $0.measures }, currency: { $0.currency })
    }

    private mutating func add(_ row: ReconciliationMeasures) {
        measures.add(row)
        if row.gross == nil || row.refunds == nil { isKnown = false }
    }

    /// Sorted by report and currency.
    static func totals(of rows: [ReconciliationRow], byKind: Bool) -> [ReconciliationTotal] {
        var totals: [[String?]: ReconciliationTotal] = [:]
        for row in rows {
            let kind = byKind ? row.period.kind : nil
            let key = [kind?.rawValue, row.currency?.description]
            totals[key, default: ReconciliationTotal(kind: kind, currency: row.currency)].add(row.measures)
        }
        return totals.sorted { left, right in
            for (mine, other) in zip(left.key, right.key) where mine != other { return Order.precedes(mine, other) }
            return false
        }.map(\.value)
    }
}

extension Cell {
    /// The kind of a report; absent for reports of one kind only.
    fileprivate static func kind(_ kind: AppleReport.Kind?) -> Cell {
        kind.map { .word($0.rawValue, $0.title) } ?? .absent
    }
}

extension ReconciliationMeasures {
    /// Adds a row; unknown amounts add nothing.
    fileprivate mutating func add(_ other: Self) {
        units += other.units
        appleUnits += other.appleUnits
        refundedUnits += other.refundedUnits
        appleRefundedUnits += other.appleRefundedUnits
        if let more = other.gross { gross = (gross ?? 0) + more }
        appleGross += other.appleGross
        if let more = other.refunds { refunds = (refunds ?? 0) + more }
        appleRefunds += other.appleRefunds
        proceeds = proceeds + other.proceeds
    }
}

/// The rows of one cause and currency.
struct ReconciliationCauseSum: Sendable {
    let kind: AppleReport.Kind?
    let cause: ReconciliationCause
    let currency: CurrencyCode?
    var rows = 0
    /// The difference of units.
    var units: Int64 = 0
    /// The difference of gross; `nil` if no row of it has one.
    var gross: Int128?
    /// The difference of refunds; `nil` if no row of it has one.
    var refunds: Int128?

    static func columns(byKind: Bool, isForPeople: Bool) -> [ReportColumn<ReconciliationCauseSum>] {
        var columns = [
            ReportColumn<ReconciliationCauseSum>("cause", "Cause", isKey: true) {
                .text(isForPeople ? $0.cause.title : $0.cause.rawValue)
            },
            ReportColumn("rows", "Rows") { .count($0.rows) }.additive,
            ReportColumn("units", "Units") { .count($0.units) }.additive,
            ReportColumn("currency", "Currency") { .text($0.currency?.description) },
            ReportColumn("gross", isForPeople ? "Difference" : "Gross ±") { sum in
                sum.gross.map { .money($0, sum.currency) } ?? .absent
            }.additive,
        ]
        if byKind { columns.insert(ReportColumn("kind", "Report", isKey: true) { .kind($0.kind) }, at: 0) }
        guard isForPeople else { return columns }
        return columns + [
            ReportColumn("refunds", "Of refunds") { sum in
                sum.refunds.map { .money($0, sum.currency) } ?? .absent
            }.additive,
            ReportColumn("meaning", "Usually") { .text($0.cause.meaning) },
        ]
    }

    /// Sorted by report, cause and currency.
    static func sums(of rows: [ReconciliationRow], byKind: Bool) -> [ReconciliationCauseSum] {
        var sums: [[String?]: ReconciliationCauseSum] = [:]
        for row in rows {
            let kind = byKind ? row.period.kind : nil
            let key = [kind?.rawValue, row.cause.rawValue, row.currency?.description]
            var sum = sums[key] ?? ReconciliationCauseSum(kind: kind, cause: row.cause, currency: row.currency)
            sum.rows += 1
            sum.units += row.measures.unitsDifference
            if let gross = row.measures.grossDifference { sum.gross = (sum.gross ?? 0) + gross }
            if let refunds = row.measures.refundsDifference { sum.refunds = (sum.refunds ?? 0) + refunds }
            sums[key] = sum
        }
        return sums.sorted { left, right in
            for (mine, other) in zip(left.key, right.key) where mine != other { return Order.precedes(mine, other) }
            return false
        }.map(\.value)
    }
}
