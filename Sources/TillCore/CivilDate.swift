/// A day of the proleptic Gregorian calendar.
///
/// The arithmetic counts days from 1 March of year 0, so that the leap day is the last of its year and every month
/// length follows from one linear formula; a cycle of 400 years has 146,097 days.
public struct CivilDate: Hashable, Sendable {
    /// The astronomical year: year 0 comes before year 1, and earlier years are negative.
    public let year: Int
    /// 1…12
    public let month: Int
    /// 1…31
    public let day: Int

    /// Makes a date without checking that the month has such a day.
    @inlinable
    public init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The date that lies `days` days after 1970-01-01.
    @inlinable
    public init(daysSinceEpoch days: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (marchMonth >= 10 ? 1 : 0)
    }

    /// Days from 1970-01-01 to this date; negative before it.
    @inlinable
    public var daysSinceEpoch: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let marchMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Whether the calendar has this day.
    @inlinable
    public var isValid: Bool {
        guard (1...12).contains(month), day >= 1 else { return false }
        // Every month has that many.
        if day <= 28 { return true }
        return CivilDate(daysSinceEpoch: daysSinceEpoch) == self
    }
}
