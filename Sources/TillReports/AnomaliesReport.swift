import TillCore
public import TillLedger
import TillReportModel

/// Transactions to check before a month is closed: repeated sales, contradicting copies, impossible dates.
public struct AnomaliesReport: Report {
    public static let name = "anomalies"
    public static let title = "Anomalies"
    public static let summary = "Sales booked twice, shared accounts, contradicting copies, impossible dates"
    public static let needs: LedgerNeeds = .anomalies

    private var sales = SaleNotes()
    private var collector = AnomalyCollector()
    /// The times of the first and the newest sale.
    private var sold = CoveredTime()

    public init(_ rules: LedgerRules) {}

    public mutating func update(with transaction: SettledTransaction) {
        sales.note(transaction)
        sold.include(transaction.purchaseDate)
    }

    public mutating func join(_ other: AnomaliesReport) throws {
        try SumBuffer.join(other, into: &self)
        sales.join(other.sales)
    }

    public mutating func finishPart(_ part: borrowing SettledLedger) throws {
        try collector.collect(part, sales)
        sales = SaleNotes()
    }

    public mutating func closeParts() throws { try collector.closeParts() }

    public func share(_ number: Int, of count: Int, _ rules: LedgerRules) -> AnomaliesReport {
        var share = number == 0 ? self : AnomaliesReport(rules)
        share.collector.takeNotes(of: collector, in: number, of: count)
        return share
    }

    public mutating func visitSums(_ coder: inout some SumCoder) throws {
        try collector.visitSums(&coder)
        try sold.visitSums(&coder)
    }

    public func finish(_ ledger: borrowing SettledLedger) throws -> Findings {
        let findings = try collector.finish()
        var time = CoveredTime()
        for account in findings.accounts {
            time.include(account.firstDate)
            time.include(account.lastDate)
        }
        return Findings(
            summary(findings),
            sections: [Self.anomalies(findings), Self.conflicts(findings), Self.accounts(findings)],
            notes: Self.notes(findings),
            time: time
        )
    }

    private func summary(_ findings: AnomalyFindings) -> Summary {
        let found = Anomaly.allCases.compactMap { anomaly in
            findings.anomalies[anomaly].flatMap { $0.transactions > 0 ? (anomaly, $0.transactions) : nil }
        }
        var statements = found.map { anomaly, count in
            let words = anomaly.words(isOne: count == 1)
            return Statement("\(.count(count)) \(words)", tone: .warning)
        }
        if findings.accountCount > 0 {
            let words = findings.accountCount == 1 ? "account is" : "accounts are"
            statements.append(
                Statement(
                    "\(.count(findings.accountCount)) \(words) paid by several App Store accounts",
                    tone: .warning
                )
            )
        }
        var summary = Summary(
            span: sold.span,
            facts: [
                Fact("kinds", "Kinds of anomalies", .count(found.count)),
                Fact("accounts", "Accounts", .count(findings.accountCount)),
            ],
            statements: statements.isEmpty ? [Statement("No anomalies.")] : statements,
            concerns: [.rejected, .untrusted, .changedByUnsigned, .oddIDs, .otherEnvironment, .withheld]
        )
        summary.coversPeriod = false
        return summary
    }

    private static func notes(_ findings: AnomalyFindings) -> [String] {
        var notes: [String] = [
            "Examples are the first transaction ids; tillroll report revenue --explain transaction_id=… lists the documents "
                + "that mention one.",
            "A chain is one subscription with its renewals: one original transaction id. Its charges are distinguished "
                + "by their line items (web_order_line_item_id).",
            "Where copies of a transaction differ, the value of a signed copy counts, else the larger one. A purchase may be up to a day older than the "
                + "original purchase that a document contains.",
            "Accounts (app_account_token, applicationUsername): store accounts are counted by distinct app_transaction_id; a "
                + "chain without one counts as an account of its own for a product that can be bought once, or a "
                + "subscription; the last column says which. Of other products a burst of \(AccountAnomaly.burst) chains within a "
                + "day is listed.",
        ]
        let hidden = findings.accountCount - findings.accounts.count
        if hidden > 0 { notes.append("Accounts that are not shown: \(hidden).") }
        return notes
    }

    private static func anomalies(_ findings: AnomalyFindings) -> Section {
        Section(
            name: "anomalies",
            title: "Anomalies",
            columns: [ReportColumn("anomaly", "Anomaly") { .word($0.anomaly.rawValue, $0.anomaly.sentence) }]
                + countColumns { $0.count },
            rows: Anomaly.allCases.lazy.map { (anomaly: $0, count: findings.anomalies[$0] ?? AnomalyCount()) }
        )
    }

    private static func conflicts(_ findings: AnomalyFindings) -> Section {
        Section(
            name: "conflicts",
            title: "Copies that differ, by field",
            columns: [ReportColumn("field", "Field") { .text($0.column) }] + countColumns { $0.count },
            rows: findings.conflicts
        )
        .called("Copies")
    }

    private static func countColumns<Row>(
        _ count: @escaping @Sendable (Row) -> AnomalyCount
    ) -> [ReportColumn<Row>] {
        [
            ReportColumn("transactions", "Transactions") { .count(count($0).transactions) },
            ReportColumn("examples", "Examples") { .list(count($0).examples) },
        ]
    }

    private static func accounts(_ findings: AnomalyFindings) -> Section {
        Section(
            name: "accounts",
            title: "Accounts for which several App Store accounts pay",
            columns: [
                ReportColumn("store_accounts", "Store accounts at least") { .count($0.storeAccounts) },
                ReportColumn("chains", "Chains") { .count($0.chains) },
                ReportColumn("most_in_a_day", "Most in a day") { .count($0.mostInDay) },
                ReportColumn("first", "First") { .instant($0.firstDate) },
                ReportColumn("last", "Last") { .instant($0.lastDate) },
                ReportColumn("examples", "Examples") { .list($0.examples) },
                ReportColumn("payers_by", "Payers counted by") { .word($0.evidence.code, $0.evidence.words) },
            ],
            rows: findings.accounts
        )
        .called("Shared accounts")
    }
}

extension Anomaly {
    /// `Transactions of more than 10 units`
    fileprivate var sentence: String {
        let words = words(isOne: false)
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// The unit after the number of its transactions.
    fileprivate func words(isOne: Bool) -> String {
        let noun = isOne ? "transaction" : "transactions"
        let sale = isOne ? "sale" : "sales"
        return switch self {
        case .sameLineItem: "\(sale) of one charge in several chains"
        case .sameCharge: "\(sale) of one chain with the same dates under different line items"
        case .conflictingCopies: "\(noun) with copies that differ"
        case .largeQuantity: "\(noun) of more than \(Self.largestQuantity) units"
        case .refundBeforePurchase: "\(noun) refunded before the purchase"
        case .expiresBeforePurchase: "\(noun) that expired before the purchase"
        case .originalAfterPurchase: "\(noun) purchased before the original purchase"
        case .observedBeforePurchase: "\(noun) in documents older than the purchase"
        case .consumableOriginal: "\(isOne ? "consumable" : "consumables") with the original id of another transaction"
        }
    }
}

extension AccountAnomaly {
    private var isDated: Bool { first <= last }

    /// The way in which payers were distinguished.
    fileprivate var evidence: (code: String, words: String) {
        if identifiedChains == 0 { return ("chain", "chains") }
        return identifiedChains == chains ? ("app_transaction_id", "app transactions") : ("both", "both")
    }

    /// The first purchase of the account; `nil` if no purchase has a date.
    fileprivate var firstDate: Timestamp? { isDated ? Timestamp(milliseconds: first) : nil }

    /// The last purchase of the account; `nil` if no purchase has a date.
    fileprivate var lastDate: Timestamp? { isDated ? Timestamp(milliseconds: last) : nil }
}
