import TillCore

/// The prices of one product at one place in order of time, with gaps.
///
///     2019 ──── 0.99 ──── 2021 ── gap ── 2022 ──── 1.99 ───▷
///
/// Looking up is a binary search over the instants of change.
struct PriceTimeline: Sendable {
    private struct Segment {
        let start: Timestamp
        /// `nil` for a gap.
        let point: PricePoint?
    }

    /// The border between two segments.
    private struct Change {
        let start: Timestamp
        let old: PricePoint?
        let new: PricePoint?
    }

    /// Ascending, each up to the start of the next one.
    private var segments: [Segment] = []

    /// The price of a sale: the one in effect, or an older one where its subscriber keeps that; `nil` in a gap.
    func price(of sale: PriceQuery) -> PricePoint? {
        // For a sale without a date, only rows without dates are used, and each of them applies at every instant.
        let instant = sale.instant ?? Timestamp(milliseconds: .min)
        guard var index = segment(at: instant), let point = segments[index].point else { return nil }
        guard let since = sale.subscriberSince else { return point }
        var kept = point
        while let preservedFrom = kept.preservedFrom, since < preservedFrom {
            // A row applies again where another one ends. The price before it is that before it applied first.
            index = segments[..<index].firstIndex { $0.point == kept } ?? index
            repeat { index -= 1 } while index >= 0 && segments[index].point == nil
            // A customer who subscribed before the first price has the first price.
            guard index >= 0, let older = segments[index].point, older.currency == kept.currency else { break }
            kept = older
        }
        return kept
    }

    /// The segment that holds an instant; `nil` before the first.
    private func segment(at instant: Timestamp) -> Int? {
        let next = segments.partitioningIndex { $0.start > instant }
        return next == 0 ? nil : next - 1
    }

    private mutating func append(_ point: PricePoint?, from start: Timestamp) {
        segments.append(Segment(start: start, point: point))
    }
}

// MARK: - From rows

extension PriceTimeline {
    /// Orders rows by time. The newest row in effect applies.
    ///
    ///     from 2019, no end        0.99   ├─────────┐        ┌─────────┐
    ///     from 2020 to 2021        0.49             ├────────┤
    ///     from 2022, no end        1.99                                ├─────────▷
    ///
    /// A row without an end is replaced by a newer row, and applies again when that one ends. So a list needs no end
    /// dates for price changes. A stated end must not be later than the start of another row.
    init(_ rows: [PriceListRow], tellsGaps: Bool = false, reporting problems: inout [Finding]) {
        let rows = rows.sorted { ($0.start, $0.line) < ($1.start, $1.line) }
        var background: PricePoint?
        var backgroundReturns: Timestamp?
        for row in rows {
            if let end = backgroundReturns, end < row.start {
                append(background, from: end)
                if tellsGaps, background == nil { problems.append(Self.gap(from: end, before: row)) }
            }
            append(row.point, from: row.start)
            if row.effectiveTo == nil { background = row.point }
            backgroundReturns = row.effectiveTo
        }
        if let end = backgroundReturns { append(background, from: end) }
        Self.check(rows, reporting: &problems)
    }

    private static func gap(from end: Timestamp, before row: PriceListRow) -> Finding {
        let message = "no price of \(row.productID) is in effect from \(end) to \(row.start)"
        return Finding("prices.gap", at: row.line, cause: .warning, message)
    }

    /// Reports rows that begin together and those that begin before the stated end of an earlier one.
    private static func check(_ rows: [PriceListRow], reporting problems: inout [Finding]) {
        guard var newest = rows.first else { return }
        var longest = newest
        for row in rows.dropFirst() {
            if row.start == newest.start {
                problems.append(conflict(of: row, with: newest, code: "prices.duplicate"))
            } else if let end = longest.effectiveTo, end > row.start {
                problems.append(conflict(of: row, with: longest, code: "prices.overlap"))
            }
            newest = row
            if let end = row.effectiveTo, longest.effectiveTo.map({ $0 < end }) ?? true { longest = row }
        }
    }

    private static func conflict(
        of row: PriceListRow,
        with other: PriceListRow,
        code: String
    ) -> Finding {
        let (currency, otherCurrency) = (row.point.currency, other.point.currency)
        guard currency == otherCurrency else {
            let place = row.territory.map(\.description) ?? "*"
            let message = "\(place) has \(currency) here and \(otherCurrency) in line \(other.line) at the same time"
            return Finding("prices.two-currencies", at: row.line, message)
        }
        let message = code == "prices.duplicate" ? "begins together with line" : "begins before the end of line"
        return Finding(code, at: row.line, "\(message) \(other.line)")
    }
}

// MARK: - From other timelines

extension PriceTimeline {
    /// The price that all timelines with a price at the instant have in common; a gap if they differ.
    init(agreementOf timelines: some Collection<PriceTimeline>) {
        if timelines.count == 1, let only = timelines.first {
            self = only
            return
        }
        let changes = timelines.flatMap { timeline in
            zip([nil] + timeline.segments.map(\.point), timeline.segments).map { old, segment in
                Change(start: segment.start, old: old, new: segment.point)
            }
        }
        .sorted { $0.start < $1.start }

        var inEffect: [PricePoint: Int] = [:]
        for (index, change) in changes.enumerated() {
            if let old = change.old { inEffect.decrement(old) }
            if let new = change.new { inEffect[new, default: 0] += 1 }
            guard index + 1 == changes.count || changes[index + 1].start != change.start else { continue }
            append(Self.agreement(of: inEffect.keys), from: change.start)
        }
    }

    /// The same timeline, with the prices of another one in its gaps.
    func filled(by other: PriceTimeline) -> PriceTimeline {
        var filled = PriceTimeline()
        for start in Set(segments.map(\.start) + other.segments.map(\.start)).sorted() {
            filled.append(point(at: start) ?? other.point(at: start), from: start)
        }
        return filled
    }

    private func point(at instant: Timestamp) -> PricePoint? { segment(at: instant).flatMap { segments[$0].point } }

    /// The same timeline with only the currency of each price.
    var currenciesAlone: PriceTimeline {
        var timeline = self
        timeline.segments = segments.map { segment in
            let point = segment.point.map {
                PricePoint(currency: $0.currency, price: 0, introPrice: nil, introMode: nil, offerPrice: nil)
            }
            return Segment(start: segment.start, point: point)
        }
        return timeline
    }

    private static func agreement(of points: some Collection<PricePoint>) -> PricePoint? {
        guard var agreed = points.first else { return nil }
        for point in points.dropFirst() {
            guard let narrowed = agreed.agreeing(with: point) else { return nil }
            agreed = narrowed
        }
        return agreed
    }
}

extension [PricePoint: Int] {
    fileprivate mutating func decrement(_ point: PricePoint) {
        guard let count = self[point] else { return }
        self[point] = count > 1 ? count - 1 : nil
    }
}
