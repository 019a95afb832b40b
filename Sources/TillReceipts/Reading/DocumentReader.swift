import TillColumns
public import TillCore
public import TillInput
import TillJSON
public import TillRows

/// Reads a chunk document by document: finds where each starts and ends, has its layers taken off and its rows decoded,
/// and makes a reject of one that cannot be read.
///
///     DocumentReader   where a document starts and ends           ``Framer``
///       Unwrapper      base64, JWS, … around it                   ↻ ``wrapLimit`` times at most
///         FormatDecoder  its format                               ``FormatDetector``
///           ReceiptFormat  its rows                               ``RowBatch``
///
/// The result of a chunk depends only on its bytes, so chunks can be read in any order.
public struct DocumentReader: Sendable {
    /// The largest number of removed layers around one document: base64 in a JSON string in base64 are three.
    public static let wrapLimit = 8

    /// Bytes that a reject keeps of a document over the size limit. It can be neither repaired nor read again from
    /// them, but they show which document it is.
    public static let cutLength = 64 << 10

    /// The counts of a chunk, and its rejects.
    public struct Summary: Sendable {
        /// Bytes of complete documents and of the separators between them; the bytes behind these begin a document that
        /// is not complete.
        public var consumed = 0
        /// Line feeds among them.
        public var lines = 0
        /// Documents that were read, also those of other apps.
        public var accepted = 0
        /// `[` less `]` between documents.
        public var openBrackets = 0
        /// Documents that could not be read.
        public internal(set) var rejects = RejectList()
        /// Where the last reject ends in the chunk.
        var rejectedEnd: Int?
        /// Accepted documents of other apps than the wanted ones; their rows were left out.
        public var foreign = 0
        /// How delimited text writes quotes inside quotes, where the header or a row has shown it.
        public internal(set) var csvEscape: CSVEscape?
        /// Whether reading ended at ``DocumentReader/stop``.
        public internal(set) var hasStopped = false

        /// Starts with nothing counted, as for a chunk that is not read.
        public init() {}

        /// All documents of the chunk, read or rejected; the next one has this number as its ordinal.
        public var documents: Int { accepted + rejects.total }
    }

    /// A document that could not be read.
    public struct Reject: Sendable {
        /// The number of the document in the chunk, from 0.
        public var ordinal: Int
        /// Line feeds of the chunk before the document.
        public var line: Int
        /// Bytes of the chunk before the frame or the row that holds the document.
        public var offset: Int
        /// Bytes of that frame or row, also if fewer of them are kept.
        public var length: Int
        /// The defect; its offset counts from the start of the decoded document, not of the chunk.
        public var diagnostic: Diagnostic
        /// The name of the format that tried to read it, if any.
        public var kind: String?
        /// The position of the unchanged document (``bytes(in:)``).
        var raw: RejectList.Raw
    }

    /// The state while one chunk is read.
    struct ChunkState {
        var summary = Summary()
        /// Findings of searches for document ends, about the text after the document.
        var lookahead = TextLookahead()
        /// Documents, each behind another in the same frame, that are inside one another.
        var trailingDepth = 0
        /// Attempts in a row to read a run that found none.
        var emptyRuns = 0
    }

    var unwrapper: Unwrapper
    let documentLimit: Int
    private let policy: TrustPolicy
    let apps: AppFilter?

    /// Whether only runs of base64 and of JWS are documents, with any text around them.
    public var findsRuns = false

    /// The header of the source where it is delimited text; its rows are read then, whatever they look like.
    public var csvHeader: CSVHeader?
    /// Holds a cell while its quotes are undone.
    var cellText: [UInt8] = []

    /// The rejects of a chunk that are listed; further ones are only counted, by their codes.
    public var rejectLimit = Int.max

    /// Where in the chunk no further document is begun.
    public var stop = Int.max

    /// Whether a line begins behind the chunk with a byte that continues no document (``Framer/lastCut(in:limit:)``).
    public var isCut = false

    /// Whether ``traces`` are kept, which costs a copy of every document.
    public var keepsTraces = false
    /// How each document of the last chunk was read, where traces are kept.
    public internal(set) var traces: [DocumentTrace] = []

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - format: a name of the registry, or `nil` to detect the format of each document.
    ///   - documentLimit: a document of more bytes is a reject.
    ///   - trust: how signatures are checked, and whether a failed check makes a reject.
    ///   - bundleIDs: the apps to keep; none keeps all.
    public init(
        format: String? = nil,
        documentLimit: Int = .max,
        trust: TrustPolicy = .off,
        bundleIDs: [String] = []
    ) {
        self.documentLimit = documentLimit
        policy = trust
        apps = AppFilter(bundleIDs)
        unwrapper = Unwrapper(requiring: format, checker: trust.checker)
    }

    /// Reads all complete documents among the first `limit` of `bytes`, behind which lie ``ByteBuffer/padding`` zeros.
    ///
    /// - Parameters:
    ///   - streamOffset: where in the stream the bytes stand.
    ///   - isFinal: whether the stream ends here, so that a document that is cut short is broken and not merely
    ///     unfinished.
    public mutating func read(
        _ bytes: RawSpan,
        limit: Int,
        streamOffset: Int,
        isFinal: Bool,
        into rows: inout RowBatch
    ) -> Summary {
        unwrapper.decoder.beginBatch()
        traces.removeAll()
        let chunk = ChunkBytes(bytes, limit: limit, isFinal: isFinal, isCut: isCut)
        var state = ChunkState()
        state.summary.rejects = RejectList(limit: rejectLimit)
        if findsRuns {
            readRuns(of: chunk, &state, into: &rows)
        } else if let csvHeader {
            readRows(of: chunk, header: csvHeader, streamOffset: streamOffset, &state, into: &rows)
        } else {
            readDocuments(of: chunk, streamOffset: streamOffset, &state, into: &rows)
        }
        return state.summary
    }

    private mutating func readDocuments(
        of chunk: borrowing ChunkBytes,
        streamOffset: Int,
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) {
        var position = 0
        var hasRun = false
        while true {
            // Only these two: a copy of the summary would hold the rejects, and each further one would copy all of
            // them.
            let (end, lines, openBrackets) = (position, state.summary.lines, state.summary.openBrackets)
            Framer.skipSeparators(
                in: chunk.bytes,
                at: &position,
                limit: chunk.limit,
                isFinal: chunk.isFinal,
                streamOffset: streamOffset,
                lines: &state.summary.lines,
                openBrackets: &state.summary.openBrackets
            )
            if position >= stop {
                (state.summary.lines, state.summary.openBrackets) = (lines, openBrackets)
                return endAtStop(behind: end, of: chunk, &state.summary)
            }
            // The document after a run does not belong to it, and the general reader reads it.
            if !hasRun, readRun(of: chunk, from: &position, &state, into: &rows) {
                hasRun = true
                continue
            }
            hasRun = false
            state.summary.consumed = position
            let line = state.summary.lines
            var document = DocumentState(keepsTrace: keepsTraces)
            let mark = rows.mark()
            guard let end = readDocument(of: chunk, at: position, &document, &state, into: &rows) else { break }
            rows.endRecord(chunk.bytes.extracting(position..<end), from: mark)
            endTrace(of: &document, chunk.bytes, position..<end, line: line, state.summary)
            position = end
            state.summary.rejects.settle()
        }
    }

    /// Ends a chunk before the document that begins at ``stop`` or behind it. Only separators lie between the last
    /// document, which ends at `end`, and the stop; those behind the stop are left.
    private func endAtStop(behind end: Int, of chunk: borrowing ChunkBytes, _ summary: inout Summary) {
        summary.hasStopped = true
        summary.consumed = max(end, stop)
        guard end < stop else { return }
        for index in end..<stop {
            switch chunk.bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self) {
            case 0x0A: summary.lines += 1
            case 0x5B: summary.openBrackets += 1
            case 0x5D: summary.openBrackets -= 1
            default: break
            }
        }
    }

    /// Attempts in a row to read a run after which no more are made in a chunk: where there are no runs, every document
    /// would be read twice.
    private static let mostEmptyRuns = 16

    /// Reads documents of the expected format that need no closer look; `false` if there are none at `position`.
    private mutating func readRun(
        of chunk: borrowing ChunkBytes,
        from position: inout Int,
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) -> Bool {
        guard !keepsTraces, rows.recordKey == nil, !policy.isRequired, apps == nil, state.emptyRuns < Self.mostEmptyRuns
        else { return false }
        let mark = rows.events.rowCount
        let start = JSONCursor(chunk.bytes, at: position, limit: min(chunk.limit, stop))
        guard let run = unwrapper.decoder.decodeRun(from: start, longest: documentLimit, into: &rows) else {
            return false
        }
        state.emptyRuns = run.count > 0 ? 0 : state.emptyRuns + 1
        guard run.count > 0 else { return false }
        rows.endRun(from: mark, ordinal: state.summary.documents, line: state.summary.lines)
        state.summary.accepted += run.count
        state.summary.lines += run.count
        position = run.end
        return true
    }

    /// Reads the document at `start`, and those behind it in the same frame; gives where the frame ends, or `nil` if it
    /// is not complete or there is none.
    mutating func readDocument(
        of chunk: borrowing ChunkBytes,
        at start: Int,
        _ document: inout DocumentState,
        _ state: inout ChunkState,
        into rows: inout RowBatch
    ) -> Int? {
        let frame = Framer.start(in: chunk.bytes, at: start, limit: chunk.limit)
        if frame == .nothing { return nil }
        if frame == .text, state.trailingDepth == 0, !keepsTraces, let end = chunk.endOfShortText(at: start),
            end - start <= documentLimit
        {
            let place = start..<end
            let (ordinal, line) = (state.summary.documents, state.summary.lines)
            state.summary.rejects.appendUnrecognized(ordinal: ordinal, line: line, place: place)
            state.summary.rejectedEnd = end
            return end
        }
        let mark = rows.mark()
        var found: Int?
        var spansLines = true
        do throws(Finding) {
            if frame == .json {
                found = try decodeJSON(of: chunk, at: start, &spansLines, &document, into: &rows)
            } else {
                found = endOfFrame(frame, of: chunk, at: start, &state.lookahead)
                guard let end = found else { return nil }
                guard end - start <= documentLimit else { throw Finding(.tooLarge) }
                try decode(chunk.bytes.extracting(start..<end), in: frame, &document, into: &rows)
            }
            if let whole = found, rows.mayBePiece(from: mark) {
                switch piece(start..<whole, of: chunk, &state.lookahead) {
                case .none: break
                case .undecided:
                    rows.rollBack(to: mark)
                    return nil
                case .upTo(let end):
                    found = end
                    document.forgetFollowers()
                    throw Finding(.fragment, at: frame == .json && !document.isWrapped ? start : 0)
                }
            }
            try accept(document, from: mark, in: &rows, &state.summary)
        } catch {
            rows.rollBack(to: mark)
            spansLines = true
            let end = readOtherText(
                of: chunk,
                from: start,
                to: found,
                instead: error,
                frame,
                &document,
                &state,
                into: &rows
            )
            found = end ?? reject(error, frame, of: chunk, from: start, to: found, &document, &state.summary)
        }
        guard let end = found else { return nil }
        let place = start..<end
        readTrailing(of: &document, behind: mark, in: chunk.bytes, at: place, &state, into: &rows)
        if frame == .text { state.summary.openBrackets -= Framer.closedBrackets(in: chunk.bytes, place) }
        if spansLines { state.summary.lines += chunk.bytes.count(of: 0x0A, from: start, to: end) }
        return end
    }

    /// Whether a document is a piece of a larger one that could not be read, such as an element of its list.
    private func piece(
        _ document: Range<Int>,
        of chunk: borrowing ChunkBytes,
        _ lookahead: inout TextLookahead
    ) -> Framer.Piece {
        Framer.piece(
            in: chunk.bytes,
            document,
            longest: documentLimit,
            limit: chunk.limit,
            isFinal: chunk.isFinal,
            isCut: chunk.isCut,
            lookahead: &lookahead
        )
    }

    /// Decodes the JSON at `start`; gives where it ends, which only decoding shows.
    private mutating func decodeJSON(
        of chunk: borrowing ChunkBytes,
        at start: Int,
        _ spansLines: inout Bool,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) -> Int {
        var cursor = JSONCursor(chunk.bytes, at: start, limit: chunk.limit)
        try unwrapper.decode(json: &cursor, &document, into: &rows)
        guard document.size(in: cursor.position - start) <= documentLimit else {
            throw Finding(.tooLarge, at: start)
        }
        spansLines = cursor.sawNewline
        return cursor.position
    }

    /// Where the frame at `start` ends; `nil` if it is not complete. JSON has no end that could be found without
    /// decoding it.
    private func endOfFrame(
        _ frame: Framer.Start,
        of chunk: borrowing ChunkBytes,
        at start: Int,
        _ lookahead: inout TextLookahead
    ) -> Int? {
        let (bytes, limit, isFinal) = (chunk.bytes, chunk.limit, chunk.isFinal)
        return switch frame {
        case .nothing, .json: nil
        case .pem: Framer.endOfPEM(in: bytes, at: start, limit: limit, isFinal: isFinal)
        case .der: Framer.endOfPaddedDER(in: bytes, at: start, limit: limit, isFinal: isFinal)
        case .xml: Framer.endOfXML(in: bytes, at: start, limit: limit, isFinal: isFinal)
        case .text: Framer.endOfText(in: bytes, at: start, limit: limit, isFinal: isFinal, lookahead: &lookahead)
        case .propertyList:
            Framer.endOfPropertyList(in: bytes, at: start, limit: limit, isFinal: isFinal, lookahead: &lookahead)
        }
    }

    private mutating func decode(
        _ bytes: RawSpan,
        in frame: Framer.Start,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
        switch frame {
        case .der: try unwrapper.decoder.decode(binary: bytes, &document, into: &rows)
        case .pem:
            document.record(.pem, bytes)
            let body = Framer.pemBody(in: bytes, 0..<bytes.byteCount)
            try unwrapper.decode(text: bytes.extracting(body), &document, into: &rows)
        default: try unwrapper.decode(text: bytes, &document, into: &rows)
        }
    }

    /// Counts a document that was read, unless `--trust require` refuses it. Of a document of another app only the
    /// number counts.
    func accept(
        _ document: borrowing DocumentState,
        from mark: RowBatch.Mark,
        in rows: inout RowBatch,
        _ summary: inout Summary
    ) throws(Finding) {
        document.envelope?.apply(to: &rows, from: mark)
        if policy.isRequired, let error = rows.refusal(from: mark) { throw error }
        if let apps, apps.apply(to: &rows, from: mark) { summary.foreign += 1 }
        rows.endDocument(from: mark, ordinal: summary.documents, line: summary.lines)
        summary.accepted += 1
    }
}
