import TillReportModel

extension MarkupWriter {
    /// A row per category: its name, its bar, its value.
    mutating func drawBars(of chart: Chart) {
        guard let series = chart.series.first else { return }
        let scale = BarScale(chart)
        drawRows(of: chart, texts: series.values.map(\.textWithParts)) { index in
            let value = series.values[index].plotValue ?? 0
            let style = index == chart.rest ? "s8" : value < 0 ? "s2" : "s1"
            return Bar(from: scale.zero, to: scale.position(value), zero: scale.zero, style, isCut: index == scale.cut)
        }
    }

    /// A row per step: its name, a bar from where it begins to where it ends, its value.
    mutating func drawWaterfall(of chart: Chart) {
        let steps = WaterfallStep.steps(of: chart)
        let scale = WaterfallScale(steps)
        drawRows(of: chart, texts: steps.map(\.text)) { index in
            let step = steps[index]
            let style = step.isLevel ? "s1" : step.isFall ? "s2" : "s3"
            return Bar(from: scale.position(step.low), to: scale.position(step.high), zero: scale.position(0), style)
        }
    }

    /// A bar between two places from 0 to 1.
    private struct Bar {
        let left: Double
        let width: Double
        let zero: Double
        let style: String
        let isCut: Bool

        init(from start: Double, to end: Double, zero: Double, _ style: String, isCut: Bool = false) {
            left = min(start, end) * 100
            width = abs(end - start) * 100
            (self.zero, self.style, self.isCut) = (zero * 100, style, isCut)
        }
    }

    private mutating func drawRows(of chart: Chart, texts: [String], bar: (Int) -> Bar) {
        element("div", ["class": "bars", "aria-hidden": "true"]) { rows in
            for (index, category) in chart.categories.enumerated() where texts.indices.contains(index) {
                rows.append("\n")
                rows.element("div") { row in
                    row.element("bdi") { $0.writeParts(of: chart.label(category, by: $0.clock)) }
                    row.draw(bar(index))
                    row.element("span", text: texts[index])
                }
            }
        }
    }

    private mutating func draw(_ bar: Bar) {
        element("svg", ["width": "100%", "height": "15"]) { svg in
            svg.void(
                "rect",
                ["class": bar.style, "x": bar.left.percent, "width": bar.width.percent, "height": "15"]
            )
            if bar.isCut {
                svg.void("rect", ["class": "cut", "x": "93%", "width": "1.5%", "height": "15"])
            }
            // At least a thin line for values that are too small to be visible.
            svg.void(
                "line",
                ["class": bar.style, "x1": bar.left.percent, "x2": bar.left.percent, "y1": "0", "y2": "15"]
            )
            guard bar.zero > 0 else { return }
            svg.void("line", ["class": "axis", "x1": bar.zero.percent, "x2": bar.zero.percent, "y1": "-3", "y2": "18"])
        }
    }

    /// A field per value. The larger the value, the stronger its colour.
    mutating func drawFields(of chart: Chart) {
        let widest = chart.series.map(\.title.displayWidth).max() ?? 0
        let left = Double(min(widest, 28)) * ChartFrame.character + 10
        let step = min((Double(FieldLayout.width) - left) / Double(max(1, chart.categories.count)), 72)
        let values = chart.series.map { $0.values.map(\.plotValue) }
        let (low, high) = (
            min(0, values.joined().compactMap(\.self).min() ?? 0), values.joined().compactMap(\.self).max() ?? 0
        )
        for (column, category) in chart.categories.enumerated() {
            let x = left + step * (Double(column) + 0.5)
            let label = chart.shortLabel(category, by: clock).truncated(toWidth: max(2, Int(step / 6.5)))
            element("text", ["class": "soft mid", "x": x.coordinate, "y": "15"], text: label)
        }
        append("\n")
        for (row, series) in chart.series.enumerated() {
            let top = Double(FieldLayout.head + row * FieldLayout.row)
            element("text", ["y": (top + 17).coordinate], text: series.title.truncated(toWidth: 28))
            for (column, cell) in series.values.enumerated() where column < chart.categories.count {
                guard let value = cell.plotValue else { continue }
                let x = left + step * Double(column)
                let strength = high > low ? (value - low) / (high - low) : 0
                element(
                    "rect",
                    [
                        "class": "s1 field", "x": x.coordinate, "y": top.coordinate, "width": (step - 2).coordinate,
                        "height": String(FieldLayout.row - 2),
                        // At most half, so that the text has enough contrast in light and dark.
                        "fill-opacity": FixedPoint(Int128(strength * 450) + 50, of: 1000, decimals: 2)?.text ?? "0",
                    ]
                ) { field in
                    let place = chart.label(chart.categories[column], by: field.clock)
                    field.element("title", text: "\(series.title) · \(place): \(cell.textWithParts)")
                }
                element(
                    "text",
                    ["class": "mid", "x": (x + step / 2 - 1).coordinate, "y": (top + 17).coordinate],
                    text: cell.shortText
                )
            }
            append("\n")
        }
    }
}
