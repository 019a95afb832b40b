import Testing
import TillCore
import TillReportModel

@testable import TillRender

@Suite("Table")
struct TableRendererTests {
    private func lines(_ document: ReportDocument, width: Int? = nil) -> [Substring] {
        let bytes = TableRenderer().render(document, options: RenderOptions(width: width))
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }

    static let golden: [(RenderOptions, String)] = [
        (RenderOptions(), "all.txt"),
        (RenderOptions(width: 64), "all-narrow.txt"),
        (RenderOptions(useColor: true), "all-colour.txt"),
        (RenderOptions(width: 40), "all-narrowest.txt"),
        // With records, notes and empty tables, which one page leaves out.
        (RenderOptions(showsDetail: true), "all-detail.txt"),
    ]

    @Test("A report of reports shows each under its title and tells the input once", arguments: golden)
    func matchesGolden(_ options: RenderOptions, _ name: String) throws {
        try expectGolden(TableRenderer().render(SampleDocuments.all, options: options), name)
    }

    @Test("Charts stand in characters under what they are made of")
    func drawsCharts() throws {
        try expectGolden(TableRenderer().render(SampleCharts.document, options: RenderOptions(width: 80)), "charts.txt")
    }

    static let cells: [(Cell, String)] = [
        (.absent, "–"),
        (.code(21003), "21003"),
        (.count(999), "999"),
        (.count(-1_000), "-1,000"),
        (.count(1_234_567), "1,234,567"),
        (SampleDocuments.money(-1_234_500_000, "USD"), "-1,234.50"),
        (SampleDocuments.money(1_960_000_000, "JPY"), "1,960"),
        (.ratio(1, of: 3), "33.33 %"),
        (.ratio(-1, of: 3), "-33.33 %"),
        (.ratio(1, of: 20_000), "0.00 %"),
        (.ratio(3, of: 20_000), "0.02 %"),
        (.ratio(50, of: 1), "5,000.00 %"),
        (.ratio(0, of: 0), "–"),
        (.decimal(millionths: 4_125_000), "4.12"),
        (.instant(Timestamp(milliseconds: 1_772_446_500_000)), "2026-03-02 10:15:00Z"),
        (.list(["production", "unknown"]), "production, unknown"),
        (.text("a\u{1B}[2J\nb\u{202E}c\u{200B}"), #"a\u{1B}[2J\u{A}b\u{202E}c\u{200B}"#),
    ]

    @Test("A cell is written for people, and shows what would act unseen", arguments: cells)
    func writes(_ cell: Cell, _ text: String) {
        #expect(lines(SampleDocuments.single(cell)).dropLast().last == "Fact  \(text)")
    }

    static let widths: [(String, Int)] = [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("月額", 4), ("ｱ", 1), ("Ａ", 2), ("한", 2),
        ("\u{1112}\u{1161}\u{11AB}", 2),
        ("😀", 2), ("👍🏽", 2), ("🇩🇪", 2), ("–…", 2), ("❤\u{FE0F}", 2), ("❤", 1), ("1\u{FE0F}\u{20E3}", 2),
    ]

    @Test("Wide characters take two columns, combining ones none", arguments: widths)
    func measures(_ text: String, _ width: Int) {
        #expect(text.displayWidth == width)
    }

    static let truncations: [(String, Int, String)] = [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("abcdef", 1, "…"),
        ("プレミアム", 6, "プレ…"),
        ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
    ]

    @Test("Text is cut between characters, never within one", arguments: truncations)
    func truncates(_ text: String, _ width: Int, _ cut: String) {
        #expect(text.truncated(toWidth: width) == cut)
    }

    static let shortenings: [(String, Int, String)] = [
        ("com.example.lumen.monthly", 25, "com.example.lumen.monthly"),
        ("com.example.lumen.monthly", 12, "com….monthly"),
        ("プレミアム会員", 9, "プ…ム会員"),
        ("abcdef", 3, "ab…"),
        ("abcdef", 1, "…"),
    ]

    @Test("Text in a table is cut in its middle: names of one family differ at their ends", arguments: shortenings)
    func shortens(_ text: String, _ width: Int, _ cut: String) {
        #expect(text.shortened(toWidth: width) == cut)
        #expect(cut.displayWidth <= max(width, 1))
    }

    @Test("No line is wider than the terminal as long as the numbers fit", arguments: 40...120)
    func fits(_ width: Int) {
        for document in [SampleDocuments.all, SampleCharts.document] {
            for line in lines(document, width: width) {
                #expect(String(line).displayWidth <= width, "\(line)")
            }
        }
    }

    @Test("A wide terminal stretches nothing")
    func staysCompact() {
        #expect(lines(SampleDocuments.all, width: 400).allSatisfy { String($0).displayWidth <= 120 })
    }

    @Test("On the narrowest terminal numbers are still whole", arguments: [0, 1, 10])
    func keepsNumbers(_ width: Int) {
        #expect(lines(SampleDocuments.all.children[0], width: width).contains { $0.contains("1,234,567.89") })
    }

    /// A table of a key and three figures, of which the second is a main one.
    private static let wide: ReportDocument = {
        let columns = [
            Column("product_id", "Product", isKey: true), Column("units", "Units"),
            Column("net", "Net", isMain: true), Column("unpriced", "Unpriced"),
        ]
        let rows: [[Cell]] = [[.text("pro"), .count(11_111), .count(22_222), .count(33_333)]]
        return ReportDocument(
            name: "r",
            title: "R",
            sections: [Section(name: "t", title: "T", columns: columns, content: .table(rows))]
        )
    }()

    // The least widths are 7 and 8 of titles, 6 and 6 with gaps of 1: 30. Without the last column 21, with the key and
    // net 14.
    static let drops: [(Int, String, String?)] = [
        (30, "pro 11,111 22,222 33,333", nil), (29, "pro 11,111 22,222", "Unpriced"),
        (20, "pro 22,222", "Units, Unpriced"),
    ]

    @Test(
        "A table that is too wide leaves out columns from the right, main figures last, and names them",
        arguments: drops
    )
    func dropsColumns(_ width: Int, _ row: String, _ hidden: String?) throws {
        let lines = lines(Self.wide, width: width)
        let place = try #require(lines.firstIndex { $0.hasPrefix("pro ") })
        #expect(lines[place].split(separator: " ").joined(separator: " ") == row)
        let note = lines[(place + 1)...].map { $0.split(separator: " ") }.joined().joined(separator: " ")
        #expect(note == (hidden.map { "Left out to fit \(width) columns: \($0). --width none shows all." } ?? ""))
    }

    @Test("A key is cut to less than half of the width only if no figure can be left out", arguments: [80, 60, 50])
    func keepsKeys(_ width: Int) throws {
        let figures = (0..<6).map { Column("f\($0)", "Figure", isMain: $0 == 3) }
        let product = "com.example.lumen.monthly"
        let cells = [Cell.text(product)] + (0..<6).map { Cell.count(1_111_111 * Int64($0 + 1)) }
        let content = Section.Content.table(TableRows([cells]))
        let columns = [Column("product_id", "Product", isKey: true)] + figures
        let section = Section(name: "t", title: "T", columns: columns, content: content)
        let text = lines(ReportDocument(name: "r", title: "R", sections: [section]), width: width)
        let row = try #require(text.first { $0.contains("4,444,444") })
        #expect(row.hasPrefix(product + " "))
        // 9 characters and a gap for each.
        #expect(row.split(separator: " ").count == 1 + (width - product.count) / 10)
    }

    @Test("Where a key cannot have half of the width, it is cut, and figures stay")
    func cutsKeys() {
        let key = String(repeating: "a", count: 30)
        let columns = ["one", "two", "three"].map { Column($0, $0, isKey: true) } + [Column("net", "Net")]
        let content = Section.Content.table(TableRows([[.text(key), .text(key), .text(key), .count(1)]]))
        let section = Section(name: "t", title: "T", columns: columns, content: content)
        let text = lines(ReportDocument(name: "r", title: "R", sections: [section]), width: 60)
        #expect(text.contains { $0.contains("a…a") && $0.hasSuffix(" 1") })
    }
}
