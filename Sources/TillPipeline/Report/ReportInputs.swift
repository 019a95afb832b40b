public import TillLedger
public import TillStorage

/// What is read for a report, and how.
public struct ReportInputs: Sendable {
    /// Files, folders and `-`; none is standard input.
    public var paths: [String]
    public var reading = ReadOptions()
    public var environments = EnvironmentFilter.booked
    public var rejects = RejectOptions()
    /// How much memory the ledger may take; `nil` for all there is.
    public var allowance: MemoryAllowance?
    public var showsProgress = false

    public init(_ paths: [String]) {
        self.paths = paths
    }
}
