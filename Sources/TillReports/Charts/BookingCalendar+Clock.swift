import TillCore
import TillLedger
import TillPricing
import TillReportModel

extension BookingCalendar {
    /// The clock of the time zone in which its days begin.
    var clock: ReportClock {
        guard !zone.isUTC else { return .utc }
        return ReportClock(name: zone.name) { [zone] instant in
            zone.offset(at: instant.milliseconds.dividedFloor(by: 1000))
        }
    }
}
