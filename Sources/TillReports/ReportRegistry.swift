public import TillLedger
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
    /// The transactions are gone through once, however many reports count them.
    public static func document(
        named name: String,
        of ledger: borrowing SettledLedger,
        input: InputSummary
    ) throws(LedgerError) -> ReportDocument? {
        let types = all.filter { $0.name == name || name == everything }
        guard !types.isEmpty else { return nil }
        var reports = types.map { $0.init(ledger.rules) }
        var unpriced = 0
        let census = try ledger.forEachTransaction { transaction in
            if transaction.isSale, transaction.price == nil { unpriced += 1 }
            for index in reports.indices { reports[index].update(with: transaction) }
        }
        let preamble = [input.section(of: ledger), settings(of: ledger)]
        let coverage = input.coverage(of: ledger, census, unpriced: unpriced)
        var documents: [ReportDocument] = []
        for report in reports {
            let findings = try report.finish(ledger)
            documents.append(
                ReportDocument(
                    name: type(of: report).name,
                    title: type(of: report).title,
                    sections: preamble + findings.sections + [coverage],
                    notes: findings.notes
                )
            )
        }
        guard name == everything else { return documents.first }
        return ReportDocument(
            name: everything,
            title: "All reports",
            sections: preamble + [coverage],
            children: documents
        )
    }

    /// The choices by which the numbers were made.
    static func settings(of ledger: borrowing SettledLedger) -> Section {
        Section(
            name: "settings",
            title: "Settings",
            columns: [
                Column("calendar", "Calendar"), Column("tz", "Time zone"), Column("refunds_by", "Refunds by"),
                Column("environment", "Environment"), Column("trust", "Trust"),
            ],
            content: .record([
                .text("gregorian"), .text("UTC"), .text(ledger.rules.refundDating.rawValue),
                .list(ledger.environments.words), .text("off"),
            ])
        )
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

    public init(documents: Int, accepted: Int, rejected: Int, bytes: Int) {
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
    }

    /// What the numbers rest on, and what is in none of them (finance.md §10).
    func coverage(of ledger: borrowing SettledLedger, _ census: TransactionCensus, unpriced: Int) -> Section {
        let facts: [(Column, Int)] = [
            (Column("documents", "Documents"), documents), (Column("accepted", "Accepted"), accepted),
            (Column("rejected", "Rejected"), rejected), (Column("rows", "Rows"), ledger.rowCount),
            (Column("unique_transactions", "Unique"), ledger.uniqueCount),
            (Column("production", "Production"), census.production), (Column("sandbox", "Sandbox"), census.sandbox),
            (Column("xcode", "Xcode"), census.xcode), (Column("local_testing", "Local testing"), census.localTesting),
            (Column("unknown_environment", "Unknown environment"), census.unknownEnvironment),
            (Column("other_environment", "Other environment"), census.otherEnvironment),
            (Column("not_counted", "Not counted"), census.notCounted),
            (Column("family_shared", "Family shared"), census.familyShared), (Column("unpriced", "Unpriced"), unpriced),
            (Column("conflicts", "Conflicts"), census.conflicts),
            (Column("untrusted", "Untrusted rows"), ledger.omitted.untrusted),
            (Column("foreign", "Foreign rows"), ledger.omitted.foreign),
            (Column("withheld", "Withheld rows"), ledger.omitted.withheld),
        ]
        return Section(
            name: "coverage",
            title: "Coverage",
            columns: facts.map(\.0),
            content: .record(facts.map { .count(Int64($0.1)) })
        )
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
