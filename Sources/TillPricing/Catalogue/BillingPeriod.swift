package import TillCore

/// The length of one period of a subscription.
public struct BillingPeriod: Hashable, Sendable {
    /// Whole years, beside the other units.
    public var years = 0
    /// Whole months, beside ``years``.
    public var months = 0
    /// Whole weeks, of seven days each.
    public var weeks = 0
    /// Whole days, beside ``weeks``.
    public var days = 0

    /// Makes a length that is the sum of all units; a length of 0 is not refused.
    public init(years: Int = 0, months: Int = 0, weeks: Int = 0, days: Int = 0) {
        (self.years, self.months, self.weeks, self.days) = (years, months, weeks, days)
    }

    /// Reads ISO 8601's `P` and numbers of years, months, weeks and days, in this order; each number has at most four
    /// digits, and some number is not 0.
    public init?(iso text: String) {
        guard text.first == "P", text.utf8.count > 1 else { return nil }
        var units: Substring = "YMWD"
        var rest = text.dropFirst()
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            guard digits.utf8.count <= 4, let number = Int(digits), let unit = rest.popFirst(),
                let place = units.firstIndex(of: unit)
            else { return nil }
            units = units[units.index(after: place)...]
            switch unit {
            case "Y": years = number
            case "M": months = number
            case "W": weeks = number
            default: days = number
            }
        }
        guard years + months + weeks + days > 0 else { return nil }
    }

    /// Reads a length in Apple's metadata: `7 Days`, `1 Month`, `1 Year`.
    public init?(words text: String) {
        let words = text.lowercased().split(separator: " ")
        guard words.count == 2, words[0].utf8.count <= 4, let number = Int(words[0]), number > 0 else { return nil }
        switch words[1] {
        case "day", "days": self.init(days: number)
        case "week", "weeks": self.init(weeks: number)
        case "month", "months": self.init(months: number)
        case "year", "years": self.init(years: number)
        default: return nil
        }
    }

    /// `1 month`, `1 year 6 months`
    public var words: String {
        let parts = [(years, "year"), (months, "month"), (weeks, "week"), (days, "day")].filter { $0.0 != 0 }
        return parts.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }.joined(separator: " ")
    }

    /// `P1M`
    public var iso: String {
        let parts = [(years, "Y"), (months, "M"), (weeks, "W"), (days, "D")].filter { $0.0 != 0 }
        return "P" + parts.map { "\($0.0)\($0.1)" }.joined()
    }
}

extension BillingPeriod {
    /// The end of a period that begins at `start`: the same time of a later local day, at most the last of its month.
    package func end(from start: Timestamp, in calendar: BookingCalendar) -> Timestamp {
        func firstDay(ofMonth month: Int) -> Int {
            let year = (month >= 0 ? month : month - 11) / 12
            return CivilDate(year: year, month: month - year * 12 + 1, day: 1).daysSinceEpoch
        }
        let day = calendar.day(of: start)
        let date = CivilDate(daysSinceEpoch: day)
        let month = (date.year + years) * 12 + date.month - 1 + months
        let last = min(firstDay(ofMonth: month) + date.day, firstDay(ofMonth: month + 1)) - 1 + weeks * 7 + days
        let passed = calendar.zone.startOfDay(last).milliseconds
            .subtractingReportingOverflow(calendar.zone.startOfDay(day).milliseconds)
        let end = start.milliseconds.addingReportingOverflow(passed.partialValue)
        return passed.overflow || end.overflow ? start : Timestamp(milliseconds: end.partialValue)
    }
}
