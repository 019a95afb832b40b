public import TillCore

/// A finished report: everything that is to be said, nothing of how it looks.
///
/// Every renderer shows the same document. `sections` stand in the order of the JSON contract (`input` and `settings`
/// first); a report of reports carries the others in `children`.
public struct ReportDocument: Sendable {
    /// The name on the command line and in JSON: `revenue`.
    public var name: String
    /// A heading for people: `Revenue`.
    public var title: String
    /// The version of the JSON contract.
    public var version: Int
    /// From when to when the results reach; `nil` where nothing in them is dated.
    public var period: ReportPeriod?
    public var sections: [Section]
    /// What a reader must know to read the numbers rightly, a sentence each. Not part of the JSON contract.
    public var notes: [String]
    public var children: [ReportDocument]
    /// By which formats for people tell instants.
    public var clock: ReportClock
    /// Whether this is one section of a report, asked for alone, so that its rows need not say what they belong to.
    public var isExcerpt = false

    public init(
        name: String,
        title: String,
        version: Int = 1,
        period: ReportPeriod? = nil,
        sections: [Section],
        notes: [String] = [],
        children: [ReportDocument] = [],
        clock: ReportClock = .utc
    ) {
        self.name = name
        self.title = title
        self.version = version
        self.period = period
        self.sections = sections
        self.notes = notes
        self.children = children
        self.clock = clock
    }
}

/// The first and the last month or instant of which results tell; both are the same kind of cell.
public struct ReportPeriod: Hashable, Sendable {
    public var first: Cell
    public var last: Cell

    public init(first: Cell, last: Cell) {
        self.first = first
        self.last = last
    }
}

/// A named part of a report: one record of facts, or a table.
public struct Section: Sendable {
    public enum Content: Sendable {
        /// One value per column.
        case record([Cell])
        /// Rows sorted by their keys, each with one cell per column.
        case table(TableRows)
    }

    /// The member of the JSON object: `by_product`.
    public var name: String
    /// A heading for people: `By product`.
    public var title: String
    public var columns: [Column]
    public var content: Content
    /// Rows for programs to draw or search; somebody who reads is told how many there are.
    public var isDetail: Bool
    /// Pictures of the numbers above, each complete in itself.
    public var charts: [Chart] { drawing() }
    /// Draws ``charts``, when a format asks for them: not every one shows any, and they take as long as the numbers.
    public var drawing: @Sendable () -> [Chart]
    /// What somebody who looks on while numbers are still coming must see first.
    public var isUrgent = false

    public init(
        name: String,
        title: String,
        columns: [Column],
        content: Content,
        isDetail: Bool = false,
        charts: @autoclosure @escaping @Sendable () -> [Chart] = []
    ) {
        self.isDetail = isDetail
        drawing = charts
        self.name = name
        self.title = title
        self.columns = columns
        self.content = content
    }
}

/// The heading of one column or fact.
public struct Column: Hashable, Sendable {
    /// The member of the JSON object and the CSV header: `refunded_transactions`.
    public var name: String
    /// A heading for people: `Refunded`.
    public var title: String
    /// Whether the cells say what the row is about, and the others what is known of it. Key columns come first.
    public var isKey: Bool

    public init(_ name: String, _ title: String, isKey: Bool = false) {
        self.name = name
        self.title = title
        self.isKey = isKey
    }
}

/// A typed value; how it is written is the renderer's business.
public enum Cell: Hashable, Sendable {
    /// Not known. Never the same as zero.
    case absent
    case text(String)
    /// A number that names something, such as a failure code: never grouped.
    case code(Int64)
    case count(Int64)
    case money(Money)
    /// A share as a fraction of two counts; unknown where `of` is 0.
    case ratio(Int64, of: Int64)
    /// A number of millionths, for figures that are neither counts nor shares.
    case decimal(millionths: Int64)
    case instant(Timestamp)
    case list([String])
}
