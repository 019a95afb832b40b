public import TillCore

/// The defects of a text that is not JSON. Their offset is the byte at which this became certain.
extension Defect {
    /// While more bytes may come this means "not enough bytes yet".
    public static let jsonTruncated = Defect(
        "json.truncated",
        "the JSON text ends inside a value",
        cause: .unfinishedJSON
    )
    /// A byte that RFC 8259 does not allow at this place.
    public static let jsonSyntax = json("json.syntax", "a byte that JSON does not allow here")
    /// RFC 8259 §7.
    public static let jsonControlCharacter = json(
        "json.control-character",
        "a control character inside a string must be escaped"
    )
    /// A backslash that does not begin an escape.
    public static let jsonEscape = json("json.escape", "a backslash that begins no JSON escape")
    /// Bytes that are not UTF-8 (RFC 3629): overlong, a surrogate, above U+10FFFF or cut short.
    public static let jsonUTF8 = json("json.utf8", "bytes that are not UTF-8")
    /// A number outside the grammar of RFC 8259 §6.
    public static let jsonNumber = json("json.number", "a number that JSON does not allow")
    /// More than ``JSONCursor/depthLimit`` objects and arrays inside one another.
    public static let jsonDepth = json(
        "json.depth",
        "more than \(JSONCursor.depthLimit) objects and arrays inside one another (limit: depth)"
    )

    private static func json(_ code: String, _ reason: String) -> Defect {
        Defect(code, reason, cause: .invalidJSON)
    }
}

extension Finding {
    /// Whether the bytes are not JSON, or not yet a whole value.
    public var isOfJSON: Bool { cause == .invalidJSON || cause == .unfinishedJSON }
}
