import Testing
import TillCore
import TillRender
import TillReportModel

@Suite("CSV")
struct CSVRendererTests {
    private func csv(_ document: ReportDocument) -> String {
        String(decoding: CSVRenderer().render(document, options: RenderOptions()), as: UTF8.self)
    }

    @Test("All results stand in one table, input and settings in none")
    func matchesGolden() throws {
        try expectGolden(CSVRenderer().render(SampleDocuments.all, options: RenderOptions()), "all.csv")
    }

    static let cells: [(Cell, String)] = [
        (.absent, ""),
        (.code(-1009), "-1009"),
        (.count(1_234_567), "1234567"),
        (SampleDocuments.money(-1_234_500_000, "USD"), "-1234.50"),
        (SampleDocuments.money(980_000_000, "JPY"), "980"),
        (.ratio(1, of: 3), "0.333333"),
        (.ratio(0, of: 0), ""),
        (.decimal(millionths: 12_500_000), "12.5"),
        (.instant(Timestamp(milliseconds: 1_772_446_500_000)), "2026-03-02T10:15:00Z"),
        (.list(["production"]), "production"),
        (.list(["production", "unknown"]), #""production;unknown""#),
        (.text("plain text"), "plain text"),
        (.text("a,b"), #""a,b""#),
        (.text("say \"hi\""), #""say ""hi""""#),
        (.text("two\nlines"), "\"two\nlines\""),
        (.text("two\r\nlines"), "\"two\r\nlines\""),
        (.text("1-1"), "1-1"),
        (.text("=1+1"), "'=1+1"),
        (.text("+1"), "'+1"),
        (.text("-1"), "'-1"),
        (.text("@SUM(A1)"), "'@SUM(A1)"),
        (.text("\t=1"), "\"'\t=1\""),
        (.text("\r=1"), "\"'\r=1\""),
        (.text("\r\n=1"), "\"'\r\n=1\""),
        (.text("  =1"), "'  =1"),
        (.text("\u{A0}+1"), "'\u{A0}+1"),
        (.text("＝1"), "'＝1"),
        (.text("a\u{1B}[2J\u{202E}"), #"a\u{1B}[2J\u{202E}"#),
        (.text("=A1,B1"), #""'=A1,B1""#),
        (.text("x;=A1"), #""x;=A1""#),
        (.list(["=A1"]), "'=A1"),
    ]

    @Test("A number is plain, a text is quoted where needed and never a formula", arguments: cells)
    func writes(_ cell: Cell, _ text: String) {
        #expect(csv(SampleDocuments.single(cell)) == "report,section,fact\nsingle,facts,\(text)\n")
    }

    @Test("One section alone has its own columns and no other")
    func writesExcerpt() {
        var excerpt = SampleDocuments.single(.count(1))
        excerpt.isExcerpt = true
        #expect(csv(excerpt) == "fact\n1\n")
    }

    @Test("Every row of a hostile report has as many cells as the header, and none is a formula")
    func disarms() {
        let rows = Self.cells(of: csv(HostileDocument.document))
        #expect(rows.count == 1 + 1 + HostileDocument.texts.count)
        #expect(rows.allSatisfy { $0.count == rows[0].count })
        #expect(!rows.joined().contains { "=+-@\t\r".unicodeScalars.contains($0.unicodeScalars.first ?? "x") })
    }

    /// Rows and cells as RFC 4180 has them.
    private static func cells(of text: String) -> [[String]] {
        var rows: [[String]] = [[]]
        var cell = String.UnicodeScalarView()
        var isQuoted = false
        var last: Unicode.Scalar = ","
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"":
                if !isQuoted, last == "\"" { cell.append(scalar) }
                isQuoted.toggle()
            case "," where !isQuoted, "\n" where !isQuoted:
                rows[rows.count - 1].append(String(cell))
                cell = String.UnicodeScalarView()
                if scalar == "\n" { rows.append([]) }
            default: cell.append(scalar)
            }
            last = scalar == "\"" && last == "\"" ? "," : scalar
        }
        return rows.dropLast()
    }

    @Test("Without results there is still a header")
    func writesHeader() {
        #expect(csv(SampleDocuments.empty) == "report,section\n")
    }
}
