import TillCore
import TillReportModel

extension SubscriptionsReport {
    /// The sections with their charts: subscriptions and churn by month, recurring revenue, trials, and retention as a
    /// heat map. Each is made from its finished table.
    static func withCharts(_ sections: [Section]) -> [Section] {
        sections.map { table in
            var section = table
            section.drawing = { charts(of: table) }
            return section
        }
    }

    private static func charts(of table: Section) -> [Chart] {
        switch table.name {
        case "by_month", "by_week":
            [
                lines(of: table, "Active subscriptions", "Subscriptions", ["active_at_end"]),
                lines(of: table, "Churn rate", "Share of those active at the start", ["churn_rate"]),
            ].compactMap(\.self)
        case "mrr": recurringRevenue(of: table)
        case "trials": [lines(of: table, "Trial conversion", "Converted trials", ["rate"])].compactMap(\.self)
        case "retention": [cohorts(of: table)].compactMap(\.self)
        default: []
        }
    }

    private static let mostCharts = 4
    private static let mostMonths = 60

    /// A line for each of some columns over the months of a table, the last sixty.
    private static func lines(
        of table: Section,
        _ title: String,
        _ value: String,
        _ measures: [String],
        rows: TableRows? = nil,
        notes: [String] = []
    ) -> Chart? {
        let columns = measures.compactMap { table.index(of: $0) }
        guard let month = table.timeColumn, columns.count == measures.count else { return nil }
        let all = rows ?? table.tableRows
        let shown = all.suffix(mostMonths)
        let part = table.columns[month].title.lowercased()
        let cut = Chart.notDrawn(all.count - shown.count, "earlier \(part)", "earlier \(part)s")
        // One month is no course.
        guard shown.count > 1 else { return nil }
        return Chart(
            title: title + " by \(part)",
            kind: .lines,
            categoryTitle: table.columns[month].title,
            valueTitle: value,
            categories: shown.map { $0[month] },
            series: columns.map { column in
                Chart.Series(title: table.columns[column].title, values: shown.map { $0[column] })
            },
            notes: [cut].compactMap(\.self) + notes
        )
    }

    private static func recurringRevenue(of table: Section) -> [Chart] {
        guard let amount = table.index(of: "mrr") else { return [] }
        var rows: [CurrencyCode: TableRows] = [:]
        var unpriced = 0
        for row in table.tableRows {
            guard case .money(let money) = row[amount] else {
                unpriced += 1
                continue
            }
            rows[money.currency, default: TableRows()].append(row)
        }
        // One month is no course, so what has one takes no place from the others.
        let ranked = rows.filter { $0.value.count > 1 }.sorted {
            ($1.value.count, $0.key) < ($0.value.count, $1.key)
        }
        let largest = ranked.prefix(mostCharts)
        let drawn = Set(largest.map(\.key))
        let notes = [
            Chart.notDrawn(rows.keys.filter { !drawn.contains($0) }),
            Chart.notDrawn(unpriced, "row without a known price", "rows without a known price"),
        ].compactMap(\.self)
        return largest.sorted { $0.key < $1.key }.compactMap { currency, rows in
            lines(of: table, "Recurring revenue, \(currency),", "MRR, \(currency)", ["mrr"], rows: rows, notes: notes)
        }
    }

    /// A row per cohort and a field per month of life; what has not begun is absent.
    private static func cohorts(of table: Section) -> Chart? {
        guard let cohort = table.index(of: "cohort"),
            let month = table.index(of: "month_of_life") ?? table.index(of: "week_of_life"),
            let rate = table.index(of: "rate")
        else { return nil }
        var names: [Cell] = []
        var rates: [Cell: [Int64: Cell]] = [:]
        var last: Int64 = 0
        var longest: Int64 = 0
        for row in table.tableRows {
            guard case .count(let life) = row[month] else { continue }
            longest = max(longest, life)
            guard (0..<Int64(mostLifeMonths)).contains(life) else { continue }
            if rates[row[cohort]] == nil { names.append(row[cohort]) }
            rates[row[cohort], default: [:]][life] = row[rate]
            last = max(last, life)
        }
        guard !names.isEmpty else { return nil }
        return Chart(
            title: "Retention by cohort" + (names.count > mostCohorts ? " (the last \(mostCohorts))" : ""),
            kind: .heatMap,
            categoryTitle: table.columns[month].title,
            valueTitle: "Share of chains retained",
            categories: (0...last).map { .code($0) },
            series: names.suffix(mostCohorts).map { name in
                Chart.Series(
                    title: name.name(orElse: "unknown"),
                    values: (0...last).map { rates[name]?[$0] ?? .absent }
                )
            },
            notes: [
                Chart.notDrawn(names.count - mostCohorts, "earlier cohort", "earlier cohorts"),
                longest > last
                    ? "Not drawn: \(table.columns[month].title.lowercased()) \(last + 1) to \(longest)" : nil,
            ].compactMap(\.self)
        )
    }

    private static let mostLifeMonths = 13
    private static let mostCohorts = 24
}
