import TillPricing
import TillReportModel

extension ReportPeriod {
    /// The names of columns whose texts are parts of time, the longest first.
    static let timeColumns = ["month", "week", "day", "hour"]

    /// What the key columns and instants of some sections span: the months, where any are named, else the instants.
    ///
    /// `nil` where nothing is dated.
    init?(of sections: [Section]) {
        var months: ClosedRange<String>?
        var first: Cell?
        var last: Cell?
        for section in sections {
            let month = section.timeColumn
            for row in section.tableRows {
                if let month, case .text(let text) = row[month] {
                    months = months.map { min($0.lowerBound, text)...max($0.upperBound, text) } ?? text...text
                }
                for case .instant(let instant) in row {
                    if case .instant(let known) = first, known <= instant {} else { first = .instant(instant) }
                    if case .instant(let known) = last, known >= instant {} else { last = .instant(instant) }
                }
            }
        }
        if let months {
            self.init(first: .text(months.lowerBound), last: .text(months.upperBound))
        } else if let first, let last {
            self.init(first: first, last: last)
        } else {
            return nil
        }
    }
}

extension Section {
    /// The column whose texts are parts of time, the longest such part where there are several.
    var timeColumn: Int? { ReportPeriod.timeColumns.compactMap { index(of: $0) }.first }
}
