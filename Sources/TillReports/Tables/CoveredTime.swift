import TillCore
import TillLedger
import TillReportModel

/// The time that figures of a report cover, gathered from its typed rows.
///
/// Names of parts of time, such as months, are shown rather than instants where a report has both.
struct CoveredTime {
    private var names: ClosedRange<String>?
    private var instants: ClosedRange<Timestamp>?

    /// Includes a month, week or day by its name; `nil` if a row has none.
    mutating func include(_ name: String?) {
        guard let name else { return }
        // Most rows name the same month as the row before, or one in between.
        guard let known = names else {
            names = name...name
            return
        }
        if name < known.lowerBound { names = name...known.upperBound }
        if name > known.upperBound { names = known.lowerBound...name }
    }

    /// Includes an instant; `nil` if a row has none.
    mutating func include(_ instant: Timestamp?) {
        guard let instant else { return }
        let known = instants ?? instant...instant
        instants = min(known.lowerBound, instant)...max(known.upperBound, instant)
    }

    /// Includes the cell of a key that is a unit of time.
    mutating func include(_ cell: Cell) {
        switch cell {
        case .text(let name): include(name)
        case .instant(let instant): include(instant)
        default: break
        }
    }

    /// The first and the newest instant; `nil` if none was included.
    var span: ClosedRange<Timestamp>? { instants }

    /// Includes the refunds of a sale that are booked in the selected period.
    mutating func include(refundsOf sale: SettledTransaction, _ rules: borrowing LedgerRules) {
        for entry in rules.refundEntries(of: sale) where rules.includes(entry) { include(entry.date) }
    }

    /// Gives the instants to a coder; names are gathered when a report is finished.
    mutating func visitSums(_ coder: inout some SumCoder) throws {
        var (first, last) = (instants?.lowerBound, instants?.upperBound)
        try coder.earlier(&first)
        try coder.later(&last)
        guard let first, let last else { return }
        guard first <= last else { throw coder.refusal("time that ends before it begins") }
        instants = first...last
    }

    /// `nil` if no row has a date.
    var period: ReportPeriod? {
        if let names { return ReportPeriod(first: .text(names.lowerBound), last: .text(names.upperBound)) }
        return instants.map { ReportPeriod(first: .instant($0.lowerBound), last: .instant($0.upperBound)) }
    }
}
