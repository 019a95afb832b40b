import TillCore
import TillLedger
import TillPricing

/// The movements of all sales, summed by group and month or week.
///
/// A sale of a year touches 13 months. One that takes longer than ``longestDirect`` units is kept as it is, some 150
/// bytes, and is summed once the last month of the report is known: an expiry in the year 9999 must not cost memory for
/// each month.
struct DeferralTable: Sendable {
    /// A sale of more units than ``longestDirect``.
    private struct LongSale: Sendable {
        var group: Int
        var rate: Int64?
        let sale: DeferredSale
        let span: ClosedRange<Int64>
    }

    let calendar: DeferralCalendar
    /// By the keys of the rows without the unit of time.
    private(set) var groups: GroupTable
    private(set) var cells = DeferralCells()
    /// Amounts earned after the period; without an end of the period, these are the units of ``cells`` after
    /// ``lastUnit``.
    private(set) var scheduled = DeferralCells()
    /// The balance at the beginning of the period, under the first unit of the period.
    private(set) var openings = DeferralCells()
    private let rules: LedgerRules
    private var longSales: [LongSale] = []
    /// The times of the first and the newest booking of any sale, also without a price, as in the revenue report.
    private(set) var bookings = CoveredTime()
    /// Paid subscriptions without an expiry.
    private(set) var withoutExpiry = 0
    /// The currency of the sale before, and its minor unit.
    private var quantum: (currency: UInt32, millionths: Int128)?
    /// Whether only the balance at the end of the last unit is summed, without movements.
    private let isBalanceAlone: Bool
    /// The last unit so far, of a table of the balance alone.
    private var reached: ReachedUnit?

    /// - Parameters:
    ///   - keys: without a unit of time, and with the currency.
    ///   - isBalanceAlone: whether only the balance at the end of the last unit is summed (``DeferredBalance``).
    init(_ rules: LedgerRules, by keys: [GroupKey], unit: CalendarUnit, isBalanceAlone: Bool = false) {
        self.rules = rules
        self.isBalanceAlone = isBalanceAlone
        calendar = DeferralCalendar(rules.calendar, by: unit, period: rules.period)
        groups = GroupTable(by: keys)
        if isBalanceAlone { reached = calendar.lastUnit.map { ReachedUnit($0, in: calendar) } }
    }

    /// The last month or week of the rows: of the end of the period, else of the last booking in it, else of its
    /// beginning; `nil` if no booking has a date.
    var lastUnit: Int64? {
        calendar.lastUnit ?? bookings.span.map { calendar.code(of: $0.upperBound) } ?? calendar.firstUnit
    }

    /// Units that a sale may take to be summed as it comes.
    private static let longestDirect: Int64 = 60

    mutating func add(_ transaction: SettledTransaction) {
        guard transaction.isSale else { return }
        // A balance at a known end needs no last booking.
        if !isBalanceAlone || calendar.lastUnit == nil { includeBookings(of: transaction) }
        if isBalanceAlone {
            reach()
            guard !isEarned(transaction), !isBilledLater(transaction) else { return }
        }
        guard let price = transaction.price, price.millionths != 0,
            let sale = DeferredSale(transaction, rules: rules, quantum: quantum(of: price.currency))
        else { return }
        let rate = rateCode(of: transaction, at: transaction.purchaseDate)
        let span = calendar.span(of: sale).flatMap(wanted)
        guard span != nil || sale.service == nil && !isBalanceAlone else { return }
        if transaction.isWithoutExpiry { withoutExpiry += 1 }
        let group = groups.group(of: transaction, at: nil, in: rules.calendar)
        if splitsRefunds, !isBalanceAlone { addRefunds(of: sale, transaction, in: group) }
        guard let span else {
            calendar.visitUndated(sale) { add($0, of: sale, in: group, rate) }
            return
        }
        add(sale, in: group, rate, span)
    }

    private mutating func includeBookings(of sale: SettledTransaction) {
        let isIncluded = rules.includesPurchase(of: sale)
        if isIncluded { bookings.include(sale.purchaseDate) }
        // Only for the few: as a part of the table changes in it, this call gets a copy of all rules.
        if sale.refundDate != nil { bookings.include(refundsOf: sale, rules) }
    }

    /// Sums a sale in some units now, or keeps it where they are many.
    private mutating func add(_ sale: DeferredSale, in group: Int, _ rate: Int64?, _ span: ClosedRange<Int64>) {
        if span.upperBound - span.lowerBound < Self.longestDirect {
            calendar.visit(sale, in: span) { add($0, of: sale, in: group, rate) }
        } else {
            longSales.append(LongSale(group: group, rate: rate, sale: sale, span: span))
        }
    }

    private mutating func quantum(of currency: CurrencyCode) -> Int128 {
        if let quantum, quantum.currency == currency.packed { return quantum.millionths }
        quantum = (currency.packed, currency.quantum)
        return currency.quantum
    }

    private mutating func add(
        _ movement: DeferralCalendar.Movement,
        of sale: DeferredSale,
        in group: Int,
        _ rate: Int64?
    ) {
        let key = DeferralKey(group: group, unit: movement.unit, rate: rate)
        let figures = movement.figures
        if isBalanceAlone {
            guard !movement.isScheduled, figures.closing != 0 else { return }
            return cells.add(DeferralCells.Cell(closing: figures.closing), at: key)
        }
        var cell = DeferralCells.Cell(billed: figures.billed, earned: figures.earned, closing: figures.closing)
        cell.bookings = figures.billed == 0 ? 0 : 1
        if !splitsRefunds {
            cell.refunds = figures.refunds
            cell.bookings += figures.refunds == 0 ? 0 : 1
        }
        if movement.isScheduled {
            scheduled.add(cell, at: key)
            return
        }
        cells.add(cell, at: key)
        if movement.unit == calendar.firstUnit, figures.opening != 0 {
            openings.add(DeferralCells.Cell(closing: figures.opening), at: key)
        }
    }
}

// MARK: - The balance alone

extension DeferralTable {
    /// The last unit that anything is booked in, as far as is known.
    private struct ReachedUnit {
        let unit: Int64
        let startOfLastDay: Timestamp
        let end: Timestamp

        init(_ unit: Int64, in calendar: DeferralCalendar) {
            self.unit = unit
            startOfLastDay = calendar.startOfLastDay(of: unit)
            end = calendar.end(of: unit)
        }
    }

    /// Moves on to the unit of the newest booking, and drops the balances at the ends of earlier units.
    private mutating func reach() {
        guard calendar.lastUnit == nil, let newest = bookings.span?.upperBound, newest >= reached?.end ?? newest else {
            return
        }
        let next = ReachedUnit(calendar.code(of: newest), in: calendar)
        reached = next
        if cells.count > 0 { cells = cells.from(unit: next.unit) }
    }

    /// Drops sales that are earned by the end of the last unit so far, and groups without a balance. The remaining sums
    /// do not depend on the order in which the transactions were counted.
    mutating func dropEarned() {
        guard isBalanceAlone, calendar.lastUnit == nil, let reached else { return }
        let sales = longSales
        longSales = []
        for long in sales where long.span.upperBound > reached.unit {
            let span = max(reached.unit, long.span.lowerBound)...long.span.upperBound
            add(long.sale, in: long.group, long.rate, span)
        }
        let (balances, all) = (cells.from(unit: reached.unit), groups)
        var kept = Set(longSales.map(\.group))
        balances.visit { key, _ in kept.insert(key.group) }
        (cells, groups) = (DeferralCells(), all.empty)
        // In the order of their codes, which does not depend on the order in which they were found.
        let codes = kept.map(all.codes).sorted { $0.lexicographicallyPrecedes($1) }
        for group in codes { _ = groups.group { group[$0] } }
        balances.visit { key, cell in
            let group = groups.group { all.code(of: key.group, at: $0) }
            cells.add(cell, at: DeferralKey(group: group, unit: key.unit, rate: key.rate))
        }
        for index in longSales.indices {
            let group = longSales[index].group
            longSales[index].group = groups.group { all.code(of: group, at: $0) }
        }
    }

    /// Whether a sale is earned by the end of the last unit, so that no later balance contains it.
    private func isEarned(_ sale: SettledTransaction) -> Bool {
        guard let purchase = sale.purchaseDate, let reached else { return sale.purchaseDate == nil }
        return max(purchase, sale.serviceEnd ?? purchase) < reached.startOfLastDay
    }

    /// Whether nothing of a sale is booked before the period ends.
    private func isBilledLater(_ sale: SettledTransaction) -> Bool {
        guard let purchase = sale.purchaseDate, let until = rules.period?.until else { return false }
        return purchase >= until && sale.refundDate == nil
    }

    /// The units of a sale that are summed; of a table of the balance alone, those whose end can be that of the last
    /// unit.
    private func wanted(_ span: ClosedRange<Int64>) -> ClosedRange<Int64>? {
        guard isBalanceAlone, let first = reached?.unit else { return span }
        let last = calendar.lastUnit ?? span.upperBound
        return max(first, span.lowerBound) <= last ? max(first, span.lowerBound)...last : nil
    }
}

// MARK: - Sums

extension DeferralTable {
    mutating func visitSums(_ coder: inout some SumCoder) throws {
        let numbers = try groups.visit(&coder)
        let rateUnit = rules.conversion?.rateUnit ?? .day
        let units = (unit: calendar.unit, rate: rateUnit)
        try cells.visitSums(&coder, of: numbers, units)
        try scheduled.visitSums(&coder, of: numbers, units)
        try openings.visitSums(&coder, of: numbers, units)
        try bookings.visitSums(&coder)
        try coder.add(&withoutExpiry)
        let count = try coder.elements(longSales.count)
        for place in 0..<count {
            let known = coder.isReading ? nil : longSales[place]
            var (group, rate) = (known?.group ?? 0, known?.rate)
            try coder.number(&group, among: numbers)
            try coder.timeCode(&rate, of: rateUnit)
            let sale = try DeferredSale.visited(known?.sale, &coder)
            guard coder.isReading else { continue }
            guard let span = calendar.span(of: sale) else { throw coder.refusal("a sale without service") }
            longSales.append(LongSale(group: group, rate: rate, sale: sale, span: span))
        }
        if isBalanceAlone { reach() }
    }
}

// MARK: - Conversion

extension DeferralTable {
    private func rateCode(of transaction: SettledTransaction, at date: Timestamp?) -> Int64? {
        rules.conversion?.rateCode(purchase: transaction.purchaseDate, booking: date, in: rules.calendar)
    }

    /// Whether refunds are converted at another rate than their sale.
    private var splitsRefunds: Bool { rules.conversion.map { $0.dateRule != .purchaseDate } ?? false }

    private mutating func addRefunds(of sale: DeferredSale, _ transaction: SettledTransaction, in group: Int) {
        for booking in sale.bookings.dropFirst() where calendar.includes(booking) {
            let unit = booking.day.map(calendar.code(ofDay:)) ?? GroupCode.unknown
            let key = DeferralKey(group: group, unit: unit, rate: rateCode(of: transaction, at: booking.date))
            var cell = DeferralCells.Cell(refunds: booking.refunds)
            cell.bookings = booking.refunds == 0 ? 0 : 1
            cells.add(cell, at: key)
        }
    }
}

// MARK: - Sales of many years

extension DeferralTable {
    /// Months or weeks of the schedule: ten years. Later amounts are one row.
    static func scheduleLimit(_ unit: CalendarUnit) -> Int64 { unit == .week ? 522 : 120 }

    /// Rows that sales of more than ``longestDirect`` units may add.
    private static let mostLongCells = 1 << 20

    /// Sums the sales of many years, now that the last unit is known.
    mutating func finish() throws(Finding) {
        defer { longSales = [] }
        guard let lastUnit else { return }
        guard !isBalanceAlone else { return addLongBalances(at: lastUnit) }
        let limit = lastUnit + Self.scheduleLimit(calendar.unit)
        let most = cells.count + scheduled.count + Self.mostLongCells
        for long in longSales {
            let (span, sale) = (long.span, long.sale)
            var unit = span.lowerBound
            // In steps, so that a span of thousands of years ends at the limit.
            while unit <= min(span.upperBound, limit) {
                let end = min(unit + Self.longestDirect, span.upperBound, limit)
                calendar.visit(sale, in: unit...end) { add($0, of: sale, in: long.group, long.rate) }
                guard cells.count + scheduled.count <= most else { throw tooManyRows }
                unit = end + 1
            }
            let rest = calendar.earned(of: sale, after: limit)
            guard span.upperBound > limit, rest != 0 else { continue }
            let key = DeferralKey(group: long.group, unit: limit + 1, rate: long.rate)
            scheduled.add(DeferralCells.Cell(earned: rest), at: key)
        }
    }

    private mutating func addLongBalances(at unit: Int64) {
        for long in longSales where long.span.contains(unit) {
            calendar.visit(long.sale, in: unit...unit) { add($0, of: long.sale, in: long.group, long.rate) }
        }
    }

    private var tooManyRows: Finding {
        Finding(
            "deferred.rows",
            "subscriptions of more than \(Self.longestDirect) \(calendar.unit.rawValue)s fill more than "
                + "\(Self.mostLongCells) rows; choose a period (--month, --since), or fewer keys (--by)"
        )
    }
}
