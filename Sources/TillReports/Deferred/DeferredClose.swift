import TillCore
import TillLedger
import TillReportModel

/// Deferred revenue as the schedules of a close: the movement, also by currency, and the schedule of the balance.
struct DeferredClose: Sendable {
    let statement: DeferralStatement
    /// The sections of the report.
    let sections: [Section]
    let unit: GroupKey
    let base: CurrencyCode?

    func schedules() -> ClosingSchedules {
        var schedules: [Schedule] = []
        if let base { schedules.append(Schedule(.deferred, movement(base))) }
        schedules.append(Schedule(.deferred, byCurrency))
        if let base {
            schedules.append(Schedule(.deferred, schedule(base)))
        } else if let section = sections.first(where: { $0.name == "schedule" }) {
            schedules.append(Schedule(.deferred, section.called("Deferred schedule")))
        }
        for section in sections where section.name == "unconverted" {
            schedules.append(Schedule(.exceptions, section))
        }
        return ClosingSchedules(schedules, tieOuts: tieOuts)
    }

    private var time: ReportColumn<DeferredRow> { ReportColumn(unit.heading) { .text($0.time) } }

    private var balancesAddUp: Bool { statement.balancesAddUp }

    private var currency: ReportColumn<DeferredRow> {
        ReportColumn(GroupKey.currency.heading) { .text($0.currency?.description) }
    }

    private func movement(_ base: CurrencyCode) -> Section {
        let columns = DeferredRow.baseColumns(base, balancesAddUp: balancesAddUp).map { column in
            var heading = column.heading
            heading.title += " (\(base))"
            return ReportColumn(heading, cell: column.cell)
        }
        return Section(
            name: "converted",
            title: "Deferred revenue, \(base)",
            columns: [time, currency] + columns,
            rows: statement.convertedTotals
        )
        .called("Deferred revenue").totalled(rowCheck: DeferredRow.balanceCheck)
    }

    /// Without the columns of the base currency but the balance.
    private var byCurrency: Section {
        var columns = [time, currency] + DeferredRow.columns(base: nil, balancesAddUp: balancesAddUp)
        if let base {
            var closing = DeferredRow.convertedClosing(base)
            if balancesAddUp { closing = closing.additive }
            columns.append(closing)
        }
        return Section(
            name: "by_currency",
            title: base == nil ? "Deferred revenue" : "Deferred revenue by currency",
            columns: columns,
            rows: statement.totals
        )
        .called(base == nil ? "Deferred revenue" : "Deferred by currency")
        .totalled(rowCheck: DeferredRow.balanceCheck)
    }

    private struct Earned: Sendable {
        /// `nil` for all that comes after the last month or week that is listed.
        let time: String?
        var amount: Int128 = 0
    }

    /// The part of the balance earned in each month or week, for all currencies together.
    private func schedule(_ base: CurrencyCode) -> Section {
        var amounts: [String?: Earned] = [:]
        for row in statement.schedule {
            amounts[row.time, default: Earned(time: row.time)].amount += row.converted ?? 0
        }
        return Section(
            name: "converted_schedule",
            title: "When the closing balance is earned, \(base)",
            columns: [
                ReportColumn(unit.heading) { .text($0.time) },
                ReportColumn("earned", "Earned (\(base))") { .money($0.amount, base) }.additive,
            ],
            rows: amounts.values.sorted { Order.precedes($0.time, $1.time) }
        )
        .called("Deferred schedule").totalled()
    }

    private var tieOuts: [TieOut] {
        func perCurrency(_ title: String, _ left: TieOut.Figure, _ right: TieOut.Figure) -> TieOut {
            TieOut(title, [left], [right], isPerCurrency: true)
        }
        var ties = ["billed", "refunds", "earned"].map { measure in
            perCurrency(
                "Deferred, \(measure): currencies and all rows",
                .init(measure, in: "by_currency"),
                .init(measure, in: "deferred")
            )
        }
        ties.append(
            perCurrency(
                "Deferred, closing balance: currencies and schedule",
                .init("closing", in: "by_currency"),
                .init("earned", in: "schedule")
            )
        )
        guard let base else { return ties }
        for measure in ["billed", "refunds", "earned"] {
            ties.append(
                TieOut(
                    "Deferred, \(measure) (\(base)): movement and all rows",
                    [.init(measure, in: "converted")],
                    [.init("converted_" + measure, in: "deferred")]
                )
            )
        }
        ties.append(
            TieOut(
                "Deferred, closing balance (\(base)): movement and schedule",
                [.init("closing", in: "converted")],
                [.init("earned", in: "converted_schedule")]
            )
        )
        return ties
    }
}

extension DeferredReport {
    /// Tie-outs of a report of all reports: billed and refunds equal the gross and the refunds of revenue.
    static let tieOutsWithRevenue = [("billed", "gross"), ("refunds", "refunds")].map { measure, revenue in
        TieOut(
            "Deferred, \(measure): \(revenue) of revenue",
            [.init(measure, in: "deferred", of: name)],
            [.init(revenue, in: "revenue", of: RevenueReport.name)],
            isPerCurrency: true
        )
    }
}
