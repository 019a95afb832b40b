import TillColumns
public import TillCore
public import TillInput
import TillJSON
public import TillRows

/// Reads a stretch of input document by document: finds where each starts, tells what it is, has it decoded.
///
///     bytes › frame › sniffed › decoded            rows
///                  ↖ wrapped: base64, a string ↵    or a reject
///
/// A document that only wraps another goes round again, ``wrapLimit`` times at most. What a stretch gives depends on
/// its bytes alone, so stretches can be read in any order.
public struct DocumentReader: Sendable {
    /// Wrappings inside one another: base64 in a JSON string in base64 … Each encoding that is taken off is one.
    public static let wrapLimit = 8

    /// Bytes that are kept of a document over the size limit: enough to know it by, since it can be neither repaired nor
    /// fed back from its beginning.
    public static let cutLength = 64 << 10

    /// What reading a stretch came to.
    public struct Summary: Sendable {
        /// Bytes of complete documents and what separates them; what follows needs more bytes.
        public var consumed = 0
        /// Line feeds among them.
        public var lines = 0
        public var accepted = 0
        /// `[` less `]` between documents.
        public var openBrackets = 0
        /// Documents that could not be read.
        public internal(set) var rejects = RejectList()
        /// Accepted documents that are of other apps than those asked for, and whose rows were left out.
        public var foreign = 0

        public init() {}

        public var documents: Int { accepted + rejects.total }
    }

    /// A document that could not be read. Positions count from the start of the stretch.
    public struct Reject: Sendable {
        /// The number of the document in the stretch, from 0.
        public var ordinal: Int
        /// Line feeds before it.
        public var line: Int
        public var offset: Int
        public var length: Int
        public var diagnostic: Diagnostic
        /// The format it was taken for, if any.
        public var kind: String?
        /// Where the document as it came is found (``bytes(in:)``).
        var raw: RejectList.Raw
    }

    var formats: [any ReceiptFormat]
    var sniffer = DocumentSniffer()
    let wrapper = WrapperReader()
    var logTimes = LogTimes()
    var envelopes = CompactJWS()
    /// The number of the format that `--from` asks for.
    let forced: Int?
    /// Decoded text, innermost last; kept, so that a receipt costs no allocation.
    var buffers: [[UInt8]] = []
    /// Those of them that hold something now.
    var lentCount = 0
    /// The format that read, or tried to read, the document at hand.
    var current: Int?
    /// The format of the JSON object that was told last: most are of the same.
    var familiar: Int?
    /// Whether ``current`` has begun to read it: until then its path is that of an earlier document.
    var hasBegun = false
    /// Runs in a row that came to nothing in this stretch; where none comes to anything, each document would be read twice.
    private var fruitlessRuns = 0
    private static let mostFruitlessRuns = 16
    /// The members that wrapped it, outermost first.
    var wrappings: [String] = []
    /// Whether what is being read was decoded from something else, so that its offsets are its own.
    var isWrapped = false

    /// What stands behind the document at hand in the texts that hold it, in the order in which it was met.
    var trailing: [[UInt8]] = []
    /// How many documents, each behind another, are inside one another.
    var trailingDepth = 0
    /// What is known of the text that is being read, behind the document at hand.
    var ahead = TextAhead()

    /// The header of the source, where it is delimited text; rows are read then, whatever they look like.
    public var csvHeader: CSVHeader?
    /// Holds a cell while its quotes are undone.
    var cellText: [UInt8] = []

    let documentLimit: Int
    /// So many of the rejects of a stretch are told, and the others only counted by their codes.
    public var rejectLimit = Int.max
    let policy: TrustPolicy
    private let apps: AppFilter?

    /// Whether ``traces`` are kept, which costs a copy of every document.
    public var keepsTraces = false
    /// How each document of the stretch read last was read, where that is kept.
    public internal(set) var traces: [DocumentTrace] = []
    /// That of the document at hand.
    var trace: DocumentTrace?
    /// How many of ``wrappings`` the trace has told.
    var tracedWrappings = 0

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - format: a name of the registry, or `nil` to tell formats by their content.
    ///   - documentLimit: a document of more bytes is a reject.
    ///   - trust: what is done about signatures.
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
        formats = ReceiptFormatRegistry.all.map { $0.init() }
        for index in formats.indices { formats[index].checker = trust.checker }
        forced = ReceiptFormatRegistry.all.firstIndex { $0.name == format }
    }

    /// Reads all complete documents among the first `limit` of `bytes`, behind which lie ``ByteBuffer/padding`` zeros.
    ///
    /// - Parameters:
    ///   - streamOffset: where in the stream the bytes stand.
    ///   - isFinal: whether nothing follows, so that what is cut short is broken and not merely unfinished.
    public mutating func read(
        _ bytes: RawSpan,
        limit: Int,
        streamOffset: Int,
        isFinal: Bool,
        into rows: inout RowBatch
    ) -> Summary {
        for index in formats.indices { formats[index].beginBatch() }
        traces.removeAll()
        ahead = TextAhead()
        if let csvHeader {
            return readRows(
                bytes,
                of: csvHeader,
                limit: limit,
                streamOffset: streamOffset,
                isFinal: isFinal,
                into: &rows
            )
        }
        var summary = Summary()
        summary.rejects = RejectList(limit: rejectLimit)
        var position = 0
        var hasRun = false
        fruitlessRuns = 0
        while true {
            Framer.skipSeparators(
                in: bytes,
                at: &position,
                limit: limit,
                streamOffset: streamOffset,
                lines: &summary.lines,
                openBrackets: &summary.openBrackets
            )
            // What follows a run is none of them.
            if !hasRun, readRun(bytes, from: &position, limit: limit, into: &rows, &summary) {
                hasRun = true
                continue
            }
            hasRun = false
            summary.consumed = position
            let (start, line) = (position, summary.lines)
            beginTrace()
            guard let end = readDocument(bytes, at: start, limit: limit, isFinal: isFinal, &rows, &summary) else {
                break
            }
            position = end
            endTrace(bytes, start..<end, line: line, summary)
            summary.rejects.settle()
        }
        return summary
    }

    /// Reads documents of the familiar format that need no closer look; `false` where there are none at `position`.
    private mutating func readRun(
        _ bytes: RawSpan,
        from position: inout Int,
        limit: Int,
        into rows: inout RowBatch,
        _ summary: inout Summary
    ) -> Bool {
        guard let familiar, forced == nil || forced == familiar, !keepsTraces, !policy.isRequired, apps == nil,
            fruitlessRuns < Self.mostFruitlessRuns
        else { return false }
        let mark = rows.events.rowCount
        let start = JSONCursor(bytes, at: position, limit: limit)
        let run = formats[familiar].decodeRun(from: start, longest: documentLimit, into: &rows)
        fruitlessRuns = run.count > 0 ? 0 : fruitlessRuns + 1
        guard run.count > 0 else { return false }
        rows.endRun(from: mark, ordinal: summary.documents, line: summary.lines)
        summary.accepted += run.count
        summary.lines += run.count
        position = run.end
        return true
    }

    /// Reads the document at `start`; gives where it ends, or `nil` where it is not complete or there is none.
    mutating func readDocument(
        _ bytes: RawSpan,
        at start: Int,
        limit: Int,
        isFinal: Bool,
        _ rows: inout RowBatch,
        _ summary: inout Summary
    ) -> Int? {
        let frame = Framer.start(in: bytes, at: start, limit: limit)
        if frame == .text, trailingDepth == 0, !keepsTraces,
            let end = bytes.endOfNothing(at: start, limit: limit, isFinal: isFinal), end - start <= documentLimit
        {
            summary.rejects.appendUnrecognized(ordinal: summary.documents, line: summary.lines, place: start..<end)
            return end
        }
        let mark = rows.mark()
        (current, hasBegun, isWrapped) = (nil, false, false)
        if !wrappings.isEmpty { wrappings.removeAll(keepingCapacity: true) }
        if !trailing.isEmpty { trailing.removeAll() }
        var end: Int?
        do {
            switch frame {
            case .nothing: return nil
            case .json:
                var cursor = JSONCursor(bytes, at: start, limit: limit)
                try decode(&cursor, depth: 0, into: &rows)
                guard cursor.position - start <= documentLimit else { throw DecodeError(.tooLarge, at: start) }
                try accept(from: mark, in: &rows, &summary)
                readTrailing(behind: mark, in: bytes, at: start..<cursor.position, into: &rows, &summary)
                if cursor.sawNewline { summary.lines += bytes.count(of: 0x0A, from: start, to: cursor.position) }
                return cursor.position
            case .pem: end = Framer.endOfPEM(in: bytes, at: start, limit: limit, isFinal: isFinal)
            case .der: end = Framer.endOfDER(in: bytes, at: start, limit: limit, isFinal: isFinal)
            case .propertyList:
                end = Framer.endOfPropertyList(in: bytes, at: start, limit: limit, isFinal: isFinal, ahead: &ahead)
            case .xml: end = Framer.endOfXML(in: bytes, at: start, limit: limit, isFinal: isFinal)
            case .text: end = Framer.endOfText(in: bytes, at: start, limit: limit, isFinal: isFinal, ahead: &ahead)
            }
            guard let end else { return nil }
            guard end - start <= documentLimit else { throw DecodeError(.tooLarge, at: 0) }
            switch frame {
            case .der: try decode(binary: bytes.extracting(start..<end), into: &rows)
            case .pem:
                note(.pem, bytes.extracting(start..<end))
                try decode(text: bytes.extracting(Framer.pemBody(in: bytes, start..<end)), depth: 0, into: &rows)
            default: try decode(text: bytes.extracting(start..<end), depth: 0, into: &rows)
            }
            try accept(from: mark, in: &rows, &summary)
        } catch {
            rows.rollBack(to: mark)
            var failure = Failure(error)
            if frame == .json {
                if failure.isTruncatedJSON, !isWrapped, !isFinal { return nil }
                end = endOfRejectedJSON(bytes, at: start, limit: limit, isFinal: isFinal)
            }
            if let whole = end, whole - start > documentLimit {
                // Whatever else is wrong with it; and it ends where it would if it had never been in memory at once.
                failure = Failure(DecodeError(.tooLarge, at: documentLimit))
                end = Framer.endOfOversized(in: bytes, at: start, limit: limit, isFinal: isFinal)
                (current, isWrapped) = (nil, true)
                wrappings.removeAll()
                trailing.removeAll()
            }
            guard let end else { return nil }
            let kept = failure.isTooLarge ? start + min(documentLimit, Self.cutLength) : end
            let base = frame == .json && !isWrapped ? start : 0
            var finding = diagnostic(for: failure, base: base, end: frame == .json && !isWrapped ? end : .max)
            if bytes.beginsLikeUTF16(at: start, to: end) {
                finding.reason = "text in UTF-16, which is not read; iconv -f UTF-16 -t UTF-8 turns it into UTF-8"
            }
            summary.rejects.append(
                Reject(
                    ordinal: summary.documents,
                    line: summary.lines,
                    offset: start,
                    length: end - start,
                    diagnostic: finding,
                    kind: current.map { ReceiptFormatRegistry.all[$0].name },
                    raw: .place(start..<min(end, kept))
                )
            )
        }
        guard let end else { return nil }
        readTrailing(behind: mark, in: bytes, at: start..<end, into: &rows, &summary)
        if frame == .text { summary.openBrackets -= Framer.closedBrackets(in: bytes, start..<end) }
        summary.lines += bytes.count(of: 0x0A, from: start, to: end)
        return end
    }

    /// Counts a document that was read, unless its trust forbids it; of another app only the number is kept.
    func accept(from mark: RowBatch.Mark, in rows: inout RowBatch, _ summary: inout Summary) throws(TrustError) {
        if policy.isRequired, let error = rows.refusal(from: mark) { throw error }
        if let apps, apps.apply(to: &rows, from: mark) { summary.foreign += 1 }
        rows.endDocument(from: mark, ordinal: summary.documents, line: summary.lines)
        summary.accepted += 1
    }

    /// Where a JSON document ends that gave no rows: where its JSON ends if that is whole, else where a broken one does.
    private func endOfRejectedJSON(_ bytes: RawSpan, at start: Int, limit: Int, isFinal: Bool) -> Int? {
        var cursor = JSONCursor(bytes, at: start, limit: limit)
        do {
            try cursor.skipValue()
            return cursor.position
        } catch {
            if error.code == .truncated, !isFinal { return nil }
            return Framer.endOfBrokenJSON(in: bytes, at: start, limit: limit, isFinal: isFinal)
        }
    }

    /// What a reader below threw, as a finding; `base` is where its offsets begin.
    func diagnostic(for error: any Error, base: Int, end: Int) -> Diagnostic {
        diagnostic(for: Failure(error), base: base, end: end)
    }

    /// A defect that shows only behind the `end` of the document, such as the line feed inside a string whose line was
    /// cut, is that the document is cut short.
    private func diagnostic(for failure: Failure, base: Int, end: Int) -> Diagnostic {
        // A signature is that of the whole, wherever the decoder came to last.
        let inside = hasBegun && !failure.isOfTrust ? current.map { formats[$0].path } ?? "" : ""
        var (code, reason, offset) = (failure.code, failure.reason, failure.offset ?? base)
        if offset >= end {
            let cut = JSONError(.truncated, at: end)
            (code, reason, offset) = (cut.code.rawValue, cut.reason, cut.offset)
        }
        return Diagnostic(
            code: code,
            reason: reason,
            path: wrappings.isEmpty
                ? inside : (wrappings + [inside]).filter { !$0.isEmpty }.joined(separator: " › "),
            innerOffset: max(0, offset - base)
        )
    }
}

/// What a reader threw, told apart once: asking an error for its type costs more than reading a short document.
private struct Failure {
    var code: String
    var reason: String
    /// `nil` where it is of the document as a whole.
    var offset: Int?
    var isTruncatedJSON = false
    var isTooLarge = false
    var isOfTrust = false

    init(_ error: any Error) {
        // The usual ones first.
        switch error {
        case let error as DecodeError:
            (code, reason, offset) = (error.code.rawValue, error.reason, error.offset)
            isTooLarge = error.code == .tooLarge
        case let error as JSONError:
            (code, reason, offset) = (error.code.rawValue, error.reason, error.offset)
            isTruncatedJSON = error.code == .truncated
        case let error as Base64.Failure: (code, reason, offset) = (error.code.rawValue, error.reason, error.offset)
        case let error as PropertyListError: (code, reason, offset) = (error.code.rawValue, error.reason, error.offset)
        case let error as TrustError:
            (code, reason) = (error.code.rawValue, error.code.reason)
            isOfTrust = true
        default: (code, reason) = (DecodeError.Code.unrecognized.rawValue, "\(error)")
        }
    }
}

extension RawSpan {
    /// Whether the document in `start..<end` begins as Western text in UTF-16 does: with its byte order mark, or with
    /// every other byte 0. A line feed there is two bytes, of which the second begins the next line.
    fileprivate func beginsLikeUTF16(at start: Int, to end: Int) -> Bool {
        guard end - start >= 4, byte(start) == 0 || byte(start) >= 0xFE || byte(start + 1) == 0 else { return false }
        if byte(start) == 0xFF && byte(start + 1) == 0xFE || byte(start) == 0xFE && byte(start + 1) == 0xFF {
            return true
        }
        let head = start..<min(end, start + 16)
        return [0, 1].contains { parity in head.allSatisfy { (byte($0) == 0) == (($0 - start) & 1 == parity) } }
    }
}

extension RawSpan {
    /// Where the line of text at `start` ends, if it is one of those short ones that are surely no document: it is printable, is not
    /// base64 of anything that begins as a document does, and has none of the marks of other text.
    ///
    ///     x    OK    42    hello    ---
    ///
    /// The reader would find the same (``DocumentReader/decode(text:depth:into:)``), in ten times as long.
    fileprivate func endOfNothing(at start: Int, limit: Int, isFinal: Bool) -> Int? {
        guard Self.beginsNothing[Int(byte(start))] else { return nil }
        let last = min(limit, start + Self.mostOfNothing + 1)
        var index = start + 1
        while index < last {
            switch byte(index) {
            case 0x0A: return index
            // A bracket may close one that stands before the text.
            case 0x5D: return nil
            case 0x20...0x7E, 0x09, 0x0D: index += 1
            default: return nil
            }
        }
        return isFinal && index == limit && index - start <= Self.mostOfNothing ? index : nil
    }

    /// Bytes of the longest such line: fewer than the digits that tell wrapped base64, and than any mark of a log's entry.
    private static let mostOfNothing = 7

    /// By byte: whether text that begins with it is either no base64, or that of a byte which begins neither white space, DER, JSON,
    /// a property list nor base64 of them.
    ///
    ///     A…I     up to a space, or a quote         M, e      a SEQUENCE, a brace
    ///     T, Z    base64 of `M`, `e`                V, W      base64 of `T`, `Z`
    ///     =, %    padding                           ]         closes a bracket before the text
    private static let beginsNothing: [Bool] = (0..<256).map { byte in
        (0x21...0x7E).contains(byte) && !"ABCDEFGHIMTVWZe=%]{\"<[".utf8.contains(UInt8(byte))
    }
}
