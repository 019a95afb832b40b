import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// Refunds that fall into a later month than their purchase.
struct LateRefunds {
    private typealias Figure = RevenueMeasure

    /// By the month of the refund; the second time is the month of the purchase.
    private var refunds: Cube
    private let rules: LedgerRules

    init(_ rules: LedgerRules) {
        self.rules = rules
        let unit = rules.calendar.kind.period
        let keys = [GroupKey(unit), .productID, .currency]
        refunds = Cube(RevenueField.self, by: keys, secondTime: unit, without: RevenueField.ofParts)
    }

    /// Adds a late refund. The reversal of one is a negative refund.
    mutating func add(_ entry: LedgerRules.RefundEntry, of transaction: SettledTransaction) {
        let calendar = rules.calendar
        refunds.add(
            RevenueValues(refundOf: transaction, entry, rules),
            of: transaction,
            at: entry.date,
            second: transaction.purchaseDate.map { calendar.code(of: $0, by: calendar.kind.period) },
            in: calendar
        )
    }

    mutating func visitSums(_ coder: inout some SumCoder) throws { try refunds.visitSums(&coder) }

    /// `time` gets the months in which they are booked.
    func section(_ ledger: borrowing SettledLedger, _ time: inout CoveredTime) -> Section {
        let unit = GroupKey(rules.calendar.kind.period)
        let cube = refunds.named(by: ledger).sorted(by: .key(unit), .secondTime, .key(.productID), .key(.currency))
            .rounded
        for group in cube.groups { time.include(cube.name(of: group, at: 0)) }
        var view = CubeView(forPrograms: cube)
        view.insert(
            ReportColumn("purchase_\(unit.rawValue)", "Purchased", texts: .dates) { .text(cube.secondName(of: $0)) },
            at: 1
        )
        view.add([Figure.refunded, Figure.refundedUnits.titled("Units").named("units"), Figure.refunds.notMain])
        // Without a period there are many rows. To close a month, one asks for that month.
        let role: Section.Role = rules.period == nil ? .detail : .figures
        return view.section("adjustments", "Refunds of earlier \(unit.rawValue)s", role: role)
            .called("Late refunds").totalled()
    }
}
