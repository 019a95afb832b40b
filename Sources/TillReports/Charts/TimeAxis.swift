import TillCore
import TillReportModel

/// Equal spans of time for a chart: hours, days or weeks, whichever shows all with few enough columns.
struct TimeAxis {
    /// More columns than this cannot be told apart.
    static let limit = 100

    /// The length of a column in hours.
    let step: Int
    /// The first hour of the first column, and the number of columns.
    private let start: Int
    private let count: Int

    /// `nil` where there are no hours. Of a span that even weeks cannot hold, the last part is kept.
    init?(_ hours: [Int]) {
        guard let first = hours.min(), let last = hours.max() else { return nil }
        let steps = [1, 24, 7 * 24]
        let step = steps.first { last / $0 - first / $0 < Self.limit } ?? 7 * 24
        // Weeks begin on Mondays; 1970 began on a Thursday.
        let offset = step == 7 * 24 ? 4 * 24 : 0
        func column(_ hour: Int) -> Int { Int(Int64(hour - offset).dividedFloor(by: Int64(step))) }
        count = min(column(last) - column(first) + 1, Self.limit)
        start = (column(last) - count + 1) * step + offset
        self.step = step
    }

    /// The hours of a range, a column each.
    init(hours: ClosedRange<Int>) {
        step = 1
        start = hours.lowerBound
        count = hours.count
    }

    var categories: [Cell] { (0..<count).map { .instant(Timestamp(startOfHour: start + $0 * step)) } }

    /// The column of an hour; `nil` outside.
    func column(of hour: Int) -> Int? {
        guard hour >= start else { return nil }
        let column = (hour - start) / step
        return column < count ? column : nil
    }

    var unit: String {
        switch step {
        case 1: "hour"
        case 24: "day"
        default: "week"
        }
    }
}
