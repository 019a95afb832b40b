/// The events of one batch on their way into an ``EventTally``, sorted by the table that counts them.
///
///     purchased   170000000000000  170001658697902  …        ids, for one set
///     attempts    …
///     failures    code, class, instant, dimensions  …
///
/// The tables of a long log are larger than the caches. With one list for each table, the tally can prefetch the slots that
/// it will need some events later.
struct EventBatchDelta {
    /// Purchases or restores, each of which counts once: by transaction, else by attempt, else by line.
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

    // Outside of the period:

    var history: [FailureOccurrence] = []
    private(set) var historyFirst: Int64?

    /// All events by hour.
    var traffic: TrafficDelta

    init(traffic: TrafficDelta) {
        self.traffic = traffic
    }

    /// Notes how an attempt ended. An attempt without an id is counted by line.
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
