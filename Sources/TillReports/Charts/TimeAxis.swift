import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// Equal spans of time for a chart: hours, days or weeks, whichever shows all with few enough columns.
///
/// Days and weeks are those of a calendar and its time zone, by their names. Hours are instants: failures are counted by
/// hours of UTC, which in India begin at half past.
struct TimeAxis {
    /// More columns than this cannot be told apart.
    static let limit = 100

    /// The length of a column.
    let unit: CalendarUnit
    private let calendar: BookingCalendar
    /// The code of the first column, and the number of columns. The code of an hour is its number since 1970.
    private let start: Int64
    private let count: Int

    /// `nil` where there are no hours. Of a span that even weeks cannot hold, the last part is kept.
    init?(_ hours: [Int], in calendar: BookingCalendar = .usual) {
        guard let first = hours.min(), let last = hours.max() else { return nil }
        func codes(_ unit: CalendarUnit) -> (first: Int64, last: Int64) {
            (Self.code(of: first, by: unit, in: calendar), Self.code(of: last, by: unit, in: calendar))
        }
        let units: [CalendarUnit] = [.hour, .day, .week]
        let unit = units.first { codes($0).last - codes($0).first < Self.limit } ?? .week
        let ends = codes(unit)
        count = Int(min(ends.last - ends.first + 1, Int64(Self.limit)))
        start = ends.last - Int64(count) + 1
        self.unit = unit
        self.calendar = calendar
    }

    /// The hours of a range, a column each.
    init(hours: ClosedRange<Int>, in calendar: BookingCalendar = .usual) {
        unit = .hour
        start = Int64(hours.lowerBound)
        count = hours.count
        self.calendar = calendar
    }

    private static func code(of hour: Int, by unit: CalendarUnit, in calendar: BookingCalendar) -> Int64 {
        unit == .hour ? Int64(hour) : calendar.code(of: Timestamp(startOfHour: hour), by: unit)
    }

    var categories: [Cell] {
        (start..<start + Int64(count)).map { code in
            switch unit {
            case .hour: .instant(Timestamp(startOfHour: Int(code)))
            case .week: .text(calendar.name(of: Int64(calendar.day(of: calendar.start(of: code, by: .week))), by: .day))
            default: .text(calendar.name(of: code, by: unit))
            }
        }
    }

    /// The column of an hour; `nil` outside.
    func column(of hour: Int) -> Int? {
        let column = Self.code(of: hour, by: unit, in: calendar) - start
        return (0..<Int64(count)).contains(column) ? Int(column) : nil
    }
}
