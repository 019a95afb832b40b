import TillCore
public import TillLedger
public import TillReportModel

/// A report: it counts settled transactions and makes sections of the result.
///
/// The ledger has decided everything that a figure depends on. A report only counts; its figures do not depend on the
/// order.
public protocol Report: Sendable, SumHolder {
    /// The name on the command line and in JSON.
    static var name: String { get }
    /// A heading for people.
    static var title: String { get }
    /// One line for the help text.
    static var summary: String { get }
    /// The additional data that the ledger must keep for the report; most reports need none.
    static var needs: LedgerNeeds { get }

    /// The keys by which the rows can be grouped; none where the rows are fixed.
    static var groupKeys: [GroupKey] { get }

    /// Whether the report of all reports has it.
    static var isPartOfAll: Bool { get }

    /// Whether it counts transactions; else it counts events and the statuses of responses.
    static var countsTransactions: Bool { get }

    /// Whether it compares its figures with those of earlier periods and reports (`--compare`, `--closed`).
    static var comparesEarlierFigures: Bool { get }

    /// Whether the transactions or failures of its figures can be listed (`--explain`).
    static var explainsFigures: Bool { get }

    /// The version of its JSON contract.
    static var version: Int { get }

    /// Starts with all counts at zero.
    ///
    /// - Parameter rules: those of the ledger. Their keys are `nil` if the report does not know one of the wanted keys.
    init(_ rules: LedgerRules)

    /// Counts a transaction of the selected environments. Within a part, transactions come in the order of their
    /// numbers.
    mutating func update(with transaction: SettledTransaction)

    /// Counts some transactions, each as ``update(with:)`` does one.
    mutating func update(with transactions: [SettledTransaction])

    /// Joins the counts of a copy of this report that has counted other transactions of the same part, with larger
    /// numbers.
    mutating func join(_ other: Self) throws

    /// Reads further data from a part of the ledger, after all of its transactions were counted.
    ///
    /// A ledger that fits its memory is one part. In a larger one every chain is whole in one part. Numbers of
    /// transactions are valid only within their part; codes of products and other texts are valid in all parts.
    mutating func finishPart(_ part: borrowing SettledLedger) throws

    /// Makes the comparisons that need all parts, after the last part, so that ``visitSums(_:)`` passes sums only.
    mutating func closeParts() throws

    /// One of `count` shares of this report: the first has all sums, and each has its notes for the comparison with
    /// other shares (``LedgerRules/share``).
    func share(_ number: Int, of count: Int, _ rules: LedgerRules) -> Self

    /// Makes the sections in the order of the JSON contract, after the last part.
    func finish(_ ledger: borrowing SettledLedger) throws -> Findings
}

extension Report {
    public static var version: Int { 1 }
    public static var needs: LedgerNeeds { [] }
    public static var groupKeys: [GroupKey] { [] }
    public static var isPartOfAll: Bool { true }
    public static var countsTransactions: Bool { true }
    public static var comparesEarlierFigures: Bool { false }
    public static var explainsFigures: Bool { false }
    public mutating func update(with transactions: [SettledTransaction]) {
        // By a span: an array gives a copy of each.
        let transactions = transactions.span
        for index in transactions.indices { update(with: transactions[index]) }
    }
    public mutating func join(_ other: Self) throws { try SumBuffer.join(other, into: &self) }
    /// Joins a report of the same type, which the caller knows only as `any Report`.
    mutating func joinCopy(_ other: any Report) throws {
        guard let other = other as? Self else { throw Finding.unjoinable("they are of two reports") }
        try join(other)
    }
    public mutating func finishPart(_ part: borrowing SettledLedger) throws {}
    public mutating func closeParts() {}
    public func share(_ number: Int, of count: Int, _ rules: LedgerRules) -> Self { number == 0 ? self : Self(rules) }
}

/// The result of a report.
public struct Findings {
    /// The sections of this report alone. ``ReportRegistry`` adds the preamble, the summary and the coverage.
    public let sections: [Section]
    /// Notes about the figures, a sentence each.
    public let notes: [String]
    /// The time that the figures cover; `nil` if none has a date.
    public let period: ReportPeriod?
    /// The rows of the sections, where other code reads them; ``Alert`` reads those of the failures.
    public let typedRows: (any Sendable)?
    /// The figures as double entries.
    let journal: [JournalEntry]
    /// The first sections of every report.
    let summary: Summary
    /// Flags that show more of the same figures.
    let furtherFlags: [String]
    /// The schedules of a close, made when a format asks for them.
    let closing: @Sendable () -> ClosingSchedules

    init(
        _ summary: Summary,
        sections: [Section],
        notes: [String] = [],
        time: CoveredTime = CoveredTime(),
        typedRows: (any Sendable)? = nil,
        journal: [JournalEntry] = [],
        furtherFlags: [String] = [],
        closing: @escaping @Sendable () -> ClosingSchedules = { ClosingSchedules() }
    ) {
        self.summary = summary
        self.sections = sections
        self.notes = notes
        self.typedRows = typedRows
        self.journal = journal
        self.furtherFlags = furtherFlags
        self.closing = closing
        period = time.period
    }
}
