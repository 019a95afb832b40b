import Foundation
import TillInput
import TillInspect
import TillReceipts
import TillRender
import TillReportModel
import TillRows

/// The documents that `inspect` shows, and its output in both formats.
struct Inspecting {
    var documents: [InspectedDocument] = []
    var text = ""
    var json = ""

    init(
        _ bytes: [UInt8],
        options: Inspector.Options = Inspector.Options(),
        display: InspectionOptions = InspectionOptions(),
        source: String = "input",
        first count: Int = .max,
        documentLimit: Int = .max
    ) {
        var reader = DocumentReader(format: options.forcedFormat, documentLimit: documentLimit)
        reader.keepsTraces = true
        var rows = RowBatch()
        let padded = bytes + [UInt8](repeating: 0, count: ByteBuffer.padding)
        _ = reader.read(padded.span.bytes, limit: bytes.count, streamOffset: 0, isFinal: true, into: &rows)
        var inspector = Inspector(options: options)
        for trace in reader.traces.prefix(count) {
            let place = InspectedDocument.Place(
                source: source,
                number: trace.ordinal + 1,
                line: trace.line + 1,
                offset: trace.offset
            )
            documents.append(inspector.inspect(trace, at: place, rows: rows))
        }
        text = Self.render(documents, with: InspectionTextRenderer(options: display))
        json = Self.render(documents, with: InspectionJSONRenderer(options: display))
    }

    init(_ text: String, options: Inspector.Options = Inspector.Options()) {
        self.init(Array(text.utf8), options: options)
    }

    private static func render(_ documents: [InspectedDocument], with renderer: some InspectionRenderer) -> String {
        var bytes = renderer.beginning
        for (index, document) in documents.enumerated() {
            bytes += renderer.render(document, isFirst: index == 0)
        }
        return String(decoding: bytes + renderer.end, as: UTF8.self)
    }

    /// All nodes of all documents, outermost first.
    var nodes: [InspectedNode] { documents.flatMap { $0.nodes.flatMap(\.withDescendants) } }

    /// The first node of a name.
    func node(_ name: String) -> InspectedNode? { nodes.first { $0.name == name } }
}

extension InspectedNode {
    var withDescendants: [InspectedNode] { [self] + children.flatMap(\.withDescendants) }
}

extension Inspector.Options {
    static var showingPrivate: Inspector.Options {
        var options = Inspector.Options()
        options.showsPrivate = true
        return options
    }
}
