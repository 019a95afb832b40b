import TillReportModel

extension MarkupWriter {
    /// A column for each step, from where it begins to where it ends, with its value above it.
    mutating func drawWaterfall(of chart: Chart, height: Int) {
        let steps = WaterfallStep.steps(of: chart)
        let frame = ChartFrame(chart, height: height, values: steps.flatMap { [$0.low, $0.high] })
        drawAxes(of: chart, in: frame)
        let width = min(frame.step * 0.75, 90)
        for (index, step) in steps.enumerated() where chart.categories.indices.contains(index) {
            let x = frame.x(index) + (frame.step - width) / 2
            element(
                "rect",
                [
                    "class": "part", "x": x.coordinate, "y": frame.y(step.high).coordinate, "width": width.coordinate,
                    "height": max(frame.y(step.low) - frame.y(step.high), 0.5).coordinate,
                    // Plain for what is there or comes to it, hatched for what goes off.
                    "fill": "url(#p\(step.isFall ? 2 : 1))",
                ]
            ) { rect in
                rect.writeTooltip(of: chart, series: 0, category: index)
            }
            append("\n")
            let place =
                ["class": "mid", "x": (x + width / 2).coordinate, "y": (frame.y(step.high) - 6).coordinate]
                as KeyValuePairs<StaticString, String>
            element("text", place, text: step.text)
            append("\n")
        }
    }
}
