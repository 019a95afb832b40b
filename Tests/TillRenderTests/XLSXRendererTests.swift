import Testing
import TillCore
import TillReportModel

@testable import TillRender

@Suite("XLSX")
struct XLSXRendererTests {
    private func archive(_ document: ReportDocument) throws -> Archive {
        try Archive(XLSXRenderer().render(document, options: RenderOptions()))
    }

    private func table(_ rows: [[Cell]], columns: [Column]) -> ReportDocument {
        let section = Section(name: "rows", title: "Rows", columns: columns, content: .table(rows))
        return ReportDocument(name: "x", title: "X", sections: [section])
    }

    /// The second sheet of a workbook whose only table has one column and one row.
    private func sheet(_ cell: Cell) throws -> String {
        try archive(table([[cell]], columns: [Column("c", "C")])).text("xl/worksheets/sheet2.xml")
    }

    static let documents = [
        SampleDocuments.empty, SampleDocuments.all, SampleCharts.document, HostileDocument.document,
    ]

    @Test("All parts of a workbook are well-formed, whatever the data holds", arguments: documents.indices)
    func isWellFormed(_ index: Int) throws {
        let archive = try archive(Self.documents[index])
        for name in archive.names { #expect(Markup.xmlErrors(try archive.bytes(name)) == [], "\(name)") }
    }

    @Test("The same document gives the same bytes, and no date but a fixed one is inside")
    func isDeterministic() throws {
        let once = try XLSXRenderer().render(SampleDocuments.all, options: RenderOptions())
        #expect(try XLSXRenderer().render(SampleDocuments.all, options: RenderOptions(width: 20)) == once)
        let archive = try Archive(once)
        #expect(archive.dates == [33])  // 1 January 1980
        #expect(try archive.text("docProps/core.xml").contains("2000-01-01T00:00:00Z"))
    }

    @Test("There is a summary, a sheet for every table that has rows, in their order, and one of settings")
    func hasSheets() throws {
        let book = try archive(SampleDocuments.all).text("xl/workbook.xml")
        let names = book.matches(of: /<sheet name="([^"]*)"/).map { String($0.1) }
        #expect(
            names == [
                "Summary", "Revenue – By month and product", "Revenue – Totals", "Failures – Spikes", "Settings",
            ]
        )
    }

    @Test("A note has the height of its lines, so that none is printed over the next")
    func notesHaveTheirHeight() throws {
        var document = SampleDocuments.empty
        document.notes = [
            "short", String(repeating: "words of a note ", count: 24), String(repeating: "x", count: 400),
        ]
        let settings = try archive(document).text("xl/worksheets/sheet2.xml")
        // A single line has the usual height, which is not written.
        #expect(settings.matches(of: /<row [^>]* ht="([^"]*)"/).map { String($0.1) } == ["45", "45"])
    }

    static let numbers: [(Cell, String, String)] = [
        (.count(1_234_567), "1234567", "#,##0"),
        (.code(-1009), "-1009", "0"),
        (SampleDocuments.money(-1_234_500_000, "USD"), "-1234.5", "#,##0.00 [$USD]"),
        (SampleDocuments.money(980_000_000, "JPY"), "980", "#,##0 [$JPY]"),
        (SampleDocuments.money(1_234_000, "KWD"), "1.234", "#,##0.000 [$KWD]"),
        (SampleDocuments.money(3_500, "USD"), "0.0035", "#,##0.0000 [$USD]"),
        // Fifteen digits are what a spreadsheet keeps.
        (SampleDocuments.money(9_999_999_999_999_990_000, "USD"), "9999999999999.99", "#,##0.00 [$USD]"),
        (.count(999_999_999_999_999), "999999999999999", "#,##0"),
        (.count(4_000_000_000_000_000_000), "4E+18", "#,##0"),
        (.ratio(1, of: 3), "0.333333", "0.00%"),
        (.decimal(millionths: 4_125_000), "4.125", "#,##0.00"),
        (.instant(Timestamp(milliseconds: 1_772_446_500_000)), "46083.42708333334", "yyyy-mm-dd hh:mm:ss"),
    ]

    @Test("A number is a number, with the format of its kind", arguments: numbers)
    func writesNumbers(_ cell: Cell, _ value: String, _ format: String) throws {
        let archive = try archive(table([[cell]], columns: [Column("c", "C")]))
        #expect(try archive.text("xl/worksheets/sheet2.xml").contains("<v>\(value)</v>"))
        #expect(try archive.text("xl/styles.xml").contains("formatCode=\"\(format)\""))
    }

    @Test("An instant is a date by the clock of the report, and its format tells the offset")
    func writesInstantsByClock() throws {
        let instant = Cell.instant(Timestamp(milliseconds: 1_772_446_500_000))
        var document = table([[instant]], columns: [Column("c", "C")])
        document.clock = ReportClock(name: "Newfoundland") { _ in -12_600 }
        let archive = try archive(document)
        // 2026-03-02 10:15 is 06:45 there.
        #expect(try archive.text("xl/worksheets/sheet2.xml").contains("<v>46083.28125</v>"))
        #expect(try archive.text("xl/styles.xml").contains("formatCode=\"yyyy-mm-dd hh:mm:ss&quot;-03:30&quot;\""))
        #expect(try archive.text("xl/sharedStrings.xml").contains("Times are those of Newfoundland"))
    }

    static let texts: [(Cell, String)] = [
        (.text("=1+1"), "=1+1"),
        (.text("-1"), "-1"),
        (.text("00123456789012345678"), "00123456789012345678"),
        (.text("a\u{1B}b\u{202E}"), #"a\u{1B}b\u{202E}"#),
        // What would be read as a character's code.
        (.text("_x000D_x0041_ _x41_ __x0042__"), "_x005F_x000D_x005F_x0041_ _x41_ __x005F_x0042__"),
        (.list(["a", "b"]), "a, b"),
        (.count(.max), "9223372036854775807"),
        (SampleDocuments.money(12_345_678_901_234_567_890_000, "USD"), "12345678901234567.89"),
        (.instant(Timestamp(milliseconds: -62_135_596_800_000)), "0001-01-01T00:00:00Z"),
    ]

    @Test("What is text, or would be rounded as a number, is text and never a formula", arguments: texts)
    func writesTexts(_ cell: Cell, _ text: String) throws {
        let archive = try archive(table([[cell]], columns: [Column("c", "C")]))
        let sheet = try archive.text("xl/worksheets/sheet2.xml")
        #expect(!sheet.contains("<f>"))
        #expect(sheet.contains(/<c r="A2" s="\d+" t="s">/))
        #expect(try archive.text("xl/sharedStrings.xml").contains("<t>\(text)</t>"))
    }

    @Test("The workbook says that numbers stand as text and texts are cut")
    func tellsLimits() throws {
        let long = String(repeating: "é", count: 40_000)
        let archive = try archive(table([[.count(.max)], [.text(long)]], columns: [Column("c", "C")]))
        let strings = try archive.text("xl/sharedStrings.xml")
        #expect(strings.contains("1 numbers have more than 15 digits"))
        #expect(strings.contains("1 texts are longer than a cell can hold"))
        #expect(strings.contains(String(repeating: "é", count: 32_766) + "…"))
        #expect(!strings.contains(String(repeating: "é", count: 32_767)))
    }

    @Test("What is not known is an empty cell")
    func leavesOut() throws {
        #expect(try !sheet(.absent).contains(#"r="A2""#))
        #expect(try !sheet(.ratio(0, of: 0)).contains(#"r="A2""#))
    }

    @Test("The header stays in sight, beside the keys, and every column has a filter")
    func freezes() throws {
        let columns = [Column("a", "A", isKey: true), Column("b", "B", isKey: true), Column("c", "C")]
        let sheet = try archive(table([[.text("x"), .text("y"), .count(1)]], columns: columns))
            .text("xl/worksheets/sheet2.xml")
        #expect(sheet.contains(#"xSplit="2" ySplit="1" topLeftCell="C2""#))
        #expect(sheet.contains(#"<autoFilter ref="A1:C2"/>"#))
    }

    @Test("Charts are native, and a heat map is shaded cells")
    func drawsCharts() throws {
        let archive = try archive(SampleCharts.document)
        let charts = archive.names.filter { $0.hasPrefix("xl/charts/") }
        // The two panels are of two currencies, and so a chart each.
        #expect(charts.count == 8)
        let kinds = try charts.map { try archive.text($0) }
        #expect(kinds[0].contains("<c:grouping val=\"stacked\"/>") && kinds[0].contains("Net by month, USD"))
        #expect(kinds[1].contains("<c:barDir val=\"bar\"/>") && kinds[2].contains("<c:lineChart>"))
        #expect(kinds[3].contains("Net by month, USD") && kinds[6].contains("<c:barDir val=\"bar\"/>"))
        for (index, title) in [(4, "currency: USD"), (5, "currency: JPY")] {
            #expect(kinds[index].contains("<c:lineChart>") && kinds[index].contains("Net by month and \(title)"))
        }
        #expect(try archive.text("xl/worksheets/sheet2.xml").contains("<colorScale>"))
    }

    @Test("A workbook too large for memory holds the same cells")
    func streams() throws {
        let rows = (0..<70_000).map { [Cell.count(Int64($0)), .text("p\($0)"), .ratio(1, of: 4)] }
        let columns = [Column("a", "A", isKey: true), Column("b", "B"), Column("c", "C")]
        let archive = try archive(table(rows, columns: columns))
        let sheet = try archive.text("xl/worksheets/sheet2.xml")
        #expect(sheet.contains("<t>p69999</t>") && sheet.contains("<v>69999</v>"))
        #expect(sheet.matches(of: /<row\s/).count == 70_001)
    }
}

@Suite("Names of sheets")
struct SheetNamesTests {
    static let wishes: [([String], [String])] = [
        (["Totals", "totals", "TOTALS"], ["Totals", "totals (2)", "TOTALS (3)"]),
        (["a/b:c*d?e[f]g\\h"], ["a b c d e f g h"]),
        (["''x'", "", "''"], ["x", "Sheet", "Sheet (2)"]),
        (["History"], ["History (2)"]),
        ([String(repeating: "x", count: 40)], [String(repeating: "x", count: 30) + "…"]),
        ([String(repeating: "😀", count: 20)], [String(repeating: "😀", count: 15) + "…"]),
        (["a\u{1B}b"], [#"a u{1B}b"#]),
    ]

    @Test("A name keeps to the rules of Excel and is there once", arguments: wishes)
    func names(_ wishes: [String], _ names: [String]) {
        var giver = SheetNames()
        #expect(wishes.map { giver.next($0) } == names)
    }

    @Test("Long names that begin alike stay apart and within the limit")
    func numbers() {
        var giver = SheetNames()
        let names = (0..<120).map { _ in giver.next(String(repeating: "ab", count: 30)) }
        #expect(Set(names).count == 120 && names.allSatisfy { $0.utf16.count <= 31 })
    }
}
