public import TillLedger
public import TillReportModel

/// Every report that tillroll makes; a new one is a line here.
public enum ReportRegistry {
    public static let all: [any Report.Type] = [
        RevenueReport.self,
        RestoresReport.self,
        FailuresReport.self,
    ]

    /// The name that stands for all of them.
    public static let everything = "all"

    /// All names that can be asked for.
    public static var names: [String] { all.map { $0.name } + [everything] }

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
        try ledger.forEachTransaction { transaction in
            for index in reports.indices { reports[index].update(with: transaction) }
        }
        let preamble = [input.section(of: ledger), settings(of: ledger, input)] + input.trustSection(of: ledger)
        let documents = reports.map { report in
            let findings = report.finish(ledger)
            return ReportDocument(
                name: type(of: report).name,
                title: type(of: report).title,
                sections: preamble + findings.sections,
                notes: findings.notes
            )
        }
        guard name == everything else { return documents.first }
        return ReportDocument(name: everything, title: "All reports", sections: preamble, children: documents)
    }

    /// The choices by which the numbers were made.
    private static func settings(of ledger: borrowing SettledLedger, _ input: InputSummary) -> Section {
        var columns = [
            Column("calendar", "Calendar"), Column("tz", "Time zone"), Column("refunds_by", "Refunds by"),
            Column("environment", "Environment"), Column("trust", "Trust"),
        ]
        var cells: [Cell] = [
            .text("gregorian"), .text("UTC"), .text(ledger.rules.refundDating.rawValue),
            .list(ledger.environments.words), .text(input.trust),
        ]
        if !input.bundleIDs.isEmpty {
            columns.append(Column("bundle_id", "App"))
            cells.append(.list(input.bundleIDs))
        }
        return Section(name: "settings", title: "Settings", columns: columns, content: .record(cells))
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
    /// The word for what was done about signatures.
    public var trust: String
    /// The apps asked for; none means all.
    public var bundleIDs: [String]

    public init(
        documents: Int,
        accepted: Int,
        rejected: Int,
        bytes: Int,
        foreign: Int = 0,
        trust: String = "off",
        bundleIDs: [String] = []
    ) {
        (self.foreign, self.trust, self.bundleIDs) = (foreign, trust, bundleIDs)
        self.documents = documents
        self.accepted = accepted
        self.rejected = rejected
        self.bytes = bytes
    }

    /// What signatures and the choice of apps left out; nothing where neither had anything to decide.
    func trustSection(of ledger: borrowing SettledLedger) -> [Section] {
        let tally = ledger.trust
        guard tally.hasSigned || !bundleIDs.isEmpty else { return [] }
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
