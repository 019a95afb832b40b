import Testing
import TillCore
import TillReportModel

@testable import TillRender

@Suite("Every renderer")
struct RendererTests {
    @Test("Takes an empty document", arguments: RendererRegistry.all.map { $0.name })
    func takesNothing(_ name: String) throws {
        let renderer = try #require(RendererRegistry.renderer(named: name)).init()
        for width in [nil, 0, 80] {
            let bytes = try renderer.render(SampleDocuments.empty, options: RenderOptions(width: width))
            // Where each row is a line, there is none.
            #expect(bytes.isEmpty == (name == NDJSONRenderer.name))
        }
    }

    @Test("Ends text with one line end", arguments: RendererRegistry.all.filter { $0.isText }.map { $0.name })
    func endsLine(_ name: String) throws {
        let renderer = try #require(RendererRegistry.renderer(named: name)).init()
        let bytes = try renderer.render(SampleDocuments.all, options: RenderOptions())
        #expect(bytes.last == UInt8(ascii: "\n"))
        #expect(bytes.dropLast().last != UInt8(ascii: "\n"))
    }

    @Test(
        "Lets nothing out that acts unseen, whatever the data holds",
        arguments: RendererRegistry.all.filter { $0.isText }.map { $0.name }
    )
    func disarms(_ name: String) throws {
        let renderer = try #require(RendererRegistry.renderer(named: name)).init()
        let controls = String(String.UnicodeScalarView((0..<0xA0).compactMap(Unicode.Scalar.init)))
        // In CSV a text keeps its lines and tabs: they stand in quotes.
        let kept: Set<Unicode.Scalar> = name == CSVRenderer.name ? ["\n", "\r", "\t"] : ["\n"]
        for document in [SampleDocuments.all, SampleDocuments.single(.text(controls)), HostileDocument.document] {
            let output = String(
                decoding: try renderer.render(document, options: RenderOptions(width: 40)),
                as: UTF8.self
            )
            #expect(!output.unicodeScalars.contains { $0.isUnseen && !kept.contains($0) })
        }
    }

    @Test("Has a name and file endings that no other has")
    func isUnambiguous() {
        let names = RendererRegistry.all.map { $0.name }
        let endings = RendererRegistry.all.flatMap { $0.fileExtensions }
        #expect(Set(names).count == names.count)
        #expect(Set(endings).count == endings.count)
    }

    @Test("Is found by its name and by the ending of a file, in any case")
    func isFound() {
        #expect(RendererRegistry.renderer(named: "json") is JSONRenderer.Type)
        #expect(RendererRegistry.renderer(forFileExtension: "TXT") is TableRenderer.Type)
        #expect(RendererRegistry.renderer(named: "JSON") == nil)
        #expect(RendererRegistry.renderer(forFileExtension: "htm") is HTMLRenderer.Type)
        #expect(RendererRegistry.renderer(forFileExtension: "jsonl") is NDJSONRenderer.Type)
        #expect(RendererRegistry.renderer(forFileExtension: "exe") == nil)
    }
}
