import TillCore
import TillInput
import TillJSON

/// Writes a reject as one line of NDJSON, in the form of DESIGN §4.
enum RejectLine {
    /// - Parameter withRaw: whether the document itself is written; its secrets never are.
    static func text(of reject: Reject, withRaw: Bool) -> [UInt8] {
        var line: [UInt8] = []
        line += "{\"source\":".utf8
        line.appendJSON(string: reject.position.source.utf8)
        line += ",\"document\":\(reject.document),\"line\":\(reject.position.line)".utf8
        line += ",\"offset\":\(reject.position.offset),\"length\":\(reject.position.length),\"code\":".utf8
        line.appendJSON(string: reject.diagnostic.code.utf8)
        line += ",\"reason\":".utf8
        line.appendJSON(string: reject.diagnostic.reason.utf8)
        line += ",\"path\":".utf8
        line.appendJSON(string: reject.diagnostic.path.utf8)
        line += ",\"inner_offset\":\(reject.diagnostic.innerOffset),\"kind\":".utf8
        if let kind = reject.kind { line.appendJSON(string: kind.utf8) } else { line += "null".utf8 }
        if withRaw { appendRaw(reject.raw, to: &line) }
        line += "}\n".utf8
        return line
    }

    private static func appendRaw(_ raw: [UInt8], to line: inout [UInt8]) {
        let safe = Redaction.redacted(raw)
        line += ",\"raw\":".utf8
        if String(validating: safe, as: UTF8.self) != nil {
            line.appendJSON(string: safe)
            line += ",\"raw_encoding\":\"utf8\"".utf8
        } else {
            line.appendJSON(string: Base64.encode(safe))
            line += ",\"raw_encoding\":\"base64\"".utf8
        }
    }
}
