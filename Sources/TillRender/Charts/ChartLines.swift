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
        case .stackedColumns, .lines: addSparklines(of: chart)
        case .bars: addBars(of: chart)
        case .heatMap: addFields(of: chart)
        case .waterfall: addWaterfall(of: chart)
        }
        for mark in chart.marks {
            for line in Paragraph(lead: "▲ ", words: mark.text).lines(width: self.width) { add(line, isMark: true) }
        }
        for note in chart.notes {
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
        return shown.map { $0 + String(repeating: " ", count: widest - $0.displayWidth) }
    }

    /// One line per series: its name, a sparkline, its largest value. Arrows below it point at the marks.
    private mutating func addSparklines(of chart: Chart) {
        // The parts of a rest are indented below it and have no series number.
        let rows =
            chart.series.enumerated().flatMap { number, series in
                [(number, series.title, series.values)] + series.parts.map { (nil, "  " + $0.title, $0.values) }
            } as [(series: Int?, title: String, values: [Cell])]
        let names = names(rows.map(\.title), share: 3)
        let peaks = rows.map { series in
            let most = series.values.max { ($0.plotValue ?? -.infinity) < ($1.plotValue ?? -.infinity) }
            return "  at most " + (most?.displayText ?? "–")
        }
        let left = (names.first?.displayWidth ?? 0) + 2
        let room = max(8, width - left - (peaks.map(\.displayWidth).max() ?? 0))
        let columns = Sparkline.columns(of: chart.categories.count, width: room)
        if let first = chart.categories.first, let last = chart.categories.last {
            let span = "\(chart.label(first, by: clock)) to \(chart.label(last, by: clock))"
            add(String(repeating: " ", count: max(0, min(left, self.width - span.displayWidth))) + span)
        }
        for (index, row) in rows.enumerated() {
            add(names[index] + "  " + Sparkline.text(row.values.map(\.plotValue), width: room) + peaks[index])
            let marked = chart.marks.filter { $0.series == row.series }.map(\.category)
            guard !marked.isEmpty else { continue }
            let arrows = columns.map { column in marked.contains(where: column.contains) ? "▲" : " " }
            add(String(repeating: " ", count: left) + arrows.joined(), isMark: true)
        }
    }

    private mutating func addBars(of chart: Chart) {
        guard let series = chart.series.first else { return }
        let names = names(chart.categories.map { chart.label($0, by: clock) }, share: 3)
        let texts = series.values.map(\.textWithParts)
        let widest = texts.map(\.displayWidth).max() ?? 0
        let room = min(40, max(8, width - (names.first?.displayWidth ?? 0) - widest - 4))
        let top = series.values.compactMap(\.plotValue).max() ?? 0
        for (name, (value, text)) in zip(names, zip(series.values, texts)) {
            let length = top > 0 ? Int(((value.plotValue ?? 0) / top * Double(room)).rounded()) : 0
            let bar =
                String(repeating: "█", count: max(0, length)) + String(repeating: "░", count: max(0, room - length))
            add("\(name)  \(bar)  \(text)")
        }
    }

    /// One line per step: its name, a bar from where it begins to where it ends, its value.
    private mutating func addWaterfall(of chart: Chart) {
        let steps = WaterfallStep.steps(of: chart)
        guard let first = steps.first else { return }
        let names = names(chart.categories.map { chart.label($0, by: clock) }, share: 3)
        let widest = steps.map(\.text.displayWidth).max() ?? 0
        let room = min(40, max(8, width - (names.first?.displayWidth ?? 0) - widest - 4))
        let low = steps.reduce(min(0, first.low)) { min($0, $1.low) }
        let high = steps.reduce(max(0, first.high)) { max($0, $1.high) }
        func place(_ value: Double) -> Int {
            high > low ? Int(((value - low) / (high - low) * Double(room)).rounded()) : 0
        }
        for (name, step) in zip(names, steps) {
            let (start, end) = (place(step.low), place(step.high))
            // A change that is too small to see is a thin line.
            let bar = end > start ? String(repeating: step.isFall ? "▒" : "█", count: end - start) : "│"
            let drawn = String(repeating: " ", count: start) + bar
            let padding = String(repeating: " ", count: max(0, room + 1 - drawn.displayWidth))
            add(
                "\(name)  \(drawn)\(padding) \(String(repeating: " ", count: widest - step.text.displayWidth))\(step.text)"
            )
        }
    }

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
            let heads = labels.map { String(repeating: " ", count: widest + 3 - $0.displayWidth) + $0 }
            add(String(repeating: " ", count: left) + heads.joined())
        }
        for (index, series) in chart.series.enumerated() {
            let fields = series.values.enumerated().map { place, cell in
                let text = hasRoom ? texts[index][place] : ""
                let padding = hasRoom ? String(repeating: " ", count: widest + 1 - text.displayWidth) : ""
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
