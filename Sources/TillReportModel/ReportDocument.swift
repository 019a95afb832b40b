public import TillCore

/// A finished report: its content, without any layout.
///
/// Every renderer shows the same document. `sections` have the order of the JSON contract (`input` and `settings`
/// first). The report of all reports has the others in `children`.
public struct ReportDocument: Sendable {
    /// The name on the command line and in JSON: `revenue`.
    public var name: String
    /// A heading for people: `Revenue`.
    public var title: String
    /// The version of the JSON contract.
    public var version: Int
    /// The time that the figures cover; `nil` where no figure has a date.
    public var period: ReportPeriod?
    /// The parts of the report, without those of ``children``. Renderers select them by ``Section/role``.
    public var sections: [Section]
    /// Notes that explain the figures, a sentence each. They are not part of the JSON contract.
    public var notes: [String]
    /// The reports within the report of all reports; empty for every other report.
    public var children: [ReportDocument]
    /// The clock by which formats for people write instants.
    public var clock: ReportClock
    /// The names of products, by product id. Formats for people show them beside the ids in columns with the name
    /// ``Column/productID``; formats for programs have only ids.
    public var productNames: [String: String] = [:]
    /// Flags that show more of the same figures, beside the one that shows all rows: `--compare month`.
    public var furtherFlags: [String] = []
    /// The command that shows what the document leaves out, and its names; `nil` if it leaves nothing out.
    public var more: String?
    /// Whether the document is a single section of a report, so that its rows need not name the report and the section.
    public var isExcerpt = false
    /// The figures as double entries, in the order of time; only some reports have any.
    public var journal: [JournalEntry] = []
    /// The figures as the schedules of a close, made when a format asks for them.
    public var closing: @Sendable () -> ClosingSchedules = { ClosingSchedules() }
    /// The program and the input files; `nil` for a report that was not made by a run.
    public var origin: ReportOrigin?
    /// The typed rows that the sections show, where other code reads them. The report defines their type.
    public var typedRows: (any Sendable)?

    /// Starts without a journal, schedules, product names and an origin, which the caller sets.
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

/// The first and the last month, week, day or instant that figures have; both are the same kind of cell.
public struct ReportPeriod: Hashable, Sendable {
    /// The earliest time of a figure.
    public var first: Cell
    /// The latest time of a figure, which belongs to the period.
    public var last: Cell

    /// Needs two cells of one kind, the earlier one first.
    public init(first: Cell, last: Cell) {
        self.first = first
        self.last = last
    }
}

/// A named part of a report: one record of facts, or a table.
public struct Section: Sendable {
    /// The content of a section: one record, or rows.
    public enum Content: Sendable {
        /// One value per column.
        case record([Cell])
        /// Rows in the order of the report, each with one cell per column.
        case table(TableRows)
    }

    /// The purpose of a section. Formats decide by it whether and where they show the section.
    public enum Role: Sendable {
        /// Counts of the input.
        case input
        /// The settings behind the figures.
        case settings
        /// Counts by trust.
        case trust
        /// The answer, which stands before everything else. Formats for people show its ``Section/statements``, formats
        /// for programs its record.
        case summary
        /// The data behind the figures, and the omitted data.
        case coverage
        /// Figures that belong to the answer: a workbook has them on its first sheet.
        case headline
        case figures
        /// Figures for people alone, made of the rows of other sections. Formats for programs omit them.
        case overview
        /// All rows. Formats for people fold them, or say how many there are, unless they are asked for.
        case detail

        /// Whether the section describes the input and the settings, not the results.
        public var isPreamble: Bool {
            switch self {
            case .input, .settings, .trust, .coverage: true
            case .summary, .headline, .figures, .overview, .detail: false
            }
        }

        /// Whether every report of a run has the same section, so that its name is enough to select it.
        public var isSameInAllReports: Bool { self == .input || self == .settings }
    }

    /// The member of the JSON object: `by_product`.
    public var name: String
    /// A heading for people: `By product`.
    public var title: String
    /// The headings of ``content``: one for each cell of the record or of a row.
    public var columns: [Column]
    /// The cells, in the order of ``columns``.
    public var content: Content
    /// The purpose, by which renderers choose the place of the section. They do not choose by its name.
    public var role: Role
    /// The number of the column by which formats for people order the rows, the largest first; `nil` for the order of
    /// ``content``.
    public var rankingColumn: Int?
    /// The sentences of the section.
    public var statements: [Statement] = []
    /// A heading of one or two words, for places without room for ``title``; `nil` where the title is short.
    public var shortTitle: String?
    /// The rows that may be added up.
    public var totals = Totals.none
    /// The equation of every row; `nil` if rows are not checked.
    public var rowCheck: RowCheck?
    private var drawing: @Sendable () -> [Chart]

    /// Starts without statements, totals and a check of rows, which the caller sets.
    ///
    /// - Parameter charts: evaluated only when a format asks for ``charts``, because drawing takes as long as counting.
    public init(
        name: String,
        title: String,
        columns: [Column],
        content: Content,
        role: Role = .figures,
        charts: @autoclosure @escaping @Sendable () -> [Chart] = []
    ) {
        self.name = name
        self.title = title
        self.columns = columns
        self.content = content
        self.role = role
        drawing = charts
    }

    /// A section of charts alone, for people. Their figures are those of earlier reports, or of other sections.
    public init(name: String, title: String, charts: @autoclosure @escaping @Sendable () -> [Chart]) {
        self.init(name: name, title: title, columns: [], content: .record([]), role: .overview, charts: charts())
    }

    /// Whether the section has only charts, and neither facts nor rows.
    public var hasChartsAlone: Bool {
        if case .record(let cells) = content { cells.isEmpty && role == .overview } else { false }
    }

    /// The charts of the section, each complete in itself. Every access makes them again.
    public var charts: [Chart] { drawing() }

    /// The section with each chart changed, when it is drawn.
    public func mappingCharts(_ change: @escaping @Sendable (Chart) -> Chart) -> Section {
        var section = self
        let drawing = drawing
        section.drawing = { drawing().map(change) }
        return section
    }
}

/// The heading of one column or fact.
public struct Column: Hashable, Sendable {
    /// The member of the JSON object and the CSV header: `refunded_transactions`.
    public var name: String
    /// A heading for people: `Refunded`.
    public var title: String
    /// Whether the column belongs to the key of its row. Key columns come first.
    public var isKey: Bool
    /// Whether it is a figure that readers need first. If there is no room for all columns, it is omitted last.
    public var isMain: Bool
    /// Whether another column has the same information for people, such as the name of a product beside its id. If
    /// there is no room for all columns, it is omitted first.
    public var isSecondary = false
    /// Whether people read it in the words of another column, so that only formats for programs show it.
    public var isForPrograms = false
    /// Whether the values of rows may be added: amounts and counts of events, not balances, rates or shares.
    public var isAdditive = false
    /// Whether a sum of the column is unknown if a row has no value; else such rows are left out of the sum.
    public var isUnknownIfAbsent = false
    /// The kind of its texts.
    public var texts = TextKind.words

    /// The name of columns that hold ids of products.
    public static let productID = "product_id"

    /// The meaning of a column's texts. A text with another form stays a text.
    public enum TextKind: Hashable, Sendable {
        case words
        /// Days or months of the Gregorian calendar: `2026-03-09`, `2026-03`.
        case dates
        /// Decimal numbers: `0.006142`.
        case numbers
    }

    /// Starts with ``isSecondary``, ``isForPrograms``, ``isAdditive`` and ``isUnknownIfAbsent`` set to `false`.
    public init(
        _ name: String,
        _ title: String,
        isKey: Bool = false,
        isMain: Bool = false,
        texts: TextKind = .words
    ) {
        self.name = name
        self.title = title
        self.isKey = isKey
        self.isMain = isMain
        self.texts = texts
    }
}

/// A typed value. The renderer decides how to write it.
public enum Cell: Hashable, Sendable {
    /// An unknown value, never zero.
    case absent
    case text(String)
    /// A term of tillroll: its code for programs, and the words for people.
    case word(String, String)
    /// A number that is a name, such as a failure code. Its digits are never grouped.
    case code(Int64)
    case count(Int64)
    case money(Money)
    /// A share as a fraction of two counts. It has no value where `of` is 0.
    case ratio(Int64, of: Int64)
    /// A number in millionths, for figures that are neither counts nor shares.
    case decimal(millionths: Int64)
    case instant(Timestamp)
    case list([String])
    case flag(Bool)
    /// Objects within the object of a row.
    case records([CellRecord])
}
