import TillReportModel

extension MarkupWriter {
    private static let panelHeight = 92.0

    /// A small chart for each series: its name, one of its values, its line.
    mutating func drawPanels(of chart: Chart) {
        let scales = PanelScales(chart)
        element("div", ["class": "panels", "aria-hidden": "true"]) { panels in
            for (index, series) in chart.series.enumerated() {
                panels.append("\n")
                panels.element("div", ["class": "panel"]) { panel in
                    panel.element("bdi") { $0.writeParts(of: series.title) }
                    panel.writeValue(of: series, in: chart, isOwnScale: series.isRest && !scales.areOwn)
                    panel.drawPanel(series, in: chart, scales.scales[index])
                }
            }
        }
    }

    /// `837.93 in 2026-03`
    private mutating func writeValue(of series: Chart.Series, in chart: Chart, isOwnScale: Bool) {
        guard let place = chart.representative, series.values.indices.contains(place) else { return }
        element("span") { line in
            line.element("strong", text: series.values[place].displayText)
            line.write(" in \(chart.label(chart.categories[place], by: line.clock))\(isOwnScale ? "; own scale" : "")")
        }
    }

    private mutating func drawPanel(_ series: Chart.Series, in chart: Chart, _ scale: PlotScale) {
        let count = max(1, chart.categories.count)
        let (top, bottom) = (16.0, Self.panelHeight - 18)
        func y(_ value: Double) -> Double { bottom - (bottom - top) * scale.position(value) }
        func x(_ index: Int) -> Double { (Double(index) + 0.5) / Double(count) * 100 }
        element("svg", ["class": "chart", "width": "100%", "height": Self.panelHeight.coordinate]) { svg in
            for tick in [scale.ticks.last, scale.ticks.first { $0.value == 0 }].compactMap(\.self) {
                let line = y(tick.value).coordinate
                svg.void(
                    "line",
                    ["class": tick.value == 0 ? "axis" : "grid", "x1": "0", "x2": "100%", "y1": line, "y2": line]
                )
                if tick.value != 0 { svg.drawText(tick.shortLabel, "soft small", x: 0, y: y(tick.value) - 3) }
            }
            svg.drawPath(of: series, in: chart, count: count, y)
            if let place = chart.representative, let value = series.values[place].plotValue {
                svg.void("circle", ["class": "s1", "cx": x(place).percent, "cy": y(value).coordinate, "r": "3"])
            }
            if let first = chart.categories.first, let last = chart.categories.last, count > 1 {
                svg.drawText(chart.shortLabel(first, by: svg.clock), "soft small", x: 0, y: bottom + 14)
                svg.drawText(chart.shortLabel(last, by: svg.clock), "soft small end", x: 100, y: bottom + 14)
            }
        }
    }

    /// The line of a panel; its last part is dashed where it leads to a category that is not over.
    private mutating func drawPath(of series: Chart.Series, in chart: Chart, count: Int, _ y: (Double) -> Double) {
        var paths = (over: "", unfinished: "")
        var last: String?
        for (index, cell) in series.values.enumerated() where index < count {
            guard let value = cell.plotValue else {
                last = nil
                continue
            }
            let point = "\(((Double(index) + 0.5) / Double(count) * 1000).coordinate),\(y(value).coordinate)"
            if index == chart.unfinished {
                paths.unfinished += last.map { "M\($0)L\(point)" } ?? "M\(point)h1"
            } else {
                // A value between two unknown ones is a short stroke.
                paths.over += last == nil ? "M\(point)h1M\(point)" : "L\(point)"
            }
            last = point
        }
        let box: KeyValuePairs<StaticString, String> = [
            "width": "100%", "height": Self.panelHeight.coordinate,
            "viewBox": "0 0 1000 \(Self.panelHeight.coordinate)", "preserveAspectRatio": "none",
        ]
        element("svg", box) { svg in
            let style = series.isRest ? "line l8" : "line l1"
            svg.void("path", ["class": style, "vector-effect": "non-scaling-stroke", "d": paths.over])
            guard !paths.unfinished.isEmpty else { return }
            svg.void(
                "path",
                [
                    "class": style, "stroke-dasharray": "3 3", "vector-effect": "non-scaling-stroke",
                    "d": paths.unfinished,
                ]
            )
        }
    }
}
