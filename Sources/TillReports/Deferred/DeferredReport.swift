import TillCore
public import TillLedger
import TillPricing
import TillReportModel

/// Deferred revenue: billed, refunded and earned amounts and the balance by month, product and currency, and the
/// schedule of the balance.
///
/// Billed and refunds are the gross and the refunds of the revenue report. A subscription is earned day by day over its
/// service, anything else on the day of purchase (`docs/rules.md`, Deferred and earned revenue).
public struct DeferredReport: Report {
    public static let name = "deferred"
    public static let title = "Deferred revenue"
    public static let needs: LedgerNeeds = .dataEnd
    public static let summary = "Billed, earned and deferred revenue by month, product and currency"
    /// Without the day and the hour: a balance belongs to the end of a month or week.
    public static let groupKeys: [GroupKey] = [
        .month, .week, .productID, .productType, .saleKind, .storefront, .bundleID, .appVersion, .environment,
        .currency,
    ]
    public static let explainsFigures = true

    private let rules: LedgerRules
    private let keys: [GroupKey]
    private var table: DeferralTable
    private(set) var unpricedUnits: Int64 = 0
    private var undated = 0

    public init(_ rules: LedgerRules) {
        self.rules = rules
        keys = Self.keys(rules)
        table = Self.table(rules)
    }

    /// The sums of the rows, or of the last balance alone.
    static func table(_ rules: LedgerRules, isBalanceAlone: Bool = false) -> DeferralTable {
        let keys = keys(rules)
        let unit = keys.compactMap(\.unit).first ?? rules.calendar.kind.period
        return DeferralTable(rules, by: keys.filter { $0.unit == nil }, unit: unit, isBalanceAlone: isBalanceAlone)
    }

    /// The keys of the rows: those of the rules, with one unit of time, the shorter one of several, and the currency.
    static func keys(_ rules: LedgerRules) -> [GroupKey] {
        let period = GroupKey(rules.calendar.kind.period)
        guard var keys = rules.keys, !keys.isEmpty else { return [period, .productID, .currency] }
        if keys.contains(.week) { keys.removeAll { $0 == .month } }
        if keys.timeIndex == nil { keys.insert(period, at: 0) }
        return keys.contains(.currency) ? keys : keys + [.currency]
    }

    public mutating func update(with transaction: SettledTransaction) {
        guard transaction.isSale else { return }
        if transaction.price == nil, rules.includesPurchase(of: transaction) { unpricedUnits += transaction.units }
        if transaction.purchaseDate == nil { undated += 1 }
        table.add(transaction)
    }

    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        try table.visitSums(&coder)
        try coder.add(&unpricedUnits)
        try coder.add(&undated)
    }

    public func finish(_ ledger: borrowing SettledLedger) throws -> Findings {
        let statement = try statement(ledger)
        var time = CoveredTime()
        for row in statement.rows { time.include(row.time) }
        let summary = DeferredSummary(
            statement: statement,
            span: table.bookings.span,
            unpricedUnits: unpricedUnits,
            rules: rules
        )
        let sections = sections(of: statement, unit: GroupKey(table.calendar.unit))
        return Findings(
            summary.summary(),
            sections: sections,
            notes: notes(statement),
            time: time,
            closing: { [rules, unit = GroupKey(table.calendar.unit)] in
                DeferredClose(statement: statement, sections: sections, unit: unit, base: rules.conversion?.base)
                    .schedules()
            }
        )
    }

    /// The rows, totals and schedule, after the last part of the ledger.
    func statement(_ ledger: borrowing SettledLedger) throws(Finding) -> DeferralStatement {
        var table = table
        try table.finish()
        return try DeferralStatement(table, by: keys, rules, ledger)
    }

    private func sections(of statement: DeferralStatement, unit: GroupKey) -> [Section] {
        let base = rules.conversion?.base
        let charts = DeferredCharts(keys: keys, unit: unit, base: base)
        let isOneUnit = statement.balancesAddUp
        let columns = DeferredRow.columns(base: base, balancesAddUp: isOneUnit)
        let time = ReportColumn<DeferredRow>(unit.heading) { .text($0.time) }
        let currency = ReportColumn<DeferredRow>(GroupKey.currency.heading) { .text($0.currency?.description) }
        let (rows, schedule) = (statement.rows, statement.schedule)
        var sections = [
            Section(
                name: "deferred",
                title: "By " + keys.titleList,
                columns: keyColumns + columns,
                rows: rows,
                // People begin with the totals, unless they have asked for other rows.
                role: rules.hasDefaultKeys ? .detail : .figures,
                charts: charts.balances(of: rows)
            )
            .called("All rows").totalled(rowCheck: DeferredRow.balanceCheck),
            Section(
                name: "totals",
                title: "Totals by \(unit.title.lowercased()) and currency",
                columns: [time, currency] + columns,
                rows: statement.totals
            )
            .called("Totals").totalled(rowCheck: DeferredRow.balanceCheck),
            Section(
                name: "schedule",
                title: "When the closing balance is earned",
                columns: scheduleColumns(unit),
                rows: schedule,
                charts: charts.schedule(of: schedule)
            )
            .called("Schedule").totalled(),
        ]
        guard let base, let rates = statement.rates else { return sections }
        sections += [
            Section(
                name: "converted",
                title: "Converted to \(base)",
                columns: [time, currency] + DeferredRow.baseColumns(base, balancesAddUp: isOneUnit),
                rows: statement.convertedTotals
            )
            .called("Converted").totalled(rowCheck: DeferredRow.balanceCheck),
            unconverted(rates),
        ]
        return sections
    }

    /// The columns of the keys, of which the unit of time is not one of the group.
    private var keyColumns: [ReportColumn<DeferredRow>] {
        let others = keys.filter { $0.unit == nil }
        return keys.map { key in
            guard key.unit == nil, let index = others.firstIndex(of: key) else {
                return ReportColumn(key.heading) { .text($0.time) }
            }
            return ReportColumn(key.heading) { $0.group.cell(at: index, by: key) }
        }
    }

    private func scheduleColumns(_ unit: GroupKey) -> [ReportColumn<ScheduledRow>] {
        var columns: [ReportColumn<ScheduledRow>] = [
            ReportColumn(GroupKey.currency.heading) { .text($0.currency.description) },
            ReportColumn(unit.heading) { .text($0.time) },
            ReportColumn("earned", "Earned") { .money($0.earned, $0.currency) }.additive,
        ]
        if let base = rules.conversion?.base {
            columns.append(
                ReportColumn("converted_earned", "Earned (\(base))") { row in
                    row.converted.map { .money($0, base) } ?? .absent
                }.additive
            )
        }
        return columns
    }

    private func unconverted(_ rates: DeferralRates) -> Section {
        Section(
            name: "unconverted",
            title: "Without a rate",
            columns: [
                ReportColumn(GroupKey.currency.heading) { .text($0.currency.description) },
                ReportColumn("reason", "Reason") { .text($0.reason.rawValue) },
                ReportColumn("transactions", "Transactions") { .count($0.bookings) },
                ReportColumn("billed", "Billed") { .money($0.billed, $0.currency) },
                ReportColumn("refunds", "Refunds") { .money($0.refunds, $0.currency) },
            ],
            rows: rates.unconverted
        )
        .totalled()
    }

    private func notes(_ statement: DeferralStatement) -> [String] {
        let unit = table.calendar.unit.rawValue
        var notes: [String] = [
            "Closing balance = opening balance + billed - refunds - earned, in every row and total. Billed and refunds are "
                + "gross and refunds of the revenue report.",
            "A subscription is earned over the days from its purchase to the day before its expiry, days in "
                + "\(rules.calendar.zone.name): after k of n days amount × k / n, rounded half-even to the minor unit. "
                + "Anything else is earned on the day of purchase. A refund reduces earned revenue by the part that "
                + "was earned, and the balance by the rest.",
        ]
        if table.withoutExpiry > 0 {
            notes.append(
                "Subscriptions without an expiry: \(table.withoutExpiry). They are earned on the day of purchase."
            )
        }
        if undated > 0, rules.period != nil {
            notes.append("Sales without a date: \(undated). They are in no period and not in this report.")
        }
        if unpricedUnits > 0 {
            notes.append(
                "Units without a known price: \(unpricedUnits). They are in no amount; a price list (--prices) gives them one."
            )
        }
        if statement.schedule.contains(where: { $0.time == nil }) {
            notes.append(
                "The schedule lists \(DeferralTable.scheduleLimit(table.calendar.unit)) \(unit)s. All later amounts "
                    + "are in its row without a \(unit)."
            )
        }
        if let base = statement.rates?.base {
            notes.append(
                "Converted to \(base): billed, refunds and the closing balance of a row are exact amounts rounded once "
                    + "(\(rules.rounding.rawValue)), the balance at the rate of its sale; earned is the remainder, so that each "
                    + "row and total adds up."
            )
        }
        return notes
    }
}
