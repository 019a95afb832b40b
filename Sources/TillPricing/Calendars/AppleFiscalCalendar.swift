import TillCore

/// Apple's fiscal calendar, by its rule.
///
/// A year ends on the last Saturday of September. Its weeks run from Sunday to Saturday, and each quarter has months of
/// 5, 4 and 4 weeks. A year of 53 weeks has the extra one in its first quarter (10-K for 2023). Apple does not publish
/// which month has it; the published payment dates fit only December.
public enum AppleFiscalCalendar {
    /// A fiscal month as days since 1970-01-01.
    public struct Month: Hashable, Sendable {
        /// The fiscal year, which begins in the September before.
        public let year: Int
        /// 1…12; 1 is called October.
        public let number: Int
        /// Days since 1970-01-01.
        public let firstDay: Int
        /// 4 or 5.
        public let weeks: Int

        /// Days since 1970-01-01.
        public var lastDay: Int { firstDay + weeks * 7 - 1 }
    }

    /// The first day of a fiscal year: the Sunday after the last Saturday of the September before.
    public static func firstDay(ofYear year: Int) -> Int {
        let september30 = CivilDate(year: year - 1, month: 9, day: 30).daysSinceEpoch
        // 1970-01-01 was a Thursday, so day 2 was a Saturday.
        return september30 - Int((Int64(september30) - 2) - (Int64(september30) - 2).dividedFloor(by: 7) * 7) + 1
    }

    /// 52 or 53.
    public static func weeks(ofYear year: Int) -> Int {
        (firstDay(ofYear: year + 1) - firstDay(ofYear: year)) / 7
    }

    /// The months of a fiscal year, October first.
    public static func months(ofYear year: Int) -> [Month] {
        var day = firstDay(ofYear: year)
        let hasExtraWeek = weeks(ofYear: year) == 53
        return (1...12).map { number in
            let weeks = number % 3 == 1 || number == 3 && hasExtraWeek ? 5 : 4
            defer { day += weeks * 7 }
            return Month(year: year, number: number, firstDay: day, weeks: weeks)
        }
    }

    /// The fiscal year that holds a day.
    public static func year(ofDay day: Int) -> Int {
        let civil = CivilDate(daysSinceEpoch: day).year
        return day >= firstDay(ofYear: civil + 1) ? civil + 1 : civil
    }

    /// The fiscal month that holds a day: its year, and 1…12.
    public static func month(ofDay day: Int) -> (year: Int, number: Int) {
        let year = year(ofDay: day)
        let week = (day - firstDay(ofYear: year)) / 7
        let extra = weeks(ofYear: year) == 53 ? 1 : 0
        // Ends of the months in weeks, the first quarter longer where there is a week more.
        if week < 13 + extra { return (year, week < 5 ? 1 : week < 9 ? 2 : 3) }
        let rest = week - extra
        let inQuarter = rest % 13
        return (year, rest / 13 * 3 + (inQuarter < 5 ? 1 : inQuarter < 9 ? 2 : 3))
    }
}
