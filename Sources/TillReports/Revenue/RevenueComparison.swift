import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// Revenue beside that of an earlier month, year or report, a line for each figure that is there in either.
struct RevenueComparison {
    let sections: [Section]
    let notes: [String]

    /// Names of the keys of a row.
    private typealias Names = [String?]

    init(
        _ comparison: Comparison,
        keys: [GroupKey],
        rows: some Collection<RevenueRow>,
        totals: [RevenueRow],
        history: GroupTable<RevenueFigures>?,
        _ ledger: borrowing SettledLedger
    ) {
        var before: [Names: RevenueFigures] = [:]
        var notes: [String] = []
        switch comparison {
        case .month, .year:
            let months = comparison.months ?? 1
            if let history { before = Self.earlier(history, months: months, rows: rows, ledger) }
            notes.append("`before` is \(months == 1 ? "the month" : "the same month a year") before.")
        case .report(let report):
            for row in report.rows { before[row.keys] = row.figures }
            notes.append("`before` is \(report.name).")
            notes += Self.differences(of: report, from: ledger)
        }

        let currencyKey = keys.firstIndex(of: .currency) ?? 0
        var lines: [(names: Names, cells: [Cell], now: RevenueFigures)] = rows.map { row in
            (row.group.names, row.group.cells(by: keys), row.figures)
        }
        let known = Set(lines.map(\.names))
        for names in before.keys where !known.contains(names) {
            lines.append((names, names.map(RevenueReport.text), RevenueFigures()))
        }
        lines.sort { left, right in
            for (first, second) in zip(left.names, right.names) where first != second {
                return Order.precedes(first, second)
            }
            return false
        }
        let columns = [
            Column("figure", "Figure"), Column("now", "Now"), Column("before", "Before"), Column("change", "Change"),
            Column("relative", "Relative"),
        ]
        let cells = lines.flatMap { line in
            Self.cells(
                of: line.names[currencyKey],
                now: line.now,
                before: before[line.names] ?? RevenueFigures()
            ).map { line.cells + $0 }
        }
        var totalsBefore: [String?: RevenueFigures] = [:]
        for (names, figures) in before { totalsBefore[names[currencyKey], default: RevenueFigures()] += figures }
        var totalsNow: [String?: RevenueFigures] = [:]
        for total in totals { totalsNow[total.group.names[0]] = total.figures }
        let currencies = Set(totalsNow.keys).union(totalsBefore.keys).sorted(by: Order.precedes)
        let totalCells = currencies.flatMap { currency in
            Self.cells(
                of: currency,
                now: totalsNow[currency] ?? RevenueFigures(),
                before: totalsBefore[currency] ?? RevenueFigures()
            ).map { [RevenueReport.text(currency)] + $0 }
        }
        sections = [
            Section(
                name: "comparison",
                title: "Compared",
                columns: keys.map(\.column) + columns,
                content: .table(cells)
            ),
            Section(
                name: "comparison_totals",
                title: "Totals compared",
                columns: [GroupKey.currency.column] + columns,
                content: .table(totalCells)
            ),
        ]
        self.notes = notes
    }

    /// Figures of earlier months under the names of the months that they are set against.
    private static func earlier(
        _ history: GroupTable<RevenueFigures>,
        months: Int64,
        rows: some Collection<RevenueRow>,
        _ ledger: borrowing SettledLedger
    ) -> [Names: RevenueFigures] {
        guard let monthKey = history.keys.firstIndex(of: .month) else { return [:] }
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
            let month = group.codes[monthKey]
            guard month != GroupCode.unknown else { continue }
            let target = month + months
            // Of the month to come there is nothing to compare with.
            guard target >= scope?.0 ?? .min, target <= scope?.1 ?? latest ?? .min else { continue }
            var names = group.names
            names[monthKey] = ledger.name(of: target, by: .month)
            before[names] = history[group.number]
        }
        return before
    }

    /// In what the other report was made differently, a sentence each.
    private static func differences(of report: EarlierReport, from ledger: borrowing SettledLedger) -> [String] {
        let now = Dictionary(ReportRegistry.settings(of: ledger).plain.map { ($0.name, $0.value) }) { $1 }
        let names = ["calendar", "tz", "refunds_by", "environment", "trust"]
        let before = Dictionary(report.settings.map { ($0.name, $0.value) }) { $1 }
        return names.compactMap { name in
            guard let old = before[name], let new = now[name], old != new else { return nil }
            return "The figures are not made alike: \(name) is \(new) here and \(old) in \(report.name)."
        }
    }

    private static func cells(of currency: String?, now: RevenueFigures, before: RevenueFigures) -> [[Cell]] {
        let code = currency.flatMap { CurrencyCode($0) }
        func count(_ name: String, _ new: Int64, _ old: Int64) -> [Cell]? {
            guard new != 0 || old != 0 else { return nil }
            return [.text(name), .count(new), .count(old), .count(new - old), .ratio(new - old, of: old)]
        }
        func money(_ name: String, _ new: Int128, _ old: Int128) -> [Cell]? {
            guard let code, new != 0 || old != 0 else { return nil }
            let cells = [new, old, new - old].map { Cell.money(Money(millionths: $0, currency: code)) }
            return [.text(name)] + cells + [ratio(new - old, of: old)]
        }
        return [
            count("transactions", now.transactions, before.transactions),
            count("units", now.units, before.units),
            money("gross", now.gross, before.gross),
            count("refunded_transactions", now.refundedTransactions, before.refundedTransactions),
            money("refunds", now.refunds, before.refunds),
            money("net", now.net, before.net),
        ].compactMap(\.self)
    }

    /// A share of two amounts; of amounts beyond 64 bits, in whole units, which is more than six decimals need.
    private static func ratio(_ part: Int128, of whole: Int128) -> Cell {
        for unit in [1, Money.millionthsPerUnit, Money.millionthsPerUnit * 1_000_000] {
            if let part = Int64(exactly: part / unit), let whole = Int64(exactly: whole / unit) {
                return .ratio(part, of: whole)
            }
        }
        return .absent
    }
}

extension Section {
    /// A record's facts as text, for comparing what two reports were made by.
    var plain: [(name: String, value: String)] {
        guard case .record(let cells) = content else { return [] }
        return zip(columns, cells).map { column, cell in
            switch cell {
            case .text(let text): (column.name, text)
            case .list(let items): (column.name, items.joined(separator: ","))
            default: (column.name, "\(cell)")
            }
        }
    }
}
