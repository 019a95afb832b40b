import CXLSXWriter
import TillCore
import TillReportModel

extension WorkbookWriter {
    /// One page per chart: its title, the chart, and its numbers below it.
    func writeCharts(_ charts: [Chart], to sheet: Sheet, named name: String) throws(Finding) {
        let charts = charts.flatMap(\.inWorkbook)
        try setWidth(30, of: 0, on: sheet)
        let widest = charts.map { $0.standsAcross ? $0.categories.count : $0.series.count }.max() ?? 0
        for column in 0..<widest { try setWidth(16, of: column + 1, on: sheet) }
        library.worksheet_set_landscape(sheet)
        var row = 0
        var breaks: [lxw_row_t] = []
        for chart in charts {
            if row > 0 { breaks.append(lxw_row_t(row)) }
            try write(chart.title, to: sheet, row: row, column: 0, as: .heading)
            row += 1
            for text in chart.marks.map(\.text) + chart.notes {
                try write(text, to: sheet, row: row, column: 0)
                row += 1
            }
            let place = row
            row += chart.workbookType == nil ? 0 : Self.chartRows
            let block = ChartBlock(chart, header: row)
            try writeNumbers(of: chart, in: block, to: sheet)
            if let type = chart.workbookType {
                try insert(chart, type, into: sheet, named: name, at: place, block)
            } else {
                try shade(block, on: sheet)
            }
            row = block.end + 3
        }
        // A zero ends the list for the library.
        breaks.append(0)
        try check(library.worksheet_set_h_pagebreaks(sheet, &breaks))
    }

    /// Rows of the usual height that a chart covers.
    private static let chartRows = 19

    private func writeNumbers(of chart: Chart, in block: ChartBlock, to sheet: Sheet) throws(Finding) {
        let names = chart.series.map(\.title)
        let places = chart.categories.map { chart.label($0, by: clock) }
        let corner = chart.standsAcross ? chart.valueTitle : chart.categoryTitle
        try write(corner, to: sheet, row: block.header, column: 0, as: .columnTitle(isNumber: false))
        for (index, text) in (chart.standsAcross ? places : names).enumerated() {
            try write(text, to: sheet, row: block.header, column: index + 1, as: .wrappedTitle)
        }
        for (line, text) in (chart.standsAcross ? names : places).enumerated() {
            let row = block.header + 1 + line
            try write(text, to: sheet, row: row, column: 0)
            for column in 0..<block.columns {
                let (series, category) = chart.standsAcross ? (line, column) : (column, line)
                let values = chart.series[series].values
                guard values.indices.contains(category) else { continue }
                try write(values[category], to: sheet, row: row, column: column + 1)
            }
        }
    }

    private func insert(
        _ chart: Chart,
        _ type: lxw_chart_type,
        into sheet: Sheet,
        named name: String,
        at row: Int,
        _ block: ChartBlock
    ) throws(Finding) {
        let drawing = try addChart(type)
        for index in chart.series.indices {
            let series = library.chart_add_series(drawing, nil, nil)
            let (title, values, categories) = (block.title(of: index), block.values(of: index), block.categories)
            library.chart_series_set_categories(
                series,
                name,
                categories.first.row,
                categories.first.column,
                categories.last.row,
                categories.last.column
            )
            library.chart_series_set_values(
                series,
                name,
                values.first.row,
                values.first.column,
                values.last.row,
                values.last.column
            )
            library.chart_series_set_name_range(series, name, title.row, title.column)
            var fill = lxw_chart_fill()
            if chart.series[index].title == Chart.groundTitle { fill.none = UInt8(LXW_TRUE.rawValue) }
            fill.color = Self.colors[chart.series[index].isRest ? Self.colors.count - 1 : index % Self.colors.count]
            if type == LXW_CHART_LINE {
                var line = lxw_chart_line()
                line.color = fill.color
                line.width = 2.25
                library.chart_series_set_line(series, &line)
            } else {
                library.chart_series_set_fill(series, &fill)
            }
        }
        // The library would take a title that begins with `=` for a reference.
        library.chart_title_set_name(drawing, chart.title.hasPrefix("=") ? " " + chart.title : chart.title)
        // The y axis of a bar chart is the vertical one, which has the categories.
        let (x, y) = (drawing.pointee.x_axis, drawing.pointee.y_axis)
        let (categoryAxis, valueAxis) = chart.kind == .bars ? (y, x) : (x, y)
        library.chart_axis_set_name(categoryAxis, chart.categoryTitle)
        library.chart_axis_set_name(valueAxis, chart.valueTitle)
        library.chart_axis_set_num_format(valueAxis, chart.hasShares ? "0%" : "#,##0.##")
        // The categories run from top to bottom, as in the table.
        if chart.kind == .bars { library.chart_axis_set_reverse(categoryAxis) }
        if chart.kind == .stackedColumns { library.chart_set_series_gap(drawing, 40) }
        let legend = chart.series.count > 1 ? LXW_CHART_LEGEND_BOTTOM : LXW_CHART_LEGEND_NONE
        library.chart_legend_set_position(drawing, UInt8(legend.rawValue))
        var options = lxw_chart_options()
        options.x_scale = 1.9
        options.y_scale = 1.25
        options.x_offset = 4
        options.y_offset = 4
        options.description = keep(chart.summary(by: clock).madeVisible.prefix(utf16Count: 1000))
        try check(library.worksheet_insert_chart_opt(sheet, UInt32(row), 0, drawing, &options))
    }

    // The light colours of the HTML page. The last one is grey, for the rest.
    private static let colors: [lxw_color_t] = [
        0x1F6FB5, 0xB8570A, 0x2E7D4F, 0x8A4FA3, 0xA8324A, 0x5B6B14, 0x0F7C86, 0x6B7280,
    ]

    /// Shades the cells of a heat map, for which workbooks have no chart.
    private func shade(_ block: ChartBlock, on sheet: Sheet) throws(Finding) {
        guard block.rows > 0, block.columns > 0 else { return }
        var format = lxw_conditional_format()
        format.type = UInt8(LXW_CONDITIONAL_2_COLOR_SCALE.rawValue)
        format.min_color = 0xF3F8FD
        format.max_color = 0x7FB2E0
        try check(
            library.worksheet_conditional_format_range(
                sheet,
                UInt32(block.header + 1),
                1,
                UInt32(block.end),
                UInt16(block.columns),
                &format
            )
        )
    }
}

/// The cells of a chart's numbers on its sheet, below a header and beside their names.
private struct ChartBlock {
    typealias Place = (row: lxw_row_t, column: lxw_col_t)

    let header: Int
    let rows: Int
    let columns: Int
    private let standsAcross: Bool

    init(_ chart: Chart, header: Int) {
        self.header = header
        standsAcross = chart.standsAcross
        rows = standsAcross ? chart.series.count : chart.categories.count
        columns = standsAcross ? chart.categories.count : chart.series.count
    }

    /// The last row.
    var end: Int { header + rows }

    private func place(_ row: Int, _ column: Int) -> Place { (lxw_row_t(row), lxw_col_t(column)) }

    func title(of series: Int) -> Place {
        standsAcross ? place(header + 1 + series, 0) : place(header, series + 1)
    }

    func values(of series: Int) -> (first: Place, last: Place) {
        standsAcross
            ? (place(header + 1 + series, 1), place(header + 1 + series, columns))
            : (place(header + 1, series + 1), place(end, series + 1))
    }

    var categories: (first: Place, last: Place) {
        standsAcross ? (place(header, 1), place(header, columns)) : (place(header + 1, 0), place(end, 0))
    }
}

extension Chart {
    /// Whether the categories are columns. A few months are readable across, hundreds of hours only down.
    fileprivate var standsAcross: Bool { kind == .heatMap || series.count > 1 && categories.count <= 24 }

    /// The kind of chart in a workbook; `nil` where it has none.
    fileprivate var workbookType: lxw_chart_type? {
        switch kind {
        case .stackedColumns: LXW_CHART_COLUMN_STACKED
        case .lines, .panels: LXW_CHART_LINE
        case .bars: LXW_CHART_BAR
        case .heatMap: nil
        case .waterfall: LXW_CHART_COLUMN
        }
    }
}
