import TillColumns
import TillCore
import TillInput
import TillJSON
import TillRows

/// Has a document decoded by the format that it is of, and rejects it where another format is required.
struct FormatDecoder {
    var detector: FormatDetector
    private var formats: [any ReceiptFormat]

    /// The result of decoding a JSON object.
    enum Outcome {
        /// A document, whose rows are appended.
        case document(loggedAt: LoggedAt)
        /// A document, whose rows are appended, and another in a string.
        case both(JSONToken, member: String, environment: Word?)
        /// A document, whose rows are appended, and signed documents and receipts inside it.
        case holding(environment: Word?)
        /// A document, whose rows are appended, with receipts whose rows are only counted as withheld.
        case refused(part: JSONToken?)
        /// Only a wrapping; the document is in a string. No rows are appended.
        case wrapped(JSONToken, member: String, loggedAt: LoggedAt, environment: Word?, hasOthers: Bool)
        /// A document of this format only where nothing shows that it is anything else.
        case unclear(FormatID, Decoded.Otherwise)
        /// No format knows a key of it.
        case unrecognized
    }

    init(requiring format: String?, checker: (any SignatureChecker)?) {
        detector = FormatDetector(requiring: format)
        formats = FormatID.all.map { $0.type.init() }
        self.checker = checker
        setChecker()
    }

    /// The checker of signatures; `nil` if none is checked.
    var checker: (any SignatureChecker)? {
        didSet { setChecker() }
    }

    private mutating func setChecker() {
        for index in formats.indices { formats[index].checker = checker }
    }

    /// The facts in the text around the next documents.
    var surroundings = Surroundings() {
        didSet {
            guard surroundings != oldValue else { return }
            for index in formats.indices { formats[index].surroundings = surroundings }
        }
    }

    mutating func beginBatch() {
        for index in formats.indices { formats[index].beginBatch() }
    }

    /// The members in which the format of a document stood when it threw; empty where none has begun to read.
    func path(of document: borrowing DocumentState) -> String {
        guard document.hasBegun, let format = document.format else { return "" }
        return formats[format.index].path
    }

    // MARK: JSON

    /// Decodes documents of the expected format up to one that needs a closer look; `nil` if no format is expected, or
    /// another one is required.
    mutating func decodeRun(
        from start: borrowing JSONCursor,
        longest: Int,
        into rows: inout RowBatch
    ) -> DocumentRun? {
        guard let format = detector.expectedFormat, detector.allows(format) else { return nil }
        return formats[format.index].decodeRun(from: start, longest: longest, into: &rows)
    }

    /// Decodes the object at the cursor with the format that it is of. Where none recognizes it, the cursor stays.
    @_lifetime(cursor: copy cursor)
    mutating func decode(
        json cursor: inout JSONCursor,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) -> Outcome {
        if let format = detector.expectedFormat, let match = formats[format.index].recognize(json: cursor) {
            return try decode(json: &cursor, as: format, match: match, &document, into: &rows)
        }
        guard let format = try detector.detect(json: cursor) else { return .unrecognized }
        return try decode(json: &cursor, as: format, &document, into: &rows)
    }

    /// Decodes the object at the cursor with a format.
    ///
    /// - Parameters:
    ///   - match: the result of the format for this object, if it was asked.
    ///   - isSecond: whether another format has given the object up.
    @_lifetime(cursor: copy cursor)
    mutating func decode(
        json cursor: inout JSONCursor,
        as format: FormatID,
        match: MemberReader.Match? = nil,
        isSecond: Bool = false,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) -> Outcome {
        let start = cursor.position
        let mark = rows.mark()
        document.begin(format)
        document.record(format: format)
        switch try formats[format.index].decode(json: &cursor, match: match, into: &rows) {
        case .document(let loggedAt):
            try require(format, at: start)
            return .document(loggedAt: loggedAt)
        case .both(let token, let member, let environment):
            try require(format, at: start)
            return .both(token, member: member, environment: environment)
        case .holding(let environment):
            try require(format, at: start)
            return .holding(environment: environment)
        case .refused(let part):
            try require(format, at: start)
            return .refused(part: part)
        case .wrapped(let token, let member, let loggedAt, let environment, let hasOthers):
            rows.rollBack(to: mark)
            return .wrapped(
                token,
                member: member,
                loggedAt: loggedAt,
                environment: environment,
                hasOthers: hasOthers
            )
        case .other(let other):
            rows.rollBack(to: mark)
            guard !isSecond, let other else { throw Finding(.unrecognized, at: start) }
            cursor.position = start
            return try decode(json: &cursor, as: other, isSecond: true, &document, into: &rows)
        case .unclear(let otherwise):
            var probe = copy cursor
            probe.position = start
            if otherwise.isSettled { return .unclear(format, otherwise) }
            guard !isSecond, let other = try detector.find(in: probe, excluding: format) else {
                return .unclear(format, otherwise)
            }
            rows.rollBack(to: mark)
            let outcome = try decode(json: &probe, as: other, isSecond: true, &document, into: &rows)
            guard case .unclear(_, let second) = outcome, !second.isSettled else { return outcome }
            // Neither is sure of it.
            rows.rollBack(to: mark)
            cursor.position = start
            return try decode(json: &cursor, as: format, isSecond: true, &document, into: &rows)
        }
    }

    // MARK: Receipts inside notifications

    /// The format that has decoded a document last, where it has left the receipt in the document to be decoded.
    func notification(_ format: FormatID) -> NotificationFormat? {
        (formats[format.index] as? NotificationFormat).flatMap { $0.leavesReceipt ? $0 : nil }
    }

    // MARK: Errors by themselves

    /// Whether the object at the cursor, of no format, is an error of StoreKit by itself.
    func recognizesError(at cursor: borrowing JSONCursor) -> Bool {
        guard let format = FormatID(EventFormat.self), detector.allows(format) else { return false }
        var events = formats[format.index] as? EventFormat
        return events?.recognizesError(at: cursor) ?? false
    }

    /// Decodes an object that ``recognizesError(at:)`` knows.
    @_lifetime(cursor: copy cursor)
    mutating func decode(
        error cursor: inout JSONCursor,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
        guard let format = FormatID(EventFormat.self), var events = formats[format.index] as? EventFormat else {
            throw Finding(.unrecognized, at: cursor.position)
        }
        document.begin(format)
        document.record(format: format)
        defer { formats[format.index] = events }
        try events.decode(error: &cursor, into: &rows)
    }

    // MARK: Text and binary documents

    /// Decodes text in the notation of a format; gives the document that the text wraps, `nil` if it is one itself.
    mutating func decode(text: RawSpan, as format: FormatID, into rows: inout RowBatch) throws(Finding) -> [UInt8]? {
        let mark = rows.mark()
        let inner = try formats[format.index].decode(text: text, isAllowed: detector.allows(format), into: &rows)
        if inner == nil { withholdRefused(from: mark, in: &rows) }
        return inner
    }

    /// Decodes a binary document with the format that recognizes it; bytes behind it are kept.
    mutating func decode(
        binary bytes: RawSpan,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
        let detected = FormatDetector.detect(binary: bytes) ?? detector.requiredFormat
        document.record(.binary, bytes, format: detected)
        guard let format = detected else { throw Finding(.unrecognized) }
        try require(format, at: 0)
        document.begin(format)
        let end = Framer.endOfDER(in: bytes, at: 0, limit: bytes.byteCount, isFinal: true) ?? bytes.byteCount
        document.keepTrailing(bytes, from: end)
        let mark = rows.mark()
        try formats[format.index].decode(binary: bytes.extracting(0..<end), into: &rows)
        withholdRefused(from: mark, in: &rows)
    }

    /// Makes a receipt, whose verification failed according to the text around it, that verification: its rows are
    /// removed, as those of a response with that status are.
    private func withholdRefused(from mark: RowBatch.Mark, in rows: inout RowBatch) {
        guard let status = surroundings.refusal, rows.documents.rowCount > mark.documents else { return }
        let receipt = mark.documents
        // The environment beside the status is that of the verification.
        let ownEnvironment = VerifyStatus.isRouting(status) ? nil : rows.documents[.environment, receipt]
        let facts = DocumentFacts(
            kind: .verify,
            trust: .unsigned,
            environment: surroundings.environment?.cell ?? ownEnvironment,
            bundleID: rows.documents[.bundleID, receipt],
            appVersion: rows.documents[.appVersion, receipt],
            receiptType: rows.documents[.receiptType, receipt],
            observedAt: rows.documents[.observedAt, receipt]
        )
        let count = rows.transactions.rowCount - mark.transactions + rows.skippedCount(since: mark)
        rows.rollBack(to: mark)
        rows.appendDocument(facts, from: mark, withheld: count) { $0.set(.status, status) }
    }

    /// Throws if a document of another format is required.
    func require(_ format: FormatID, at offset: Int) throws(Finding) {
        guard detector.allows(format) else { throw Finding(.otherFormat, at: offset) }
    }
}
