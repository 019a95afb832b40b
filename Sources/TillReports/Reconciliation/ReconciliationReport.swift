import TillCore
public import TillLedger
public import TillPricing
public import TillReportModel

/// Our revenue compared with Apple's reports.
///
/// Ours are the rows of ``RevenueReport`` by day; a day counts in the period of the report that covers it, and days
/// that no report covers are not compared.
public struct ReconciliationReport: Sendable {
    /// The name of the command and of the document in JSON, also of Apple's figures alone.
    public static let name = "reconcile"
    /// The heading of the comparison, for people.
    public static let title = "Reconciliation"

    private let apple: AppleFigures
    private let tolerance: ReconciliationTolerance
    private let byStorefront: Bool
    /// The period selected by the user.
    private let asked: Period?

    /// Takes Apple's figures after the last report was added and ``AppleFigures/finish()`` was called.
    ///
    /// - Parameters:
    ///   - tolerance: how much a row may differ.
    ///   - byStorefront: whether rows are grouped by country, if our storefront is known.
    ///   - asked: the period selected by the user.
    public init(_ apple: AppleFigures, tolerance: ReconciliationTolerance, byStorefront: Bool, asked: Period? = nil) {
        self.apple = apple
        self.tolerance = tolerance
        self.byStorefront = byStorefront
        self.asked = asked
    }

    /// The report and whether both sides agree within the tolerance.
    public struct Outcome {
        /// The whole report, with the sections about the input and the settings.
        public let document: ReportDocument
        /// Whether all compared figures agree. `false` if no day can be compared, or none of the reports about
        /// subscriptions.
        public let agrees: Bool
    }

    /// The rules for our figures: the user's rules, by day, in the period of the reports.
    public func rules(_ rules: LedgerRules) -> LedgerRules {
        var rules = rules
        rules.keys = Reconciliation.keys(byStorefront: byStorefront)
        rules.period = apple.period(in: rules.calendar)
        return rules
    }

    /// Counts our side and compares.
    ///
    /// - Parameters:
    ///   - ledger: settled by ``rules(_:)``.
    ///   - isForPeople: whether people read the tables; those with differences then come first. Programs get the
    ///     sections of the JSON contract, in its order.
    public func outcome(
        of ledger: borrowing SettledLedger,
        input: InputSummary,
        isForPeople: Bool
    ) throws -> Outcome {
        var revenue = RevenueReport(ledger.rules, hasTrend: false)
        var subscriptions = apple.subscriptions.isEmpty ? nil : OurSubscriptions(ledger.rules.calendar)
        var sales = SaleCounts()
        var coverageCounts = CoverageCounts()
        let hasSales = apple.hasSales
        try ledger.forEachPartition { part in
            coverageCounts = try part.forEachBatch(after: coverageCounts) { transactions in
                sales.count(transactions)
                if hasSales { revenue.update(with: transactions) }
                subscriptions?.update(with: transactions)
            }
            try subscriptions?.finishPart(part)
        }
        subscriptions?.finish(ledger)
        let compared = subscriptions.map { SubscriptionReconciliation($0, apple.subscriptions, apple.productIDs) }
        let reconciliation = Reconciliation(
            revenue.book.all.named(by: ledger),
            apple,
            byStorefront: byStorefront
        )
        let rows = reconciliation.rows
        let differing = rows.filter { !tolerance.allows($0.measures) }
        let preamble = [input.section(of: ledger), settings(of: ledger)] + input.trustSection(of: ledger)
        let summary = ReconciliationSummary(
            rows,
            compared,
            differing: differing.count,
            tolerance: tolerance,
            hasSales: apple.hasSales
        )
        let months = Set(rows.map(\.period.name) + (compared?.rows ?? []).map(\.month.name))
        let days = rows.map(\.period.days) + (compared?.rows ?? []).map(\.month.days)
        let period = asked ?? Self.period(of: days, in: ledger.rules.calendar)
        let answer = summary.section(of: apple, months: months, period, ledger.rules)
        var time = CoveredTime()
        for row in rows { time.include(row.period.name) }
        for row in compared?.rows ?? [] { time.include(row.month.name) }
        let sections = sections(rows, compared, answer, isForPeople: isForPeople)
        var document = ReportDocument(
            name: Self.name,
            title: Self.title,
            period: time.period,
            sections: preamble
                + sections
                + [input.coverage(of: ledger, coverageCounts, sales, otherEnvironment: coverageCounts.notCounted)],
            notes: notes(ledger.rules, mixedProceeds: reconciliation.mixedProceeds) + apple.notes
                + (compared?.notes ?? []) + apple.subscriptions.notes,
            clock: ledger.rules.calendar.clock
        )
        document.productNames = ledger.rules.productNames.byProductID
        document.closing = { Self.closing(sections) }
        return Outcome(document: document, agrees: summary.agrees)
    }

    /// The time from the first of some days to the last.
    private static func period(of spans: [ClosedRange<Int>], in calendar: BookingCalendar) -> Period? {
        guard let first = spans.map(\.lowerBound).min(), let last = spans.map(\.upperBound).max() else { return nil }
        return Period(
            from: calendar.start(of: Int64(first), by: .day),
            until: calendar.start(of: Int64(last) + 1, by: .day)
        )
    }

    /// The settings of the ledger, with the selected period in place of all days of the reports.
    private func settings(of ledger: borrowing SettledLedger) -> Section {
        var section = Preamble.settings(of: ledger)
        guard case .record(let cells) = section.content else { return section }
        let own = ["by", "calendar", "period", "since", "until"]
        let kept = section.columns.indices.filter { !own.contains(section.columns[$0].name) }
        var facts = kept.map { index in
            let column = section.columns[index]
            return Fact(column.name, column.title, cells[index], isForPrograms: column.isForPrograms)
        }
        if let name = asked?.name { facts.append(Fact("period", "Period", .text(name))) }
        if let from = asked?.from { facts.append(Fact("since", "From", .instant(from))) }
        if let until = asked?.until { facts.append(Fact("until", "To before", .instant(until))) }
        if byStorefront { facts.append(Fact("by", "Rows by", .list([GroupKey.storefront.rawValue]))) }
        facts.append(Fact("tolerance", "Tolerance", .text(tolerance.description)))
        section = Section(name: section.name, title: section.title, facts: facts, role: section.role)
        return section
    }

    private func sections(
        _ rows: [ReconciliationRow],
        _ subscriptions: SubscriptionReconciliation?,
        _ summary: Section,
        isForPeople: Bool
    ) -> [Section] {
        let others = subscriptions?.sections(tolerance, isForPeople: isForPeople) ?? []
        let files = [apple.fileSection] + apple.straySection
        if isForPeople, !apple.hasSales { return [summary] + others + files }
        let byKind = apple.kinds.count > 1
        let columns = ReconciliationRow.columns(byStorefront: byStorefront)
        let causes = Section(
            name: "causes",
            title: "Causes",
            columns: ReconciliationCauseSum.columns(byKind: byKind, isForPeople: isForPeople),
            rows: ReconciliationCauseSum.sums(of: rows, byKind: byKind)
                .filter { !isForPeople || $0.cause != .equal }
        )
        .totalled()
        let totals = Section(
            name: "totals",
            title: "Totals",
            columns: ReconciliationTotal.columns(byKind: byKind),
            rows: ReconciliationTotal.totals(of: rows, byKind: byKind),
            // Two kinds of reports contain the same sales.
            charts: byKind ? [] : ReconciliationCharts(rows: rows).charts()
        )
        .totalled(rowCheck: ReconciliationMeasures.grossCheck)
        let all = Section(
            name: "reconciliation",
            title: "By month, product and currency",
            columns: columns,
            rows: rows,
            role: isForPeople ? .detail : .figures
        )
        .called("All rows").totalled()
        guard isForPeople else { return [summary, all, totals, causes] + others + files }
        let differences = Section(
            name: "differences",
            title: "Rows that differ",
            columns: ReconciliationRow.shortColumns(byKind: byKind, byStorefront: byStorefront),
            rows: rows.filter { $0.cause != .equal }
        )
        .totalled()
        return [summary, causes, differences, totals] + others + [all] + files
    }

    /// The sections as the schedules of a close.
    private static func closing(_ sections: [Section]) -> ClosingSchedules {
        let names = ["causes", "differences", "totals"]
        let schedules = names.compactMap { name in
            sections.first { $0.name == name }.map { Schedule(.reconciliation, $0) }
        }
        let measures = [("gross", "Ours"), ("apple_gross", "Apple's"), ("gross_difference", "Difference")]
        let ties = measures.map { measure, title in
            TieOut(
                "\(title): totals and all rows",
                [.init(measure, in: "totals")],
                [.init(measure, in: "reconciliation")],
                isPerCurrency: true
            )
        }
        return ClosingSchedules(schedules, tieOuts: ties)
    }

    /// An explanation of our figure in a difference, with notes about the compared days.
    public func explanation(_ document: ReportDocument) -> ReportDocument {
        var document = document
        document.notes.append("Only our figures, for the days from the first to the last that Apple's reports cover.")
        document.notes += apple.notes
        return document
    }

    private func notes(_ rules: LedgerRules, mixedProceeds: Int) -> [String] {
        guard apple.hasSales else { return [] }
        var notes = [
            "Differences are ours less Apple's. Ours: sales by the day of purchase, refunds by the day of the "
                + "\(rules.refundDating.rawValue), days of \(rules.calendar.zone.name). Proceeds are Apple's."
        ]
        if mixedProceeds > 0 {
            notes.append(
                "Rows that Apple pays in several currencies: \(mixedProceeds). Their proceeds, and those of their totals, "
                    + "are not known."
            )
        }
        return notes
    }
}
