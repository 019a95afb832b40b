import TillCore
import TillPricing

/// The periods for the comparison of a closed period: the period of the same length before it, and the same a year
/// before.
///
///     March 2026           February 2026          March 2025            whole months of the calendar
///     FY26-06              FY26-05                FY25-06
///     2026-W10, two weeks  the two weeks before   52 weeks before       whole weeks, with ISO weeks
///     11–17 March 2026     4–10 March 2026        11–17 March 2025      days; 29 February becomes 28 February
///
/// An open period is compared with as many days from the first one of each: 1–9 March 2026 with 1–9 February 2026.
/// A period that has no beginning or no end has neither. A single day, week or month also has a course: the twelve
/// before it.
struct TrailingPeriods {
    let previous: Period?
    let yearBefore: Period?
    /// The course of a single day, week or month.
    let course: PeriodCourse?

    /// Each period once: the previous one, the same a year before, and the course without its last period, which the
    /// report shows itself.
    var distinct: [Period] {
        let all = [previous, yearBefore].compactMap(\.self) + (course?.periods.dropLast() ?? [])
        return all.enumerated().filter { place, period in all.prefix(place).allSatisfy { $0.bounds != period.bounds } }
            .map(\.element)
    }

    /// - Parameter lastDay: the last day that counts of an open period; `nil` if all days do.
    init(of period: Period?, through lastDay: Int? = nil, in calendar: BookingCalendar) {
        let whole = TrailingPeriods(ofWhole: period, in: calendar)
        course = whole.course
        guard let lastDay, let from = period?.from else {
            (previous, yearBefore) = (whole.previous, whole.yearBefore)
            return
        }
        let days = lastDay + 1 - calendar.day(of: from)
        func toDate(_ period: Period?) -> Period? {
            // A period after the data has no day to compare.
            guard days > 0, let start = period?.from, let until = period?.until else { return nil }
            return Period(from: start, until: min(until, calendar.zone.startOfDay(calendar.day(of: start) + days)))
        }
        (previous, yearBefore) = (toDate(whole.previous), toDate(whole.yearBefore))
    }

    private init(ofWhole period: Period?, in calendar: BookingCalendar) {
        guard let period, let from = period.from, let until = period.until, from < until else {
            (previous, yearBefore, course) = (nil, nil, nil)
            return
        }
        course = PeriodCourse(from, until, in: calendar)
        if calendar.isWholeMonths(period) {
            (previous, yearBefore) = Self.units(from, until, by: .month, perYear: 12, in: calendar)
        } else if calendar.kind == .isoWeek, Self.isWhole(from, .week, calendar), Self.isWhole(until, .week, calendar) {
            (previous, yearBefore) = Self.units(from, until, by: .week, perYear: 52, in: calendar)
        } else if Self.isWhole(from, .day, calendar), Self.isWhole(until, .day, calendar) {
            let days = calendar.day(of: until) - calendar.day(of: from)
            let start = calendar.zone.startOfDay(calendar.day(of: from) - days)
            previous = Period(from: start, until: from)
            yearBefore = Self.yearBefore(from, until, in: calendar)
        } else {
            let (start, overflow) = from.milliseconds.subtractingReportingOverflow(
                until.milliseconds &- from.milliseconds
            )
            previous = overflow ? nil : Period(from: Timestamp(milliseconds: start), until: from)
            yearBefore = Self.yearBefore(from, until, in: calendar)
        }
    }

    private static func isWhole(_ instant: Timestamp, _ unit: CalendarUnit, _ calendar: BookingCalendar) -> Bool {
        calendar.start(of: calendar.code(of: instant, by: unit), by: unit) == instant
    }

    private static func units(
        _ from: Timestamp,
        _ until: Timestamp,
        by unit: CalendarUnit,
        perYear: Int64,
        in calendar: BookingCalendar
    ) -> (Period, Period) {
        let (first, next) = (calendar.code(of: from, by: unit), calendar.code(of: until, by: unit))
        func start(_ code: Int64) -> Timestamp { calendar.start(of: code, by: unit) }
        return (
            Period(from: start(first - (next - first)), until: from),
            Period(from: start(first - perYear), until: start(next - perYear))
        )
    }

    private static func yearBefore(_ from: Timestamp, _ until: Timestamp, in calendar: BookingCalendar) -> Period {
        Period(from: yearBefore(from, in: calendar), until: yearBefore(end: until, in: calendar))
    }

    /// The same date and time of day a year before.
    private static func yearBefore(_ instant: Timestamp, in calendar: BookingCalendar) -> Timestamp {
        let day = calendar.day(of: instant)
        let timeOfDay = instant.milliseconds - calendar.zone.startOfDay(day).milliseconds
        return Timestamp(milliseconds: calendar.zone.startOfDay(yearBefore(day: day)).milliseconds + timeOfDay)
    }

    /// The same for the end of a period. Midnight ends the day before it: the end of 28 February 2024 becomes the end
    /// of 28 February 2023.
    private static func yearBefore(end: Timestamp, in calendar: BookingCalendar) -> Timestamp {
        guard isWhole(end, .day, calendar) else { return yearBefore(end, in: calendar) }
        return calendar.zone.startOfDay(yearBefore(day: calendar.day(of: end) - 1) + 1)
    }

    private static func yearBefore(day: Int) -> Int {
        let date = CivilDate(daysSinceEpoch: day)
        let earlier = CivilDate(year: date.year - 1, month: date.month, day: date.day)
        return (earlier.isValid ? earlier : CivilDate(year: date.year - 1, month: date.month, day: date.day - 1))
            .daysSinceEpoch
    }
}

/// A single day, week or month and the twelve before it, the oldest first.
struct PeriodCourse {
    static let count: Int64 = 13

    let unit: CalendarUnit
    /// Each with the name of its unit.
    let periods: [Period]

    /// `nil` if the ends are not those of a single unit of the calendar.
    init?(_ from: Timestamp, _ until: Timestamp, in calendar: BookingCalendar) {
        let units: [CalendarUnit] = [.month, .week, .day]
        let single = units.first { unit in
            let code = calendar.code(of: from, by: unit)
            return calendar.start(of: code, by: unit) == from && calendar.start(of: code + 1, by: unit) == until
        }
        guard let single else { return nil }
        unit = single
        let last = calendar.code(of: from, by: single)
        periods = (last - Self.count + 1...last).map { code in
            Period(
                from: calendar.start(of: code, by: single),
                until: calendar.start(of: code + 1, by: single),
                name: calendar.name(of: code, by: single)
            )
        }
    }
}
