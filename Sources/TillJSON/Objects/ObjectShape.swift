/// The shape of objects that look alike: the same members with the same text between them.
struct ObjectShape: Sendable {
    /// A member as it was read: the number of its key, and its value.
    struct Member {
        let number: Int
        let token: JSONToken
    }

    /// The common property of one member's values so far.
    enum Value: Hashable, Sendable {
        /// Strings of this many plain bytes.
        case string(count: Int)
        /// The same number or literal.
        case constant(JSONToken.Kind, [UInt8])
        case anything
    }

    /// The text between the values: keys, punctuation, white space. There is one more than members. The last one ends
    /// with the object, or with the bracket of the next member, if that is an object or array.
    let connectives: [[UInt8]]
    /// The number of each member's key.
    let numbers: [Int]
    private(set) var values: [Value]
    /// Whether the object ends with them.
    let isWhole: Bool

    /// Bytes of an object, or of its beginning, and members that a shape may have.
    static let largestText = 4096
    static let mostMembers = 64

    /// The shape of an object that was read; `nil` where it is too large or has no member.
    ///
    /// - Parameters:
    ///   - start: the start of the object.
    ///   - members: all its members up to `end`, in their order.
    ///   - end: behind the last bracket of the object, or behind the first bracket of the member that follows.
    init?(of json: JSONBytes, from start: Int, members: [Member], to end: Int, isWhole: Bool) {
        guard !members.isEmpty, members.count <= Self.mostMembers, end - start <= Self.largestText else { return nil }
        var connectives: [[UInt8]] = []
        var position = start
        for member in members {
            let range = member.token.textRange
            connectives.append(json.array(position..<range.lowerBound))
            position = range.upperBound
        }
        connectives.append(json.array(position..<end))
        self.connectives = connectives
        numbers = members.map(\.number)
        values = members.map { Self.value(of: $0.token, in: json) }
        self.isWhole = isWhole
    }

    private static func value(of token: JSONToken, in json: JSONBytes) -> Value {
        let text = json.array(token.start..<token.end)
        guard token.kind == .string else { return .constant(token.kind, text) }
        return text.allSatisfy { (0x20..<0x80).contains($0) && $0 != 0x5C } ? .string(count: text.count) : .anything
    }

    /// Whether an object looks alike, whatever its values.
    func isAlike(_ other: ObjectShape) -> Bool {
        isWhole == other.isWhole && connectives == other.connectives
    }

    /// Widens the values by those of another object, up to where it stops looking alike; gives whether any changed.
    mutating func widen(by other: ObjectShape) -> Bool {
        let before = values
        for member in values.indices {
            guard member < other.values.count, connectives[member] == other.connectives[member] else { break }
            if values[member] != other.values[member] { values[member] = .anything }
        }
        return values != before
    }
}

extension JSONToken {
    /// The token with the quotes that a string has.
    fileprivate var textRange: Range<Int> { kind == .string ? start - 1..<end + 1 : start..<end }
}

extension JSONBytes {
    fileprivate func array(_ range: Range<Int>) -> [UInt8] { bytes.extracting(range).withUnsafeBytes(Array.init) }
}
