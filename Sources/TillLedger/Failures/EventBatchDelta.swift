/// The events of one batch on their way into an ``EventTally``, each where it is counted.
///
///     purchased   170000000000000  170001658697902  …        ids, for one set
///     attempts    …
///     failures    code, class, instant, dimensions  …
///
/// Kind by kind the tally can ask for what it will look at some events ahead: the tables of a long log are larger than the caches.
struct EventBatchDelta {
    /// Things that count once each, by the best name that they have.
    struct Names {
        var transactions: [Int64] = []
        var attempts: [UInt128] = []
        var nameless = 0

        mutating func append(transaction: Int64?, attempt: UInt128?) {
            if let transaction, transaction != 0 {
                transactions.append(transaction)
            } else if let attempt {
                attempts.append(attempt)
            } else {
                nameless += 1
            }
        }
    }

    var lines = EventTally.Lines()
    /// Attempts that began.
    var attempts: [UInt128] = []
    /// How attempts with an id ended.
    private(set) var outcomes: [AttemptOutcomes.Element] = []
    var purchased = Names()
    var restored = Names()
    var failures: [FailureOccurrence] = []
    /// The earliest and the latest instant of any event.
    private(set) var first: Int64?
    private(set) var last: Int64?

    // Of other times than those asked for:

    var history: [FailureOccurrence] = []
    private(set) var historyFirst: Int64?

    /// Notes how an attempt ended; without an id, that some attempt did.
    mutating func note(_ kind: AttemptOutcome.Kind, of attempt: UInt128?, at instant: Int64?) {
        guard let attempt else { return lines.count(kind) }
        outcomes.append((attempt, AttemptOutcome(kind, at: instant)))
    }

    /// Notes that the log covers an instant, in the period or not.
    mutating func see(at instant: Int64?, isInPeriod: Bool) {
        guard let instant else { return }
        if isInPeriod {
            if instant < first ?? .max { first = instant }
            if instant > last ?? .min { last = instant }
        } else if instant < historyFirst ?? .max {
            historyFirst = instant
        }
    }
}
