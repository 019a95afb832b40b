import TillCore
import TillReportModel

extension Chart {
    /// A description of the chart, for screen readers.
    func summary(by clock: ReportClock) -> String {
        guard let first = categories.first, let last = categories.last, !series.isEmpty else {
            return "\(kindText). There is nothing to draw."
        }
        let span =
            categories.count == 1
            ? label(first, by: clock)
            : "\(categories.count) from \(label(first, by: clock)) to \(label(last, by: clock))"
        var sentences = ["\(kindText) of \(valueTitle)"]
        switch kind {
        case .stackedColumns, .lines, .panels:
            sentences.append("\(categoryTitle): \(span)")
            sentences.append(
                series.count == 1 ? "One series: \(series[0].title)" : "Series: \(list(series.map(\.title)))"
            )
            if kind != .panels, let peak = peak {
                sentences.append("The highest is \(label(categories[peak.index], by: clock)) with \(peak.text)")
            }
        case .bars, .waterfall:
            let bars = zip(categories, series[0].values).map { "\(label($0, by: clock)) \($1.displayText)" }
            sentences.append(list(bars))
        case .heatMap:
            sentences.append("\(categoryTitle): \(span)")
            sentences.append("\(series.count) rows from \(series[0].title) to \(series[series.count - 1].title)")
        }
        if let current, categories.indices.contains(current) {
            sentences.append("\(label(categories[current], by: clock)) is the one of the report")
        }
        sentences += marks.map(\.text) + notes + [scaleNote].compactMap(\.self)
        return sentences.joined(separator: ". ") + "."
    }

    /// Whether values are shares, written in percent.
    var hasShares: Bool { series.contains { $0.values.contains { if case .ratio = $0 { true } else { false } } } }

    private var kindText: String {
        switch kind {
        case .stackedColumns: "Stacked columns"
        case .lines: "Lines"
        case .panels: "Small charts"
        case .bars: "Bars"
        case .heatMap: "Heat map"
        case .waterfall: "Waterfall"
        }
    }

    private func list(_ items: [String]) -> String {
        let most = 12
        let rest = items.count > most ? " and \(items.count - most) more" : ""
        return items.prefix(most).joined(separator: ", ") + rest
    }

    /// The category with the largest ``total(at:)``.
    private var peak: (index: Int, text: String)? {
        let totals = categories.indices.map { total(at: $0) }
        guard let index = totals.indices.max(by: { plot(totals[$0]) < plot(totals[$1]) }), plot(totals[index]) > 0
        else { return nil }
        // `max` gives the last of several equal totals; the first one is wanted.
        let first = totals.firstIndex { plot($0) == plot(totals[index]) } ?? index
        return (first, totals[first].displayText)
    }

    private func plot(_ cell: Cell) -> Double { cell.plotValue ?? -.infinity }

    /// The total of the series at a category: the sum of stacked columns, else the largest value outside the band.
    func total(at index: Int) -> Cell {
        let cells = seriesOutsideBand.compactMap { $0.values.indices.contains(index) ? $0.values[index] : nil }
        switch kind {
        case .stackedColumns: return cells.reduce(.absent) { $0.adding($1) }
        case .lines, .panels, .bars, .heatMap, .waterfall: return cells.max { plot($0) < plot($1) } ?? .absent
        }
    }

    /// The label of a category: for an instant its day and time.
    func label(_ category: Cell, by clock: ReportClock) -> String {
        guard case .instant(let instant) = category else { return category.displayText }
        return clock.day(of: instant) + " " + clock.time(of: instant)
    }

    /// The shortest label that distinguishes neighbours: for an instant its time, but its day at the beginning of a
    /// day.
    func shortLabel(_ category: Cell, by clock: ReportClock) -> String {
        guard case .instant(let instant) = category else { return category.displayText }
        // Hours of UTC begin at half past in some time zones, and so does the first hour of a day there.
        return Self.hour(of: instant, by: clock) == 0 ? clock.day(of: instant) : clock.time(of: instant)
    }

    /// Whether the category at `index` has a label, if only one in `every` fits. Hours are labelled at even fractions
    /// of the day, including midnight.
    func isLabelled(_ index: Int, every: Int, by clock: ReportClock) -> Bool {
        guard case .instant(let instant) = categories[index] else { return index % every == 0 }
        let hours = [1, 2, 3, 4, 6, 8, 12, 24].first { $0 >= every } ?? 24
        return Self.hour(of: instant, by: clock) % hours == 0
    }

    /// The hour of the day, 0…23.
    private static func hour(of instant: Timestamp, by clock: ReportClock) -> Int {
        Int(clock.local(instant).day.millisecondOfDay / Timestamp.millisecondsPerHour)
    }
}

extension Cell {
    /// The exact sum of two amounts of one kind. An absent one adds nothing.
    fileprivate func adding(_ other: Cell) -> Cell {
        switch (self, other) {
        case (.count(let left), .count(let right)):
            .count(Int64(clamping: Int128(left) + Int128(right)))
        case (.money(let left), .money(let right)) where left.currency == right.currency:
            .money(Money(millionths: left.millionths + right.millionths, currency: left.currency))
        case (.decimal(let left), .decimal(let right)):
            .decimal(millionths: Int64(clamping: Int128(left) + Int128(right)))
        case (.absent, let known), (let known, .absent): known
        default: self
        }
    }
}
