import TillCore
import TillLedger
import TillPricing

/// The rows of a deferral, its totals and its schedule, checked.
///
/// - closing = opening + billed − refunds − earned, in every row and total;
/// - the opening balance of a month is the closing balance of the month before;
/// - the schedule of a currency adds up to its last closing balance, so that in the end all that was billed and not
///   refunded is earned.
///
/// Balances are summed from the balance of each sale, movements from bookings and earned amounts, so the check compares
/// two independent sums.
struct DeferralStatement {
    let keys: [GroupKey]
    private(set) var rows: [DeferredRow] = []
    /// By unit and currency.
    private(set) var totals: [DeferredRow] = []
    private(set) var schedule: [ScheduledRow] = []
    /// By unit, in the base currency.
    private(set) var convertedTotals: [DeferredRow] = []
    private(set) var rates: DeferralRates?
    /// Whether balances of rows may be added: a balance belongs to the end of its month or week, so balances of several
    /// months must not be added.
    var balancesAddUp: Bool { Set(rows.map(\.unit)).count == 1 }
    let calendar: DeferralCalendar
    private let rounding: Rounding
    private let lastUnit: Int64?

    /// - Parameter keys: those of the rows, of which one is the unit of time.
    init(
        _ table: DeferralTable,
        by keys: [GroupKey],
        _ rules: LedgerRules,
        _ ledger: borrowing SettledLedger
    ) throws(Finding) {
        self.keys = keys
        calendar = table.calendar
        rounding = rules.rounding
        lastUnit = table.lastUnit
        rates = DeferralRates(rules)
        let groups = OrderedGroups(table.groups, before: keys.timeIndex ?? 0, ledger)
        let later = try makeRows(table, groups)
        makeTotals()
        try makeSchedule(later, groups)
        try DeferralCheck(totals: totals, convertedTotals: convertedTotals, schedule: schedule, lastUnit: lastUnit)
            .verify()
    }

    /// A sum, and its position among the rows.
    private struct Entry {
        let key: DeferralKey
        let cell: DeferralCells.Cell
        let place: OrderedGroups.Place
        /// Unknown units are the last.
        var time: Int64 { key.unit == GroupCode.unknown ? .max : key.unit }
    }

    private static func entries(_ cells: DeferralCells, _ groups: OrderedGroups) -> [Entry] {
        var entries: [Entry] = []
        entries.reserveCapacity(cells.count)
        cells.visit { entries.append(Entry(key: $0, cell: $1, place: groups.place(of: $0.group))) }
        return entries.sorted { left, right in
            if left.place.prefix != right.place.prefix { return left.place.prefix < right.place.prefix }
            if left.time != right.time { return left.time < right.time }
            if left.place.rank != right.place.rank { return left.place.rank < right.place.rank }
            return (left.key.rate ?? .min) < (right.key.rate ?? .min)
        }
    }

    /// The state of a group up to the row before.
    private struct Balance {
        var unit: Int64
        /// Exact.
        var closing: Int128 = 0
        var converted: Int128 = 0
    }

    /// Makes the rows; gives the entries that come after the last unit.
    private mutating func makeRows(_ table: DeferralTable, _ groups: OrderedGroups) throws(Finding) -> [Entry] {
        let entries = Self.entries(table.cells, groups)
        var later = Self.entries(table.scheduled, groups)
        var balances = try openings(table, groups)
        var start = 0
        while start < entries.count {
            let (unit, group) = (entries[start].key.unit, entries[start].key.group)
            var end = start
            while end < entries.count, entries[end].key.unit == unit, entries[end].key.group == group { end += 1 }
            defer { start = end }
            guard unit == GroupCode.unknown || unit <= lastUnit ?? .max else {
                later += entries[start..<end]
                continue
            }
            let row = try row(entries[start..<end], of: groups, &balances)
            try DeferralCheck.verify(row, named: row.description)
            let isEmpty = row.figures.isZero && row.converted?.figures.isZero ?? true
            if !isEmpty { rows.append(row) }
        }
        return later
    }

    /// The balances when the period begins, by group.
    private mutating func openings(
        _ table: DeferralTable,
        _ groups: OrderedGroups
    ) throws(Finding) -> [Int: Balance] {
        var balances: [Int: Balance] = [:]
        var sums: [Int: DeferralRates.Sums] = [:]
        for entry in Self.entries(table.openings, groups) {
            let group = entry.key.group
            balances[group, default: Balance(unit: entry.key.unit - 1)].closing += entry.cell.closing
            try addConverted(entry, of: groups, to: &sums[group, default: DeferralRates.Sums()])
        }
        guard let base = rates?.base else { return balances }
        for (group, sum) in sums { balances[group]?.converted = sum.closingBalance(in: base, rounding) }
        return balances
    }

    /// Adds the converted amounts of an entry; `false` if it has no rate, or nothing is converted.
    @discardableResult
    private mutating func addConverted(
        _ entry: Entry,
        of groups: OrderedGroups,
        to sums: inout DeferralRates.Sums
    ) throws(Finding) -> Bool {
        guard let currency = groups.currency(of: entry.key.group),
            let rate = try rates?.rate(of: currency, at: entry.key.rate)
        else { return false }
        guard sums.add(entry.cell, times: rate) else {
            throw rates?.overflow(currency) ?? .unbalanced("\(currency)")
        }
        return true
    }

    /// A row of one group and unit from the sums of all rates.
    private mutating func row(
        _ entries: ArraySlice<Entry>,
        of groups: OrderedGroups,
        _ balances: inout [Int: Balance]
    ) throws(Finding) -> DeferredRow {
        let key = entries[entries.startIndex].key
        let isDated = key.unit != GroupCode.unknown
        let currency = groups.currency(of: key.group)
        var row = DeferredRow(
            group: groups.group(key.group),
            unit: key.unit,
            time: isDated ? calendar.name(of: key.unit) : nil,
            currency: currency
        )
        let before = isDated ? balances[key.group] : nil
        var (cell, converted, sums) = (DeferralCells.Cell(), ConvertedDeferral(), DeferralRates.Sums())
        for entry in entries {
            cell += entry.cell
            if try addConverted(entry, of: groups, to: &sums) {
                converted.hasConverted = true
            } else if let currency {
                converted.unconverted += entry.cell.bookings
                converted.lacksRates = converted.lacksRates || !entry.cell.isZero
                try rates?.note(entry.cell, of: currency, at: entry.key.rate)
            }
        }
        let exact = DeferredFigures(
            opening: before?.closing ?? 0,
            billed: cell.billed,
            refunds: cell.refunds,
            earned: cell.earned,
            closing: cell.closing
        )
        guard exact.isBalanced else { throw .unbalanced(row.description) }
        row.figures = exact.rounded(in: currency)
        if let base = rates?.base {
            converted.figures = sums.movement(from: before?.converted ?? 0, to: base, rounding)
            row.converted = converted
        }
        if isDated {
            // A balance that skips a month would be lost between two rows.
            if let before, before.closing != 0, before.unit != key.unit - 1 { throw .unbalanced(row.description) }
            balances[key.group] = Balance(
                unit: key.unit,
                closing: cell.closing,
                converted: converted.figures.closing
            )
        }
        return row
    }
}

// MARK: - Totals and schedule

extension DeferralStatement {
    private struct TotalKey: Hashable {
        let unit: Int64
        let currency: CurrencyCode?
    }

    private mutating func makeTotals() {
        totals = sum { $0.currency }
        if let base = rates?.base { convertedTotals = sum { _ in base } }
    }

    /// One row for each unit and currency, in this order.
    private func sum(by currency: (DeferredRow) -> CurrencyCode?) -> [DeferredRow] {
        var sums: [TotalKey: DeferredRow] = [:]
        for row in rows {
            let key = TotalKey(unit: row.unit, currency: currency(row))
            var sum =
                sums[key]
                ?? DeferredRow(
                    group: Group(
                        codes: [key.currency.map { Int64($0.packed) } ?? GroupCode.unknown],
                        names: [key.currency?.description]
                    ),
                    unit: row.unit,
                    time: row.time,
                    currency: key.currency
                )
            sum.add(row)
            sums[key] = sum
        }
        func time(_ row: DeferredRow) -> Int64 { row.unit == GroupCode.unknown ? .max : row.unit }
        return sums.values.sorted { left, right in
            if left.unit != right.unit { return time(left) < time(right) }
            return Order.precedes(left.currency?.description, right.currency?.description)
        }
    }

    private struct Scheduled {
        var cell = DeferralCells.Cell()
        var sums = DeferralRates.Sums()
    }

    private mutating func makeSchedule(_ later: [Entry], _ groups: OrderedGroups) throws(Finding) {
        guard let lastUnit else { return }
        let limit = lastUnit + DeferralTable.scheduleLimit(calendar.unit)
        var scheduled: [CurrencyCode: [Int64: Scheduled]] = [:]
        for entry in later {
            guard let currency = groups.currency(of: entry.key.group) else { continue }
            let unit = min(entry.key.unit, limit + 1)
            var known = scheduled[currency]?[unit] ?? Scheduled()
            known.cell += entry.cell
            // All amounts after the limit are in one row, with a balance of 0 at its end.
            if unit <= limit { try addConverted(entry, of: groups, to: &known.sums) }
            scheduled[currency, default: [:]][unit] = known
        }
        let balances = DeferralCheck(totals: totals, schedule: [], lastUnit: lastUnit).lastBalances
        for (currency, units) in scheduled.sorted(by: { $0.key.description < $1.key.description }) {
            var shown = balances[currency]?.figures.closing ?? 0
            var converted = balances[currency]?.converted.flatMap { $0.isKnown ? $0.figures.closing : nil }
            for (unit, sum) in units.sorted(by: { $0.key < $1.key }) {
                let isListed = unit <= limit
                var row = ScheduledRow(currency: currency, time: isListed ? calendar.name(of: unit) : nil)
                let closing = Money(millionths: isListed ? sum.cell.closing : 0, currency: currency)
                row.earned = shown - closing.roundedToMinorUnit.millionths
                shown = closing.roundedToMinorUnit.millionths
                if let base = rates?.base, let before = converted {
                    let after = sum.sums.closingBalance(in: base, rounding)
                    row.converted = before - after
                    converted = after
                }
                if row.earned != 0 || row.converted ?? 0 != 0 { schedule.append(row) }
            }
        }
    }
}
