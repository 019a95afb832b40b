import TillCore
import TillInput
import TillJSON
import TillRows

/// Layers that are text, and the binary documents inside them.
extension Unwrapper {
    /// Decodes a document that is text: a JWS, PEM, text in the notation of a format, JSON, or base64 of any of them.
    mutating func decode(text: RawSpan, _ document: inout DocumentState, into rows: inout RowBatch) throws(Finding) {
        guard let envelope = document.envelope, envelope.environment != nil || envelope.bundleID != nil else {
            return try decode(plainText: text, &document, into: &rows)
        }
        // The rows get values of the text around the document, so they are not those of the same text elsewhere.
        let cache = rows.duplicates.cache
        rows.duplicates.cache = nil
        defer { rows.duplicates.cache = cache }
        try decode(plainText: text, &document, into: &rows)
    }

    private mutating func decode(
        plainText text: RawSpan,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
        guard let start = text.firstNonSpaceIndex else { throw Finding(.empty) }
        let body = text.extracting(start..<text.byteCount)
        if Hexadecimal.recognizes(body) { return try decode(hexadecimal: body, &document, into: &rows) }
        if body.byte(0) == 0x30, document.earlier != nil,
            Framer.start(in: text, at: start, limit: text.byteCount) == .der
        {
            return try decoder.decode(binary: body, &document, into: &rows)
        }
        let isJWS = CompactJWS.recognizes(body)
        // Without words behind it, which are no part of its signature.
        if isJWS, !CompactJWS.isFollowed(body) { return try decode(jws: body, &document, into: &rows) }
        if Framer.start(in: body, at: 0, limit: body.byteCount) == .pem {
            return try decode(pem: body, &document, into: &rows)
        }
        let format = FormatDetector.detect(text: body)
        if let format, format.type != EventFormat.self { return try decode(body, as: format, &document, into: &rows) }
        if format == nil, body.beginsLikeJSON { return try decode(jsonText: text, &document, into: &rows) }
        if isJWS || !body.beginsLikeSequence && !body.beginsLikeBase64,
            isJWS || Self.mayHoldDocument(body) || format == nil && Self.mayHoldNotation(body)
        {
            // A document has more data than the line around it, even if the line is about a failure.
            beginSearch(ofText: body.byteCount, keepsLayers: document.keepsTrace)
            // Other content of a line about a failure is printed as JSON, and there are many such lines.
            searchesNotations = format == nil
            let found = documents(inText: body, depth: 0, rows: &rows).results
            if found.isEmpty, deepest.count > 0 { document.opened = deepest }
            if let first = found.first, found.contains(where: { $0.kind != .logLine }) || format == nil {
                document.keep(counted(found).dropFirst())
                return try decode(first, &document, into: &rows)
            }
        }
        if let format { return try decode(body, as: format, &document, into: &rows) }
        if isJWS { return try decode(jws: body, &document, into: &rows) }
        document.record(.base64, body)
        do {
            try decode(base64: text, &document, into: &rows)
        } catch  where error.cause == .invalidBase64 {
            // Words behind a receipt are looked for only here: most lines have none.
            guard let end = body.endOfBase64BeforeWords else { throw error }
            let rest = body.extracting(end..<body.byteCount)
            beginSearch(ofText: rest.byteCount, keepsLayers: false)
            document.keep(counted(documents(inText: rest, depth: 0, rows: &rows).results)[...])
            try decode(base64: body.extracting(0..<end), &document, into: &rows)
        }
    }

    /// Decodes a binary document in hexadecimal digits, as databases print it.
    private mutating func decode(
        hexadecimal text: RawSpan,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
        document.markWrapped()
        document.record(.hexadecimal, text)
        try withBuffer { unwrapper, octets throws(Finding) in
            try Hexadecimal.decode(text, into: &octets)
            try document.takeOffLayer()
            try unwrapper.decoder.decode(binary: octets.span.bytes, &document, into: &rows)
        }
    }

    /// Decodes the document in the first PEM block of a text.
    private mutating func decode(
        pem text: RawSpan,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
        let end = Framer.endOfPEM(in: text, at: 0, limit: text.byteCount, isFinal: true) ?? text.byteCount
        document.keepTrailing(text, from: end)
        document.record(.pem, text.extracting(0..<end))
        try document.takeOffLayer()
        try decode(text: text.extracting(Framer.pemBody(in: text, 0..<end)), &document, into: &rows)
    }

    /// Decodes text in the notation of a format.
    private mutating func decode(
        _ text: RawSpan,
        as format: FormatID,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
        document.begin(format)
        var end = text.byteCount
        // Text that is not wrapped ends with its frame; bytes behind a property list in it are an error of the list.
        if document.isWrapped, Framer.start(in: text, at: 0, limit: end) == .text {
            var lookahead = TextLookahead()
            end = Framer.endOfText(in: text, at: 0, limit: end, isFinal: true, lookahead: &lookahead) ?? end
        }
        document.keepTrailing(text, from: end)
        let body = text.extracting(0..<end)
        document.record(.text, body, format: format)
        guard let inner = try decoder.decode(text: body, as: format, into: &rows) else { return }
        // The same document in another notation, which does not count as a layer.
        document.appendWrapping(format.name)
        document.markWrapped()
        try decode(text: inner.span.bytes, &document, into: &rows)
    }

    /// Decodes text that is JSON; ``JSONCursor`` needs zeros behind it, so it is copied.
    mutating func decode(
        jsonText text: RawSpan,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
        document.markWrapped()
        let mark = rows.mark()
        try withBuffer { unwrapper, buffer throws(Finding) in
            text.withUnsafeBytes { buffer.append(contentsOf: $0) }
            buffer.append(contentsOf: repeatElement(0, count: JSONCursor.padding))
            var cursor = JSONCursor(buffer.span.bytes, limit: text.byteCount)
            var whole = cursor
            do throws(Finding) {
                try unwrapper.decode(json: &cursor, &document, into: &rows)
            } catch {
                // Where the text is valid JSON all the same, the bytes behind the value are a document of their own.
                whole.skipWhitespace()
                if (try? whole.skipValue()) != nil { document.keepTrailing(text, from: whole.position) }
                throw error
            }
            // As in the stream, the bytes behind a document may show that it is a piece of another.
            if rows.mayBePiece(from: mark), Framer.isPiece(0..<cursor.position, ofAll: text) {
                throw Finding(.fragment)
            }
            document.keepTrailing(text, from: cursor.position)
        }
    }

    /// Decodes base64 of DER or BER, or of text.
    private mutating func decode(
        base64 text: RawSpan,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
        try withBuffer { unwrapper, buffer throws(Finding) in
            decoding: do throws(Finding) {
                try Base64.decode(text, into: &buffer)
            } catch {
                if Self.decode(escapedBase64: text, into: &buffer) { break decoding }
                // Other text, which only looks like base64: the defect in its base64 is not the reason.
                if document.isBare, !text.beginsLikeBase64Receipt { throw Finding(.unrecognized) }
                throw error
            }
            document.markWrapped()
            try document.takeOffLayer()
            try unwrapper.decode(decoded: buffer.span.bytes, &document, into: &rows)
        }
    }

    /// Decodes base64 that still has the escapes of a string, such as `\n` for line ends and `\/`; `false` if it has
    /// other defects.
    private static func decode(escapedBase64 text: RawSpan, into buffer: inout [UInt8]) -> Bool {
        guard text.firstIndex(of: 0x5C, from: 0, to: text.byteCount) != nil else { return false }
        let (unescaped, end) = text.unescaped(from: 0)
        return end == text.byteCount && (try? Base64.decode(unescaped.span.bytes, into: &buffer)) != nil
    }

    private mutating func decode(
        decoded bytes: RawSpan,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
        guard var start = bytes.firstNonSpaceIndex else { throw Finding(.empty) }
        if bytes.byte(start) == 0x2F { start = LegacyFormat.startBehindComments(in: bytes, at: start) ?? start }
        if bytes.byte(start) == 0x30, bytes.byteCount < 2 || bytes.byte(1) & 0x80 != 0 {
            return try decoder.decode(binary: bytes, &document, into: &rows)
        }
        var end = bytes.byteCount
        // Zeros behind the text are those of a string of C.
        while end > start, bytes.byte(end - 1) == 0 { end -= 1 }
        let body = bytes.extracting(start..<end)
        let isText = CompactJWS.recognizes(body) || FormatDetector.detect(text: body) != nil || body.beginsLikeJSON
        guard isText || body.beginsLikeBase64Receipt || body.beginsLikeBase64 else {
            beginSearch(ofText: bytes.byteCount, keepsLayers: document.keepsTrace)
            guard let found = documents(inOctets: bytes.copied, depth: 0, rows: &rows) else {
                throw Finding(.unrecognized)
            }
            if found.results.isEmpty, deepest.count > 0 { document.opened = deepest }
            guard let first = found.results.first else { throw Finding(.unrecognized) }
            document.keep(counted(found.results).dropFirst())
            return try decode(first, &document, into: &rows)
        }
        try decode(text: body, &document, into: &rows)
    }
}

extension RawSpan {
    /// Whether the first byte is that of a JSON object or string.
    fileprivate var beginsLikeJSON: Bool { byte(0) == 0x7B || byte(0) == 0x22 }

    /// Whether the text begins as base64 of a SEQUENCE of some hundred bytes or more does, which most receipts are: `30
    /// 82`. It spares them a closer look.
    fileprivate var beginsLikeSequence: Bool {
        byteCount > 3 && byte(0) == 0x4D && byte(1) == 0x49 && byte(2) == 0x49 && byte(3).isBase64Digit
    }

    /// Whether the text begins with as many digits of base64 as a short response has, with white space where lines end
    /// or were joined. A form has `=` before other digits, and words are shorter than lines.
    fileprivate var beginsLikeBase64: Bool {
        byteCount >= 16
            && (0..<min(64, byteCount)).allSatisfy { index in
                switch byte(index) {
                case 0x3D: index + 1 == byteCount || byte(index + 1) == 0x3D || !byte(index + 1).isBase64Digit
                case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2B, 0x2F, 0x2D, 0x5F, 0x0D, 0x0A: true
                case 0x20, 0x09: index >= 16
                default: false
                }
            }
    }

    /// Whether the text begins, after white space, as base64 of a DER or BER SEQUENCE does (`MI`) or of a property list
    /// (`ewo` and the like), or as base64 of that (`TU`, `ZXd`; quirk 3).
    fileprivate var beginsLikeBase64Receipt: Bool {
        guard let start = firstNonSpaceIndex, start + 2 < byteCount else { return false }
        switch (byte(start), byte(start + 1), byte(start + 2)) {
        case (0x4D, 0x49, _), (0x54, 0x55, _), (0x5A, 0x58, 0x64): return true
        default: return beginsLikeBase64PropertyList(at: start)
        }
    }
}
