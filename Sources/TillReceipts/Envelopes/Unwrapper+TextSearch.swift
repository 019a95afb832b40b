import TillCore
import TillInput
import TillJSON
import TillRows

/// Finds the documents in text: in the string of a member, or in a line that is no document itself.
///
///     eyJ…                                              a JWS of Apple's
///     MIIT…    -----BEGIN PKCS7-----    {"signature" = …    a receipt
///     {"status":0,…}    [{…},{…}]    {\"status\":0,…}    JSON, also escaped once more
///     eyJzdGF0dXMiOjB9    H4sI…                          base64 of any of them, or of gzip
///     data:application/json;base64,…                    a data URI (RFC 2397)
///     receipt-data=MII…&password=…                      a form (WHATWG URL §5)
///     2026-03-02T10:15:00Z web[12]: received {…}        a line around any of them
extension Unwrapper {
    /// Searches a text, its escapes undone.
    mutating func documents(inText text: RawSpan, depth: Int, rows: inout RowBatch) -> Search {
        guard let body = text.trimmed, body.byteCount >= Self.shortestText, mayEnter(depth, spending: body.byteCount)
        else { return Search() }
        if let found = document(whole: body) { return found }
        switch body.byte(0) {
        case 0x7B, 0x5B, 0x22:
            if let found = documents(inJSON: body, depth: depth, rows: &rows) { return found }
            if let found = documents(inEscaped: body, depth: depth, rows: &rows) { return found }
        default:
            if let found = documents(encodedIn: body, depth: depth, rows: &rows) { return found }
        }
        var found =
            inside(.text, of: body, isCertain: false) { unwrapper in
                unwrapper.documents(amid: body, depth: depth, rows: &rows)
            } ?? Search()
        // An object says more than a receipt in it, which shows through other escapes.
        if !found.holdsObjects, let unescaped = documents(inEscapesOf: body, depth: depth, rows: &rows),
            found.documents.isEmpty || unescaped.holdsObjects
        {
            return unescaped
        }
        if found.documents.isEmpty, let format = FormatDetector.detect(text: body) {
            let kind: FoundDocument.Kind = format.type == EventFormat.self ? .logLine : .receipt
            (found.documents, found.broken) = ([FoundDocument(kind: kind, text: body.copied)], [])
        }
        if found.results.isEmpty, body.beginsLikeDocument {
            found.nearMisses = [FoundDocument(kind: .other, text: body.copied)]
        }
        return found
    }

    /// A text that is a JWS or a receipt and nothing else; nothing, but not `nil`, for a JWS of something else.
    mutating func document(whole text: RawSpan) -> Search? {
        if text.isCompactJWS {
            switch signedKind(of: text) {
            case .apple: return Search(documents: [FoundDocument(kind: .signed, text: text.copied)])
            case .broken: return Search(nearMisses: [FoundDocument(kind: .signed, text: text.copied)])
            case .other: return Search()
            }
        }
        // The certificates of a JWS whose header was decoded.
        if text.isOtherDER { return Search() }
        let isPEM = text.hasPrefix("-----BEGIN")
        if isPEM || Hexadecimal.recognizes(text)
            || text.byte(0) != 0x7B && text.beginsLikeDocument && !CompactJWS.recognizes(text)
        {
            return Search(documents: [FoundDocument(kind: .receipt, text: text.copied)])
        }
        return nil
    }

    private enum SignedKind { case apple, other, broken }

    /// Whether the payload of a JWS is one of Apple's. API tokens are JWS too, and are in the same traffic.
    private mutating func signedKind(of text: RawSpan) -> SignedKind {
        var kind = SignedKind.broken
        withBuffer { unwrapper, payload in
            guard let limit = try? unwrapper.envelopes.decode(text, payload: &payload) else { return }
            let cursor = JSONCursor(payload.span.bytes, limit: limit)
            guard let format = try? unwrapper.decoder.detector.find(in: cursor) else {
                kind = .other
                return
            }
            kind = format.type.readsSignedPayloads ? .apple : .other
        }
        return kind
    }

    /// The documents in JSON values, one after the other; `nil` if the text is anything else.
    mutating func documents(inJSON text: RawSpan, depth: Int, rows: inout RowBatch) -> Search? {
        var bytes = text.copied
        bytes.append(contentsOf: repeatElement(0, count: JSONCursor.padding))
        var cursor = JSONCursor(bytes.span.bytes, limit: text.byteCount)
        let isString = text.byte(0) == 0x22
        return inside(isString ? .string : .object, of: text, isCertain: !isString) { unwrapper in
            var all = Search()
            repeat {
                guard
                    let found = try? unwrapper.search(
                        value: &cursor,
                        isNamed: isString,
                        depth: depth + 1,
                        rows: &rows
                    )
                else { return nil }
                all.append(found)
                cursor.skipWhitespace()
            } while cursor.position < cursor.limit
            return all
        }
    }

    /// The documents in JSON whose quotes are escaped, as where JSON was put into a string by hand: `{\"status\":0}`.
    private mutating func documents(inEscaped text: RawSpan, depth: Int, rows: inout RowBatch) -> Search? {
        guard text.beginsEscapedJSON(at: 0) else { return nil }
        let (unescaped, _) = text.unescaped(from: 0)
        return inside(.escapes, of: text, isCertain: false) { unwrapper in
            unwrapper.documents(inText: unescaped.span.bytes, depth: depth + 1, rows: &rows)
        }
    }

    /// The documents in text that as a whole is JSON in other characters: an object of a program, or JSON with its
    /// quotes escaped.
    mutating func documents(inNotationOf text: RawSpan, keepsLayers: Bool, rows: inout RowBatch) -> [FoundDocument] {
        beginSearch(ofText: text.byteCount, keepsLayers: keepsLayers)
        guard let body = text.trimmed, let (json, layer) = Self.json(inNotation: body) else { return [] }
        let found = inside(layer, of: text) { unwrapper in
            unwrapper.documents(inJSON: json.span.bytes, depth: 1, rows: &rows)
        }
        return found?.documents ?? []
    }

    private static func json(inNotation text: RawSpan) -> ([UInt8], DocumentTrace.Layer.Kind)? {
        if text.beginsEscapedJSON(at: 0) { return (text.unescaped(from: 0).text, .escapes) }
        if text.byteCount > 1, text.byte(1) == 0x5C { return (TextEscape.hexadecimal.undone(text), .escapes) }
        guard let literal = ProgramLiteral.json(text, at: 0), literal.end == text.byteCount else { return nil }
        return (literal.json, .literal)
    }

    /// The documents in text that is an encoding of another as a whole: a data URI, a form, base64.
    private mutating func documents(encodedIn text: RawSpan, depth: Int, rows: inout RowBatch) -> Search? {
        if let comma = text.endOfDataURIHead {
            let body = text.extracting(comma + 1..<text.byteCount)
            let isBase64 = text.extracting(0..<comma).ends(with: ";base64")
            return inside(.dataURI, of: text) { unwrapper in
                if isBase64 { return unwrapper.documents(inBase64: body, depth: depth, rows: &rows) ?? Search() }
                return unwrapper.documents(inPercentEncoded: body, depth: depth, rows: &rows)
            }
        }
        if let found = documents(inForm: text, depth: depth, rows: &rows) { return found }
        guard text.isBase64 else { return nil }
        return documents(inBase64: text, depth: depth, rows: &rows)
    }

    mutating func documents(inBase64 text: RawSpan, depth: Int, rows: inout RowBatch) -> Search? {
        var decoded: [UInt8] = []
        guard (try? Base64.decode(text, into: &decoded)) != nil, !decoded.isEmpty else { return nil }
        if Self.beginsLikeReceipt(decoded) {
            return Search(documents: [FoundDocument(kind: .receipt, text: text.copied)])
        }
        return inside(.base64, of: text) { unwrapper in
            unwrapper.documents(inOctets: decoded, depth: depth, rows: &rows)
        }
    }

    private static func beginsLikeReceipt(_ octets: [UInt8]) -> Bool {
        octets.count > 64 && octets[0] == 0x30 && octets[1] & 0x80 != 0
    }

    /// The documents in octets that were written in other characters: a receipt, compressed text, or text. `nil` if
    /// they are neither.
    mutating func documents(inOctets decoded: [UInt8], depth: Int, rows: inout RowBatch) -> Search? {
        if Self.beginsLikeReceipt(decoded) {
            return Search(documents: [FoundDocument(kind: .receipt, text: Base64.encode(decoded))])
        }
        if let compression = CompressedText(decoded) {
            let inflated: [UInt8]?
            do throws(CompressedText.TooLong) {
                inflated = try compression.inflate(decoded, limit: inflatable)
            } catch {
                hasLeftOut = true
                return nil
            }
            guard let inflated else { return nil }
            inflatable -= inflated.count
            searchable += inflated.count * Self.searchFactor
            return inside(compression.layer, of: decoded.span.bytes) { unwrapper in
                if Self.beginsLikeReceipt(inflated) {
                    return Search(documents: [FoundDocument(kind: .receipt, text: Base64.encode(inflated))])
                }
                return unwrapper.documents(inText: inflated.span.bytes, depth: depth + 1, rows: &rows)
            }
        }
        // A name can look like base64 too; its decoded bytes are not text.
        guard decoded.prefix(16).allSatisfy({ (0x20..<0x7F).contains($0) || (0x09...0x0D).contains($0) }) else {
            return nil
        }
        return documents(inText: decoded.span.bytes, depth: depth + 1, rows: &rows)
    }

    /// The documents in text whose quotes are escaped in one of the ways of ``TextEscape``; `nil` if none is found.
    /// Lines about failures are not searched here: they are read from the unescaped text.
    private mutating func documents(inEscapesOf text: RawSpan, depth: Int, rows: inout RowBatch) -> Search? {
        guard searchesNotations else { return nil }
        for escape in TextEscape.allCases where escape.isIn(text) {
            if escape == .percent {
                let found = documents(inPercentEncoded: text, depth: depth, rows: &rows)
                if found.holdsMoreThanLines { return found }
                continue
            }
            let unescaped = escape.undone(text)
            let found = inside(.escapes, of: text, isCertain: false) { unwrapper in
                unwrapper.documents(inText: unescaped.span.bytes, depth: depth + 1, rows: &rows)
            }
            if let found, found.holdsMoreThanLines { return found }
        }
        return nil
    }

    /// The documents in text that may be percent-encoded.
    mutating func documents(inPercentEncoded text: RawSpan, depth: Int, rows: inout RowBatch) -> Search {
        let decoded = text.percentDecoded()
        if decoded.count == text.byteCount { return documents(inText: text, depth: depth + 1, rows: &rows) }
        return inside(.percent, of: text, isCertain: false) { unwrapper in
            // Read with its `+`, an object whose spaces these are is broken, and only parts of it are found.
            if let json = FormObject.json(in: text, decoded: decoded) {
                return unwrapper.documents(inText: json.span.bytes, depth: depth + 1, rows: &rows)
            }
            let found = unwrapper.documents(inText: decoded.span.bytes, depth: depth + 1, rows: &rows)
            guard found.documents.isEmpty, text.firstIndex(of: 0x2B, from: 0, to: text.byteCount) != nil else {
                return found
            }
            // Forms write a space so, and dumps of forms leave it in base64.
            let spaced = text.percentDecoded(plusIsSpace: true)
            return unwrapper.documents(inText: spaced.span.bytes, depth: depth + 1, rows: &rows)
        } ?? Search()
    }
}

extension RawSpan {
    /// The text without the white space around it; `nil` if there is no other.
    @_lifetime(copy self)
    fileprivate borrowing func trimmedSpan() -> RawSpan? {
        var (start, end) = (0, byteCount)
        while start < end, byte(start) <= 0x20 { start += 1 }
        while end > start, byte(end - 1) <= 0x20 { end -= 1 }
        return start < end ? extracting(start..<end) : nil
    }

    fileprivate var trimmed: RawSpan? {
        @_lifetime(copy self)
        get { trimmedSpan() }
    }

    var copied: [UInt8] { withUnsafeBytes(Array.init) }

    func hasPrefix(_ text: StaticString, at start: Int = 0) -> Bool {
        start + text.utf8CodeUnitCount <= byteCount
            && extracting(start..<start + text.utf8CodeUnitCount).equals(text)
    }

    /// Whether all of the text is a compact JWS.
    fileprivate var isCompactJWS: Bool {
        CompactJWS.recognizes(self) && periodsOfJWS == 2
    }

    /// Whether all of the text is digits of base64, padding and line ends.
    fileprivate var isBase64: Bool {
        guard byteCount >= 16 else { return false }
        var index = endOfDigits(from: 0)
        while index < byteCount {
            guard [0x0A, 0x0D, 0x3D].contains(byte(index)) else { return false }
            index = endOfDigits(from: index + 1)
        }
        return true
    }

    /// The comma before the data of a data URI; `nil` if the text is none.
    ///
    ///     dataurl = "data:" [ mediatype ] [ ";base64" ] "," data        (RFC 2397 §3; a media type has no spaces)
    fileprivate var endOfDataURIHead: Int? {
        guard hasPrefix("data:"), let comma = firstIndex(of: 0x2C, from: 0, to: min(byteCount, 256)),
            (0..<comma).allSatisfy({ (0x21..<0x7B).contains(byte($0)) && byte($0) != 0x22 })
        else { return nil }
        return comma
    }

    /// Whether JSON begins at an index whose quotes are escaped.
    func beginsEscapedJSON(at index: Int) -> Bool {
        guard index + 2 < byteCount, byte(index) == 0x7B || byte(index) == 0x5B else { return false }
        let next = byte(index) == 0x5B && byte(index + 1) == 0x7B ? index + 2 : index + 1
        return next + 1 < byteCount && byte(next) == 0x5C && byte(next + 1) == 0x22
    }

    /// The text from `start` with its backslashes taken off, up to the quote that ends the string in which it stands;
    /// and the index of that quote, or of the end.
    func unescaped(from start: Int) -> (text: [UInt8], end: Int) {
        var text: [UInt8] = []
        text.reserveCapacity(byteCount - start)
        var index = start
        while index < byteCount, byte(index) != 0x22 {
            if byte(index) == 0x5C, index + 1 < byteCount {
                switch byte(index + 1) {
                // Escapes that are part of the JSON inside stay.
                case 0x6E: text.append(0x0A)
                case 0x72: text.append(0x0D)
                case 0x74: text.append(0x09)
                case 0x22, 0x5C, 0x2F: text.append(byte(index + 1))
                default: text += [0x5C, byte(index + 1)]
                }
                index += 2
            } else {
                text.append(byte(index))
                index += 1
            }
        }
        return (text, index)
    }

    /// The text with its percent-encoding undone (RFC 3986 §2.1). A `+`, which is a digit of base64, stays unless it is
    /// a space.
    func percentDecoded(plusIsSpace: Bool = false) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(byteCount)
        var index = 0
        while index < byteCount {
            if byte(index) == 0x25, index + 2 < byteCount, let high = byte(index + 1).hexadecimalValue,
                let low = byte(index + 2).hexadecimalValue
            {
                text.append(UInt8(high << 4 | low))
                index += 3
            } else {
                text.append(plusIsSpace && byte(index) == 0x2B ? 0x20 : byte(index))
                index += 1
            }
        }
        return text
    }
}

extension UInt8 {
    /// Whether it is a digit of base64 in either alphabet, or padding.
    var isBase64Digit: Bool {
        switch self {
        case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2B, 0x2F, 0x2D, 0x5F, 0x3D: true
        default: false
        }
    }
}

extension CompressedText {
    /// The layer as which it is named.
    var layer: DocumentTrace.Layer.Kind {
        switch self {
        case .gzip: .gzip
        case .zlib: .zlib
        }
    }
}
