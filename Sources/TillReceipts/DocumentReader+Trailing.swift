import TillColumns
import TillCore
import TillInput
import TillRows

/// What stands behind a document in the text that holds it: a second receipt in the same base64, a second object in the same
/// string.
///
///     MIIT…MIIT…          30 82 …  30 82 …                     two documents
///     {"Payload":"{\"status\":0}\n{\"status\":21003}"}         two documents
///     MIIT…               30 82 …  00 00 0A                    one, padded
///
/// The frame has one place in the input, so all documents in it have its line, offset and length. Zeros and white space are
/// padding; anything else that is no document is a reject of its own, unless the document before it is one, which keeps all of
/// the frame.
extension DocumentReader {
    /// Remembers what `bytes` hold from `end` on, unless it is padding.
    mutating func keepTrailing(_ bytes: RawSpan, from end: Int) {
        guard let start = (end..<bytes.byteCount).first(where: { !Self.isPadding(bytes.byte($0)) }) else { return }
        trailing.append(bytes.extracting(start..<bytes.byteCount).withUnsafeBytes(Array.init))
    }

    private static func isPadding(_ byte: UInt8) -> Bool { [0x00, 0x09, 0x0A, 0x0D, 0x20].contains(byte) }

    /// Reads what was kept as documents of their own.
    ///
    /// - Parameters:
    ///   - mark: where the tables stood when the document before them began.
    ///   - frame: the bytes that hold them all.
    ///   - raw: where the frame is found, which is kept of those that cannot be read.
    ///   - place: where it stands in the stretch.
    mutating func readTrailing(
        behind mark: RowBatch.Mark,
        frame: RawSpan,
        raw: RejectList.Raw,
        at place: Range<Int>,
        into rows: inout RowBatch,
        _ summary: inout Summary
    ) {
        guard !trailing.isEmpty else { return }
        let parts = trailing
        trailing.removeAll()
        let (line, brackets, path) = (summary.lines, summary.openBrackets, wrappings)
        let (rejectCount, traceCount, documentCount) = (summary.rejects.count, traces.count, rows.documents.rowCount)
        let loggedAt = documentCount > mark.documents ? rows.documents[.loggedAt, mark.documents] : nil
        endTrace(frame, 0..<frame.byteCount, line: line, summary)
        trailingDepth += 1
        let isRejected = summary.rejects.last?.ordinal == summary.documents - 1
        for part in parts { readTrailing(part, keepsRejects: !isRejected, into: &rows, &summary) }
        trailingDepth -= 1
        (summary.lines, summary.openBrackets) = (line, brackets)
        summary.rejects.move(from: rejectCount, to: place, line: line, raw: raw, path: path)
        for index in traceCount..<traces.count { (traces[index].line, traces[index].offset) = (line, place.lowerBound) }
        guard let loggedAt else { return }
        for row in documentCount..<rows.documents.rowCount where rows.documents[.loggedAt, row] == nil {
            rows.documents.set(.loggedAt, loggedAt, row: row)
        }
    }

    /// The same for a frame that stands in `bytes`.
    mutating func readTrailing(
        behind mark: RowBatch.Mark,
        in bytes: RawSpan,
        at place: Range<Int>,
        into rows: inout RowBatch,
        _ summary: inout Summary
    ) {
        guard !trailing.isEmpty else { return }
        readTrailing(behind: mark, frame: bytes.extracting(place), raw: .place(place), at: place, into: &rows, &summary)
    }

    /// Reads the documents in one part, up to what is none.
    private mutating func readTrailing(
        _ part: [UInt8],
        keepsRejects: Bool,
        into rows: inout RowBatch,
        _ summary: inout Summary
    ) {
        let padded = part + Array(repeating: 0, count: ByteBuffer.padding)
        let (bytes, limit) = (padded.span.bytes, part.count)
        let line = summary.lines
        let aheadOfFrame = ahead
        ahead = TextAhead()
        defer { ahead = aheadOfFrame }
        var position = 0
        while true {
            Framer.skipSeparators(
                in: bytes,
                at: &position,
                limit: limit,
                streamOffset: 1,
                lines: &summary.lines,
                openBrackets: &summary.openBrackets
            )
            while position < limit, Self.isPadding(bytes.byte(position)) { position += 1 }
            guard position < limit else { return }
            summary.lines = line
            let (rejectCount, accepted) = (summary.rejects.count, summary.accepted)
            beginTrace()
            guard trailingDepth <= Self.wrapLimit,
                let end = readDocument(bytes, at: position, limit: limit, isFinal: true, &rows, &summary)
            else {
                return rejectTrailing(bytes.extracting(position..<limit), .tooDeep, &summary)
            }
            summary.lines = line
            if !keepsRejects, summary.rejects.count > rejectCount, summary.accepted == accepted {
                summary.rejects.removeAll(from: rejectCount)
                trace = nil
                return
            }
            if summary.rejects.count > rejectCount, Self.isNothing(summary.rejects[rejectCount].diagnostic.code) {
                // Nothing shows where it ends, so all the rest is it.
                summary.rejects.removeAll(from: rejectCount)
                return rejectTrailing(bytes.extracting(position..<limit), .trailing, &summary)
            }
            endTrace(bytes, position..<end, line: line, summary)
            position = end
        }
    }

    private static func isNothing(_ code: String) -> Bool {
        [DecodeError.Code.unrecognized, .empty].contains { $0.rawValue == code }
    }

    private mutating func rejectTrailing(_ rest: RawSpan, _ code: DecodeError.Code, _ summary: inout Summary) {
        (current, hasBegun) = (nil, false)
        wrappings.removeAll()
        summary.rejects.append(
            Reject(
                ordinal: summary.documents,
                line: summary.lines,
                offset: 0,
                length: 0,
                diagnostic: diagnostic(for: DecodeError(code, at: 0), base: 0, end: .max),
                kind: nil,
                raw: .copy([])
            )
        )
        endTrace(rest, 0..<rest.byteCount, line: summary.lines, summary)
    }
}
