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
                    "List the transactions and documents behind a figure of revenue or deferred, or the failures "
                    + "behind a figure of failures. Keys for revenue and deferred: \(Self.selectionKeys). "
                    + "Keys for failures: \(FailureSelection.keyNames.joined(separator: ", "))."
            )
        case .watch:
            FlagEntry(
                "watch",
                .none,
                help: "Redraw the report while input arrives; Ctrl-C or the end of input prints the final report.",
                discussion:
                    "For 'tail -f events.ndjson | tillroll report failures --watch'. If standard output is not a "
                    + "terminal, only the final report is written."
            )
        case .closedPartial: FlagEntry.closedPartial()
        case .asOf: FlagEntry.asOf()
        case .converted:
            FlagEntry(
                "converted",
                valueName: "manifest",
                completion: .file,
                help:
                    "The manifest of the 'tillroll convert' that wrote the rows in the inputs. The report then shows "
                    + "the counts of documents in this manifest."
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
                    "With --partial: the inputs are a part of a larger run. Write the partial even if no document "
                    + "could be read, and write the manifest of this part to this file, without SHA-256 sums. With "
                    + "--since 7d, write only this manifest; its period begins as if the part were the whole input."
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
