import TillColumns
import TillCore
import TillRows

extension Ledger {
    mutating func countEvents(in batch: borrowing RowBatch) {
        guard batch.events.rowCount > 0 else { return }
        var batchDelta = EventBatchDelta(traffic: TrafficDelta(for: events.traffic))
        for row in 0..<batch.events.rowCount { note(row, of: batch, in: &batchDelta) }
        batchDelta.traffic.close()
        events.count(batchDelta)
    }

    /// Notes the event of a row, if its environment counts, and keeps an example of a failure.
    private mutating func note(_ row: Int, of batch: borrowing RowBatch, in batchDelta: inout EventBatchDelta) {
        guard counts(text(.environment, row, batch)) else { return }
        let kind = events.kind(of: text(.event, row, batch), in: texts)
        let at = batch.events[.at, row]
        let isInPeriod = isInPeriod(at)
        batchDelta.see(at: at, isInPeriod: isInPeriod)
        if needs.contains(.incidents), let at { count(row, of: batch, kind, at: at, isInPeriod, &batchDelta.traffic) }
        if kind.isFailure { note(failure: row, of: batch, kind, at: at, isInPeriod: isInPeriod, in: &batchDelta) }
        guard isInPeriod else { return }
        switch kind {
        case .purchasing:
            if let attempt = attempt(row, batch) {
                batchDelta.attempts.append(attempt)
            } else {
                batchDelta.lines.purchasing += 1
            }
        case .purchased:
            let attempt = attempt(row, batch)
            batchDelta.note(.purchased, of: attempt, at: at)
            batchDelta.purchased.append(transaction: transaction(row, batch), attempt: attempt)
        case .restored:
            let attempt = attempt(row, batch)
            batchDelta.note(.restored, of: attempt, at: at)
            batchDelta.restored.append(transaction: transaction(row, batch), attempt: attempt)
        case .deferred: batchDelta.note(.deferred, of: attempt(row, batch), at: at)
        case .restoreCompleted: batchDelta.lines.restoreCompleted += 1
        case .restoreFailed: batchDelta.lines.restoreFailed += 1
        case .failed, .verifyFailed, .productRequestFailed, .other: break
        }
    }

    private mutating func note(
        failure row: Int,
        of batch: borrowing RowBatch,
        _ kind: EventKind,
        at instant: Int64?,
        isInPeriod: Bool,
        in batchDelta: inout EventBatchDelta
    ) {
        let failure = FailureOccurrence(
            FailureCode(domain: text(.errorDomain, row, batch), code: batch.events[.errorCode, row]),
            failureClass: text(.errorClass, row, batch),
            combination(row, batch),
            at: instant
        )
        guard isInPeriod else { return batchDelta.history.append(failure) }
        batchDelta.failures.append(failure)
        if kind == .failed {
            let isCancelled = failure.failureClass == FailureClass.cancelled.textCode
            batchDelta.note(isCancelled ? .cancelled : .failed, of: attempt(row, batch), at: instant)
        }
        if needs.contains(.examples) { noteExample(failure, row: row, in: batch) }
    }

    /// Counts an event of any kind in its hour.
    private mutating func count(
        _ row: Int,
        of batch: borrowing RowBatch,
        _ kind: EventKind,
        at instant: Int64,
        _ isInPeriod: Bool,
        _ traffic: inout TrafficDelta
    ) {
        guard traffic.open(at: instant, isInPeriod: isInPeriod) else { return }
        traffic.append(cells(row, batch)) { combination(row, batch) }
        switch kind {
        case .purchasing: traffic.countAttempt(begun: true)
        case .purchased, .failed, .deferred: traffic.countAttempt(begun: false)
        case .restored, .restoreCompleted, .restoreFailed, .verifyFailed, .productRequestFailed, .other: break
        }
    }

    /// The codes of the dimensions in the dictionary of the batch, in 16 bits each; 0 where that is not enough.
    @inline(__always)
    private func cells(_ row: Int, _ batch: borrowing RowBatch) -> UInt64 {
        let presence = batch.events.presence(row: row)
        func cell(_ column: EventColumn) -> UInt64 {
            presence &>> UInt64(column.rawValue) & 1 == 1 ? UInt64(bitPattern: batch.events.word(column, row) &+ 1) : 0
        }
        let (app, system) = (cell(.appVersion), cell(.osVersion))
        let (storefront, product) = (cell(.storefront), cell(.productID))
        guard (app | system | storefront | product) >> 16 == 0 else { return 0 }
        return app | system &<< 16 | storefront &<< 32 | product &<< 48
    }

    @inline(__always)
    private mutating func combination(_ row: Int, _ batch: borrowing RowBatch) -> Combination {
        Combination([
            text(.appVersion, row, batch), text(.osVersion, row, batch), text(.storefront, row, batch),
            text(.productID, row, batch),
        ])
    }

    @inline(__always)
    private mutating func text(_ column: EventColumn, _ row: Int, _ batch: borrowing RowBatch) -> Int32 {
        mapping.code(batch.events[column, row], from: batch.dictionary, to: &texts)
    }

    private mutating func transaction(_ row: Int, _ batch: borrowing RowBatch) -> Int64? {
        batch.events[.transactionID, row].map { mapping.identifier($0, from: batch.dictionary, to: &texts) }
    }

    private func attempt(_ row: Int, _ batch: borrowing RowBatch) -> UInt128? {
        batch.events[.attemptID, row].map { batch.dictionary.withBytes(of: Int($0), TextDictionary.fingerprint) }
    }
}
