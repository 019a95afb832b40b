import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The answer of a report: a record for programs, sentences for people.
struct Summary {
    /// The first and the newest instant that the figures cover; `nil` if none has a date.
    var span: ClosedRange<Timestamp>?
    /// The members after `period`, `since` and `until`.
    var facts: [Fact]
    var statements: [Statement]
    /// The exceptions that the report itself has counted.
    var exceptions: ReportException.Counts
    /// Where the report has found some of them.
    var places: [ReportException: ExceptionPlaces] = [:]
    /// The exceptions that concern the report.
    var concerns: [ReportException]
    /// The number of currencies with a sentence each.
    static let mostCurrencies = 4

    /// Names the currencies without a sentence; empty if all have one.
    static func others(of currencies: [CurrencyCode]) -> [Statement] {
        let others = currencies.dropFirst(mostCurrencies)
        guard !others.isEmpty else { return [] }
        let codes = others.map(\.description).joined(separator: ", ")
        return [Statement("and in \(codes): see Totals", weight: .detail)]
    }

    /// Whether the figures are for the selected period only, or always for the whole input.
    var coversPeriod = true
    /// Whether it says how recent the data are, and whether the period is complete.
    var tellsDataEnd = false

    init(
        span: ClosedRange<Timestamp>?,
        facts: [Fact],
        statements: [Statement],
        exceptions: ReportException.Counts = [:],
        concerns: [ReportException] = ReportException.ofSales
    ) {
        (self.span, self.facts, self.statements) = (span, facts, statements)
        (self.exceptions, self.concerns) = (exceptions, concerns)
    }

    /// The section, which is the first one behind the preamble.
    ///
    /// - Parameter counts: the exceptions of the whole input.
    func section(_ rules: LedgerRules, _ counts: ReportException.Counts) -> Section {
        let time =
            [
                Fact("period", "Period", .text(period(rules))),
                Fact("since", "Since", .instant(span?.lowerBound)), Fact("until", "Until", .instant(span?.upperBound)),
            ] + (tellsDataEnd ? dataEnd(rules) : [])
        let found = counts.merging(exceptions) { $1 }
        let told = concerns.compactMap { kind in found[kind].flatMap { $0 > 0 ? (kind: kind, count: $0) : nil } }
        let records = told.map { exception in
            CellRecord(
                [.init("name", .text(exception.kind.name)), .init("count", .count(exception.count))]
                    + (places[exception.kind]?.members ?? []),
                text: "\(exception.kind.name) \(exception.count)"
            )
        }
        var section = Section(
            name: "summary",
            title: "Summary",
            facts: time + facts + [Fact("exceptions", "Exceptions", .records(records))],
            role: .summary
        )
        section.statements =
            [timeStatement(rules)].compactMap(\.self) + statements
            + told.map { $0.kind.statement($0.count, in: places[$0.kind], rules) }
        return section
    }

    private func period(_ rules: LedgerRules) -> String? {
        PeriodWords.text(of: coversPeriod ? rules.period : nil, span, in: rules.calendar)
    }

    /// Whether the period is complete, and its last day that counts.
    private func dataEnd(_ rules: LedgerRules) -> [Fact] {
        let last = rules.selectedPeriod?.until.map { rules.calendar.lastDay(before: $0) }
        let asOf = rules.asOf.map { min($0, last ?? $0) }
        let complete = Fact("complete", "Complete", rules.isComplete.map { .flag($0) } ?? .absent)
        // Subscriptions count to an instant, and name it themselves.
        guard !facts.contains(where: { $0.column.name == "as_of" }) else { return [complete] }
        return [complete, Fact("as_of", "As of", .text(asOf.map(DayName.text)))]
    }

    /// `March 2026 (days in UTC; month complete)`; `nil` if no record has a date and no period was asked for.
    private func timeStatement(_ rules: LedgerRules) -> Statement? {
        let clock = rules.calendar.clock
        // A period after the data has no days yet.
        let selected = tellsDataEnd ? rules.selectedPeriod.map { PeriodWords.name(of: $0, in: rules.calendar) } : nil
        guard let period = period(rules) ?? selected else { return nil }
        let zone = PeriodWords.zone(of: clock)
        func known(_ newest: Timestamp?) -> String? {
            newest.map { "data to \(PeriodWords.dayAndTime(of: $0, by: clock))" }
        }
        guard tellsDataEnd else {
            let words = ["\(period) (\(zone))", known(span?.upperBound)].compactMap(\.self).joined(separator: ", ")
            return Statement("\(words)", weight: .scope)
        }
        var (words, state) = (period, known(rules.newest))
        if let selected = rules.selectedPeriod, let isComplete = rules.isComplete {
            let name = PeriodWords.name(of: selected, in: rules.calendar)
            if isComplete {
                (words, state) = (
                    name, "\(PeriodWords.isMonth(selected, in: rules.calendar) ? "month" : "period") complete"
                )
            } else if self.period(rules) != nil {
                words = "\(name) to date: \(PeriodWords.days(of: rules.period, in: rules.calendar) ?? period)"
            }
        }
        let details = ["days in \(zone)", state].compactMap(\.self).joined(separator: "; ")
        return Statement("\(words) (\(details))", weight: .scope)
    }
}

extension Statement {
    /// The sentence for a period without figures, with the period of the input: `No sales in March 2026; data covers
    /// January 2021 to December 2024`.
    ///
    /// - Parameter data: the first and the newest record of the input, whatever its period; `nil` if none has a time,
    ///   or the report does not know.
    static func nothing(_ words: String, _ rules: LedgerRules, data: ClosedRange<Timestamp>? = nil) -> Statement {
        let period = rules.selectedPeriod.map { " in " + PeriodWords.name(of: $0, in: rules.calendar) } ?? ""
        let covered = data.map { "; data covers " + PeriodWords.months(of: $0, in: rules.calendar) } ?? ""
        return Statement("\(words)\(period)\(covered)")
    }
}

/// A period as people say it: `1–31 March 2026`.
enum PeriodWords {
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// The time zone of days and times: `UTC`, `Europe/Berlin`.
    static func zone(of clock: ReportClock) -> String { clock.isUTC ? "UTC" : clock.name }

    /// The selected period, if it has ends, else the time of the figures; `nil` if neither is known.
    static func text(of period: Period?, _ span: ClosedRange<Timestamp>?, in calendar: BookingCalendar) -> String? {
        // A period ends just before its end.
        let end = period?.until.map { Timestamp(milliseconds: $0.milliseconds &- 1) }
        guard let first = period?.from ?? span?.lowerBound, let last = end ?? span?.upperBound, first <= last else {
            return nil
        }
        let clock = calendar.clock
        let (firstDay, lastDay) = (clock.local(first).day.date, clock.local(last).day.date)
        // A selected period may begin within a day.
        guard let from = period?.from, calendar.zone.startOfDay(calendar.day(of: from)) != from else {
            return text(from: firstDay, through: lastDay)
        }
        let time = clock.time(of: from)
        return firstDay == lastDay
            ? "\(full(lastDay)) from \(time)" : "\(dayAndMonth(firstDay)) \(time) – \(full(lastDay))"
    }

    /// The name of a selected period for people: `March 2026`, `FY26-06`, else its days.
    static func name(of period: Period, in calendar: BookingCalendar) -> String {
        guard let from = period.from, isMonth(period, in: calendar) else {
            return text(of: period, nil, in: calendar) ?? "the period"
        }
        return monthName(of: calendar.code(of: from, by: .month), in: calendar)
    }

    /// Whether a period is a single month of the calendar.
    static func isMonth(_ period: Period, in calendar: BookingCalendar) -> Bool {
        guard let from = period.from, let until = period.until, calendar.isWholeMonths(period) else { return false }
        return calendar.code(of: until, by: .month) == calendar.code(of: from, by: .month) + 1
    }

    /// `March 2026`, in a fiscal calendar `FY26-06`.
    static func monthName(of code: Int64, in calendar: BookingCalendar) -> String {
        guard calendar.kind != .appleFiscal else { return calendar.name(of: code, by: .month) }
        return monthName(of: calendar.start(of: code, by: .month), by: calendar.clock)
    }

    private static func monthName(of instant: Timestamp, by clock: ReportClock) -> String {
        let date = clock.local(instant).day.date
        return "\(months[date.month - 1]) \(date.year)"
    }

    /// The name of a calendar month as people say it, `March 2026` for `2026-03`; every other name as it is.
    static func spoken(_ name: String) -> String {
        let parts = name.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 2, name.utf8.count == 7, months.indices.contains(parts[1] - 1) else { return name }
        return "\(months[parts[1] - 1]) \(parts[0])"
    }

    /// `January 2021 to December 2024`, or one month.
    static func months(of span: ClosedRange<Timestamp>, in calendar: BookingCalendar) -> String {
        let (first, last) = (
            monthName(of: span.lowerBound, by: calendar.clock), monthName(of: span.upperBound, by: calendar.clock)
        )
        return first == last ? first : "\(first) to \(last)"
    }

    /// The days of a period within a year, without the year: `1–9 March`; `nil` for other periods.
    static func days(of period: Period?, in calendar: BookingCalendar) -> String? {
        guard let from = period?.from, let until = period?.until, from < until else { return nil }
        let first = CivilDate(daysSinceEpoch: calendar.day(of: from))
        let last = CivilDate(daysSinceEpoch: calendar.lastDay(before: until))
        guard first.year == last.year, calendar.zone.startOfDay(calendar.day(of: from)) == from else { return nil }
        if first == last { return dayAndMonth(first) }
        let start = first.month == last.month ? "\(first.day)–" : "\(dayAndMonth(first)) – "
        return start + dayAndMonth(last)
    }

    static func text(from first: CivilDate, through last: CivilDate) -> String {
        if first == last { return full(last) }
        guard first.year == last.year else { return "\(full(first)) – \(full(last))" }
        return first.month == last.month ? "\(first.day)–\(full(last))" : "\(dayAndMonth(first)) – \(full(last))"
    }

    /// `8 March 2026`
    static func name(ofDay day: Int) -> String { full(CivilDate(daysSinceEpoch: day)) }

    private static func dayAndMonth(_ date: CivilDate) -> String { "\(date.day) \(months[date.month - 1])" }
    private static func full(_ date: CivilDate) -> String { "\(dayAndMonth(date)) \(date.year)" }

    /// `31 March 02:57`
    static func dayAndTime(of instant: Timestamp, by clock: ReportClock) -> String {
        dayAndMonth(clock.local(instant).day.date) + " " + clock.time(of: instant)
    }
}
