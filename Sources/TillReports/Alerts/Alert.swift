import TillCore
public import TillReportModel

/// A limit on a figure of the failures report, past which somebody is to be woken.
///
///     alert  = metric ( ">" | ">=" | "<" | "<=" ) number [ "%" ]
///     number = digits [ "." digits ]
///
/// `z>4`, `count>=100`, `rate>2.5%`, `attempts<10`. Blanks between the parts do not matter.
public struct Alert: Sendable {
    /// A figure that can be compared.
    struct Metric: Sendable {
        let name: String
        let summary: String
        /// The section, and its columns with the figure; each is compared.
        let section: String
        let columns: [String]
    }

    private enum Comparison: String, CaseIterable {
        // Longer ones first: `>` is the beginning of `>=`.
        case notLess = ">="
        case notMore = "<="
        case more = ">"
        case less = "<"

        func holds(_ left: Int128, _ right: Int128) -> Bool {
            switch self {
            case .more: left > right
            case .notLess: left >= right
            case .less: left < right
            case .notMore: left <= right
            }
        }
    }

    static let metrics =
        [
            Metric(name: "z", summary: "of a spike, 4 or more", section: "spikes", columns: ["z"]),
            Metric(
                name: "count",
                summary: "of a code, but for cancellations and 21006",
                section: "failures",
                columns: ["count"]
            ),
            Metric(
                name: "rate",
                summary: "the failure rate of attempts or of verifications",
                section: "rates",
                columns: ["failure_rate", "verification_failure_rate"]
            ),
        ] + figures.map { Metric(name: $0, summary: "as the report tells it", section: "rates", columns: [$0]) }

    /// Further figures of the section `rates`.
    private static let figures = [
        "attempts", "failed", "cancelled", "failure_rate", "cancel_rate", "verifications", "verification_failure_rate",
    ]

    /// What can be compared, for help texts.
    public static var metricList: String {
        let explained = metrics.dropLast(figures.count).map { "\($0.name) (\($0.summary))" }
        return (explained + figures).joined(separator: ", ")
    }

    /// As it was asked for.
    public let text: String
    private let metric: Metric
    private let comparison: Comparison
    /// The number as a fraction.
    private let limit: (numerator: Int128, denominator: Int128)

    /// Reads a limit.
    public init(_ text: String) throws(AlertError) {
        self.text = text
        let blanks: (Character) -> Bool = { $0 == " " }
        let name = text.drop(while: blanks).prefix { $0.isLetter || $0 == "_" }
        var rest = text[name.endIndex...].drop(while: blanks)
        guard let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
            throw AlertError("'\(text)' is no comparison; write a figure, >, >=, < or <=, and a number: 'z>4'")
        }
        guard let metric = Self.metrics.first(where: { $0.name == name }) else {
            let question = NearestWord.clause(about: String(name), among: Self.metrics.map(\.name))
            throw AlertError("there is no figure '\(name)'; choose \(Self.metricList)\(question)")
        }
        rest = rest.dropFirst(comparison.rawValue.count).drop(while: blanks)
        while rest.last == " " { rest.removeLast() }
        guard let limit = Self.fraction(rest) else {
            throw AlertError("'\(rest)' is no number to compare \(name) with; write one such as 4, 0.25 or 2.5%")
        }
        (self.metric, self.comparison, self.limit) = (metric, comparison, limit)
    }

    /// Twelve digits before the point and six behind it are enough for any figure.
    private static func fraction(_ text: Substring) -> (Int128, Int128)? {
        let isShare = text.last == "%"
        let parts = (isShare ? text.dropLast() : text).split(
            separator: ".",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let decimals = parts.count == 2 ? parts[1] : ""
        let isNumber = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard isNumber, parts[0].utf8.count <= 12, decimals.utf8.count <= 6 else { return nil }
        let scale = decimals.utf8.reduce(Int128(1)) { scale, _ in scale * 10 }
        return Int128(parts[0] + decimals).map { ($0, scale * (isShare ? 100 : 1)) }
    }

    /// What in a report goes past the limit, a line for each; nothing where the figure is not known.
    public func findings(in document: ReportDocument) -> [String] {
        let reports = [document] + document.children
        guard let report = reports.first(where: { $0.name == FailuresReport.name }),
            let section = report.sections.first(where: { $0.name == metric.section })
        else { return [] }
        let rows =
            switch section.content {
            case .record(let cells): TableRows([cells])
            case .table(let rows): rows
            }
        return metric.columns.compactMap(section.index(of:)).flatMap { column in
            rows.filter { isPast($0[column]) && isMeant($0, section) }.map { row in
                let subject = Self.subject(of: row, section).map { $0 + ": " } ?? ""
                return subject + section.columns[column].name + " " + Self.text(of: row[column])
            }
        }
    }

    private func isPast(_ cell: Cell) -> Bool {
        let value: (numerator: Int128, denominator: Int128)
        switch cell {
        case .count(let count): value = (Int128(count), 1)
        case .decimal(let millionths): value = (Int128(millionths), 1_000_000)
        case .ratio(let part, let whole) where whole > 0: value = (Int128(part), Int128(whole))
        default: return false
        }
        return comparison.holds(value.numerator * limit.denominator, limit.numerator * value.denominator)
    }

    /// A customer's change of mind and an expired receipt wake nobody by their number.
    private func isMeant(_ row: [Cell], _ section: Section) -> Bool {
        guard metric.section == "failures", let index = section.index(of: "class") else { return true }
        return ![FailureClass.cancelled, .okExpired].map { Cell.text($0.rawValue) }.contains(row[index])
    }

    /// `SKErrorDomain 0 in the hour from 2026-03-09 14:00 UTC`; `nil` for a figure of the whole report.
    private static func subject(of row: [Cell], _ section: Section) -> String? {
        guard let domain = section.index(of: "domain"), let code = section.index(of: "code") else { return nil }
        let name = FailuresReport.name(ofDomain: row[domain], code: row[code])
        guard let hour = section.index(of: "hour"), case .instant(let instant) = row[hour] else { return name }
        return "\(name) in the hour from \(FailuresReport.text(ofHour: instant.hour))"
    }

    /// A count, a share in percent, or another figure, the last two with two decimals (cut off).
    private static func text(of cell: Cell) -> String {
        func decimal(_ hundredths: Int128) -> String {
            let digits = String(hundredths % 100)
            return "\(hundredths / 100).\(digits.count < 2 ? "0" : "")\(digits)"
        }
        return switch cell {
        case .count(let count): String(count)
        case .decimal(let millionths): decimal(Int128(millionths) / 10_000)
        case .ratio(let part, let whole) where whole > 0: decimal(Int128(part) * 10_000 / Int128(whole)) + " %"
        default: "–"
        }
    }
}

/// Why a limit is none.
public struct AlertError: Error, Sendable, CustomStringConvertible {
    /// What is wrong and what to write instead.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
