public import TillLedger
public import TillReportModel

/// A question asked of the ledger: it counts settled transactions and says what came of it.
///
/// Everything that decides a number was decided by the ledger; a report only counts, in any order.
public protocol Report: Sendable {
    /// The name on the command line and in JSON.
    static var name: String { get }
    /// A heading for people.
    static var title: String { get }
    /// One line for the help text.
    static var summary: String { get }
    /// What it asks of the ledger beyond what every report counts; usually nothing.
    static var needs: LedgerNeeds { get }

    /// What its rows can be told apart by; none where they are always the same.
    static var groupKeys: [GroupKey] { get }

    init(_ rules: LedgerRules)

    /// Counts a transaction of the environments asked for.
    mutating func update(with transaction: SettledTransaction)

    /// Counts some transactions, each as ``update(with:)`` does one.
    mutating func update(with transactions: [SettledTransaction])

    /// Asks a part of the ledger what its transactions, which were all counted just now, are by their numbers.
    ///
    /// A ledger that fits its memory is one part. Of a larger one every chain is whole in one part; numbers of
    /// transactions mean nothing afterwards, codes of products and the like stay.
    mutating func finishPart(_ part: borrowing SettledLedger) throws

    /// What is to be said, after the last part: sections in the order of the JSON contract.
    func finish(_ ledger: borrowing SettledLedger) throws -> Findings
}

extension Report {
    public static var needs: LedgerNeeds { [] }
    public static var groupKeys: [GroupKey] { [] }
    public mutating func update(with transactions: [SettledTransaction]) {
        for transaction in transactions { update(with: transaction) }
    }
    public mutating func finishPart(_ part: borrowing SettledLedger) throws {}
}

/// What a report has to say.
public struct Findings {
    public var sections: [Section]
    /// What a reader must know to read the numbers rightly.
    public var notes: [String]

    public init(sections: [Section], notes: [String] = []) {
        self.sections = sections
        self.notes = notes
    }
}
