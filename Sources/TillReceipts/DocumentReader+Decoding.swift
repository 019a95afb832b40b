import TillColumns
import TillInput
import TillJSON
import TillRows

extension DocumentReader {
    /// Reads the JSON document that the cursor stands on: an object of some format, or a string that is a document.
    ///
    /// `depth` is how many wrappings have been taken off, here and below.
    @_lifetime(cursor: copy cursor)
    mutating func decode(_ cursor: inout JSONCursor, depth: Int, into rows: inout RowBatch) throws {
        cursor.skipWhitespace()
        let isString = cursor.byte(cursor.position) == 0x22
        note(isString ? .string : .object, isWrapped ? cursor.bytes.extracting(cursor.position..<cursor.limit) : nil)
        if isString {
            let token = try cursor.token()
            return try decode(token, of: cursor, depth: depth, into: &rows)
        }
        let start = copy cursor
        let mark = rows.mark()
        let told = try decodeObject(&cursor, depth: depth, into: &rows)
        guard rows.documents.rowCount > mark.documents, !tellsLoggedAt else { return }
        let instant =
            switch told {
            case .read(let instant): instant
            case .unread: try logTimes.find(in: start)
            }
        if let instant {
            for row in mark.documents..<rows.documents.rowCount { rows.documents.set(.loggedAt, instant, row: row) }
        }
    }

    /// Whether the document at hand is not wrapped and of a format that has read itself when it was logged.
    private var tellsLoggedAt: Bool {
        wrappings.isEmpty && current.map { ReceiptFormatRegistry.all[$0].readsLoggedAt } ?? false
    }

    @_lifetime(cursor: copy cursor)
    private mutating func decodeObject(
        _ cursor: inout JSONCursor,
        depth: Int,
        into rows: inout RowBatch
    ) throws -> LoggedAt {
        if let familiar, formats[familiar].recognizes(json: cursor) {
            return try decode(&cursor, as: familiar, depth: depth, into: &rows)
        }
        if let number = try sniffer.sniff(cursor) {
            familiar = number
            return try decode(&cursor, as: number, depth: depth, into: &rows)
        }
        if let found = try wrapper.find(in: &cursor, sniffer: &sniffer) {
            try decode(found, in: cursor, depth: depth, into: &rows)
            return .unread
        }
        guard let forced else { throw DecodeError(.unrecognized, at: cursor.position) }
        return try decode(&cursor, as: forced, depth: depth, into: &rows)
    }

    /// Reads the document that an object of no format wraps.
    private mutating func decode(
        _ found: WrapperReader.Found,
        in cursor: borrowing JSONCursor,
        depth: Int,
        into rows: inout RowBatch
    ) throws {
        wrappings.append(found.member)
        guard found.value.kind == .object else {
            return try decode(found.value, of: cursor, depth: depth, into: &rows)
        }
        note(inside: found.member)
        var inner = copy cursor
        inner.position = found.value.start
        _ = try decodeObject(&inner, depth: try unwrapped(depth, at: found.value.start), into: &rows)
    }

    /// Reads a JSON object with the format of the given number; `isOther` where another format has given it up.
    ///
    /// - Returns: what the object, where it is only a wrapping, has told of when it was written.
    @_lifetime(cursor: copy cursor)
    private mutating func decode(
        _ cursor: inout JSONCursor,
        as number: Int,
        depth: Int,
        isOther: Bool = false,
        into rows: inout RowBatch
    ) throws -> LoggedAt {
        let start = cursor.position
        let mark = rows.mark()
        (current, hasBegun) = (number, true)
        note(format: number)
        switch try formats[number].decode(json: &cursor, into: &rows) {
        case .document:
            guard forced == nil || forced == number else { throw DecodeError(.otherFormat, at: start) }
            return .unread
        case .wrapped(let token, let member, let loggedAt):
            rows.rollBack(to: mark)
            wrappings.append(member)
            current = nil
            try decode(token, of: cursor, depth: depth, into: &rows)
            return loggedAt
        case .other(let name):
            rows.rollBack(to: mark)
            guard !isOther, let other = ReceiptFormatRegistry.number(of: name) else {
                throw DecodeError(.unrecognized, at: start)
            }
            cursor.position = start
            return try decode(&cursor, as: other, depth: depth, isOther: true, into: &rows)
        case .unclear(let error):
            var probe = copy cursor
            probe.position = start
            if let other = try sniffer.sniff(probe, besides: number) {
                rows.rollBack(to: mark)
                return try decode(&probe, as: other, depth: depth, isOther: true, into: &rows)
            }
            if let found = try wrapper.find(in: &probe, sniffer: &sniffer) {
                rows.rollBack(to: mark)
                (current, hasBegun) = (nil, false)
                try decode(found, in: probe, depth: depth, into: &rows)
                return .unread
            }
            if let error { throw error }
            guard forced == nil || forced == number else { throw DecodeError(.otherFormat, at: start) }
            return .unread
        }
    }

    /// Counts one more wrapping that is taken off, at `offset` of the text that it is in.
    private func unwrapped(_ depth: Int, at offset: Int = 0) throws(DecodeError) -> Int {
        guard depth < Self.wrapLimit else { throw DecodeError(.tooDeep, at: offset) }
        return depth + 1
    }

    /// Reads the payload of a JWS, which must be of a format that is signed so.
    ///
    /// What it holds is signed, so that the verdict on the signature is that of all rows that have none of their own.
    private mutating func decode(jws text: RawSpan, depth: Int, into rows: inout RowBatch) throws {
        isWrapped = true
        note(.jws, text)
        (current, hasBegun) = (ReceiptFormatRegistry.all.firstIndex { $0.readsSignedPayloads }, false)
        let mark = rows.mark()
        var finding: SignatureFinding?
        let depth = try unwrapped(depth)
        try withBuffer { reader, payload throws in
            let limit = try reader.envelopes.decode(text, payload: &payload)
            if let checker = reader.policy.checker { finding = reader.envelopes.finding(of: text, by: checker) }
            var cursor = JSONCursor(payload.span.bytes, limit: limit)
            reader.note(.object, payload.span.bytes.extracting(0..<limit))
            let number = try reader.sniffer.sniff(cursor) ?? reader.forced
            guard let number, ReceiptFormatRegistry.all[number].readsSignedPayloads else {
                throw DecodeError(.payload, at: 0)
            }
            _ = try reader.decode(&cursor, as: number, depth: depth, into: &rows)
            cursor.skipWhitespace()
            guard cursor.position == limit else { throw JSONError(.syntax, at: cursor.position) }
        }
        let signedAt = rows.documents.rowCount > mark.documents ? rows.documents[.observedAt, mark.documents] : nil
        rows.apply(finding?.verdict(signedAt: signedAt) ?? .unchecked, from: mark)
    }

    /// Reads a document that is the text of a JSON string.
    private mutating func decode(
        _ token: JSONToken,
        of cursor: borrowing JSONCursor,
        depth: Int,
        into rows: inout RowBatch
    ) throws {
        let depth = try unwrapped(depth, at: token.start)
        isWrapped = true
        guard token.hasEscapes else { return try decode(text: cursor.raw(token), depth: depth, into: &rows) }
        try withBuffer { reader, buffer throws in
            cursor.appendText(of: token, to: &buffer)
            try reader.decode(text: buffer.span.bytes, depth: depth, into: &rows)
        }
    }

    /// Reads a document that is text: of a format of its own, JSON, or base64 of something.
    mutating func decode(text: RawSpan, depth: Int, into rows: inout RowBatch) throws {
        guard let start = text.firstNonSpaceIndex else { throw DecodeError(.empty, at: 0) }
        let first = text.byte(start)
        let body = text.extracting(start..<text.byteCount)
        if CompactJWS.recognizes(body) { return try decode(jws: body, depth: depth, into: &rows) }
        if Framer.start(in: body, at: 0, limit: body.byteCount) == .pem {
            let end = Framer.endOfPEM(in: body, at: 0, limit: body.byteCount, isFinal: true) ?? body.byteCount
            keepTrailing(body, from: end)
            let inner = body.extracting(Framer.pemBody(in: body, 0..<end))
            note(.pem, body.extracting(0..<end))
            return try decode(text: inner, depth: try unwrapped(depth), into: &rows)
        }
        if let number = ReceiptFormatRegistry.all.indices.first(where: {
            ReceiptFormatRegistry.all[$0].recognizes(text: body)
        }) {
            (current, hasBegun) = (number, true)
            // What is not wrapped ends where its frame does, and what stands behind a property list is an error of it.
            var end = body.byteCount
            if isWrapped, Framer.start(in: body, at: 0, limit: end) == .text {
                var ahead = TextAhead()
                end = Framer.endOfText(in: body, at: 0, limit: end, isFinal: true, ahead: &ahead) ?? end
            }
            keepTrailing(body, from: end)
            let body = body.extracting(0..<end)
            note(.text, body, format: number)
            if let inner = try formats[number].unwrap(text: body) {
                wrappings.append(ReceiptFormatRegistry.all[number].name)
                (current, isWrapped) = (nil, true)
                // The same document in another notation, which is no wrapping.
                return try decode(text: inner.span.bytes, depth: depth, into: &rows)
            }
            guard forced == nil || forced == number else { throw DecodeError(.otherFormat, at: 0) }
            return try formats[number].decode(text: body, into: &rows)
        }
        if first == 0x7B || first == 0x22 {
            isWrapped = true
            return try withBuffer { reader, buffer throws in
                text.withUnsafeBytes { buffer.append(contentsOf: $0) }
                buffer.append(contentsOf: repeatElement(0, count: JSONCursor.padding))
                var cursor = JSONCursor(buffer.span.bytes, limit: text.byteCount)
                var whole = cursor
                do {
                    try reader.decode(&cursor, depth: depth, into: &rows)
                } catch {
                    // Where it is JSON all the same, what stands behind it is a document of its own.
                    whole.skipWhitespace()
                    if (try? whole.skipValue()) != nil { reader.keepTrailing(text, from: whole.position) }
                    throw error
                }
                reader.keepTrailing(text, from: cursor.position)
            }
        }
        note(.base64, body)
        try withBuffer { reader, buffer throws in
            do {
                try Base64.decode(text, into: &buffer)
            } catch  where reader.isBare(depth) && !text.beginsLikeBase64Receipt {
                // A line or string of some other text, now or when it was rejected; that it is not base64 would be no
                // news.
                throw DecodeError(.unrecognized, at: 0)
            }
            reader.isWrapped = true
            try reader.decode(decoded: buffer.span.bytes, depth: try reader.unwrapped(depth), into: &rows)
        }
    }

    /// Reads what base64 held: DER or BER, or text once more.
    private mutating func decode(decoded bytes: RawSpan, depth: Int, into rows: inout RowBatch) throws {
        guard let start = bytes.firstNonSpaceIndex else { throw DecodeError(.empty, at: 0) }
        let first = bytes.byte(start)
        if first == 0x30, bytes.byteCount < 2 || bytes.byte(1) & 0x80 != 0 {
            return try decode(binary: bytes, into: &rows)
        }
        let body = bytes.extracting(start..<bytes.byteCount)
        let isText = CompactJWS.recognizes(body) || ReceiptFormatRegistry.all.contains { $0.recognizes(text: body) }
        guard isText || first == 0x7B || first == 0x22 || body.beginsLikeBase64Receipt || body.beginsLikeBase64 else {
            throw DecodeError(.unrecognized, at: 0)
        }
        try decode(text: body, depth: depth, into: &rows)
    }

    /// Reads a binary document with the format that recognizes it.
    mutating func decode(binary bytes: RawSpan, into rows: inout RowBatch) throws {
        let recognized = ReceiptFormatRegistry.all.indices.first { number in
            ReceiptFormatRegistry.all[number].recognizes(binary: bytes)
        }
        note(.binary, bytes, format: recognized ?? forced)
        guard let number = recognized ?? forced else { throw DecodeError(.unrecognized, at: 0) }
        guard forced == nil || forced == number else { throw DecodeError(.otherFormat, at: 0) }
        (current, hasBegun) = (number, true)
        let end = Framer.endOfDER(in: bytes, at: 0, limit: bytes.byteCount, isFinal: true) ?? bytes.byteCount
        keepTrailing(bytes, from: end)
        try formats[number].decode(binary: bytes.extracting(0..<end), into: &rows)
    }

    /// Whether nothing announced the text at hand to be a receipt: it stands by itself, or did when it was rejected.
    private func isBare(_ depth: Int) -> Bool {
        depth == 0 || [nil, WrapperReader.raw].contains(wrappings.last)
    }

    /// Lends an empty buffer to `body`; its memory is kept for the next document.
    private mutating func withBuffer(_ body: (inout DocumentReader, inout [UInt8]) throws -> Void) rethrows {
        if lentCount == buffers.count { buffers.append([]) }
        var buffer: [UInt8] = []
        swap(&buffer, &buffers[lentCount])
        lentCount += 1
        defer {
            lentCount -= 1
            swap(&buffer, &buffers[lentCount])
        }
        buffer.removeAll(keepingCapacity: true)
        try body(&self, &buffer)
    }
}

extension RawSpan {
    fileprivate var firstNonSpaceIndex: Int? {
        (0..<byteCount).first { byte($0) > 0x20 }
    }

    /// Whether the text begins with as many digits of base64 as a short response has.
    fileprivate var beginsLikeBase64: Bool {
        byteCount >= 16
            && (0..<min(64, byteCount)).allSatisfy { index in
                switch byte(index) {
                case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2B, 0x2F, 0x2D, 0x5F, 0x3D, 0x0D, 0x0A: true
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
