import ArgumentParser
import TillCore
import TillPipeline
import TillStorage

/// Flags for the steps of a run on a cluster (the page "Past one machine"). They are hidden in the help, because they
/// are of no use on one machine.
enum DivisionFlag: DeclaredFlag, FlagSection, CaseIterable {
    case divide, closedPartial, asOf, share, before

    typealias Flag = Self

    var entry: FlagEntry {
        switch self {
        case .divide:
            FlagEntry(
                "divide",
                valueName: "key:count",
                isHidden: true,
                help:
                    "With --partial: divide the partial into shares, which are partials themselves, one behind the other in the "
                    + "output. Each has whole transactions, chains or, of a partial that is closed, accounts."
            )
        case .closedPartial:
            FlagEntry(
                "closed-partial",
                .none,
                isHidden: true,
                help: "With --partial: the partials hold whole chains, attempts and requests, so write their sums."
            )
        case .asOf:
            FlagEntry(
                "as-of",
                valueName: "instant",
                isHidden: true,
                help: "With --closed-partial: the newest record of the whole input."
            )
        case .share:
            FlagEntry(
                "share",
                .number,
                valueName: "number",
                isHidden: true,
                help: "With --divide accounts: the number of this share of the chains, from 0."
            )
        case .before:
            FlagEntry(
                "before",
                valueName: "documents:lines,…",
                isHidden: true,
                help: "Documents and lines of its source that lie before each partial, such as 0:0,5000:5001."
            )
        }
    }

    static func check(_ flags: Flags<Self>) throws {
        let isClosed = flags.has(.closedPartial)
        if let share = flags.number(.share), !isClosed || share < 0 || share >= PartialDivision.limit {
            throw ValidationError("--share takes a number from 0, and goes with --closed-partial.")
        }
        if let asOf = flags[.asOf], flags.newest == nil || !isClosed {
            throw ValidationError("--as-of takes an instant and goes with --closed-partial, not '\(asOf)'.")
        }
        if let before = flags[.before], flags.placesBefore.count != places(before).count {
            throw ValidationError("--before takes documents:lines for each partial, not '\(before)'.")
        }
    }

    fileprivate static func places(_ text: String) -> [Substring] {
        text.split(separator: ",", omittingEmptySubsequences: false)
    }
}

extension Flags<DivisionFlag> {
    /// Whether open partials are divided.
    var dividesLedger: Bool { has(.divide) && !has(.closedPartial) }

    var newest: Timestamp? { self[.asOf].flatMap(ReportFlag.instant) }

    var placesBefore: [PlacesBefore] {
        self[.before].map { DivisionFlag.places($0).compactMap { PlacesBefore($0) } } ?? []
    }

    /// Throws if the flags contradict the output flags.
    func check(_ output: Flags<OutputFlag>) throws {
        let isClosed = has(.closedPartial)
        guard output.has(.partial) else {
            guard !has(.divide), !isClosed else {
                throw ValidationError("--divide and --closed-partial go with --partial.")
            }
            return
        }
        guard let divide = self[.divide] else { return }
        guard let division = PartialDivision(divide) else {
            let keys = PartialDivision.Key.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--divide takes one of \(keys) and a count, such as chains:200, not '\(divide)'.")
        }
        guard (division.key == .accounts) == isClosed, isClosed == has(.share) else {
            throw ValidationError("--divide accounts goes with --closed-partial and --share, other shares without.")
        }
        guard !output.writesToStandardOutput else {
            throw ValidationError("--divide writes several partials; name their file with -o.")
        }
    }
}
