import TillCore
public import TillLedger
import TillReportModel

/// What a person should look at before a month is closed: repeated sales, contradicting copies, impossible dates.
public struct AnomaliesReport: Report {
    public static let name = "anomalies"
    public static let title = "Anomalies"
    public static let summary = "Sales booked twice, shared accounts, contradicting copies, impossible dates"
    public static let needs: LedgerNeeds = .anomalies

    private var sales = SaleNotes()
    private var collector = AnomalyCollector()

    public init(_ rules: LedgerRules) {}

    public mutating func update(with transaction: SettledTransaction) {
        sales.note(transaction)
    }

    public mutating func finishPart(_ part: borrowing SettledLedger) throws {
        try collector.collect(part, sales)
        sales = SaleNotes()
    }

    public func finish(_ ledger: borrowing SettledLedger) throws -> Findings {
        let findings = try collector.finish()
        return Findings(
            sections: [Self.anomalies(findings), Self.conflicts(findings), Self.accounts(findings)],
            notes: Self.notes(findings)
        )
    }

    private static func notes(_ findings: AnomalyFindings) -> [String] {
        var notes = [
            "Examples are the first transaction ids; tillroll report revenue --explain transaction_id=… lists the documents "
                + "that mention one.",
            "same_line_item: one charge by its web_order_line_item_id, booked as a sale of several chains. same_charge: one "
                + "chain, sold several times with the same purchase date and expiry under different line items.",
            "Where copies of a transaction differ, the value of a signed copy counts, else the larger one. A purchase may be up to a day older than the "
                + "original purchase that a document tells.",
            "Accounts (app_account_token, applicationUsername): a product that can be bought once, or a subscription, "
                + "bought in several chains for one account was paid by as many App Store accounts. Of other products a "
                + "burst of \(AccountAnomaly.burst) chains within a day is told.",
        ]
        let hidden = findings.accountCount - findings.accounts.count
        if hidden > 0 { notes.append("Accounts that are not shown: \(hidden).") }
        return notes
    }

    private static func anomalies(_ findings: AnomalyFindings) -> Section {
        Section(
            name: "anomalies",
            title: "Anomalies",
            columns: [
                Column("anomaly", "Anomaly"), Column("transactions", "Transactions"), Column("examples", "Examples"),
            ],
            content: .table(
                Anomaly.allCases.map { anomaly in
                    let count = findings.anomalies[anomaly] ?? AnomalyCount()
                    return [.text(anomaly.rawValue), .count(Int64(count.transactions)), .list(count.examples)]
                }
            )
        )
    }

    private static func conflicts(_ findings: AnomalyFindings) -> Section {
        Section(
            name: "conflicts",
            title: "Copies that differ, by field",
            columns: [
                Column("field", "Field"), Column("transactions", "Transactions"), Column("examples", "Examples"),
            ],
            content: .table(
                findings.conflicts.map { column, count in
                    [.text(column), .count(Int64(count.transactions)), .list(count.examples)]
                }
            )
        )
    }

    private static func accounts(_ findings: AnomalyFindings) -> Section {
        Section(
            name: "accounts",
            title: "Accounts for which several App Store accounts pay",
            columns: [
                Column("store_accounts", "Store accounts at least"), Column("chains", "Chains"),
                Column("most_in_a_day", "Most in a day"), Column("first", "First"), Column("last", "Last"),
                Column("examples", "Examples"),
            ],
            content: .table(
                findings.accounts.map { account in
                    let isDated = account.first <= account.last
                    return [
                        .count(Int64(account.storeAccounts)), .count(Int64(account.chains)),
                        .count(Int64(account.mostInDay)),
                        isDated ? .instant(Timestamp(milliseconds: account.first)) : .absent,
                        isDated ? .instant(Timestamp(milliseconds: account.last)) : .absent, .list(account.examples),
                    ]
                }
            )
        )
    }
}
