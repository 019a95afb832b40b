public import TillCore
public import TillPricing

/// The months or weeks of a deferral, and the movement of a sale in each of them.
///
///     units        │ January │ February │ March │ April │ May …
///     period                     from ──────────▶ until
///     opening      the deferred balance just before `from`
///     movements              │ February │ March │
///     schedule                                  │ April │ May …    the earned parts of the closing balance
///
/// Bookings at or after `until` are ignored. The state at an instant counts the bookings before it, and earns through
/// the local day that ends at it or contains it. So a period may begin and end at any instant, and the parts of a month
/// add up.
public struct DeferralCalendar: Sendable {
    /// A month or a week.
    public let unit: CalendarUnit
    private let calendar: BookingCalendar
    private let from: Timestamp?
    private let until: Timestamp?
    /// The last day before the period; the last day of the period.
    private let dayBefore: Int?
    private let lastDay: Int?
    /// The unit in which the period begins; `nil` if the period has no beginning.
    public let firstUnit: Int64?
    /// The unit that holds the last day of the period; `nil` if the period has no end.
    public let lastUnit: Int64?
    /// The last days of units near the present, from ``base`` on: finding one takes several divisions.
    private let lastDays: [Int]
    private let base: Int64

    /// Computes the last days of the months or weeks from 2008 to 2040 in advance; others are computed when they are
    /// needed.
    ///
    /// - Parameter period: `nil` for all time.
    public init(_ calendar: BookingCalendar, by unit: CalendarUnit, period: Period?) {
        self.calendar = calendar
        self.unit = unit
        from = period?.from
        until = period?.until
        func day(before instant: Timestamp) -> Int {
            let (milliseconds, overflow) = instant.milliseconds.subtractingReportingOverflow(1)
            return calendar.day(of: overflow ? instant : Timestamp(milliseconds: milliseconds))
        }
        dayBefore = period?.from.map(day)
        lastDay = period?.until.map(day)
        firstUnit = period?.from.map { calendar.code(of: $0, by: unit) }
        lastUnit = lastDay.map { calendar.code(ofDay: $0, by: unit) }
        let known = Self.usualYears.lowerBound...Self.usualYears.upperBound
        let first = CivilDate(year: known.lowerBound, month: 1, day: 1).daysSinceEpoch
        let end = CivilDate(year: known.upperBound, month: 1, day: 1).daysSinceEpoch
        let base = calendar.code(ofDay: first, by: unit)
        self.base = base
        lastDays = (base...calendar.code(ofDay: end, by: unit)).map { calendar.lastDay(of: $0, by: unit) }
    }

    /// The App Store opened in 2008.
    private static let usualYears = 2008...2040

    /// The name of a unit: `2026-03`.
    public func name(of code: Int64) -> String { calendar.name(of: code, by: unit) }

    /// The last day of a unit within the period: `2026-03-31`.
    public func nameOfLastDay(of code: Int64) -> String {
        let day = lastDay(of: code)
        return calendar.name(of: Int64(min(day, lastDay ?? day)), by: .day)
    }

    /// The unit of a name; `nil` if none has it.
    public func code(named name: String) -> Int64? { calendar.code(named: name, by: unit) }

    /// The unit that holds an instant.
    public func code(of instant: Timestamp) -> Int64 { calendar.code(of: instant, by: unit) }

    /// The unit that holds a local day.
    public func code(ofDay day: Int) -> Int64 { calendar.code(ofDay: day, by: unit) }

    /// The first instant of the last day of a unit within the period: a service that ends before it is earned by the
    /// end of the unit.
    public func startOfLastDay(of code: Int64) -> Timestamp {
        let day = lastDay(of: code)
        return calendar.zone.startOfDay(min(day, lastDay ?? day))
    }

    /// The instant at which a unit is over.
    public func end(of code: Int64) -> Timestamp { calendar.start(of: code + 1, by: unit) }

    private func lastDay(of code: Int64) -> Int {
        let (index, overflow) = code.subtractingReportingOverflow(base)
        guard !overflow, index >= 0, index < lastDays.count else { return calendar.lastDay(of: code, by: unit) }
        return lastDays[Int(index)]
    }

    /// Whether a booking is in the period.
    public func includes(_ booking: DeferredSale.Booking) -> Bool {
        guard let date = booking.date else { return from == nil && until == nil }
        return !isBeforePeriod(date) && !isAfterPeriod(date)
    }

    private func isBeforePeriod(_ date: Timestamp) -> Bool { from.map { date < $0 } ?? false }
    private func isAfterPeriod(_ date: Timestamp) -> Bool { until.map { date >= $0 } ?? false }
}

// MARK: - Movements

extension DeferralCalendar {
    /// The movement of a sale in one unit of time.
    public struct Movement: Sendable {
        /// The month or week; ``GroupCode/unknown`` for bookings without a date.
        public var unit: Int64
        /// Whether it is after the end of the period. Then it has no bookings, and its earned amounts are part of the
        /// schedule.
        public var isScheduled: Bool
        /// The amounts of the sale in the unit; ``DeferralCalendar/visitUndated(_:_:)`` gives no balances.
        public var figures: DeferredFigures
    }

    /// The units from the first booking of a sale to the end of its service or its last booking, without units before
    /// the period; `nil` if the sale has no booking before the end of the period, or no balance at its beginning.
    ///
    /// The App Store sells a year at most, but the span of a hostile row may be thousands of years.
    public func span(of sale: DeferredSale) -> ClosedRange<Int64>? {
        guard let service = sale.service else { return nil }
        var days = service.firstDay...service.lastDay
        var isBooked = false
        for booking in sale.bookings {
            guard let date = booking.date, let day = booking.day, !isAfterPeriod(date) else { continue }
            isBooked = true
            days = min(days.lowerBound, day)...max(days.upperBound, day)
        }
        guard isBooked, days.upperBound >= dayBefore ?? days.upperBound else { return nil }
        let (first, last) = (code(ofDay: days.lowerBound), code(ofDay: days.upperBound))
        return max(first, firstUnit ?? first)...max(last, firstUnit ?? last)
    }

    /// Passes the movements of a sale in `units`, in order, to `body`. Movements that are all zero are omitted.
    ///
    /// If the period ends within a unit, the unit is passed twice: up to the end of the period, and as the first unit
    /// of the schedule.
    ///
    /// - Parameter units: a part of ``span(of:)``.
    public func visit(_ sale: DeferredSale, in units: ClosedRange<Int64>, _ body: (Movement) -> Void) {
        var state = state(of: sale, before: units.lowerBound)
        for unit in units {
            let end = lastDay(of: unit)
            if let lastDay, lastDay < end {
                if unit <= lastUnit ?? unit { move(&state, to: lastDay, in: unit, isScheduled: false, body) }
                move(&state, to: end, in: unit, isScheduled: true, body)
            } else {
                move(&state, to: end, in: unit, isScheduled: false, body)
            }
        }
    }

    /// The earned amount of a sale after a unit.
    public func earned(of sale: DeferredSale, after unit: Int64) -> Int128 {
        let state = state(of: sale, before: unit + 1)
        return state.net - state.earned
    }

    /// Passes the bookings of a sale without a purchase date to `body`; each is earned when it is booked.
    ///
    /// With a period, only refunds booked in it are passed: bookings without a date are in no period.
    public func visitUndated(_ sale: DeferredSale, _ body: (Movement) -> Void) {
        for booking in sale.bookings where includes(booking) {
            let figures = DeferredFigures(
                billed: booking.billed,
                refunds: booking.refunds,
                earned: booking.billed - booking.refunds
            )
            let unit = booking.day.map(code(ofDay:)) ?? GroupCode.unknown
            body(Movement(unit: unit, isScheduled: false, figures: figures))
        }
    }

    /// The booked and earned amounts of a sale so far.
    private struct State {
        let sale: DeferredSale
        /// Billed less refunds.
        var net: Int128 = 0
        var earned: Int128 = 0
        /// The last day whose bookings count; `nil` at the beginning of a period, where those before its first instant
        /// do.
        var day: Int?
    }

    private func isCounted(_ booking: DeferredSale.Booking, in state: State) -> Bool {
        guard let date = booking.date, let day = booking.day, !isAfterPeriod(date) else { return false }
        return state.day.map { day <= $0 } ?? isBeforePeriod(date)
    }

    /// The state at the beginning of a unit, or at that of the period if it begins in the unit.
    private func state(of sale: DeferredSale, before unit: Int64) -> State {
        var state = State(sale: sale)
        let isFirst = unit <= firstUnit ?? .min
        let day = if isFirst, let dayBefore { dayBefore } else { lastDay(of: unit - 1) }
        if !isFirst { state.day = day }
        for booking in sale.bookings where isCounted(booking, in: state) {
            state.net += booking.billed - booking.refunds
        }
        state.earned = sale.earned(of: state.net, through: day)
        return state
    }

    /// Moves a state to the end of a day, and passes the movement to `body` unless it is all zero.
    @inline(__always)
    private func move(
        _ state: inout State,
        to end: Int,
        in unit: Int64,
        isScheduled: Bool,
        _ body: (Movement) -> Void
    ) {
        var figures = DeferredFigures(opening: state.net - state.earned)
        let isOpen = state.day.map { state.sale.lastBookedDay > $0 } ?? true
        if isOpen {
            for booking in state.sale.bookings where !isCounted(booking, in: state) {
                guard let date = booking.date, let day = booking.day, day <= end, !isAfterPeriod(date) else { continue }
                figures.billed += booking.billed
                figures.refunds += booking.refunds
            }
        }
        state.net += figures.billed - figures.refunds
        let earned = state.sale.earned(of: state.net, through: end)
        figures.earned = earned - state.earned
        figures.closing = state.net - earned
        (state.earned, state.day) = (earned, end)
        if !figures.isZero { body(Movement(unit: unit, isScheduled: isScheduled, figures: figures)) }
    }
}
