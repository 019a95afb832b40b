/// The figures of a report as the schedules of a close, for formats that have a sheet for each table.
public struct ClosingSchedules: Sendable {
    /// Sorted by subject where a format shows them; those of one subject keep their order.
    public var schedules: [Schedule]
    /// The pairs of figures that must be equal.
    public var tieOuts: [TieOut]

    /// The defaults are those of a report that takes no part in a close.
    public init(_ schedules: [Schedule] = [], tieOuts: [TieOut] = []) {
        self.schedules = schedules
        self.tieOuts = tieOuts
    }
}

/// A table of a close.
public struct Schedule: Sendable {
    /// The subject of the table, in the order of a close.
    public enum Subject: Int, Comparable, Sendable {
        case products, months, currencies, refunds, restatements, deferred, reconciliation, exceptions

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The place of the schedule in the order of a close.
    public var subject: Subject
    /// Replaces the section with the same name in the report, if there is one.
    public var section: Section

    /// Formats omit a schedule whose section is a record or has no rows.
    public init(_ subject: Subject, _ section: Section) {
        self.subject = subject
        self.section = section
    }
}

/// Two figures of a close that must be equal.
public struct TieOut: Sendable {
    /// A total or a fact.
    public struct Figure: Sendable {
        /// The name of the section or schedule.
        public var section: String
        /// The name of the column: its total, or its value where the section is a record.
        public var column: String
        /// The name of the report; `nil` for the report that declares the tie-out.
        public var report: String?

        /// Needs `report` only for a figure of another report than the one that declares the tie-out.
        public init(_ column: String, in section: String, of report: String? = nil) {
            (self.column, self.section, self.report) = (column, section, report)
        }
    }

    /// The title of the equation: `Net: products and months`.
    public var title: String
    /// The figures of the left side, which are added.
    public var left: [Figure]
    /// The figures of the right side, which are added. They must have the unit of the left side.
    public var right: [Figure]
    /// Whether each currency is compared by itself, or the totals of all rows.
    public var isPerCurrency: Bool

    /// Formats omit the tie-out if one of its figures is not shown, or if the figures have several units.
    public init(_ title: String, _ left: [Figure], _ right: [Figure], isPerCurrency: Bool = false) {
        (self.title, self.left, self.right, self.isPerCurrency) = (title, left, right, isPerCurrency)
    }
}

extension Section {
    /// The rows of a table that are added up. Only additive columns have totals (``Column/isAdditive``).
    public enum Totals: Hashable, Sendable {
        case none
        /// All rows.
        case all
        /// The rows of each currency, by the column with that number; also all rows, if a column has a single unit.
        case perCurrency(column: Int)
    }

    /// An equation of the cells of each row, by the names of columns: `opening + billed = refunds + earned + closing`.
    public struct RowCheck: Hashable, Sendable {
        /// The names of the columns whose cells are added on the left side.
        public var left: [String]
        /// The names of the columns whose cells are added on the right side.
        public var right: [String]

        /// Formats check no row if the section lacks one of the columns.
        public init(_ left: [String], equals right: [String]) {
            (self.left, self.right) = (left, right)
        }
    }
}

/// The program that made a report, and the input files.
public struct ReportOrigin: Sendable {
    /// A file as it was read.
    public struct File: Hashable, Sendable {
        /// The path of the file, or `-` for standard input.
        public var name: String
        /// The bytes that are stored, compressed or not.
        public var byteCount: Int
        /// SHA-256, 64 hexadecimal digits.
        public var digest: String

        /// Does not check the digest. Formats show it unchanged.
        public init(name: String, byteCount: Int, digest: String) {
            (self.name, self.byteCount, self.digest) = (name, byteCount, digest)
        }
    }

    /// The program and its version: `tillroll 1.2.3`.
    public var program: String
    /// Empty if no digests were computed.
    public var files: [File]

    /// Needs no files for a run that computes no digests.
    public init(program: String, files: [File] = []) {
        (self.program, self.files) = (program, files)
    }
}
