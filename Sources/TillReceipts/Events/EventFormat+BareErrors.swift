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
    mutating func setFailure(text token: JSONToken, in json: JSONBytes, _ rows: inout RowBatch) throws(Finding) {
        let line = entry(token, in: json)
        setChain(line?.errors ?? [ClientLogLine.LoggedError()], &rows)
        if line == nil {
            var text: [UInt8] = []
            json.appendText(of: token, to: &text)
            if let error = failures.error(ofCode: text.span.bytes, &rows.dictionary) { failures.chain = [error] }
        }
        var message = line?.message.map { Int64(rows.dictionary.code(for: $0)) }
        // A report needs the message only to find the domain.
        if message == nil, rows.wanted.contains(.descriptions) || line == nil {
            message = try fields.message(token, in: json, &rows.dictionary)
        }
        setFailure(message: message, &rows)
    }

    /// The entry that a string is; `nil` if it names no error, or not one that can be read.
    func entry(_ token: JSONToken, in json: JSONBytes) -> ClientLogLine? {
        func entry(in text: RawSpan) -> ClientLogLine? {
            ClientLogLine.recognizes(text) ? try? ClientLogLine(text) : nil
        }
        guard token.hasEscapes else { return entry(in: json.raw(token)) }
        var text: [UInt8] = []
        json.appendText(of: token, to: &text)
        return entry(in: text.span.bytes)
    }

    /// Makes the errors of a line the chain.
    mutating func setChain(_ errors: [ClientLogLine.LoggedError], _ rows: inout RowBatch) {
        failures.chain.removeAll(keepingCapacity: true)
        appendChain(errors, &rows)
    }

    /// Puts the errors of a line behind those of the chain.
    mutating func appendChain(_ errors: [ClientLogLine.LoggedError], _ rows: inout RowBatch) {
        for error in errors.prefix(FailureClasses.chainLimit - min(FailureClasses.chainLimit, failures.chain.count)) {
            let domain = error.domain.map { Int64(rows.dictionary.code(for: $0)) }
            failures.chain.append(Failure(domain: domain, code: error.code))
        }
    }

    /// Sets the columns of the error in members of the event itself: `"error_domain":"SKErrorDomain","error_code":2`. A
    /// value that is no code is left out.
    ///
    /// - Parameter start: where the event begins in the document.
    mutating func setFailure(
        membersAt start: Int,
        of document: borrowing JSONCursor,
        _ rows: inout RowBatch
    ) throws(Finding) {
        var cursor = copy document
        cursor.position = start
        try readBareError(in: &cursor)
        let json = cursor.values
        for (domain, code) in BareErrorKey.pairs.prefix(while: { $0.domain != .type }) {
            let domain = bareErrors[BareErrorKey.position(of: domain)]
            let code = bareErrors[BareErrorKey.position(of: code)]
            failures.chain = [Failure()]
            if let domain, domain.kind == .string {
                failures.chain[0].domain = try fields.text(domain, in: json, &rows.dictionary)
            }
            if let code, code.kind == .string || code.kind == .number {
                try? decodeCode(code, in: json, of: 0, &rows)
            }
            guard failures.chain[0].code != nil || failures.isKnown(failures.chain[0], rows.dictionary) else {
                continue
            }
            hasError = true
            return setFailure(message: nil, &rows)
        }
    }

    // MARK: Objects

    /// Members of an object that is an error by itself: those of an `NSError`, or of an exception as Sentry and
    /// Crashlytics keep them.
    enum BareErrorKey: String, CaseIterable {
        case domain, code, type, title, value, errorDomain, errorCode, exceptionMessage, reason
        /// The errors under an exception, in the notation of ``Unwrapper``: one object each.
        case underlying
        case table
        case errorDomainInSnakeCase = "error_domain"
        case errorCodeInSnakeCase = "error_code"

        /// The members for domain and code, the most usual first.
        static let pairs: [(domain: BareErrorKey, code: BareErrorKey)] = [
            (.domain, .code), (.errorDomain, .errorCode), (.errorDomainInSnakeCase, .errorCodeInSnakeCase),
            (.type, .value), (.type, .exceptionMessage), (.type, .reason), (.title, .code),
        ]
    }

    /// Whether the object at the cursor, of no format, is an error by itself: of a known domain, with a code.
    ///
    ///     {"domain":"SKErrorDomain","code":2,"localizedDescription":"…"}
    ///     {"errorDomain":"SKErrorDomain","errorCode":2}
    ///     {"type":"SKErrorDomain","value":"Code: 2"}
    mutating func recognizesError(at start: borrowing JSONCursor) -> Bool {
        var cursor = copy start
        guard cursor.byte(cursor.position) == 0x7B else { return false }
        do {
            try readBareError(in: &cursor)
        } catch {
            return false
        }
        return bareError(in: cursor.values) != nil
    }

    /// Decodes an object that ``recognizesError(at:)`` knows, to its end, as an event named `failed`.
    @_lifetime(cursor: copy cursor)
    mutating func decode(error cursor: inout JSONCursor, into rows: inout RowBatch) throws(Finding) {
        place = (nil, nil)
        let start = copy cursor
        let mark = rows.mark()
        let underlying = try readBareError(in: &cursor)
        let end = cursor.position
        guard let line = bareError(in: cursor.values) else { throw Finding(.errorCode, at: start.position) }
        rows.events.beginRow()
        rows.events.set(.event, Int64(rows.dictionary.code(for: EventName.failure(isRestore: false))))
        if bareErrors[BareErrorKey.position(of: .domain)] != nil {
            cursor.position = start.position
            try decodeError(in: &cursor, &rows)
        } else {
            var errors = line.errors
            if let underlying {
                var list = copy start
                list.position = underlying
                try appendErrors(of: &list, to: &errors)
            }
            setChain(errors, &rows)
            setFailure(message: line.message.map { Int64(rows.dictionary.code(for: $0)) }, &rows)
        }
        place = (nil, nil)
        ErrorOrigin.complete(&rows, with: start.bytes.extracting(start.position..<end))
        rows.events.endRow()
        try envelopes.facts(of: start).apply(to: &rows, from: mark)
    }

    /// Reads the members of an object that is an error; gives where the list of errors under it begins.
    @_lifetime(cursor: copy cursor)
    @discardableResult
    private mutating func readBareError(in cursor: inout JSONCursor) throws(Finding) -> Int? {
        var underlying: Int?
        try bareErrors.enter(&cursor)
        while let number = try bareErrors.nextUnread(in: &cursor) {
            if number == BareErrorKey.position(of: .underlying) { underlying = cursor.position }
            try cursor.skipContainer()
        }
        return underlying
    }

    /// Reads the errors of a list whose elements are objects as ``recognizesError(at:)`` knows them.
    @_lifetime(cursor: copy cursor)
    private mutating func appendErrors(
        of cursor: inout JSONCursor,
        to errors: inout [ClientLogLine.LoggedError]
    ) throws(Finding) {
        guard cursor.byte(cursor.position) == 0x5B else { return }
        try cursor.expect(0x5B)
        var isFirst = true
        while try cursor.nextElement(isFirst: &isFirst) {
            guard cursor.byte(cursor.position) == 0x7B else {
                try cursor.skipValue()
                continue
            }
            try readBareError(in: &cursor)
            if errors.count < FailureClasses.chainLimit { errors += bareError(in: cursor.values)?.errors ?? [] }
        }
    }

    /// The error that the domain and the code of an object name.
    private func bareError(in json: JSONBytes) -> ClientLogLine? {
        if fields.isTableOfEvents(bareErrors[BareErrorKey.position(of: .table)], in: json) { return nil }
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
