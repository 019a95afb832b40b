/// A value of a property list, ASCII or XML, with its offset.
///
/// A tree of values is affordable here, because a legacy receipt has about two dozen of them. The `integer`, `real`,
/// `date`, `true` and `false` of XML become strings, as the same values are in an ASCII property list.
public struct PropertyListValue: Hashable, Sendable {
    /// The kinds of values; numbers, dates and booleans are strings.
    public enum Content: Hashable, Sendable {
        /// The entries in the order of the list. If a key occurs twice, the last entry counts.
        case dictionary([Entry])
        case array([PropertyListValue])
        case string(String)
        case data([UInt8])
    }

    /// A key of a dictionary and its value.
    public struct Entry: Hashable, Sendable {
        /// The text of the key, with its escapes or entities replaced.
        public var key: String
        /// A value of any kind, with its own offset.
        public var value: PropertyListValue

        /// Makes an entry; the escapes in `key` must have been replaced.
        public init(key: String, value: PropertyListValue) {
            self.key = key
            self.value = value
        }
    }

    /// The value without its offset; the values inside it keep theirs.
    public var content: Content
    /// Bytes from the start of the property list to the value's bracket, to a string's text after its quote, or in XML
    /// to the tag of a list or to the text after any other tag.
    public var offset: Int

    /// Makes a value; `offset` counts bytes from the start of the whole property list.
    public init(_ content: Content, at offset: Int) {
        self.content = content
        self.offset = offset
    }

    /// The entries of a dictionary; `nil` for anything else.
    public var entries: [Entry]? {
        guard case .dictionary(let entries) = content else { return nil }
        return entries
    }

    /// The text of a string; `nil` for anything else.
    public var string: String? {
        guard case .string(let text) = content else { return nil }
        return text
    }
}

/// Limits on property lists. A receipt stays far below them, and so does the longest verifyReceipt response.
public enum PropertyListLimits {
    /// Dictionaries and arrays inside one another.
    public static let depth = 64
    /// Bytes of a property list.
    public static let byteCount = 16 << 20
    /// Bytes of one string before its escapes are replaced, of XML data before decoding, or of ASCII data after
    /// decoding.
    public static let textLength = 8 << 20
    /// Values of all kinds. Keys do not count.
    public static let valueCount = 500_000
}
