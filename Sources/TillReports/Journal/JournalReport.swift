import TillCore
public import TillLedger
import TillPricing
import TillReportModel

/// Double entries of each month and currency, from the figures of the reports revenue and deferred.
///
///     billed       receivable        +billed          deferred revenue  −billed
///     earned       deferred revenue  +earned+refunds  revenue           −(earned+refunds)
///     refunds      refunds           +refunds         receivable        −refunds
///     commission   commission        +commission      receivable        −commission       an estimate
///     tax          tax               +tax             receivable        −tax              an estimate
///
/// So the movement of the deferred revenue is that of the deferred report, revenue less refunds equals its earned
/// revenue, and the movement of the receivable is the net of the revenue report less tax and commission: its estimated
/// proceeds.
public struct JournalReport: Report {
    public static let name = "journal"
    public static let title = "Journal"
    public static let needs: LedgerNeeds = .dataEnd
    public static let summary = "Double entries of each month and currency, for -t ledger or a spreadsheet"
    /// The journal repeats figures of other reports.
    public static let isPartOfAll = false

    private let rules: LedgerRules
    private var revenue: RevenueReport
    private var deferred: DeferredReport

    public init(_ rules: LedgerRules) {
        var plain = rules
        (plain.keys, plain.conversion, plain.comparison) = (nil, nil, nil)
        self.rules = plain
        revenue = RevenueReport(plain, hasTrend: false)
        deferred = DeferredReport(plain)
    }

    public mutating func update(with transaction: SettledTransaction) {
        revenue.update(with: transaction)
        deferred.update(with: transaction)
    }

    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        try revenue.visitSums(&coder)
        try deferred.visitSums(&coder)
    }

    public func finish(_ ledger: borrowing SettledLedger) throws -> Findings {
        let statement = try deferred.statement(ledger)
        let rows = revenue.book.all.named(by: ledger).rounded
        let months = try JournalMonth.months(of: statement, rows, knowsFees: rules.knowsCommission)
        let lines = months.filter { $0.time != nil }.flatMap { $0.lines(statement.calendar, rules.accounts) }
        var time = CoveredTime()
        for line in lines { time.include(line.time) }
        let unit = GroupKey(rules.calendar.kind.period)
        return Findings(
            summary(of: lines, months),
            sections: [
                Section(name: "journal", title: "Entries", columns: Self.columns(unit), rows: Self.postings(of: lines)),
                Self.balances(of: lines),
                Self.undated(of: months),
            ],
            notes: notes(months, unit),
            time: time,
            journal: lines.map(\.entry)
        )
    }

    /// A posting with the entry that it belongs to.
    private struct PostedLine: Sendable {
        let line: JournalLine
        let posting: JournalEntry.Posting

        var debit: Cell { posting.amount.millionths > 0 ? .money(posting.amount) : .absent }
        var credit: Cell {
            guard posting.amount.millionths < 0 else { return .absent }
            return .money(-posting.amount.millionths, posting.amount.currency)
        }
    }

    private static func postings(of lines: [JournalLine]) -> [PostedLine] {
        lines.flatMap { line in line.entry.postings.map { PostedLine(line: line, posting: $0) } }
    }

    private static func columns(_ unit: GroupKey) -> [ReportColumn<PostedLine>] {
        [
            ReportColumn(unit.heading) { .text($0.line.time) },
            ReportColumn(GroupKey.currency.heading) { .text($0.posting.amount.currency.description) },
            ReportColumn("entry", "Entry", isKey: true) { .text($0.line.kind.rawValue) },
            ReportColumn("account", "Account", isKey: true) { .text($0.posting.account) },
            ReportColumn("date", "Date") { .text($0.line.entry.day) },
            ReportColumn("debit", "Debit") { $0.debit },
            ReportColumn("credit", "Credit") { $0.credit },
            ReportColumn("estimated", "Estimated") { .text($0.line.entry.isEstimated ? "yes" : "no") },
        ]
    }

    private struct Balance {
        let account: String
        let currency: CurrencyCode
        var debit: Int128 = 0
        var credit: Int128 = 0
    }

    private static func balances(of lines: [JournalLine]) -> Section {
        var balances: [String: [CurrencyCode: Balance]] = [:]
        for posting in lines.flatMap(\.entry.postings) {
            let (account, currency, amount) = (posting.account, posting.amount.currency, posting.amount.millionths)
            var balance = balances[account]?[currency] ?? Balance(account: account, currency: currency)
            if amount > 0 { balance.debit += amount } else { balance.credit -= amount }
            balances[account, default: [:]][currency] = balance
        }
        let sorted = balances.values.flatMap(\.values).sorted { left, right in
            if left.account != right.account { return Order.precedes(left.account, right.account) }
            return left.currency < right.currency
        }
        return Section(
            name: "balances",
            title: "Movement of each account",
            columns: [
                ReportColumn("account", "Account", isKey: true) { .text($0.account) },
                ReportColumn(GroupKey.currency.heading) { .text($0.currency.description) },
                ReportColumn("debit", "Debit") { .money($0.debit, $0.currency) },
                ReportColumn("credit", "Credit") { .money($0.credit, $0.currency) },
                ReportColumn("balance", "Balance") { .money($0.debit - $0.credit, $0.currency) },
            ],
            rows: sorted
        )
    }

    /// Amounts without a date, which have no entry.
    private static func undated(of months: [JournalMonth]) -> Section {
        Section(
            name: "undated",
            title: "Without a date",
            columns: [
                ReportColumn(GroupKey.currency.heading) { .text($0.currency.description) },
                ReportColumn("billed", "Billed") { .money($0.figures.billed, $0.currency) },
                ReportColumn("refunds", "Refunds") { .money($0.figures.refunds, $0.currency) },
                ReportColumn("earned", "Earned") { .money($0.figures.earned, $0.currency) },
            ],
            rows: months.filter { $0.time == nil }
        )
    }

    private func summary(of lines: [JournalLine], _ months: [JournalMonth]) -> Summary {
        let units = Set(lines.map(\.time)).count
        let unit = rules.calendar.kind.period.rawValue + (units == 1 ? "" : "s")
        let estimated = lines.count { $0.kind.isEstimated }
        let undated = months.count { $0.time == nil }
        var statements = [
            Statement(
                "\(.count(lines.count)) \(lines.count == 1 ? "entry" : "entries") of \(.count(units)) \(unit), \(.count(estimated)) estimated"
            )
        ]
        if undated > 0 {
            statements.append(Statement("Sales without a date have no entry: see Without a date", tone: .warning))
        }
        var summary = Summary(
            span: revenue.bookings.span,
            facts: [
                Fact("entries", "Entries", .count(lines.count)),
                Fact("estimated_entries", "Estimated entries", .count(estimated)),
            ],
            statements: lines.isEmpty ? [Statement("No entries.")] : statements,
            exceptions: [
                .unpriced: Int(deferred.unpricedUnits), .untaxed: revenue.gaps.untaxedBookings,
            ]
        )
        summary.tellsDataEnd = true
        return summary
    }

    private func notes(_ months: [JournalMonth], _ unit: GroupKey) -> [String] {
        var notes = [
            "Billed and refunds are gross and refunds of the revenue report; deferred revenue moves as in the deferred "
                + "report. Revenue is credited with earned + refunds, so that revenue less refunds equals the earned "
                + "revenue of that report. "
                + "Entries are dated on the last day of their \(unit.rawValue)."
        ]
        if rules.knowsCommission {
            notes.append(
                "Commission and tax are estimates from the price list, --tax and --commission; Apple's financial report "
                    + "has the amounts that Apple pays."
            )
        } else {
            notes.append(
                "There are no entries of commission and tax: --commission, or a price list's column, estimates them."
            )
        }
        let unknown = months.filter { $0.estimate == nil }
        if rules.knowsCommission, !unknown.isEmpty {
            let names = unknown.map { "\($0.time ?? "unknown") \($0.currency)" }.joined(separator: ", ")
            notes.append(
                "The tax or the commission of some sales is not known, so there are no entries of commission and tax for "
                    + "\(names)."
            )
        }
        if months.contains(where: { $0.time == nil }) {
            notes.append("Sales without a date have no entries; the table 'Without a date' lists their amounts.")
        }
        return notes
    }
}
