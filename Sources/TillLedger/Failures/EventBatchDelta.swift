import TillColumns
import TillCore
import TillPricing
import TillRows

/// The events that a ledger counts, and the data that it keeps of them.
struct EventSelection {
    let period: Period?
    /// Whether ``IncidentCells`` counts them.
    let keepsCells: Bool
}

/// The events of one batch on their way into an ``EventTally``, sorted by the table that counts them.
///
/// With it the worker that has read a batch sorts the events, so that nothing but the counting is left for the batch's
/// turn.
///
///     purchased   170000000000000  170001658697902  …        ids, for one set
///     attempts    …
///     failures    row, combination  …
///
/// The tables of a long log are larger than the caches. With one list for each table, the tally can prefetch the slots
/// that it will need some events later.
///
/// Texts are codes of the batch's dictionary. The ledger translates each combination of them once, not each event.
struct EventBatchDelta {
    /// Purchases or restores without a transaction, each of which counts once: by attempt, else by line.
    struct Names {
        var attempts: [UInt128] = []
        var nameless = 0

        mutating func append(attempt: UInt128?) {
            if let attempt {
                attempts.append(attempt)
            } else {
                nameless += 1
            }
        }
    }

    /// An event that is a failure.
    struct Failure {
        /// Its row of the batch.
        let row: Int32
        /// In milliseconds, if it is a possible time.
        let at: Int64?
        /// The index of its combination, see ``EventBatchDelta/combinations``.
        let combination: Int32
    }

    private(set) var lines = EventTally.Lines()
    /// Attempts that began.
    private(set) var attempts: [UInt128] = []
    /// How attempts with an id ended.
    private(set) var outcomes: [AttemptOutcomes.Element] = []
    /// The outcomes of transactions in events, by ids of the batch.
    var transactions: [TransactionOutcomes.Element] = []
    private(set) var purchased = Names()
    private(set) var restored = Names()
    private(set) var failures: [Failure] = []
    /// The times of the events of the period.
    private(set) var span = InstantBounds()
    private(set) var omitted = OmittedRecords()
    /// All events, in the period and outside of it.
    private(set) var cells = IncidentDelta()
    private(set) var combinations = BatchCombinations()
    private var sources = SourceHashes()

    /// Sorts the events of a batch.
    ///
    /// - Parameter environments: the environments that count.
    init(of batch: borrowing RowBatch, _ selection: EventSelection, _ environments: EnvironmentFilter) {
        var names = EventNames(batch)
        combinations.begin()
        if selection.keepsCells { cells.begin(hasPeriod: selection.period != nil) }
        for row in 0..<batch.events.rowCount {
            guard environments.counts(batch.events[.environment, row]) else {
                omitted.otherEvents += 1
                continue
            }
            note(row, names.kind(of: row, batch), of: batch, selection)
        }
        cells.close()
        combinations.close()
    }

    private mutating func note(
        _ row: Int,
        _ kind: EventKind,
        of batch: borrowing RowBatch,
        _ selection: EventSelection
    ) {
        let told = batch.events[.at, row]
        if told == nil { omitted.undated += 1 }
        // A wrong calendar or clock gives an impossible time: the event counts, and is in no hour.
        let at = told.flatMap { IncidentCells.possible.contains($0) ? $0 : nil }
        let isInPeriod = selection.period?.contains(at.map(Timestamp.init(milliseconds:))) ?? true
        if selection.keepsCells {
            if let at {
                count(row, of: batch, kind, at: at, isInPeriod: isInPeriod)
            } else if told != nil {
                cells.countImpossible()
            }
        }
        guard isInPeriod else { return }
        span.see(at)
        if kind.isFailure {
            failures.append(Failure(row: Int32(row), at: at, combination: combination(row, batch)))
        }
        switch kind {
        case .purchasing:
            if let attempt = attempt(row, batch) { attempts.append(attempt) } else { lines.purchasing += 1 }
        case .purchased: end(.purchased, row, batch, at: at)
        case .restored: end(.restored, row, batch, at: at)
        case .failed: end(kindOfFailure(row, batch), row, batch, at: at)
        case .deferred: end(.deferred, row, batch, at: at)
        case .restoreCompleted: lines.restoreCompleted += 1
        case .restoreFailed: lines.restoreFailed += 1
        case .verified, .verifyFailed, .productRequestFailed, .other: break
        }
    }

    /// Notes how an attempt ended, and what was bought or restored. An attempt without an id is that of its
    /// transaction; without a transaction too, it is counted by line. A purchase is that of its transaction, else of
    /// its attempt, else it is counted by line.
    private mutating func end(
        _ kind: AttemptOutcome.Kind,
        _ row: Int,
        _ batch: borrowing RowBatch,
        at instant: Int64?
    ) {
        let attempt = attempt(row, batch)
        let outcome = AttemptOutcome(kind, at: instant)
        if let attempt { outcomes.append((attempt, outcome)) }
        let (isPurchased, isRestored) = (kind == .purchased, kind == .restored)
        if let transaction = batch.events[.transactionID, row], transaction != 0 {
            guard attempt == nil || isPurchased || isRestored else { return }
            let outcome = TransactionOutcome(
                isPurchased: isPurchased,
                isRestored: isRestored,
                attempt: attempt == nil ? outcome : nil
            )
            return transactions.append((transaction, outcome))
        }
        if attempt == nil { lines.count(kind) }
        if isPurchased { purchased.append(attempt: attempt) }
        if isRestored { restored.append(attempt: attempt) }
    }

    /// Counts an event of any kind in its time.
    private mutating func count(
        _ row: Int,
        of batch: borrowing RowBatch,
        _ kind: EventKind,
        at instant: Int64,
        isInPeriod: Bool
    ) {
        let outcome = kind.isFailure ? kindOfFailure(row, batch) : nil
        let isFailure = outcome == .failed
        let family: AttemptFamily? =
            switch outcome {
            // Only attempts to buy are counted where the customer cancelled, or waits for approval.
            case .cancelled: kind == .failed ? .cancelled : nil
            case .deferred: kind == .failed ? .deferred : nil
            default: kind.family
            }
        let app = batch.events[.bundleID, row].map(Int32.init(truncatingIfNeeded:)) ?? -1
        let source = sources.hash(of: row, batch, at: instant)
        let combination = family?.isTested == true ? combination(row, batch) : 0
        cells.count(
            at: instant,
            isInPeriod: isInPeriod,
            app: app,
            family,
            isPurchase: kind == .purchased,
            source: source,
            combination: combination
        )
        guard isFailure, let family else { return }
        func text(_ column: EventColumn) -> Int32 { batch.events[column, row].map(Int32.init) ?? -1 }
        let (domain, code) = (text(.underlyingDomain), batch.events[.underlyingCode, row])
        let failure = IncidentDelta.Failure(
            code: FailureCode(domain: text(.errorDomain), code: batch.events[.errorCode, row]),
            underlying: domain < 0 && code == nil ? nil : FailureCode(domain: domain, code: code),
            account: text(.accountToken)
        )
        cells.countFailure(
            failure,
            at: instant,
            isInPeriod: isInPeriod,
            app: app,
            family,
            source: source,
            combination: combination
        )
    }

    /// The index of the combination of a row.
    @inline(__always)
    private mutating func combination(_ row: Int, _ batch: borrowing RowBatch) -> Int32 {
        let cells = Self.cells(row, batch)
        return combinations.index(of: cells) {
            guard cells == 0 else { return Combination(cells: cells) }
            func code(_ column: EventColumn) -> Int32 { batch.events[column, row].map(Int32.init) ?? -1 }
            return Combination([code(.appVersion), code(.osVersion), code(.storefront), code(.productID)])
        }
    }

    /// The codes of the dimensions plus one in 16 bits each; 0 where that is not enough, or none is known.
    @inline(__always)
    private static func cells(_ row: Int, _ batch: borrowing RowBatch) -> UInt64 {
        let presence = batch.events.presence(row: row)
        func cell(_ column: EventColumn) -> UInt64 {
            presence &>> UInt64(column.rawValue) & 1 == 1 ? UInt64(bitPattern: batch.events.word(column, row) &+ 1) : 0
        }
        let (app, system) = (cell(.appVersion), cell(.osVersion))
        let (storefront, product) = (cell(.storefront), cell(.productID))
        guard (app | system | storefront | product) >> 16 == 0 else { return 0 }
        return app | system &<< 16 | storefront &<< 32 | product &<< 48
    }

    private func attempt(_ row: Int, _ batch: borrowing RowBatch) -> UInt128? {
        batch.events[.attemptID, row].map { batch.dictionary.withBytes(of: Int($0), TextDictionary.fingerprint) }
    }

    private static let cancelled = Array(FailureClass.cancelled.rawValue.utf8)
    private static let deferred = Array(FailureClass.deferred.rawValue.utf8)

    /// How an attempt ended that an event calls failed: libraries raise cancellations and deferrals as errors.
    private func kindOfFailure(_ row: Int, _ batch: borrowing RowBatch) -> AttemptOutcome.Kind {
        guard let failureClass = batch.events[.errorClass, row] else { return .failed }
        if batch.dictionary.isText(Self.cancelled.span.bytes, of: Int(failureClass)) { return .cancelled }
        return batch.dictionary.isText(Self.deferred.span.bytes, of: Int(failureClass)) ? .deferred : .failed
    }
}

/// The kinds of the events of a batch, found once for each name.
private struct EventNames {
    /// By code of the name.
    private var kinds: [EventKind?]

    init(_ batch: borrowing RowBatch) {
        kinds = Array(repeating: nil, count: batch.dictionary.count)
    }

    mutating func kind(of row: Int, _ batch: borrowing RowBatch) -> EventKind {
        guard let cell = batch.events[.event, row] else { return .other }
        if let kind = kinds[Int(cell)] { return kind }
        let kind = EventKind(name: batch.dictionary.text(of: Int(cell)))
        kinds[Int(cell)] = kind
        return kind
    }
}
