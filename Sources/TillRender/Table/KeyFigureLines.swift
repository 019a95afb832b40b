import TillReportModel

/// Figures under each other, with what is said beside them.
///
///     Customer sales     15,132.21 EUR   ▲ 6.6 % on February 2026
///       tax included                     ▲ 97.0 % on March 2025; 324.79 refunded
///     - Tax (est.)        1,426.38       9.4 %
struct KeyFigureLines {
    /// Whether the figures and some words beside them fit the width.
    let fit: Bool
    private let width: Int
    private let clock: ReportClock
    private let labelWidth: Int
    private let cellWidth: Int
    private let unitWidth: Int

    private static let indent = 2
    private static let gap = 3
    private static let leastRemarkWidth = 24

    init(_ figures: [KeyFigure], width: Int?, clock: ReportClock) {
        self.width = min(width ?? 120, 120)
        self.clock = clock
        let labels = figures.map { Self.label(of: $0).displayWidth }
        let contents = figures.compactMap { $0.content.map { Self.indent + $0.madeVisible.displayWidth } }
        labelWidth = (labels + contents).max() ?? 0
        cellWidth = figures.map { $0.cell.displayText(by: clock).displayWidth }.max() ?? 0
        unitWidth = figures.map { $0.unit?.displayWidth ?? 0 }.max() ?? 0
        let column = Self.indent + labelWidth + 2 + cellWidth + 1 + unitWidth + Self.gap
        fit = column + Self.leastRemarkWidth <= self.width
    }

    struct Line {
        let text: String
        /// A change in the line, which can have the colour of its sign.
        var change: Statement.Change?
    }

    /// The lines of one figure. A remark that does not fit goes on below.
    func lines(of figure: KeyFigure) -> [Line] {
        let cell = figure.cell.displayText(by: clock)
        let heads = [
            Self.label(of: figure).padded(to: labelWidth + 2)
                + String(repeating: " ", count: cellWidth - cell.displayWidth) + cell + " " + (figure.unit ?? ""),
            figure.content.map { String(repeating: " ", count: Self.indent) + $0.madeVisible } ?? "",
        ]
        let column = labelWidth + 2 + cellWidth + 1 + unitWidth + Self.gap
        let remarks = figure.remarks.flatMap { remark in
            let change = Statement(remark).change(by: clock)
            return Paragraph(lead: "", words: Statement(remark).text(by: clock))
                .lines(width: width - column - Self.indent, indent: 0).enumerated()
                .map { Line(text: $1, change: $0 == 0 ? change : nil) }
        }
        let count = max(1, figure.content == nil ? 1 : 2, remarks.count)
        return (0..<count).map { index in
            let head = index < heads.count ? heads[index] : ""
            guard index < remarks.count else { return Line(text: Self.line(head)) }
            let text = Self.line(head.padded(to: column) + remarks[index].text)
            return Line(text: text, change: remarks[index].change)
        }
    }

    private static func label(of figure: KeyFigure) -> String {
        (figure.isSubtracted ? "- " : "") + figure.label.madeVisible
    }

    private static func line(_ text: String) -> String {
        var line = String(repeating: " ", count: indent) + text
        while line.last == " " { line.removeLast() }
        return line
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - displayWidth))
    }
}
