public import TillLedger
import TillThreads

/// The sums of reports over a ledger's transactions, before conversion, rounding and sorting.
///
///     ledger ─count→ sums ──────────────▶ document
///              sums of other partials ─┘
///
/// Each sum adds up over parts of the input that have no transaction, chain or account in common, so that the document
/// of joined sums is that of one ledger.
public struct ReportSums: Sendable {
    /// The name of the report, or that of all reports.
    let name: String
    private(set) var reports: [any Report]
    private(set) var sales = SaleCounts()
    private(set) var coverage = CoverageCounts()
    /// Transactions that were counted, after joining duplicates.
    public private(set) var uniqueTransactions = 0
    /// 21007s that a success followed.
    public private(set) var pairedVerifications = 0

    /// `nil` if there is no report of the name.
    public init?(named name: String, _ rules: LedgerRules) {
        let types = ReportRegistry.reports(named: name)
        guard !types.isEmpty else { return nil }
        self.name = name
        reports = types.map { $0.init(ReportRegistry.rules(for: $0, rules)) }
    }

    /// Counts all transactions of a ledger, in one pass. Each report may have a thread of its own.
    public mutating func count(_ ledger: borrowing SettledLedger) throws {
        try ledger.forEachPartition { part in
            coverage = try part.forEachBatch(after: coverage) { transactions in
                reports.withUnsafeMutableBufferPointer { reports in
                    concurrently(1 + reports.count, width: ledger.jobs) { number in
                        if number == reports.count {
                            sales.count(transactions)
                        } else {
                            reports[number].update(with: transactions)
                        }
                    }
                }
            }
            for index in reports.indices { try reports[index].finishPart(part) }
        }
        uniqueTransactions += ledger.uniqueCount
        pairedVerifications += ledger.pairedVerifications
    }

    /// One of `count` shares of these sums; the joined shares equal these sums.
    public func share(_ number: Int, of count: Int, _ rules: LedgerRules) -> ReportSums {
        var share = number == 0 ? self : ReportSums(named: name, rules) ?? self
        share.reports = reports.map { $0.share(number, of: count, ReportRegistry.rules(for: type(of: $0), rules)) }
        return share
    }

    // MARK: Sections of a closed partial

    /// The section of all that does not belong to one report.
    private static let common = "ledger"

    /// The names of the sections: one of the ledger, and one for each report.
    public var sections: [String] { [Self.common] + reports.map { type(of: $0).name } }

    /// Prepares the counts of the parts of a ledger for ``visit(_:_:)``.
    public mutating func close() throws {
        for index in reports.indices { try reports[index].closeParts() }
    }

    /// Gives the sums of a section to a coder.
    public mutating func visit(_ section: String, _ coder: inout some SumCoder) throws {
        guard section == Self.common else {
            for index in reports.indices where type(of: reports[index]).name == section {
                try reports[index].visitSums(&coder)
            }
            return
        }
        try coder.add(&uniqueTransactions)
        try coder.add(&pairedVerifications)
        guard uniqueTransactions >= 0, pairedVerifications >= 0 else { throw coder.refusal("a negative count") }
        try coverage.visitSums(&coder)
        try sales.visitSums(&coder)
    }
}
