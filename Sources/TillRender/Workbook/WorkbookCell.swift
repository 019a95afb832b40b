import TillCore
import TillReportModel

/// The content of a cell in a workbook: Excel has numbers, which are doubles of 15 digits, and texts.
enum WorkbookCell: Hashable {
    case empty
    case number(Double, WorkbookFormat)
    case text(String)

    /// A number if a spreadsheet keeps all its digits, else a text.
    init(_ cell: Cell, _ clock: ReportClock) {
        switch cell {
        case .absent: self = .empty
        case .text(let text): self = .text(text)
        case .list(let items): self = .text(items.joined(separator: ", "))
        case .flag(let flag): self = .text(flag ? "yes" : "no")
        case .records(let records): self = .text(records.map(\.text).joined(separator: "; "))
        case .instant(let instant): self = Self.date(instant, clock)
        case .code: self = Self.number(cell, .code)
        case .count: self = Self.number(cell, .count)
        case .ratio: self = Self.number(cell, .share)
        case .decimal: self = Self.number(cell, .decimal)
        case .money(let money):
            let text = money.decimalText
            let decimals = text.firstIndex(of: ".").map { text.utf8.distance(from: $0, to: text.endIndex) - 1 } ?? 0
            self = Self.number(cell, .money(money.currency, decimals: decimals))
        }
    }

    /// The significant digits that a spreadsheet keeps. A double represents every decimal number of so many digits.
    static let digits = 15

    private static func number(_ cell: Cell, _ format: WorkbookFormat) -> WorkbookCell {
        guard let text = cell.exactNumber else { return .empty }
        let significant = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }
            .drop { $0 == UInt8(ascii: "0") }
        // Trailing zeros of a whole number are not significant.
        let count =
            text.utf8.contains(UInt8(ascii: "."))
            ? significant.count : significant.count - significant.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        guard count <= digits, let number = Double(text) else { return .text(text) }
        return .number(number, format)
    }

    /// The serial number of a date: days since 1899-12-30 (ECMA-376 §18.17.4). Dates that Excel does not have are text.
    private static func date(_ instant: Timestamp, _ clock: ReportClock) -> WorkbookCell {
        let start = CivilDate(year: 1900, month: 3, day: 1).daysSinceEpoch
        let end = CivilDate(year: 10_000, month: 1, day: 1).daysSinceEpoch
        let (date, millisecond) = clock.local(instant).day
        let days = date.daysSinceEpoch
        guard (start..<end).contains(days) else { return .text(clock.text(of: instant)) }
        let serial = days - CivilDate(year: 1899, month: 12, day: 30).daysSinceEpoch
        let number = Double(serial) + Double(millisecond) / Double(Timestamp.millisecondsPerDay)
        let zone = clock.isUTC ? "" : clock.zoneText(at: instant)
        return .number(number, .instant(hasMilliseconds: millisecond % 1000 != 0, zone: zone))
    }
}

/// The look of a cell. The library needs an object for each format in use.
indirect enum WorkbookFormat: Hashable {
    case text
    case wrapped
    case title
    case heading
    case columnTitle(isNumber: Bool)
    case wrappedTitle
    case soft
    case link
    case code
    case count
    case share
    case decimal
    case money(CurrencyCode, decimals: Int)
    /// A date and a time, followed by the offset of the clock unless that is UTC.
    case instant(hasMilliseconds: Bool, zone: String)
    /// The format of a fact beside its name, aligned to the left.
    case beside(WorkbookFormat)

    /// The number format in the notation of ECMA-376 §18.8.31; `nil` for the general format.
    var numberFormat: String? {
        switch self {
        // Text stays text when a user edits the cell.
        case .text, .wrapped: "@"
        case .title, .heading, .columnTitle, .wrappedTitle, .soft, .link: nil
        case .code: "0"
        case .count: "#,##0"
        case .share: "0.00%"
        case .decimal: "#,##0.00"
        case .money(let currency, let decimals):
            "#,##0" + (decimals > 0 ? "." + String(repeating: "0", count: decimals) : "") + " [$\(currency)]"
        case .beside(let format): format.numberFormat
        case .instant(let hasMilliseconds, let zone):
            "yyyy-mm-dd hh:mm:ss" + (hasMilliseconds ? ".000" : "") + (zone.isEmpty ? "" : "\"\(zone)\"")
        }
    }
}
