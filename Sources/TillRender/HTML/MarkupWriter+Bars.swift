import TillReportModel

extension MarkupWriter {
    /// A bar per category, under its name and with its value at the end.
    mutating func drawBars(of chart: Chart) {
        guard let series = chart.series.first else { return }
        let values = series.values.map { $0.plotValue ?? 0 }
        let scale = PlotScale(low: 0, high: values.max() ?? 0, isShare: chart.hasShares)
        let longest = Double(ChartFrame.width) - 190
        for (index, (category, value)) in zip(chart.categories, series.values).enumerated() {
            let top = Double(index * BarLayout.row)
            let length = max(0, scale.position(value.plotValue ?? 0)) * longest
            element("text", ["y": (top + 14).coordinate], text: chart.label(category, by: clock).truncated(toWidth: 90))
            void("path", ["class": "axis", "d": "M0.5,\((top + 17).coordinate)v\(BarLayout.bar + 4)"])
            void(
                "rect",
                [
                    "y": (top + 19).coordinate, "width": length.coordinate, "height": String(BarLayout.bar),
                    "fill": "url(#p1)",
                ]
            )
            element("text", ["x": (length + 8).coordinate, "y": (top + 32).coordinate], text: value.textWithParts)
            append("\n")
        }
    }

    /// A field per value. The larger the value, the stronger its colour.
    mutating func drawFields(of chart: Chart) {
        let widest = chart.series.map(\.title.displayWidth).max() ?? 0
        let left = Double(min(widest, 28)) * 6.8 + 10
        let step = min((Double(ChartFrame.width) - left) / Double(max(1, chart.categories.count)), 72)
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
