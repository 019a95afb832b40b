import TillInput
import TillRows

/// Texts whose document may stand in hexadecimal digits.
extension DocumentReader {
    /// Decodes a text as the document that its digits are, or else as it stands.
    mutating func decode(text: RawSpan, _ document: inout DocumentState, into rows: inout RowBatch) throws {
        guard Hexadecimal.recognizes(text) else { return try unwrapper.decode(text: text, &document, into: &rows) }
        var octets: [UInt8] = []
        swap(&octets, &hexadecimalOctets)
        defer { swap(&octets, &hexadecimalOctets) }
        document.markWrapped()
        try Hexadecimal.decode(text, into: &octets)
        try document.takeOffLayer()
        try unwrapper.decoder.decode(binary: octets.span.bytes, &document, into: &rows)
    }
}
