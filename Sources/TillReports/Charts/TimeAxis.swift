import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The columns of a chart over time: hours, days or weeks, the smallest unit that needs at most ``limit`` columns.
///
/// Days and weeks are those of a calendar and its time zone; their categories are names. The categories of hours are
/// instants, because failures are counted by UTC hours, and these begin at half past in India.
struct TimeAxis {
    /// A reader cannot distinguish more columns.
    static let limit = 100

    /// The length of a column.
    let unit: CalendarUnit
    private let calendar: BookingCalendar
    /// The code of the first column, and the number of columns. The code of an hour is its number since 1970.
    private let start: Int64
    private let count: Int

    /// `nil` if there are no hours. A span of more weeks than ``limit`` loses its beginning.
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

    /// One column for each hour of a range.
    init(hours: ClosedRange<Int>) {
        unit = .hour
        start = Int64(hours.lowerBound)
        count = hours.count
        calendar = .usual
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

    /// The column of an hour; `nil` if the axis does not hold it.
    func column(of hour: Int) -> Int? {
        let column = Self.code(of: hour, by: unit, in: calendar) - start
        return (0..<Int64(count)).contains(column) ? Int(column) : nil
    }
}
