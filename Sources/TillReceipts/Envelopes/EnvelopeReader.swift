import TillColumns
import TillCore
import TillJSON
import TillRows

/// Reads time, environment, app, status and the name of a failure from an object around documents.
struct EnvelopeReader {
    private enum Fact {
        /// The rank among the members that say when something was written; 0 is preferred.
        case loggedAt(rank: Int)
        case environment, bundleID, event
    }

    /// Names of the time in services: SNS, Pub/Sub, HTTP archives, Crashlytics, Splunk, OpenTelemetry.
    private static let serviceTimes = [
        "Timestamp", "publishTime", "startedDateTime", "event_timestamp", "_time", "timeUnixNano",
    ]

    /// Made once for all readers.
    private static let table: KeyTable<Fact> = {
        let times = ResponseKey.logTimes.map(\.rawValue) + serviceTimes
        return KeyTable(
            times.enumerated().map { ($1, Fact.loggedAt(rank: $0)) } + [
                ("environment", .environment), ("bundleId", .bundleID), ("bundle_id", .bundleID),
                ("bundleID", .bundleID), ("bid", .bundleID), ("event", .event),
            ]
        )
    }()

    private let keys = Self.table
    private var fields = FieldReader()

    /// The facts in the members of the object at the cursor.
    mutating func facts(of object: borrowing JSONCursor) throws(Finding) -> EnvelopeFacts {
        var cursor = copy object
        var facts = EnvelopeFacts()
        try cursor.expect(0x7B)
        var isFirst = true
        while let (key, value) = try cursor.nextScalar(isFirst: &isFirst) { note(key, value, in: cursor, &facts) }
        return facts
    }

    /// The time of an entry of Loki, whose first element, at the cursor, is nanoseconds since 1970 as text:
    /// `["1772700000000000000","{\"status\":21005}"]`.
    mutating func time(ofEntryAt start: borrowing JSONCursor) -> Int64? {
        var cursor = copy start
        let digitCount = 19
        guard let token = try? cursor.token(), token.kind == .string, token.count == digitCount,
            cursor.values.decimal(token.start, token.end) != nil
        else { return nil }
        return fields.loggedInstant(token, in: cursor.values)
    }

    /// Takes a member into the facts, if it is one of them.
    mutating func note(
        _ key: JSONToken,
        _ value: JSONToken,
        in cursor: borrowing JSONCursor,
        _ facts: inout EnvelopeFacts
    ) {
        guard !value.isContainer, value.count > 0 else { return }
        guard let number = keys.number(of: key, in: cursor) else {
            return facts.note(memberBeside: cursor.raw(key), cursor.raw(value))
        }
        switch keys[number] {
        case .loggedAt(let rank):
            guard rank < facts.timeRank, let instant = fields.loggedInstant(value, in: cursor.values) else { return }
            (facts.loggedAt, facts.timeRank) = (instant, rank)
        case .environment:
            facts.environment = facts.environment ?? AppleWord.environmentAround(cursor.raw(value))
        case .bundleID:
            guard value.kind == .string, facts.bundleID == nil else { return }
            var text: [UInt8] = []
            cursor.appendText(of: value, to: &text)
            facts.bundleID = text
        case .event:
            if value.kind == .string { facts.failureName = EventName.ofLine(in: value, of: cursor.values) }
        }
    }
}
