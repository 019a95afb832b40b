import TillColumns
import TillCore
import TillInput
import TillJSON
import TillRows

/// Errors that are texts, or are not in a member of an event.
extension EventFormat {
    /// Sets the columns of the error in a string; a string without an error is the message.
    ///
    ///     {"event":"failed","error":"The operation couldn’t be completed. (SKErrorDomain error 2.)"}
    mutating func setFailure(text token: JSONToken, in json: JSONBytes, _ rows: inout RowBatch) throws {
        var line: ClientLogLine?
        if token.hasEscapes {
            var text: [UInt8] = []
            json.appendText(of: token, to: &text)
            line = Self.entry(in: text.span.bytes)
        } else {
            line = Self.entry(in: json.raw(token))
        }
        setChain(line?.errors ?? [ClientLogLine.LoggedError()], &rows)
        var message = line?.message.map { Int64(rows.dictionary.code(for: $0)) }
        // A report needs the message only to find the domain.
        if message == nil, rows.wanted.contains(.descriptions) || line == nil {
            message = try fields.message(token, in: json, &rows.dictionary)
        }
        setFailure(message: message, &rows)
    }

    /// The entry that a string is; `nil` if it names no error, or not one that can be read.
    private static func entry(in text: RawSpan) -> ClientLogLine? {
        ClientLogLine.recognizes(text) ? try? ClientLogLine(text) : nil
    }

    /// Makes the errors of a line the chain.
    mutating func setChain(_ errors: [ClientLogLine.LoggedError], _ rows: inout RowBatch) {
        failures.chain.removeAll(keepingCapacity: true)
        for error in errors.prefix(FailureClasses.chainLimit) {
            let domain = error.domain.map { Int64(rows.dictionary.code(for: $0)) }
            failures.chain.append(Failure(domain: domain, code: error.code))
        }
    }

    // MARK: Objects

    /// Members of an object that is an error by itself: those of an `NSError`, or of an exception as Sentry and
    /// Crashlytics keep them.
    enum BareErrorKey: String, CaseIterable {
        case domain, code, type, value, errorDomain, errorCode, exceptionMessage, reason
        case errorDomainInSnakeCase = "error_domain"
        case errorCodeInSnakeCase = "error_code"

        /// The members for domain and code, the most usual first.
        static let pairs: [(domain: BareErrorKey, code: BareErrorKey)] = [
            (.domain, .code), (.errorDomain, .errorCode), (.errorDomainInSnakeCase, .errorCodeInSnakeCase),
            (.type, .value), (.type, .exceptionMessage), (.type, .reason),
        ]
    }

    /// Whether the object at the cursor, of no format, is an error by itself: of a known domain, with a code.
    ///
    ///     {"domain":"SKErrorDomain","code":2,"localizedDescription":"…"}
    ///     {"errorDomain":"SKErrorDomain","errorCode":2}
    ///     {"type":"SKErrorDomain","value":"Code: 2"}
    mutating func recognizesError(at start: borrowing JSONCursor) -> Bool {
        var cursor = copy start
        guard cursor.byte(cursor.position) == 0x7B, (try? readBareError(in: &cursor)) != nil else { return false }
        return bareError(in: cursor.values) != nil
    }

    /// Decodes an object that ``recognizesError(at:)`` knows, to its end, as an event named `failed`.
    @_lifetime(cursor: copy cursor)
    mutating func decode(error cursor: inout JSONCursor, into rows: inout RowBatch) throws {
        place = (nil, nil)
        let start = copy cursor
        try readBareError(in: &cursor)
        guard let line = bareError(in: cursor.values) else { throw DecodeError(.errorCode, at: start.position) }
        rows.events.beginRow()
        rows.events.set(.event, Int64(rows.dictionary.code(for: "failed")))
        if bareErrors[BareErrorKey.position(of: .domain)] != nil {
            cursor.position = start.position
            try decodeError(in: &cursor, &rows)
        } else {
            setChain(line.errors, &rows)
            setFailure(message: line.message.map { Int64(rows.dictionary.code(for: $0)) }, &rows)
        }
        place = (nil, nil)
        rows.events.endRow()
    }

    @_lifetime(cursor: copy cursor)
    private mutating func readBareError(in cursor: inout JSONCursor) throws {
        try bareErrors.enter(&cursor)
        while try bareErrors.nextUnread(in: &cursor) != nil { try cursor.skipContainer() }
    }

    /// The error that the domain and the code of an object name.
    private func bareError(in json: JSONBytes) -> ClientLogLine? {
        for (domain, code) in BareErrorKey.pairs {
            guard let domain = bareErrors[BareErrorKey.position(of: domain)], domain.kind == .string,
                let code = bareErrors[BareErrorKey.position(of: code)], code.kind == .string || code.kind == .number
            else { continue }
            // A domain is short; the value of an exception may be any text, of which the beginning is enough.
            guard domain.count < ErrorMentionSearch.longestType else { continue }
            var text: [UInt8] = []
            json.appendText(of: domain, to: &text)
            text += Array(": ".utf8)
            json.appendText(of: code, to: &text)
            let end = min(text.count, ErrorMentionSearch.longestType * 2)
            if let mention = ErrorMentionSearch(text.span.bytes, to: end).first(from: 0),
                mention.end > domain.count
            {
                return try? ClientLogLine(text.span.bytes)
            }
        }
        return nil
    }
}

extension EventFormat.BareErrorKey {
    /// The number of a key for the reader.
    static func position(of key: Self) -> Int { allCases.firstIndex(of: key) ?? 0 }
}
