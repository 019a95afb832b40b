public import TillReportModel

/// The structure of documents, for programs: one object with a line per document.
///
///     {"inspect":1,"documents":[
///     {"source":…,"document":1,"line":1,"offset":0,"length":9,"kind":"pkcs7","accepted":true,
///      "layers":[{"name":"base64","evidence":"…","bytes":9}],
///      "tree":[{"name":"ContentInfo","offset":0,"length":9,"children":[…]}],
///      "rows":[{"table":"transactions","product_id":"pro"}]}
///     ]}
///
/// A node has `name`, and those of `number`, `offset`, `length`, `value`, `hex`, `masked`, `meaning`, `decoded_length`,
/// `error` and `children` that apply, in this order. Values are never cut.
public struct InspectionJSONRenderer: InspectionRenderer {
    public static let name = "json"
    public static let summary = "one JSON object with a line per document, for programs"

    public init(options: InspectionOptions) {}

    public var beginning: [UInt8] { Array("{\"inspect\":1,\"documents\":[".utf8) }
    public var end: [UInt8] { Array("\n]}\n".utf8) }

    public func render(_ document: InspectedDocument, isFirst: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.bytes += (isFirst ? "\n" : ",\n").utf8
        writer.write(document)
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ document: InspectedDocument) {
        beginObject()
        member("source", document.source)
        member("document", document.number)
        member("line", document.line)
        member("offset", document.offset)
        member("length", document.length)
        key("kind")
        if let kind = document.kind { write(kind) } else { bytes += "null".utf8 }
        member("accepted", document.defect == nil)
        members("layers", document.layers) { writer, layer in
            writer.beginObject()
            writer.member("name", layer.name)
            writer.member("evidence", layer.evidence)
            writer.member("bytes", layer.byteCount)
            writer.endObject()
        }
        members("tree", document.nodes) { $0.write($1) }
        members("rows", document.rows) { writer, row in
            writer.beginObject()
            writer.member("table", row.table)
            for cell in row.cells {
                writer.key(cell.column)
                writer.write(cell.value)
            }
            writer.endObject()
        }
        member("error", document.defect)
        endObject()
    }

    private mutating func write(_ node: InspectedNode) {
        beginObject()
        member("name", node.name)
        member("number", node.number)
        member("offset", node.offset)
        member("length", node.length)
        switch node.value {
        case nil: break
        case .octets(let octets): member("hex", octets.hexadecimal())
        case .masked: member("masked", true)
        case let value?:
            key("value")
            write(value)
        }
        member("meaning", node.meaning)
        member("decoded_length", node.decodedLength)
        member("error", node.defect)
        if !node.children.isEmpty { members("children", node.children) { $0.write($1) } }
        endObject()
    }

    private mutating func write(_ value: InspectedNode.Value) {
        switch value {
        case .text(let text): write(text)
        case .number(let digits): bytes += digits.utf8
        case .flag(let flag): bytes += "\(flag)".utf8
        case .null, .masked: bytes += "null".utf8
        case .octets(let octets): write(octets.hexadecimal())
        }
    }

    private mutating func member(_ name: String, _ defect: InspectedDefect?) {
        guard let defect else { return }
        key(name)
        beginObject()
        member("code", defect.code)
        member("reason", defect.reason)
        member("path", defect.path)
        member("offset", defect.offset)
        member("excerpt", defect.excerpt?.text)
        endObject()
    }
}

/// Objects written member by member. A member without a value is left out.
extension JSONWriter {
    private mutating func beginObject() { bytes += "{".utf8 }

    private mutating func endObject() { bytes += "}".utf8 }

    private mutating func key(_ name: String) {
        if bytes.last != UInt8(ascii: "{") { bytes += ",".utf8 }
        bytes += Self.key(name)
    }

    private mutating func member(_ name: String, _ text: String?) {
        guard let text else { return }
        key(name)
        write(text)
    }

    private mutating func member(_ name: String, _ number: (some BinaryInteger)?) {
        guard let number else { return }
        key(name)
        bytes += "\(number)".utf8
    }

    private mutating func member(_ name: String, _ flag: Bool) {
        key(name)
        bytes += "\(flag)".utf8
    }

    private mutating func members<Element>(
        _ name: String,
        _ elements: [Element],
        write: (inout Self, Element) -> Void
    ) {
        key(name)
        bytes += "[".utf8
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes += ",".utf8 }
            write(&self, element)
        }
        bytes += "]".utf8
    }
}
