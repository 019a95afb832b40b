import Foundation
import Testing
import TillCore
import TillReportModel

@testable import TillRender

@Suite("Key figures")
struct KeyFigureTests {
    private static func money(_ cents: Int128) -> Cell { SampleDocuments.money(cents * 10_000, "EUR") }

    private static let figures = [
        KeyFigure(
            "Customer sales",
            money(1_513_221),
            unit: "EUR",
            content: "tax included",
            remarks: ["▲ 6.6 % on February 2026", "▲ 97.0 % on March 2025; 324.79 refunded"]
        ),
        tax, KeyFigure("Proceeds", .text("not known")),
    ]

    private static let tax: KeyFigure = {
        var tax = KeyFigure("Tax (est.)", money(142_638), remarks: ["9.4 %"])
        tax.isSubtracted = true
        return tax
    }()

    private static func lines(width: Int?) -> [String] {
        let lines = KeyFigureLines(figures, width: width, clock: .utc)
        return figures.flatMap { lines.lines(of: $0).map(\.text) }
    }

    @Test("Amounts stand under each other, and what is said of them beside")
    func alignment() {
        #expect(
            Self.lines(width: 80) == [
                "  Customer sales  15,132.21 EUR   ▲ 6.6 % on February 2026",
                "    tax included                  ▲ 97.0 % on March 2025; 324.79 refunded",
                "  - Tax (est.)     1,426.38       9.4 %",
                "  Proceeds        not known",
            ]
        )
    }

    @Test("A remark that does not fit goes on below, and no line is wider than the page")
    func wraps() {
        let lines = Self.lines(width: 62)
        #expect(lines.allSatisfy { $0.displayWidth <= 62 })
        #expect(
            lines[1...2] == [
                "    tax included                  ▲ 97.0 % on March 2025;",
                String(repeating: " ", count: 34) + "324.79 refunded",
            ]
        )
    }

    private static func document(_ figures: [KeyFigure]) -> ReportDocument {
        var summary = Section(name: "summary", title: "Summary", columns: [], content: .record([]), role: .summary)
        summary.statements = figures.enumerated().map { Statement($1, weight: $0 == 0 ? .headline : .detail) }
        return ReportDocument(name: "revenue", title: "Revenue", sections: [summary])
    }

    @Test("On a narrow page they are sentences")
    func narrow() {
        #expect(KeyFigureLines(Self.figures, width: 58, clock: .utc).fit)
        #expect(!KeyFigureLines(Self.figures, width: 57, clock: .utc).fit)
        let bytes = TableRenderer().render(Self.document(Self.figures), options: RenderOptions(width: 40))
        let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }.joined(separator: " ")
        #expect(words.contains("Customer sales 15,132.21 EUR, tax included; ▲ 6.6 % on February 2026; ▲ 97.0 %"))
        #expect(words.contains("Tax (est.) 1,426.38; 9.4 %"))
    }

    @Test("In a terminal and on the page a change has the colour of its sign, and nothing else has")
    func colours() {
        var figure = Self.figures[0]
        let (rise, fall) = (Cell.ratio(66, of: 1000), Cell.ratio(97, of: 100))
        figure.remarks = ["▲ \(rise) on February 2026", "▼ \(fall) on March 2025; 324.79 refunded", "9.4 %"]
        let document = Self.document([figure])
        func text(_ options: RenderOptions) -> String {
            String(decoding: TableRenderer().render(document, options: options), as: UTF8.self)
        }
        let coloured = text(RenderOptions(width: 90, useColor: true))
        #expect(coloured.contains("EUR   \u{1B}[0m\u{1B}[32m▲ 6.60 %\u{1B}[0m\u{1B}[1m on February 2026\u{1B}[0m\n"))
        #expect(
            coloured.contains(
                "tax included                  \u{1B}[31m▼ 97.00 %\u{1B}[0m on March 2025; 324.79 refunded\n"
            )
        )
        #expect(!text(RenderOptions(width: 90)).contains("\u{1B}"))
        let page = String(decoding: HTMLRenderer().render(document, options: RenderOptions()), as: UTF8.self)
        #expect(page.contains(#"<span class="up">▲ 6.60 %</span> on February 2026"#))
        #expect(page.contains(#"<span class="down">▼ 97.00 %</span> on March 2025; 324.79 refunded"#))
    }

    @Test("A page shows them as text, whatever they hold")
    func escapes() {
        let harm = "<b>&\"'"
        let remark: Statement.Sentence = "\(harm)"
        let figure = KeyFigure(harm, .text(harm), unit: harm, content: harm, remarks: [remark])
        let bytes = HTMLRenderer().render(Self.document([figure, figure]), options: RenderOptions())
        let page = String(decoding: bytes, as: UTF8.self)
        #expect(!page.contains("<b>") && page.contains("&lt;b&gt;&amp;"))
        #expect(Markup.xmlErrors(bytes) == [])
        #expect(page.contains("class=\"key\"") && page.contains("class=\"remark\""))
    }
}

@Suite("The page of all reports")
struct OnePageTests {
    private static func table(_ name: String, rows: Int, role: Section.Role = .overview) -> Section {
        Section(
            name: name,
            title: name.capitalized,
            columns: [Column("place", "Place", isKey: true), Column("units", "Units")],
            content: .table((0..<rows).map { [.text("\(name)-\($0)."), .count(Int64($0))] }),
            role: role
        )
    }

    private static func report(_ name: String, _ sections: [Section], warning: String) -> ReportDocument {
        var summary = Section(name: "summary", title: "Summary", columns: [], content: .record([]), role: .summary)
        summary.statements = [
            Statement("The answer of \(name)"), Statement("1 document could not be read", tone: .warning),
            Statement("\(warning)", tone: .warning),
        ]
        return ReportDocument(name: name, title: name.capitalized, sections: [summary] + sections, notes: ["A note."])
    }

    private static let all = ReportDocument(
        name: "all",
        title: "All reports",
        sections: [],
        children: [
            report("revenue", [table("products", rows: 12), table("countries", rows: 3)], warning: "No rate"),
            report("deferred", [table("balances", rows: 2, role: .figures)], warning: "No price"),
            report(
                "failures",
                ["codes", "causes", "hours", "days", "years", "eras"].map { table($0, rows: 1) },
                warning: "No rate"
            ),
        ]
    )

    private static func text(_ options: RenderOptions) -> String {
        String(decoding: TableRenderer().render(all, options: options), as: UTF8.self)
    }

    @Test("Each report has its answer and the first ten rows of one table for people, and names what is left out")
    func shortens() {
        let page = Self.all.onOnePage()
        #expect(
            page.children.map { $0.sections.map(\.name) } == [
                ["summary", "products"], ["summary"], ["summary", "codes"],
            ]
        )
        let text = Self.text(RenderOptions())
        for name in ["revenue", "deferred", "failures"] { #expect(text.contains("The answer of \(name)")) }
        #expect(text.contains("products-9.") && !text.contains("products-10.") && !text.contains("countries-0."))
        #expect(text.contains("More: tillroll report revenue (Countries)\n"))
        #expect(text.contains("More: tillroll report deferred (Balances)\n"))
        #expect(text.contains("More: tillroll report failures (Causes, Hours, Days, Years and 1 more)\n"))
    }

    @Test("The first alarm has its details, and further alarms have their headlines")
    func alarms() {
        var report = Self.report("failures", [], warning: "No rate")
        report.sections[0].statements =
            ["one", "two"].flatMap { name -> [Statement] in
                [
                    Statement("Alarm \(name)", tone: .alarm), Statement("Detail of \(name)", weight: .detail),
                    Statement("Place of \(name)", weight: .detail),
                ]
            } + [Statement("Purchases"), Statement("Detail of purchases", weight: .detail)]
        let all = ReportDocument(name: "all", title: "All reports", sections: [], children: [report])
        let words = all.onOnePage().children[0].sections[0].statements.map { $0.text(by: .utc) }
        #expect(
            words == [
                "Alarm one", "Detail of one", "Place of one", "Alarm two", "Purchases", "Detail of purchases",
            ]
        )
    }

    @Test("A warning of several reports is said once")
    func warnsOnce() {
        let text = Self.text(RenderOptions())
        for warning in ["1 document could not be read", "No rate", "No price"] {
            #expect(text.components(separatedBy: warning).count == 2, "\(warning)")
        }
    }

    @Test("With all details, and as a report of its own, nothing is left out")
    func details() {
        let text = Self.text(RenderOptions(showsDetail: true))
        #expect(text.contains("products-11.") && text.contains("countries-2.") && text.contains("eras-0."))
        #expect(Self.all.children[0].onOnePage().sections.count == 3)
    }
}
