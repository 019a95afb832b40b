import TillReportModel

extension MarkupWriter {
    /// A figure in large type, with its changes and its course.
    mutating func write(main figure: KeyFigure) {
        element("div", ["class": "key"]) { key in
            key.element(
                "p",
                ["class": "label"],
                text: [figure.label, figure.content].compactMap(\.self).joined(separator: ", ")
            )
            key.element("p", ["class": "amount"]) { amount in
                amount.write(figure.cell.displayText(by: amount.clock) + (figure.unit.map { " " + $0 } ?? ""))
                amount.drawCourse(figure.course)
            }
            for remark in figure.remarks { key.write(remark: remark) }
        }
    }

    /// The figures below it, a card each.
    mutating func write(cards figures: [KeyFigure]) {
        guard !figures.isEmpty else { return }
        element("dl", ["class": "facts"]) { list in
            for figure in figures {
                list.element("div") { card in
                    card.element("dt", text: figure.label)
                    card.element("dd") { value in
                        value.write(figure.cell.displayText(by: value.clock) + (figure.unit.map { " " + $0 } ?? ""))
                        for remark in figure.remarks { value.write(remark: remark) }
                    }
                }
            }
        }
    }

    private mutating func write(remark: Statement.Sentence) {
        let statement = Statement(remark)
        let text = statement.text(by: clock)
        element("span", ["class": "remark"]) { remark in
            guard let change = statement.change(by: remark.clock) else { return remark.write(text) }
            remark.element("span", ["class": change.isRise ? "up" : "down"], text: change.text)
            remark.write(String(text.dropFirst(change.text.count)))
        }
    }

    private static let (courseWidth, courseHeight) = (140.0, 36.0)

    /// A small line from 0 up, without labels: a chart below has them. Unknown values are gaps.
    private mutating func drawCourse(_ cells: [Cell]) {
        let values = cells.map(\.plotValue)
        let known = values.compactMap(\.self)
        guard known.count > 2, let most = known.max(), let least = known.min() else { return }
        let (top, bottom) = (max(most, 0), min(least, 0))
        guard top > bottom else { return }
        let (width, height) = (Self.courseWidth, Self.courseHeight)
        func point(_ index: Int, _ value: Double) -> (x: String, y: String) {
            let x = 3 + (width - 6) * Double(index) / Double(values.count - 1)
            return (x.coordinate, (3 + (height - 6) * (top - value) / (top - bottom)).coordinate)
        }
        var (path, isDrawn, last) = ("", false, (x: "", y: ""))
        for (index, value) in values.enumerated() {
            guard let value else {
                isDrawn = false
                continue
            }
            last = point(index, value)
            path += (isDrawn ? "L" : "M") + last.x + "," + last.y
            isDrawn = true
        }
        let box: KeyValuePairs<StaticString, String> = [
            "class": "course", "width": width.coordinate, "height": height.coordinate, "aria-hidden": "true",
        ]
        element("svg", box) { svg in
            svg.void("path", ["class": "line l1", "d": path])
            svg.void("circle", ["class": "s1", "cx": last.x, "cy": last.y, "r": "3"])
        }
    }
}
