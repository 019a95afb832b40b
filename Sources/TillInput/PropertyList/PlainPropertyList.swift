/// The entries of an ASCII property list that has nothing but strings, as ranges of its bytes.
///
///     list  := ws '{' ws ( string ws '=' ws string ws ';' ws )* '}' ws
///     string := '"' printable ASCII but '"' and '\\' '"' | bare
///
/// This is the part of the grammar of ``PropertyListParser`` that real receipts use. ``read(_:)`` returns `false` for
/// all else: comments, escapes, nested lists, data, bytes that are not printable ASCII, and defects.
public struct PlainPropertyList: Sendable {
    /// A key and its value, as ranges of the bytes that were read.
    public struct Entry: Sendable {
        /// The text of the key, without its quotes.
        public var key: Range<Int>
        /// The text of the value, without its quotes.
        public var value: Range<Int>
    }

    /// The entries in the order of the list. A key may occur more than once.
    public private(set) var entries: [Entry] = []

    private static let entryLimit = 256

    /// Starts without entries; reading many lists with one value reuses its memory.
    public init() {}

    /// Reads the list that fills `bytes`; `false` where it is not of this grammar or has more than 256 entries.
    public mutating func read(_ bytes: RawSpan) -> Bool {
        entries.removeAll(keepingCapacity: true)
        var position = 0
        Self.skipSpace(bytes, &position)
        guard Self.take(0x7B, bytes, &position) else { return false }
        while true {
            Self.skipSpace(bytes, &position)
            if Self.take(0x7D, bytes, &position) { break }
            guard entries.count < Self.entryLimit, let key = Self.string(bytes, &position) else { return false }
            Self.skipSpace(bytes, &position)
            guard Self.take(0x3D, bytes, &position) else { return false }
            Self.skipSpace(bytes, &position)
            guard let value = Self.string(bytes, &position) else { return false }
            Self.skipSpace(bytes, &position)
            guard Self.take(0x3B, bytes, &position) else { return false }
            entries.append(Entry(key: key, value: value))
        }
        Self.skipSpace(bytes, &position)
        return position == bytes.byteCount
    }

    /// The value of the last entry with this key; `nil` where there is none. A hyphen in `key` also matches an
    /// underscore.
    public func value(of key: [UInt8], in bytes: RawSpan) -> Range<Int>? {
        entries.last { entry in
            entry.key.count == key.count
                && key.indices.allSatisfy { index in
                    let byte = bytes.byte(entry.key.lowerBound + index)
                    return byte == key[index] || byte == 0x5F && key[index] == 0x2D
                }
        }?.value
    }

    private static func take(_ byte: UInt8, _ bytes: RawSpan, _ position: inout Int) -> Bool {
        guard position < bytes.byteCount, bytes.byte(position) == byte else { return false }
        position += 1
        return true
    }

    private static func skipSpace(_ bytes: RawSpan, _ position: inout Int) {
        while position < bytes.byteCount {
            switch bytes.byte(position) {
            case 0x20, 0x09...0x0D: position += 1
            default: return
            }
        }
    }

    private static func string(_ bytes: RawSpan, _ position: inout Int) -> Range<Int>? {
        guard take(0x22, bytes, &position) else {
            let start = position
            while position < bytes.byteCount, Framer.isBare(bytes.byte(position)) { position += 1 }
            return position > start ? start..<position : nil
        }
        let start = position
        guard let end = bytes.firstIndex(of: 0x22, from: start, to: bytes.byteCount), isPlain(bytes, start..<end) else {
            return nil
        }
        position = end + 1
        return start..<end
    }

    /// Whether all bytes are printable ASCII and none is a backslash. Eight bytes are checked at a time.
    private static func isPlain(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var index = range.lowerBound
        while index + 8 <= range.upperBound {
            let word = bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            let slashes = word ^ (0x5C * ones)
            let odd = word | (word &- 0x20 * ones) | ((slashes &- ones) & ~slashes) | (word &+ ones)
            guard odd & (0x80 * ones) == 0 else { return false }
            index += 8
        }
        while index < range.upperBound {
            let byte = bytes.byte(index)
            guard byte >= 0x20, byte < 0x7F, byte != 0x5C else { return false }
            index += 1
        }
        return true
    }
}
