public import TillCore
public import TillPricing

/// A month, or another period, that Apple's reports of one kind cover.
struct ReportedPeriod: Hashable, Sendable {
    let kind: AppleReport.Kind
    /// `2026-03`, `FY26-06`, `2026`; its days where a financial report has a month that the calendar does not know.
    let name: String
    /// All its days since 1970-01-01, covered by a report or not.
    let days: ClosedRange<Int>

    /// The longest span of a financial report that counts as a month.
    private static let longestMonth = 62

    /// The period of a report that covers some days; `nil` if they lie in two months and are no calendar year.
    init?(_ kind: AppleReport.Kind, covering span: ClosedRange<Int>) {
        self.kind = kind
        let calendar = BookingCalendar(kind.calendar)
        let (first, last) = (Self.month(of: span.lowerBound, calendar), Self.month(of: span.upperBound, calendar))
        guard first != last else {
            name = calendar.name(of: first, by: .month)
            days = Self.start(of: first, calendar)...(Self.start(of: first + 1, calendar) - 1)
            return
        }
        days = span
        switch kind {
        case .salesSummary:
            let (from, to) = (CivilDate(daysSinceEpoch: span.lowerBound), CivilDate(daysSinceEpoch: span.upperBound))
            guard from.year == to.year, from.month == 1, from.day == 1, to.month == 12, to.day == 31 else { return nil }
            name = String(calendar.name(of: first, by: .month).prefix { $0 != "-" })
        case .financial, .financialDetail:
            // Apple alone knows its calendar; ours is a rule, and for some weeks a guess.
            guard span.count <= Self.longestMonth else { return nil }
            name = "\(DayName.text(span.lowerBound))/\(DayName.text(span.upperBound))"
        }
    }

    private static func month(of day: Int, _ calendar: BookingCalendar) -> Int64 {
        calendar.code(of: DayName.midnight(day), by: .month)
    }

    private static func start(of month: Int64, _ calendar: BookingCalendar) -> Int {
        Int(calendar.start(of: month, by: .month).milliseconds / Timestamp.millisecondsPerDay)
    }
}

/// Days since 1970-01-01 as text and as instants of UTC.
enum DayName {
    /// `2026-03-31`
    static func text(_ day: Int) -> String { BookingCalendar.usual.name(of: Int64(day), by: .day) }

    static func midnight(_ day: Int) -> Timestamp {
        Timestamp(milliseconds: Int64(day) * Timestamp.millisecondsPerDay)
    }

    /// `2026-03-06, 2026-03-08 to 2026-03-10`; of many days the first ones.
    static func list(_ days: [Int]) -> String {
        var ranges: [ClosedRange<Int>] = []
        for day in days {
            if let last = ranges.last, last.upperBound + 1 == day {
                ranges[ranges.count - 1] = last.lowerBound...day
            } else {
                ranges.append(day...day)
            }
        }
        let most = 5
        let texts = ranges.prefix(most).map { range in
            range.count == 1 ? text(range.lowerBound) : "\(text(range.lowerBound)) to \(text(range.upperBound))"
        }
        return texts.joined(separator: ", ") + (ranges.count > most ? " and others" : "")
    }
}

/// The selected days.
public struct DaySelection: Sendable {
    private let first: Int
    private let last: Int

    /// All days.
    public static let all = DaySelection(first: .min, last: .max)

    private init(first: Int, last: Int) {
        (self.first, self.last) = (first, last)
    }

    /// The days of a period.
    ///
    /// - Throws: ``Finding`` if the period begins or ends within a day, since reports have whole days.
    public init(_ period: Period?, in calendar: BookingCalendar) throws(Finding) {
        func day(_ instant: Timestamp?) throws(Finding) -> Int? {
            guard let instant else { return nil }
            let day = calendar.day(of: instant)
            guard calendar.start(of: Int64(day), by: .day) == instant else {
                throw Finding(
                    "apple.period",
                    "the period begins or ends at \(instant), within a day of \(calendar.zone.name); Apple's reports have "
                        + "whole days"
                )
            }
            return day
        }
        self.init(first: try day(period?.from) ?? .min, last: (try day(period?.until)).map { $0 - 1 } ?? .max)
    }

    func contains(_ day: Int) -> Bool { day >= first && day <= last }

    /// Whether a period ends on the day before the selected days, or begins on the day after.
    func isBeside(_ days: ClosedRange<Int>) -> Bool {
        (first != .min && days.upperBound == first - 1) || (last != .max && days.lowerBound == last + 1)
    }

    /// The selected part of a span; there must be one.
    func clamping(_ span: ClosedRange<Int>) -> ClosedRange<Int> {
        max(span.lowerBound, first)...min(span.upperBound, last)
    }

    /// Whether all of a span is selected, some of it, or none.
    enum Part { case all, some, none }

    func part(of span: ClosedRange<Int>) -> Part {
        if contains(span.lowerBound), contains(span.upperBound) { return .all }
        return span.upperBound < first || span.lowerBound > last ? .none : .some
    }
}
