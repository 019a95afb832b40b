import TillCore

extension Timestamp {
    /// The instant of a day and hour in UTC.
    static func utc(_ year: Int, _ month: Int, _ day: Int, hour: Int = 0) -> Timestamp {
        let days = CivilDate(year: year, month: month, day: day).daysSinceEpoch
        return Timestamp(milliseconds: Int64(days) * millisecondsPerDay + Int64(hour) * millisecondsPerHour)
    }

    func adding(days: Int = 0, hours: Int = 0, minutes: Int = 0, seconds: Int = 0, milliseconds: Int = 0) -> Timestamp {
        let wholeSeconds = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
        return Timestamp(milliseconds: self.milliseconds + Int64(wholeSeconds * 1000 + milliseconds))
    }

    /// `2026-01-14T19:36:40Z`, the form of app receipts; milliseconds are cut.
    var receiptText: String {
        Timestamp(milliseconds: milliseconds.dividedFloor(by: 1000) * 1000).description
    }

    /// `2026-01-14 19:36:40 Etc/GMT`, the first of verifyReceipt's three forms.
    var gmtText: String { clockText + " Etc/GMT" }

    /// `2026-01-14 11:36:40 America/Los_Angeles`, the form under keys that end in `_pst`, in summer too.
    var losAngelesText: String {
        adding(hours: isPacificDaylightTime ? -7 : -8).clockText + " America/Los_Angeles"
    }

    private var clockText: String {
        receiptText.dropLast().split(separator: "T").joined(separator: " ")
    }

    /// Daylight time runs from the second Sunday of March to the first of November, 2 a.m. on the local clock (as
    /// the United States have it since 2007).
    private var isPacificDaylightTime: Bool {
        let year = day.date.year
        let start = Self.sunday(onOrAfter: CivilDate(year: year, month: 3, day: 8)).adding(hours: 10)
        let end = Self.sunday(onOrAfter: CivilDate(year: year, month: 11, day: 1)).adding(hours: 9)
        return start <= self && self < end
    }

    private static func sunday(onOrAfter date: CivilDate) -> Timestamp {
        let days = date.daysSinceEpoch
        let weekday = (days + 4) % 7  // 1970-01-01 was a Thursday; 0 is a Sunday
        return Timestamp(milliseconds: Int64(days + (7 - weekday) % 7) * millisecondsPerDay)
    }
}
