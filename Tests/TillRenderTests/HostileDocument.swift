import TillCore
import TillReportModel

/// A report whose every text means harm to one format or another, in every place where text can stand.
enum HostileDocument {
    static let formula = "=HYPERLINK(\"http://evil\",\"x\")"
    static let markup = "</td></svg></title><script>alert(1)</script><img src=x onerror='alert(2)'>"
    static let attribute = "\" onmouseover=\"alert(3)\" x='"
    static let terminal = "\u{1B}]0;owned\u{7}\u{1B}[2J\u{9B}31m\r\n"
    static let order = "abc\u{202E}txt.exe\u{2066}\u{200B}\u{E0041}\u{FFFE}\u{FFFF}"
    static let markdown = "a | b `c` **d** [e](http://f) <g> @h #1 https://i www.j.k :smile: $x$ _l_"

    static let texts = [
        formula, "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1", markup, attribute, terminal, order, markdown,
    ]

    /// A table, a record, charts of every kind, notes and titles made of such texts.
    static let document = ReportDocument(
        name: markup,
        title: markup,
        period: ReportPeriod(first: .text(markup), last: .text(terminal)),
        sections: [record, table],
        notes: [markup, terminal, markdown],
        children: [ReportDocument(name: formula, title: terminal, sections: [empty])]
    )

    private static let record = Section(
        name: attribute,
        title: attribute,
        columns: texts.enumerated().map { Column("c\($0)", $1) },
        content: .record(texts.map(Cell.text))
    )

    private static let table = Section(
        name: markup,
        title: "[]:*?/\\" + markup,
        columns: [
            Column(markup, markup, isKey: true), Column(formula, terminal), Column("n", "n"), Column("l", order),
        ],
        content: .table(texts.map { [.text($0), .text($0), .count(1), .list([$0, $0])] }),
        charts: [.stackedColumns, .lines, .bars, .heatMap, .waterfall].map { chart($0) }
    )

    private static let empty = Section(name: "e", title: markup, columns: [Column("x", markup)], content: .table([]))

    static func chart(_ kind: Chart.Kind) -> Chart {
        Chart(
            title: markup,
            kind: kind,
            categoryTitle: formula,
            valueTitle: attribute,
            categories: texts.map(Cell.text),
            series: texts.enumerated().map { index, text in
                Chart.Series(title: text, values: texts.indices.map { .count(Int64($0 * index)) })
            },
            marks: [Chart.Mark(category: 1, series: 1, text: markup + terminal)]
        )
    }
}
