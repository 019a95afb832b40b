import TillColumns
import TillCore
import TillRows

extension Ledger {
    mutating func countVerification(_ row: Int, in batch: borrowing RowBatch) {
        guard let status = batch.documents[.status, row], batch.documents[.kind, row] == Word.verify.cell else {
            return
        }
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
        verifications.countResponse(at: at, isInPeriod: isInPeriod)
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
        verifications.count(verification)
        if verification.routedRequest == nil {
            let isFailure = !VerifyStatus.isBooked(status)
            countAttempt(at: at, app: app, appVersion: appVersion, failure: isFailure ? verification.failure.code : nil)
        }
        if needs.contains(.examples), isInPeriod { noteExample(verification, row: row, in: batch) }
    }
    /// Settles the 21007s, and counts them for incidents.
    package mutating func settleVerifications() {
        for (verification, isFailure) in verifications.settle() {
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
        let bit = Self.source(instant) & 63
        let all = events.cells.number(of: CellSeries(app: CellSeries.allApps, family: .purchase))
        events.cells.add(.init(.init(.records, hour), 1))
        events.cells.add(.init(.init(.sources, hour), 1 << bit))
        events.cells.add(.init(.init(.newest, hour), UInt64(instant)))
        events.cells.add(.init(.init(.others, slot, series: all), 1))
        events.cells.add(.init(.init(.otherSources, slot, series: all), 1 << bit))
    }

    /// Counts a verification for incidents.
    private mutating func countAttempt(at instant: Int64?, app: Int32, appVersion: Int32, failure: FailureCode? = nil) {
        guard needs.contains(.incidents), let instant, IncidentCells.possible.contains(instant) else { return }
        let slot = Int(instant / IncidentCells.slotLength)
        let hour = slot / IncidentCells.slotsOfHour
        let combination = events.cells.number(of: Combination([appVersion, -1, -1, -1]))
        func add(
            _ table: IncidentCells.Table,
            app: Int32,
            _ value: UInt64,
            failure: FailureCode?,
            byValues: Bool = false
        ) {
            let number = events.cells.number(of: CellSeries(app: app, family: .verifyReceipt, failure: failure))
            events.cells.add(
                .init(.init(table, byValues ? hour : slot, series: number, value: byValues ? combination : 0), value)
            )
        }
        add(.attempts, app: CellSeries.allApps, 1, failure: nil)
        add(.attemptsByValues, app: app, 1, failure: nil, byValues: true)
        guard let failure else { return }
        add(.failures, app: CellSeries.allApps, 1, failure: failure)
        add(.groups, app: CellSeries.allApps, 1 << (Self.source(instant) >> 6 & 63), failure: failure)
        add(.failuresByValues, app: app, 1, failure: failure, byValues: true)
    }

    private static func source(_ instant: Int64) -> UInt64 {
        var hash = SourceHash()
        hash.add(milliseconds: instant)
        return hash.value
    }
}
