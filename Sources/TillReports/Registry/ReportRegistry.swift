import TillCore
public import TillLedger
import TillPricing
public import TillReportModel
import TillThreads

/// The reports of tillroll. A new one is a line here.
public enum ReportRegistry {
    /// The reports in the order of the help and of the report of all reports.
    public static let all: [any Report.Type] = [
        RevenueReport.self,
        DeferredReport.self,
        RestoresReport.self,
        FailuresReport.self,
        SubscriptionsReport.self,
        AnomaliesReport.self,
        JournalReport.self,
    ]

    /// The name that stands for all of them.
    public static let everything = "all"

    /// The reports that a name stands for; none where there is no such name.
    static func reports(named name: String) -> [any Report.Type] {
        all.filter { $0.name == name || name == everything && $0.isPartOfAll }
    }

    /// All names that a user can ask for.
    public static var names: [String] { all.map { $0.name } + [everything] }

    /// The data that the ledger must keep for the report of a name.
    public static func needs(of name: String) -> LedgerNeeds {
        reports(named: name).reduce([]) { $0.union($1.needs) }
    }

    /// Whether some report of a name counts transactions.
    public static func countsTransactions(_ name: String) -> Bool {
        reports(named: name).contains { $0.countsTransactions }
    }

    /// Whether some report of a name compares its figures with earlier ones.
    public static func comparesEarlierFigures(_ name: String) -> Bool {
        reports(named: name).contains { $0.comparesEarlierFigures }
    }

    /// The reports whose figures can be explained.
    public static var explainedNames: [String] {
        all.filter { $0.explainsFigures }.map { $0.name }
    }

    /// Makes the report of a name; `nil` if there is none.
    ///
    /// All reports count the transactions in one pass. Throws ``Finding`` if the rules have no answer, and the
    /// errors of reading parts of the ledger from disk.
    public static func document(
        named name: String,
        of ledger: borrowing SettledLedger,
        input: InputSummary
    ) throws -> ReportDocument? {
        guard var sums = ReportSums(named: name, ledger.rules) else { return nil }
        try sums.count(ledger)
        return try document(of: sums, ledger, input: input)
    }

    /// Makes the report from sums.
    ///
    /// - Parameter ledger: the ledger whose transactions were summed, or one with the same texts and failures.
    public static func document(
        of sums: ReportSums,
        _ ledger: borrowing SettledLedger,
        input: InputSummary
    ) throws -> ReportDocument? {
        // A merge can make one of the reports of a partial, whose ledger knows what the others have asked for.
        let tellsDataEnd = sums.reports.contains { type(of: $0).needs.contains(.dataEnd) }
        let settings = Preamble.settings(of: ledger, tellsDataEnd: tellsDataEnd)
        let preamble = [input.section(of: ledger), settings] + input.trustSection(of: ledger)
        let (reports, omitted) = (sums.reports, ledger.omitted)
        let other = otherRecords(in: reports.map { type(of: $0) }, sums.coverage, omitted)
        let coverage = input.coverage(of: ledger, sums.coverage, sums.sales, otherEnvironment: other)
        let exceptions = ReportException.counts(of: ledger, input, sums)
        let clock = ledger.rules.calendar.clock
        var documents: [ReportDocument] = []
        let allFindings = try concurrentMap(reports.count, width: ledger.jobs) { try reports[$0].finish(ledger) }
        for (report, findings) in zip(reports, allFindings) {
            var exceptions = exceptions
            exceptions[.otherEnvironment] = otherRecords(in: [type(of: report)], sums.coverage, omitted)
            let summary = findings.summary.section(rules(for: type(of: report), ledger.rules), exceptions)
            var document = ReportDocument(
                name: type(of: report).name,
                title: type(of: report).title,
                version: type(of: report).version,
                period: findings.period,
                sections: preamble + [summary] + findings.sections + [coverage],
                notes: findings.notes + notes(for: type(of: report), of: ledger),
                clock: clock
            )
            document.typedRows = findings.typedRows
            document.journal = findings.journal
            document.productNames = ledger.rules.productNames.byProductID
            document.furtherFlags = findings.furtherFlags
            document.closing = findings.closing
            documents.append(document)
        }
        guard sums.name == everything else { return documents.first }
        var document = ReportDocument(
            name: everything,
            title: "All reports",
            sections: preamble + [coverage],
            children: documents,
            clock: clock
        )
        document.closing = { ClosingSchedules(tieOuts: DeferredReport.tieOutsWithRevenue) }
        return document
    }

    /// The keys by which a report can group its rows; of the report of all reports, those that some report knows.
    public static func keys(of name: String) -> [GroupKey] {
        let known = reports(named: name).flatMap { $0.groupKeys }
        return GroupKey.allCases.filter(known.contains)
    }

    /// The keys by which a report cannot group its rows; of the report of all reports, those that no report knows.
    public static func unknownKeys(among keys: [GroupKey], of name: String) -> [GroupKey] {
        let known = self.keys(of: name)
        return keys.filter { !known.contains($0) }
    }

    /// The rules for one report. Among all reports, one that cannot group by the wanted keys uses its usual keys, and one
    /// that does not ask how recent the sales are counts the whole period.
    static func rules(for report: any Report.Type, _ rules: LedgerRules) -> LedgerRules {
        var rules = report.needs.contains(.dataEnd) ? rules : rules.ofSelectedPeriod
        if !unknownKeys(among: rules.keys ?? [], of: report.name).isEmpty { rules.keys = nil }
        return rules
    }

    /// How many records of other environments reports leave out, of the kinds that they count.
    private static func otherRecords(
        in reports: [any Report.Type],
        _ coverage: CoverageCounts,
        _ omitted: OmittedRecords
    ) -> Int {
        let needs = reports.reduce(LedgerNeeds()) { $0.union($1.needs) }
        return (reports.contains { $0.countsTransactions } ? coverage.notCounted : 0)
            + (needs.contains(.events) ? omitted.otherEvents : 0)
            + (needs.contains(.verifications) ? omitted.otherResponses : 0)
    }

    private static func notes(for report: any Report.Type, of ledger: borrowing SettledLedger) -> [String] {
        var notes: [String] = []
        let unknown = unknownKeys(among: ledger.rules.keys ?? [], of: report.name)
        if !unknown.isEmpty {
            notes.append(
                "Rows of this report cannot be grouped by \(unknown.map(\.rawValue).joined(separator: ", ")); they "
                    + "have their usual keys."
            )
        }
        return notes
    }
}
