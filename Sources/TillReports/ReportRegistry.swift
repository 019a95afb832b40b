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
        let preamble = [input.section(of: ledger), settings(of: ledger)]
        let documents = reports.map { report in
            let findings = report.finish(ledger)
            return ReportDocument(
                name: type(of: report).name,
                title: type(of: report).title,
                period: Period(of: findings.sections),
                sections: preamble + findings.sections,
                notes: findings.notes
            )
        }
        guard name == everything else { return documents.first }
        return ReportDocument(name: everything, title: "All reports", sections: preamble, children: documents)
    }

    /// The choices by which the numbers were made.
    private static func settings(of ledger: borrowing SettledLedger) -> Section {
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
