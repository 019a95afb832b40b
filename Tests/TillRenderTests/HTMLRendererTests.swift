import CLibXML2
import Crypto
import Foundation
import Testing
import TillCore
import TillReportModel

@testable import TillRender

@Suite("HTML")
struct HTMLRendererTests {
    static let documents = [
        SampleDocuments.empty, SampleDocuments.all, SampleCharts.document, HostileDocument.document,
        SampleCharts.ratesDocument,
    ]

    private func page(_ document: ReportDocument) -> String {
        String(decoding: HTMLRenderer().render(document, options: RenderOptions()), as: UTF8.self)
    }

    @Test("A page looks as it did")
    func matchesGolden() throws {
        try expectGolden(HTMLRenderer().render(SampleDocuments.all, options: RenderOptions()), "all.html")
        try expectGolden(HTMLRenderer().render(SampleCharts.document, options: RenderOptions()), "charts.html")
    }

    @Test("A page is well-formed XML, whatever the data holds", arguments: documents.indices)
    func isWellFormed(_ index: Int) throws {
        let bytes = HTMLRenderer().render(Self.documents[index], options: RenderOptions())
        #expect(Markup.xmlErrors(bytes) == [])
    }

    @Test("A parser of HTML finds nothing wrong but elements younger than itself", arguments: documents.indices)
    func isHTML(_ index: Int) throws {
        let bytes = HTMLRenderer().render(Self.documents[index], options: RenderOptions())
        #expect(Markup.htmlErrors(bytes) == [])
    }

    @Test("Data makes no element and no attribute")
    func escapes() throws {
        let names = try Markup.names(in: HTMLRenderer().render(HostileDocument.document, options: RenderOptions()))
        #expect(names.elements.filter { $0 == "script" }.count == 1)
        #expect(!names.elements.contains("img"))
        #expect(!names.attributes.contains { $0.hasPrefix("on") || $0 == "src" || $0 == "style" })
    }

    @Test("What acts unseen is spelled out")
    func disarms() {
        let text = page(HostileDocument.document)
        #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.isUnseen })
        #expect(text.contains("\\u{1B}[2J") && text.contains("\\u{202E}"))
    }

    @Test("No address is in it: nothing can be loaded", arguments: [0, 1, 2])
    func isSelfContained(_ index: Int) {
        let text = page(Self.documents[index])
        #expect(!text.contains("http:") && !text.contains("https:") && !text.contains("//"))
        #expect(text.contains("default-src &#39;none&#39;"))
    }

    @Test("The policy names the style and the script by their hashes")
    func hashes() throws {
        func hash(_ text: StaticString) -> String {
            "sha256-" + Data(SHA256.hash(data: text.withUTF8Buffer { Data($0) })).base64EncodedString()
        }
        #expect(hash(HTMLPolicy.style) == HTMLPolicy.styleHash)
        #expect(hash(HTMLPolicy.script) == HTMLPolicy.scriptHash)
        // In XML these would be markup.
        for text in [HTMLPolicy.style, HTMLPolicy.script] {
            #expect(!text.description.contains("<") && !text.description.contains("&"))
        }
    }

    @Test("Headings go down one level at a time, and every table has a caption and scopes", arguments: [1, 2, 3])
    func isAccessible(_ index: Int) throws {
        let text = page(Self.documents[index])
        let levels = text.matches(of: /<h([1-6])/).compactMap { Int($0.1) }
        #expect(levels.first == 1)
        for (above, below) in zip(levels, levels.dropFirst()) { #expect(below <= above + 1) }
        #expect(levels.filter { $0 == 1 }.count == 1)
        let tables = text.components(separatedBy: "<table>").dropFirst()
        #expect(tables.allSatisfy { $0.hasPrefix("<caption>") })
        #expect(text.matches(of: /<th[ >]/).count == text.matches(of: /<th scope="(row|col)"/).count)
    }

    @Test("Every drawing has a title, a description and its numbers as a table")
    func tellsCharts() {
        let text = page(SampleCharts.document)
        let drawings = text.components(separatedBy: "<figure").dropFirst()
        #expect(drawings.count == 8)
        for drawing in drawings {
            #expect(drawing.contains("role=\"img\"") && drawing.contains("<title id=") && drawing.contains("<desc id="))
            #expect(drawing.contains("The numbers of this chart</summary>"))
        }
        #expect(text.contains("The highest is 2026-03 with 28.30"))
        #expect(text.contains("33.33 % (1 of 3)"))
    }

    @Test("A band is an area from its lower to its upper limit, with a gap where they are absent")
    func drawsBand() throws {
        let text = page(SampleCharts.ratesDocument)
        let areas = text.matches(of: /<path class="s1" fill-opacity="0.2" d="([^"]*)"/).map { String($0.1) }
        // In the legend, then in the drawing.
        #expect(areas.count == 2 && areas.first == "M0,0H18V14H0Z")
        let parts = try #require(areas.last).split(separator: "Z")
        #expect(parts.map { $0.prefix { $0 != "," } } == ["M0", "M200", "M600", "M800"])
        #expect(parts.map { $0.split(separator: "H").last } == ["0", "200", "600", "800"])
        // 1 % of a scale of 50 % in 162 pixels above 216; equal limits are a line of one pixel.
        #expect(parts.first == "M0,212.8H200V213.8H0")
        #expect(text.contains("<bdi>Failure rate</bdi>") && text.contains("<bdi>Usual rate</bdi>"))
        #expect(!text.contains("<bdi>Lowest usual rate</bdi>") && text.contains(">Lowest usual rate</th>"))
        #expect(text.matches(of: /<circle/).count == 4)
    }

    @Test("The description has the highest value of the lines, not of the band; marks of one place are one text")
    func describesLines() {
        let text = page(SampleCharts.ratesDocument)
        #expect(text.contains("The highest is 2026-02-16 03:00 with 25.00 %"))
        #expect(text.contains(">1,2▼<"))
    }

    @Test("Every id is there once, and every link leads to one")
    func links() throws {
        for document in Self.documents {
            let text = page(document)
            let ids = text.matches(of: /\sid="([^"]*)"/).map { String($0.1) }
            #expect(Set(ids).count == ids.count)
            let targets = text.matches(of: /href="#([^"]*)"/).map { String($0.1) }
            #expect(!targets.isEmpty && Set(targets).isSubset(of: ids))
        }
    }

    @Test("A series looks unlike any of the eight before it")
    func differs() {
        let chart = SampleCharts.columns
        #expect(SeriesStyle(0, in: chart).fill == "url(#p1)")
        #expect(SeriesStyle(2, in: chart).fill == "url(#p8)")
        let many = HostileDocument.chart(.lines)
        let styles = (0..<8).map { SeriesStyle($0, in: many) }
        #expect(Set(styles.map(\.fill)).count == 8 && Set(styles.map(\.dash)).count == 8)
    }

    @Test("Products break behind the dots of their ids, and numbers do not break")
    func breaks() {
        var markup = MarkupWriter()
        for text in ["com.example.pro", "0.8637–0.8745", "v.2.a", "two words.x"] {
            markup.writeParts(of: text)
            markup.append("|")
        }
        #expect(
            String(decoding: markup.bytes, as: UTF8.self)
                == "com.<wbr/>example.<wbr/>pro|0.8637–0.8745|v.2.<wbr/>a|two words.<wbr/>x|"
        )
    }

    static let coordinates: [(Double, String)] = [
        (0, "0"), (-0.04, "0"), (1, "1"), (1.25, "1.3"), (-1.5, "-1.5"), (-0.5, "-0.5"), (99.96, "100"),
    ]

    @Test("A coordinate has one decimal at most", arguments: coordinates)
    func rounds(_ value: Double, _ text: String) {
        #expect(value.coordinate == text)
    }
}
