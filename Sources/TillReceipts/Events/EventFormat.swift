import TillColumns
import TillCore
public import TillJSON
public import TillRows

/// StoreKit client events: one JSON object per event (schema `tillroll-event/1`, reference/storekit-events.md §5), or an
/// entry of a client's log (``ClientLogLine``).
///
///     {"v":1,"ts":"2026-03-02T10:16:02.001Z","event":"failed","product_id":"coins.100",
///      "error":{"domain":"SKErrorDomain","code":0,"underlying":[{"domain":"NSURLErrorDomain","code":-1009}]}}
///
/// The event name makes it an event; everything else may be missing.
public struct EventFormat: ReceiptFormat {
    public static let name = "event"
    public static let summary = "StoreKit client events, a JSON object or a line of a log each"
    public static let jsonKeys = ["event"]

    enum Key: String, CaseIterable {
        case v, ts, event, api
        case bundleID = "bundle_id"
        case appVersion = "app_version"
        case osVersion = "os_version"
        case storefront
        case productID = "product_id"
        case quantity
        case transactionID = "transaction_id"
        case originalTransactionID = "original_transaction_id"
        case error, price, currency
        case receivedAt = "received_at"
        case app, os
        case deviceModel = "device_model"
        case accountHash = "account_hash"
        case sessionID = "session_id"
        case attemptID = "attempt_id"
        case durationMilliseconds = "duration_ms"
        case env, extra
    }

    enum ErrorKey: String, CaseIterable {
        case domain, code, message, underlying
    }

    private var fields = FieldReader()
    private var keys = KeyTable<Key>()
    private var errorKeys = KeyTable<ErrorKey>()
    var failures = FailureClasses()
    var place: (key: Key?, error: ErrorKey?)

    public init() {}

    public var path: String {
        [place.key?.rawValue, place.error?.rawValue].compactMap(\.self).joined(separator: " › ")
    }

    public mutating func beginBatch() {
        failures = FailureClasses()
    }

    /// A clock that is off by more than this is not believed, and the collector's time is taken.
    private static let largestSkew = Timestamp.millisecondsPerDay

    @_lifetime(cursor: copy cursor)
    public mutating func decode(json cursor: inout JSONCursor, into rows: inout RowBatch) throws -> Decoded {
        place = (nil, nil)
        rows.events.beginRow()
        var sentAt: Int64?
        var receivedAt: Int64?
        var dimensions = Dimensions()
        try cursor.expect(0x7B)
        var isFirst = true
        var previous = KeyTable<Key>.start
        while true {
            let number = try keys.next(in: &cursor, after: previous, isFirst: &isFirst)
            if number < 0 {
                if number == KeyTable<Key>.end { break }
                place.key = nil
                try cursor.skipValue()
                continue
            }
            previous = number
            let key = keys[number]
            place.key = key
            let token = try cursor.token()
            switch key {
            case .ts: sentAt = try fields.instant(token, in: cursor.values)
            case .receivedAt: receivedAt = try fields.instant(token, in: cursor.values)
            case .error: try decodeError(token, in: &cursor, &rows)
            case .quantity: rows.events.set(.quantity, try fields.code(token, in: cursor.values))
            case .price: rows.events.set(.price, try fields.price(token, in: cursor.values))
            case .transactionID, .originalTransactionID:
                let column: EventColumn = key == .transactionID ? .transactionID : .originalTransactionID
                rows.events.set(column, try fields.identifier(token, in: cursor.values, &rows.dictionary))
            case .env:
                let environment = try fields.word(token, in: cursor.values, &rows.dictionary, AppleWord.environment)
                rows.events.set(.environment, environment)
            case .event:
                if try fields.isPresent(token) {
                    dimensions.isFailure = token.hasEscapes || cursor.raw(token).ends(with: "failed")
                }
                rows.events.set(.event, try fields.text(token, in: cursor.values, &rows.dictionary))
            case .attemptID: rows.events.set(.attemptID, try fields.text(token, in: cursor.values, &rows.dictionary))
            case .appVersion: try set(.appVersion, token, in: cursor.values, &dimensions.appVersion, &rows)
            case .osVersion: try set(.osVersion, token, in: cursor.values, &dimensions.osVersion, &rows)
            case .storefront: try set(.storefront, token, in: cursor.values, &dimensions.storefront, &rows)
            case .productID: try set(.productID, token, in: cursor.values, &dimensions.productID, &rows)
            case .bundleID, .os, .currency, .accountHash, .sessionID:
                // No ledger asks for these.
                var unused: JSONToken?
                try set(Self.column(key), token, in: cursor.values, &unused, &rows)
            case .v, .api, .app, .deviceModel, .durationMilliseconds, .extra:
                if token.isContainer { try cursor.skipContainer() }
            }
        }
        place = (nil, nil)
        let values = cursor.values
        if dimensions.isFailure { try dimensions.visit { try setText($0, $1, in: values, &rows) } }
        rows.events.set(.at, Self.instant(sentAt: sentAt, receivedAt: receivedAt))
        rows.events.endRow()
        return .document
    }

    /// The values by which a ledger tells failures apart, kept back until it is known that the event is one.
    private struct Dimensions {
        var isFailure = false
        var appVersion: JSONToken?
        var osVersion: JSONToken?
        var storefront: JSONToken?
        var productID: JSONToken?

        func visit(_ body: (EventColumn, JSONToken) throws -> Void) rethrows {
            if let appVersion { try body(.appVersion, appVersion) }
            if let osVersion { try body(.osVersion, osVersion) }
            if let storefront { try body(.storefront, storefront) }
            if let productID { try body(.productID, productID) }
        }
    }

    /// Sets a column of text, or, where only a ledger reads the rows, keeps back what it may not ask for.
    private mutating func set(
        _ column: EventColumn,
        _ token: JSONToken,
        in json: JSONBytes,
        _ kept: inout JSONToken?,
        _ rows: inout RowBatch
    ) throws {
        if rows.wanted == .everything { return try setText(column, token, in: json, &rows) }
        if try fields.isPresent(token) { kept = token }
    }

    private mutating func setText(
        _ column: EventColumn,
        _ token: JSONToken,
        in json: JSONBytes,
        _ rows: inout RowBatch
    ) throws {
        rows.events.set(column, try fields.text(token, in: json, &rows.dictionary))
    }

    private static func instant(sentAt: Int64?, receivedAt: Int64?) -> Int64? {
        guard let sentAt, let receivedAt else { return sentAt ?? receivedAt }
        let (skew, overflow) = receivedAt.subtractingReportingOverflow(sentAt)
        return overflow || skew.magnitude > largestSkew.magnitude ? receivedAt : sentAt
    }

    /// The column of a member of text that no ledger asks for.
    private static func column(_ key: Key) -> EventColumn {
        switch key {
        case .bundleID: .bundleID
        case .os: .os
        case .currency: .currency
        case .accountHash: .accountToken
        default: .sessionID
        }
    }

    /// An error as it was met: its domain as a code of the batch's dictionary.
    struct Failure: Hashable {
        var domain: Int64?
        var code: Int64?
    }

    /// Reads the error and those under it, and settles what class the whole is of.
    @_lifetime(cursor: copy cursor)
    private mutating func decodeError(_ token: JSONToken, in cursor: inout JSONCursor, _ rows: inout RowBatch) throws {
        if token.kind == .null { return }
        guard token.kind == .object else { throw DecodeError(.type, at: token.start) }
        failures.chain.removeAll(keepingCapacity: true)
        var message: JSONToken?
        try decodeErrorObject(in: &cursor, &rows, message: &message)
        place.error = nil
        // To a report, the message only matters where it has to tell the domain.
        let isAsked = rows.wanted == .everything || failures.chain.first?.domain == nil
        let text = isAsked ? try message.flatMap { try fields.message($0, in: cursor.values, &rows.dictionary) } : nil
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
    ) throws {
        guard failures.chain.count < FailureClasses.chainLimit else { return try cursor.skipValue() }
        let position = failures.chain.count
        failures.chain.append(Failure())
        try cursor.enterObject()
        var isFirst = true
        var previous = KeyTable<ErrorKey>.start
        while true {
            let number = try errorKeys.next(in: &cursor, after: previous, isFirst: &isFirst)
            if number < 0 {
                if number == KeyTable<ErrorKey>.end { break }
                place.error = nil
                try cursor.skipValue()
                continue
            }
            previous = number
            place.error = errorKeys[number]
            let token = try cursor.token()
            switch errorKeys[number] {
            case .domain: failures.chain[position].domain = try fields.text(token, in: cursor.values, &rows.dictionary)
            case .code: try decodeCode(token, in: cursor.values, of: position, &rows)
            case .message:
                guard position == 0 else {
                    if token.isContainer { try cursor.skipContainer() }
                    continue
                }
                message = try fields.isPresent(token) ? token : nil
            case .underlying: try decodeUnderlying(token, in: &cursor, &rows)
            }
        }
    }

    /// Reads a code, which wrappers give together with its domain (quirk 72).
    private mutating func decodeCode(
        _ token: JSONToken,
        in json: JSONBytes,
        of position: Int,
        _ rows: inout RowBatch
    ) throws {
        if token.kind == .string, let wrapped = WrappedErrorCode.find(in: json.raw(token), to: token.count) {
            failures.chain[position].code = wrapped.code
            failures.chain[position].domain = Int64(rows.dictionary.code(for: wrapped.domain))
        } else {
            failures.chain[position].code = try fields.integer(token, in: json)
        }
    }

    @_lifetime(cursor: copy cursor)
    private mutating func decodeUnderlying(
        _ token: JSONToken,
        in cursor: inout JSONCursor,
        _ rows: inout RowBatch
    ) throws {
        var ignored: JSONToken?
        switch token.kind {
        case .null: return
        case .object: try decodeErrorObject(in: &cursor, &rows, message: &ignored)
        case .array:
            try cursor.expect(0x5B)
            var isFirst = true
            while try cursor.nextElement(isFirst: &isFirst) {
                try decodeErrorObject(in: &cursor, &rows, message: &ignored)
            }
        default: throw DecodeError(.type, at: token.start)
        }
    }
}
