/// A picture of figures of a section: typed series over shared categories.
///
/// A chart repeats figures of tables, so a format without drawings may omit it. The report has already summed the
/// values and the series without a name of their own; a renderer only draws.
public struct Chart: Hashable, Sendable {
    /// The kinds of charts.
    public enum Kind: Hashable, Sendable {
        /// Amounts that add up. The series are stacked, negative values below the axis.
        case stackedColumns
        /// One line per series; an absent value is a gap.
        case lines
        /// A small chart per series over the same categories, the largest series first. Series of one unit have one
        /// scale, so that they can be compared, and the rest has its own; series of different units have a scale each.
        case panels
        /// One bar per category, in one series: shares, or amounts ranked by size, negative ones to the left.
        case bars
        /// One row per series and one field per category. An absent field stays empty.
        case heatMap
        /// The steps from one amount to another, in one series: the first amount, the changes, and the resulting
        /// amount.
        case waterfall
    }

    /// A heading for people: `Net by month, USD`.
    public var title: String
    /// The drawing that suits the values. A format without it writes another one, or only the numbers.
    public var kind: Kind
    /// The title of the categories: `Month`.
    public var categoryTitle: String
    /// The measure with its unit: `Net, USD`.
    public var valueTitle: String
    /// The places along the axis, in order: texts, codes or instants.
    public var categories: [Cell]
    /// The values in the order in which formats show them. Bars and waterfalls have one series.
    public var series: [Series]
    /// The values to point out. Every format with charts lists their texts, in this order.
    public var marks: [Mark]
    /// Data that the chart omits, a sentence each without a full stop.
    public var notes: [String]
    /// The category of the report's period; the others are for comparison.
    public var current: Int?
    /// The category that the input does not cover to its end.
    public var unfinished: Int?
    /// The category with the sum of all items without their own category.
    public var rest: Int?
    /// The unit of a value, `an hour`; `nil` if the title is enough.
    public var valuesAre: String?
    /// The name of the band between the last two series, the lower limit first: `Usual rate`; `nil` without a band. Only
    /// lines have one. A format without areas draws its limits as lines.
    public var band: String?
    /// Whether the categories are the rows of the section's table and the values one of its columns. A format that
    /// writes both as text may omit the chart.
    public var repeatsRows = false

    /// Starts without a ``current``, an ``unfinished`` and a ``rest`` category. Each series must have a cell for each
    /// category.
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

    /// The series without the limits of the band.
    public var seriesOutsideBand: ArraySlice<Series> { series.dropLast(band == nil ? 0 : 2) }

    /// A named row of values, a cell for each category: counts, shares, decimals, money of one currency, or absent.
    public struct Series: Hashable, Sendable {
        /// The name in the legend: `Net`, `EUR`, `3 other products`. Formats for people replace the id of a product by
        /// its name.
        public var title: String
        /// A cell for each category, in the same order.
        public var values: [Cell]
        /// Whether the series is the sum of all items without their own series.
        public var isRest: Bool
        /// The summands of the rest, if they are few. Only formats with one line per series show them.
        public var parts: [Series] = []

        /// Starts without ``parts``, which only a rest has.
        public init(title: String, values: [Cell], isRest: Bool = false) {
            self.title = title
            self.values = values
            self.isRest = isRest
        }
    }

    /// A marked value with a text, such as a spike.
    public struct Mark: Hashable, Sendable {
        /// An index into the chart's categories.
        public var category: Int
        /// An index into the chart's series.
        public var series: Int
        /// A sentence without a full stop, with the value and its place.
        public var text: String

        /// Formats list a mark whose category does not exist, but do not draw it.
        public init(category: Int, series: Int, text: String) {
            self.category = category
            self.series = series
            self.text = text
        }
    }
}
