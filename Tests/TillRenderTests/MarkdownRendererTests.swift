import Testing
import TillCore
import TillReportModel

@testable import TillRender

@Suite("Markdown")
struct MarkdownRendererTests {
    private func markdown(_ document: ReportDocument) -> String {
        String(decoding: MarkdownRenderer().render(document, options: RenderOptions()), as: UTF8.self)
    }

    @Test("A report of reports looks as it did")
    func matchesGolden() throws {
        try expectGolden(MarkdownRenderer().render(SampleDocuments.all, options: RenderOptions()), "all.md")
        try expectGolden(MarkdownRenderer().render(SampleCharts.document, options: RenderOptions()), "charts.md")
    }

    static let texts: [(String, String)] = [
        ("com.example.pro", "com.example.pro"),
        ("a|b", #"a\|b"#),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("*x* _y_ `z`", #"\*x\* \_y\_ \`z\`"#),
        ("[a](b)", #"\[a\](b)"#),
        ("https://x.y", #"https\://x.y"#),
        ("WWW.x.y", #"WWW\.x.y"#),
        ("a@b.c #12 $x$ ~y~", ##"a\@b.c \#12 \$x\$ \~y\~"##),
        (":smile:", #"\:smile:"#),
        ("10:15:00Z", "10:15:00Z"),
        ("-1", "-1"),
        ("\\", "\\\\"),
    ]

    @Test("A text means nothing to Markdown", arguments: texts)
    func escapes(_ text: String, _ escaped: String) {
        #expect(text.markdownEscaped == escaped)
    }

    @Test("Every line of a table has as many cells as its head, whatever the data holds")
    func keepsColumns() {
        for document in [SampleDocuments.all, HostileDocument.document] {
            var columns: Int?
            for line in markdown(document).split(separator: "\n", omittingEmptySubsequences: false) {
                guard line.hasPrefix("|") else {
                    columns = nil
                    continue
                }
                let bars = line.replacing(#"\\"#, with: "").replacing(#"\|"#, with: "").filter { $0 == "|" }.count
                #expect(bars == columns ?? bars)
                columns = bars
            }
        }
    }

    @Test("No HTML, and nothing that acts unseen, comes out of the data")
    func disarms() {
        let text = markdown(HostileDocument.document)
        // Indented lines are code, in which nothing is markup.
        #expect(!text.split(separator: "\n").contains { !$0.hasPrefix("    ") && $0.contains("<") })
        #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.isUnseen })
    }
}

@Suite("NDJSON")
struct NDJSONRendererTests {
    @Test("A row is a line with the name of its table; what a parent told is not told again")
    func matchesGolden() throws {
        try expectGolden(NDJSONRenderer().render(SampleDocuments.all, options: RenderOptions()), "all.ndjson")
    }

    @Test("A value is written as in JSON")
    func agrees() {
        let cell = Cell.text(HostileDocument.terminal)
        let line = NDJSONRenderer().render(SampleDocuments.single(cell), options: RenderOptions())
        let json = JSONRenderer().render(SampleDocuments.single(cell), options: RenderOptions())
        #expect(String(decoding: line, as: UTF8.self).hasPrefix(#"{"table":"facts","report":"single","fact":"#))
        let value = String(decoding: line, as: UTF8.self).split(separator: #""fact":"#).last?.dropLast(2)
        #expect(value.map { String(decoding: json, as: UTF8.self).contains($0) } == true)
    }
}
