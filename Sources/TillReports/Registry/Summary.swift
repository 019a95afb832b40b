import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The answer of a report: a record for programs, sentences for people.
struct Summary {
    /// The first and the newest instant that the figures cover; `nil` where none has a date.
    var span: ClosedRange<Timestamp>?
    /// What stands behind `period`, `since` and `until`.
    var facts: [Fact]
    var statements: [Statement]

    init(span: ClosedRange<Timestamp>?, facts: [Fact], statements: [Statement]) {
        (self.span, self.facts, self.statements) = (span, facts, statements)
    }

    /// The section, which is the first one behind the preamble.
    func section(_ rules: LedgerRules, _ exceptions: [ReportException]) -> Section {
        let time = [
            Fact("period", "Period", .text(PeriodWords.text(of: rules.period, span, in: rules.calendar))),
            Fact("since", "Since", .instant(span?.lowerBound)), Fact("until", "Until", .instant(span?.upperBound)),
        ]
        let told = exceptions.filter { $0.count > 0 }
        let records = told.map { exception in
            CellRecord(
                [.init("name", .text(exception.name)), .init("count", .count(exception.count))],
                text: "\(exception.name) \(exception.count)"
            )
        }
        var section = Section(
            name: "summary",
            title: "Summary",
            facts: time + facts + [Fact("exceptions", "Exceptions", .records(records))],
            role: .summary
        )
        section.statements = statements + told.map(\.statement)
        return section
    }
}

/// Something about the input that a person has to look at, where its count is above 0.
struct ReportException {
    let name: String
    let count: Int
    /// `document was rejected`, and for several of them.
    private let sentence: (one: String, many: String)
    private let command: String?

    init(_ name: String, _ count: Int, one: String, many: String, command: String? = nil) {
        (self.name, self.count, self.command) = (name, count, command)
        sentence = (one, many)
    }

    var statement: Statement {
        Statement(
            "\(.count(count)) \(count == 1 ? sentence.one : sentence.many)",
            tone: .warning,
            command: command
        )
    }
}

/// A period as people say it: `1–31 March 2026`.
enum PeriodWords {
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// The period asked for, as far as it has ends, else the time that the figures cover; `nil` where neither is known.
    static func text(of period: Period?, _ span: ClosedRange<Timestamp>?, in calendar: BookingCalendar) -> String? {
        // A period ends just before its end.
        let end = period?.until.map { Timestamp(milliseconds: $0.milliseconds &- 1) }
        guard let first = period?.from ?? span?.lowerBound, let last = end ?? span?.upperBound, first <= last else {
            return nil
        }
        let clock = calendar.clock
        return text(from: clock.local(first).day.date, through: clock.local(last).day.date)
    }

    static func text(from first: CivilDate, through last: CivilDate) -> String {
        if first == last { return full(last) }
        guard first.year == last.year else { return "\(full(first)) – \(full(last))" }
        return first.month == last.month ? "\(first.day)–\(full(last))" : "\(dayAndMonth(first)) – \(full(last))"
    }

    private static func dayAndMonth(_ date: CivilDate) -> String { "\(date.day) \(months[date.month - 1])" }
    private static func full(_ date: CivilDate) -> String { "\(dayAndMonth(date)) \(date.year)" }

    /// `31 March 02:57`
    static func dayAndTime(of instant: Timestamp, by clock: ReportClock) -> String {
        dayAndMonth(clock.local(instant).day.date) + " " + clock.time(of: instant)
    }
}
