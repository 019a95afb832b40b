import TillCore
import TillJSON

/// Finds when a dump says that a document was written: a top-level member with one of several names.
///
///     {"logged_at_ms":1767225600000,"receipt-data":"MIIT…"}
///
/// ``VerifyFormat`` reads this member with the others, since responses have many members and requests a long one, and
/// so does ``JWSFormat``, for whose short objects a second search is a third of the time. All other JSON is searched
/// for it once more after the document has been read.
struct LogTimes {
    private var keys = KeyTable(ResponseKey.logTimes.enumerated().map { ($1.rawValue, $0) })
    private var fields = FieldReader()

    /// The instant in the object at the cursor, in milliseconds since 1970; that of the most preferred member.
    mutating func find(in start: borrowing JSONCursor) throws(Finding) -> Int64? {
        var cursor = copy start
        var best: (rank: Int, instant: Int64)?
        var walk = try keys.enter(&cursor)
        while let number = try keys.nextKnown(&walk, in: &cursor) {
            let token = try cursor.token()
            if token.isContainer { try cursor.skipContainer() }
            guard let instant = fields.loggedInstant(token, in: cursor.values), keys[number] < best?.rank ?? .max else {
                continue
            }
            best = (keys[number], instant)
        }
        return best?.instant
    }
}
