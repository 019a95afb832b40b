import TillReportModel

/// A chart in characters, for terminals and Markdown.
struct ChartLines {
    struct Line {
        let text: String
        let isMark: Bool
    }

    private(set) var lines: [Line] = []
    private let width: Int
    private let clock: ReportClock

    /// - Parameter width: the available columns; at least 40 are used.
    init(_ chart: Chart, width: Int, clock: ReportClock) {
        self.width = max(width, 40)
        self.clock = clock
        switch chart.kind {
        case .stackedColumns, .lines, .panels:
            if !addLabelledSparkline(of: chart) { addSparklines(of: chart) }
        case .bars: addBars(of: chart)
        case .heatMap: addFields(of: chart)
        case .waterfall: addWaterfall(of: chart)
        }
        for mark in chart.marks {
            for line in Paragraph(lead: "▲ ", words: mark.text).lines(width: self.width) { add(line, isMark: true) }
        }
        for note in chart.notes + [chart.scaleNote].compactMap(\.self) {
            for line in Paragraph(lead: "", words: note).lines(width: self.width) { add(line) }
        }
    }

    private mutating func add(_ text: String, isMark: Bool = false) {
        var line = Substring(text)
        while line.last == " " { line.removeLast() }
        lines.append(Line(text: String(line), isMark: isMark))
    }

    /// The names padded to one width, none wider than the given share of the line.
    private func names(_ names: [String], share: Int) -> [String] {
        let shown = names.map { $0.madeVisible.shortened(toWidth: width / share) }
        let widest = shown.map(\.displayWidth).max() ?? 0
        return shown.map { $0 + Self.blanks(widest - $0.displayWidth) }
    }

    private static func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

    /// The texts padded to one width, aligned to the right.
    private static func aligned(_ texts: [String]) -> [String] {
        let widest = texts.map(\.displayWidth).max() ?? 0
        return texts.map { blanks(widest - $0.displayWidth) + $0 }
    }

    // MARK: Over time

    /// The mark of the report's category.
    private static let pointer = "◂"

    /// A single series whose categories all have room, with the first value and the last two below. `false` if it does
    /// not fit, or if the report has no current category, because then the marks need no names.
    ///
    ///     2025-12 █ 2026-01 ▆ 02 ▇ 03 ▇◂
    ///     17,699.29  15,538.52  17,045.72
    private mutating func addLabelledSparkline(of chart: Chart) -> Bool {
        guard let current = chart.current, chart.series.count == 1, let series = chart.series.first,
            series.values.indices.contains(current), series.values.count == chart.categories.count
        else { return false }
        let labels = ChartLabels.short(chart.categories.map { chart.label($0, by: clock).madeVisible })
        let marks = Array(Sparkline.text(series.values.map(\.plotValue), width: series.values.count))
        var text = ""
        // The column behind the mark of each category.
        var ends: [Int] = []
        for (index, label) in labels.enumerated() {
            let mark = series.values[index].plotValue == nil ? "–" : String(marks[index])
            text += (index == 0 ? "" : " ") + label + " " + mark + (index == current ? Self.pointer : "")
            ends.append(text.displayWidth)
        }
        guard text.displayWidth <= width else { return false }
        add(text)
        add(Self.values(below: ends, of: series.values, current: current))
        return true
    }

    /// The value of the current category below its mark, that of the one before to its left, and the first one that is
    /// known.
    private static func values(below ends: [Int], of values: [Cell], current: Int) -> String {
        let last = values[current].displayText
        let before = current > 0 && values[current - 1] != .absent ? values[current - 1].displayText + "  " : ""
        let right = before + last
        let start = max(0, ends[current] - right.displayWidth)
        guard let first = values.indices.first(where: { $0 < current - 1 && values[$0] != .absent }) else {
            return blanks(start) + right
        }
        let left = blanks(first == 0 ? 0 : ends[first - 1] + 1) + values[first].displayText
        return left.displayWidth + 2 > start ? blanks(start) + right : left + blanks(start - left.displayWidth) + right
    }

    /// One line per series: its name, a sparkline, its largest value. Arrows below it point at the marks.
    private mutating func addSparklines(of chart: Chart) {
        // The parts of a rest are indented below it and have no series number.
        let rows =
            chart.series.enumerated().flatMap { number, series in
                [(number, series.title, series.values)] + series.parts.map { (nil, "  " + $0.title, $0.values) }
            } as [(series: Int?, title: String, values: [Cell])]
        // Parts of columns without a visible value need no line.
        let seen = rows.filter { chart.kind != .stackedColumns || $0.values.contains { $0.plotValue ?? 0 != 0 } }
        let shown = seen.isEmpty ? rows : seen
        let names = names(shown.map(\.title), share: 3)
        let tails = tails(shown.map(\.values), of: chart)
        let left = (names.first?.displayWidth ?? 0) + 2
        let room = max(8, width - left - (tails.map(\.displayWidth).max() ?? 0))
        let columns = Sparkline.columns(of: chart.categories.count, width: room)
        if let first = chart.categories.first, let last = chart.categories.last {
            let span = "\(chart.label(first, by: clock)) to \(chart.label(last, by: clock))"
            add(Self.blanks(min(left, width - span.displayWidth)) + span)
        }
        for (index, row) in shown.enumerated() {
            add(names[index] + "  " + Sparkline.text(row.values.map(\.plotValue), width: room) + tails[index])
            let marked = chart.marks.filter { $0.series == row.series }.map(\.category)
            guard !marked.isEmpty else { continue }
            let arrows = columns.map { column in marked.contains(where: column.contains) ? "▲" : " " }
            add(Self.blanks(left) + arrows.joined(), isMark: true)
        }
    }

    /// The text after each sparkline: the value of the report's category, and the largest value.
    private func tails(_ rows: [[Cell]], of chart: Chart) -> [String] {
        let peaks = rows.map { values in
            values.max { ($0.plotValue ?? -.infinity) < ($1.plotValue ?? -.infinity) }?.displayText ?? "–"
        }
        let unit = chart.valuesAre.map { " " + $0 } ?? ""
        let most = Self.aligned(peaks).map { "  max " + $0 + unit }
        guard let current = chart.current else { return most }
        let values = rows.map { $0.indices.contains(current) ? $0[current].displayText : "–" }
        return zip(Self.aligned(values), most).map { " " + Self.pointer + " " + $0 + $1 }
    }

    // MARK: Bars

    /// The columns that bars take beside their names and values.
    private func barRoom(_ names: [String], _ texts: [String]) -> Int {
        let taken = (names.first?.displayWidth ?? 0) + (texts.map(\.displayWidth).max() ?? 0) + 4
        return min(40, max(8, width - taken))
    }

    /// One line per category: its name, its bar, its value. The remainder of a share is grey.
    private mutating func addBars(of chart: Chart) {
        guard let series = chart.series.first else { return }
        let names = names(chart.categories.map { chart.label($0, by: clock) }, share: 3)
        let texts = series.values.map(\.textWithParts)
        let room = barRoom(names, texts)
        let scale = BarScale(chart)
        let zero = Int((scale.zero * Double(room)).rounded())
        let values = chart.hasShares ? texts : Self.aligned(texts)
        for (index, name) in names.enumerated() where series.values.indices.contains(index) {
            let end = Int((scale.position(series.values[index].plotValue ?? 0) * Double(room)).rounded())
            var bar = Self.blanks(min(zero, end)) + String(repeating: "█", count: abs(end - zero))
            if index == scale.cut { bar = String(bar.dropLast(2)) + "/█" }
            let behind = room - bar.displayWidth
            bar += chart.hasShares ? String(repeating: "░", count: max(0, behind)) : Self.blanks(behind)
            add("\(name)  \(bar)  \(values[index])")
        }
    }

    /// One line per step: its name, a bar from where it begins to where it ends, its value.
    private mutating func addWaterfall(of chart: Chart) {
        let steps = WaterfallStep.steps(of: chart)
        let names = names(chart.categories.map { chart.label($0, by: clock) }, share: 3)
        let texts = Self.aligned(steps.map(\.text))
        let room = barRoom(names, texts)
        let scale = WaterfallScale(steps)
        func place(_ value: Double) -> Int { Int((scale.position(value) * Double(room)).rounded()) }
        for (index, (name, step)) in zip(names, steps).enumerated() {
            let (start, end) = (place(step.low), place(step.high))
            // A change that is too small to be visible is a thin line.
            let bar = end > start ? String(repeating: step.isFall ? "▒" : "█", count: end - start) : "│"
            let drawn = Self.blanks(start) + bar
            add("\(name)  \(drawn)\(Self.blanks(room + 1 - drawn.displayWidth)) \(texts[index])")
        }
    }

    // MARK: Fields

    /// One row per series. A field is a shade and its value, or only the shade if the values do not fit.
    private mutating func addFields(of chart: Chart) {
        let names = names(chart.series.map(\.title), share: 4)
        let left = (names.first?.displayWidth ?? 0) + 2
        let texts = chart.series.map { $0.values.map { $0 == .absent ? "" : $0.shortText } }
        let labels = chart.categories.map { chart.shortLabel($0, by: clock) }
        let widest = (texts.joined().map(\.displayWidth) + labels.map(\.displayWidth)).max() ?? 0
        let hasRoom = left + chart.categories.count * (widest + 3) <= width
        let top = chart.series.flatMap(\.values).compactMap(\.plotValue).max() ?? 0
        if hasRoom {
            let heads = labels.map { Self.blanks(widest + 3 - $0.displayWidth) + $0 }
            add(Self.blanks(left) + heads.joined())
        }
        for (index, series) in chart.series.enumerated() {
            let fields = series.values.enumerated().map { place, cell in
                let text = hasRoom ? texts[index][place] : ""
                let padding = hasRoom ? Self.blanks(widest + 1 - text.displayWidth) : ""
                return (hasRoom ? " " : "") + Self.shade(cell, top: top) + padding + text
            }
            add(names[index] + "  " + fields.joined())
        }
    }

    private static func shade(_ cell: Cell, top: Double) -> String {
        guard let value = cell.plotValue else { return " " }
        guard value > 0, top > 0 else { return "·" }
        return ["░", "▒", "▓", "█"][min(3, Int(value / top * 4))]
    }
}
