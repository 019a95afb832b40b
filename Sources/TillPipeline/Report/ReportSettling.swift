public import TillCore
import TillLedger
import TillReportModel
public import TillReports

/// The report to make from a ledger, and its rules.
public struct ReportSettling: Sendable {
    /// A name of the report registry, or that of all reports.
    public var report: String
    /// The flags from which the rules follow: period, money, rows.
    public var settings: Settings
    /// The figure to be explained, instead of the report.
    public var explained: Selection?
    /// The figure of the report of failures to be explained, instead of the report.
    public var explainedFailures: FailureSelection?
    /// Whether an explanation of failures shows the document of each.
    public var showsDocuments = false
    /// The number of records that are named of each failure; `nil` for 3 in formats for people, and 0 in others.
    public var exampleCount: Int?
    /// The instant up to which incidents are looked for; `nil` for the end of the data.
    public var now: Now?

    /// The instant that counts as now.
    public enum Now: Sendable {
        /// The time of the clock of this machine.
        case clock(Timestamp)
        case given(Timestamp)

        var instant: Timestamp {
            switch self {
            case .clock(let instant), .given(let instant): instant
            }
        }

        /// Reads `clock`, or an instant at which the App Store exists; `nil` for anything else.
        public init?(_ text: String) {
            if text == "clock" {
                self = .clock(NewestRecord.now)
            } else if let instant = Timestamp.parse(Array(text.utf8).span.bytes),
                Timestamp.ofStore.contains(instant.milliseconds)
            {
                self = .given(instant)
            } else {
                return nil
            }
        }
    }

    /// The time of the newest record of the whole input, if a closed part of it is settled; `nil` for the newest record
    /// of the part.
    public var newest: Timestamp?
    /// The first purchase of the whole input, for a closed partial; `nil` if the input is whole.
    public var first: Timestamp?
    /// The number of the share of all chains that is settled; `nil` if it is all of them.
    public var share: Int?

    /// Makes the settling of a report by `settings`, without an explanation of a figure.
    public init(report: String, settings: Settings = Settings()) {
        self.report = report
        self.settings = settings
    }

    /// Records of each failure in formats for people.
    private static let usualExampleCount = 3

    /// The rules, and the warnings about the files of the settings, a line each.
    ///
    /// - Parameters:
    ///   - trust: how signatures were checked while reading.
    ///   - bundleIDs: the apps whose documents were read; none where all were.
    ///   - isForPeople: whether the output format is one that people read. Programs must get the same output however
    ///     the sources are called; people want records to look at.
    func rules(
        trust: String,
        bundleIDs: [String],
        isForPeople: Bool
    ) throws -> (rules: LedgerRules, warnings: [String]) {
        var (rules, warnings) = try settings.rules(for: report)
        rules.trust = trust
        (rules.first, rules.newest) = (first, newest)
        rules.share = share
        rules.now = now?.instant
        if case .clock = now { rules.isNowClock = true }
        rules.bundleIDs = bundleIDs
        rules.exampleCount = exampleCount ?? (isForPeople ? Self.usualExampleCount : 0)
        try RunError.ofSelection { () throws(Finding) in
            try explained?.check(in: rules.calendar)
            try explainedFailures?.check(in: rules.calendar)
        }
        return (rules, warnings)
    }

    /// The data that the ledger must keep for the report.
    ///
    /// - Parameter writesPartial: whether the ledger is written, to be merged into a report of any output format. Other
    ///   runs keep no examples that the report does not show.
    func needs(_ rules: LedgerRules, writesPartial: Bool) -> LedgerNeeds {
        if explainedFailures != nil { return [.failures, .examples] }
        guard explained == nil else { return [.provenance, .dataEnd] }
        let needs = ReportRegistry.needs(of: report)
        return rules.exampleCount == 0 && !writesPartial ? needs.subtracting(.examples) : needs
    }

    /// Whether the ledger must keep the versions of the app of transactions.
    func needsAppVersions(_ rules: LedgerRules) -> Bool {
        groupsByAppVersion(rules) || explained?.values[.group(.appVersion)] != nil
    }

    /// Whether rows of transactions are grouped by app version. The app version of failures is always kept.
    func groupsByAppVersion(_ rules: LedgerRules) -> Bool {
        ReportRegistry.countsTransactions(report) && rules.keys?.contains(.appVersion) == true
    }

    /// The sums of the report over the transactions of a settled ledger.
    func sums(of ledger: borrowing SettledLedger) throws -> ReportSums {
        guard var sums = ReportSums(named: report, ledger.rules) else { throw unknownReport }
        try sums.count(ledger)
        return sums
    }

    /// The report, or the explanation, of a settled ledger.
    ///
    /// - Parameter sums: the sums of the transactions, if the ledger does not have them.
    func document(
        of ledger: borrowing SettledLedger,
        _ sums: ReportSums? = nil,
        input: InputSummary
    ) throws -> ReportDocument {
        let document: ReportDocument?
        if let sums {
            document = try ReportRegistry.document(of: sums, ledger, input: input)
        } else if let explainedFailures {
            document = FailureExplanation.document(
                of: explainedFailures,
                in: ledger,
                withDocuments: showsDocuments,
                input: input
            )
        } else if let explained, report == DeferredReport.name {
            document = try DeferredExplanation.document(of: explained, in: ledger, input: input)
        } else if let explained {
            document = try Explanation.document(of: explained, in: ledger, input: input)
        } else {
            document = try ReportRegistry.document(named: report, of: ledger, input: input)
        }
        guard let document else { throw unknownReport }
        return document
    }

    private var unknownReport: RunError {
        RunError(.usage, "there is no report '\(report)': \(ReportRegistry.names.joined(separator: ", "))")
    }
}

extension InputSummary {
    init(_ progress: ReadProgress) {
        self.init(
            documents: progress.documents,
            accepted: progress.accepted,
            rejected: progress.rejected,
            bytes: progress.bytes,
            foreign: progress.foreign
        )
    }
}

extension RunError {
    /// Runs `check`; its error becomes a usage error of `--explain`.
    static func ofSelection(_ check: () throws(Finding) -> Void) throws(RunError) {
        do {
            try check()
        } catch {
            throw RunError(.usage, "--explain: \(error.reason)")
        }
    }
}
