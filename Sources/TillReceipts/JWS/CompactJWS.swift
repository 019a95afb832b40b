import TillCore
import TillInput
import TillJSON

/// A JSON Web Signature in its compact form (RFC 7515 §3.1, §7.1).
///
///     eyJhbGciOiJFUzI1NiIs… . eyJ0cmFuc2FjdGlvbklkIjoi… . TWFu…
///     BASE64URL(header)       BASE64URL(payload)          BASE64URL(signature)
///
/// The signature is decoded to validate its encoding; ``SignatureChecker`` checks it, on the unchanged text.
struct CompactJWS {
    /// Kept, so that a document costs no more than its payload.
    private var header: [UInt8] = []
    /// Where in the text the last one's first two segments, and its third, lie.
    private var parts = (signed: 0..<0, signature: 0..<0)
    private var signature: [UInt8] = []
    private static let period: UInt8 = 0x2E

    /// Whether the text begins as the base64url of a JSON object does, with a period behind it.
    ///
    /// The first digit has six bits of the object's `{` and the second digit has two, so the text begins with `ew`,
    /// `ex`, `ey` or `ez`.
    static func recognizes(_ text: RawSpan) -> Bool {
        guard text.byteCount > 2, text.byte(0) == 0x65, (0x77...0x7A).contains(text.byte(1)) else { return false }
        var index = text.endOfDigits(from: 2)
        while index < text.byteCount, text.byte(index) == 0x3D { index = text.endOfDigits(from: index + 1) }
        return index < text.byteCount && text.byte(index) == 0x2E
    }

    /// Digits of the signature ES256, 64 octets (RFC 7518 §3.4).
    private static let signatureCount = 86

    /// Whether other text stands behind a text that begins as a JWS does. A JWS ends before a space or a tab, and
    /// before a line feed behind a whole signature.
    static func isFollowed(_ text: RawSpan) -> Bool {
        var end = text.byteCount
        while end > 0, text.byte(end - 1) <= 0x20 { end -= 1 }
        // Nearly all are alone: four searches cost less than a walk over the segments.
        guard [0x20, 0x09, 0x0A, 0x0D].contains(where: { text.firstIndex(of: $0, from: 0, to: end) != nil }) else {
            return false
        }
        var (index, periods, digits) = (0, 0, 0)
        while index < text.byteCount {
            let byte = text.byte(index)
            if byte == period {
                (periods, digits) = (periods + 1, 0)
            } else if byte > 0x20 {
                let end = max(index + 1, text.endOfDigits(from: index))
                digits += end - index
                index = end
                continue
            } else if byte == 0x20 || byte == 0x09 || periods == 2 && digits >= signatureCount {
                return text.extracting(index..<text.byteCount).firstNonSpaceIndex != nil
            }
            index += 1
        }
        return false
    }

    /// Decodes all three segments; the payload goes to `payload`, which is cleared, with ``JSONCursor/padding`` zeros
    /// behind it.
    ///
    /// - Returns: the length of the payload.
    mutating func decode(_ text: RawSpan, payload: inout [UInt8]) throws(Finding) -> Int {
        var end = text.byteCount
        while end > 0, text.byte(end - 1) <= 0x20 { end -= 1 }
        guard let first = text.firstIndex(of: Self.period, from: 0, to: end),
            let second = text.firstIndex(of: Self.period, from: first + 1, to: end)
        else { throw Finding(.segments, at: end) }
        guard first > 0, second > first + 1 else { throw Finding(.segments, at: first) }
        if let third = text.firstIndex(of: Self.period, from: second + 1, to: end) {
            throw Finding(.segments, at: third)
        }
        parts = (0..<second, second + 1..<end)
        try Self.decode(text, 0..<first, into: &header)
        try Self.checkHeader(&header)
        try Self.decode(text, second + 1..<end, into: &signature)
        try Self.decode(text, first + 1..<second, into: &payload)
        let count = payload.count
        payload.append(contentsOf: repeatElement(0, count: JSONCursor.padding))
        return count
    }

    /// The finding of `checker` about the signature of the JWS that was decoded last, from the same `text`.
    func finding(of text: RawSpan, by checker: any SignatureChecker) -> SignatureFinding {
        checker.finding(
            jws: header.span.bytes.extracting(0..<header.count - JSONCursor.padding),
            signingInput: text.extracting(parts.signed),
            signature: text.extracting(parts.signature)
        )
    }

    private static func decode(_ text: RawSpan, _ segment: Range<Int>, into output: inout [UInt8]) throws(Finding) {
        do {
            try Base64.decode(text.extracting(segment), into: &output)
        } catch {
            throw error.at(segment.lowerBound + error.offset)
        }
    }

    /// The header is a JSON object and nothing else.
    private static func checkHeader(_ header: inout [UInt8]) throws(Finding) {
        let limit = header.count
        header.append(contentsOf: repeatElement(0, count: JSONCursor.padding))
        var cursor = JSONCursor(header.span.bytes, limit: limit)
        cursor.skipWhitespace()
        guard cursor.byte(cursor.position) == 0x7B else { throw Finding(.header) }
        do {
            try cursor.skipContainer()
        } catch {
            throw Finding(.header)
        }
        cursor.skipWhitespace()
        guard cursor.position == limit else { throw Finding(.header) }
    }
}
