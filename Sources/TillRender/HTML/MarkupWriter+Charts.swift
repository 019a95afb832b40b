import TillReportModel

extension MarkupWriter {
    /// A drawing with its legend, its marks, a description, and its numbers as a folded table.
    mutating func write(_ chart: Chart) {
        let (title, summary) = (makeIdentifier(), makeIdentifier())
        element("figure") { figure in
            figure.append("\n")
            figure.element("figcaption", text: chart.title)
            figure.writeLegend(of: chart)
            figure.element("div", ["class": "draw", "role": "region", "aria-label": chart.title, "tabindex": "0"]) {
                frame in
                frame.writeDrawing(of: chart, title: title, summary: summary)
            }
            figure.append("\n")
            if !chart.marks.isEmpty {
                figure.element("ol", ["class": "marks"]) { list in
                    for mark in chart.marks { list.element("li", text: mark.text) }
                }
            }
            for note in chart.notes { figure.element("p", text: note + ".") }
            figure.element("details") { details in
                details.element("summary", text: "The numbers of this chart")
                details.writeNumbers(of: chart)
            }
        }
        append("\n")
    }

    private mutating func writeDrawing(of chart: Chart, title: String, summary: String) {
        let height = chart.drawingHeight
        element(
            "svg",
            [
                "class": "chart", "role": "img", "viewBox": "0 0 \(ChartFrame.width) \(height)",
                "aria-labelledby": "\(title) \(summary)",
            ]
        ) { svg in
            svg.append("\n")
            svg.element("title", ["id": title], text: chart.title)
            svg.element("desc", ["id": summary], text: chart.summary(by: svg.clock))
            svg.append("\n")
            switch chart.kind {
            case .stackedColumns: svg.drawColumns(of: chart, height: height)
            case .lines: svg.drawLines(of: chart, height: height)
            case .bars: svg.drawBars(of: chart)
            case .heatMap: svg.drawFields(of: chart)
            case .waterfall: svg.drawWaterfall(of: chart, height: height)
            }
        }
    }

    /// Which pattern or line belongs to which series. A single series, bars and heat maps need no legend.
    private mutating func writeLegend(of chart: Chart) {
        guard chart.kind == .stackedColumns || chart.kind == .lines, chart.series.count > 1 else { return }
        element("ul", ["class": "legend"]) { list in
            for (index, series) in chart.series.enumerated() {
                list.element("li") { item in
                    item.element("svg", ["width": "18", "height": "14", "aria-hidden": "true"]) { key in
                        if chart.kind == .lines {
                            key.drawStroke("M0,7H18", style: SeriesStyle(index, in: chart))
                        } else {
                            key.void(
                                "rect",
                                ["width": "18", "height": "14", "fill": SeriesStyle(index, in: chart).fill]
                            )
                        }
                    }
                    item.element("bdi", text: series.title)
                }
            }
        }
        append("\n")
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

/// The look of a series: a colour, and a pattern or dash, so that series differ by more than their colour.
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
    mutating func drawStroke(_ path: String, style: SeriesStyle) {
        void("path", ["class": style.stroke, "stroke-dasharray": style.dash, "d": path])
    }

    /// The patterns with which all charts of the page are filled.
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
