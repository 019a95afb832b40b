/// Numbers of a section that say more as a picture: typed series over shared categories.
///
/// A chart repeats what tables hold, so a format that cannot draw may leave it out. What is to be summed or put
/// together under "other" has been; a renderer only draws.
public struct Chart: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Amounts that add up: the series stand on one another, what is negative below the line.
        case stackedColumns
        /// One line per series; an absent value is a gap.
        case lines
        /// One bar per category, for shares that must not be added. There is one series.
        case bars
        /// A row per series and a field per category; absent fields stay empty.
        case heatMap
    }

    /// A heading for people: `Net by month, USD`.
    public var title: String
    public var kind: Kind
    /// What the categories are: `Month`.
    public var categoryTitle: String
    /// What is measured, with its unit: `Net, USD`.
    public var valueTitle: String
    /// The places along the axis, in order: texts, codes or instants.
    public var categories: [Cell]
    public var series: [Series]
    public var marks: [Mark]
    /// What the picture leaves out or how it was rounded, a sentence each without its full stop.
    public var notes: [String]

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

    /// The values of one thing, a cell for each category: counts, shares, decimals, money of one currency, or absent.
    public struct Series: Hashable, Sendable {
        public var title: String
        public var values: [Cell]
        /// Whether it stands for all that is not shown by name.
        public var isRest: Bool
        /// What the rest is made of, where that is little enough to be listed; only lists of lines have room for it.
        public var parts: [Series] = []

        public init(title: String, values: [Cell], isRest: Bool = false) {
            self.title = title
            self.values = values
            self.isRest = isRest
        }
    }

    /// A place that the reader must not miss, with what there is to say about it.
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
