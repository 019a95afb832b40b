import TillCore
public import TillReportModel

extension Cell {
    /// The number as programs read it: a point, no grouping, shares rounded to six decimals.
    ///
    /// `nil` where there is no number: a cell of another kind, or a share of nothing.
    var exactNumber: String? {
        switch self {
        case .code(let value), .count(let value): String(value)
        case .money(let money): money.decimalText
        case .ratio(let part, let whole): FixedPoint(Int128(part), of: Int128(whole), decimals: 6)?.trimmedText
        case .decimal(let millionths): FixedPoint(Int128(millionths), of: 1_000_000, decimals: 6)?.trimmedText
        case .absent, .text, .instant, .list: nil
        }
    }

    /// The value as people read it, where it is no instant.
    public var displayText: String { displayText(by: .utc) }

    /// The value as people read it: digits grouped, shares in percent, instants to the second by a clock, nothing that
    /// could act on a terminal.
    func displayText(by clock: ReportClock) -> String {
        switch self {
        case .absent: "–"
        case .text(let text): text.madeVisible
        case .code(let value): String(value)
        case .count(let value): String(value).groupingDigits
        case .money(let money): money.decimalText.groupingDigits
        case .ratio(let part, let whole):
            FixedPoint(Int128(part) * 100, of: Int128(whole), decimals: 2).map { $0.text.groupingDigits + " %" } ?? "–"
        case .decimal(let millionths):
            FixedPoint(Int128(millionths), of: 1_000_000, decimals: 2)?.text.groupingDigits ?? "–"
        case .instant(let instant): clock.textToTheSecond(of: instant)
        case .list(let items): items.joined(separator: ", ").madeVisible
        }
    }

    /// Whether the value stands at the right of its column; `nil` where the others decide.
    var isNumber: Bool? {
        switch self {
        case .absent: nil
        case .text, .instant, .list: false
        case .code, .count, .money, .ratio, .decimal: true
        }
    }

    /// Whether the beginning still tells something; half a figure or half an instant would tell something wrong.
    var mayBeCut: Bool {
        switch self {
        case .text, .list: true
        case .absent, .code, .count, .money, .ratio, .decimal, .instant: false
        }
    }
}

extension String {
    /// Decimal text with a comma between each three digits before the point.
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
    /// `2026-03-09 14:00:07Z`, `2026-03-09 07:00:07-07:00`: programs read the milliseconds.
    fileprivate func textToTheSecond(of instant: Timestamp) -> String {
        let text = local(instant).description.map { $0 == "T" ? " " : $0 }
        return String(text.prefix { $0 != "." && $0 != "Z" }) + zoneText(at: instant)
    }
}

extension Cell {
    /// A share with the counts that it is of: `50.00 % (2 of 4)`.
    var textWithParts: String {
        guard case .ratio(let part, let whole) = self, whole != 0 else { return displayText }
        return "\(displayText) (\(Cell.count(part).displayText) of \(Cell.count(whole).displayText))"
    }

    /// As little as still tells something, for fields with no room: shares in whole percent.
    var shortText: String {
        guard case .ratio(let part, let whole) = self else { return displayText }
        return FixedPoint(Int128(part) * 100, of: Int128(whole), decimals: 0).map { $0.text + " %" } ?? "–"
    }
}

extension ReportClock {
    /// For the foot of a page: whose time is told.
    var sentence: String {
        isUTC ? "Instants are UTC." : "Instants are told by the clocks of \(name), each with its offset from UTC."
    }
}
