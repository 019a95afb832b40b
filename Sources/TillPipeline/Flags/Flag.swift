/// The flags of the command line.
///
/// A case and its ``entry(for:)`` are the whole of a flag. The help lists flags in this order, and so do partials and
/// manifests.
public enum Flag: String, CaseIterable, Sendable {
    // Settling.
    case period, month
    case yearBegins = "year-begins"
    case fiscal
    case fiscalMonth = "fiscal-month"
    case since, until, complete, calendar, tz
    case prices
    case defaultTerritory = "default-territory"
    case catalogue
    case refundsBy = "refunds-by"
    case fx
    case baseCurrency = "base-currency"
    case fxDate = "fx-date"
    case fxGap = "fx-gap"
    case fxMaxGap = "fx-max-gap"
    case fxPeg = "fx-peg"
    case fxAny = "fx-any"
    case rounding, tax, commission, accounts
    case secondYearRate = "second-year-rate"
    case by, compare, closed
    case mrrWeekly = "mrr-weekly"

    // Of a few commands.
    case apple, tolerance, payout, against
    case report, environment, explain, raw, watch, converted
    case document
    case showPrivate = "show-private"
    case full
    case reportOnly = "report-only"
    case endpoint
    case sandboxEndpoint = "sandbox-endpoint"
    case passwordFile = "password-file"
    case excludeOldTransactions = "exclude-old-transactions"
    case retries, timeout, resume

    // Output.
    case format, output, table
    case partitionBy = "partition-by"
    case replace, append, compression, safe
    case detail, partial
    case closedPartial = "closed-partial"
    case asOf = "as-of"
    case alert
    case alertJSON = "alert-json"
    case now, examples, manifest, metrics
    case noPager = "no-pager"
    case width

    // Parts of a run.
    case range, source, part, divide, share, before

    // Reading.
    case from, column, jobs, memory, rejects
    case rejectsRaw = "rejects-raw"
    case maxRejects = "max-rejects"
    case strict, distinct
    case maxDocument = "max-document"
    case maxRatio = "max-ratio"
    case trust, anchor
    case bundleID = "bundle-id"
    case deviceID = "device-id"
    case progress, color, quiet
    case chunkSize = "chunk-size"

    /// Without the dashes.
    public var name: String { rawValue }

    /// The flags that decide how a report is settled, in the order of partials and manifests.
    static let settling = allCases.filter(\.settles)

    private var settles: Bool { entry(for: .report).traits.contains(.settles) }

    /// The flags of a command, in the order of its help.
    public static func all(of command: Command) -> [Flag] {
        allCases.filter { $0.entry(for: command).commands.contains(command) }
    }
}

extension Flag: CustomStringConvertible {
    /// As it is written on the command line: `--month`.
    public var description: String { "--" + rawValue }
}
