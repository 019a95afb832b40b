public import TillCore

/// Shares of prices without tax, Apple's or the state's, by product or type of product, storefront and time.
///
/// The most specific row that fits a sale applies, whatever the order of the file:
///
///     product + storefront  >  product  >  type + storefront  >  type  >  storefront  >  all sales
///
/// Two rows for the same sales must not overlap in time, unless they have the same rate.
public struct RateSchedule: Sendable {
    /// A rate and the sales to which it applies.
    public struct Row: Hashable, Sendable {
        /// The line in the file, from 1.
        public var line: Int
        /// The first instant of the rate; `nil` for all time before ``until``.
        public var from: Timestamp?
        /// The first instant after the rate; `nil` for all time after ``from``.
        public var until: Timestamp?
        /// Not together with a type; `nil` for all products.
        public var productID: String?
        /// Not together with a product; `nil` for all types.
        public var type: ProductType?
        /// `nil` for all storefronts.
        public var territory: Territory?
        /// The share in millionths, 0…1,000,000.
        public var rate: Int64

        /// Makes a row for all sales at all times, as far as no argument limits it.
        public init(
            line: Int,
            from: Timestamp? = nil,
            until: Timestamp? = nil,
            productID: String? = nil,
            type: ProductType? = nil,
            territory: Territory? = nil,
            rate: Int64
        ) {
            (self.line, self.from, self.until) = (line, from, until)
            (self.productID, self.type, self.territory, self.rate) = (productID, type, territory, rate)
        }

        fileprivate var scope: Scope { Scope(productID: productID, type: type, territory: territory) }
    }

    /// Two rows with different rates for the same sales at the same time.
    public struct Contradiction: Hashable, Sendable {
        /// The row with the lower line number.
        public let earlier: Row
        /// The row with the higher line number, at which the defect is reported.
        public let later: Row
    }

    /// The sales to which a row applies.
    fileprivate struct Scope: Hashable, Sendable {
        var productID: String?
        var type: ProductType?
        var territory: Territory?
    }

    private var timelines: [Scope: RateTimeline] = [:]
    /// The territory of sales with an unknown storefront.
    private let defaultTerritory: Territory?

    /// Makes a schedule; of two contradicting rows it has only one.
    ///
    /// - Parameters:
    ///   - rows: in any order.
    ///   - defaultTerritory: the territory of sales with an unknown storefront.
    ///   - contradictions: the pairs of contradicting rows are added, by line.
    public init(
        _ rows: [Row],
        defaultTerritory: Territory? = nil,
        reporting contradictions: inout [Contradiction]
    ) {
        self.defaultTerritory = defaultTerritory
        for (scope, rows) in Dictionary(grouping: rows, by: \.scope) {
            timelines[scope] = RateTimeline(rows, reporting: &contradictions)
        }
        contradictions.sort { $0.later.line < $1.later.line }
    }

    /// The share of a sale in millionths; `nil` if no row fits.
    ///
    /// - Parameter instant: the time of the sale; without a time only rows without dates fit.
    public func rate(
        ofProduct productID: String?,
        type: ProductType?,
        territory: Territory?,
        at instant: Timestamp?
    ) -> Int64? {
        let place = territory ?? defaultTerritory
        var scopes: [Scope] = []
        if let productID {
            scopes += [Scope(productID: productID, territory: place), Scope(productID: productID)]
        }
        if let type { scopes += [Scope(type: type, territory: place), Scope(type: type)] }
        scopes += [Scope(territory: place), Scope()]
        for scope in scopes {
            if let rate = timelines[scope]?.rate(at: instant) { return rate }
        }
        return nil
    }
}

/// The rates for the same sales in order of time, with gaps.
private struct RateTimeline: Sendable {
    private struct Segment {
        let start: Timestamp
        var end: Timestamp
        let rate: Int64
    }

    /// Ascending and apart.
    private var segments: [Segment] = []
    /// The rate of a row without dates, the only one for a sale without a date.
    private var undated: Int64?

    init(_ rows: [RateSchedule.Row], reporting contradictions: inout [RateSchedule.Contradiction]) {
        func start(_ row: RateSchedule.Row) -> Timestamp { row.from ?? Timestamp(milliseconds: .min) }
        func end(_ row: RateSchedule.Row) -> Timestamp { row.until ?? Timestamp(milliseconds: .max) }
        // A row that overlaps any earlier one overlaps the one that ends last.
        var last: RateSchedule.Row?
        for row in rows.sorted(by: { (start($0), $0.line) < (start($1), $1.line) }) {
            if row.from == nil, row.until == nil { undated = undated ?? row.rate }
            guard let open = last, start(row) < end(open) else {
                segments.append(Segment(start: start(row), end: end(row), rate: row.rate))
                last = row
                continue
            }
            guard open.rate == row.rate else {
                let inOrder = open.line < row.line ? (open, row) : (row, open)
                contradictions.append(RateSchedule.Contradiction(earlier: inOrder.0, later: inOrder.1))
                continue
            }
            guard end(row) > end(open) else { continue }
            segments[segments.count - 1].end = end(row)
            last = row
        }
    }

    func rate(at instant: Timestamp?) -> Int64? {
        guard let instant else { return undated }
        let next = segments.partitioningIndex { $0.start > instant }
        guard next > 0, instant < segments[next - 1].end || segments[next - 1].end == Timestamp(milliseconds: .max)
        else {
            return nil
        }
        return segments[next - 1].rate
    }
}
