import TillColumns
import TillRows

extension Ledger {
    mutating func countVerification(_ row: Int, in batch: borrowing RowBatch) {
        guard let status = batch.documents[.status, row], batch.documents[.kind, row] == Word.verify.cell else {
            return
        }
        func text(_ column: DocumentColumn, _ ledger: inout Ledger) -> Int32 {
            ledger.mapping.code(batch.documents[column, row], from: batch.dictionary, to: &ledger.texts)
        }
        let isCounted = counts(text(.environment, &self))
        let pairKey = batch.documents[.pairKey, row].map { cell in
            batch.dictionary.withBytes(of: Int(cell), TextDictionary.fingerprint)
        }
        let isFailure = isCounted && status != 0
        let at = batch.documents[.loggedAt, row]
        let verification =
            Verification(
                status: status,
                isRetryable: batch.documents[.isRetryable, row].map { $0 == 1 },
                at: at,
                pairKey: pairKey,
                appVersion: isFailure ? text(.appVersion, &self) : -1,
                isCounted: isCounted,
                isInPeriod: isInPeriod(at, isCounted: isCounted)
            )
        verifications.count(verification)
        if needs.contains(.examples), isFailure, verification.isInPeriod {
            noteExample(verification, row: row, in: batch)
        }
    }
}
