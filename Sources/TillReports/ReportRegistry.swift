import TillCore
public import TillLedger
import TillPricing
public import TillReportModel

/// Every report that tillroll makes; a new one is a line here.
public enum ReportRegistry {
    public static let all: [any Report.Type] = [
        RevenueReport.self,
        RestoresReport.self,
        FailuresReport.self,
        SubscriptionsReport.self,
        AnomaliesReport.self,
    ]

    /// The name that stands for all of them.
    public static let everything = "all"

    /// All names that can be asked for.
    public static var names: [String] { all.map { $0.name } + [everything] }

    /// What the ledger must keep for the report of a name.
    public static func needs(of name: String) -> LedgerNeeds {
        all.filter { $0.name == name || name == everything }.reduce([]) { $0.union($1.needs) }
    }

    /// Makes the report of a name; `nil` where there is none.
    ///
    /// The transactions are gone through once, however many reports count them. Throws ``LedgerError`` where the rules
    /// have no answer, and what the ledger's store throws where parts of it lie there.
    ///
    /// - Parameter jobs: processors that may work on it; more than two are of no use.
    public static func document(
        named name: String,
        of ledger: borrowing SettledLedger,
        input: InputSummary,
        jobs: Int = 1
    ) throws -> ReportDocument? {
        let types = all.filter { $0.name == name || name == everything }
        guard !types.isEmpty else { return nil }
        var reports = types.map { $0.init(rules(for: $0, of: ledger)) }
        var sales = SaleCounts()
        var census = TransactionCensus()
        try ledger.forEachPart { part in
            census = try part.forEachBatch(after: census, ahead: jobs > 1) { transactions in
                sales.count(transactions)
                for index in reports.indices { reports[index].update(with: transactions) }
            }
            for index in reports.indices { try reports[index].finishPart(part) }
        }
        let preamble = [input.section(of: ledger), settings(of: ledger)] + input.trustSection(of: ledger)
        let coverage = input.coverage(of: ledger, census, sales)
        let clock = ledger.rules.calendar.clock
        var documents: [ReportDocument] = []
        for report in reports {
            let findings = try report.finish(ledger)
            documents.append(
                ReportDocument(
                    name: type(of: report).name,
                    title: type(of: report).title,
                    period: ReportPeriod(of: findings.sections),
                    sections: preamble + findings.sections + [coverage],
                    notes: findings.notes + notes(for: type(of: report), of: ledger),
                    clock: clock
                )
            )
        }
        guard name == everything else { return documents.first }
        return ReportDocument(
            name: everything,
            title: "All reports",
            sections: preamble + [coverage],
            children: documents,
            clock: clock
        )
    }

    /// The keys by which the rows of a report cannot be told apart; of all reports, those that none of them knows.
    public static func unknownKeys(among keys: [GroupKey], of name: String) -> [GroupKey] {
        let known = all.filter { $0.name == name || name == everything }.flatMap { $0.groupKeys }
        return keys.filter { !known.contains($0) }
    }

    /// The rules for one report: in a report of all, one whose rows cannot be told apart as was asked keeps its usual
    /// keys.
    private static func rules(for report: any Report.Type, of ledger: borrowing SettledLedger) -> LedgerRules {
        var rules = ledger.rules
        if !unknownKeys(among: rules.keys ?? [], of: report.name).isEmpty { rules.keys = nil }
        return rules
    }

    private static func notes(for report: any Report.Type, of ledger: borrowing SettledLedger) -> [String] {
        var notes: [String] = []
        let unknown = unknownKeys(among: ledger.rules.keys ?? [], of: report.name)
        if !unknown.isEmpty {
            notes.append(
                "Rows are not told apart by \(unknown.map(\.rawValue).joined(separator: ", ")) here, but as they "
                    + "usually are."
            )
        }
        if ledger.rules.period != nil, ledger.undatedEvents > 0, report == FailuresReport.self {
            notes.append("Responses and events without a time: \(ledger.undatedEvents). They are in no period.")
        }
        return notes
    }

    /// The choices by which the numbers were made; those that nobody made are left out, but for the first five.
    static func settings(of ledger: borrowing SettledLedger) -> Section {
        let rules = ledger.rules
        var facts: [(column: Column, cell: Cell)] = [
            (Column("calendar", "Calendar"), .text(rules.calendar.kind.rawValue)),
            (Column("tz", "Time zone"), .text(rules.calendar.zone.name)),
            (Column("refunds_by", "Refunds by"), .text(rules.refundDating.rawValue)),
            (Column("environment", "Environment"), .list(ledger.environments.words)),
            (Column("trust", "Trust"), .text(rules.trust)),
        ]
        if !rules.bundleIDs.isEmpty { facts.append((Column("bundle_id", "App"), .list(rules.bundleIDs))) }
        facts += chosen(rules)
        return Section(
            name: "settings",
            title: "Settings",
            columns: facts.map(\.column),
            content: .record(facts.map(\.cell))
        )
    }

    private static func chosen(_ rules: LedgerRules) -> [(column: Column, cell: Cell)] {
        var facts: [(column: Column, cell: Cell)] = []
        if let period = rules.period {
            if let name = period.name { facts.append((Column("period", "Period"), .text(name))) }
            if let from = period.from { facts.append((Column("since", "Since"), .instant(from))) }
            if let until = period.until { facts.append((Column("until", "Until"), .instant(until))) }
        }
        if let keys = rules.keys { facts.append((Column("by", "By"), .list(keys.map(\.rawValue)))) }
        if let conversion = rules.conversion {
            facts += [
                (Column("base_currency", "Base currency"), .text(conversion.base.description)),
                (Column("fx", "Rates"), .list(conversion.sources)),
                (Column("fx_date", "Rate of"), .text(conversion.dateRule.rawValue)),
                (Column("fx_gap", "Days without a rate"), .text(conversion.gapRule.rawValue)),
                (Column("fx_max_gap", "Days at most"), .count(Int64(conversion.longestGap))),
            ]
            if conversion.hasPegs { facts.append((Column("fx_peg", "Pegs"), .text("AED, SAR and QAR by their pegs"))) }
        }
        if rules.conversion != nil || rules.estimatesProceeds {
            facts.append((Column("rounding", "Rounding"), .text(rules.rounding.rawValue)))
        }
        if rules.estimatesProceeds {
            facts.append((Column("proceeds", "Proceeds"), .text("estimated")))
            if let commission = rules.commission {
                facts.append((Column("commission", "Commission"), .decimal(millionths: commission)))
            }
        }
        if let comparison = rules.comparison {
            let text =
                switch comparison {
                case .month: "month"
                case .year: "year"
                case .report(let report): report.name
                }
            facts.append((Column("compare", "Compared with"), .text(text)))
        }
        return facts
    }
}

/// What was read, counted.
public struct InputSummary: Sendable {
    /// Documents met: those accepted and those rejected.
    public var documents: Int
    public var accepted: Int
    public var rejected: Int
    /// Bytes of the documents and what separates them, decompressed.
    public var bytes: Int
    /// Accepted documents that were left out since they are of other apps than those asked for.
    public var foreign: Int

    public init(documents: Int, accepted: Int, rejected: Int, bytes: Int, foreign: Int = 0) {
        self.foreign = foreign
        self.documents = documents
        self.accepted = accepted
        self.rejected = rejected
        self.bytes = bytes
    }

    /// Adds what was read apart.
    public mutating func add(_ other: InputSummary) {
        documents += other.documents
        accepted += other.accepted
        rejected += other.rejected
        bytes += other.bytes
        foreign += other.foreign
    }

    /// What the numbers rest on, and what is in none of them (finance.md §10).
    func coverage(of ledger: borrowing SettledLedger, _ census: TransactionCensus, _ sales: SaleCounts) -> Section {
        var facts: [(Column, Int)] = [
            (Column("documents", "Documents"), documents), (Column("accepted", "Accepted"), accepted),
            (Column("rejected", "Rejected"), rejected), (Column("rows", "Rows"), ledger.rowCount),
            (Column("unique_transactions", "Unique"), ledger.uniqueCount),
            (Column("production", "Production"), census.production), (Column("sandbox", "Sandbox"), census.sandbox),
            (Column("xcode", "Xcode"), census.xcode), (Column("local_testing", "Local testing"), census.localTesting),
            (Column("unknown_environment", "Unknown environment"), census.unknownEnvironment),
            (Column("other_environment", "Other environment"), census.otherEnvironment),
            (Column("not_counted", "Not counted"), census.notCounted),
            (Column("family_shared", "Family shared"), census.familyShared),
        ]
        facts += sales.facts
        facts += [
            (Column("conflicts", "Conflicts"), census.conflicts),
            (Column("changed_by_unsigned", "Changed by unsigned copies"), census.changedByUnsigned),
            (Column("untrusted", "Untrusted rows"), ledger.trust.untrustedRows),
            (Column("foreign", "Documents of other apps"), foreign),
            (Column("withheld", "Withheld rows"), ledger.withheld),
        ]
        return Section(
            name: "coverage",
            title: "Coverage",
            columns: facts.map(\.0),
            content: .record(facts.map { .count(Int64($0.1)) })
        )
    }

    /// What signatures and the choice of apps left out; nothing where neither had anything to decide.
    func trustSection(of ledger: borrowing SettledLedger) -> [Section] {
        let tally = ledger.trust
        guard tally.hasSigned || !ledger.rules.bundleIDs.isEmpty else { return [] }
        let columns = [
            Column("trusted", "Trusted"), Column("untrusted", "Untrusted"), Column("unanchored", "Unanchored"),
            Column("unsigned", "Unsigned"), Column("untrusted_transactions", "Transactions not booked"),
            Column("foreign", "Of other apps"),
        ]
        let counts = [
            tally.trusted, tally.untrusted, tally.unanchored, tally.unsigned, tally.untrustedRows, foreign,
        ]
        return [
            Section(
                name: "trust",
                title: "Trust",
                columns: columns,
                content: .record(counts.map { .count(Int64($0)) })
            )
        ]
    }

    func section(of ledger: borrowing SettledLedger) -> Section {
        Section(
            name: "input",
            title: "Input",
            columns: [
                Column("documents", "Documents"), Column("accepted", "Accepted"), Column("rejected", "Rejected"),
                Column("bytes", "Bytes"), Column("transactions", "Transactions"),
                Column("unique_transactions", "Unique transactions"),
            ],
            content: .record(
                [documents, accepted, rejected, bytes, ledger.rowCount, ledger.uniqueCount].map { .count(Int64($0)) }
            )
        )
    }
}
