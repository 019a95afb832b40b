import TillReportModel

extension MarkupWriter {
    /// Columns of values that add up: positive ones above the axis, negative ones below it.
    mutating func drawColumns(of chart: Chart) {
        let values = chart.series.map { $0.values.map { $0.plotValue ?? 0 } }
        let stacks = chart.categories.indices.map { index in
            let parts = values.map { $0.indices.contains(index) ? $0[index] : 0 }
            return (parts, up: parts.filter { $0 > 0 }.reduce(0, +), down: parts.filter { $0 < 0 }.reduce(0, +))
        }
        let frame = ChartFrame(chart, values: stacks.flatMap { [$0.up, $0.down] })
        drawAxes(of: chart, in: frame)
        for (index, stack) in stacks.enumerated() {
            var (up, down) = (0.0, 0.0)
            for (part, value) in stack.0.enumerated() where value != 0 {
                let (low, high) = value > 0 ? (up, up + value) : (down + value, down)
                if value > 0 { up = high } else { down = low }
                drawPart(of: chart, part, index, in: frame, from: frame.y(high), to: frame.y(low))
            }
            if chart.total(at: index) == .absent {
                drawText("–", "soft mid", x: frame.middle(index), y: frame.y(0) - 6)
            }
        }
        drawValues(of: chart, in: frame) { frame.y(stacks[$0].up) }
        for category in stacks.indices {
            let numbers = chart.marks.indices.filter { chart.marks[$0].category == category }
            drawMarks(numbers, x: frame.middle(category), y: frame.y(stacks[category].up))
        }
    }

    private mutating func drawPart(
        of chart: Chart,
        _ part: Int,
        _ index: Int,
        in frame: ChartFrame,
        from top: Double,
        to bottom: Double
    ) {
        let width = min(frame.step * 0.74, 9)
        let place: KeyValuePairs<StaticString, String> = [
            "class": chart.style(ofPart: part, at: index), "x": (frame.middle(index) - width / 2).percent,
            "y": top.coordinate, "width": width.percent, "height": max(bottom - top, 0.5).coordinate,
            "fill": SeriesStyle(part, in: chart).fill,
        ]
        element("rect", place) { $0.writeTooltip(of: chart, series: part, category: index) }
        append("\n")
    }

    /// The totals above their columns: that of the report, or the last one, and the highest, and all of them on a wide
    /// page.
    private mutating func drawValues(of chart: Chart, in frame: ChartFrame, top: (Int) -> Double) {
        let totals = chart.categories.indices.map { chart.total(at: $0) }
        let labelled = chart.labelledTotals(totals)
        for index in totals.indices where (totals[index].plotValue ?? 0) > 0 && chart.hasTotalLabels {
            var text = totals[index].displayText
            if labelled.contains(index), index != chart.current, totals.count > 13 {
                // Between narrow columns a number alone could be that of a neighbour.
                text = chart.label(chart.categories[index], by: clock) + ": " + text
            }
            let width = Double(text.displayWidth) * ChartFrame.character
            if labelled.contains(index) {
                // The columns that the label stands over on a phone.
                let reach = Int((width / (frame.step / 100 * ChartFrame.widths.phone)).rounded(.up))
                let isAtEnd = index + reach / 2 >= totals.count
                let covered = isAtEnd ? index - reach + 1...index : index - reach / 2...index + reach / 2
                let height = covered.clamped(to: 0...totals.count - 1).map(top).min() ?? top(index)
                let style = (index == chart.current ? "strong " : "") + (isAtEnd ? "end" : "mid")
                let x = isAtEnd ? frame.middle(index) + min(frame.step * 0.37, 4.5) : frame.middle(index)
                drawText(text, style, x: x, y: height - 6)
            } else if width < frame.step / 100 * ChartFrame.widths.wide {
                drawText(text, "mid x", x: frame.middle(index), y: top(index) - 6)
            }
        }
    }

    /// Lines from category to category, with a point at each value, in front of the band.
    mutating func drawLines(of chart: Chart) {
        let values = chart.seriesOutsideBand.map { $0.values.map(\.plotValue) }
        let labels = chart.endLabels
        let frame = ChartFrame(
            chart,
            values: chart.series.flatMap(\.values).compactMap(\.plotValue),
            right: labels == nil || values.count == 1 ? 99.5 : 80
        )
        drawAxes(of: chart, in: frame)
        if chart.band != nil { drawBand(of: chart, in: frame) }
        for (index, line) in values.enumerated() {
            let style = SeriesStyle(index, in: chart)
            drawCourse(of: line, in: frame, style: style)
            for (place, value) in line.enumerated() where place < frame.count {
                guard let value else { continue }
                element(
                    "circle",
                    [
                        "class": "s\(style.number)", "cx": frame.middle(place).percent,
                        "cy": frame.y(value).coordinate, "r": frame.count > 40 ? "1.5" : "3",
                    ]
                ) { circle in
                    circle.writeTooltip(of: chart, series: index, category: place)
                }
                append("\n")
            }
        }
        for label in labels ?? [] {
            let isSingle = values.count == 1
            let text = isSingle ? label.value : label.title.truncated(toWidth: 22)
            drawText(
                text,
                isSingle ? "strong end" : "w",
                x: isSingle ? 99.5 : 80.5,
                y: frame.y(label.height) + (isSingle ? -8 : 4)
            )
        }
        for (index, line) in values.enumerated() {
            for (place, value) in line.enumerated() {
                guard let value else { continue }
                let numbers = chart.marks.indices.filter {
                    chart.marks[$0].series == index && chart.marks[$0].category == place
                }
                drawMarks(numbers, x: frame.middle(place), y: frame.y(value))
            }
        }
    }

    /// The area between the limits of the band, as wide as each category that has both.
    private mutating func drawBand(of chart: Chart, in frame: ChartFrame) {
        let limits = chart.series.suffix(2).map { $0.values.map(\.plotValue) }
        guard limits.count == 2 else { return }
        var path = ""
        for (place, (low, high)) in zip(limits[0], limits[1]).enumerated() where place < frame.count {
            guard let low, let high else { continue }
            let (left, right) = (Self.x(Double(place), in: frame), Self.x(Double(place + 1), in: frame))
            // Equal limits are a thin line.
            let (top, bottom) = (frame.y(high), max(frame.y(low), frame.y(high) + 1))
            path += "M\(left),\(top.coordinate)H\(right)V\(bottom.coordinate)H\(left)Z"
        }
        drawStretched(in: frame) { $0.drawArea(path) }
    }

    /// A pale area in the colour of the first series.
    mutating func drawArea(_ path: String) { void("path", ["class": "s1", "fill-opacity": "0.2", "d": path]) }

    /// A line that is stretched to the width of the plot.
    mutating func drawCourse(of line: [Double?], in frame: ChartFrame, style: SeriesStyle) {
        drawStretched(in: frame) { $0.drawStroke(Self.path(of: line, in: frame), style: style) }
    }

    /// A drawing in a box of the width 1000, which is stretched to the width of the plot.
    private mutating func drawStretched(in frame: ChartFrame, _ draw: (inout MarkupWriter) -> Void) {
        let height = frame.bottom + 4
        let box: KeyValuePairs<StaticString, String> = [
            "x": frame.left.percent, "width": (frame.right - frame.left).percent, "height": height.coordinate,
            "viewBox": "0 0 1000 \(height.coordinate)", "preserveAspectRatio": "none",
        ]
        element("svg", box, content: draw)
        append("\n")
    }

    mutating func writeTooltip(of chart: Chart, series: Int, category: Int) {
        let place = chart.label(chart.categories[category], by: clock)
        let value = chart.series[series].values[category].displayText
        element("title", text: "\(place) · \(chart.series[series].title): \(value)")
    }

    /// The place of a category in a box of the width 1000.
    private static func x(_ place: Double, in frame: ChartFrame) -> String {
        (place / Double(frame.count) * 1000).coordinate
    }

    /// The path of a line in a box of the width 1000.
    private static func path(of line: [Double?], in frame: ChartFrame) -> String {
        var path = ""
        var isDown = false
        for (place, value) in line.enumerated() where place < frame.count {
            guard let value else {
                isDown = false
                continue
            }
            path += "\(isDown ? "L" : "M")\(x(Double(place) + 0.5, in: frame)),\(frame.y(value).coordinate)"
            isDown = true
        }
        return path
    }

    /// The numbers of the marks at a place with an arrow, the first number being 0. The list under the drawing has
    /// their texts.
    private mutating func drawMarks(_ numbers: [Int], x: Double, y: Double) {
        guard !numbers.isEmpty else { return }
        let text = numbers.map { String($0 + 1) }.joined(separator: ",")
        drawText(text + "▼", x > 95 ? "spike end" : "spike mid", x: x > 95 ? min(x + 2, 100) : x, y: y - 4)
    }

    /// - Parameters:
    ///   - x: in percent of the width.
    ///   - y: the base line, in pixels.
    mutating func drawText(_ text: String, _ style: String, x: Double, y: Double) {
        element("text", ["class": style, "x": x.percent, "y": y.coordinate], text: text)
        append("\n")
    }

    /// The unit, the grid lines with their values, and as many names of categories as fit.
    mutating func drawAxes(of chart: Chart, in frame: ChartFrame) {
        drawText(chart.valueTitle, "soft", x: 0, y: 12)
        for tick in frame.scale.ticks {
            let y = frame.y(tick.value).coordinate
            void("line", ["class": tick.value == 0 ? "axis" : "grid", "x1": "0", "x2": "100%", "y1": y, "y2": y])
            drawText(tick.shortLabel, "soft", x: 0, y: frame.y(tick.value) - 4)
        }
        drawLabels(of: chart, in: frame)
    }

    /// The names of the categories, in two lines where they have a beginning in common, such as a year.
    private mutating func drawLabels(of chart: Chart, in frame: ChartFrame) {
        let names = chart.categories.map { chart.shortLabel($0, by: clock).truncated(toWidth: 18) }
        let parts = names.map(ChartLabels.parts)
        let areSplit = parts.allSatisfy { !$0.lead.isEmpty }
        let labels = areSplit ? parts.map { String($0.tail) } : names
        let widest = labels.map(\.displayWidth).max() ?? 0
        let (page, phone) = (
            frame.interval(ofLabels: widest, width: ChartFrame.widths.page),
            frame.interval(ofLabels: widest, width: ChartFrame.widths.phone)
        )
        let onPhone = (phone + page - 1) / page * page
        for (index, label) in labels.enumerated() where chart.isLabelled(index, every: page, by: clock) {
            let isForAll = chart.isLabelled(index, every: onPhone, by: clock)
            let style = index == chart.current ? "strong mid" : "soft mid"
            drawText(label, isForAll ? style : style + " w", x: frame.middle(index), y: frame.bottom + 15)
        }
        guard areSplit else { return }
        for (index, part) in parts.enumerated() where index == 0 || parts[index - 1].lead != part.lead {
            drawText(String(part.lead.dropLast()), "soft", x: frame.x(index), y: frame.bottom + 30)
        }
    }
}

extension Chart {
    /// The style of a part of a column. It is faint if its category is only for comparison, or is not over.
    fileprivate func style(ofPart part: Int, at index: Int) -> String {
        // Only the parts of a column need a line between them.
        let style = series.count > 1 ? "part" : "bar"
        if index == unfinished { return style + (index == current ? " open now" : " open") }
        return current == nil || current == index ? style : style + " past"
    }

    /// Whether there is room for totals above the columns. Marks would take it.
    fileprivate var hasTotalLabels: Bool { marks.isEmpty && (series.count == 1 || categories.count <= 13) }

    /// The categories whose total is written above their column on every page. A few columns all have theirs.
    fileprivate func labelledTotals(_ totals: [Cell]) -> [Int] {
        let known = totals.indices.filter { (totals[$0].plotValue ?? 0) > 0 }
        guard known.count > 3, let last = current ?? known.last(where: { $0 != unfinished }) else { return known }
        let highest = known.max { (totals[$0].plotValue ?? 0) < (totals[$1].plotValue ?? 0) }
        guard let highest, abs(highest - last) * 2 > totals.count else { return [last] }
        return [last, highest]
    }

    /// A text beside the end of a line.
    struct EndLabel {
        let title: String
        let value: String
        /// The value at the end.
        let height: Double
    }

    /// The texts at the ends of the lines; `nil` if two of them would overlap.
    var endLabels: [EndLabel]? {
        let series = seriesOutsideBand
        guard kind == .lines, series.count <= 6 else { return nil }
        let labels = series.compactMap { series -> EndLabel? in
            guard let last = series.values.last, let height = last.plotValue else { return nil }
            return EndLabel(title: series.title, value: last.displayText, height: height)
        }
        guard labels.count == series.count else { return nil }
        let all = series.flatMap(\.values).compactMap(\.plotValue)
        let range = max(0, all.max() ?? 0) - min(0, all.min() ?? 0)
        let heights = labels.map(\.height).sorted()
        let areApart = zip(heights, heights.dropFirst()).allSatisfy { $1 - $0 > range * 0.09 }
        return areApart ? labels : nil
    }
}
