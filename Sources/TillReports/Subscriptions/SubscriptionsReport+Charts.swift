import TillCore
import TillLedger
import TillReportModel

extension SubscriptionsReport {
    private static let mostMonths = 60

    /// Active subscriptions and churn by month.
    func charts(of flows: [MonthRow<MonthFlow>]) -> [Chart] {
        let active = ReportColumn<MonthRow<MonthFlow>>("active_at_end", "Active at end") {
            .count($0.figures.flow.activeAtEnd)
        }
        let churn = ReportColumn<MonthRow<MonthFlow>>("churn_rate", "Churn rate") { $0.figures.churnRate }
        return [
            lines("Active subscriptions", "Subscriptions", of: flows, active),
            lines("Churn rate", "Share of those active at the start", of: flows, churn),
        ].compactMap(\.self)
    }

    /// A line over the months of some rows; of more than ``mostMonths``, over the last ones.
    func lines<Figures>(
        _ title: String,
        _ valueTitle: String,
        of rows: [MonthRow<Figures>],
        _ column: ReportColumn<MonthRow<Figures>>,
        notes: [String] = []
    ) -> Chart? {
        let shown = rows.suffix(Self.mostMonths)
        let unitTitle = unit.title.lowercased()
        let cut = Chart.notDrawn(rows.count - shown.count, "earlier \(unitTitle)", "earlier \(unitTitle)s")
        // One point makes no line.
        guard shown.count > 1 else { return nil }
        return Chart(
            title: title + " by \(unitTitle)",
            kind: .lines,
            categoryTitle: unit.title,
            valueTitle: valueTitle,
            categories: shown.map { .text($0.month) },
            series: [Chart.Series(title: column.heading.title, values: shown.map(column.cell))],
            notes: [cut].compactMap(\.self) + notes
        )
    }

    /// Recurring revenue by month, each currency on a scale of its own.
    func charts(of recurring: [MonthRow<RecurringRevenue>]) -> [Chart] {
        var amounts = AmountCharts("MRR", by: unit.title)
        for row in recurring {
            amounts.add(row.figures.perMonth, at: .text(row.month), of: "all products")
        }
        let unpriced = recurring.count { $0.figures.currency == nil }
        return amounts.charts(notes: [
            Chart.notDrawn(unpriced, "row without a known price", "rows without a known price")
        ])
    }

    /// A heat map with a row per cohort and a field per month of life. A month that has not begun is absent.
    func charts(of retention: [RetentionRow]) -> [Chart] {
        var names: [String] = []
        var rates: [String: [Int: Cell]] = [:]
        var (last, longest) = (0, 0)
        for row in retention {
            let life = row.counts.month
            longest = max(longest, life)
            guard (0..<Self.mostLifeMonths).contains(life) else { continue }
            if rates[row.cohort] == nil { names.append(row.cohort) }
            rates[row.cohort, default: [:]][life] = row.rate
            last = max(last, life)
        }
        guard !names.isEmpty else { return [] }
        let lifeTitle = "\(unit.title) of life"
        let notes = [
            Chart.notDrawn(names.count - Self.mostCohorts, "earlier cohort", "earlier cohorts"),
            longest > last ? "Not drawn: \(lifeTitle.lowercased()) \(last + 1) to \(longest)" : nil,
        ]
        return [
            Chart(
                title: "Retention by cohort"
                    + (names.count > Self.mostCohorts ? " (the last \(Self.mostCohorts))" : ""),
                kind: .heatMap,
                categoryTitle: lifeTitle,
                valueTitle: "Share of chains retained",
                categories: (0...last).map { .code(Int64($0)) },
                series: names.suffix(Self.mostCohorts).map { name in
                    Chart.Series(title: name, values: (0...last).map { rates[name]?[$0] ?? .absent })
                },
                notes: notes.compactMap(\.self)
            )
        ]
    }

    private static let mostLifeMonths = 13
    private static let mostCohorts = 24
}
