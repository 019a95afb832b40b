/// The content of a partial.
public enum PartialKind: Sendable {
    /// A ledger before it is settled: transactions, attempts and requests. Other partials may have copies of them.
    case open
    /// Sums of settled transactions. No other partial has a transaction, chain, attempt, request or account of this
    /// one.
    case closed
}

/// The kinds of blocks in which a ledger is written; the raw value is the four letters that name the block.
public enum PartialBlock: String, Sendable, CaseIterable {
    /// Texts; their numbers continue over all blocks of the kind.
    case texts = "TEXT"
    /// Values that many transactions share; their numbers continue over all blocks of the kind.
    case sharedValues = "FACE"
    /// Transactions.
    case transactions = "TRAN"
    /// Counters; there is one block of them.
    case counters = "CNTR"
    /// Failures of one domain, code and class.
    case failures = "FAIL"
    /// Requests with a success whose time is unknown.
    case pairs = "PAIR"
    /// Requests with a success, and the time of the last success.
    case answers = "ANSW"
    /// Answers 21007 that wait for a success.
    case routed = "ROUT"
    /// Attempts of client events, each once.
    case attempts = "ATTS"
    /// The outcomes of attempts of client events.
    case outcomes = "OUTC"
    /// Data of client events about transactions.
    case purchases = "PURC"
    /// Grace periods.
    case grace = "GRAC"
    /// All events and responses by time, for incidents.
    case cells = "CELL"
    /// The places of records of failures.
    case examples = "EXMP"
    /// Sums of settled transactions; only closed partials have them, and these have no transactions.
    case sums = "SUMS"

    /// Whether partials of a kind have such blocks.
    public func isPart(of kind: PartialKind) -> Bool {
        switch self {
        case .texts, .counters, .failures, .cells, .examples: true
        case .sharedValues, .transactions, .pairs, .answers, .routed, .attempts, .outcomes, .purchases, .grace:
            kind == .open
        case .sums: kind == .closed
        }
    }
}
