import ArgumentParser
import TillCore
import TillReports

/// Flags of `report` alone.
enum ReportFlag: DeclaredFlag, FlagSection, CaseIterable {
    case environment, explain, watch, closedPartial, asOf, converted, range, source, part

    typealias Flag = Self

    var entry: FlagEntry {
        switch self {
        case .environment: EnvironmentOption.entry(usual: EnvironmentOption.usual)
        case .explain:
            FlagEntry(
                "explain",
                valueName: "key=value,…",
                help:
                    "List the transactions and documents behind a figure of revenue or deferred: keys of \(Self.selectionKeys). Of "
                    + "failures, list the failures: keys of \(FailureSelection.keyNames.joined(separator: ", "))."
            )
        case .watch:
            FlagEntry(
                "watch",
                .none,
                help: "Show the report while its input is still coming, and all of it at the end or at Ctrl-C.",
                discussion:
                    "For 'tail -f events.ndjson | tillroll report failures --watch'. Where standard output is not a "
                    + "terminal, only the report at the end."
            )
        case .closedPartial:
            FlagEntry(
                "closed-partial",
                .none,
                help:
                    "With --partial: the input holds whole chains, accounts, attempts and requests, so write their sums, not "
                    + "themselves.",
                discussion:
                    "'--partial --closed' says the same; closed months (--closed FILE) are for 'tillroll merge'."
            )
        case .asOf:
            FlagEntry(
                "as-of",
                valueName: "instant",
                help:
                    "With --partial --closed: the newest record of the whole input, up to which subscriptions are known; as their "
                    + "report calls it."
            )
        case .converted:
            FlagEntry(
                "converted",
                valueName: "manifest",
                completion: .file,
                help:
                    "The inputs are rows, and this is the manifest of the 'tillroll convert' that made them: report on the "
                    + "documents that it counts."
            )
        case .range: FlagEntry.range(isHidden: true)
        case .source: FlagEntry.source(isHidden: true)
        case .part:
            FlagEntry(
                "part",
                valueName: "file",
                completion: .file,
                isHidden: true,
                help:
                    "With --partial: the inputs are a part of a larger run. Write the partial even where no document could be read, "
                    + "and to this file what was read, as a manifest without SHA-256 sums. With --since 7d, write only this file, in "
                    + "which the period begins where it would if the part were all of the input."
            )
        }
    }

    private static var selectionKeys: String { Selection.Key.all.map(\.name).joined(separator: ", ") }

    static func check(_ flags: Flags<Self>) throws {
        if let environment = flags[.environment] { try EnvironmentOption.check(environment) }
        guard let asOf = flags[.asOf] else { return }
        guard flags.has(.closedPartial) else { throw ValidationError("--as-of goes with --partial --closed.") }
        guard instant(asOf) != nil else {
            throw ValidationError("--as-of takes an instant, such as 2026-03-31T23:59:59Z, not '\(asOf)'.")
        }
    }

    static func instant(_ text: String) -> Timestamp? { Timestamp.parse(Array(text.utf8).span.bytes) }
}
