public import TillCore
import TillJSON

/// A JSON document as values, for small files that are read once.
public indirect enum JSONTree: Sendable {
    case object([(key: String, value: JSONTree)])
    case array([JSONTree])
    case string(String)
    /// The number as it is written, so that no decimal is lost.
    case number(String)
    case bool(Bool)
    case null

    /// Reads the one value that fills `bytes`. Throws if it is not valid JSON.
    public init(_ bytes: [UInt8]) throws(Finding) {
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let padded = bytes + Array(repeating: 0, count: JSONCursor.padding)
        var cursor = JSONCursor(padded.span.bytes, at: start, limit: bytes.count)
        self = try Self.value(&cursor, depth: 0)
        cursor.skipWhitespace()
        guard cursor.position >= cursor.limit else { throw cursor.unexpected(at: cursor.position) }
    }

    private static func value(_ cursor: inout JSONCursor, depth: Int) throws(Finding) -> JSONTree {
        guard depth < JSONCursor.depthLimit else { throw Finding(.jsonDepth, at: cursor.position) }
        let token = try cursor.token()
        switch token.kind {
        case .object: return .object(try members(&cursor, depth: depth))
        case .array: return .array(try elements(&cursor, depth: depth))
        case .string: return .string(text(token, in: cursor))
        case .number: return .number(text(token, in: cursor))
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .null: return .null
        }
    }

    private static func members(
        _ cursor: inout JSONCursor,
        depth: Int
    ) throws(Finding) -> [(key: String, value: JSONTree)] {
        try cursor.expect(0x7B)
        var members: [(key: String, value: JSONTree)] = []
        var isFirst = true
        while let key = try cursor.nextKey(isFirst: &isFirst) {
            members.append((text(key, in: cursor), try value(&cursor, depth: depth + 1)))
        }
        return members
    }

    private static func elements(_ cursor: inout JSONCursor, depth: Int) throws(Finding) -> [JSONTree] {
        try cursor.expect(0x5B)
        var elements: [JSONTree] = []
        var isFirst = true
        while try cursor.nextElement(isFirst: &isFirst) { elements.append(try value(&cursor, depth: depth + 1)) }
        return elements
    }

    private static func text(_ token: JSONToken, in cursor: borrowing JSONCursor) -> String {
        var text: [UInt8] = []
        if token.hasEscapes {
            cursor.appendText(of: token, to: &text)
        } else {
            for index in token.start..<token.end { text.append(cursor.byte(index)) }
        }
        return String(input: text)
    }
}

extension JSONTree {
    /// The member of an object; of several with one name, the last.
    public subscript(key: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.key == key }?.value
    }

    /// The members of an object in their order; `nil` for another value.
    public var members: [(key: String, value: JSONTree)]? {
        guard case .object(let members) = self else { return nil }
        return members
    }

    /// The elements of an array; `nil` for another value.
    public var elements: [JSONTree]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The text of a string; `nil` for another value.
    public var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The number as it is written.
    public var number: String? {
        guard case .number(let text) = self else { return nil }
        return text
    }
}
