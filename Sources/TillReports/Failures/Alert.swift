public import TillCore
public import TillLedger
import TillPricing
public import TillReportModel

/// What raises an alert: incidents, or a figure of the failures report past a limit.
///
///     alert  = "ongoing" | "opened" "@" window | metric ( ">" | ">=" | "<" | "<=" ) number [ "%" ] [ "@" window ]
///     number = digits [ "." digits ]
///     window = digits ( "h" | "d" | "w" )
///
/// `ongoing`, `opened@1h`, `count>=100@7d`, `rate>2.5%`, `attempts<10`. Blanks between the parts do not matter.
///
/// `ongoing` is raised by incidents that go on, `opened@1h` by ongoing ones that were found in the hour before now, so
/// that a run every hour tells each once. A figure with a window counts the time before now (``RecentCounts``).
/// Cancellations and valid but expired receipts (21006) raise no alert.
public struct Alert: Sendable {
    /// A figure that can be compared.
    struct Metric: Sendable {
        enum Figures: Sendable {
            /// The count of each code.
            case counts
            /// Figures of the section `rates`. Each of them is compared.
            case rates([ReportColumn<FailureRates>])
        }

        let name: String
        let summary: String
        let figures: Figures

        /// Whether its figures are shares, from 0 to 1.
        var isShare: Bool { name.hasSuffix("rate") }
    }

    private enum Condition: Sendable {
        case ongoing
        /// Ongoing, and found within a window before now.
        case opened(AlertWindow)
        /// `limit` is a fraction; without a window, the whole input counts.
        case figure(Metric, Comparison, limit: (numerator: Int128, denominator: Int128), AlertWindow?)
    }

    private enum Comparison: String, CaseIterable, Sendable {
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
            Metric(name: "count", summary: "of a code, but for cancellations and 21006", figures: .counts),
            Metric(
                name: "rate",
                summary: "the failure rate of attempts or of verifications",
                figures: .rates(
                    figures.filter { ["failure_rate", "verification_failure_rate"].contains($0.heading.name) }
                )
            ),
        ]
        + figures.map { Metric(name: $0.heading.name, summary: "as in the report", figures: .rates([$0])) }

    /// The figures of the section `rates` that are metrics by their own names.
    private static let figures = FailuresReport.rates.filter {
        !["paired_21007", "last_success"].contains($0.heading.name)
    }

    /// What can raise an alert, for help texts.
    public static var metricList: String {
        "ongoing (an incident), opened@1h (an ongoing incident, found in the last hour), \(figureList)"
    }

    private static var figureList: String {
        let explained = metrics.dropLast(figures.count).map { "\($0.name) (\($0.summary))" }
        return (explained + figures.map(\.heading.name)).joined(separator: ", ")
    }

    /// The alert as the user wrote it.
    public let text: String
    private let condition: Condition

    /// Reads a limit.
    public init(_ text: String) throws(Finding) {
        self.text = text
        let blanks: (Character) -> Bool = { $0 == " " }
        let name = text.drop(while: blanks).prefix { $0.isLetter || $0 == "_" }
        var rest = text[name.endIndex...].drop(while: blanks)
        switch (name, rest.first) {
        case ("ongoing", nil):
            condition = .ongoing
            return
        case ("opened", "@"):
            guard let window = AlertWindow(Self.trimmed(rest.dropFirst())) else {
                throw Self.notWindow(rest.dropFirst())
            }
            condition = .opened(window)
            return
        case ("ongoing", _), ("opened", _):
            throw Finding(argument: "'\(text)' is no alert; write 'ongoing', or 'opened@1h' with a time to look back")
        case ("z", _):
            throw Finding(argument: "there is no figure 'z' any more; 'ongoing' is raised by incidents")
        default: break
        }
        guard let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
            throw Finding(
                argument:
                    "'\(text)' is not a comparison; write a figure, >, >=, < or <=, and a number: 'rate>5%', or 'ongoing'"
            )
        }
        guard let metric = Self.metrics.first(where: { $0.name == name }) else {
            let question = NearestWord.clause(
                about: String(name),
                among: ["ongoing", "opened"] + Self.metrics.map(\.name)
            )
            throw Finding(argument: "there is no figure '\(name)'; choose \(Self.metricList)\(question)")
        }
        rest = rest.dropFirst(comparison.rawValue.count)
        let parts = rest.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
        guard let limit = Self.fraction(parts[0]) else {
            throw Finding(
                argument: "'\(parts[0])' is not a number to compare \(name) with; write one such as 4, 0.25 or 2.5%"
            )
        }
        guard !metric.isShare || limit.numerator <= limit.denominator else {
            throw Finding(
                argument: "\(name) is a share, from 0 to 1; write a percentage such as 5%, or 0.05, not '\(parts[0])'"
            )
        }
        let window = parts.count == 1 ? nil : AlertWindow(parts[1])
        guard parts.count == 1 || window != nil else { throw Self.notWindow(parts[1]) }
        condition = .figure(metric, comparison, limit: limit, window)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }

    private static func notWindow(_ text: Substring) -> Finding {
        Finding(argument: "'\(text)' is not a time to look back; write hours, days or weeks, such as 3h, 7d or 2w")
    }

    /// A number has at most twelve digits before the point and six after it.
    private static func fraction(_ text: Substring) -> (numerator: Int128, denominator: Int128)? {
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
}

// MARK: - Comparing the figures of a report

extension Alert {
    /// An incident, or a figure that is past its limit.
    public struct Hit: Sendable {
        /// The alert, as the user wrote it.
        public let alert: String
        /// The line about an incident, or what a figure is of; empty for a figure of the whole report.
        public let text: String
        /// The code that a figure is of; `nil` for an incident and for a figure of the whole report.
        public var key: FailureKey?
        /// `nil` for an incident.
        public var figure: String?
        /// The value of the figure as the report shows it.
        public var value: Cell = .absent
        /// `nil` for a figure.
        public var incident: Incident?
    }

    /// Whether a figure of the last hours is compared.
    public var looksBack: Bool { if case .figure(_, _, _, .some) = condition { true } else { false } }

    /// The table of failures of a report; `nil` if it is neither the failures report nor all reports.
    private static func table(in document: ReportDocument) -> FailureTable? {
        ([document] + document.children).lazy.compactMap { $0.typedRows as? FailureTable }.first
    }

    /// A report of the incidents among hits, each once, for programs.
    ///
    /// - Parameter document: the failures report, or all reports.
    public static func incidents(among hits: [Hit], in document: ReportDocument) -> ReportDocument {
        let ids = Set(hits.compactMap(\.incident?.id))
        let sections = table(in: document).map { table in
            [FailuresReport.incidents(of: table, withExamples: true) { ids.contains($0.id) }]
        }
        return ReportDocument(
            name: FailuresReport.name,
            title: FailuresReport.title,
            version: FailuresReport.version,
            sections: sections ?? [],
            clock: document.clock
        )
    }

    /// Adds to the failures report, or to that among all reports, what raised alerts.
    public static func add(_ hits: [Hit], to document: inout ReportDocument) {
        let section = Section(
            name: "alerts",
            title: "Alerts",
            columns: [
                ReportColumn<Hit>("alert", "Alert", isKey: true) { .text($0.alert) },
                ReportColumn("id", "Incident") { .text($0.incident?.id) },
                ReportColumn("figure", "Figure") { .text($0.figure) },
                ReportColumn("domain", "Domain") { .text($0.key?.domain) },
                ReportColumn("code", "Code") { $0.key?.code.map(Cell.code) ?? .absent },
                ReportColumn("value", "Value") { $0.value },
            ],
            rows: hits,
            role: .detail
        )
        if document.typedRows is FailureTable { document.sections.append(section) }
        for index in document.children.indices where document.children[index].typedRows is FailureTable {
            document.children[index].sections.append(section)
        }
    }

    /// What raises the alert in a report, in the order of the report.
    ///
    /// Without a record that has a time, nothing is counted in a window.
    ///
    /// - Parameter document: the failures report, or all reports. Any other report raises no alert.
    public func hits(in document: ReportDocument) -> [Hit] {
        guard let table = Self.table(in: document) else { return [] }
        switch condition {
        case .ongoing: return ongoing(in: table) { _ in true }
        case .opened(let window):
            guard let now = table.found.now?.milliseconds else { return [] }
            let start = Int128(now) - Int128(window.hours) * Int128(Timestamp.millisecondsPerHour)
            return ongoing(in: table) { Int128($0.opened.milliseconds) > start }
        case .figure(let metric, let comparison, let limit, let window):
            func isPast(_ cell: Cell) -> Bool { Self.holds(cell, comparison, limit) }
            switch metric.figures {
            case .counts:
                let recent = window.map { table.found.recent?.failures(inLast: $0.hours) ?? [:] }
                return table.rows.compactMap { row in
                    let count = recent.map { $0[table.key(of: row)] ?? 0 } ?? row.count
                    guard !row.isHarmless, isPast(.count(count)) else { return nil }
                    return Hit(
                        alert: text,
                        text: table.name(of: row) + ": ",
                        key: table.key(of: row),
                        figure: "count",
                        value: .count(count)
                    )
                }
            case .rates(let columns):
                guard let rates = window.map({ table.found.recent?.rates(inLast: $0.hours) }) ?? table.rates else {
                    return []
                }
                return columns.compactMap { column in
                    let cell = column.cell(rates)
                    guard isPast(cell) else { return nil }
                    return Hit(alert: text, text: "", figure: column.heading.name, value: cell)
                }
            }
        }
    }

    private func ongoing(in table: FailureTable, where isTold: (Incident) -> Bool) -> [Hit] {
        table.found.incidents.filter { $0.state == .ongoing && isTold($0) }.map {
            Hit(alert: text, text: FailureVerdict(table).line(of: $0), incident: $0)
        }
    }

    private static func holds(
        _ cell: Cell,
        _ comparison: Comparison,
        _ limit: (numerator: Int128, denominator: Int128)
    ) -> Bool {
        let value: (numerator: Int128, denominator: Int128)
        switch cell {
        case .count(let count): value = (Int128(count), 1)
        case .decimal(let millionths): value = (Int128(millionths), 1_000_000)
        case .ratio(let part, let whole) where whole > 0: value = (Int128(part), Int128(whole))
        default: return false
        }
        return comparison.holds(value.numerator * limit.denominator, limit.numerator * value.denominator)
    }
}

/// Hours before now.
public struct AlertWindow: Hashable, Sendable, CustomStringConvertible {
    /// The number of hours, at least 1. A day has 24.
    public let hours: Int

    init(hours: Int) {
        self.hours = hours
    }

    /// Reads `24h`, `7d` or `2w`, from 1 to 9999 of them.
    init?(_ text: Substring) {
        guard let time = RecentTime(text) else { return nil }
        hours = time.hours
    }

    /// `24h`, `7d`
    public var description: String { hours > 24 && hours % 24 == 0 ? "\(hours / 24)d" : "\(hours)h" }
}
