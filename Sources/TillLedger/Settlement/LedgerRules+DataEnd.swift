public import TillCore
public import TillPricing

extension LedgerRules {
    /// The period that a person has selected; `nil` for all time.
    public var selectedPeriod: Period? { wholePeriod ?? period }

    /// Whether the data have every day of the selected period: `false` if it is open, `nil` if it has no end or if it is
    /// not known how recent the data are.
    ///
    /// Data of the newest day may still be on their way. So a period is complete only if its last day is before the day
    /// of the newest record, or if a person says so (``completeDay``).
    public var isComplete: Bool? { selectedPeriod?.until.flatMap { isComplete(through: calendar.lastDay(before: $0)) } }

    /// The last day that counts of an open period of whole days; `nil` if all days count.
    public var lastDayToDate: Int? {
        guard isComplete == false, let asOf, let from = selectedPeriod?.from, let until = selectedPeriod?.until else {
            return nil
        }
        let isOfDays = [from, until].allSatisfy { calendar.zone.startOfDay(calendar.day(of: $0)) == $0 }
        return isOfDays ? min(asOf, calendar.lastDay(before: until)) : nil
    }

    /// The days of an earlier month that have no like in the month of ``asOf``, which is compared with it; `nil` if that
    /// month is complete.
    public func daysNotReached(monthsBefore months: Int64) -> Range<Timestamp>? {
        guard let asOf else { return nil }
        let month = calendar.code(ofDay: asOf, by: .month)
        guard isComplete(through: calendar.lastDay(of: month, by: .month)) == false else { return nil }
        let earlier = month - months
        let days = asOf - calendar.lastDay(of: month - 1, by: .month)
        let lastDay = min(
            calendar.lastDay(of: earlier - 1, by: .month) + days,
            calendar.lastDay(of: earlier, by: .month)
        )
        return calendar.zone.startOfDay(lastDay + 1)..<calendar.start(of: earlier + 1, by: .month)
    }

    /// Whether the data have everything up to the end of a day.
    public func isComplete(through day: Int) -> Bool? {
        if let completeDay, day <= completeDay { return true }
        return newest.map { day < calendar.day(of: $0) }
    }

    /// The rules with the time of the newest record: they end an open period with the last day that counts.
    public func knowing(newest instant: Timestamp?) -> LedgerRules {
        var rules = self
        rules.newest = instant ?? newest
        rules.asOf = [rules.newest.map(calendar.day), completeDay].compactMap(\.self).max()
        guard let asOf = rules.asOf, let selected = selectedPeriod, let until = selected.until else { return rules }
        let end = max(calendar.zone.startOfDay(asOf + 1), selected.from ?? until)
        guard end < until else { return rules }
        rules.wholePeriod = selected
        rules.period = Period(from: selected.from, until: end, name: selected.name)
        return rules
    }

    /// Whether the same bookings count, also for comparison, as by rules that know another newest record.
    public func countsSameDays(as other: LedgerRules) -> Bool {
        let compared = comparison?.months.map {
            daysNotReached(monthsBefore: $0) == other.daysNotReached(monthsBefore: $0)
        }
        return period == other.period && lastDayToDate == other.lastDayToDate && compared ?? true
    }

    /// The rules without what ``knowing(newest:)`` has changed in the period.
    public var ofSelectedPeriod: LedgerRules {
        var rules = self
        (rules.period, rules.wholePeriod) = (selectedPeriod, nil)
        return rules
    }
}

extension BookingCalendar {
    /// The last day of a period that ends before an instant.
    public func lastDay(before until: Timestamp) -> Int { day(of: Timestamp(milliseconds: until.milliseconds &- 1)) }
}
