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
                    "With --partial: divide the partial into this number of shares, written one after the other "
                    + "in the output. A share is a partial. No transaction, chain or, in a closed partial, account "
                    + "is in two shares."
            )
        case .closedPartial: FlagEntry.closedPartial(isHidden: true)
        case .asOf: FlagEntry.asOf(isHidden: true)
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
                help: "The documents and lines of the source before each partial, such as 0:0,5000:5001."
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

extension FlagEntry {
    /// - Parameter isHidden: whether it is for the steps of a cluster only.
    static func closedPartial(isHidden: Bool = false) -> FlagEntry {
        FlagEntry(
            "closed-partial",
            .none,
            isHidden: isHidden,
            help:
                "With --partial: write only sums. The input must hold all documents of its chains, accounts, line items, "
                + "attempts and requests.",
            discussion: isHidden
                ? ""
                : "'--partial --closed' is the same; closed months (--closed FILE) are for 'tillroll merge'."
        )
    }

    /// The instant up to which a closed partial evaluates subscriptions.
    static func asOf(isHidden: Bool = false) -> FlagEntry {
        FlagEntry(
            "as-of",
            valueName: "instant",
            isHidden: isHidden,
            help:
                "For a closed partial: the time of the newest record of the whole input, which is the 'as_of' of "
                + "'report subscriptions'."
        )
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
            throw ValidationError(
                "--divide accounts needs --closed-partial and --share; other keys cannot be used with them."
            )
        }
        guard !output.writesToStandardOutput else {
            throw ValidationError("--divide writes several partials; name their file with -o.")
        }
    }
}
