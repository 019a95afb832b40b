import TillColumns
import TillCore
import TillInput
import TillRows

/// Documents behind the document in the text that holds it: a second receipt in the same base64, a second object in the
/// same string.
///
///     MIIT…MIIT…          30 82 …  30 82 …                     two documents
///     {"Payload":"{\"status\":0}\n{\"status\":21003}"}         two documents
///     MIIT…               30 82 …  00 00 0A                    one, padded
///
/// The frame has one place in the input, so all documents in it have its line, offset and length. Control characters
/// and white space are padding. Other bytes that are no document are a reject of their own, unless the document before them is one: its
/// reject has all bytes of the frame.
extension DocumentReader {
    /// Reads the bytes behind a document in a frame as documents of their own.
    ///
    /// - Parameters:
    ///   - mark: where the tables stood when the document began.
    ///   - frame: the bytes that hold all of them.
    ///   - raw: where the frame is found, for the rejects.
    ///   - place: where the frame stands in the chunk.
    mutating func readTrailing(
        of document: inout DocumentState,
        behind mark: RowBatch.Mark,
        frame: RawSpan,
        raw: RejectList.Raw,
        at place: Range<Int>,
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) {
        let (parts, others) = (document.takeTrailing(), document.takeOthers())
        guard !parts.isEmpty || !others.isEmpty || document.earlier != nil else { return }
        let (line, brackets) = (state.summary.lines, state.summary.openBrackets)
        let (rejectCount, traceCount) = (state.summary.rejects.count, traces.count)
        let documentCount = rows.documents.rowCount
        let loggedAt = documentCount > mark.documents ? rows.documents[.loggedAt, mark.documents] : nil
        endTrace(of: &document, frame, 0..<frame.byteCount, line: line, state.summary)
        state.trailingDepth += 1
        let isRejected = state.summary.rejects.last?.ordinal == state.summary.documents - 1
        let acceptedBefore = state.summary.accepted - (isRejected ? 0 : 1)
        // The receipt beside a response belongs to that response alone.
        var envelope = document.envelope
        envelope?.pairKey = nil
        for part in parts { readPart(part, in: envelope, keepsRejects: !isRejected, &state, into: &rows) }
        state.summary.lines = line
        state.summary.rejects.move(from: rejectCount, to: place, line: line, raw: raw, path: document.wrappings)
        // Documents found beside this one have their own position and envelope.
        let outside = document.earlier == nil ? 0 : document.othersOutside
        read(others.dropFirst(outside), inside: frame, raw: raw, at: place, &state, into: &rows)
        if let earlier = document.takeEarlier() {
            let first = isRejected ? rejectCount - 1 : rejectCount
            settle(earlier, from: first, acceptedBefore, mark, &state, into: &rows)
        }
        read(others.prefix(outside), inside: frame, raw: raw, at: place, &state, into: &rows)
        state.trailingDepth -= 1
        (state.summary.lines, state.summary.openBrackets) = (line, brackets)
        for index in traceCount..<traces.count { (traces[index].line, traces[index].offset) = (line, place.lowerBound) }
        guard let loggedAt, others.isEmpty, documentCount < rows.documents.rowCount else { return }
        for row in documentCount..<rows.documents.rowCount { rows.documents.fill(.loggedAt, loggedAt, row: row) }
    }

    /// Makes the rejects since `first` those of the earlier run whose line held the document.
    ///
    /// If the document is rejected in the same way again, nothing else of its frame is read: the other documents were
    /// read in the earlier run, or have their own line.
    private func settle(
        _ earlier: EarlierReject,
        from first: Int,
        _ acceptedBefore: Int,
        _ mark: RowBatch.Mark,
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) {
        let rejects = state.summary.rejects[first...]
        let same =
            keepsTraces || apps != nil
            ? nil
            : rejects.indices.first { index in
                earlier.isRepeated(by: rejects[index].diagnostic, alone: rejects.count == 1)
            }
        if same != nil {
            rows.rollBack(to: mark)
            state.summary.accepted = acceptedBefore
        }
        let ordinal = acceptedBefore + state.summary.rejects.total - rejects.count
        state.summary.rejects.settle(from: first, on: earlier, keeping: same, ordinal: ordinal)
    }

    /// Reads the bytes behind a document in a frame that stands in `bytes`.
    mutating func readTrailing(
        of document: inout DocumentState,
        behind mark: RowBatch.Mark,
        in bytes: RawSpan,
        at place: Range<Int>,
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) {
        guard document.hasFollowers else { return }
        let frame = bytes.extracting(place)
        readTrailing(of: &document, behind: mark, frame: frame, raw: .place(place), at: place, &state, into: &rows)
    }

    /// Reads documents that were found beside another in the same frame.
    private mutating func read(
        _ others: ArraySlice<FoundDocument>,
        inside frame: RawSpan,
        raw: RejectList.Raw,
        at place: Range<Int>,
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) {
        guard !others.isEmpty else { return }
        let (first, line) = (state.summary.rejects.count, state.summary.lines)
        let copy = keepsTraces ? frame.withUnsafeBytes(Array.init) : []
        for other in others { read(other, inside: frame, copy: copy, &state, into: &rows) }
        state.summary.rejects.move(from: first, to: place, line: line, raw: raw, path: [])
    }

    /// Reads a document that was found beside another in the same frame.
    private mutating func read(
        _ found: FoundDocument,
        inside frame: RawSpan,
        copy: [UInt8],
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) {
        var document = DocumentState(keepsTrace: keepsTraces, isWrapped: true)
        document.record(found.outerLayers)
        let mark = rows.mark()
        do {
            try unwrapper.decode(found, &document, into: &rows)
            try accept(document, from: mark, in: &rows, &state.summary)
        } catch {
            rows.rollBack(to: mark)
            let finding = diagnostic(for: error, in: document)
            state.summary.reject(finding, at: 0..<0, kind: document.format?.name, raw: .copy([]))
        }
        guard document.hasFollowers, state.trailingDepth <= Self.wrapLimit else {
            return endTrace(
                of: &document,
                frame,
                0..<frame.byteCount,
                raw: copy,
                line: state.summary.lines,
                state.summary
            )
        }
        let place = 0..<frame.byteCount
        readTrailing(of: &document, behind: mark, frame: frame, raw: .copy([]), at: place, &state, into: &rows)
    }

    /// Reads the documents in one part, up to bytes that are none.
    private mutating func readPart(
        _ part: [UInt8],
        in envelope: EnvelopeFacts?,
        keepsRejects: Bool,
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) {
        let padded = part + Array(repeating: 0, count: ByteBuffer.padding)
        let chunk = ChunkBytes(padded.span.bytes, limit: part.count, isFinal: true)
        let line = state.summary.lines
        let lookahead = state.lookahead
        state.lookahead = TextLookahead()
        defer { state.lookahead = lookahead }
        var position = 0
        while true {
            skipPadding(in: chunk, at: &position, &state.summary)
            guard position < part.count else { return }
            state.summary.lines = line
            let (rejectCount, accepted) = (state.summary.rejects.count, state.summary.accepted)
            let rest = chunk.bytes.extracting(position..<part.count)
            var document = DocumentState(keepsTrace: keepsTraces)
            if let envelope { document.keep(envelope) }
            guard state.trailingDepth <= Self.wrapLimit,
                let end = readDocument(of: chunk, at: position, &document, &state, into: &rows)
            else { return reject(rest, .tooDeep, &document, &state.summary) }
            state.summary.lines = line
            if state.summary.rejects.count > rejectCount {
                if !keepsRejects, state.summary.accepted == accepted {
                    return state.summary.rejects.removeAll(from: rejectCount)
                }
                if Self.isUnrecognized(state.summary.rejects[rejectCount].diagnostic.code) {
                    // Nothing shows where it ends, so all the rest belongs to it.
                    state.summary.rejects.removeAll(from: rejectCount)
                    return reject(rest, .trailing, &document, &state.summary)
                }
            }
            endTrace(of: &document, chunk.bytes, position..<end, line: line, state.summary)
            position = end
        }
    }

    private func skipPadding(in chunk: borrowing ChunkBytes, at position: inout Int, _ summary: inout Summary) {
        Framer.skipSeparators(
            in: chunk.bytes,
            at: &position,
            limit: chunk.limit,
            streamOffset: 1,
            lines: &summary.lines,
            openBrackets: &summary.openBrackets
        )
    }

    private static func isUnrecognized(_ code: String) -> Bool {
        [Defect.unrecognized, .empty].contains { $0.code == code }
    }

    /// Rejects the rest of a part; its place is set by the frame (``RejectList/move(from:to:line:raw:path:)``).
    private mutating func reject(
        _ rest: RawSpan,
        _ defect: Defect,
        _ document: inout DocumentState,
        _ summary: inout Summary
    ) {
        document.forget()
        summary.reject(diagnostic(for: Finding(defect), in: document), at: 0..<0, kind: nil, raw: .copy([]))
        endTrace(of: &document, rest, 0..<rest.byteCount, line: summary.lines, summary)
    }
}
