public import TillCore

/// A calendar and a time zone, which determine the hour, day, week and month in which an instant is booked.
///
/// Each unit of time has a number, its code, so that sorting and counting compare integers. The next unit has the next
/// code, except for hours, whose code is their first millisecond.
public struct BookingCalendar: Sendable {
    /// The division of days into weeks and months; months of ``CalendarKind/isoWeek`` are Gregorian here.
    public let kind: CalendarKind
    /// The time zone in which hours and days begin.
    public let zone: TimeZoneRules
    // Not asked of the zone, because the compiler copies the zone for each question.
    private let isUTC: Bool

    /// Makes a calendar; by default it has Gregorian months in UTC.
    public init(_ kind: CalendarKind = .gregorian, zone: TimeZoneRules = .utc) {
        self.kind = kind
        self.zone = zone
        isUTC = zone.isUTC
    }

    /// Months of the Gregorian calendar in UTC.
    public static let usual = BookingCalendar()

    /// Days from 1970-01-01 to the local day of an instant.
    public func day(of instant: Timestamp) -> Int {
        guard !isUTC else { return Int(instant.milliseconds.dividedFloor(by: Timestamp.millisecondsPerDay)) }
        return Int(local(instant).dividedFloor(by: Timestamp.millisecondsPerDay))
    }

    /// Local milliseconds; clamped to 64 bits.
    package func local(_ instant: Timestamp) -> Int64 {
        let offset = Int64(zone.offset(at: instant.milliseconds.dividedFloor(by: 1000))) * 1000
        let (sum, overflow) = instant.milliseconds.addingReportingOverflow(offset)
        return overflow ? offset < 0 ? .min : .max : sum
    }

    /// The code of the unit of time that holds an instant.
    public func code(of instant: Timestamp, by unit: CalendarUnit) -> Int64 {
        switch unit {
        case .hour: startOfHour(instant).milliseconds
        case .day: Int64(day(of: instant))
        case .week: weekCode(ofDay: day(of: instant))
        case .month: monthCode(ofDay: day(of: instant))
        }
    }

    private func startOfHour(_ instant: Timestamp) -> Timestamp {
        guard !isUTC else { return instant.startOfHour }
        // An hour of local time begins at a whole hour of the clock on the wall, which in India is half past in UTC.
        let local = local(instant)
        let sinceHour = local - local.dividedFloor(by: Timestamp.millisecondsPerHour) * Timestamp.millisecondsPerHour
        let (start, overflow) = instant.milliseconds.subtractingReportingOverflow(sinceHour)
        return overflow ? Timestamp(milliseconds: .min) : lastChange(from: Timestamp(milliseconds: start), to: instant)
    }

    /// The last change of the clocks since the beginning of an hour, if there was one: on Lord Howe Island clocks
    /// change by half an hour, and another hour begins then. Else the beginning.
    private func lastChange(from start: Timestamp, to instant: Timestamp) -> Timestamp {
        func seconds(_ instant: Timestamp) -> Int64 { instant.milliseconds.dividedFloor(by: 1000) }
        let offset = zone.offset(at: seconds(instant))
        guard zone.offset(at: seconds(start)) != offset else { return start }
        // The offset is another one before `later`, and the same from there on.
        var (earlier, later) = (seconds(start), seconds(instant))
        while later - earlier > 1 {
            let middle = earlier + (later - earlier) / 2
            if zone.offset(at: middle) == offset { later = middle } else { earlier = middle }
        }
        return Timestamp(milliseconds: later * 1000)
    }

    /// The first instant of a unit of time, by its code.
    public func start(of code: Int64, by unit: CalendarUnit) -> Timestamp {
        switch unit {
        case .hour: Timestamp(milliseconds: code)
        case .day: zone.startOfDay(Int(code))
        case .week: zone.startOfDay(firstDay(ofWeek: code))
        case .month: zone.startOfDay(firstDay(ofMonth: code))
        }
    }

    /// The last local day of a day, week or month, by its code; of an hour, the day that holds it.
    public func lastDay(of code: Int64, by unit: CalendarUnit) -> Int {
        switch unit {
        case .hour: day(of: Timestamp(milliseconds: code))
        case .day: Int(code)
        case .week: firstDay(ofWeek: code) + 6
        case .month: firstDay(ofMonth: code + 1) - 1
        }
    }

    /// The code of the day, week or month that holds a local day; of an hour, the first of the day.
    public func code(ofDay day: Int, by unit: CalendarUnit) -> Int64 {
        switch unit {
        case .hour: zone.startOfDay(day).milliseconds
        case .day: Int64(day)
        case .week: weekCode(ofDay: day)
        case .month: monthCode(ofDay: day)
        }
    }

    /// The first local day of a week, by its code.
    private func firstDay(ofWeek code: Int64) -> Int { Int(code) * 7 - (kind == .appleFiscal ? 4 : 3) }

    func weekCode(ofDay day: Int) -> Int64 {
        // 1970-01-01 was a Thursday: weeks from Monday begin at day -3, those from Sunday at day -4.
        (Int64(day) + (kind == .appleFiscal ? 4 : 3)).dividedFloor(by: 7)
    }

    func monthCode(ofDay day: Int) -> Int64 {
        if kind == .appleFiscal {
            let (year, number) = AppleFiscalCalendar.month(ofDay: day)
            return Int64(year) * 12 + Int64(number) - 1
        }
        let date = CivilDate(daysSinceEpoch: day)
        return Int64(date.year) * 12 + Int64(date.month) - 1
    }

    /// The first local day of a month, by its code.
    func firstDay(ofMonth code: Int64) -> Int {
        let year = Int(code.dividedFloor(by: 12))
        let month = Int(code - Int64(year) * 12) + 1
        guard kind == .appleFiscal else { return CivilDate(year: year, month: month, day: 1).daysSinceEpoch }
        return AppleFiscalCalendar.months(ofYear: year)[month - 1].firstDay
    }
}

// MARK: - Names

extension BookingCalendar {
    /// The name of a unit of time; hours are named by their first instant.
    ///
    ///     month  2026-03    FY26-06        week  2026-W10    FY26-W23        day  2026-03-02
    public func name(of code: Int64, by unit: CalendarUnit) -> String {
        switch unit {
        case .hour: Timestamp(milliseconds: code).description
        case .day: Self.name(CivilDate(daysSinceEpoch: Int(code)))
        case .week: weekName(code)
        case .month: monthName(code)
        }
    }

    private static func name(_ date: CivilDate) -> String {
        "\(yearName(date.year))-\(twoDigits(date.month))-\(twoDigits(date.day))"
    }

    private func monthName(_ code: Int64) -> String {
        let year = Int(code.dividedFloor(by: 12))
        let month = Self.twoDigits(Int(code - Int64(year) * 12) + 1)
        return kind == .appleFiscal ? "\(Self.fiscalYearName(year))-\(month)" : "\(Self.yearName(year))-\(month)"
    }

    private func weekName(_ code: Int64) -> String {
        guard kind == .appleFiscal else {
            // An ISO week is of the year that its Thursday is in.
            let thursday = Int(code * 7)
            let year = CivilDate(daysSinceEpoch: thursday).year
            let week = (thursday - CivilDate(year: year, month: 1, day: 1).daysSinceEpoch) / 7 + 1
            return "\(Self.yearName(year))-W\(Self.twoDigits(week))"
        }
        let sunday = Int(code * 7 - 4)
        let year = AppleFiscalCalendar.year(ofDay: sunday)
        let week = (sunday - AppleFiscalCalendar.firstDay(ofYear: year)) / 7 + 1
        return "\(Self.fiscalYearName(year))-W\(Self.twoDigits(week))"
    }

    /// `FY26`; a year of another century is written in full.
    static func fiscalYearName(_ year: Int) -> String {
        (2000...2099).contains(year) ? "FY\(twoDigits(year % 100))" : "FY\(yearName(year))"
    }

    private static func yearName(_ year: Int) -> String {
        let digits = String(year.magnitude)
        return (year < 0 ? "-" : "") + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The code of a unit of time by its name; `nil` for any other text, and for years before 0 and after 9999.
    ///
    /// Apple's fiscal years are named by two digits, which are those of this century. Cost: at most that of the names
    /// of 520 days.
    public func code(named name: String, by unit: CalendarUnit) -> Int64? {
        guard unit != .hour else {
            let hour = Timestamp.parse(name.utf8Span.span.bytes)?.milliseconds
            return hour.flatMap { self.name(of: $0, by: .hour) == name ? $0 : nil }
        }
        let digits = name.drop { !("0"..."9").contains($0) }.prefix { ("0"..."9").contains($0) }
        guard digits.utf8.count <= 4, let number = Int(digits) else { return nil }
        let year = kind == .appleFiscal && digits.utf8.count == 2 ? 2000 + number : number
        // A fiscal year begins in the September before, and the last ISO week of a year may end in the next one.
        let first = code(ofDay: CivilDate(year: year - 1, month: 9, day: 1).daysSinceEpoch, by: unit)
        let last = code(ofDay: CivilDate(year: year + 1, month: 1, day: 31).daysSinceEpoch, by: unit)
        return (first...last).first { self.name(of: $0, by: unit) == name }
    }
}
