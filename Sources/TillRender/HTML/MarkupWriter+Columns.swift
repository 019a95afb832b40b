import TillReportModel

extension MarkupWriter {
    /// Stacked columns, with negative values below the axis.
    mutating func drawColumns(of chart: Chart, height: Int) {
        let stacks = chart.categories.indices.map { index in
            let values = chart.series.map { $0.values.indices.contains(index) ? $0.values[index].plotValue ?? 0 : 0 }
            return (values, up: values.filter { $0 > 0 }.reduce(0, +), down: values.filter { $0 < 0 }.reduce(0, +))
        }
        let frame = ChartFrame(chart, height: height, values: stacks.flatMap { [$0.up, $0.down] })
        drawAxes(of: chart, in: frame)
        let gap = frame.step > 12 ? min(frame.step * 0.25, 40) : 1
        let width = min(frame.step - gap, 90)
        for (index, stack) in stacks.enumerated() {
            let x = frame.x(index) + (frame.step - width) / 2
            var (up, down) = (0.0, 0.0)
            for (part, value) in stack.0.enumerated() where value != 0 {
                let (low, high) = value > 0 ? (up, up + value) : (down + value, down)
                if value > 0 { up = high } else { down = low }
                drawPart(of: chart, part, index, x: x, width: width, from: frame.y(high), to: frame.y(low))
            }
            // The sum above each column, if there is room and no value is negative.
            if stack.down == 0, stack.up > 0, frame.step >= 48 {
                let place =
                    ["class": "mid", "x": (x + width / 2).coordinate, "y": (frame.y(stack.up) - 6).coordinate]
                    as KeyValuePairs<StaticString, String>
                element("text", place, text: chart.total(at: index).displayText)
                append("\n")
            }
        }
        for (number, mark) in chart.marks.enumerated() where stacks.indices.contains(mark.category) {
            let x = frame.x(mark.category) + frame.step / 2
            drawMark(number + 1, x: x, y: frame.y(stacks[mark.category].up))
        }
    }

    private mutating func drawPart(
        of chart: Chart,
        _ part: Int,
        _ index: Int,
        x: Double,
        width: Double,
        from top: Double,
        to bottom: Double
    ) {
        element(
            "rect",
            [
                "class": "part", "x": x.coordinate, "y": top.coordinate, "width": width.coordinate,
                "height": max(bottom - top, 0.5).coordinate, "fill": SeriesStyle(part, in: chart).fill,
            ]
        ) { rect in
            rect.writeTooltip(of: chart, series: part, category: index)
        }
        append("\n")
    }

    /// Lines from category to category, with a point at each value.
    mutating func drawLines(of chart: Chart, height: Int) {
        let values = chart.series.map { $0.values.map(\.plotValue) }
        let frame = ChartFrame(chart, height: height, values: values.joined().compactMap(\.self))
        drawAxes(of: chart, in: frame)
        for (index, line) in values.enumerated() {
            let style = SeriesStyle(index, in: chart)
            drawStroke(Self.path(of: line, in: frame), style: style)
            for (place, value) in line.enumerated() where place < frame.count {
                guard let value else { continue }
                let point = (frame.x(place) + frame.step / 2, frame.y(value))
                element(
                    "circle",
                    ["class": "s\(style.number)", "cx": point.0.coordinate, "cy": point.1.coordinate, "r": "3"]
                ) { circle in
                    circle.writeTooltip(of: chart, series: index, category: place)
                }
                append("\n")
            }
        }
        for (number, mark) in chart.marks.enumerated() where values.indices.contains(mark.series) {
            guard values[mark.series].indices.contains(mark.category), let value = values[mark.series][mark.category]
            else { continue }
            drawMark(number + 1, x: frame.x(mark.category) + frame.step / 2, y: frame.y(value))
        }
    }

    mutating func writeTooltip(of chart: Chart, series: Int, category: Int) {
        let place = chart.label(chart.categories[category], by: clock)
        let value = chart.series[series].values[category].displayText
        element("title", text: "\(place) · \(chart.series[series].title): \(value)")
    }

    private static func path(of line: [Double?], in frame: ChartFrame) -> String {
        var path = ""
        var isDown = false
        for (place, value) in line.enumerated() where place < frame.count {
            guard let value else {
                isDown = false
                continue
            }
            path += "\(isDown ? "L" : "M")\((frame.x(place) + frame.step / 2).coordinate),\(frame.y(value).coordinate)"
            isDown = true
        }
        return path
    }

    /// The number of a mark with an arrow. The list under the drawing has the text.
    private mutating func drawMark(_ number: Int, x: Double, y: Double) {
        element("text", ["class": "spike mid", "x": x.coordinate, "y": (y - 16).coordinate], text: String(number))
        void("path", ["class": "spike", "d": "M\((x - 5).coordinate),\((y - 12).coordinate)h10l-5,8z"])
        append("\n")
    }

    /// The grid lines with their values, and as many names of categories as fit.
    mutating func drawAxes(of chart: Chart, in frame: ChartFrame) {
        element("text", ["class": "soft", "x": "0", "y": "12"], text: chart.valueTitle)
        append("\n")
        for tick in frame.scale.ticks {
            let y = frame.y(tick.value)
            void(
                "path",
                [
                    "class": tick.value == 0 ? "axis" : "grid",
                    "d": "M\(frame.left.coordinate),\(y.coordinate)H\(frame.right.coordinate)",
                ]
            )
            element(
                "text",
                ["class": "soft end", "x": (frame.left - 6).coordinate, "y": (y + 4).coordinate],
                text: tick.label
            )
            append("\n")
        }
        let labels = chart.categories.map { chart.shortLabel($0, by: clock).truncated(toWidth: 18) }
        let widest = Double(labels.map(\.displayWidth).max() ?? 0) * 6.8 + 10
        let every = max(1, Int((widest / frame.step).rounded(.up)))
        for (index, label) in labels.enumerated() where chart.isLabelled(index, every: every, by: clock) {
            let x = frame.x(index) + frame.step / 2
            element("text", ["class": "soft mid", "x": x.coordinate, "y": (frame.bottom + 18).coordinate], text: label)
        }
        append("\n")
    }
}
