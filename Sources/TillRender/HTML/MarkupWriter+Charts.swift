import TillReportModel

extension MarkupWriter {
    /// A drawing with its legend, its marks, a description, and its numbers as a folded table.
    mutating func write(_ chart: Chart) {
        let names = (title: makeIdentifier(), summary: makeIdentifier())
        element("figure", chart.kind == .panels ? ["class": "panelled"] : [:]) { figure in
            figure.append("\n")
            figure.element("figcaption", text: chart.title)
            figure.writeLegend(of: chart)
            switch chart.kind {
            case .stackedColumns, .lines, .heatMap: figure.writeDrawing(of: chart, names)
            case .bars, .waterfall, .panels:
                // Screen readers read the description instead of the parts drawn below it.
                figure.element(
                    "svg",
                    [
                        "class": "defs", "role": "img", "width": "0", "height": "0",
                        "aria-labelledby": "\(names.title) \(names.summary)",
                    ]
                ) { $0.writeDescription(of: chart, names) }
                figure.append("\n")
                figure.writeParts(of: chart)
            }
            figure.append("\n")
            if !chart.marks.isEmpty {
                figure.element("ol", ["class": "marks"]) { list in
                    for mark in chart.marks { list.element("li", text: mark.text) }
                }
            }
            for note in chart.notes + [chart.scaleNote].compactMap(\.self) {
                figure.element("p", ["class": "note"], text: note + ".")
            }
            figure.element("details") { details in
                details.element("summary", text: "The numbers of this chart")
                details.writeNumbers(of: chart)
            }
        }
        append("\n")
    }

    /// The ids of the title and the description of a drawing.
    private typealias Names = (title: String, summary: String)

    private mutating func writeDescription(of chart: Chart, _ names: Names) {
        element("title", ["id": names.title], text: chart.title)
        element("desc", ["id": names.summary], text: chart.summary(by: clock))
    }

    /// A drawing as wide as the page. A heat map scrolls if it is too wide.
    private mutating func writeDrawing(of chart: Chart, _ names: Names) {
        let labels = "\(names.title) \(names.summary)"
        let attributes: KeyValuePairs<StaticString, String> =
            chart.kind == .heatMap
            ? [
                "class": "chart fields", "role": "img", "aria-labelledby": labels,
                "viewBox": "0 0 \(FieldLayout.width) \(FieldLayout.height(of: chart))",
            ]
            : [
                "class": "chart", "role": "img", "aria-labelledby": labels, "width": "100%",
                "height": ChartFrame.height.coordinate,
            ]
        element("div", ["class": "draw", "role": "region", "aria-label": chart.title, "tabindex": "0"]) { frame in
            frame.element("svg", attributes) { svg in
                svg.append("\n")
                svg.writeDescription(of: chart, names)
                svg.append("\n")
                switch chart.kind {
                case .stackedColumns: svg.drawColumns(of: chart)
                case .lines: svg.drawLines(of: chart)
                case .heatMap: svg.drawFields(of: chart)
                case .bars, .waterfall, .panels: break
                }
            }
        }
    }

    private mutating func writeParts(of chart: Chart) {
        switch chart.kind {
        case .bars: drawBars(of: chart)
        case .waterfall: drawWaterfall(of: chart)
        case .panels: drawPanels(of: chart)
        case .stackedColumns, .lines, .heatMap: break
        }
    }

    /// The legend: the colour or line of each series and of the band, for columns and lines of several series.
    private mutating func writeLegend(of chart: Chart) {
        guard chart.kind == .stackedColumns || chart.kind == .lines, chart.series.count > 1 else { return }
        // Lines have their names at their ends where there is room.
        let isForPhones = chart.band == nil && chart.endLabels != nil
        element("ul", ["class": isForPhones ? "legend phone" : "legend"]) { list in
            for (index, series) in chart.seriesOutsideBand.enumerated() {
                list.writeLegendItem(series.title) { key in
                    let style = SeriesStyle(index, in: chart)
                    if chart.kind == .lines {
                        key.drawStroke("M0,7H18", style: style)
                    } else {
                        key.void("rect", ["width": "18", "height": "14", "fill": style.fill])
                    }
                }
            }
            if let band = chart.band { list.writeLegendItem(band) { $0.drawArea("M0,0H18V14H0Z") } }
        }
        append("\n")
    }

    private mutating func writeLegendItem(_ title: String, _ drawKey: (inout MarkupWriter) -> Void) {
        element("li") { item in
            item.element("svg", ["width": "18", "height": "14", "aria-hidden": "true"], content: drawKey)
            item.element("bdi", text: title)
        }
    }

    private mutating func writeNumbers(of chart: Chart) {
        element("div", ["class": "scroll", "role": "region", "aria-label": chart.valueTitle, "tabindex": "0"]) {
            region in
            region.element("table") { table in
                table.element("caption", text: chart.valueTitle)
                table.writeTableHead([(chart.categoryTitle, false)] + chart.series.map { ($0.title, true) })
                table.element("tbody") { body in
                    for (index, category) in chart.categories.enumerated() {
                        body.append("\n")
                        body.element("tr") { row in
                            row.element(
                                "th",
                                ["scope": "row", "dir": "auto"],
                                text: chart.label(category, by: row.clock)
                            )
                            for series in chart.series {
                                let value = series.values.indices.contains(index) ? series.values[index] : .absent
                                row.element("td", text: value.displayText)
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The look of a series: a colour, and in print a pattern or dash, so that series differ by more than their colour.
struct SeriesStyle {
    /// 1…8. The rest always has 8, which is grey.
    let number: Int

    init(_ index: Int, in chart: Chart) {
        let isRest = chart.series.indices.contains(index) && chart.series[index].isRest
        number = isRest ? 8 : index % 8 + 1
    }

    var fill: String { "url(#p\(number))" }
    var stroke: String { "line l\(number)" }

    var dash: String {
        ["none", "7 3", "2 3", "9 3 2 3", "5 5", "1 4", "12 4", "3 6"][number - 1]
    }
}

extension MarkupWriter {
    /// A line whose width does not change with the width of the drawing.
    mutating func drawStroke(_ path: String, style: SeriesStyle) {
        void(
            "path",
            [
                "class": style.stroke, "stroke-dasharray": style.dash, "vector-effect": "non-scaling-stroke", "d": path,
            ]
        )
    }

    /// The patterns with which all charts of the page are filled. On a screen they are plain.
    mutating func writePatterns() {
        element("svg", ["class": "defs", "width": "0", "height": "0", "aria-hidden": "true"]) { svg in
            svg.element("defs") { defs in
                for (index, path) in Self.hatches.enumerated() {
                    let number = index + 1
                    defs.append("\n")
                    defs.element(
                        "pattern",
                        ["id": "p\(number)", "width": "8", "height": "8", "patternUnits": "userSpaceOnUse"]
                    ) { pattern in
                        pattern.void("rect", ["class": "s\(number)", "width": "8", "height": "8"])
                        if !path.isEmpty { pattern.void("path", ["class": "hatch", "d": path]) }
                    }
                }
            }
        }
        append("\n")
    }

    // Plain, rising, falling, level, upright, crossed, dotted, and sparse rising lines.
    private static let hatches = [
        "", "M-2,2L2,-2M0,8L8,0M6,10L10,6", "M-2,6L2,10M0,0L8,8M6,-2L10,2", "M0,4H8", "M4,0V8", "M0,4H8M4,0V8",
        "M1,2H3M5,6H7", "M0,8L8,0",
    ]
}
