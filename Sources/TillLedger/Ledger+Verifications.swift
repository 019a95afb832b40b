import TillColumns
import TillCore
import TillPricing
import TillRows

extension Ledger {
    mutating func countVerification(_ row: Int, in batch: borrowing RowBatch) {
        guard let status = batch.documents.responseStatus(row) else { return }
        func text(_ column: DocumentColumn, _ ledger: inout Ledger) -> Int32 {
            ledger.mapping.code(batch.documents[column, row], from: batch.dictionary, to: &ledger.texts)
        }
        let isCounted = environments.counts(batch.documents[.environment, row])
        let at = batch.documents[.loggedAt, row]
        let pairKey = batch.documents[.pairKey, row].map { cell in
            batch.dictionary.withBytes(of: Int(cell), TextDictionary.fingerprint)
        }
        // Successes of every environment count here, because the success after a 21007 comes from the sandbox.
        if VerifyStatus.isBooked(status), let pairKey {
            verifications.add(succeeded: pairKey, at: at, isCounted: isCounted)
        }
        guard isCounted else {
            omitted.otherResponses += 1
            return
        }
        let isInPeriod = isInPeriod(at)
        if isInPeriod {
            verifications.countResponse()
            events.span.see(at)
        }
        let app = text(.bundleID, &self)
        let appVersion = text(.appVersion, &self)
        if needs.contains(.incidents) { countRecord(at: at) }
        guard status != 0 else { return countAttempt(at: at, app: app, appVersion: appVersion) }
        let verification = FailedVerification(
            status: status,
            isRetryable: batch.documents[.isRetryable, row].map { $0 == 1 },
            at: at,
            pairKey: pairKey,
            app: app,
            appVersion: appVersion,
            isInPeriod: isInPeriod
        )
        // A 21007 waits for a success.
        if verification.routedRequest != nil {
            verifications.add(routed: verification)
        } else {
            countFailure(verification)
            let isFailure = !VerifyStatus.isBooked(status)
            countAttempt(at: at, app: app, appVersion: appVersion, failure: isFailure ? verification.failure.code : nil)
        }
        if needs.contains(.examples), isInPeriod { noteExample(verification, row: row, in: batch) }
    }

    private mutating func countFailure(_ verification: FailedVerification) {
        guard verification.isInPeriod else { return }
        verifications.countFailure(ofStatus: verification.status)
        events.failures.count(verification.failure)
    }

    /// Settles the 21007s, and counts those that are failures.
    package mutating func settleVerifications() {
        for (verification, isFailure) in verifications.settle() {
            if isFailure { countFailure(verification) }
            countAttempt(
                at: verification.failure.at,
                app: verification.app,
                appVersion: verification.appVersion,
                failure: isFailure ? verification.failure.code : nil
            )
        }
    }

    /// Notes a response for incidents: that the log is alive at an instant.
    private mutating func countRecord(at instant: Int64?) {
        guard let instant else { return }
        guard IncidentCells.possible.contains(instant) else {
            events.cells.impossible += 1
            return
        }
        let slot = Int(instant / IncidentCells.slotLength)
        let hour = slot / IncidentCells.slotsOfHour
        let bit = sources.hash(of: instant) & 63
        let all = events.cells.number(of: CellSeries(app: CellSeries.allApps, family: .purchase))
        events.cells.add(.init(.init(.records, hour), 1, sources: 1 << bit))
        events.cells.add(.init(.init(.newest, hour), UInt64(instant)))
        events.cells.add(.init(.init(.others, slot, series: all), 1, sources: 1 << bit))
    }

    /// Counts a verification for incidents.
    private mutating func countAttempt(at instant: Int64?, app: Int32, appVersion: Int32, failure: FailureCode? = nil) {
        guard needs.contains(.incidents), let instant, IncidentCells.possible.contains(instant) else { return }
        let slot = Int(instant / IncidentCells.slotLength)
        let hour = slot / IncidentCells.slotsOfHour
        let combination = events.cells.number(of: Combination([appVersion, -1, -1, -1]))
        let isOfPeriod = period?.contains(Timestamp(milliseconds: instant)) ?? false
        func number(_ app: Int32, _ failure: FailureCode?) -> Int32 {
            events.cells.number(of: CellSeries(app: app, family: .verifyReceipt, failure: failure))
        }
        func add(_ table: IncidentCells.Table, sources: UInt64 = 0, failure: FailureCode?) {
            let key = IncidentCells.Key(table, slot, series: number(CellSeries.allApps, failure))
            events.cells.add(.init(key, 1, sources: sources))
        }
        func addByValues(_ table: IncidentCells.Table, ofPeriod: IncidentCells.Table, failure: FailureCode?) {
            let series = number(app, failure)
            events.cells.add(.init(.init(table, hour, series: series, value: combination), 1))
            guard isOfPeriod else { return }
            events.cells.add(.init(.init(ofPeriod, hour, series: series, value: combination), 1))
        }
        add(.attempts, failure: nil)
        addByValues(.attemptsByValues, ofPeriod: .attemptsOfPeriod, failure: nil)
        guard let failure else { return }
        add(.failures, sources: 1 << (sources.hash(of: instant) >> 6 & 63), failure: failure)
        addByValues(.failuresByValues, ofPeriod: .failuresOfPeriod, failure: failure)
    }
}

extension RecordBatch<DocumentColumn> {
    /// The status of a response of verifyReceipt; `nil` for other documents.
    func responseStatus(_ row: Int) -> Int64? { self[.kind, row] == Word.verify.cell ? self[.status, row] : nil }
}
