import TillColumns
import TillCore
import TillRows

extension Ledger {
    /// Counts the events of a batch, and keeps examples of its failures.
    mutating func countEvents(_ delta: consuming EventBatchDelta, in batch: borrowing RowBatch, jobs: Int) {
        omitted.add(delta.omitted)
        let combinations = delta.combinations.map { mapping.combination($0, from: batch.dictionary, to: &texts) }
        let failures = occurrences(delta.failures, combinations, in: batch)
        let history = occurrences(delta.history, combinations, in: batch)
        translate(&delta.transactions, in: batch)
        events.count(delta, combinations, failures: failures, history: history, jobs: jobs)
        guard needs.contains(.examples) else { return }
        for index in failures.indices { noteExample(failures[index], row: Int(delta.failures[index].row), in: batch) }
    }

    private mutating func occurrences(
        _ failures: [EventBatchDelta.Failure],
        _ combinations: [Combination],
        in batch: borrowing RowBatch
    ) -> [FailureOccurrence] {
        var occurrences: [FailureOccurrence] = []
        occurrences.reserveCapacity(failures.count)
        for failure in failures {
            let row = Int(failure.row)
            let code = FailureCode(domain: text(.errorDomain, row, batch), code: batch.events[.errorCode, row])
            occurrences.append(
                FailureOccurrence(
                    code,
                    failureClass: text(.errorClass, row, batch),
                    combinations[Int(failure.combination)],
                    at: batch.events[.at, row]
                )
            )
        }
        return occurrences
    }

    /// Replaces ids that are not numbers by the ledger's words.
    private mutating func translate(_ outcomes: inout [TransactionOutcomes.Element], in batch: borrowing RowBatch) {
        for index in outcomes.indices where outcomes[index].transaction < 0 {
            let identifier = outcomes[index].transaction
            outcomes[index].transaction = mapping.identifier(identifier, from: batch.dictionary, to: &texts)
        }
    }

    @inline(__always)
    private mutating func text(_ column: EventColumn, _ row: Int, _ batch: borrowing RowBatch) -> Int32 {
        mapping.code(batch.events[column, row], from: batch.dictionary, to: &texts)
    }
}
