/// The reason why a text is not JSON, and the byte at which this became certain.
@frozen
public struct JSONError: Error, Hashable, Sendable {
    /// Stable names, `json.…`; they appear in reject rows.
    public enum Code: String, Sendable, CaseIterable {
        /// The bytes end inside a value. While more may come this means "not enough bytes yet".
        case truncated = "json.truncated"
        /// A byte that RFC 8259 does not allow at this place.
        case syntax = "json.syntax"
        /// A control character inside a string (RFC 8259 §7 wants it escaped).
        case controlCharacter = "json.control-character"
        /// A backslash that does not begin an escape, or half of a surrogate pair.
        case escape = "json.escape"
        /// Bytes that are not UTF-8 (RFC 3629): overlong, a surrogate, above U+10FFFF or cut short.
        case utf8 = "json.utf8"
        /// A number outside the grammar of RFC 8259 §6.
        case number = "json.number"
        /// More than ``JSONCursor/depthLimit`` objects and arrays inside one another.
        case depth = "json.depth"
    }

    /// The broken rule; its raw value is the code in reject rows.
    public var code: Code
    /// Bytes from the start of the buffer.
    public var offset: Int

    /// Makes the error of the byte at `offset` of the buffer.
    @inlinable
    public init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// One sentence for a person.
    public var reason: String {
        switch code {
        case .truncated: "the JSON text ends inside a value"
        case .syntax: "a byte that JSON does not allow here"
        case .controlCharacter: "a control character inside a string must be escaped"
        case .escape: "a backslash that begins no JSON escape"
        case .utf8: "bytes that are not UTF-8"
        case .number: "a number that JSON does not allow"
        case .depth: "more than \(JSONCursor.depthLimit) objects and arrays inside one another (limit: depth)"
        }
    }
}
