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

    private typealias Figure = RevenueMeasure

    /// A row of the comparison: a measure of a group.
    private typealias Change = (group: Int, measure: Measure)

    /// - Parameters:
    ///   - rows: of the report.
    ///   - history: the figures of the whole input; `nil` if an earlier report is compared.
    ///   - firstSale: the first sale of the input, also outside the period.
    ///   - time: includes the times of the rows that have changes.
    init(
        _ comparison: Comparison,
        rows: Cube,
        history: Cube?,
        firstSale: Timestamp?,
        _ ledger: borrowing SettledLedger,
        _ time: inout CoveredTime
    ) {
        let keys = rows.keys
        let reach = ComparableMonths(comparison, keys: keys, firstSale: firstSale, ledger.rules.calendar)
        let now = rows.only(side: 0)
        var before = now.empty()
        var notes: [String] = []
        switch comparison {
        case .month, .year:
            let months = comparison.months ?? 1
            if let history { before = Self.earlier(history, months: months, now, ledger) }
            notes.append("Each month is compared with \(months == 1 ? "the month" : "the same month a year") before.")
            if !reach.includesAll(of: now, ledger.rules) {
                notes.append(
                    "A month that ended before the first sale of the input is not known, nor is a total with it."
                )
            }
        case .report(let report):
            var codes = NamedCodes(of: now, ledger.rules.calendar)
            for row in report.rows {
                let currency = keys.firstIndex(of: .currency).flatMap { row.keys[$0] }.flatMap { CurrencyCode($0) }
                before.add(RevenueValues(row.figures, in: currency), codes.codes(of: row.keys), names: row.keys)
            }
            notes.append("The earlier report is \(report.name).")
            notes += Self.differences(of: report, from: ledger)
        }
        var joined = now.joined(with: before)
        if joined.groups.contains(where: { joined.currency(of: $0) == nil }) {
            notes.append(
                "A sale or refund without a price can be in any currency, so amounts are not compared where one side has one."
            )
        }
        self.notes = notes
        for group in joined.groups where !reach.includes(group, of: joined) { joined.forget(of: group, side: 1) }
        joined = Self.comparable(joined).sorted(by: keys.map { .key($0) })
        let earlierTotals = reach.includesAll(of: now, ledger.rules) ? before.rollup(to: [.currency]) : nil
        let totals = Self.comparable(now.rollup(to: [.currency]).joined(with: earlierTotals))
            .sorted(by: [.key(.currency)])
        if let index = keys.timeIndex {
            for change in Self.changes(joined) { time.include(joined.cell(of: change.group, at: index)) }
        }
        let titles = Self.titles(comparison, ledger.rules)
        sections = [
            Self.section("comparison", "Compared", joined, titles),
            Self.section("comparison_totals", "Totals compared", totals, titles),
        ]
    }

    /// A booking without a price can be in any currency: where one side has such a booking, the other keys being equal, the
    /// amounts of the two sides are not compared.
    private static func comparable(_ joined: Cube) -> Cube {
        let numbers = joined.rolledUp(to: joined.keys.filter { $0 != .currency }).numbers
        let unpriced = Set(joined.groups.filter { joined.currency(of: $0) == nil }.map { numbers[$0] })
        var cube = joined
        for group in cube.groups where unpriced.contains(numbers[group]) {
            cube.forget(RevenueField.amounts, of: group, side: 1)
        }
        return cube
    }

    /// The figures that are not 0 on both sides.
    private static func changes(_ cube: Cube) -> [Change] {
        let measures = Figure.compared
        return cube.groups.flatMap { group in
            measures.map { (group, $0) }.filter { change in
                guard let now = cube.value(change.measure, of: group) else { return false }
                // Also where only a part of the earlier figure is known.
                return now != 0 || change.measure.sum.value(of: cube[group, 1]) != 0
            }
        }
    }

    private static func section(
        _ name: String,
        _ title: String,
        _ cube: Cube,
        _ titles: (now: String, before: String)
    ) -> Section {
        let keyColumns = CubeView(forPrograms: cube).columns.map { $0.of { (change: Change) in change.group } }
        let columns: [ReportColumn<Change>] = [
            ReportColumn("figure", "Figure") { change in
                .word(change.measure.name, change.measure.name.replacing("_", with: " "))
            },
            ReportColumn("now", titles.now) { $0.measure.cell(of: cube[$0.group, 0]) },
            ReportColumn("before", titles.before) { $0.measure.cell(of: cube[$0.group, 1]) },
            ReportColumn("change", "Change") { cube.changeCell(of: $0.measure, in: $0.group) },
            ReportColumn("relative", "Change %") { cube.relativeChange(of: $0.measure, in: $0.group) },
        ]
        return Section(name: name, title: title, columns: keyColumns + columns, rows: changes(cube))
    }

    /// The names of the two sides for people: the months, else their relation.
    private static func titles(_ comparison: Comparison, _ rules: LedgerRules) -> (now: String, before: String) {
        guard let months = comparison.months else { return ("This report", "Earlier report") }
        let calendar = rules.calendar
        guard let from = rules.period?.from, let until = rules.period?.until,
            calendar.code(of: until, by: .month) == calendar.code(of: from, by: .month) + 1
        else { return ("This month", months == 1 ? "Month before" : "Year before") }
        let month = calendar.code(of: from, by: .month)
        return (
            PeriodWords.monthName(of: month, in: calendar), PeriodWords.monthName(of: month - months, in: calendar)
        )
    }

    /// The figures of earlier months, in the months that they are compared with.
    private static func earlier(
        _ history: Cube,
        months: Int64,
        _ now: Cube,
        _ ledger: borrowing SettledLedger
    ) -> Cube {
        var before = now.empty()
        guard let monthKey = history.keys.firstIndex(of: .month) else { return before }
        let calendar = ledger.rules.calendar
        let period = ledger.rules.period
        let first = period?.from.map { calendar.code(of: $0, by: .month) } ?? .min
        let end = period?.until.map { calendar.code(of: Timestamp(milliseconds: $0.milliseconds - 1), by: .month) }
        let last = end ?? now.knownCodes(at: monthKey).max() ?? .min
        let history = history.named(by: ledger).rounded
        for group in history.groups {
            var codes = history.keys.indices.map { history.code(of: group, at: $0) }
            var names = history.keys.indices.map { history.name(of: group, at: $0) }
            guard codes[monthKey] != GroupCode.unknown else { continue }
            codes[monthKey] += months
            // A month that the report does not show has nothing to compare with.
            guard codes[monthKey] >= first, codes[monthKey] <= last else { continue }
            names[monthKey] = ledger.name(of: codes[monthKey], by: .month)
            before.add(history[group, 0], codes, names: names)
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
}

extension Cube {
    fileprivate mutating func add(_ values: some FieldValues, _ codes: [Int64], names: [String?]) {
        add(values, to: group(code: { codes[$0] }, name: { names[$0] }))
    }

    /// The codes of a key, without the unknown one.
    func knownCodes(at index: Int) -> some Sequence<Int64> {
        groups.lazy.map { code(of: $0, at: index) }.filter { $0 != GroupCode.unknown }
    }
}

/// The codes of the names that another report printed.
private struct NamedCodes {
    private let calendar: BookingCalendar
    private let keys: [GroupKey]
    /// By key.
    private var codes: [[String: Int64]]
    private var added = GroupCode.firstAdded

    /// Begins with the names and codes of a cube.
    init(of cube: Cube, _ calendar: BookingCalendar) {
        (self.calendar, keys) = (calendar, cube.keys)
        codes = keys.indices.map { index in
            let named = cube.groups.compactMap { group in
                cube.name(of: group, at: index).map { ($0, cube.code(of: group, at: index)) }
            }
            return Dictionary(named) { first, _ in first }
        }
    }

    mutating func codes(of names: [String?]) -> [Int64] {
        zip(keys.indices, names).map { index, name in name.map { code(of: $0, at: index) } ?? GroupCode.unknown }
    }

    private mutating func code(of name: String, at index: Int) -> Int64 {
        if let known = codes[index][name] { return known }
        added += 1
        let currency = keys[index] == .currency ? CurrencyCode(name).map { Int64($0.packed) } : nil
        let code = currency ?? keys[index].unit.flatMap { calendar.code(named: name, by: $0) } ?? added
        codes[index][name] = code
        return code
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

    func includes(_ group: Int, of cube: Cube) -> Bool {
        monthIndex.map { includes(month: cube.code(of: group, at: $0)) } ?? true
    }

    private func includes(month: Int64) -> Bool { month != GroupCode.unknown && first.map { month >= $0 } ?? false }

    /// Whether the first month of the period, else of the rows, is one of them.
    func includesAll(of cube: Cube, _ rules: LedgerRules) -> Bool {
        guard let monthIndex else { return true }
        let start = rules.period?.from.map { rules.calendar.code(of: $0, by: .month) }
        let month = start ?? cube.knownCodes(at: monthIndex).min()
        return month.map(includes) ?? false
    }
}
