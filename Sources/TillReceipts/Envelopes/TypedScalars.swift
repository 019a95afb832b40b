import TillCore
import TillInput
import TillJSON

/// Removes database notations around values: tags with their type, and strings around objects and lists.
///
///     {"status":{"$numberInt":"0"}}                      MongoDB Extended JSON
///     {"status":{"N":"0"},"receipt":{"M":{…}}}            DynamoDB JSON
///     {"fields":{"status":{"integerValue":"0"}}}          Firestore
///     {"status":{"numberValue":0},"receipt":{"structValue":{"fields":{…}}}}     google.protobuf.Struct
///
///     {"status":0,"receipt":"{\"in_app\":[]}"}            a column of text for each member
///
/// An object whose only member is such a tag is the value of the tag.
enum TypedScalars {
    /// Tags of scalars. That of a number may be a string, and stays one: readers take either.
    private static let scalarTags: Set<String> = [
        "$numberLong", "$numberInt", "$numberDouble", "$numberDecimal", "$date", "$oid", "$uuid", "stringValue",
        "integerValue", "doubleValue", "booleanValue", "timestampValue", "nullValue", "numberValue", "boolValue", "S",
        "N", "BOOL", "NULL",
    ]
    /// Tags of objects and arrays, whose elements have tags themselves.
    private static let containerTags: Set<String> = [
        "M", "L", "mapValue", "arrayValue", "structValue", "listValue", "$date",
    ]
    /// The only member of a Firestore map or array.
    private static let wrapperTags: Set<String> = ["fields", "values"]

    /// Members of documents that are objects or lists, by their letters.
    private static let containers = [
        "receipt", "latestreceiptinfo", "latestexpiredreceiptinfo", "pendingrenewalinfo", "inapp", "unifiedreceipt",
        "request", "response", "data",
    ].map { Array($0.utf8) }

    /// Objects and arrays inside one another that are rewritten.
    private static let depthLimit = 64

    /// The JSON of the object at the cursor without tags and strings around its members; moves the cursor after it;
    /// `nil` if there are none.
    @_lifetime(cursor: copy cursor)
    static func plain(_ cursor: inout JSONCursor) -> [UInt8]? {
        var output: [UInt8] = []
        var hasTags = false
        guard (try? write(&cursor, depth: 0, &hasTags, to: &output)) != nil, hasTags else { return nil }
        return output
    }

    @_lifetime(cursor: copy cursor)
    private static func write(
        _ cursor: inout JSONCursor,
        depth: Int,
        _ hasTags: inout Bool,
        to output: inout [UInt8]
    ) throws(Finding) {
        let token = try cursor.token()
        switch token.kind {
        case .object where depth < depthLimit:
            if let inner = try value(ofTagAt: cursor) {
                hasTags = true
                var value = copy cursor
                value.position = inner
                try write(&value, depth: depth + 1, &hasTags, to: &output)
                return try cursor.skipContainer()
            }
            try cursor.expect(0x7B)
            output.append(0x7B)
            var isFirst = true
            while true {
                let separates = !isFirst
                guard let key = try cursor.nextKey(isFirst: &isFirst) else { break }
                if separates { output.append(0x2C) }
                append(cursor.bytes, key.start - 1..<key.end + 1, to: &output)
                output.append(0x3A)
                if isContainer(key, in: cursor), let text = try jsonText(at: cursor) {
                    var inner = JSONCursor(text.span.bytes, limit: text.count - JSONCursor.padding)
                    let length = output.count
                    if (try? write(&inner, depth: depth + 1, &hasTags, to: &output)) != nil {
                        hasTags = true
                        _ = try cursor.token()
                        continue
                    }
                    output.removeSubrange(length...)
                }
                try write(&cursor, depth: depth + 1, &hasTags, to: &output)
            }
            output.append(0x7D)
        case .array where depth < depthLimit:
            try cursor.expect(0x5B)
            output.append(0x5B)
            var isFirst = true
            while true {
                let separates = !isFirst
                guard try cursor.nextElement(isFirst: &isFirst) else { break }
                if separates { output.append(0x2C) }
                try write(&cursor, depth: depth + 1, &hasTags, to: &output)
            }
            output.append(0x5D)
        case .object, .array:
            try cursor.skipContainer()
            append(cursor.bytes, token.start..<cursor.position, to: &output)
        case .string: append(cursor.bytes, token.start - 1..<token.end + 1, to: &output)
        default: append(cursor.bytes, token.start..<token.end, to: &output)
        }
    }

    private static func isContainer(_ key: JSONToken, in cursor: borrowing JSONCursor) -> Bool {
        guard key.count <= 32, !key.hasEscapes else { return false }
        let name = cursor.raw(key)
        return containers.contains { name.hasLetters($0) }
    }

    /// The JSON of the string at the cursor, followed by padding; `nil` if the value is no string that holds an object
    /// or an array and nothing else.
    static func jsonText(at start: borrowing JSONCursor) throws(Finding) -> [UInt8]? {
        var cursor = copy start
        cursor.skipWhitespace()
        guard cursor.byte(cursor.position) == 0x22 else { return nil }
        let token = try cursor.token()
        return jsonText(of: token, in: cursor)
    }

    /// The same of a string that was read.
    static func jsonText(of token: JSONToken, in cursor: borrowing JSONCursor) -> [UInt8]? {
        guard token.kind == .string, token.count > 1, cursor.raw(token).beginsJSONContainer else { return nil }
        var text: [UInt8] = []
        cursor.appendText(of: token, to: &text)
        let count = text.count
        text.append(contentsOf: repeatElement(0, count: JSONCursor.padding))
        var inner = JSONCursor(text.span.bytes, limit: count)
        inner.skipWhitespace()
        guard (try? inner.skipValue()) != nil else { return nil }
        inner.skipWhitespace()
        return inner.position == count ? text : nil
    }

    /// The start of the value of an object whose only member is a tag.
    private static func value(ofTagAt start: borrowing JSONCursor) throws(Finding) -> Int? {
        var cursor = copy start
        try cursor.expect(0x7B)
        var isFirst = true
        guard let key = try cursor.nextKey(isFirst: &isFirst) else { return nil }
        cursor.skipWhitespace()
        let position = cursor.position
        let value = try cursor.token()
        guard isTag(key, of: value, in: cursor) else { return nil }
        if value.isContainer { try cursor.skipContainer() }
        return try cursor.nextMember(isFirst: &isFirst) ? nil : position
    }

    /// Whether the object at the cursor is a value with its type.
    static func isTagged(at cursor: borrowing JSONCursor) -> Bool { (try? value(ofTagAt: cursor)) != nil }

    /// Whether a key says of what type its value is, where it is the only one of its object.
    static func isTag(_ key: JSONToken, of value: JSONToken, in cursor: borrowing JSONCursor) -> Bool {
        guard key.count <= 16, !key.hasEscapes else { return false }
        let name = cursor.raw(key).text(0..<key.count)
        guard value.isContainer else { return scalarTags.contains(name) }
        if wrapperTags.contains(name) { return value.kind == (name == "fields" ? .object : .array) }
        return containerTags.contains(name)
    }

    private static func append(_ bytes: RawSpan, _ range: Range<Int>, to output: inout [UInt8]) {
        bytes.extracting(range).withUnsafeBytes { output.append(contentsOf: $0) }
    }
}

extension RawSpan {
    /// Whether these are its letters, whatever their case and what stands between them. Bytes of other scripts are
    /// letters too.
    fileprivate func hasLetters(_ letters: [UInt8]) -> Bool {
        var count = 0
        for index in 0..<byteCount where byte(index).isLetterOrDigit && !byte(index).isDigit {
            guard count < letters.count, byte(index) | 0x20 == letters[count] else { return false }
            count += 1
        }
        return count == letters.count
    }
}
