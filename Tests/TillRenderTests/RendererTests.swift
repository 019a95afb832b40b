import Testing
import TillRender
import TillReportModel

@Suite("Every renderer")
struct RendererTests {
    @Test("Takes an empty document", arguments: RendererRegistry.all.map { $0.name })
    func takesNothing(_ name: String) throws {
        let renderer = try #require(RendererRegistry.renderer(named: name)).init()
        for width in [nil, 0, 80] {
            #expect(!renderer.render(SampleDocuments.empty, options: RenderOptions(width: width)).isEmpty)
        }
    }

    @Test("Ends its output with one line end", arguments: RendererRegistry.all.map { $0.name })
    func endsLine(_ name: String) throws {
        let renderer = try #require(RendererRegistry.renderer(named: name)).init()
        let bytes = renderer.render(SampleDocuments.all, options: RenderOptions())
        #expect(bytes.last == UInt8(ascii: "\n"))
        #expect(bytes.dropLast().last != UInt8(ascii: "\n"))
    }

    // CSV is not among them: it has no other way to write a control character, and is not read on a terminal.
    @Test("Lets no control character out, whatever the data holds", arguments: [TableRenderer.name, JSONRenderer.name])
    func disarms(_ name: String) throws {
        let renderer = try #require(RendererRegistry.renderer(named: name)).init()
        let controls = String(String.UnicodeScalarView((0..<0xA0).compactMap(Unicode.Scalar.init)))
        for document in [SampleDocuments.all, SampleDocuments.single(.text(controls))] {
            let output = String(decoding: renderer.render(document, options: RenderOptions(width: 40)), as: UTF8.self)
            #expect(!output.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
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
        #expect(RendererRegistry.renderer(forFileExtension: "exe") == nil)
    }
}
