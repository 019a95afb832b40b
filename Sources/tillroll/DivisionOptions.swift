import ArgumentParser
import TillCore
import TillPipeline
import TillStorage

/// How the steps of a run on a cluster hand on partials (the page "Past one machine"). They are hidden from the help: on one
/// machine they are of no use.
struct DivisionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "With --partial: divide the partial into shares, files in the folder of -o. Each has whole transactions, chains or, of "
                + "a partial that is closed, accounts.",
            valueName: "key:count",
            visibility: .hidden
        )
    )
    var divide: String?

    @Flag(
        help: ArgumentHelp(
            "With --partial: the partials hold whole chains, attempts and requests, so write their sums.",
            visibility: .hidden
        )
    )
    var closedPartial = false

    @Option(
        help: ArgumentHelp(
            "With --closed-partial: the newest record of the whole input.",
            valueName: "instant",
            visibility: .hidden
        )
    )
    var asOf: String?

    @Option(
        help: ArgumentHelp(
            "With --divide accounts: the number of this share of the chains, from 0.",
            valueName: "number",
            visibility: .hidden
        )
    )
    var share: Int?

    @Option(
        help: ArgumentHelp(
            "Documents and lines of its source that lie before each partial, such as 0:0,5000:5001.",
            valueName: "documents:lines,…",
            visibility: .hidden
        )
    )
    var before: String?

    /// Whether open partials are divided.
    var dividesLedger: Bool { divide != nil && !closedPartial }

    var newest: Timestamp? { asOf.flatMap { Timestamp.parse(Array($0.utf8).span.bytes) } }

    var placesBefore: [PlacesBefore] {
        before.map { $0.split(separator: ",", omittingEmptySubsequences: false).compactMap { PlacesBefore($0) } } ?? []
    }

    /// Throws where the flags do not fit one another or those of the output.
    func check(_ output: OutputOptions) throws {
        guard output.partial else {
            guard divide == nil, !closedPartial else {
                throw ValidationError("--divide and --closed-partial go with --partial.")
            }
            return try checkValues()
        }
        if let divide {
            guard let division = PartialDivision(divide) else {
                let keys = PartialDivision.Key.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--divide takes one of \(keys) and a count, such as chains:200, not '\(divide)'.")
            }
            guard (division.key == .accounts) == closedPartial, closedPartial == (share != nil) else {
                throw ValidationError("--divide accounts goes with --closed-partial and --share, other shares without.")
            }
            guard !output.writesToStandardOutput else {
                throw ValidationError("--divide writes a folder; name it with -o.")
            }
        }
        try checkValues()
    }

    private func checkValues() throws {
        if let share, !closedPartial || share < 0 || share >= PartialDivision.limit {
            throw ValidationError("--share takes a number from 0, and goes with --closed-partial.")
        }
        if let asOf, newest == nil || !closedPartial {
            throw ValidationError("--as-of takes an instant and goes with --closed-partial, not '\(asOf)'.")
        }
        if let before, placesBefore.count != before.split(separator: ",", omittingEmptySubsequences: false).count {
            throw ValidationError("--before takes documents:lines for each partial, not '\(before)'.")
        }
    }
}
