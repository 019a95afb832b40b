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
        if needs.contains(.incidents), let at {
            let hour = Timestamp(milliseconds: at).hour
            events.traffic.add(TrafficTally.Attempts(responses: 1), in: hour, isInPeriod: isInPeriod)
        }
        guard status != 0 else { return }
        let verification = FailedVerification(
            status: status,
            isRetryable: batch.documents[.isRetryable, row].map { $0 == 1 },
            at: at,
            pairKey: pairKey,
            appVersion: text(.appVersion, &self),
            isInPeriod: isInPeriod
        )
        verifications.count(verification)
        if needs.contains(.examples), isInPeriod { noteExample(verification, row: row, in: batch) }
    }
}
