import TillColumns
import TillCore

/// One client event, as far as rates and failures are concerned; texts are codes of the ledger's dictionary.
struct ClientEvent {
    enum Kind {
        case purchasing, purchased, failed, restored, deferred, restoreCompleted, restoreFailed, verifyFailed
        case productRequestFailed
        case other

        var isFailure: Bool {
            switch self {
            case .failed, .restoreFailed, .verifyFailed, .productRequestFailed: true
            default: false
            }
        }
    }

    var name: Int32
    var kind = Kind.other
    var at: Int64?
    var transaction: Int64?
    var attempt: UInt128?
    var failure: EventFailure?
    var isInPeriod = true

    init(name: Int32, at: Int64?) {
        self.name = name
        self.at = at
    }
}

struct EventFailure {
    var domain: Int32
    var code: Int64?
    var failureClass: Int32
    /// In the order of ``FailureDimension``.
    var dimensions: InlineArray<4, Int32>
}

/// Client events counted for rates and failures.
///
/// The queue delivers a transaction again until it is finished, so what is bought and restored is counted by distinct
/// transaction, else by distinct attempt, else by line (quirk 74).
struct EventTally {
    private(set) var lines = Lines()
    private(set) var failures = FailureTally()
    /// Failures of other times than the period asked for.
    private(set) var history = FailureTally()

    private(set) var attempts = IntegerSet<UInt128>()
    private(set) var purchased = Distinct()
    private(set) var restored = Distinct()
    /// By code of the name.
    private var kinds: [ClientEvent.Kind?] = []
    private var failureNumbers = FailureNumbers()
    private var historyNumbers = FailureNumbers()

    /// What is known of failures with one domain, code and class, worked out once for each.
    private struct FailureNumbers {
        struct Numbers {
            /// Those of the key and of the class in the tally.
            var key: Int
            var failureClass: Int32
            var isCancelled: Bool
        }

        /// By domain, class and code, one behind the other in one number.
        private var numbers = IntegerMap<UInt128, Numbers>()
        /// Of failures without a code, by domain and class.
        private var numbersWithoutCode = IntegerMap<UInt64, Numbers>()

        mutating func numbers(
            of failure: EventFailure,
            in tally: inout FailureTally,
            _ texts: borrowing TextDictionary
        ) -> Numbers {
            let domain = UInt64(UInt32(bitPattern: failure.domain))
            let words = domain << 32 | UInt64(UInt32(bitPattern: failure.failureClass))
            guard let code = failure.code else {
                return numbersWithoutCode[words, entering: Self.numbers(of: failure, in: &tally, texts)]
            }
            let name = UInt128(words) << 64 | UInt128(UInt64(bitPattern: code))
            return numbers[name, entering: Self.numbers(of: failure, in: &tally, texts)]
        }

        private static func numbers(
            of failure: EventFailure,
            in tally: inout FailureTally,
            _ texts: borrowing TextDictionary
        ) -> Numbers {
            let domain = failure.domain < 0 ? nil : texts.text(of: Int(failure.domain))
            let word =
                failure.failureClass < 0 ? FailureClass.unknown.rawValue : texts.text(of: Int(failure.failureClass))
            return Numbers(
                key: tally.number(of: FailureKey(domain: domain, code: failure.code)),
                failureClass: tally.number(ofClass: word),
                isCancelled: word == FailureClass.cancelled.rawValue
            )
        }
    }

    /// Lines counted as they come.
    struct Lines {
        /// Beginnings without an attempt id.
        var purchasing = 0
        var failed = 0
        var cancelled = 0
        var deferred = 0
        var purchased = 0
        var restoreCompleted = 0
        var restoreFailed = 0

        /// Every counter, in the order in which a partial has them.
        static let all: [WritableKeyPath<Lines, Int> & Sendable] = [
            \.purchasing, \.failed, \.cancelled, \.deferred, \.purchased, \.restoreCompleted, \.restoreFailed,
        ]
    }

    /// Things counted once each by the best name that they have.
    struct Distinct {
        var transactions = IntegerSet<Int64>()
        var attempts = IntegerSet<UInt128>()
        var nameless = 0

        var count: Int { transactions.count + attempts.count + nameless }

        mutating func merge(_ other: Distinct, _ translation: TextTranslation) {
            for transaction in other.transactions { transactions.insert(translation.identifier(transaction)) }
            attempts.formUnion(other.attempts)
            nameless += other.nameless
        }

        /// Brings near what ``count(_:)`` of an event will look at.
        func prefetch(_ event: ClientEvent) {
            if let transaction = event.transaction { transactions.prefetch(transaction) }
        }

        mutating func count(_ event: ClientEvent) {
            if let transaction = event.transaction, transaction != 0 {
                transactions.insert(transaction)
            } else if let attempt = event.attempt {
                attempts.insert(attempt)
            } else {
                nameless += 1
            }
        }
    }

    /// Distinct purchases and restores.
    var purchasedCount: Int { purchased.count }
    var restoredCount: Int { restored.count }

    /// Attempts to buy: those that began, or, in a log without beginnings, those that ended.
    var attemptCount: Int {
        let begun = attempts.count + lines.purchasing
        return begun > 0 ? begun : lines.purchased + lines.failed + lines.cancelled + lines.deferred
    }

    /// Adds events that were counted apart.
    mutating func merge(_ other: EventTally, _ translation: TextTranslation) {
        add(other.lines, since: other.failures.start?.milliseconds, other.history.start?.milliseconds)
        failures.merge(other.failures, translation)
        history.merge(other.history, translation)
        attempts.formUnion(other.attempts)
        purchased.merge(other.purchased, translation)
        restored.merge(other.restored, translation)
    }

    /// Counts members that will not come again, and forgets who they were.
    mutating func countMembers(of other: EventTally) {
        lines.purchasing += other.attempts.count
        purchased.nameless += other.purchased.count
        restored.nameless += other.restored.count
    }

    /// Forgets what counts once, which has been written elsewhere.
    mutating func forgetMembers() {
        attempts = IntegerSet()
        (purchased.transactions, purchased.attempts) = (IntegerSet(), IntegerSet())
        (restored.transactions, restored.attempts) = (IntegerSet(), IntegerSet())
    }

    /// Codes of the texts that are still wanted.
    var texts: Set<Int32> { failures.texts.union(history.texts) }

    /// Takes the codes of another dictionary in place of its own.
    mutating func renumber(_ translation: TextTranslation) {
        failures.renumber(translation)
        history.renumber(translation)
        (kinds, failureNumbers, historyNumbers) = ([], FailureNumbers(), FailureNumbers())
    }

    /// Makes what was counted ready to be asked for.
    mutating func settle() {
        failures.flush()
        history.flush()
    }

    // What a partial tells, value by value:

    mutating func add(_ other: Lines, since start: Int64?, _ historyStart: Int64?) {
        for line in Lines.all { lines[keyPath: line] += other[keyPath: line] }
        failures.see(at: start)
        history.see(at: historyStart)
    }

    mutating func add(failures counts: FailureCounts, of key: FailureKey) { failures.merge(counts, of: key) }
    mutating func add(history counts: FailureCounts, of key: FailureKey) { history.merge(counts, of: key) }
    mutating func add(attempt: UInt128) { attempts.insert(attempt) }
    mutating func add(purchased other: Distinct, _ translation: TextTranslation) { purchased.merge(other, translation) }
    mutating func add(restored other: Distinct, _ translation: TextTranslation) { restored.merge(other, translation) }

    /// The kind of an event name, worked out once per name.
    mutating func kind(of name: Int32, in texts: borrowing TextDictionary) -> ClientEvent.Kind {
        guard name >= 0 else { return .other }
        if Int(name) < kinds.count, let kind = kinds[Int(name)] { return kind }
        let kind: ClientEvent.Kind =
            switch texts.text(of: Int(name)) {
            case "purchasing": .purchasing
            case "purchased": .purchased
            case "failed": .failed
            case "restored": .restored
            case "deferred": .deferred
            case "restore_completed": .restoreCompleted
            case "restore_failed": .restoreFailed
            case "verify_failed": .verifyFailed
            case "product_request_failed": .productRequestFailed
            default: .other
            }
        if Int(name) >= kinds.count { kinds += Array(repeating: nil, count: Int(name) + 1 - kinds.count) }
        kinds[Int(name)] = kind
        return kind
    }

    /// Counts events in their order, after asking for all that they will look at: the tables of a long log are larger than
    /// the caches.
    mutating func count(_ batch: [ClientEvent], in texts: borrowing TextDictionary) {
        for event in batch { prefetch(event, in: texts) }
        for event in batch { count(event, in: texts) }
    }

    private mutating func prefetch(_ event: ClientEvent, in texts: borrowing TextDictionary) {
        guard event.isInPeriod else { return }
        switch event.kind {
        case .purchasing: if let attempt = event.attempt { attempts.prefetch(attempt) }
        case .purchased: purchased.prefetch(event)
        case .restored: restored.prefetch(event)
        default: break
        }
        guard let failure = event.failure else { return }
        let numbers = failureNumbers.numbers(of: failure, in: &failures, texts)
        failures.prefetch(numbers.key, at: event.at, dimensions: failure.dimensions)
    }

    mutating func count(_ event: ClientEvent, in texts: borrowing TextDictionary) {
        guard event.isInPeriod else { return countHistory(event, in: texts) }
        failures.see(at: event.at)
        switch event.kind {
        case .purchasing:
            if let attempt = event.attempt { attempts.insert(attempt) } else { lines.purchasing += 1 }
        case .purchased:
            lines.purchased += 1
            purchased.count(event)
        case .restored: restored.count(event)
        case .deferred: lines.deferred += 1
        case .restoreCompleted: lines.restoreCompleted += 1
        case .restoreFailed: lines.restoreFailed += 1
        case .failed, .verifyFailed, .productRequestFailed, .other: break
        }
        if let failure = event.failure { count(failure, of: event, in: texts) }
    }

    private mutating func countHistory(_ event: ClientEvent, in texts: borrowing TextDictionary) {
        history.see(at: event.at)
        guard let failure = event.failure else { return }
        let numbers = historyNumbers.numbers(of: failure, in: &history, texts)
        history.count(
            numbers.key,
            failureClass: numbers.failureClass,
            at: event.at,
            dimensions: failure.dimensions
        )
    }

    private mutating func count(_ failure: EventFailure, of event: ClientEvent, in texts: borrowing TextDictionary) {
        let numbers = failureNumbers.numbers(of: failure, in: &failures, texts)
        failures.count(
            numbers.key,
            failureClass: numbers.failureClass,
            at: event.at,
            dimensions: failure.dimensions
        )
        guard event.kind == .failed else { return }
        if numbers.isCancelled { lines.cancelled += 1 } else { lines.failed += 1 }
    }
}
