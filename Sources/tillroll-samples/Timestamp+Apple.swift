import TillCore

extension Timestamp {
    /// The instant of a day and hour in UTC.
    static func utc(_ year: Int, _ month: Int, _ day: Int, hour: Int = 0) -> Timestamp {
        Timestamp(startOfHour: CivilDate(year: year, month: month, day: day).daysSinceEpoch * 24 + hour)
    }

    func adding(days: Int = 0, hours: Int = 0, minutes: Int = 0, seconds: Int = 0, milliseconds: Int = 0) -> Timestamp {
        let wholeSeconds = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
        return Timestamp(milliseconds: self.milliseconds + Int64(wholeSeconds * 1000 + milliseconds))
    }

    /// The same time of day so many months later; for days up to the 28th, which every month has.
    func adding(months: Int) -> Timestamp {
        let (date, time) = day
        let month = date.year * 12 + date.month - 1 + months
        return Timestamp.utc(month / 12, month % 12 + 1, date.day).adding(milliseconds: Int(time))
    }

    var millisecondsText: String { String(milliseconds) }

    /// `2026-01-14`
    var dayText: String { String(description.prefix(10)) }

    /// `2026-01-14T19:36:40Z`, the form of app receipts; milliseconds are cut.
    var receiptText: String { description.prefix(19) + "Z" }

    /// `2026-01-14 19:36:40 Etc/GMT`, the first of verifyReceipt's three forms.
    var gmtText: String { clockText + " Etc/GMT" }

    /// `2026-01-14 11:36:40 America/Los_Angeles`, the form under keys that end in `_pst`, in summer too.
    var losAngelesText: String {
        adding(hours: isPacificDaylightTime ? -7 : -8).clockText + " America/Los_Angeles"
    }

    private var clockText: String { dayText + " " + description.dropFirst(11).prefix(8) }

    /// Daylight time runs from the second Sunday of March to the first Sunday of November, 2 a.m. local time (the rule
    /// of the United States since 2007).
    private var isPacificDaylightTime: Bool {
        let year = day.date.year
        func sunday(onOrAfter day: Int, ofMonth month: Int, hour: Int) -> Timestamp {
            // Day 3 after 1970-01-01, a Thursday, was a Sunday.
            let days = CivilDate(year: year, month: month, day: day).daysSinceEpoch
            return .utc(year, month, day + (10 - days % 7) % 7, hour: hour)
        }
        return sunday(onOrAfter: 8, ofMonth: 3, hour: 10) <= self && self < sunday(onOrAfter: 1, ofMonth: 11, hour: 9)
    }
}
