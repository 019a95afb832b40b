/// A picture of figures of a section: typed series over shared categories.
///
/// A chart repeats figures of tables, so a format that cannot draw may leave it out. The report has already summed the
/// values and the series without a name of their own; a renderer only draws.
public struct Chart: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Amounts that add up. The series are stacked, negative values below the axis.
        case stackedColumns
        /// One line per series; an absent value is a gap.
        case lines
        /// A small chart per series over the same categories, the largest series first. Series of one unit have one scale, so
        /// that they can be compared, and the rest has its own; series of different units have a scale each.
        case panels
        /// One bar per category, in one series: shares, or amounts ranked by size, negative ones to the left.
        case bars
        /// One row per series and one field per category. An absent field stays empty.
        case heatMap
        /// How one amount becomes another: there is one series, of the first amount, the changes to it, and the amount that they
        /// come to.
        case waterfall
    }

    /// A heading for people: `Net by month, USD`.
    public var title: String
    public var kind: Kind
    /// What the categories are: `Month`.
    public var categoryTitle: String
    /// The measure with its unit: `Net, USD`.
    public var valueTitle: String
    /// The places along the axis, in order: texts, codes or instants.
    public var categories: [Cell]
    public var series: [Series]
    public var marks: [Mark]
    /// What the chart leaves out, a sentence each without its full stop.
    public var notes: [String]
    /// The category that the report is about, beside others that it is set against.
    public var current: Int?
    /// The category that the input does not cover to its end.
    public var unfinished: Int?
    /// The category that is the sum of all that have no category of their own.
    public var rest: Int?
    /// What a value counts in, `an hour`; `nil` where the title says enough.
    public var valuesAre: String?
    /// Whether the categories are the rows of the section's table and the values one of its columns. A format that writes both as
    /// text may leave the chart out.
    public var repeatsRows = false

    public init(
        title: String,
        kind: Kind,
        categoryTitle: String,
        valueTitle: String,
        categories: [Cell],
        series: [Series],
        marks: [Mark] = [],
        notes: [String] = []
    ) {
        self.title = title
        self.kind = kind
        self.categoryTitle = categoryTitle
        self.valueTitle = valueTitle
        self.categories = categories
        self.series = series
        self.marks = marks
        self.notes = notes
    }

    /// A named row of values, a cell for each category: counts, shares, decimals, money of one currency, or absent.
    public struct Series: Hashable, Sendable {
        public var title: String
        public var values: [Cell]
        /// Whether the series is the sum of all that have no series of their own.
        public var isRest: Bool
        /// The series that the rest is the sum of, if they are few. Only formats that write a line per series show them.
        public var parts: [Series] = []

        public init(title: String, values: [Cell], isRest: Bool = false) {
            self.title = title
            self.values = values
            self.isRest = isRest
        }
    }

    /// A value that the reader must not miss, with a text about it.
    public struct Mark: Hashable, Sendable {
        /// An index into the chart's categories.
        public var category: Int
        /// An index into the chart's series.
        public var series: Int
        public var text: String

        public init(category: Int, series: Int, text: String) {
            self.category = category
            self.series = series
            self.text = text
        }
    }
}
