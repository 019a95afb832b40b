/// One value of a property list, ASCII or XML, and where it came from.
///
/// A legacy receipt has two dozen of them, so a tree is affordable here, where the formats of the hot path have none.
/// What XML tells apart from strings (`integer`, `real`, `date`, `true`, `false`) is a string as well: that is what the
/// same value is in an ASCII property list.
public struct PropertyListValue: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        /// Entries in their order; of a key that comes twice the last one counts.
        case dictionary([Entry])
        case array([PropertyListValue])
        case string(String)
        case data([UInt8])
    }

    public struct Entry: Hashable, Sendable {
        public var key: String
        public var value: PropertyListValue

        public init(key: String, value: PropertyListValue) {
            self.key = key
            self.value = value
        }
    }

    public var content: Content
    /// Bytes from the start of the property list to the value: to its bracket, or to the first byte of a string's text.
    public var offset: Int

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

/// What is read at most; a receipt stays far below, a dump of the longest verifyReceipt answers below.
public enum PropertyListLimits {
    /// Dictionaries and arrays inside one another.
    public static let depth = 64
    /// Bytes of a property list.
    public static let byteCount = 16 << 20
    /// Bytes of one string or one piece of data, as it is written.
    public static let textLength = 8 << 20
    /// Values, keys not counted.
    public static let valueCount = 500_000
}
