import Testing
import TillReportModel

@testable import TillRender

@Suite("Names of products in output")
struct ProductNameTests {
    private static let columns = [
        Column("month", "Month", isKey: true), Column("product_id", "Product", isKey: true), Column("sales", "Sales"),
        Column("units", "Units"),
    ]
    private static let rows: [[Cell]] = [
        [.text("2026-03"), .text("com.example.trailmap.lifetime"), .count(3), .count(4)],
        [.text("2026-03"), .text("com.example.unnamed"), .count(1), .count(1)],
        [.text("2026-03"), .absent, .count(2), .count(2)],
        [.text("2026-03"), .word("others", "2 other products"), .count(5), .count(5)],
    ]

    private static func document(
        _ names: [String: String] = ["com.example.trailmap.lifetime": "Trailmap Lifetime"],
        role: Section.Role = .figures
    ) -> ReportDocument {
        let section = Section(name: "sales", title: "Sales", columns: columns, content: .table(rows), role: role)
        var document = ReportDocument(name: "r", title: "R", sections: [section])
        document.productNames = names
        return document
    }

    private static func table(_ document: ReportDocument, width: Int? = nil) -> [String] {
        let bytes = TableRenderer().render(document, options: RenderOptions(width: width))
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("Where there is room, the name stands beside the id")
    func showsBoth() {
        let lines = Self.table(Self.document())
        #expect(
            lines[3].split(separator: "  ").map { $0.filter { $0 != " " } } == [
                "Month", "Product", "Productid", "Sales", "Units",
            ]
        )
        #expect(lines[5] == "2026-03  Trailmap Lifetime    com.example.trailmap.lifetime      3      4")
        #expect(lines[6] == "2026-03  com.example.unnamed  com.example.unnamed                1      1")
        #expect(lines[7] == "2026-03  –                    –                                  2      2")
    }

    // 7 for the month, 19 for the name, 29 for the id, 5 for each figure, and 8 between them are 73.
    @Test("On a narrow terminal the name stands alone, whole, before any figure is left out", arguments: [72, 73])
    func showsName(_ width: Int) {
        let lines = Self.table(Self.document(), width: width)
        #expect(lines[5].contains("com.example.trailmap.lifetime") == (width == 73))
        #expect(lines[5].contains("Trailmap Lifetime "))
        #expect(lines[5].hasSuffix("3      4"))
        #expect(lines.last?.contains("Product id") == (width < 73))
    }

    @Test("Charts have names in place of ids")
    func namesCharts() {
        @Sendable func chart(_ ids: [String], in titles: Bool) -> Chart {
            Chart(
                title: "Net",
                kind: titles ? .panels : .bars,
                categoryTitle: "",
                valueTitle: "",
                categories: titles ? [.text("2026-03")] : ids.map(Cell.text),
                series: titles
                    ? ids.map { Chart.Series(title: $0, values: [.count(1)]) }
                    : [Chart.Series(title: "Net", values: ids.map { _ in .count(1) })]
            )
        }
        let ids = ["pro", "gold", "none"]
        var document = ReportDocument(
            name: "r",
            title: "R",
            sections: [Section(name: "s", title: "S", charts: [chart(ids, in: false), chart(ids, in: true)])]
        )
        document.productNames = ["pro": "Trailmap", "gold": "Gold"]
        let charts = document.namingProducts().sections[0].charts
        let names = ["Trailmap", "Gold", "none"]
        #expect(charts[0].categories == names.map(Cell.text))
        #expect(charts[1].series.map(\.title) == names)
    }

    @Test("A row of sums has no id; a product without a name has its own")
    func leavesSumsAlone() {
        let lines = Self.table(Self.document(role: .overview))
        // The rest of the column, the gap, the id, another gap and the blanks before the 5.
        let blanks = String(repeating: " ", count: 3 + 2 + 29 + 2 + 4)
        #expect(lines[8] == "2026-03  2 other products\(blanks)5      5")
        #expect(lines[6] == "2026-03  com.example.unnamed  com.example.unnamed                1      1")
    }

    @Test("Formats for programs are the same with names and without", arguments: ["json", "ndjson", "csv"])
    func keepsPrograms(_ format: String) throws {
        let renderer = try #require(RendererRegistry.renderer(named: format)).init()
        let plain = try renderer.render(Self.document([:]), options: RenderOptions())
        #expect(try renderer.render(Self.document(), options: RenderOptions()) == plain)
    }

    @Test("A report without names has no further column")
    func needsNames() {
        let unknown = Self.document(["other": "Other"])
        #expect(Self.table(unknown) == Self.table(Self.document([:])))
    }

    @Test("The ranking follows its column behind the names")
    func keepsRanking() {
        var document = Self.document()
        document.sections[0].rankingColumn = 2
        #expect(Self.table(document)[7].hasPrefix("2026-03  –"))
    }

    @Test("A hostile name is text in every format", arguments: HostileDocument.texts)
    func isOnlyText(_ text: String) throws {
        let hostile = Self.document(["com.example.trailmap.lifetime": text])
        #expect(!Self.table(hostile).isEmpty)
        for line in Self.table(hostile) {
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
        }
        let page = String(decoding: HTMLRenderer().render(hostile, options: RenderOptions()), as: UTF8.self)
        #expect(!page.contains("<img") && !page.contains("<script>alert"))
        let markdown = String(decoding: MarkdownRenderer().render(hostile, options: RenderOptions()), as: UTF8.self)
        #expect(!markdown.contains("<img") && !markdown.contains("**d**"))
    }
}
