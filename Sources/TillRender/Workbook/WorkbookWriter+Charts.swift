import CXLSXWriter
import TillReportModel

extension WorkbookWriter {
    /// Each chart under its title, with the numbers that it is made of below it.
    func writeCharts(_ charts: [Chart], to sheet: Sheet, named name: String) throws(RenderError) {
        try setWidth(30, of: 0, on: sheet)
        let widest = charts.map(\.series.count).max() ?? 0
        for column in 0..<widest { try setWidth(18, of: column + 1, on: sheet) }
        library.worksheet_set_landscape(sheet)
        var row = 0
        for chart in charts {
            try write(chart.title, to: sheet, row: row, column: 0, as: .heading)
            row += 1
            for mark in chart.marks {
                try write(mark.text, to: sheet, row: row, column: 0)
                row += 1
            }
            let place = row
            row += chart.workbookType == nil ? 0 : Self.chartRows
            let header = row
            try writeNumbers(of: chart, to: sheet, row: header)
            if let type = chart.workbookType {
                try insert(chart, type, into: sheet, named: name, at: place, header: header)
            } else {
                try shade(chart, on: sheet, header: header)
            }
            row = header + chart.categories.count + 3
        }
    }

    /// Rows of the usual height that a chart covers.
    private static let chartRows = 19

    /// Categories down, series across; a heat map the other way round, as it is looked at.
    private func writeNumbers(of chart: Chart, to sheet: Sheet, row: Int) throws(RenderError) {
        try write(chart.categoryTitle, to: sheet, row: row, column: 0, as: .columnTitle(isNumber: false))
        for (index, series) in chart.series.enumerated() {
            try write(series.title, to: sheet, row: row, column: index + 1, as: .columnTitle(isNumber: true))
        }
        for (index, category) in chart.categories.enumerated() {
            try write(chart.label(category), to: sheet, row: row + 1 + index, column: 0)
            for (column, series) in chart.series.enumerated() where series.values.indices.contains(index) {
                try write(series.values[index], to: sheet, row: row + 1 + index, column: column + 1)
            }
        }
    }

    private func insert(
        _ chart: Chart,
        _ type: lxw_chart_type,
        into sheet: Sheet,
        named name: String,
        at row: Int,
        header: Int
    ) throws(RenderError) {
        let drawing = try addChart(type)
        let (first, last) = (UInt32(header + 1), UInt32(header + chart.categories.count))
        for index in chart.series.indices {
            let column = UInt16(index + 1)
            let series = library.chart_add_series(drawing, nil, nil)
            library.chart_series_set_categories(series, name, first, 0, last, 0)
            library.chart_series_set_values(series, name, first, column, last, column)
            library.chart_series_set_name_range(series, name, UInt32(header), column)
        }
        // A title that begins with `=` would be taken for a reference.
        library.chart_title_set_name(drawing, chart.title.hasPrefix("=") ? " " + chart.title : chart.title)
        library.chart_axis_set_name(drawing.pointee.x_axis, chart.categoryTitle)
        library.chart_axis_set_name(drawing.pointee.y_axis, chart.valueTitle)
        if chart.kind == .bars {
            library.chart_axis_set_reverse(drawing.pointee.x_axis)
        }
        if chart.kind == .stackedColumns { library.chart_set_series_gap(drawing, 40) }
        let legend = chart.series.count > 1 ? LXW_CHART_LEGEND_BOTTOM : LXW_CHART_LEGEND_NONE
        library.chart_legend_set_position(drawing, UInt8(legend.rawValue))
        var options = lxw_chart_options()
        options.x_scale = 1.9
        options.y_scale = 1.25
        options.x_offset = 4
        options.y_offset = 4
        options.description = keep(chart.summary.madeVisible.prefix(utf16Count: 1000))
        try check(library.worksheet_insert_chart_opt(sheet, UInt32(row), 0, drawing, &options))
    }

    /// A heat map is shaded cells: workbooks have no chart of that kind.
    private func shade(_ chart: Chart, on sheet: Sheet, header: Int) throws(RenderError) {
        guard !chart.categories.isEmpty, !chart.series.isEmpty else { return }
        var format = lxw_conditional_format()
        format.type = UInt8(LXW_CONDITIONAL_2_COLOR_SCALE.rawValue)
        format.min_color = 0xF3F8FD
        format.max_color = 0x7FB2E0
        try check(
            library.worksheet_conditional_format_range(
                sheet,
                UInt32(header + 1),
                1,
                UInt32(header + chart.categories.count),
                UInt16(chart.series.count),
                &format
            )
        )
    }
}

extension Chart {
    /// The kind of chart that a workbook draws; `nil` where it has none.
    fileprivate var workbookType: lxw_chart_type? {
        switch kind {
        case .stackedColumns: LXW_CHART_COLUMN_STACKED
        case .lines: LXW_CHART_LINE
        case .bars: LXW_CHART_BAR
        case .heatMap: nil
        }
    }
}
