import Foundation
import Testing
import TillCore
import TillRender
import TillReportModel

@Suite("JSON")
struct JSONRendererTests {
    private func json(_ document: ReportDocument) -> String {
        String(decoding: JSONRenderer().render(document, options: RenderOptions()), as: UTF8.self)
    }

    /// What stands for a cell in a record.
    private func fact(_ cell: Cell) -> Substring {
        json(SampleDocuments.single(cell)).trimmingPrefix("{\"report\":\"single\",\"version\":1,\n\"facts\":{\"fact\":")
            .dropLast(3)
    }

    @Test("A report of reports looks as the contract says")
    func matchesGolden() throws {
        try expectGolden(JSONRenderer().render(SampleDocuments.all, options: RenderOptions()), "all.json")
    }

    @Test("Width and colour change nothing")
    func ignoresOptions() {
        let narrow = JSONRenderer().render(SampleDocuments.all, options: RenderOptions(width: 20, useColor: true))
        #expect(narrow == JSONRenderer().render(SampleDocuments.all, options: RenderOptions()))
    }

    @Test("Output is one object that a strict parser reads")
    func parses() throws {
        let bytes = JSONRenderer().render(SampleDocuments.all, options: RenderOptions())
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        let reports = try #require(object["reports"] as? [[String: Any]])
        #expect(reports.map { $0["report"] as? String } == ["revenue", "failures"])
        let rows = try #require(reports[0]["revenue"] as? [[String: Any]])
        #expect(rows.count == 3)
        #expect(rows[2]["product_id"] as? String == SampleDocuments.hostile)
        #expect(rows[2]["gross"] is NSNull)
    }

    static let cells: [(Cell, String)] = [
        (.absent, "null"),
        (.code(-1009), "-1009"),
        (.count(1_234_567), "1234567"),
        (SampleDocuments.money(1_234_500_000, "USD"), "1234.50"),
        (SampleDocuments.money(980_000_000, "JPY"), "980"),
        (SampleDocuments.money(-300_000, "USD"), "-0.30"),
        (.ratio(617, of: 5000), "0.1234"),
        (.ratio(0, of: 7), "0"),
        (.ratio(7, of: 7), "1"),
        (.ratio(0, of: 0), "null"),
        (.ratio(5, of: 0), "null"),
        (.decimal(millionths: 12_500_000), "12.5"),
        (.decimal(millionths: -1), "-0.000001"),
        (.instant(Timestamp(milliseconds: 1_772_446_500_000)), #""2026-03-02T10:15:00Z""#),
        (.instant(Timestamp(milliseconds: 1_772_446_500_007)), #""2026-03-02T10:15:00.007Z""#),
        (.list([]), "[]"),
        (.list(["a", "\""]), #"["a","\""]"#),
        (.text(""), #""""#),
        (.text("a\"\\/\n\r\t\0\u{1F}"), #""a\"\\/\n\r\t\u0000\u001f""#),
        (.text("\r\n"), #""\r\n""#),
        (.text("\u{7F}\u{9B}\u{2028}\u{2029}"), #""\u007f\u009b\u2028\u2029""#),
        (.text("\u{202E}\u{E0041}"), #""\u202e\udb40\udc41""#),
        (.text("é😀"), #""é😀""#),
    ]

    @Test("A cell is written exactly, and what is not known as null", arguments: cells)
    func writes(_ cell: Cell, _ text: String) {
        #expect(fact(cell) == text)
    }

    @Test("An empty table is an empty array, an empty report has its name and version")
    func writesNothing() {
        let table = Section(name: "rows", title: "Rows", columns: [Column("a", "A")], content: .table([]))
        let document = ReportDocument(name: "x", title: "X", version: 2, sections: [table])
        #expect(json(document) == "{\"report\":\"x\",\"version\":2,\n\"rows\":[]}\n")
        #expect(json(SampleDocuments.empty) == "{\"report\":\"empty\",\"version\":1}\n")
    }
}
