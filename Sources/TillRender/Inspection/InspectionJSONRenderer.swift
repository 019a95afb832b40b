public import TillReportModel

/// What is inside documents, for programs: one object, a line per document.
///
///     {"inspect":1,"documents":[
///     {"source":…,"document":1,"line":1,"offset":0,"length":9,"kind":"pkcs7","accepted":true,
///      "layers":[{"name":"base64","evidence":"…","bytes":9}],
///      "tree":[{"name":"ContentInfo","offset":0,"length":9,"children":[…]}],
///      "rows":[{"table":"transactions","product_id":"pro"}]}
///     ]}
///
/// A node has `name`, and of `number`, `offset`, `length`, `value`, `hex`, `masked`, `meaning`, `decoded_length`, `error`
/// and `children` those that apply, in this order. Values are never cut.
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
        bytes += "{\"source\":".utf8
        write(document.source)
        bytes += ",\"document\":\(document.number),\"line\":\(document.line)".utf8
        bytes += ",\"offset\":\(document.offset),\"length\":\(document.length),\"kind\":".utf8
        if let kind = document.kind { write(kind) } else { bytes += "null".utf8 }
        bytes += ",\"accepted\":\(document.defect == nil)".utf8
        bytes += ",\"layers\":".utf8
        writeArray(document.layers) { writer, layer in
            writer.bytes += "{\"name\":".utf8
            writer.write(layer.name)
            writer.bytes += ",\"evidence\":".utf8
            writer.write(layer.evidence)
            if let count = layer.byteCount { writer.bytes += ",\"bytes\":\(count)".utf8 }
            writer.bytes += "}".utf8
        }
        bytes += ",\"tree\":".utf8
        writeArray(document.nodes) { $0.write($1) }
        bytes += ",\"rows\":".utf8
        writeArray(document.rows) { writer, row in
            writer.bytes += "{\"table\":".utf8
            writer.write(row.table)
            for cell in row.cells {
                writer.bytes += ",".utf8
                writer.bytes += Self.key(cell.column)
                writer.write(cell.value)
            }
            writer.bytes += "}".utf8
        }
        if let defect = document.defect {
            bytes += ",\"error\":".utf8
            write(defect)
        }
        bytes += "}".utf8
    }

    private mutating func write(_ node: InspectedNode) {
        bytes += "{\"name\":".utf8
        write(node.name)
        if let number = node.number { bytes += ",\"number\":\(number)".utf8 }
        if let offset = node.offset { bytes += ",\"offset\":\(offset)".utf8 }
        if let length = node.length { bytes += ",\"length\":\(length)".utf8 }
        switch node.value {
        case nil: break
        case .octets(let octets):
            bytes += ",\"hex\":".utf8
            write(octets.hexadecimal())
        case .masked: bytes += ",\"masked\":true".utf8
        case let value?:
            bytes += ",\"value\":".utf8
            write(value)
        }
        if let meaning = node.meaning {
            bytes += ",\"meaning\":".utf8
            write(meaning)
        }
        if let count = node.decodedLength { bytes += ",\"decoded_length\":\(count)".utf8 }
        if let defect = node.defect {
            bytes += ",\"error\":".utf8
            write(defect)
        }
        if !node.children.isEmpty {
            bytes += ",\"children\":".utf8
            writeArray(node.children) { $0.write($1) }
        }
        bytes += "}".utf8
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

    private mutating func write(_ defect: InspectedDefect) {
        bytes += "{\"code\":".utf8
        write(defect.code)
        bytes += ",\"reason\":".utf8
        write(defect.reason)
        bytes += ",\"path\":".utf8
        write(defect.path)
        bytes += ",\"offset\":\(defect.offset)".utf8
        if let excerpt = defect.excerpt {
            bytes += ",\"excerpt\":".utf8
            write(excerpt.text)
        }
        bytes += "}".utf8
    }

    private mutating func writeArray<Element>(_ elements: [Element], write: (inout Self, Element) -> Void) {
        bytes += "[".utf8
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes += ",".utf8 }
            write(&self, element)
        }
        bytes += "]".utf8
    }
}
