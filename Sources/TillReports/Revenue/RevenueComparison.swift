import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// Revenue compared with an earlier month, year or report. A group that is in only one of the two has a row too.
///
/// A month that ended before the first sale of the input is not known, and not 0. A total is not known if one of its
/// earlier months is not.
struct RevenueComparison {
    let sections: [Section]
    let notes: [String]

    /// Names of the keys of a row.
    private typealias Names = [String?]

    /// A group with its figures now and before.
    private struct Pair {
        let names: Names
        /// `nil` if the group has figures only before.
        let group: Group?
        let now: RevenueFigures
        /// `nil` if it is not known.
        let before: RevenueFigures?

        func cell(at index: Int, by key: GroupKey) -> Cell { group?.cell(at: index, by: key) ?? .text(names[index]) }
    }

    /// A figure of a pair: a row of the comparison.
    private struct Change {
        let pair: Pair
        let figure: String
        let now: Cell
        let before: Cell
        let difference: Cell
        let relative: Cell
    }

    /// - Parameters:
    ///   - firstSale: the first sale of the input, also outside the period.
    ///   - time: includes the times of the rows that have changes.
    init(
        _ comparison: Comparison,
        keys: [GroupKey],
        rows: some Collection<RevenueRow>,
        history: GroupTable<RevenueFigures>?,
        firstSale: Timestamp?,
        _ ledger: borrowing SettledLedger,
        _ time: inout CoveredTime
    ) {
        let reach = ComparableMonths(comparison, keys: keys, firstSale: firstSale, ledger.rules.calendar)
        var before: [Names: RevenueFigures] = [:]
        var notes: [String] = []
        switch comparison {
        case .month, .year:
            let months = comparison.months ?? 1
            if let history { before = Self.earlier(history, months: months, rows: rows, ledger) }
            notes.append("Each month is compared with \(months == 1 ? "the month" : "the same month a year") before.")
            if !reach.includesAll(of: rows, ledger.rules) {
                notes.append(
                    "A month that ended before the first sale of the input is not known, nor is a total with it."
                )
            }
        case .report(let report):
            for row in report.rows { before[row.keys] = row.figures }
            notes.append("The earlier report is \(report.name).")
            notes += Self.differences(of: report, from: ledger)
        }
        self.notes = notes
        let currencyIndex = keys.firstIndex(of: .currency) ?? 0
        let changes = Self.pairs(rows, before, reach).flatMap { Self.changes(of: $0, in: $0.names[currencyIndex]) }
        if let index = keys.timeIndex {
            for change in changes { time.include(change.pair.cell(at: index, by: keys[index])) }
        }
        let earlierTotals = reach.includesAll(of: rows, ledger.rules) ? before : nil
        let totalChanges = Self.pairs(totals: rows, earlierTotals, currencyIndex).flatMap {
            Self.changes(of: $0, in: $0.names[0])
        }
        let titles = Self.titles(comparison, ledger.rules)
        sections = [
            Section(
                name: "comparison",
                title: "Compared",
                columns: Self.columns(by: keys, titles),
                rows: changes
            ),
            Section(
                name: "comparison_totals",
                title: "Totals compared",
                columns: Self.columns(by: [.currency], titles),
                rows: totalChanges
            ),
        ]
    }

    /// The names of the two sides for people: the months, else their relation.
    private static func titles(_ comparison: Comparison, _ rules: LedgerRules) -> (now: String, before: String) {
        let months: Int64
        switch comparison {
        case .month: months = 1
        case .year: months = 12
        case .report: return ("This report", "Earlier report")
        }
        let calendar = rules.calendar
        guard let from = rules.period?.from, let until = rules.period?.until,
            calendar.code(of: until, by: .month) == calendar.code(of: from, by: .month) + 1
        else { return ("This month", months == 1 ? "Month before" : "Year before") }
        let month = calendar.code(of: from, by: .month)
        return (
            PeriodWords.monthName(of: month, in: calendar), PeriodWords.monthName(of: month - months, in: calendar)
        )
    }

    private static func columns(
        by keys: [GroupKey],
        _ titles: (now: String, before: String)
    ) -> [ReportColumn<Change>] {
        let keyColumns = keys.enumerated().map { index, key in
            ReportColumn<Change>(key.heading) { $0.pair.cell(at: index, by: key) }
        }
        return keyColumns + [
            ReportColumn("figure", "Figure") { change in
                .word(change.figure, change.figure.replacing("_", with: " "))
            },
            ReportColumn("now", titles.now) { $0.now },
            ReportColumn("before", titles.before) { $0.before },
            ReportColumn("change", "Change") { $0.difference },
            ReportColumn("relative", "Change %") { $0.relative },
        ]
    }

    /// All groups of both, sorted by their keys.
    private static func pairs(
        _ rows: some Collection<RevenueRow>,
        _ before: [Names: RevenueFigures],
        _ reach: ComparableMonths
    ) -> [Pair] {
        var pairs = rows.map { row in
            let names = row.group.names
            let earlier = reach.includes(row.group) ? before[names] ?? RevenueFigures() : nil
            return Pair(names: names, group: row.group, now: row.figures, before: earlier)
        }
        let known = Set(pairs.map(\.names))
        for (names, figures) in before where !known.contains(names) {
            pairs.append(Pair(names: names, group: nil, now: RevenueFigures(), before: figures))
        }
        return pairs.sorted { left, right in
            for (first, second) in zip(left.names, right.names) where first != second {
                return Order.precedes(first, second)
            }
            return false
        }
    }

    /// The totals of both by currency, sorted by it.
    ///
    /// - Parameter before: `nil` if it is not known for all months.
    private static func pairs(
        totals rows: some Collection<RevenueRow>,
        _ before: [Names: RevenueFigures]?,
        _ currencyIndex: Int
    ) -> [Pair] {
        var earlier: [String?: RevenueFigures] = [:]
        for (names, figures) in before ?? [:] { earlier[names[currencyIndex], default: RevenueFigures()] += figures }
        var now: [String?: RevenueFigures] = [:]
        for row in rows { now[row.currency?.description, default: RevenueFigures()] += row.figures }
        return Set(now.keys).union(earlier.keys).sorted(by: Order.precedes).map { currency in
            Pair(
                names: [currency],
                group: nil,
                now: now[currency] ?? RevenueFigures(),
                before: before == nil ? nil : earlier[currency] ?? RevenueFigures()
            )
        }
    }

    /// Figures of earlier months, by the names of the months that they are compared with.
    private static func earlier(
        _ history: GroupTable<RevenueFigures>,
        months: Int64,
        rows: some Collection<RevenueRow>,
        _ ledger: borrowing SettledLedger
    ) -> [Names: RevenueFigures] {
        guard let monthKey = history.keys.firstIndex(of: .month) else { return [:] }
        let currencyIndex = history.keys.firstIndex(of: .currency) ?? 0
        let calendar = ledger.rules.calendar
        let latest = rows.lazy.map { $0.group.code(at: monthKey) }.filter { $0 != GroupCode.unknown }.max()
        let scope = ledger.rules.period.map { period in
            let first = period.from.map { calendar.code(of: $0, by: .month) } ?? .min
            let last = period.until.map {
                calendar.code(of: Timestamp(milliseconds: $0.milliseconds - 1), by: .month)
            }
            return (first, last ?? latest ?? .min)
        }
        var before: [Names: RevenueFigures] = [:]
        for group in history.sorted(ledger) {
            let month = group.code(at: monthKey)
            guard month != GroupCode.unknown else { continue }
            let target = month + months
            // A month that the report does not show has nothing to compare with.
            guard target >= scope?.0 ?? .min, target <= scope?.1 ?? latest ?? .min else { continue }
            var names = group.names
            names[monthKey] = ledger.name(of: target, by: .month)
            let currency = names[currencyIndex].flatMap { CurrencyCode($0) }
            before[names] = history[group.number].rounded(in: currency)
        }
        return before
    }

    /// The settings in which the other report differs, a sentence each.
    private static func differences(of report: EarlierReport, from ledger: borrowing SettledLedger) -> [String] {
        let rules = ledger.rules
        let settings: KeyValuePairs = [
            "calendar": rules.calendar.kind.rawValue, "tz": rules.calendar.zone.name,
            "refunds_by": rules.refundDating.rawValue,
            "environment": ledger.environments.words.joined(separator: ","), "trust": rules.trust,
        ]
        let before = Dictionary(report.settings.map { ($0.name, $0.value) }) { $1 }
        return settings.compactMap { name, new in
            guard let old = before[name], old != new else { return nil }
            return "The two reports were made with different settings: \(name) is \(new) here and \(old) in "
                + "\(report.name)."
        }
    }

    /// The figures of a pair that are not zero in both.
    private static func changes(of pair: Pair, in currency: String?) -> [Change] {
        let code = currency.flatMap { CurrencyCode($0) }
        func count(_ figure: String, _ value: KeyPath<RevenueFigures, Int64>) -> Change? {
            change(figure, Int128(pair.now[keyPath: value]), pair.before.map { Int128($0[keyPath: value]) }) {
                .count(Int64($0))
            }
        }
        func money(_ figure: String, _ value: KeyPath<RevenueFigures, Int128>) -> Change? {
            guard let code else { return nil }
            return change(figure, pair.now[keyPath: value], pair.before?[keyPath: value]) { .money($0, code) }
        }
        func change(_ figure: String, _ new: Int128, _ old: Int128?, _ cell: (Int128) -> Cell) -> Change? {
            guard new != 0 || old ?? 0 != 0 else { return nil }
            return Change(
                pair: pair,
                figure: figure,
                now: cell(new),
                before: old.map(cell) ?? .absent,
                difference: old.map { cell(new - $0) } ?? .absent,
                relative: .change(from: old, to: new)
            )
        }
        return [
            count("transactions", \.transactions),
            count("units", \.units),
            money("gross", \.gross),
            count("refunded_transactions", \.refundedTransactions),
            money("refunds", \.refunds),
            money("net", \.net),
        ].compactMap(\.self)
    }
}

/// The months that the input reaches back far enough to compare: the month, or year, before them did not end before the
/// first sale.
private struct ComparableMonths {
    /// The first of them; `nil` if there is none.
    private let first: Int64?
    /// The place of the month among the keys; `nil` for an earlier report, which has all of its figures.
    private let monthIndex: Int?

    init(_ comparison: Comparison, keys: [GroupKey], firstSale: Timestamp?, _ calendar: BookingCalendar) {
        let months = comparison.months
        monthIndex = months == nil ? nil : keys.firstIndex(of: .month)
        first = firstSale.map { calendar.code(of: $0, by: .month) + (months ?? 0) }
    }

    func includes(_ group: Group) -> Bool { monthIndex.map { includes(month: group.code(at: $0)) } ?? true }

    private func includes(month: Int64) -> Bool { month != GroupCode.unknown && first.map { month >= $0 } ?? false }

    /// Whether the first month of the period, else of the rows, is one of them.
    func includesAll(of rows: some Collection<RevenueRow>, _ rules: LedgerRules) -> Bool {
        guard let monthIndex else { return true }
        let start = rules.period?.from.map { rules.calendar.code(of: $0, by: .month) }
        let month = start ?? rows.lazy.map { $0.group.code(at: monthIndex) }.filter { $0 != GroupCode.unknown }.min()
        return month.map(includes) ?? false
    }
}
