public import TillCore
import TillLedger
import TillPricing
public import TillReportModel

/// A limit on a figure of the failures report. A figure past it raises an alert.
///
///     alert  = metric ( ">" | ">=" | "<" | "<=" ) number [ "%" ] [ "@" window ]
///     number = digits [ "." digits ]
///     window = digits ( "h" | "d" | "w" )
///
/// `z>4`, `z>4@3h`, `count>=100@7d`, `rate>2.5%`, `attempts<10`. Blanks between the parts do not matter.
///
/// A window is the time before the newest record of the input. It includes the hours that ended in it or are not over.
/// Without a window, `z` looks at one day, so that a spike of last week raises no alert, and `count` looks at the whole
/// input. Cancellations and valid but expired receipts (21006) are no failures and raise no alert.
public struct Alert: Sendable {
    /// A figure that can be compared.
    struct Metric: Sendable {
        enum Figures: Sendable {
            /// The number of spreads by which each spike is above the expectation.
            case spikes
            /// The count of each code.
            case counts
            /// Figures of the section `rates`. Each of them is compared.
            case rates([ReportColumn<FailureRates>])
        }

        let name: String
        let summary: String
        let figures: Figures

        /// Whether the metric can look at a window of time.
        var hasWindow: Bool { if case .rates = figures { false } else { true } }

        /// Whether its figures are shares, from 0 to 1.
        var isShare: Bool { name.hasSuffix("rate") }

        /// The window of an alert that names none; `nil` for the whole input.
        var usualWindow: AlertWindow? { if case .spikes = figures { Alert.usualWindow } else { nil } }
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

    /// The window of an alert on `z` that names none.
    public static let usualWindow = AlertWindow(hours: 24)

    static let metrics =
        [
            Metric(name: "z", summary: "of a spike, 4 or more", figures: .spikes),
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
    private static let figures = FailuresReport.rates.filter { $0.heading.name != "paired_21007" }

    /// The figures that can be compared, for help texts.
    public static var metricList: String {
        let explained = metrics.dropLast(figures.count).map { "\($0.name) (\($0.summary))" }
        return (explained + figures.map(\.heading.name)).joined(separator: ", ")
    }

    /// The alert as the user wrote it.
    public let text: String
    private let metric: Metric
    private let comparison: Comparison
    /// The number as a fraction.
    private let limit: (numerator: Int128, denominator: Int128)
    /// `nil` for the whole input.
    private let window: AlertWindow?

    /// Reads a limit.
    public init(_ text: String) throws(Finding) {
        self.text = text
        let blanks: (Character) -> Bool = { $0 == " " }
        let name = text.drop(while: blanks).prefix { $0.isLetter || $0 == "_" }
        var rest = text[name.endIndex...].drop(while: blanks)
        guard let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
            throw Finding(
                argument: "'\(text)' is not a comparison; write a figure, >, >=, < or <=, and a number: 'z>4'"
            )
        }
        guard let metric = Self.metrics.first(where: { $0.name == name }) else {
            let question = NearestWord.clause(about: String(name), among: Self.metrics.map(\.name))
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
        (self.metric, self.comparison, self.limit) = (metric, comparison, limit)
        window = parts.count == 1 ? metric.usualWindow : try Self.window(parts[1], for: metric)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }

    private static func window(_ text: Substring, for metric: Metric) throws(Finding) -> AlertWindow {
        guard metric.hasWindow else {
            let names = metrics.filter(\.hasWindow).map(\.name).joined(separator: " and ")
            throw Finding(
                argument:
                    "\(metric.name) is a figure of the whole report; \(names) can look back ('@24h'), else choose the time with --since"
            )
        }
        guard let window = AlertWindow(text) else {
            throw Finding(
                argument: "'\(text)' is not a time to look back; write hours, days or weeks, such as 3h, 7d or 2w"
            )
        }
        return window
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
    /// A figure that is past the limit.
    public struct Hit: Hashable, Sendable {
        /// The code, and of a spike the hour by the clock of the report: `SKErrorDomain 0 in the hour from 2026-03-09
        /// 14:00 UTC`; `nil` for a figure of the whole report.
        public let subject: String?
        /// The column of the report.
        public let figure: String
        /// The value as the report shows it.
        public let value: Cell
    }

    /// The figures of a report that are past the limit.
    public struct Outcome: Hashable, Sendable {
        /// Figures past the limit, in the order of the report. The alert is raised if there is at least one.
        public var findings: [Hit] = []
        /// Spikes past the limit that ended before the window, the newest first.
        public var earlier: [Hit] = []
        /// `nil` if the alert looks at the whole input.
        public var window: AlertWindow?
    }

    /// Compares the figures of a report. A figure that is not known is past no limit.
    ///
    /// - Parameters:
    ///   - document: the failures report, or all reports. Any other report raises no alert.
    ///   - newest: the time of the newest record of the input; `nil` if no record has a time, and then nothing lies in
    ///     a window.
    public func outcome(in document: ReportDocument, newest: Timestamp?) -> Outcome {
        let reports = [document] + document.children
        guard let table = reports.lazy.compactMap({ $0.typedRows as? FailureTable }).first else { return Outcome() }
        switch metric.figures {
        case .spikes: return spikes(in: table, newest)
        case .counts: return Outcome(findings: counts(in: table, newest), window: window)
        case .rates(let columns):
            let findings = columns.map { finding($0.heading.name, $0.cell(table.rates)) }
            return Outcome(findings: findings.filter { isPast($0.value) }, window: window)
        }
    }

    private func finding(_ figure: String, _ value: Cell, of subject: String? = nil) -> Hit {
        Hit(subject: subject, figure: figure, value: value)
    }

    private func spikes(in table: FailureTable, _ newest: Timestamp?) -> Outcome {
        let clock = table.calendar.clock
        var outcome = Outcome(window: window)
        var earlier: [(hour: Timestamp, finding: Hit)] = []
        for row in table.spikes where !table[row.row].isHarmless {
            let (value, hour) = (FailuresReport.z.cell(row), row.spike.hour)
            guard isPast(value) else { continue }
            let subject = "\(table.name(of: table[row.row])) in the hour from \(clock.textToTheMinute(of: hour))"
            let finding = finding(FailuresReport.z.heading.name, value, of: subject)
            if isInWindow(hour, newest) {
                outcome.findings.append(finding)
            } else {
                earlier.append((hour, finding))
            }
        }
        outcome.earlier = earlier.sorted { $0.hour > $1.hour }.map(\.finding)
        return outcome
    }

    /// Compares how often each code came, in the whole input or in the hours of the window.
    private func counts(in table: FailureTable, _ newest: Timestamp?) -> [Hit] {
        var counts = table.rows.map { window == nil ? $0.count : 0 }
        if window != nil {
            for hour in table.hours where isInWindow(Timestamp(startOfHour: hour.hour), newest) {
                counts[Int(hour.row)] += hour.count
            }
        }
        return zip(table.rows, counts).compactMap { row, count in
            guard !row.isHarmless, isPast(.count(count)) else { return nil }
            return finding("count", .count(count), of: table.name(of: row))
        }
    }

    /// Whether the hour that begins at an instant ended within the window.
    private func isInWindow(_ hour: Timestamp, _ newest: Timestamp?) -> Bool {
        guard let window else { return true }
        guard let newest else { return false }
        let sinceStart = Int128(newest.milliseconds) - Int128(hour.milliseconds)
        return sinceStart <= Int128(window.hours + 1) * Int128(Timestamp.millisecondsPerHour)
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
}

/// The hours before the newest record. An alert considers only the figures of this time.
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
