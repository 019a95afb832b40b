import TillCore
public import TillReportModel

extension Cell {
    /// The number for programs: with a decimal point, without grouping, shares rounded to six decimals.
    ///
    /// `nil` for a cell that is not a number, and for a share of 0 cases.
    var exactNumber: String? {
        var bytes: [UInt8] = []
        return appendExactNumber(to: &bytes) ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Appends ``exactNumber``. Without one, appends nothing and returns `false`.
    func appendExactNumber(to bytes: inout [UInt8]) -> Bool {
        switch self {
        case .code(let value), .count(let value): bytes.append(decimal: Int128(value))
        case .money(let money): money.appendDecimalText(to: &bytes)
        case .ratio(let part, let whole):
            guard let share = FixedPoint(Int128(part), of: Int128(whole), decimals: 6) else { return false }
            share.appendTrimmedText(to: &bytes)
        case .decimal(let millionths): bytes.append(decimal: Int128(millionths), decimals: 6, fewest: 0)
        case .absent, .text, .word, .instant, .list, .records, .flag: return false
        }
        return true
    }

    /// The value for people. An instant is written in UTC.
    public var displayText: String { displayText(by: .utc) }

    /// The value for people: digits grouped, shares in percent, instants to the second by a clock, invisible characters
    /// spelled out.
    func displayText(by clock: ReportClock) -> String {
        switch self {
        case .absent: "–"
        case .text(let text), .word(_, let text): text.madeVisible
        case .code(let value): String(value)
        case .count(let value): String(value).groupingDigits
        case .money(let money): money.decimalText.groupingDigits
        case .ratio(let part, let whole):
            FixedPoint(Int128(part) * 100, of: Int128(whole), decimals: 2).map { $0.text.groupingDigits + " %" } ?? "–"
        case .decimal(let millionths):
            FixedPoint(Int128(millionths), of: 1_000_000, decimals: 2)?.text.groupingDigits ?? "–"
        case .instant(let instant): clock.textToTheSecond(of: instant)
        case .list(let items): items.joined(separator: ", ").madeVisible
        case .flag(let flag): flag ? "yes" : "no"
        case .records(let records): records.map(\.text).joined(separator: "; ").madeVisible
        }
    }

    /// Whether the value is a number; `nil` for an absent value, which could be of any kind.
    var isNumber: Bool? {
        switch self {
        case .absent: nil
        case .text, .word, .instant, .list, .records, .flag: false
        case .code, .count, .money, .ratio, .decimal: true
        }
    }

    /// Whether a format may cut the text of the cell. A part of a figure or of an instant would be wrong.
    var mayBeCut: Bool {
        switch self {
        case .text, .word, .list, .records: true
        case .absent, .code, .count, .money, .ratio, .decimal, .instant, .flag: false
        }
    }
}

extension String {
    /// Decimal text with a comma between groups of three digits before the point.
    var groupingDigits: String {
        let wholeCount = utf8.prefix { $0 != UInt8(ascii: ".") }.count
        let signCount = utf8.first == UInt8(ascii: "-") ? 1 : 0
        var grouped: [UInt8] = []
        for (index, byte) in utf8.enumerated() {
            let wholeLeft = wholeCount - index
            if index > signCount, wholeLeft > 0, wholeLeft % 3 == 0 { grouped.append(UInt8(ascii: ",")) }
            grouped.append(byte)
        }
        return String(decoding: grouped, as: UTF8.self)
    }
}

extension ReportClock {
    /// `2026-03-09 14:00:07Z`, `2026-03-09 07:00:07-07:00`. Only formats for programs show milliseconds.
    fileprivate func textToTheSecond(of instant: Timestamp) -> String {
        let text = local(instant).description.map { $0 == "T" ? " " : $0 }
        return String(text.prefix { $0 != "." && $0 != "Z" }) + zoneText(at: instant)
    }
}

extension Cell {
    /// A share with its two counts: `50.00 % (2 of 4)`.
    var textWithParts: String {
        guard case .ratio(let part, let whole) = self, whole != 0 else { return displayText }
        return "\(displayText) (\(Cell.count(part).displayText) of \(Cell.count(whole).displayText))"
    }

    /// The value for narrow fields: shares in whole percent.
    var shortText: String {
        guard case .ratio(let part, let whole) = self else { return displayText }
        return FixedPoint(Int128(part) * 100, of: Int128(whole), decimals: 0).map { $0.text + " %" } ?? "–"
    }
}

extension ReportClock {
    /// The time zone of the report, for the foot of a page.
    var sentence: String {
        isUTC ? "Times are UTC." : "Times are those of \(name), each with its offset from UTC."
    }
}
