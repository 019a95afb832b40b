import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The changes in closed months since an earlier report, by group, cause and transaction.
struct Restatement {
    let sections: [Section]
    let notes: [String]
    /// The names of the months, weeks or days that have changed.
    private let times: [String?]

    /// Makes the books of today for the closed time, in a pass of their own.
    init(_ closed: ClosedMonths, _ ledger: borrowing SettledLedger, _ rules: LedgerRules) throws {
        var index = closed.index
        let changes = try Self.changes(closed, ledger, rules, &index)
        let keys = RevenueReport.keys(rules)
        let base = closed.restatesConverted ? rules.conversion?.base : nil
        let rows = RestatementRow.rows(of: changes, index, keys, tellsTransactions: closed.tellsTransactions)
        let openMonth = Self.openMonth(closed.scope, rules)
        var sections = [
            Section(
                name: "restatement",
                title: "Restatements of closed months",
                columns: RestatementRow.columns(keys, base, tellsTransactions: closed.tellsTransactions)
                    + [ReportColumn("booked_in", "Booked in", texts: .dates) { _ in .text(openMonth) }],
                rows: rows
            )
            .called("Restatements").totalled(),
            Section(
                name: "restatement_totals",
                title: "Restatements by currency and cause",
                columns: RestatementRow.columns([.currency], base, tellsTransactions: closed.tellsTransactions),
                rows: RestatementRow.totals(of: rows)
            )
            .called("Restated by cause").totalled(),
        ]
        if closed.tellsTransactions { sections.append(RestatedTransaction.section(of: changes, index, keys)) }
        self.sections = sections
        times = keys.timeIndex.map { place in rows.map { $0.names[place] } } ?? []
        let missing = try Self.missing(changes, ledger)
        notes = Self.notes(
            closed,
            rules,
            openMonth: openMonth,
            hasRows: !rows.isEmpty,
            hasRounding: rows.contains { $0.rounding != 0 },
            missing: missing
        )
    }

    func include(in time: inout CoveredTime) {
        for name in times { time.include(name) }
    }

    private static func changes(
        _ closed: ClosedMonths,
        _ ledger: borrowing SettledLedger,
        _ rules: LedgerRules,
        _ index: inout BookingIndex
    ) throws -> ClosedChanges {
        var rules = rules.ofSelectedPeriod
        (rules.closed, rules.comparison, rules.period) = (nil, nil, closed.scope.period)
        if !closed.restatesConverted { rules.conversion = nil }
        func books(_ ledger: borrowing SettledLedger, _ index: inout BookingIndex) throws -> ClosedBooks {
            try ClosedBooks(ledger, by: rules, tellsTransactions: closed.tellsTransactions, &index)
                .limited(to: closed.scope, index)
        }
        let now = try books(ledger, &index)
        var changes = closed.changes
        guard let before = closed.booksAtClose else {
            let cause: RestatementCause = closed.tellsTransactions ? .lateDocument : .notAttributed
            changes.add(cause, [(now, 1), (closed.books, -1)])
            return changes
        }
        rules.refundsEnd = closed.scope.end
        let nowAtClose = try books(ledger, &index)
        changes.add(.lateDocument, [(nowAtClose, 1), (before, -1)])
        // Today's later refunds minus those in the documents of the closed report.
        changes.add(.refundByPurchase, [(now, 1), (nowAtClose, -1), (closed.books, -1), (before, 1)])
        return changes
    }

    /// The number of changed transactions that are in no document of today.
    private static func missing(_ changes: ClosedChanges, _ ledger: borrowing SettledLedger) throws -> Int {
        let changed = changes.transactions.lazy.filter { $0.cause == .lateDocument }.map(\.booking.transaction)
        var missing = Set(changed)
        missing.remove(RevenueBooking.nameless)
        guard !missing.isEmpty else { return 0 }
        try ledger.forEachPartition { part in part.forEachKey { missing.remove($0) } }
        return missing.count
    }

    /// The month in which restatements are booked: the first that is not closed, or a later one that the report shows.
    ///
    /// Where a month is closed up to some day of it, that month is the open one.
    private static func openMonth(_ scope: ClosedScope, _ rules: LedgerRules) -> String? {
        let unit = rules.calendar.kind.period
        return [scope.end, rules.period?.from].compactMap(\.self).max().map { start in
            rules.calendar.name(of: rules.calendar.code(of: start, by: unit), by: unit)
        }
    }

    private static func notes(
        _ closed: ClosedMonths,
        _ rules: LedgerRules,
        openMonth: String?,
        hasRows: Bool,
        hasRounding: Bool,
        missing: Int
    ) -> [String] {
        let part = rules.calendar.kind.period.rawValue
        var notes: [String] = []
        if hasRows {
            notes.append(
                "Restatements are adjustments\(openMonth.map { " in \($0)" } ?? "") of the \(part)s that \(closed.name) closed. "
                    + "Those \(part)s keep their printed figures; with these rows they add up to the figures that a "
                    + "report of them prints today."
            )
        } else {
            notes.append("The \(part)s that \(closed.name) closed have not changed.")
        }
        if hasRounding {
            notes.append(
                "Restated transactions are exact; a row is rounded once, when it is printed. `rounding` is the row's "
                    + "net minus the net of its transactions."
            )
        }
        if !closed.tellsTransactions {
            notes.append(
                "\(closed.name) is a report: it contains no transactions, price lists or rates. Its manifest "
                    + "(--manifest), or a partial of it (--partial), gives the cause of each change."
            )
        }
        if missing > 0 {
            notes.append(
                "Transactions of \(closed.name) that no input of this run mentions: \(missing). They count as changed by "
                    + "documents; name all inputs of the closed \(part)s."
            )
        }
        if rules.knowsCommission { notes.append("Estimates of tax, commission and proceeds are not restated.") }
        if rules.conversion != nil, !closed.restatesConverted {
            notes.append("\(closed.name) does not convert to the same currency, so converted amounts are not restated.")
        }
        return notes + closed.notes
    }
}
