import Testing
import TillReportModel

@testable import TillRender

@Suite("Rows that are shown to people")
struct RowLimitTests {
    private static func document(_ count: Int) -> ReportDocument {
        ReportDocument(name: "all", title: "All reports", sections: [], children: [report(count)])
    }

    private static func report(_ count: Int, isDetail: Bool = false) -> ReportDocument {
        let rows = (0..<count).map { [Cell.text("p\($0)"), .count(Int64($0))] }
        let section = Section(
            name: "revenue",
            title: "By product",
            columns: [Column("product_id", "Product", isKey: true), Column("units", "Units")],
            content: .table(rows),
            role: isDetail ? .detail : .figures
        )
        return ReportDocument(name: "revenue", title: "Revenue", sections: [section])
    }

    private static func text(_ renderer: any Renderer, _ document: ReportDocument) throws -> String {
        String(decoding: try renderer.render(document, options: RenderOptions()), as: UTF8.self)
    }

    @Test("A table that is too long for a page ends early and says so", arguments: ["table", "markdown", "html"])
    func page(_ name: String) throws {
        let renderers: [String: any Renderer] = [
            "table": TableRenderer(), "markdown": MarkdownRenderer(), "html": HTMLRenderer(),
        ]
        let renderer = try #require(renderers[name])
        let whole = try Self.text(renderer, Self.report(10_000))
        #expect(whole.contains("p9999") && !whole.contains("are shown"))
        let cut = try Self.text(renderer, Self.report(10_001))
        #expect(cut.contains("p9999") && !cut.contains("p10000"))
        #expect(cut.contains("By product: the first 10,000 of 10,001 rows are shown;"))
    }

    @Test("Rows for programs are counted as many as there are", arguments: [10_000, 10_001])
    func detail(_ count: Int) throws {
        let text = try Self.text(TableRenderer(), Self.report(count, isDetail: true))
        #expect(text.contains("More: --detail (By product: \(Cell.count(Int64(count)).displayText) rows)"))
        #expect(!text.contains("are shown"))
    }

    @Test("Programs get every row", arguments: ["csv", "json", "ndjson"])
    func programs(_ name: String) throws {
        let renderers: [String: any Renderer] = [
            "csv": CSVRenderer(), "json": JSONRenderer(), "ndjson": NDJSONRenderer(),
        ]
        #expect(try Self.text(try #require(renderers[name]), Self.document(10_001)).contains("p10000"))
    }

    @Test("A workbook holds more rows than a page, and not any number")
    func workbook() {
        let document = Self.document(250_001).forPeople(.workbook)
        guard case .table(let rows) = document.children[0].sections[0].content else { return #expect(Bool(false)) }
        #expect(rows.count == 250_000)
        #expect(document.children[0].notes.count == 1)
        #expect(Self.document(250_000).forPeople(.workbook).children[0].notes.isEmpty)
    }
}
