import TillCore
import TillLedger
import TillPricing

/// Bookings by the keys of the rows, in their own currencies and for the conversion to one.
struct RevenueBook {
    private(set) var figures: GroupTable<RevenueFigures>
    private var converted: ConvertedRevenue?

    init(by keys: [GroupKey], _ rules: LedgerRules) {
        figures = GroupTable(by: keys, in: rules.calendar, empty: RevenueFigures())
        converted = rules.conversion.map { ConvertedRevenue($0, rules) }
    }

    /// Adds a booking; gives its group.
    @discardableResult
    mutating func add(_ booking: RevenueFigures, of transaction: SettledTransaction, at date: Timestamp?) -> Int {
        let group = figures.group(of: transaction, at: date)
        figures[group] += booking
        if booking.hasAmount { converted?.book(booking, of: transaction, at: date, in: group) }
        return group
    }

    /// Gives the number of each group that was visited.
    @discardableResult
    mutating func visitSums(_ coder: inout some SumCoder) throws -> [Int] {
        let groups = try figures.visitSums(&coder) { figures, coder in try figures.visitSums(&coder) }
        try converted?.visitSums(&coder, of: groups)
        return groups
    }

    var converts: Bool { converted != nil }

    /// The rows in the order of their keys, without conversion.
    ///
    /// - Parameter isRounded: whether amounts are rounded to the minor unit, as in written rows; else they are exact.
    func plainRows(_ ledger: borrowing SettledLedger, isRounded: Bool) -> PlainRevenueRows {
        PlainRevenueRows(
            groups: figures.sorted(ledger),
            figures: figures.values,
            currencyIndex: figures.keys.firstIndex(of: .currency) ?? 0,
            isRounded: isRounded
        )
    }

    /// Converts rows of ``plainRows(_:isRounded:)``; gives the sections about the conversion, `nil` if nothing is converted.
    func convert(_ rows: inout [RevenueRow]) throws(Finding) -> ConvertedRevenue.Outcome? {
        guard let converted else { return nil }
        return try converted.settle(&rows)
    }

    /// The totals with exact sums of the rows.
    func totals(_ ledger: borrowing SettledLedger, _ conversion: ConvertedRevenue.Outcome?) -> RevenueTotals {
        RevenueTotals(of: plainRows(ledger, isRounded: false), conversion)
    }

    /// The rounded rows, converted, and their totals. Throws if a rate that must be there is missing, or a sum does not
    /// fit.
    func settled(_ ledger: borrowing SettledLedger) throws(Finding) -> (rows: [RevenueRow], totals: RevenueTotals) {
        var rows = Array(plainRows(ledger, isRounded: true))
        let conversion = try convert(&rows)
        return (rows, totals(ledger, conversion))
    }
}

extension RevenueFigures {
    var hasAmount: Bool { gross != 0 || refunds != 0 }
}

/// The bookings of a period that lies before the one that the report shows.
struct TrailingRevenue {
    let period: Period
    fileprivate(set) var book: RevenueBook
}

/// The bookings of the periods for comparison: the twelve periods before, and the same period a year before.
struct TrailingBooks {
    /// Each period once, in no order.
    private var books: [TrailingRevenue] = []
    private let places: Places
    let course: PeriodCourse?
    /// Bookings at other times are in none of the periods.
    private let bounds: Range<Timestamp>?

    /// The places of the periods in ``books``; `nil` if there is no such period.
    private struct Places {
        let previous: Int?
        let yearBefore: Int?
        /// The places of the twelve periods before the period of the report.
        let course: [Int]
    }

    /// A period for comparison.
    enum Place {
        case previous, yearBefore
    }

    init(by keys: [GroupKey], _ rules: LedgerRules) {
        let trailing = TrailingPeriods(of: rules.selectedPeriod, through: rules.lastDayToDate, in: rules.calendar)
        var periods: [Period] = []
        func place(_ period: Period) -> Int {
            if let known = periods.firstIndex(where: { $0.bounds == period.bounds }) { return known }
            periods.append(period)
            return periods.count - 1
        }
        places = Places(
            previous: trailing.previous.map(place),
            yearBefore: trailing.yearBefore.map(place),
            course: trailing.course.map { $0.periods.dropLast().map(place) } ?? []
        )
        course = trailing.course
        let (starts, ends) = (periods.compactMap(\.from), periods.compactMap(\.until))
        bounds = starts.min().flatMap { start in ends.max().map { start..<$0 } }
        books = periods.map { TrailingRevenue(period: $0, book: RevenueBook(by: keys, rules)) }
    }

    /// Adds a booking to each period that holds its date.
    mutating func add(_ booking: RevenueFigures, of transaction: SettledTransaction, at date: Timestamp?) {
        guard let date, let bounds, bounds.contains(date) else { return }
        for index in books.indices where books[index].period.contains(date) {
            books[index].book.add(booking, of: transaction, at: date)
        }
    }

    mutating func visitSums(_ coder: inout some SumCoder) throws {
        // Two runs with the same rules have the same periods in the same order.
        for index in books.indices { _ = try books[index].book.visitSums(&coder) }
    }

    /// `nil` if the period of the report has none.
    subscript(_ place: Place) -> TrailingRevenue? {
        let index =
            switch place {
            case .previous: places.previous
            case .yearBefore: places.yearBefore
            }
        return index.map { books[$0] }
    }

    /// The periods of the course but the last one, which is that of the report.
    var earlierCourse: [TrailingRevenue] { places.course.map { books[$0] } }
}
