import TillInput
import TillReceipts
import TillReportModel

/// Names the layers of a document, and gives the evidence for each in words.
enum LayerEvidence {
    static func name(_ layer: DocumentTrace.Layer) -> String {
        switch layer.kind {
        case .object: "JSON object"
        case .string: "JSON string"
        case .pem: "PEM"
        case .base64: "base64"
        case .jws: "JWS"
        case .text:
            switch layer.format {
            case LegacyFormat.name: layer.bytes.first == 0x3C ? "XML property list" : "ASCII property list"
            case EventFormat.name: "log entry"
            default: "text"
            }
        case .binary: "BER"
        case .cell: "CSV cell"
        }
    }

    static func layers(
        of trace: DocumentTrace,
        compression: String?,
        forcedFormat: String?
    ) -> [InspectedDocument.Layer] {
        var layers: [InspectedDocument.Layer] = []
        if let compression {
            let evidence = "the source begins with the magic bytes of \(compression)"
            layers.append(.init(name: compression, evidence: evidence, byteCount: nil))
        }
        for (index, layer) in trace.layers.enumerated() {
            // The reader tries base64 last. If it found no document there, the layer is plain text.
            if index == trace.layers.count - 1, layer.kind == .base64, trace.format == nil {
                let evidence = "neither JSON nor a property list nor a log entry, nor base64 of any of these or of DER"
                layers.append(.init(name: "text", evidence: evidence, byteCount: layer.bytes.count))
                continue
            }
            let place = layer.member.map { "in `\($0)`: " } ?? ""
            layers.append(.init(name: name(layer), evidence: place + evidence(layer), byteCount: layer.bytes.count))
        }
        if trace.layers.isEmpty {
            layers.append(.init(name: "text", evidence: "nothing was recognised in it", byteCount: trace.raw.count))
        }
        let decision = decision(trace, forcedFormat: forcedFormat)
        layers.append(.init(name: trace.format ?? "nothing", evidence: decision, byteCount: nil))
        return layers
    }

    /// Why the document was read as its format.
    private static func decision(_ trace: DocumentTrace, forcedFormat: String?) -> String {
        guard let format = trace.format, let type = ReceiptFormatRegistry.format(named: format) else {
            return forcedFormat.map { "--from \($0) was asked for, and nothing shows a receipt" }
                ?? "nothing shows a receipt, response or event of any kind"
        }
        var reason = type.summary
        if let inner = trace.layers.last(where: { $0.format != nil }) {
            switch inner.kind {
            case .object where !inner.path.isEmpty:
                reason += "; the object in `\(inner.path.joined(separator: " › "))`"
            case .object:
                let key = JSONDescriber.firstMember(of: inner.bytes, among: type.jsonKeys)
                reason += key.map { "; told by the member `\($0)`" } ?? "; no member tells it"
            case .binary: reason += "; told by the object identifier of signed data"
            case .text: reason += "; told by how the text begins"
            default: break
            }
        }
        guard let forcedFormat else { return reason }
        return reason + "; --from \(forcedFormat) was asked for" + (forcedFormat == format ? "" : ", which this is not")
    }

    private static func evidence(_ layer: DocumentTrace.Layer) -> String {
        switch layer.kind {
        case .object: "begins with `{`"
        case .string: "begins with a quote"
        case .pem: label(layer.bytes)
        case .base64: base64(layer.bytes)
        case .jws: "segments with periods between them, the first begins as base64url of `{`"
        case .text where layer.format == LegacyFormat.name:
            layer.bytes.first == 0x3C ? "an XML declaration, document type or <plist>" : "`{`, a key and `=`"
        case .text: "names an error domain and a code, as clients log them"
        case .binary: begins(layer.bytes)
        case .cell: "a cell in the column of documents"
        }
    }

    private static func label(_ bytes: [UInt8]) -> String {
        let end = bytes.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? min(bytes.count, 64)
        return String(decoding: bytes[..<min(end, 64)], as: UTF8.self)
    }

    private static func begins(_ bytes: [UInt8]) -> String {
        guard bytes.count > 1, bytes[0] == 0x30 else { return "no SEQUENCE" }
        let isIndefinite = bytes[1] == 0x80
        return "a SEQUENCE" + (isIndefinite ? " of indefinite length: BER, as Xcode writes it" : " of definite length")
    }

    /// The alphabet of base64, its lines, and its repairs.
    private static func base64(_ bytes: [UInt8]) -> String {
        var (urlSafe, spaces, encoded, lines, padding, digits) = (0, 0, 0, 0, 0, 0)
        let end = bytes.lastIndex { $0 > 0x20 } ?? 0
        for (index, byte) in bytes.enumerated() where index <= end {
            switch byte {
            case 0x2D, 0x5F: urlSafe += 1
            case 0x20: spaces += 1
            case 0x25: encoded += 1
            case 0x0A: lines += 1
            case 0x3D: padding += 1
            default: break
            }
            if byte > 0x20, byte != 0x3D { digits += 1 }
        }
        var parts = [urlSafe > 0 ? "URL-safe alphabet" : "standard alphabet"]
        parts.append(lines > 0 ? "\(lines + 1) lines" : "one line")
        if spaces > 0 { parts.append("repaired: \(spaces) spaces read as +") }
        if encoded > 0 { parts.append("repaired: \(encoded) percent escapes undone") }
        if padding == 0, (digits - encoded * 2) % 4 != 0 { parts.append("repaired: padding is missing") }
        return parts.joined(separator: ", ")
    }
}
