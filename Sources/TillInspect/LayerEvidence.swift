import TillInput
import TillReceipts
import TillReportModel

/// Names the layers of a document, and gives the evidence for each in words.
enum LayerEvidence {
    static func name(_ layer: DocumentTrace.Layer) -> String { words(layer).name }

    private static func words(_ layer: DocumentTrace.Layer) -> (name: String, evidence: () -> String) {
        let bytes = layer.bytes
        let isXML = bytes.first == 0x3C
        let name = layer.kind.name
        return switch (layer.kind, layer.format) {
        case (.object, _) where bytes.first { $0 > 0x20 } == 0x5B: ("JSON array", { "begins with `[`" })
        case (.object, _): (name, { "begins with `{`" })
        case (.string, _) where bytes.first == 0x22: (name, { "begins with a quote" })
        case (.string, _): (name, { "a string with escapes such as `\\\"`" })
        case (.escapes, _): (name, { "the quotes in it are escaped" })
        case (.percent, _): (name, { "percent escapes: \(bytes.count { $0 == 0x25 })" })
        case (.hexadecimal, _): (name, { "digits and letters up to F, two for each byte" })
        case (.typed, _):
            (
                name,
                { "objects whose only member is a type, such as `{\"S\": …}`, or members that are JSON in a string" }
            )
        case (.pem, _): (name, { label(bytes) })
        case (.base64, _): (name, { base64(bytes) })
        case (.gzip, _): (name, { "begins with the magic bytes of gzip" })
        case (.zlib, _): (name, { "begins with the header of zlib" })
        case (.bytes, _): (name, { "numbers up to 255" })
        case (.literal, _): (name, { "quotes, signs or words that JSON does not have" })
        case (.dataURI, _): (name, { "begins with `data:`" })
        case (.form, _): (name, { "names and values with `=` and `&`" })
        case (.jws, _): (name, { "segments with periods between them, the first begins as base64url of `{`" })
        case (.text, LegacyFormat.name) where isXML:
            ("XML property list", { "an XML declaration, document type or <plist>" })
        case (.text, LegacyFormat.name): ("ASCII property list", { "`{`, a key and `=`" })
        case (.text, EventFormat.name): ("log entry", { "names an error domain and a code, as clients log them" })
        case (.text, _): (name, { "text around a document" })
        case (.binary, _): (name, { begins(bytes) })
        case (.cell, _): (name, { "a cell in the column of documents" })
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
            let (name, evidence) = words(layer)
            layers.append(.init(name: name, evidence: place + evidence(), byteCount: layer.bytes.count))
        }
        if trace.layers.isEmpty {
            layers.append(.init(name: "text", evidence: "nothing was recognised in it", byteCount: trace.raw.count))
        }
        let decision = decision(trace, forcedFormat: forcedFormat)
        layers.append(.init(name: trace.format ?? "nothing", evidence: decision, byteCount: nil))
        return layers
    }

    /// The reason for the detected format.
    private static func decision(_ trace: DocumentTrace, forcedFormat: String?) -> String {
        guard let format = trace.format, let type = ReceiptFormatRegistry.format(named: format) else {
            return forcedFormat.map { "--from \($0) was asked for, and nothing shows a receipt" }
                ?? "nothing shows a receipt, response or event of any kind"
        }
        var reason = type.summary
        if let inner = trace.layers.last(where: { $0.format != nil }) {
            switch inner.kind {
            case .object:
                let key = JSONDescriber.firstMember(of: inner.bytes, among: type.jsonKeys)
                reason += key.map { "; known by the member `\($0)`" } ?? "; no member shows it"
            case .binary: reason += "; known by the object identifier of signed data"
            case .text: reason += "; known by how the text begins"
            default: break
            }
        }
        guard let forcedFormat else { return reason }
        return reason + "; --from \(forcedFormat) was asked for" + (forcedFormat == format ? "" : ", which this is not")
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
        let text = bytes.prefix((bytes.lastIndex { $0 > 0x20 } ?? 0) + 1)
        func count(_ wanted: UInt8...) -> Int { text.count { wanted.contains($0) } }
        let (spaces, escapes, lineFeeds) = (count(0x20), count(0x25), count(0x0A))
        let digits = text.count { $0 > 0x20 && $0 != 0x3D } - escapes * 2
        var parts = [count(0x2D, 0x5F) > 0 ? "URL-safe alphabet" : "standard alphabet"]
        parts.append(lineFeeds > 0 ? "\(lineFeeds + 1) lines" : "one line")
        if spaces > 0 { parts.append("repaired: \(spaces) spaces read as +") }
        if escapes > 0 { parts.append("repaired: \(escapes) percent escapes undone") }
        if count(0x3D) == 0, digits % 4 != 0 { parts.append("repaired: padding is missing") }
        return parts.joined(separator: ", ")
    }
}
