import TillJSON

/// When a dump says that a document was written: a top-level member of it, by one of several names.
///
///     {"logged_at_ms":1767225600000,"receipt-data":"MIIT…"}
///
/// Responses, which have many more members, and requests, which have a long one, read theirs as they go (``VerifyFormat``);
/// whatever else is JSON, or is wrapped in JSON, is looked through once more when it has been read.
struct LogTimes {
    private var keys = KeyTable(ResponseKey.logTimes.enumerated().map { ($1.rawValue, $0) })
    private var fields = FieldReader()

    /// The instant that the object at the cursor tells, in milliseconds; that of the most preferred member.
    mutating func find(in start: borrowing JSONCursor) throws(JSONError) -> Int64? {
        var cursor = copy start
        try cursor.expect(0x7B)
        var best: (rank: Int, instant: Int64)?
        var isFirst = true
        var previous = KeyTable<Int>.start
        while true {
            let number = try keys.next(in: &cursor, after: previous, isFirst: &isFirst)
            if number == KeyTable<Int>.end { return best?.instant }
            if number == KeyTable<Int>.unknown {
                try cursor.skipValue()
                continue
            }
            previous = number
            let token = try cursor.token()
            if token.isContainer { try cursor.skipContainer() }
            guard let instant = fields.loggedInstant(token, in: cursor.values), keys[number] < best?.rank ?? .max else {
                continue
            }
            best = (keys[number], instant)
        }
    }
}
