import TillColumns
import TillCore
import TillInput
import TillJSON
import TillRows

/// Removes the layers of a document, one after the other, and calls the format to decode the content.
///
///     {"Payload":"MIIT…"}  ›  "MIIT…"  ›  MIIT…  ›  30 82 …  ›  ``FormatDecoder``
///     an object of no format  string      base64    binary
///
/// The layers are: a JSON string, base64, PEM, a JWS, text in a notation of its own (a property list), objects, lines
/// and other text around documents (``search(value:isRoot:depth:rows:)``), and the member in which a format finds
/// another document. ``DocumentReader/wrapLimit`` of them are taken off at most.
///
/// Why: `docs/decisions.md`, Envelopes are searched by value.
struct Unwrapper {
    var decoder: FormatDecoder
    private var logTimes = LogTimes()
    var envelopeReader = EnvelopeReader()
    var envelopes = CompactJWS()
    /// The layers that the search is in, and the most that it has been in.
    var (opened, deepest) = (OpenedLayers(), OpenedLayers())
    /// Whether ``opened`` has the members that hold the layers, too.
    var keepsMembers = false
    /// Whether documents that are found keep the layers around them (``FoundDocument/layers``).
    var keepsLayers = false
    /// Whether text is searched for JSON in other notations too (``TextEscape``, ``ProgramLiteral``).
    var searchesNotations = true
    /// Bytes that may still be searched for documents (``spend(_:)``).
    var searchable = 0
    /// Texts inside one another that are being searched.
    var textDepth = 0
    /// Bytes to which gzip may still inflate while one document is searched.
    var inflatable = 0
    /// Whether a limit has kept the search out of something.
    var hasLeftOut = false
    /// Decoded text, innermost last; kept, so that a receipt costs no allocation.
    private var buffers: [[UInt8]] = []
    /// The first of ``buffers`` that are in use.
    private var usedBuffers = 0

    init(requiring format: String?, checker: (any SignatureChecker)?) {
        decoder = FormatDecoder(requiring: format, checker: checker)
    }

    // MARK: JSON

    /// Decodes the JSON at the cursor: an object, or a string that holds a document.
    @_lifetime(cursor: copy cursor)
    mutating func decode(
        json cursor: inout JSONCursor,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
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
    ) throws(Finding) -> LoggedAt {
        let (start, mark) = (cursor.position, rows.mark())
        let outcome: FormatDecoder.Outcome
        do {
            outcome = try decoder.decode(json: &cursor, &document, into: &rows)
        } catch  where error.defect == .type {
            // An object where a value belongs may be one that a database has written with its type.
            var plain = copy cursor
            plain.position = start
            guard let untagged = TypedScalars.plain(&plain) else { throw error }
            cursor.goOn(behind: plain)
            rows.rollBack(to: mark)
            document.record(.typed, cursor.bytes.extracting(start..<plain.position))
            try decode(untagged: untagged, &document, into: &rows)
            return .unread
        }
        return try finish(outcome, from: start, to: &cursor, mark, &document, into: &rows)
    }

    /// Goes on with what a format made of the object at `start`: decodes the documents that the object holds, if it
    /// does.
    @_lifetime(cursor: copy cursor)
    private mutating func finish(
        _ outcome: FormatDecoder.Outcome,
        from start: Int,
        to cursor: inout JSONCursor,
        _ mark: RowBatch.Mark,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) -> LoggedAt {
        switch outcome {
        case .document(let loggedAt): return loggedAt
        case .both(let token, let member, let environment):
            var text: [UInt8] = []
            cursor.appendText(of: token, to: &text)
            var receipt = FoundDocument(kind: .receipt, text: text)
            receipt.prepend(member)
            receipt.envelope.environment = environment
            if environment == nil { fillEnvironment(of: text, from: mark, in: &rows) }
            document.keep([receipt])
            return .unread
        case .holding(let environment):
            var probe = copy cursor
            probe.position = start
            try keepSigned(in: &probe, environment, &document, &rows)
            return .unread
        case .refused(let part):
            var probe = copy cursor
            probe.position = start
            withholdReceipts(in: part, of: probe, document.envelope, from: mark, in: &rows)
            return .unread
        case .wrapped(let token, let member, let loggedAt, let environment, let hasOthers):
            if hasOthers {
                var probe = copy cursor
                probe.position = start
                let others = try probe.others(besides: token)
                let event = others.nameEvent ? self.event(around: token, in: probe, rows: &rows) : nil
                if let event { document.keep([event]) }
                if others.holdDocuments,
                    try decodeSeveral(&probe, besidesEvent: event != nil, &document, into: &rows)
                {
                    return .read(nil)
                }
            }
            document.appendWrapping(member)
            if token.hasEscapes { document.record(.string, cursor.raw(token)) }
            let outer = decoder.surroundings
            defer { decoder.surroundings = outer }
            if let environment { decoder.surroundings.environment = environment }
            try decode(string: token, of: cursor, &document, into: &rows)
            return loggedAt
        case .unclear, .unrecognized:
            return try finish(unclear: outcome, from: start, to: &cursor, mark, &document, into: &rows)
        }
    }

    /// Decodes the documents inside an object that is no document for sure; without any, the object itself.
    @_lifetime(cursor: copy cursor)
    private mutating func finish(
        unclear outcome: FormatDecoder.Outcome,
        from start: Int,
        to cursor: inout JSONCursor,
        _ mark: RowBatch.Mark,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) -> LoggedAt {
        var probe = copy cursor
        probe.position = start
        var preferred: [FoundDocument.Kind]?
        var isError = false
        switch outcome {
        case .unclear(let format, .document):
            if let notification = decoder.notification(format) {
                try decodeReceipt(of: notification, format, in: cursor, mark, &document, into: &rows)
                return .unread
            }
            preferred = [.signed, .receipt]
        case .unclear(_, .holder(nil)): preferred = [.signed, .receipt, .request, .response, .event, .other]
        case .unrecognized: isError = decoder.recognizesError(at: probe)
        case .unclear, .document, .both, .holding, .refused, .wrapped: break
        }
        if try decodeInner(&probe, besides: preferred, isError: isError, mark, &document, into: &rows) {
            cursor.goOn(behind: probe)
            return .read(nil)
        }
        if isError {
            cursor.position = start
            try decoder.decode(error: &cursor, &document, into: &rows)
            return .unread
        }
        return try accept(outcome, from: start, to: &cursor, mark, &document, into: &rows)
    }

    /// Accepts an object without documents inside, if it is one of the format that is asked for, or throws its defect.
    @_lifetime(cursor: copy cursor)
    private mutating func accept(
        _ outcome: FormatDecoder.Outcome,
        from start: Int,
        to cursor: inout JSONCursor,
        _ mark: RowBatch.Mark,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) -> LoggedAt {
        switch outcome {
        case .unrecognized, .unclear(_, .reject):
            var whole = copy cursor
            whole.position = start
            guard decoder.detector.requiredFormat == nil, let answer = try EmptyAnswer(at: whole) else { break }
            rows.rollBack(to: mark)
            answer.append(to: &rows, from: mark, of: whole)
            try whole.skipValue()
            cursor.goOn(behind: whole)
            return .unread
        default: break
        }
        switch outcome {
        case .unclear(let format, .document), .unclear(let format, .holder(nil)):
            try decoder.require(format, at: start)
        case .unclear(let format, .payload(nil)) where decoder.detector.requiredFormat == format: break
        case .unclear(_, .payload):
            document.expect(nil)
            throw Finding(.unrecognized, at: start)
        case .unclear(_, .reject(let error)), .unclear(_, .holder(let error?)):
            if error.cause == .unrecognized { document.expect(nil) }
            throw error
        case .document, .both, .holding, .refused, .wrapped, .unrecognized:
            guard let required = decoder.detector.requiredFormat else {
                throw Finding(.unrecognized, at: cursor.position)
            }
            cursor.position = start
            let forced = try decoder.decode(json: &cursor, as: required, &document, into: &rows)
            switch forced {
            case .wrapped, .holding, .refused:
                return try finish(forced, from: start, to: &cursor, mark, &document, into: &rows)
            case .unclear(_, .reject(let error)), .unclear(_, .payload(let error?)), .unclear(_, .holder(let error?)):
                throw error
            case .unclear, .document, .both, .unrecognized: break
            }
        }
        return .unread
    }

    /// Decodes the documents inside the object at the cursor, which is moved behind it; `false` if there are none.
    ///
    /// - Parameters:
    ///   - preferred: the kinds of documents inside that are preferred to the object, if that is a document itself.
    ///   - isError: whether the object is an error by itself. Lines inside it are about errors under it.
    @_lifetime(cursor: copy cursor)
    private mutating func decodeInner(
        _ cursor: inout JSONCursor,
        besides preferred: [FoundDocument.Kind]?,
        isError: Bool,
        _ mark: RowBatch.Mark,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) -> Bool {
        let start = copy cursor
        var plain = copy cursor
        beginSearch(keepsLayers: document.keepsTrace)
        var found = try search(value: &cursor, isRoot: true, depth: 0, rows: &rows)
        SandboxHost.apply(to: &found.documents, in: start)
        if preferred == nil, found.hasTags, let untagged = TypedScalars.plain(&plain) {
            rows.rollBack(to: mark)
            document.record(.typed, start.bytes.extracting(start.position..<plain.position))
            try decode(untagged: untagged, &document, into: &rows)
            return true
        }
        if isError, !found.holdsMoreThanLines { return false }
        if let preferred { found = Search(documents: found.documents.filter { preferred.contains($0.kind) }) }
        guard let first = found.results.first ?? (found.nearMisses.count == 1 ? found.nearMisses.first : nil) else {
            if deepest.count > 0 { document.opened = opened(in: start, rows: &rows) }
            return false
        }
        rows.rollBack(to: mark)
        document.keep(counted(found.results).dropFirst())
        try decode(first, &document, into: &rows)
        return true
    }

    /// Writes the environment of the receipt beside decoded members into their rows, which tell none.
    private mutating func fillEnvironment(of receipt: [UInt8], from mark: RowBatch.Mark, in rows: inout RowBatch) {
        let end = rows.mark()
        var document = DocumentState(keepsTrace: false, isWrapped: true)
        // The receipt is read once more as a document of its own, which tells its defect.
        try? decode(text: receipt.span.bytes, &document, into: &rows)
        let environment = end.documents < rows.documents.rowCount ? rows.documents[.environment, end.documents] : nil
        rows.rollBack(to: end)
        for row in mark.documents..<end.documents { rows.documents.fill(.environment, environment, row: row) }
        for row in mark.transactions..<end.transactions { rows.transactions.fill(.environment, environment, row: row) }
        for row in mark.renewals..<end.renewals { rows.renewals.fill(.environment, environment, row: row) }
    }

    /// Keeps the signed documents, the receipts and the responses inside an object that is a document itself. A response
    /// without purchases tells the failure that the object, an event, tells itself.
    private mutating func keepSigned(
        in cursor: inout JSONCursor,
        _ environment: Word?,
        _ document: inout DocumentState,
        _ rows: inout RowBatch
    ) throws(Finding) {
        beginSearch(keepsLayers: document.keepsTrace)
        let start = copy cursor
        var search = try search(value: &cursor, isRoot: true, depth: 0, rows: &rows)
        search.rejectUndecodable()
        SandboxHost.apply(to: &search.documents, in: start)
        var found = search.results.filter { document in
            guard Self.receiptKinds.contains(document.kind), document.outcome == nil else { return false }
            // Programs note tokens of any kind.
            return document.kind != .receipt || !document.text.span.bytes.isOpaque
        }
        for index in found.indices { found[index].envelope.fill(from: EnvelopeFacts(environment: environment)) }
        document.keep(counted(found))
    }

    /// Decodes the documents of an object that wraps a receipt and holds others too, such as the response to it;
    /// `false` if it does not.
    ///
    /// - Parameter isEvent: whether the object is an event too, which says itself how it failed.
    private mutating func decodeSeveral(
        _ cursor: inout JSONCursor,
        besidesEvent isEvent: Bool,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) -> Bool {
        beginSearch(keepsLayers: document.keepsTrace)
        let start = copy cursor
        var search = try search(value: &cursor, isRoot: true, depth: 0, rows: &rows)
        if isEvent { search.documents.removeAll { $0.kind == .logLine } }
        SandboxHost.apply(to: &search.documents, in: start)
        let found = search.results
        guard let first = found.first, found.count > 1 || first.kind == .response else { return false }
        document.keep(counted(found).dropFirst())
        try decode(first, &document, into: &rows)
        return true
    }

    /// Decodes the receipt that has the transactions of a notification; the cursor is behind that.
    private mutating func decodeReceipt(
        of notification: NotificationFormat,
        _ format: FormatID,
        in cursor: borrowing JSONCursor,
        _ mark: RowBatch.Mark,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
        guard let receipt = notification.envelope.receipt else { return }
        var notification = notification
        notification.prepareForReceipt(from: mark, in: &rows)
        for member in receipt.place.path { document.appendWrapping(member) }
        if receipt.token.hasEscapes { document.record(.string, cursor.raw(receipt.token)) }
        // All rows are read: what the notification says of them changes them.
        let (cache, outer) = (rows.duplicates.cache, decoder.surroundings)
        rows.duplicates.cache = nil
        decoder.surroundings.environment = notification.knownEnvironment ?? outer.environment
        defer { (rows.duplicates.cache, decoder.surroundings) = (cache, outer) }
        try decode(string: receipt.token, of: cursor, &document, into: &rows)
        notification.finishReceipt(from: mark, in: &rows)
        document.begin(format)
    }

    /// The layers that a search of the value at the cursor takes off, with the members that hold the innermost of them.
    /// Most searches find a document, and are spared the names.
    private mutating func opened(in start: borrowing JSONCursor, rows: inout RowBatch) -> OpenedLayers {
        var cursor = copy start
        beginSearch(keepsLayers: false)
        keepsMembers = true
        defer { keepsMembers = false }
        let mark = rows.mark()
        defer { rows.rollBack(to: mark) }
        // The value has been searched before without an error.
        _ = try? search(value: &cursor, isRoot: true, depth: 0, rows: &rows)
        return deepest
    }

    /// Decodes JSON from whose values the tags of a database were taken off.
    private mutating func decode(
        untagged text: [UInt8],
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
        try document.takeOffLayer()
        document.markWrapped()
        try decode(jsonText: text.span.bytes, &document, into: &rows)
    }

    /// Decodes a document that was found inside others.
    mutating func decode(
        _ found: FoundDocument,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
        if found.kind == .unsearched { throw Finding(.unsearched) }
        if found.kind == .fragment { throw Finding(.fragment) }
        try document.takeOffLayer()
        document.enter(found)
        decoder.surroundings = document.surroundings
        defer { decoder.surroundings = Surroundings() }
        if let earlier = found.earlier, earlier.raw == nil { throw earlier.error }
        // A dictionary of Swift or an instance that is cut off or broken: searched as text, its own parts would be
        // found.
        if found.kind == .other, let first = found.text.first, [0x5B, 0x28, 0x23].contains(first) {
            return try decode(jsonText: found.text.span.bytes, &document, into: &rows)
        }
        try decode(verified: found.text.span.bytes, &document, into: &rows)
    }

    /// Decodes the document that a JSON string holds.
    private mutating func decode(
        string token: JSONToken,
        of cursor: borrowing JSONCursor,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
        try document.takeOffLayer(at: token.start)
        document.markWrapped()
        guard token.hasEscapes else { return try decode(text: cursor.raw(token), &document, into: &rows) }
        try withBuffer { unwrapper, buffer throws(Finding) in
            cursor.appendText(of: token, to: &buffer)
            try unwrapper.decode(text: buffer.span.bytes, &document, into: &rows)
        }
    }

    // MARK: JWS

    /// Decodes the payload of a JWS, which must be of a format that is signed so.
    ///
    /// The signature covers all of the payload, so its verdict is that of all rows that have none of their own.
    mutating func decode(jws text: RawSpan, _ document: inout DocumentState, into rows: inout RowBatch) throws(Finding)
    {
        document.markWrapped()
        document.record(.jws, text)
        document.expect(FormatID.ofSignedPayloads)
        let mark = rows.mark()
        var finding: SignatureFinding?
        try document.takeOffLayer()
        try withBuffer { unwrapper, payload throws(Finding) in
            let limit = try unwrapper.envelopes.decode(text, payload: &payload)
            if let checker = unwrapper.decoder.checker { finding = unwrapper.envelopes.finding(of: text, by: checker) }
            var cursor = JSONCursor(payload.span.bytes, limit: limit)
            document.record(.object, payload.span.bytes.extracting(0..<limit))
            let required = unwrapper.decoder.detector.requiredFormat
            let format = try unwrapper.decoder.detector.find(in: cursor) ?? required
            guard let format, format.type.readsSignedPayloads else { throw Finding(.payload) }
            let inner = rows.mark()
            let outcome = try unwrapper.decoder.decode(json: &cursor, as: format, &document, into: &rows)
            switch outcome {
            case .document, .unclear(_, .document), .unclear(_, .holder(nil)), .unclear(_, .payload(nil)): break
            case .unclear(_, .payload(let error?)), .unclear(_, .holder(let error?)): throw error
            case .unclear(_, .reject), .unrecognized: throw Finding(.payload)
            case .wrapped, .both, .holding, .refused:
                _ = try unwrapper.finish(outcome, from: 0, to: &cursor, inner, &document, into: &rows)
            }
            cursor.skipWhitespace()
            guard cursor.position == limit else { throw Finding(.jsonSyntax, at: cursor.position) }
        }
        let signedAt = rows.documents.rowCount > mark.documents ? rows.documents[.observedAt, mark.documents] : nil
        rows.apply(finding?.verdict(signedAt: signedAt) ?? .unchecked, from: mark)
    }

    /// Lends an empty buffer to `body`; its memory is kept for the next document.
    mutating func withBuffer<Failure>(
        _ body: (inout Unwrapper, inout [UInt8]) throws(Failure) -> Void
    ) throws(Failure) {
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
