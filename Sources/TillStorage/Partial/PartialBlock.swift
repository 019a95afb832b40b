/// What a partial holds.
public enum PartialKind: Sendable {
    /// A ledger before it is settled: transactions, attempts and requests, of which other partials may hold copies.
    case open
    /// Sums of settled transactions. No other partial holds a transaction, chain, attempt, request or account of it.
    case closed
}

/// The kinds of blocks in which a ledger is written; the raw value is the four letters that name the block.
public enum PartialBlock: String, Sendable, CaseIterable {
    /// Texts, numbered on over all blocks of the kind.
    case texts = "TEXT"
    /// Values that many transactions share, numbered on.
    case sharedValues = "FACE"
    /// Transactions.
    case transactions = "TRAN"
    /// Counters; there is one block of them.
    case counters = "CNTR"
    /// When the newest response and the newest event were.
    case newest = "LAST"
    /// Failures of one domain and code.
    case failures = "FAIL"
    /// Requests of which a success is known, and not when it was.
    case pairs = "PAIR"
    /// Requests of which a success is known, and when the last one was.
    case answers = "ANSW"
    /// Answers 21007 that wait for a success.
    case routed = "ROUT"
    /// Attempts of client events, each once.
    case attempts = "ATTS"
    /// How attempts of client events ended.
    case outcomes = "OUTC"
    /// What client events say about transactions.
    case purchases = "PURC"
    /// Grace periods.
    case grace = "GRAC"
    /// All events by hour and by combination of values.
    case traffic = "TRAF"
    /// Where records of failures stand.
    case examples = "EXMP"
    /// Sums of settled transactions; only closed partials have them, and these have no transactions.
    case sums = "SUMS"

    /// Whether partials of a kind have such blocks.
    public func isPart(of kind: PartialKind) -> Bool {
        switch self {
        case .texts, .counters, .newest, .failures, .traffic, .examples: true
        case .sharedValues, .transactions, .pairs, .answers, .routed, .attempts, .outcomes, .purchases, .grace:
            kind == .open
        case .sums: kind == .closed
        }
    }
}
