import TillCore
import TillInput
import TillJSON
import TillReceipts

/// Writes rejects as lines of NDJSON, in the form of `docs/rejects.md`.
///
/// A dump may consist of short, similar rejects, so the parts that are equal to the line before are reused.
struct RejectLine {
    /// Bytes of the document that are turned into text at once: as JSON they can become six times as many.
    private static let blockSize = 48 << 10

    /// A part of lines, and the values that it is for.
    private var source: (value: String, text: [UInt8])?
    private var finding: (diagnostic: Diagnostic, kind: String?, text: [UInt8])?
    /// Kept for its memory.
    private var line: [UInt8] = []

    /// Gives the line to `emit`, piece by piece, so that a long document is not copied as a whole.
    ///
    /// - Parameter withRaw: whether the document itself is written.
    mutating func write<Failure: Error>(
        _ reject: Reject,
        withRaw: Bool,
        to emit: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        line.removeAll(keepingCapacity: true)
        appendHead(of: reject)
        if withRaw, let document = reject.raw {
            let isText = (try? UTF8Span(validating: document.span)) != nil
            line += ",\"raw\":\"".utf8
            // The beginning of a character that the next block ends.
            var held: [UInt8] = []
            for start in stride(from: 0, to: document.count, by: Self.blockSize) {
                let block = document[start..<min(document.count, start + Self.blockSize)]
                // A short document is written with its head.
                if line.count > 4096 {
                    try emit(line)
                    line.removeAll(keepingCapacity: true)
                }
                if isText {
                    let text = held.isEmpty ? Array(block) : held + block
                    let end = text.endOfWholeCharacters
                    line.appendJSON(escaping: text[..<end])
                    held = Array(text[end...])
                } else {
                    line += Base64.encode(Array(block))
                }
            }
            line += (isText ? "\",\"raw_encoding\":\"utf8\"" : "\",\"raw_encoding\":\"base64\"").utf8
        }
        line += "}\n".utf8
        try emit(line)
    }

    /// The line as a whole.
    static func text(of reject: Reject, withRaw: Bool) -> [UInt8] {
        var (writer, text) = (RejectLine(), [UInt8]())
        writer.write(reject, withRaw: withRaw) { text += $0 }
        return text
    }

    private mutating func appendHead(of reject: Reject) {
        line += textOfSource(reject.position.source)
        RowText.append(number: Int64(reject.document), to: &line)
        line += ",\"line\":".utf8
        RowText.append(number: Int64(reject.position.line), to: &line)
        line += ",\"offset\":".utf8
        RowText.append(number: Int64(reject.position.offset), to: &line)
        line += ",\"length\":".utf8
        RowText.append(number: Int64(reject.position.length), to: &line)
        line += text(of: reject.diagnostic, kind: reject.kind)
    }

    private mutating func textOfSource(_ value: String) -> [UInt8] {
        if let source, source.value == value { return source.text }
        var text = Array("{\"source\":".utf8)
        text.appendJSON(string: value.utf8)
        text += ",\"document\":".utf8
        source = (value, text)
        return text
    }

    private mutating func text(of diagnostic: Diagnostic, kind: String?) -> [UInt8] {
        if let finding, finding.diagnostic == diagnostic, finding.kind == kind { return finding.text }
        var text = Array(",\"code\":".utf8)
        text.appendJSON(string: diagnostic.code.utf8)
        text += ",\"reason\":".utf8
        text.appendJSON(string: diagnostic.reason.utf8)
        text += ",\"path\":".utf8
        text.appendJSON(string: diagnostic.path.utf8)
        text += ",\"inner_offset\":\(diagnostic.innerOffset),\"kind\":".utf8
        if let kind { text.appendJSON(string: kind.utf8) } else { text += "null".utf8 }
        finding = (diagnostic, kind, text)
        return text
    }
}

extension [UInt8] {
    /// The end of the last complete character, in UTF-8 that may be cut anywhere.
    fileprivate var endOfWholeCharacters: Int {
        guard let lead = indices.suffix(3).last(where: { self[$0] & 0xC0 != 0x80 }), self[lead] >= 0xC0 else {
            return count
        }
        let width = (~self[lead]).leadingZeroBitCount
        return count - lead < width ? lead : count
    }
}
