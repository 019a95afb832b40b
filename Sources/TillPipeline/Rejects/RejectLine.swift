import TillCore
import TillInput
import TillJSON
import TillReceipts

/// Writes a reject as one line of NDJSON, in the form of DESIGN §4.
enum RejectLine {
    /// Bytes of the document that are turned into text at once: as JSON they can become six times as many.
    private static let blockSize = 48 << 10

    /// Gives the line to `emit`, piece by piece, so that a long document is not copied as a whole.
    ///
    /// - Parameter withRaw: whether the document itself is written; its secrets never are.
    static func write<Failure: Error>(
        _ reject: Reject,
        withRaw: Bool,
        to emit: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        var line = head(of: reject)
        if withRaw {
            let raw = RedactedText(reject.raw)
            let isText = (try? UTF8Span(validating: reject.raw.span)) != nil
            line += ",\"raw\":\"".utf8
            try emit(line)
            // The beginning of a character that the next block ends.
            var held: [UInt8] = []
            try raw.forEachBlock(of: blockSize) { block throws(Failure) in
                line.removeAll(keepingCapacity: true)
                if isText {
                    let text = held.isEmpty ? block : held + block
                    let end = text.endOfWholeCharacters
                    line.appendJSON(escaping: text[..<end])
                    held = Array(text[end...])
                } else {
                    line += Base64.encode(block)
                }
                try emit(line)
            }
            line = Array("\",\"raw_encoding\":\"\(isText ? "utf8" : "base64")\"".utf8)
        }
        try emit(line + Array("}\n".utf8))
    }

    /// The line as a whole.
    static func text(of reject: Reject, withRaw: Bool) -> [UInt8] {
        var line: [UInt8] = []
        write(reject, withRaw: withRaw) { line += $0 }
        return line
    }

    private static func head(of reject: Reject) -> [UInt8] {
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
        return line
    }
}

/// A raw document with its secrets masked, read without a copy of it.
struct RedactedText {
    private let raw: [UInt8]
    private let edits: [Redaction.Edit]

    init(_ raw: [UInt8]) {
        self.raw = raw
        edits = Redaction.edits(in: raw.span.bytes)
    }

    /// Gives the text in blocks of `size` bytes, the last one shorter.
    func forEachBlock<Failure: Error>(
        of size: Int,
        _ body: ([UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
        var block: [UInt8] = []
        block.reserveCapacity(size)
        func take(_ bytes: ArraySlice<UInt8>) throws(Failure) {
            var rest = bytes
            while !rest.isEmpty {
                let count = min(rest.count, size - block.count)
                block += rest.prefix(count)
                rest = rest.dropFirst(count)
                guard block.count == size else { continue }
                try body(block)
                block.removeAll(keepingCapacity: true)
            }
        }
        var copied = 0
        for edit in edits {
            try take(raw[copied..<edit.range.lowerBound])
            try take(edit.text[...])
            copied = edit.range.upperBound
        }
        try take(raw[copied...])
        if !block.isEmpty { try body(block) }
    }
}

extension [UInt8] {
    /// Where the last character ends that is whole, in UTF-8 that may be cut anywhere.
    fileprivate var endOfWholeCharacters: Int {
        guard let lead = indices.suffix(3).last(where: { self[$0] & 0xC0 != 0x80 }), self[lead] >= 0xC0 else {
            return count
        }
        let width = (~self[lead]).leadingZeroBitCount
        return count - lead < width ? lead : count
    }
}
