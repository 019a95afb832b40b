import TillCore
import TillJSON

/// A JSON text with the zero bytes behind it that a cursor relies on, and optionally bytes before it.
struct JSONText {
    let bytes: [UInt8]
    let start: Int
    let limit: Int

    init(_ text: [UInt8], after prefix: [UInt8] = []) {
        bytes = prefix + text + Array(repeating: 0, count: JSONCursor.padding)
        start = prefix.count
        limit = prefix.count + text.count
    }

    init(_ text: String) {
        self.init(Array(text.utf8))
    }

    /// The error of a single value that fills the text; what follows it is a syntax error.
    var error: Finding? {
        var cursor = JSONCursor(bytes.span.bytes, at: start, limit: limit)
        do throws(Finding) {
            try cursor.skipValue()
            cursor.skipWhitespace()
            return cursor.position == limit ? nil : Finding(.jsonSyntax, at: cursor.position - start)
        } catch {
            return error.at(error.offset - start)
        }
    }

    /// The same, told by reading every token, member and element one by one.
    var errorByTokens: Finding? {
        var cursor = JSONCursor(bytes.span.bytes, at: start, limit: limit)
        do throws(Finding) {
            try Self.walk(&cursor, depth: 0)
            cursor.skipWhitespace()
            return cursor.position == limit ? nil : Finding(.jsonSyntax, at: cursor.position - start)
        } catch {
            return error.at(error.offset - start)
        }
    }

    private static func walk(_ cursor: inout JSONCursor, depth: Int) throws(Finding) {
        let token = try cursor.token()
        guard token.isContainer else { return }
        guard depth < JSONCursor.depthLimit else { throw Finding(.jsonDepth, at: cursor.position) }
        var isFirst = true
        if token.kind == .array {
            try cursor.expect(0x5B)
            while try cursor.nextElement(isFirst: &isFirst) { try walk(&cursor, depth: depth + 1) }
        } else {
            try cursor.expect(0x7B)
            while try cursor.nextMember(isFirst: &isFirst) {
                _ = try cursor.string()
                try cursor.expect(0x3A)
                try walk(&cursor, depth: depth + 1)
            }
        }
    }

    /// The text of the string that the whole is, escapes undone; `nil` where it is no string.
    var string: [UInt8]? {
        var cursor = JSONCursor(bytes.span.bytes, at: start, limit: limit)
        guard let token = try? cursor.token(), token.kind == .string else { return nil }
        var text: [UInt8] = []
        cursor.appendText(of: token, to: &text)
        return text
    }
}
