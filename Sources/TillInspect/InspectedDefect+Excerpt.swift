import TillCore
import TillInput
import TillJSON
import TillReceipts
import TillReportModel

extension InspectedDefect {
    /// A diagnostic of the reader, with the bytes of `layer` around its offset.
    ///
    /// Letters and digits of a text that may hold something private are masked, unless `showsPrivate`.
    init(_ diagnostic: Diagnostic, in layer: DocumentTrace.Layer?, showsPrivate: Bool) {
        self.init(
            code: diagnostic.code,
            reason: diagnostic.reason,
            path: diagnostic.path,
            offset: diagnostic.innerOffset,
            excerpt: layer.flatMap { Self.excerpt(of: $0, at: diagnostic.innerOffset, showsPrivate: showsPrivate) }
        )
    }

    /// An error of a parser, in bytes that begin at `base`.
    init(_ error: Finding, at base: Int = 0) {
        self.init(code: error.code, reason: error.reason, offset: base + error.offset)
    }

    private static func excerpt(
        of layer: DocumentTrace.Layer,
        at offset: Int,
        showsPrivate: Bool
    ) -> InspectedDefect.Excerpt? {
        guard offset >= 0, offset <= layer.bytes.count, !layer.bytes.isEmpty else { return nil }
        guard layer.kind != .binary else { return octets(layer.bytes, at: offset) }
        let start = max(0, offset - 30)
        let window = layer.bytes[start..<min(layer.bytes.count, offset + 20)]
        let isEncoded = [.base64, .jws, .pem, .cell].contains(layer.kind) && Privacy.isOpaque(layer.bytes)
        let hides = !showsPrivate && (isEncoded || Privacy.isMentioned(in: layer.bytes))
        var text = start > 0 ? "… " : ""
        let lead = text.count + offset - start
        for (index, byte) in zip(window.indices, window) {
            let isHidden = hides || !showsPrivate && Privacy.isInRun(layer.bytes, index)
            let isWord = (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
            let shown = (0x20..<0x7F).contains(byte) ? Character(Unicode.Scalar(byte)) : "·"
            text.append(isHidden && isWord ? "*" : shown)
        }
        return Excerpt(text: text, lead: lead, width: 1)
    }

    /// The octets from the defect on, in hexadecimal.
    private static func octets(_ bytes: [UInt8], at offset: Int) -> InspectedDefect.Excerpt {
        let start = max(0, min(offset, bytes.count - 1))
        let window = bytes[start..<min(bytes.count, start + 12)]
        let text = window.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
        let lead = start > 0 ? "… " : ""
        return Excerpt(text: lead + text, lead: lead.count + (offset > start ? text.count + 1 : 0), width: 2)
    }
}
