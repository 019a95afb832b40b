/// The commands, by the words that name them.
///
/// The help lists them in this order.
public enum Command: String, CaseIterable, Sendable {
    case report, reconcile, merge
    case pricesCheck = "prices check"
    case pricesFromStoreKit = "prices from-storekit"
    case inspect, verify, submit, convert
    case codes, schema

    /// The words that name it: `prices check`.
    public var name: String { rawValue }

    /// The commands that settle a report and write it.
    static let settling: [Command] = [.report, .merge]
    /// The commands whose reports have figures of sales.
    static let comparing: [Command] = [.report, .merge, .reconcile]
    /// The commands that read documents.
    static let reading: [Command] = [.report, .reconcile, .pricesCheck, .inspect, .verify, .submit, .convert]
    /// The commands that keep the data of a report, in memory or in temporary files.
    static let keeping: [Command] = [.report, .reconcile, .merge, .pricesCheck]

    /// The heading below which the help lists the flags of the output.
    var outputGroup: FlagEntry.Group { Self.comparing.contains(self) ? .output : .general }
}
