public import TillCore

/// The earlier figures with which a report is compared.
public enum Comparison: Sendable {
    /// Each month against the one before.
    case month
    /// Each month against the same one a year before.
    case year
    /// Another report, made earlier.
    case report(EarlierReport)

    /// The number of months between the compared figures; `nil` for another report.
    public var months: Int64? {
        switch self {
        case .month: 1
        case .year: 12
        case .report: nil
        }
    }
}

/// The revenue of a report that was made earlier.
public struct EarlierReport: Sendable {
    /// A row of the earlier report.
    public struct Row: Sendable {
        /// In the order of ``EarlierReport/keys``; `nil` for an unknown value.
        public let keys: [String?]
        /// The figures as they were printed.
        public let revenue: PrintedRevenue

        /// The figures without converted amounts.
        public var figures: RevenueFigures { revenue.figures }

        /// Takes the figures as the earlier report printed them.
        public init(keys: [String?], revenue: PrintedRevenue) {
            self.keys = keys
            self.revenue = revenue
        }
    }

    /// The file, as it was named.
    public let name: String
    /// The names of its key columns.
    public let keys: [String]
    /// The settings behind its numbers, as texts.
    public let settings: [(name: String, value: String)]
    /// The rows in the order of the file.
    public let rows: [Row]

    /// Takes rows whose keys are in the order of `keys`, which is not checked.
    public init(name: String, keys: [String], settings: [(name: String, value: String)], rows: [Row]) {
        self.name = name
        self.keys = keys
        self.settings = settings
        self.rows = rows
    }
}
