public import TillCore

/// The time range of a report, and the name by which it was selected.
///
/// A sale is in it by its purchase date. A refund is in it by the date at which it is booked: its own, so that a closed
/// month holds the refunds that were made in it, or that of the purchase (``LedgerRules/RefundDating``). Failures and
/// events are in it by their time. Rows without a date are in no period. Copies are joined before rows are omitted.
public struct Period: Hashable, Sendable {
    /// The first instant; `nil` for an open beginning.
    public let from: Timestamp?
    /// The first instant after the period; `nil` for an open end.
    public let until: Timestamp?
    /// `2026-03`, `2026-Q1`, `FY26-06`; `nil` where only bounds were given.
    public let name: String?

    /// Makes a period; the order of its bounds is not checked.
    public init(from: Timestamp?, until: Timestamp?, name: String? = nil) {
        self.from = from
        self.until = until
        self.name = name
    }

    /// Both bounds as instants: `2026-03-01T00:00:00Z/2026-04-01T00:00:00Z`. An open bound is empty.
    public var bounds: String { [from, until].map { $0?.description ?? "" }.joined(separator: "/") }

    /// Whether an instant is in the period; an unknown one is not.
    public func contains(_ instant: Timestamp?) -> Bool {
        guard let instant else { return false }
        return instant >= from ?? Timestamp(milliseconds: .min) && until.map { instant < $0 } ?? true
    }
}

extension BookingCalendar {
    /// Whether each bound of a period is the beginning of a month of this calendar. Open bounds count as such.
    public func isWholeMonths(_ period: Period) -> Bool {
        [period.from, period.until].compactMap(\.self).allSatisfy { instant in
            zone.startOfDay(firstDay(ofMonth: monthCode(ofDay: day(of: instant)))) == instant
        }
    }

    /// The period of whole local days, the last one included.
    func period(days: ClosedRange<Int>, name: String) -> Period {
        Period(from: zone.startOfDay(days.lowerBound), until: zone.startOfDay(days.upperBound + 1), name: name)
    }

    /// Months of the Gregorian calendar by their name, in this time zone: `2026-03`, `2026-Q1`, `2026-H1`, `2026`, or
    /// from one of these to the end of another, `2026-01..2026-03`.
    ///
    /// - Parameter firstMonth: the month with which a company's year begins, 1…12. If it is not January, a year has the
    ///   name of the calendar year in which it ends, and may be written `FY2026`; quarters and halves are of that year.
    public func months(named text: String, yearBegins firstMonth: Int = 1) throws(Finding) -> Period {
        let ends = text.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
        let first = try Self.months(named: ends[0], firstMonth, of: text)
        let last = try Self.months(named: ends[ends.count - 1], firstMonth, of: text)
        guard first.lowerBound <= last.upperBound else {
            throw Finding(argument: "the period \(text) ends before it begins")
        }
        func firstDay(_ month: Int) -> Int {
            CivilDate(year: month / 12, month: month % 12 + 1, day: 1).daysSinceEpoch
        }
        return period(days: firstDay(first.lowerBound)...firstDay(last.upperBound + 1) - 1, name: text)
    }

    /// The numbers of months: twelve times the year and, from 0, the month in it.
    private static func months(
        named name: Substring,
        _ firstMonth: Int,
        of text: String
    ) throws(Finding) -> ClosedRange<Int> {
        let failure = Finding(
            argument: "a period is written like 2026-03, 2026-Q1, 2026-H1, 2026 or 2026-01..2026-03, not '\(text)'"
        )
        let isOwnYear = name.uppercased().hasPrefix("FY")
        guard !isOwnYear || firstMonth != 1 else {
            throw Finding(
                argument:
                    "'\(text)' is of a company's own year, whose first month --year-begins names; --fiscal takes periods "
                    + "of Apple's calendar"
            )
        }
        let label = name.dropFirst(isOwnYear ? 2 : 0).uppercased()
        let parts = label.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let year = number(parts[0], digits: 4...4), year > 0 else { throw failure }
        let start = firstMonth == 1 ? year * 12 : year * 12 - 13 + firstMonth
        guard let part = parts.dropFirst().first else { return start...start + 11 }
        if !isOwnYear, let month = number(part, digits: 2...2), (1...12).contains(month) {
            return year * 12 + month - 1...year * 12 + month - 1
        }
        for (letter, length) in [("Q", 3), ("H", 6)] where part.hasPrefix(letter) {
            guard let place = number(part.dropFirst(), digits: 1...1), (1...12 / length).contains(place) else { break }
            return start + (place - 1) * length...start + place * length - 1
        }
        throw failure
    }

    /// A fiscal month, quarter or year of Apple's: `FY26-06`, `FY26-Q2`, `FY26`; the year in two or four digits.
    public func fiscalPeriod(_ text: String) throws(Finding) -> Period {
        let failure = Finding(argument: "a fiscal period is written like FY26-06, FY26-Q2 or FY26, not '\(text)'")
        let parts = text.uppercased().split(separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, first.hasPrefix("FY"), parts.count <= 2 else { throw failure }
        let digits = first.dropFirst(2)
        guard let number = Self.number(digits, digits: 2...4), digits.count != 3, digits.count == 2 || number > 0 else {
            throw failure
        }
        let months = AppleFiscalCalendar.months(ofYear: digits.count == 2 ? 2000 + number : number)
        let range: ClosedRange<Int>
        if parts.count == 1 {
            range = 0...11
        } else if parts[1].hasPrefix("Q") {
            guard let quarter = Self.number(parts[1].dropFirst(), digits: 1...1), (1...4).contains(quarter) else {
                throw failure
            }
            range = quarter * 3 - 3...quarter * 3 - 1
        } else {
            guard let month = Self.number(parts[1], digits: 2...2), (1...12).contains(month) else { throw failure }
            range = month - 1...month - 1
        }
        let year = Self.fiscalYearName(months[0].year)
        let name = parts.count == 1 ? year : "\(year)-\(parts[1])"
        return period(days: months[range.lowerBound].firstDay...months[range.upperBound].lastDay, name: name)
    }

    private static let monthNames = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    /// A fiscal month by the name that Apple's reports give it: `March 2026`, or `2026-03`.
    ///
    /// October to December are those of the calendar year before the fiscal one.
    public func fiscalMonth(named text: String) throws(Finding) -> Period {
        let words = text.split(separator: " ")
        var named: (year: Int, month: Int)?
        if words.count == 2, let year = Self.number(words[1], digits: 4...4) {
            let matches = Self.monthNames.indices.filter {
                words[0].count >= 3 && Self.monthNames[$0].hasPrefix(words[0].lowercased())
            }
            if matches.count == 1 { named = (year, matches[0] + 1) }
        } else {
            let parts = text.split(separator: "-", omittingEmptySubsequences: false)
            if parts.count == 2, let year = Self.number(parts[0], digits: 4...4),
                let month = Self.number(parts[1], digits: 2...2), (1...12).contains(month)
            {
                named = (year, month)
            }
        }
        guard let named, named.year > 0 else {
            throw Finding(argument: "a fiscal month is named like 'March 2026', not '\(text)'")
        }
        let year = named.month >= 10 ? named.year + 1 : named.year
        let number = named.month >= 10 ? named.month - 9 : named.month + 3
        return try fiscalPeriod(
            "FY\(String(repeating: "0", count: 4 - String(year).count))\(year)-\(number < 10 ? "0" : "")\(number)"
        )
    }

    /// A period by its ends: days, of which the last one is included, or RFC 3339 instants, of which the last one is
    /// not. It may begin with a ``RecentTime`` before its end.
    public func period(since: String?, until: String?) throws(Finding) -> Period {
        let to = try until.map { text throws(Finding) in try bound(text, daysLater: 1) }
        let from = try since.map { text throws(Finding) in
            guard let recent = RecentTime(text) else { return try bound(text, daysLater: 0) }
            guard let to else {
                throw Finding(
                    argument:
                        "--since \(text) counts back from the end of the data, which is not known here; name a day or an instant, or "
                        + "add --until"
                )
            }
            return recent.start(endingWith: Timestamp(milliseconds: to.milliseconds &- 1), in: self)
        }
        if let from, let to, to <= from {
            throw Finding(argument: "the period ends at \(to), before it begins at \(from)")
        }
        return Period(from: from, until: to)
    }

    private func bound(_ text: String, daysLater: Int) throws(Finding) -> Timestamp {
        let bytes = text.utf8.span.bytes
        if let day = Timestamp.parseDay(bytes) {
            return zone.startOfDay(Int(day.milliseconds / Timestamp.millisecondsPerDay) + daysLater)
        }
        if let instant = Timestamp.parse(bytes) { return instant }
        let times = daysLater == 0 ? ", nor a time to look back such as 24h, 7d or 2w" : ""
        throw Finding(argument: "'\(text)' is neither a day such as 2026-03-31 nor an RFC 3339 instant\(times)")
    }

    private static func number(_ text: some StringProtocol, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }
}
