import TillColumns
import TillCore
import TillRows

extension Ledger {
    /// Counts the events of a batch, and keeps examples of its failures.
    mutating func countEvents(_ delta: consuming EventBatchDelta, in batch: borrowing RowBatch, jobs: Int) {
        omitted.add(delta.omitted)
        let combinations = delta.combinations.all.map { mapping.combination($0, from: batch.dictionary, to: &texts) }
        let failures = occurrences(delta.failures, combinations, in: batch)
        translate(&delta.transactions, in: batch)
        let cells = translated(delta.cells, combinations, in: batch)
        events.count(delta, cells, failures: failures, jobs: jobs)
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
                    at: failure.at
                )
            )
        }
        return occurrences
    }

    private mutating func translated(
        _ delta: borrowing IncidentDelta,
        _ combinations: [Combination],
        in batch: borrowing RowBatch
    ) -> TranslatedCells {
        var cells = TranslatedCells(combinations: combinations)
        func own(_ text: Int32, _ batch: borrowing RowBatch, _ ledger: inout Ledger) -> Int32 {
            ledger.mapping.code(Int64(text), from: batch.dictionary, to: &ledger.texts)
        }
        func own(_ code: FailureCode, _ batch: borrowing RowBatch, _ ledger: inout Ledger) -> FailureCode {
            FailureCode(domain: code.domain < 0 ? -1 : own(code.domain, batch, &ledger), code: code.code)
        }
        for one in delta.series {
            let app = one.app < 0 ? one.app : own(one.app, batch, &self)
            var failure: FailureCode?
            if let code = one.failure { failure = own(code, batch, &self) }
            cells.series.append(CellSeries(app: app, family: one.family, failure: failure))
        }
        for code in delta.underlying { cells.underlying.append(own(code, batch, &self)) }
        for cell in delta.cells where cell.key.table == .accounts && cells.accounts[cell.key.value] == nil {
            cells.accounts[cell.key.value] = own(cell.key.value, batch, &self)
        }
        return cells
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
