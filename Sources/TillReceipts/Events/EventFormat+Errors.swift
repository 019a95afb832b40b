import TillColumns
import TillCore
import TillJSON
import TillRows

/// The error of an event, and those under it.
///
///     "error":{"domain":"SKErrorDomain","code":0,"underlying":[{"domain":"ASDErrorDomain","code":500}]}
extension EventFormat {
    /// The members of an error, by their numbers for the reader.
    enum ErrorKey: Int, CaseIterable {
        case domain, code, message, underlying
        /// The description of an `NSError`; it counts if there is no message.
        case localizedDescription
        // The errors under an `NSError`, as programs write them.
        case userInfo, underlyingErrors, underlyingError

        var name: String { self == .underlyingError ? "NSUnderlyingError" : "\(self)" }
    }

    /// The members of `userInfo` with the errors under an `NSError`.
    private static let underlyingNames: [StaticString] = ["NSUnderlyingError", "NSMultipleUnderlyingErrorsKey"]

    /// An error as it was met: its domain as a code of the batch's dictionary.
    struct Failure: Hashable {
        var domain: Int64?
        var code: Int64?
    }

    /// Reads the error and its underlying errors, and decides the class.
    @_lifetime(cursor: copy cursor)
    mutating func decodeError(in cursor: inout JSONCursor, _ rows: inout RowBatch) throws(Finding) {
        failures.chain.removeAll(keepingCapacity: true)
        var message: JSONToken?
        try decodeErrorObject(in: &cursor, &rows, message: &message)
        place.error = nil
        // A report needs the message only to find the domain.
        let isAsked = rows.wanted.contains(.descriptions) || failures.chain.first?.domain == nil
        var text: Int64?
        if isAsked, let message { text = try fields.message(message, in: cursor.values, &rows.dictionary) }
        setFailure(message: text, &rows)
    }

    /// Sets the columns of the chain of errors in the open row; `message` is the outermost error's.
    mutating func setFailure(message: Int64?, _ rows: inout RowBatch) {
        guard var outer = failures.chain.first else { return }
        if outer.domain == nil, let code = outer.code {
            outer.domain = failures.domain(of: code, message: message, &rows.dictionary)
            rows.events.set(.domainInferred, Int64(outer.domain == nil ? 0 : 1))
            failures.chain[0] = outer
        } else {
            rows.events.set(.domainInferred, Int64(0))
        }
        let outcome = failures.outcome(&rows.dictionary)
        rows.events.set(.errorDomain, outer.domain)
        rows.events.set(.errorCode, outer.code)
        rows.events.set(.errorMessage, message)
        rows.events.set(.errorClass, outcome.word)
        if outcome.deepest > 0 {
            rows.events.set(.underlyingDomain, failures.chain[outcome.deepest].domain)
            rows.events.set(.underlyingCode, failures.chain[outcome.deepest].code)
        }
    }

    /// Appends one error object to the chain, then those under it: a list, an object, or either nested again.
    @_lifetime(cursor: copy cursor)
    private mutating func decodeErrorObject(
        in cursor: inout JSONCursor,
        _ rows: inout RowBatch,
        message: inout JSONToken?
    ) throws(Finding) {
        guard failures.chain.count < FailureClasses.chainLimit else { return try cursor.skipValue() }
        let position = failures.chain.count
        failures.chain.append(Failure())
        if position == errors.count { errors.append(MemberReader(ErrorKey.allCases.map(\.name))) }
        try cursor.requireObject()
        try errors[position].enter(&cursor)
        while let key = try nextContainer(of: position, in: &cursor) {
            place.error = key
            switch key {
            case .underlying, .underlyingErrors, .underlyingError: try decodeUnderlying(in: &cursor, &rows)
            case .userInfo: try decodeUserInfo(in: &cursor, &rows)
            case .message where position > 0, .localizedDescription: try cursor.skipContainer()
            default: throw Finding(.type, at: cursor.position)
            }
        }
        let json = cursor.values
        if let token = token(.domain, of: position) {
            let isType = fields.isText("SKError", token, in: json)
            failures.chain[position].domain =
                isType
                ? Int64(rows.dictionary.code(for: ErrorNames.storeKit))
                : try fields.text(token, in: json, &rows.dictionary)
        }
        if let token = token(.code, of: position) { try decodeCode(token, in: json, of: position, &rows) }
        if position == 0, let token = token(.message, of: position), try fields.isPresent(token) {
            message = token
        } else if position == 0, let token = errors[position][ErrorKey.localizedDescription.rawValue] {
            message = token
        }
        if let token = token(.underlying, of: position), token.kind != .null {
            throw Finding(.type, at: token.start)
        }
    }

    /// Reads an error of the chain up to a member that is an object or array, and tells which.
    @_lifetime(cursor: copy cursor)
    private mutating func nextContainer(of position: Int, in cursor: inout JSONCursor) throws(Finding) -> ErrorKey? {
        do {
            return try errors[position].nextUnread(in: &cursor).flatMap(ErrorKey.init(rawValue:))
        } catch {
            // Where no key is known it is the member that holds this error.
            place.error =
                errors[position].latest.flatMap(ErrorKey.init(rawValue:)) ?? (position > 0 ? .underlying : nil)
            throw error
        }
    }

    /// The value of a member of an error of the chain, which is what is read next.
    private mutating func token(_ key: ErrorKey, of position: Int) -> JSONToken? {
        guard let token = errors[position][key.rawValue] else { return nil }
        place.error = key
        return token
    }

    /// Reads a code, which wrappers give together with its domain (quirk 72), and others as a name.
    mutating func decodeCode(
        _ token: JSONToken,
        in json: JSONBytes,
        of position: Int,
        _ rows: inout RowBatch
    ) throws(Finding) {
        if token.kind == .string, let wrapped = WrappedErrorCode.find(in: json.raw(token), to: token.count) {
            failures.chain[position].code = wrapped.code
            failures.chain[position].domain = Int64(rows.dictionary.code(for: wrapped.domain))
        } else if let number = fields.number(token, in: json) {
            failures.chain[position].code = number
        } else if token.kind == .string {
            guard token.count > 0 else { return }
            var text: [UInt8] = []
            json.appendText(of: token, to: &text)
            let name = text.span.bytes.extracting(0..<codeNameCount(text.span.bytes))
            let type = failures.chain[position].domain
            failures.chain[position] = failures.error(named: name, of: type, &rows.dictionary)
        } else if try fields.isPresent(token) {
            rows.reading.unread += 1
        }
    }

    /// The longest text that is kept in place of a code, in bytes.
    private static let longestCodeName = 128

    /// The bytes of the name in place of a code: of a case as Swift prints it, up to what the case holds.
    ///
    ///     user-cancelled    StoreKitError.userCancelled    networkError(Error Domain=NSURLErrorDomain Code=-1009 …)
    private func codeNameCount(_ text: RawSpan) -> Int {
        for index in 0..<text.byteCount {
            let byte = text.byte(index)
            if byte == 0x28, index > 0 { return index }
            guard byte < 0x80, byte.isLetterOrDigit || byte == 0x5F || byte == 0x2E else { break }
        }
        var end = min(text.byteCount, Self.longestCodeName)
        // Not inside a character.
        while end < text.byteCount, end > 0, text.byte(end) & 0xC0 == 0x80 { end -= 1 }
        return end
    }

    @_lifetime(cursor: copy cursor)
    private mutating func decodeUnderlying(in cursor: inout JSONCursor, _ rows: inout RowBatch) throws(Finding) {
        var ignored: JSONToken?
        guard cursor.byte(cursor.position) == 0x5B else {
            return try decodeErrorObject(in: &cursor, &rows, message: &ignored)
        }
        try cursor.expect(0x5B)
        var isFirst = true
        while try cursor.nextElement(isFirst: &isFirst) {
            place.error = .underlying
            try decodeErrorObject(in: &cursor, &rows, message: &ignored)
        }
    }

    /// Reads the errors under an `NSError` in its `userInfo`: objects, or text as Foundation describes an error.
    @_lifetime(cursor: copy cursor)
    private mutating func decodeUserInfo(in cursor: inout JSONCursor, _ rows: inout RowBatch) throws(Finding) {
        guard cursor.byte(cursor.position) == 0x7B else { return try cursor.skipValue() }
        try cursor.expect(0x7B)
        var isFirst = true
        while let key = try cursor.nextKey(isFirst: &isFirst) {
            let name = cursor.raw(key)
            var value = copy cursor
            let token = try cursor.token()
            if token.isContainer { try cursor.skipContainer() }
            guard Self.underlyingNames.contains(where: { name.equals($0) }) else { continue }
            if token.kind == .string {
                let line = entry(token, in: cursor.values)
                appendChain(line?.errors ?? [], &rows)
            } else if token.isContainer {
                // The list may hold anything; only errors are of use.
                try? decodeUnderlying(in: &value, &rows)
            }
        }
    }
}
