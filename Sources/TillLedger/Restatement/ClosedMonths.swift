public import TillCore
public import TillPricing

/// Months whose figures an earlier revenue report has printed, with their books.
///
/// Printed figures stay as they are. The differences that today's documents, prices, rates and rules make are
/// adjustments of the open month.
public struct ClosedMonths: Sendable {
    /// The name of the file with the closed figures.
    public let name: String
    /// The closed time.
    public let scope: ClosedScope
    /// Whether the file has transactions; a report has rows only.
    public let tellsTransactions: Bool
    /// Whether both reports convert to one currency, so that converted amounts are restated too.
    public var restatesConverted = false
    /// The changes by other prices, rates and rules, computed from the transactions of the closed report.
    public var changes = ClosedChanges()
    /// The closed books: by all of today's rules, or as printed if the file has no transactions.
    public var books = ClosedBooks()
    /// ``books`` without refunds that were made after the closed months; `nil` if refunds are booked when they are
    /// made, or transactions are not kept.
    public var booksAtClose: ClosedBooks?
    /// The groups and ids of ``books``.
    public var index = BookingIndex()
    /// Notes about the file for the reader, a sentence each.
    public var notes: [String] = []

    /// Starts with empty books and without changes, which the reader of the file sets.
    public init(name: String, scope: ClosedScope, tellsTransactions: Bool) {
        self.name = name
        self.scope = scope
        self.tellsTransactions = tellsTransactions
    }
}

/// The closed time.
public struct ClosedScope: Sendable {
    /// The selected period; `nil` for all time, with bookings without a date.
    public let period: Period?
    /// The first instant that is not closed; `nil` if nothing is closed.
    public let end: Timestamp?
    /// The place of the time key among the keys, if the last row ends the closed time; `nil` if the period does.
    private let timeIndex: Int?
    /// The name of the last closed month, week or day.
    private let last: String?

    /// A period with an end.
    public init(_ period: Period) {
        self.period = period
        (end, timeIndex, last) = (period.until, nil, nil)
    }

    /// The time from the beginning of a period, or from ever, to the end of the last month, week or day with a row.
    ///
    /// - Parameters:
    ///   - key: a key of the rows that is a unit of time.
    ///   - timeIndex: its place among the keys.
    ///   - rows: the names of the keys of each row.
    public init(
        _ period: Period?,
        untilLastOf rows: some Sequence<[String?]>,
        by unit: CalendarUnit,
        at timeIndex: Int,
        in calendar: BookingCalendar
    ) throws(Finding) {
        self.period = period
        self.timeIndex = timeIndex
        last = rows.lazy.compactMap { $0[timeIndex] }.max { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        guard let last else {
            end = nil
            return
        }
        guard let code = calendar.code(named: last, by: unit) else {
            throw Finding("", "'\(last)' is not a \(unit.rawValue) of the calendar")
        }
        end = calendar.start(of: code + 1, by: unit)
    }

    /// Whether a row of a report of ``period`` is in the closed time.
    ///
    /// - Parameter names: those of its keys.
    public func includes(_ names: [String?]) -> Bool {
        guard let timeIndex, let name = names[timeIndex] else { return true }
        guard let last else { return false }
        return !last.utf8.lexicographicallyPrecedes(name.utf8)
    }
}
