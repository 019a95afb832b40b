import TillCore
import TillReportModel

/// The content of a cell in a workbook: Excel has numbers, which are doubles of 15 digits, and texts.
enum WorkbookCell: Hashable {
    case empty
    case number(Double, WorkbookFormat)
    case text(String)

    /// A number if a spreadsheet keeps all its digits, else a text.
    ///
    /// - Parameter column: has the kind of its texts, and whether its title names the currency.
    init(_ cell: Cell, _ clock: ReportClock, in column: Column? = nil) {
        switch cell {
        case .absent: self = .empty
        case .text(let text): self = Self.text(text, column?.texts ?? .words)
        case .word(_, let text): self = .text(text)
        case .list(let items): self = .text(items.joined(separator: ", "))
        case .flag(let flag): self = .text(flag ? "yes" : "no")
        case .records(let records): self = .text(records.map(\.text).joined(separator: "; "))
        case .instant(let instant): self = Self.date(instant, clock)
        case .code: self = Self.number(cell, .code)
        case .count: self = Self.number(cell, .count)
        case .ratio: self = Self.number(cell, .share)
        case .decimal: self = Self.number(cell, .decimal)
        case .money(let money):
            let isTold = column?.title.hasSuffix("(\(money.currency))") ?? false
            self = Self.number(cell, .money(isTold ? nil : money.currency, decimals: money.decimals))
        }
    }

    var isNumber: Bool {
        if case .number = self { true } else { false }
    }

    /// The date or number that a text means, or the text itself.
    private static func text(_ text: String, _ kind: Column.TextKind) -> WorkbookCell {
        switch kind {
        case .words: return .text(text)
        case .dates:
            guard let (date, isMonth) = CivilDate.reading(text), let serial = serial(of: date) else {
                return .text(text)
            }
            return .number(Double(serial), isMonth ? .month : .day)
        case .numbers:
            let digits = text.utf8.filter { $0 != UInt8(ascii: ".") }
            guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                (1...Self.digits).contains(digits.count), let number = Double(text)
            else { return .text(text) }
            return .number(number, .plain(decimals: text.decimals))
        }
    }

    /// The significant digits that a spreadsheet keeps. A double represents every decimal number with this many digits.
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
        let (date, millisecond) = clock.local(instant).day
        guard let serial = serial(of: date) else { return .text(clock.text(of: instant)) }
        let number = Double(serial) + Double(millisecond) / Double(Timestamp.millisecondsPerDay)
        let zone = clock.isUTC ? "" : clock.zoneText(at: instant)
        return .number(number, .instant(hasMilliseconds: millisecond % 1000 != 0, zone: zone))
    }

    /// `nil` for days that Excel does not have, or numbers differently.
    private static func serial(of date: CivilDate) -> Int? {
        let start = CivilDate(year: 1900, month: 3, day: 1).daysSinceEpoch
        let end = CivilDate(year: 10_000, month: 1, day: 1).daysSinceEpoch
        let days = date.daysSinceEpoch
        guard (start..<end).contains(days) else { return nil }
        return days - CivilDate(year: 1899, month: 12, day: 30).daysSinceEpoch
    }
}

extension CivilDate {
    /// `2026-03-09`, or `2026-03` for the first day of the month; `nil` for anything else.
    fileprivate static func reading(_ text: String) -> (date: CivilDate, isMonth: Bool)? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), zip(parts, [4, 2, 2]).allSatisfy({ $0.utf8.count == $1 }) else {
            return nil
        }
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) ? Int(part) : nil
        }
        guard numbers.count == parts.count, (1...12).contains(numbers[1]) else { return nil }
        let day = numbers.count == 3 ? numbers[2] : 1
        let date = CivilDate(year: numbers[0], month: numbers[1], day: day)
        // A day that does not exist would become one of the next month.
        guard (1...31).contains(day), CivilDate(daysSinceEpoch: date.daysSinceEpoch) == date else { return nil }
        return (date, numbers.count == 2)
    }
}

/// The look of a cell. The library needs an object for each format in use.
indirect enum WorkbookFormat: Hashable {
    case text
    case wrapped
    case wrappedAlarm
    case title
    case heading
    case columnTitle(isNumber: Bool)
    case wrappedTitle
    case soft
    /// A text aligned to the right, among numbers.
    case right
    case link
    case code
    case count
    case share
    case decimal
    /// Without a currency if the title of the column names it.
    case money(CurrencyCode?, decimals: Int)
    /// A number that is not grouped, such as a rate.
    case plain(decimals: Int)
    case month
    case day
    /// A date and a time, followed by the offset of the clock unless that is UTC.
    case instant(hasMilliseconds: Bool, zone: String)
    /// The format of a fact beside its name, aligned to the left.
    case beside(WorkbookFormat)
    /// A cell in a row of totals.
    case total(WorkbookFormat)
    /// A difference that must be 0: any other is red.
    case check(CurrencyCode?, decimals: Int)
    /// A cell to be filled in by hand.
    case field
    case fieldTitle

    /// The number format in the notation of ECMA-376 §18.8.31; `nil` for the general format.
    var numberFormat: String? {
        switch self {
        // Text stays text when a user edits the cell.
        case .text, .wrapped: "@"
        case .title, .heading, .columnTitle, .wrappedTitle, .wrappedAlarm, .soft, .right, .link, .field, .fieldTitle:
            nil
        case .code: "0"
        case .count: "#,##0"
        case .share: "0.00%"
        case .decimal: "#,##0.00"
        case .money(let currency, let decimals): Self.amount(currency, decimals)
        case .plain(let decimals): "0" + Self.fraction(decimals)
        case .month: "mmm yyyy"
        case .day: "yyyy-mm-dd"
        case .check(let currency, let decimals):
            "[Red]\(Self.amount(currency, decimals));[Red]-\(Self.amount(currency, decimals));\(Self.amount(currency, decimals))"
        case .beside(let format), .total(let format): format.numberFormat
        case .instant(let hasMilliseconds, let zone):
            "yyyy-mm-dd hh:mm:ss" + (hasMilliseconds ? ".000" : "") + (zone.isEmpty ? "" : "\"\(zone)\"")
        }
    }

    private static func amount(_ currency: CurrencyCode?, _ decimals: Int) -> String {
        "#,##0" + fraction(decimals) + (currency.map { " [$\($0)]" } ?? "")
    }

    private static func fraction(_ decimals: Int) -> String {
        decimals > 0 ? "." + String(repeating: "0", count: decimals) : ""
    }
}
