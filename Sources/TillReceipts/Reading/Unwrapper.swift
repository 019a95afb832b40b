import TillColumns
import TillInput
import TillJSON
import TillRows

/// Takes the layers off a document, one after the other, and has the format decode what is inside.
///
///     {"Payload":"MIIT…"}  ›  "MIIT…"  ›  MIIT…  ›  30 82 …  ›  ``FormatDecoder``
///     an object of no format  string      base64    binary
///
/// The layers are: a JSON string, base64, PEM, a JWS, text in a notation of its own (a property list), a member of an object that
/// is no document itself (``WrappedMemberFinder``), and the member in which a format finds another document.
/// ``DocumentReader/wrapLimit`` of them are taken off at most.
struct Unwrapper {
    var decoder: FormatDecoder
    private let finder = WrappedMemberFinder()
    private var logTimes = LogTimes()
    private var envelopes = CompactJWS()
    private let checker: (any SignatureChecker)?
    /// Decoded text, innermost last; kept, so that a receipt costs no allocation.
    private var buffers: [[UInt8]] = []
    /// The first of ``buffers`` that are in use.
    private var usedBuffers = 0

    init(requiring format: String?, checker: (any SignatureChecker)?) {
        decoder = FormatDecoder(requiring: format, checker: checker)
        self.checker = checker
    }

    // MARK: JSON

    /// Decodes the JSON at the cursor: an object, or a string that holds a document.
    @_lifetime(cursor: copy cursor)
    mutating func decode(
        json cursor: inout JSONCursor,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws {
        cursor.skipWhitespace()
        let isString = cursor.byte(cursor.position) == 0x22
        let bytes = document.isWrapped ? cursor.bytes.extracting(cursor.position..<cursor.limit) : nil
        document.record(isString ? .string : .object, bytes)
        if isString {
            let token = try cursor.token()
            return try decode(string: token, of: cursor, &document, into: &rows)
        }
        let start = copy cursor
        let mark = rows.mark()
        let loggedAt = try decode(object: &cursor, &document, into: &rows)
        guard rows.documents.rowCount > mark.documents, !document.readsLoggedAt else { return }
        let instant =
            switch loggedAt {
            case .read(let instant): instant
            case .unread: try logTimes.find(in: start)
            }
        guard let instant else { return }
        for row in mark.documents..<rows.documents.rowCount { rows.documents.set(.loggedAt, instant, row: row) }
    }

    /// Decodes the object at the cursor, or the document that it wraps.
    ///
    /// - Returns: the instant at which the object, where it is only a wrapping, says it was written.
    @_lifetime(cursor: copy cursor)
    private mutating func decode(
        object cursor: inout JSONCursor,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws -> LoggedAt {
        let (start, mark) = (cursor.position, rows.mark())
        let outcome = try decoder.decode(json: &cursor, &document, into: &rows)
        guard case .unrecognized = outcome else {
            return try finish(outcome, from: start, of: cursor, mark, &document, into: &rows)
        }
        if let found = try finder.find(in: &cursor, detector: &decoder.detector) {
            try decode(found, of: cursor, &document, into: &rows)
            return .unread
        }
        guard let required = decoder.detector.requiredFormat else {
            throw DecodeError(.unrecognized, at: cursor.position)
        }
        let forced = try decoder.decode(json: &cursor, as: required, &document, into: &rows)
        return try finish(forced, from: start, of: cursor, mark, &document, into: &rows)
    }

    /// Goes on with what a format made of the object at `start`: decodes the document that the object wraps, if it does.
    private mutating func finish(
        _ outcome: FormatDecoder.Outcome,
        from start: Int,
        of cursor: borrowing JSONCursor,
        _ mark: RowBatch.Mark,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws -> LoggedAt {
        switch outcome {
        case .document, .unrecognized: return .unread
        case .wrapped(let token, let member, let loggedAt):
            document.appendWrapping(member)
            try decode(string: token, of: cursor, &document, into: &rows)
            return loggedAt
        case .unclear(let format, let error):
            var probe = copy cursor
            probe.position = start
            if let found = try finder.find(in: &probe, detector: &decoder.detector) {
                rows.rollBack(to: mark)
                try decode(found, of: probe, &document, into: &rows)
                return .unread
            }
            if let error { throw error }
            try decoder.require(format, at: start)
            return .unread
        }
    }

    /// Decodes the document that a member of an object of no format holds.
    private mutating func decode(
        _ found: WrappedMemberFinder.Found,
        of cursor: borrowing JSONCursor,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws {
        document.appendWrapping(found.member)
        guard found.value.kind == .object else {
            return try decode(string: found.value, of: cursor, &document, into: &rows)
        }
        document.record(inside: found.member)
        var inner = copy cursor
        inner.position = found.value.start
        try document.takeOffLayer(at: found.value.start)
        _ = try decode(object: &inner, &document, into: &rows)
    }

    /// Decodes the document that a JSON string holds.
    private mutating func decode(
        string token: JSONToken,
        of cursor: borrowing JSONCursor,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws {
        try document.takeOffLayer(at: token.start)
        document.markWrapped()
        guard token.hasEscapes else { return try decode(text: cursor.raw(token), &document, into: &rows) }
        try withBuffer { unwrapper, buffer throws in
            cursor.appendText(of: token, to: &buffer)
            try unwrapper.decode(text: buffer.span.bytes, &document, into: &rows)
        }
    }

    // MARK: JWS

    /// Decodes the payload of a JWS, which must be of a format that is signed so.
    ///
    /// The signature covers all of the payload, so its verdict is that of all rows that have none of their own.
    mutating func decode(jws text: RawSpan, _ document: inout DocumentState, into rows: inout RowBatch) throws {
        document.markWrapped()
        document.record(.jws, text)
        document.expect(FormatID.ofSignedPayloads)
        let mark = rows.mark()
        var finding: SignatureFinding?
        try document.takeOffLayer()
        try withBuffer { unwrapper, payload throws in
            let limit = try unwrapper.envelopes.decode(text, payload: &payload)
            if let checker = unwrapper.checker { finding = unwrapper.envelopes.finding(of: text, by: checker) }
            var cursor = JSONCursor(payload.span.bytes, limit: limit)
            document.record(.object, payload.span.bytes.extracting(0..<limit))
            let required = unwrapper.decoder.detector.requiredFormat
            let format = try unwrapper.decoder.detector.find(in: cursor) ?? required
            guard let format, format.type.readsSignedPayloads else { throw DecodeError(.payload, at: 0) }
            let inner = rows.mark()
            let outcome = try unwrapper.decoder.decode(json: &cursor, as: format, &document, into: &rows)
            _ = try unwrapper.finish(outcome, from: 0, of: cursor, inner, &document, into: &rows)
            cursor.skipWhitespace()
            guard cursor.position == limit else { throw JSONError(.syntax, at: cursor.position) }
        }
        let signedAt = rows.documents.rowCount > mark.documents ? rows.documents[.observedAt, mark.documents] : nil
        rows.apply(finding?.verdict(signedAt: signedAt) ?? .unchecked, from: mark)
    }

    /// Lends an empty buffer to `body`; its memory is kept for the next document.
    mutating func withBuffer(_ body: (inout Unwrapper, inout [UInt8]) throws -> Void) rethrows {
        if usedBuffers == buffers.count { buffers.append([]) }
        var buffer: [UInt8] = []
        swap(&buffer, &buffers[usedBuffers])
        usedBuffers += 1
        defer {
            usedBuffers -= 1
            swap(&buffer, &buffers[usedBuffers])
        }
        buffer.removeAll(keepingCapacity: true)
        try body(&self, &buffer)
    }
}
