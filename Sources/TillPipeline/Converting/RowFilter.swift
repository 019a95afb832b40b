import TillColumns
import TillCore
public import TillLedger
public import TillPricing
import TillRows

/// The rule for the rows that `convert` writes.
///
/// A row is in a period by one of its dates: a transaction by its purchase; an event by its instant; a document by its
/// log time, else its observation time; a renewal by its observation time. A row without such a date is in no period.
/// Refunds and their reversals are written whatever their dates are: a refund of the period is one of an earlier
/// purchase, and a reversal one of an earlier refund. Facts from other rows outside the period are lost: whether a
/// purchase is a restore, the price of an earlier purchase if only another document has it, the deferred balance at the
/// beginning, and earlier subscribers.
public struct RowFilter: Sendable {
    /// `nil` keeps rows of every environment.
    public var environments: EnvironmentFilter?
    /// `nil` keeps rows of all time.
    public var period: Period?

    /// Makes a filter that keeps every row.
    public init() {}

    /// Whether every row is kept.
    var keepsAll: Bool { environments == nil && period == nil }

    /// The selection, in the words of a manifest.
    var options: [GivenOption] {
        var options: [GivenOption] = []
        if let environments {
            options.append(GivenOption("environment", environments.words.joined(separator: ",")))
        }
        if let period { options.append(GivenOption("period", period.bounds)) }
        return options
    }

    /// Removes the rows that are not written; returns their number.
    func apply(to rows: inout RowBatch) -> Int {
        guard !keepsAll else { return 0 }
        let before = rows.rowCount
        filter(&rows.transactions, .environment, .purchaseDate, always: [.cancellationDate, .refundReversedAt])
        filter(&rows.events, .environment, .at)
        filter(&rows.renewals, .environment, .observedAt)
        rows.documents.removeRows(from: 0) { rows, row in
            let at = rows[.loggedAt, row] ?? rows[.observedAt, row]
            return !(keeps(rows[.environment, row]) && isInPeriod(at))
        }
        return before - rows.rowCount
    }

    private func filter<Column: TableColumn>(
        _ rows: inout RecordBatch<Column>,
        _ environment: Column,
        _ date: Column,
        always: [Column] = []
    ) {
        rows.removeRows(from: 0) { rows, row in
            guard keeps(rows[environment, row]) else { return true }
            return !isInPeriod(rows[date, row]) && !always.contains { rows[$0, row] != nil }
        }
    }

    private func keeps(_ environment: Int64?) -> Bool { environments?.counts(environment) ?? true }

    private func isInPeriod(_ instant: Int64?) -> Bool {
        guard let period else { return true }
        return period.contains(instant.map { Timestamp(milliseconds: $0) })
    }
}
