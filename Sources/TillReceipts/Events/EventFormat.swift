import TillColumns
public import TillCore
public import TillJSON
public import TillRows

/// StoreKit client events: one JSON object per event (schema `tillroll-event/1`), or an
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
    public static let rank = 1

    /// The members of an event, by their numbers for the reader.
    enum Key: Int, CaseIterable {
        case version, sentAt, event, interface, bundleID, appVersion, osVersion, storefront, productID, quantity
        case transactionID, originalTransactionID, error, price, currency, receivedAt, app, os, deviceModel
        case accountHash, sessionID, attemptID, durationMilliseconds, environment, extra
        // Members that collectors add, and the table in a row of `convert`:
        case loggedAtMilliseconds, loggedAt, timestamp, atTimestamp, time, date, realtimeTimestamp, tsMilliseconds
        case environmentAround, table

        var name: String {
            switch self {
            case .version: "v"
            case .sentAt: "ts"
            case .event: "event"
            case .interface: "api"
            case .bundleID: "bundle_id"
            case .appVersion: "app_version"
            case .osVersion: "os_version"
            case .storefront: "storefront"
            case .productID: "product_id"
            case .quantity: "quantity"
            case .transactionID: "transaction_id"
            case .originalTransactionID: "original_transaction_id"
            case .error: "error"
            case .price: "price"
            case .currency: "currency"
            case .receivedAt: "received_at"
            case .app: "app"
            case .os: "os"
            case .deviceModel: "device_model"
            case .accountHash: "account_hash"
            case .sessionID: "session_id"
            case .attemptID: "attempt_id"
            case .durationMilliseconds: "duration_ms"
            case .environment: "env"
            case .extra: "extra"
            case .loggedAtMilliseconds: "logged_at_ms"
            case .loggedAt: "logged_at"
            case .timestamp: "timestamp"
            case .atTimestamp: "@timestamp"
            case .time: "time"
            case .date: "date"
            case .realtimeTimestamp: "__REALTIME_TIMESTAMP"
            case .tsMilliseconds: "ts_ms"
            case .environmentAround: "environment"
            case .table: "table"
            }
        }

        /// Times of an event without `ts` and `received_at`, the preferred first.
        static let logTimes: [Key] = ResponseKey.logTimes.compactMap { time in
            allCases.first { $0.name == time.rawValue && $0 != .sentAt && $0 != .receivedAt }
        }

        /// Its place among the members that were read.
        var bit: UInt64 { 1 << UInt64(rawValue) }

        /// Whether it may be an object or array; these are not read.
        var isOpen: Bool {
            switch self {
            case .version, .interface, .app, .deviceModel, .durationMilliseconds, .extra: true
            case .loggedAtMilliseconds, .loggedAt, .timestamp, .atTimestamp, .time, .date, .realtimeTimestamp,
                .tsMilliseconds, .environmentAround, .table:
                true
            default: false
            }
        }

        /// Whether an object or array as its value makes the cell absent, and counts as unread.
        var isOptional: Bool {
            switch self {
            case .appVersion, .osVersion, .storefront, .productID, .quantity, .price, .currency, .bundleID, .os: true
            case .accountHash, .sessionID, .originalTransactionID: true
            default: false
            }
        }
    }

    /// Keys of other formats, numbered behind those of an event: objects with them can have an event's name too, as
    /// programs' logs do.
    private static let otherKeys = Discriminator.all(above: Self.self)
    /// Made once for all readers.
    private static let allMembers = MemberReader(Key.allCases.map(\.name) + otherKeys.map(\.key))

    var fields = FieldReader()
    /// The members by which an error is known that is no member of an event.
    var bareErrors = MemberReader(BareErrorKey.allCases.map(\.rawValue))
    /// Reads time, environment and app of an object that is an error by itself.
    var envelopes = EnvelopeReader()
    private var members = Self.allMembers
    /// By position in the chain of errors.
    var errors: [MemberReader] = []
    var failures = FailureClasses()
    var place: (key: Key?, error: ErrorKey?)
    /// Whether the event has an object as its error.
    var hasError = false
    /// From the first to the last object or list that is not read; `start` is above `end` where there is none.
    private var unread = (start: Int.max, end: 0)
    /// Texts of the dimensions, in the order of ``setDimensions(in:_:)``, and names of events.
    private var knownTexts = KnownTexts(columns: 6)

    public init() {}

    public var path: String {
        [place.key?.name, place.error?.name].compactMap(\.self).joined(separator: " › ")
    }

    public mutating func beginBatch() {
        failures = FailureClasses()
        knownTexts.removeAll()
    }

    /// No key of an event is a discriminator of another format, so an object that begins with members of an event, with
    /// its name among them, is one.
    public mutating func recognize(json cursor: borrowing JSONCursor) -> MemberReader.Match? {
        members.match(Key.event.rawValue, at: cursor)
    }

    public mutating func decodeRun(
        from start: borrowing JSONCursor,
        longest: Int,
        into rows: inout RowBatch
    ) -> DocumentRun {
        var run = DocumentRun(end: start.position)
        var cursor = copy start
        while true {
            let (mark, reading) = (rows.events.rowCount, rows.reading)
            guard let match = recognize(json: cursor) else { return run }
            do {
                guard case .document = try decode(json: &cursor, match: match, into: &rows) else {
                    rows.events.rollBack(to: mark)
                    rows.reading = reading
                    return run
                }
            } catch {
                // The caller reads the document again, and finds its defect.
                rows.reading = reading
                return run
            }
            let end = cursor.position
            // Lines end in many ways, and those of an array with a comma.
            if cursor.byte(cursor.position) == 0x2C { cursor.position += 1 }
            if cursor.byte(cursor.position) == 0x0D { cursor.position += 1 }
            let isLine = cursor.byte(cursor.position) == 0x0A && !cursor.sawNewline
            guard isLine, end - run.end <= longest else {
                rows.events.rollBack(to: mark)
                rows.reading = reading
                return run
            }
            cursor.position += 1
            run.count += 1
            run.end = cursor.position
        }
    }

    @_lifetime(cursor: copy cursor)
    public mutating func decode(json cursor: inout JSONCursor, into rows: inout RowBatch) throws(Finding) -> Decoded {
        try decode(json: &cursor, match: nil, into: &rows)
    }

    @_lifetime(cursor: copy cursor)
    public mutating func decode(
        json cursor: inout JSONCursor,
        match: MemberReader.Match?,
        into rows: inout RowBatch
    ) throws(Finding) -> Decoded {
        place = (nil, nil)
        (hasError, unread) = (false, (.max, 0))
        let start = cursor.position
        rows.events.beginRow()
        if let other = try readMembers(in: &cursor, match, &rows) { return .other(other) }
        let json = cursor.values
        guard isEvent(in: json) else { return .unclear(.reject(Finding(.unrecognized, at: start))) }
        try setInstant(in: json, &rows)
        try setKnownText(4, .event, .event, in: json, &rows)
        // Only incidents are set against where other events happened.
        if rows.wanted.contains(.dimensions) || isFailure(in: json) { try setDimensions(in: json, &rows) }
        if let token = token(.quantity) {
            rows.events.set(.quantity, fields.quantity(token, in: json, &rows.reading))
        }
        if let token = token(.transactionID) {
            rows.events.set(.transactionID, try fields.identifier(token, in: json, &rows))
        }
        if let token = token(.error), try fields.isPresent(token) {
            guard token.kind == .string else { throw Finding(.type, at: token.start) }
            try setFailure(text: token, in: json, &rows)
            hasError = true
        } else if !hasError, isFailure(in: json) {
            try setFailure(membersAt: start, of: cursor, &rows)
        }
        if hasError, let name = members[Key.event.rawValue], let other = EventName.ofFailure(insteadOf: name, in: json)
        {
            rows.events.set(.event, Int64(rows.dictionary.code(for: other)))
        }
        if let token = token(.price) { rows.events.set(.price, fields.price(token, in: json, &rows.reading)) }
        if let token = token(.environment) {
            let word = try fields.word(token, in: json, &rows.dictionary, AppleWord.environment)
            rows.events.set(.environment, word)
        } else if let token = members[Key.environmentAround.rawValue], token.kind == .string {
            rows.events.set(.environment, AppleWord.environmentAround(json.raw(token))?.cell)
        }
        if hasError { ErrorOrigin.complete(&rows, with: cursor.bytes.extracting(start..<cursor.position)) }
        try setText(.attemptID, .attemptID, in: json, &rows)
        if rows.wanted.contains(.descriptions) { try setDescriptions(in: json, &rows) }
        place = (nil, nil)
        rows.events.endRow()
        return holdsSigned(in: cursor) ? .holding(environment: nil) : .document()
    }

    /// Bytes of the shortest signed document or receipt.
    private static let shortestSigned = 128

    /// Whether a member that is not read may hold a signed document or a receipt.
    @inline(__always)  // A call would copy the whole format, which takes longer than the test.
    private func holdsSigned(in cursor: borrowing JSONCursor) -> Bool {
        let unknown = members.unknownValues
        var (start, end) = (min(unknown.start, unread.start), max(unknown.end, unread.end))
        if members.hasAny(of: Key.extra.bit), let extra = members[Key.extra.rawValue], extra.kind == .string {
            // With its quotation mark.
            (start, end) = (min(start, extra.start - 1), max(end, extra.start + extra.count))
        }
        return end - Self.shortestSigned >= start && cursor.bytes.extracting(start..<end).mayHoldSigned
    }

    /// Whether the object is an event of StoreKit. Other programs write an `event` too, and a `product_id` beside it.
    ///
    /// The schema's version and a member that says of which app or product make one, whatever its name is. Without them
    /// the name must be one of the schema's (``EventName``), beside another member of the schema or an error.
    @inline(__always)  // A call would copy the whole format, which takes longer than the test.
    private func isEvent(in json: JSONBytes) -> Bool {
        guard let name = members[Key.event.rawValue], name.kind == .string else { return false }
        if members.hasAny(of: Key.table.bit), fields.isTableOfEvents(members[Key.table.rawValue], in: json) {
            return false
        }
        if members[Key.version.rawValue] != nil, members.hasAny(of: Self.subjects) { return true }
        return (hasError || members.hasAny(of: Self.schemaKeys)) && EventName.isKnown(name, in: json)
    }

    // Sums of bits, which the compiler works out; every event needs them.
    static var subjects: UInt64 {
        Key.productID.bit | Key.bundleID.bit | Key.interface.bit | Key.storefront.bit
    }
    static var schemaKeys: UInt64 {
        subjects | Key.version.bit | Key.appVersion.bit | Key.transactionID.bit | Key.originalTransactionID.bit
            | Key.error.bit | Key.quantity.bit | Key.attemptID.bit | Key.sessionID.bit | Key.accountHash.bit
            | Key.environment.bit | Key.osVersion.bit
    }

    private static let logTimes = Key.logTimes.reduce(0) { $0 | $1.bit }

    /// Whether the event's name may be that of a failure.
    @inline(__always)  // As above.
    private func isFailure(in json: JSONBytes) -> Bool {
        guard let name = members[Key.event.rawValue] else { return false }
        return name.hasEscapes || json.raw(name).ends(with: "failed")
    }

    /// Reads the object to its end, and the error in it; gives the format of the object, if that is another.
    @_lifetime(cursor: copy cursor)
    private mutating func readMembers(
        in cursor: inout JSONCursor,
        _ match: MemberReader.Match?,
        _ rows: inout RowBatch
    ) throws(Finding) -> FormatID? {
        var other = DetectedFormat()
        do throws(Finding) {
            try members.enter(&cursor, match: match)
            while let number = try members.nextUnread(in: &cursor) {
                let key = Key(rawValue: number)
                if key == .error {
                    hasError = true
                    try decodeError(in: &cursor, &rows)
                } else if key == nil {
                    other.update(with: Self.otherKeys[number - Key.allCases.count])
                    try cursor.skipContainer()
                } else {
                    // A value that a database has written with its type is read again without it.
                    let isOptional = key?.isOptional == true
                    let isTagged =
                        (isOptional || key.map { $0.bit & Self.logTimes != 0 } ?? false)
                        && TypedScalars.isTagged(at: cursor)
                    let start = cursor.position
                    guard key?.isOpen == true || key == .event || isOptional, !isTagged else {
                        throw Finding(.type, at: start)
                    }
                    if isOptional { rows.reading.unread += 1 }
                    try cursor.skipContainer()
                    (unread.start, unread.end) = (min(unread.start, start), cursor.position)
                }
            }
        } catch {
            place.key = members.latest.flatMap(Key.init)
            throw error
        }
        guard members.hasAny(from: Key.allCases.count) else { return other.format }
        for (index, key) in Self.otherKeys.enumerated() {
            guard let token = members[Key.allCases.count + index], token.kind != .null, token.count > 0 else {
                continue
            }
            other.update(with: key)
        }
        return other.format
    }

    /// The value of a member, which is what is read next.
    @inline(__always)
    private mutating func token(_ key: Key) -> JSONToken? {
        guard let token = members[key.rawValue] else { return nil }
        place.key = key
        return token
    }

    /// Sets the values by which a ledger tells failures apart.
    private mutating func setDimensions(in json: JSONBytes, _ rows: inout RowBatch) throws(Finding) {
        try setKnownText(5, .bundleID, .bundleID, in: json, &rows)
        if rows.wanted.contains(.dimensions) {
            try setText(.accountHash, .accountToken, in: json, &rows)
            try setText(.sessionID, .sessionID, in: json, &rows)
        }
        try setKnownText(0, .appVersion, .appVersion, in: json, &rows)
        try setKnownText(1, .osVersion, .osVersion, in: json, &rows)
        if let token = members[Key.storefront.rawValue],
            let cell = json.raw(token).kosovoCell(in: &rows.dictionary)
        {
            rows.events.set(.storefront, cell)
        } else {
            try setKnownText(2, .storefront, .storefront, in: json, &rows)
        }
        try setKnownText(3, .productID, .productID, in: json, &rows)
    }

    /// Sets a text that most events have in common with others, `number` being its column of ``knownTexts``.
    @inline(__always)
    private mutating func setKnownText(
        _ number: Int,
        _ key: Key,
        _ column: EventColumn,
        in json: JSONBytes,
        _ rows: inout RowBatch
    ) throws(Finding) {
        guard let token = members[key.rawValue] else { return }
        guard token.kind == .string, !token.hasEscapes, token.count > 0 else {
            return try setText(key, column, in: json, &rows)
        }
        rows.events.set(column, knownTexts.code(of: json.raw(token), column: number, in: &rows.dictionary))
    }

    /// Sets cells that no ledger needs and that never cause a reject: texts, and the original id.
    private mutating func setDescriptions(in json: JSONBytes, _ rows: inout RowBatch) throws(Finding) {
        if let token = token(.originalTransactionID) {
            // No ledger reads it, so its form is not counted: the count would depend on what is read.
            let reading = rows.reading
            rows.events.set(.originalTransactionID, try fields.identifier(token, in: json, &rows))
            rows.reading = reading
        }
        try setText(.currency, .currency, in: json, &rows)
        try setText(.os, .os, in: json, &rows)
    }

    private mutating func setText(
        _ key: Key,
        _ column: EventColumn,
        in json: JSONBytes,
        _ rows: inout RowBatch
    ) throws(Finding) {
        guard let token = token(key) else { return }
        rows.events.set(column, try fields.text(token, in: json, &rows.dictionary))
    }

    private mutating func setInstant(in json: JSONBytes, _ rows: inout RowBatch) throws(Finding) {
        var instant: Int64?
        if let token = token(.sentAt) { instant = try fields.eventInstant(token, in: json) }
        if let token = token(.receivedAt) {
            instant = Self.instant(sentAt: instant, receivedAt: try fields.eventInstant(token, in: json))
        }
        if instant == nil, members.hasAny(of: Self.logTimes) {
            for key in Key.logTimes where instant == nil {
                guard let token = members[key.rawValue], !token.isContainer else { continue }
                instant = fields.loggedInstant(token, in: json)
            }
        }
        rows.events.set(.at, instant)
    }

    /// The time of the device, or the time of the collector where the device's is later or impossible. A device whose
    /// time is earlier may have been offline.
    private static func instant(sentAt: Int64?, receivedAt: Int64?) -> Int64? {
        guard let receivedAt, Timestamp.ofStore.contains(receivedAt) else { return sentAt ?? receivedAt }
        guard let sentAt, Timestamp.ofStore.contains(sentAt), sentAt <= receivedAt else { return receivedAt }
        return sentAt
    }
}
