public import TillCore
public import TillReportModel

/// A limit on a figure of the failures report, past which somebody is to be woken.
///
///     alert  = metric ( ">" | ">=" | "<" | "<=" ) number [ "%" ] [ "@" window ]
///     number = digits [ "." digits ]
///     window = digits ( "h" | "d" )
///
/// `z>4`, `z>4@3h`, `count>=100@7d`, `rate>2.5%`, `attempts<10`. Blanks between the parts do not matter.
///
/// A window is the time before the newest record of the input: hours count that ended in it, or are not over. Without
/// one, `z` looks at a day, so that a spike of last week wakes nobody, and `count` at all there is. Cancellations
/// and valid but expired receipts (21006) are no failures and raise no alert.
public struct Alert: Sendable {
    /// A figure that can be compared.
    struct Metric: Sendable {
        let name: String
        let summary: String
        /// The section, and its columns with the figure; each is compared.
        let section: String
        let columns: [String]
        /// Whether it can be told for a window of time.
        var hasWindow = false
        /// The window that is meant where none is told.
        var usualWindow: AlertWindow?
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

    /// How far back `z` looks where no window is told.
    public static let usualWindow = AlertWindow(hours: 24)

    static let metrics =
        [
            Metric(
                name: "z",
                summary: "of a spike, 4 or more",
                section: "spikes",
                columns: ["z"],
                hasWindow: true,
                usualWindow: usualWindow
            ),
            Metric(
                name: "count",
                summary: "of a code, but for cancellations and 21006",
                section: "failures",
                columns: ["count"],
                hasWindow: true
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
    /// The time before the newest record that counts; `nil` for all.
    private let window: AlertWindow?

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
        rest = rest.dropFirst(comparison.rawValue.count)
        let parts = rest.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(Self.trimmed)
        guard let limit = Self.fraction(parts[0]) else {
            throw AlertError("'\(parts[0])' is no number to compare \(name) with; write one such as 4, 0.25 or 2.5%")
        }
        (self.metric, self.comparison, self.limit) = (metric, comparison, limit)
        window = parts.count == 1 ? metric.usualWindow : try Self.window(parts[1], for: metric)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }

    private static func window(_ text: Substring, for metric: Metric) throws(AlertError) -> AlertWindow {
        guard metric.hasWindow else {
            let names = metrics.filter(\.hasWindow).map(\.name).joined(separator: " and ")
            throw AlertError(
                "\(metric.name) is a figure of the whole report; \(names) can look back ('@24h'), else choose the time with --since"
            )
        }
        guard let window = AlertWindow(text) else {
            throw AlertError("'\(text)' is no time to look back; write hours or days, such as 3h or 7d")
        }
        return window
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
}

// MARK: - Looking at a report

extension Alert {
    /// A figure that is past the limit.
    public struct Finding: Hashable, Sendable {
        /// What it is about: `SKErrorDomain 0 in the hour from 2026-03-09 14:00 UTC`, by the clock of the report; `nil`
        /// for the whole report.
        public let subject: String?
        /// The column of the report.
        public let figure: String
        /// As the report has it.
        public let value: Cell
    }

    /// What in a report goes past the limit.
    public struct Outcome: Hashable, Sendable {
        public var findings: [Finding] = []
        /// Spikes past the limit that ended before the window, the newest first.
        public var earlier: [Finding] = []
        /// The window, where there is one.
        public var window: AlertWindow?
    }

    /// Compares the figures of a report; what is not known is past no limit.
    ///
    /// - Parameter newest: when the newest record of the input was; `nil` where none has a time, and then nothing lies in a
    ///   window.
    public func outcome(in document: ReportDocument, newest: Timestamp?) -> Outcome {
        let reports = [document] + document.children
        guard let report = reports.first(where: { $0.name == FailuresReport.name }) else { return Outcome() }
        let sections = Sections(report)
        var outcome = Outcome(window: window)
        switch metric.section {
        case "spikes": lookAtSpikes(sections, newest, &outcome)
        case "failures": lookAtCodes(sections, newest, &outcome)
        default:
            guard let rates = sections["rates"], case .record(let cells) = rates.content else { return outcome }
            for index in metric.columns.compactMap(rates.index(of:)) where isPast(cells[index]) {
                outcome.findings.append(
                    Finding(subject: nil, figure: rates.columns[index].name, value: cells[index])
                )
            }
        }
        return outcome
    }

    /// The sections of a failures report by name, and the codes that are failures.
    private struct Sections {
        private let report: ReportDocument
        var clock: ReportClock { report.clock }
        /// Domains and codes of cancellations and of 21006.
        private let harmless: Set<[Cell]>

        init(_ report: ReportDocument) {
            self.report = report
            harmless = FailuresReport.harmless(in: report.sections.first { $0.name == "failures" })
        }

        subscript(_ name: String) -> Section? { report.sections.first { $0.name == name } }

        func isHarmless(_ domain: Cell, _ code: Cell) -> Bool { harmless.contains([domain, code]) }
    }

    private func lookAtSpikes(_ sections: Sections, _ newest: Timestamp?, _ outcome: inout Outcome) {
        guard let spikes = sections["spikes"], let hour = spikes.index(of: "hour"), let z = spikes.index(of: "z"),
            let domain = spikes.index(of: "domain"), let code = spikes.index(of: "code")
        else { return }
        var earlier: [(hour: Timestamp, finding: Finding)] = []
        for row in spikes.tableRows where isPast(row[z]) && !sections.isHarmless(row[domain], row[code]) {
            guard case .instant(let instant) = row[hour] else { continue }
            let name = FailuresReport.name(ofDomain: row[domain], code: row[code])
            let finding = Finding(
                subject: "\(name) in the hour from \(sections.clock.textToTheMinute(of: instant))",
                figure: spikes.columns[z].name,
                value: row[z]
            )
            if isInWindow(instant, newest) {
                outcome.findings.append(finding)
            } else {
                earlier.append((instant, finding))
            }
        }
        outcome.earlier = earlier.sorted { $0.hour > $1.hour }.map(\.finding)
    }

    /// Compares how often each code came, in all or in the hours of the window.
    private func lookAtCodes(_ sections: Sections, _ newest: Timestamp?, _ outcome: inout Outcome) {
        guard let failures = sections["failures"], let domain = failures.index(of: "domain"),
            let code = failures.index(of: "code"), let count = failures.index(of: "count")
        else { return }
        let recent = window.map { _ in countsInWindow(sections["series"], newest) }
        for row in failures.tableRows where !sections.isHarmless(row[domain], row[code]) {
            let value = recent.map { Cell.count($0[[row[domain], row[code]]] ?? 0) } ?? row[count]
            guard isPast(value) else { continue }
            let name = FailuresReport.name(ofDomain: row[domain], code: row[code])
            outcome.findings.append(Finding(subject: name, figure: failures.columns[count].name, value: value))
        }
    }

    private func countsInWindow(_ series: Section?, _ newest: Timestamp?) -> [[Cell]: Int64] {
        guard let series, let hour = series.index(of: "hour"), let domain = series.index(of: "domain"),
            let code = series.index(of: "code"), let count = series.index(of: "count")
        else { return [:] }
        var counts: [[Cell]: Int64] = [:]
        for row in series.tableRows {
            guard case .instant(let instant) = row[hour], case .count(let number) = row[count],
                isInWindow(instant, newest)
            else { continue }
            counts[[row[domain], row[code]], default: 0] += number
        }
        return counts
    }

    /// Whether an hour, by its beginning, ended no longer before the newest record than the window is long.
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

/// How far back an alert looks from the newest record.
public struct AlertWindow: Hashable, Sendable, CustomStringConvertible {
    public let hours: Int

    init(hours: Int) {
        self.hours = hours
    }

    /// Reads `24h` or `7d`, from 1 to 9999 of them.
    init?(_ text: Substring) {
        let digits = text.dropLast()
        guard let unit = text.last, (1...4).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits), number > 0
        else { return nil }
        switch unit {
        case "h": hours = number
        case "d": hours = number * 24
        default: return nil
        }
    }

    /// `24h`, `7d`
    public var description: String { hours > 24 && hours % 24 == 0 ? "\(hours / 24)d" : "\(hours)h" }
}

/// Why a limit is none.
public struct AlertError: Error, Sendable, CustomStringConvertible {
    /// What is wrong and what to write instead.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
