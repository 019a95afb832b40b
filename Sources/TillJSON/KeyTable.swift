/// The keys that one kind of object may have, and a guess which comes next.
///
/// Whoever wrote a dump wrote its objects with one program, so their members come in the same order over and over.
/// After each key the table remembers which followed it last time, and compares that one first: up to 32 bytes, key,
/// quote and colon in one go, without looking for the end of the key. Only a wrong guess scans the key and looks it up.
///
/// Keys are known by their number, which ``subscript(_:)`` turns into whatever the caller calls them.
public struct KeyTable<Key: Sendable>: Sendable {
    /// What ``next(in:after:isFirst:)`` gives for a key that the table does not have.
    @inlinable
    public static var unknown: Int { -1 }
    /// What it gives at the end of the object.
    @inlinable
    public static var end: Int { -2 }
    /// What to pass as the key before the first.
    @inlinable
    public static var start: Int { -1 }

    /// A key followed by `":`, as words of eight bytes, and which of their bits count.
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        @usableFromInline var masks: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        @usableFromInline var count = 0
    }

    @usableFromInline let entries: [Entry]
    @usableFromInline let keys: [Key]
    let names: [[UInt8]]
    /// By the number of the key before, plus one: the number of the key to try first.
    @usableFromInline var followers: [Int]

    /// Makes a table, in the order in which keys are expected. A name has at most 30 bytes, which leaves room for
    /// quote and colon.
    public init(_ members: [(name: String, key: Key)]) {
        precondition(!members.isEmpty && members.allSatisfy { $0.name.utf8.count <= 30 })
        keys = members.map(\.key)
        names = members.map { Array($0.name.utf8) }
        entries = names.map(Self.entry)
        followers = (0...members.count).map { $0 < members.count ? $0 : 0 }
    }

    /// Makes a table of all cases of an enumeration, whose raw values are the names.
    public init() where Key: CaseIterable & RawRepresentable<String> {
        self.init(Key.allCases.map { ($0.rawValue, $0) })
    }

    /// The key of a number that is neither ``unknown`` nor ``end``.
    @inlinable
    public subscript(_ number: Int) -> Key { keys[number] }

    /// The name of a key.
    public func name(_ number: Int) -> String { String(decoding: names[number], as: UTF8.self) }

    private static func entry(_ name: [UInt8]) -> Entry {
        let text = name + [0x22, 0x3A]
        func word(_ index: Int, _ byte: (Int) -> UInt64) -> UInt64 {
            (0..<8).reduce(0) { index * 8 + $1 < text.count ? $0 | byte(index * 8 + $1) << UInt64(8 * $1) : $0 }
        }
        var entry = Entry()
        let letter = { UInt64(text[$0]) }
        let mask = { (_: Int) in UInt64(0xFF) }
        entry.words = (word(0, letter), word(1, letter), word(2, letter), word(3, letter))
        entry.masks = (word(0, mask), word(1, mask), word(2, mask), word(3, mask))
        entry.count = text.count
        return entry
    }

    /// Moves `cursor` to the value of the next member and gives the number of its key.
    ///
    /// - Parameter previous: the number of the member before, ``start`` for the first.
    /// - Returns: the number, ``unknown``, or ``end`` where the object is over (and consumed).
    @inlinable
    @_lifetime(cursor: copy cursor)
    public mutating func next(
        in cursor: inout JSONCursor,
        after previous: Int,
        isFirst: inout Bool
    ) throws(JSONError) -> Int {
        guard try cursor.nextMember(isFirst: &isFirst) else { return Self.end }
        let guess = followers[previous + 1]
        let entry = entries[guess]
        let at = cursor.position
        let difference =
            (cursor.word(at) ^ entry.words.0) & entry.masks.0
            | (cursor.word(at + 8) ^ entry.words.1) & entry.masks.1
            | (cursor.word(at + 16) ^ entry.words.2) & entry.masks.2
            | (cursor.word(at + 24) ^ entry.words.3) & entry.masks.3
        if difference == 0 {
            cursor.position = at + entry.count
            return guess
        }
        return try lookUp(in: &cursor, after: previous)
    }

    @usableFromInline
    @_lifetime(cursor: copy cursor)
    mutating func lookUp(in cursor: inout JSONCursor, after previous: Int) throws(JSONError) -> Int {
        let key = try cursor.string()
        try cursor.expect(0x3A)
        guard let number = number(of: key, in: cursor) else { return Self.unknown }
        followers[previous + 1] = number
        return number
    }

    private func number(of key: JSONToken, in cursor: borrowing JSONCursor) -> Int? {
        if key.hasEscapes {
            var text: [UInt8] = []
            cursor.appendText(of: key, to: &text)
            return names.firstIndex(of: text)
        }
        let index = names.indices.first { index in
            let name = names[index]
            guard name.count == key.count else { return false }
            for offset in 0..<name.count where name[offset] != cursor.byte(key.start + offset) { return false }
            return true
        }
        return index
    }
}
