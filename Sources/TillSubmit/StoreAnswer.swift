public import TillCore
import TillJSON

/// A verifyReceipt response.
public struct StoreAnswer: Sendable {
    /// The response's `status` (`tillroll codes verifyReceipt` lists them).
    public let status: Int64
    /// The response's `is-retryable`, if it has one.
    public let isRetryable: Bool?
    /// The time at which it was received.
    public let time: Timestamp
    /// The response as received, but on one line and with the secret masked.
    let json: [UInt8]

    private enum Key: String, CaseIterable {
        case status
        case hyphenated = "is-retryable"
        case underscored = "is_retryable"
    }

    /// Reads the body of an answer.
    ///
    /// - Throws: `submit.not-json` or `submit.not-response`.
    init(_ body: [UInt8], at time: Timestamp, masking secret: SharedSecret?) throws(Finding) {
        let text = body + Array(repeating: 0, count: JSONCursor.padding)
        guard (try? UTF8Span(validating: body.span)) != nil else {
            throw Finding("submit.not-json", "the answer is not JSON, since it is not UTF-8")
        }
        var members = MemberReader(Key.allCases.map(\.rawValue))
        var cursor = JSONCursor(text.span.bytes, limit: body.count)
        do {
            cursor.skipWhitespace()
            try members.enter(&cursor)
            while try members.nextUnread(in: &cursor) != nil { try cursor.skipValue() }
            cursor.skipWhitespace()
        } catch {
            throw Finding("submit.not-json", "the answer is not a JSON object (\(error.code) at byte \(error.offset))")
        }
        guard cursor.position == body.count else {
            throw Finding("submit.not-json", "the answer has more than one JSON object (at byte \(cursor.position))")
        }
        // A proxy may have made a string of the number.
        guard let status = Self.text(.status, of: members, in: cursor).flatMap({ Int64($0) }) else {
            throw Finding("submit.not-response", "the answer is JSON without the status of a verifyReceipt response")
        }
        self.status = status
        isRetryable =
            switch Self.text(.hyphenated, of: members, in: cursor) ?? Self.text(.underscored, of: members, in: cursor) {
            case "1", "true": true
            case "0", "false": false
            default: nil
            }
        self.time = time
        let line = Self.onOneLine(body)
        json = secret?.masked(line) ?? line
    }

    /// The text of a value that is neither an array nor an object.
    private static func text(_ key: Key, of members: MemberReader, in cursor: borrowing JSONCursor) -> String? {
        guard let token = Key.allCases.firstIndex(of: key).flatMap({ members[$0] }), !token.isContainer else {
            return nil
        }
        var value: [UInt8] = []
        cursor.appendText(of: token, to: &value)
        return String(input: value)
    }

    /// Valid JSON without its line ends and indentation. No string of JSON contains a line end (RFC 8259 §7).
    private static func onOneLine(_ json: [UInt8]) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(json.count)
        var isIndentation = true
        for byte in json {
            switch byte {
            case 0x0A, 0x0D: isIndentation = true
            case 0x09 where isIndentation, 0x20 where isIndentation: continue
            default:
                isIndentation = false
                line.append(byte)
            }
        }
        return line
    }
}
