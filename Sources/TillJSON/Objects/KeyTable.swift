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

        /// Whether the 32 bytes at `start` begin with the key, its quote and a colon; they must be within the span.
        @inlinable
        @inline(__always)
        func begins(_ bytes: RawSpan, at start: Int) -> Bool {
            func word(_ offset: Int) -> UInt64 {
                let word = bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ offset, as: UInt64.self)
                return UInt64(littleEndian: word)
            }
            let difference =
                (word(0) ^ words.0) & masks.0 | (word(8) ^ words.1) & masks.1
                | (word(16) ^ words.2) & masks.2 | (word(24) ^ words.3) & masks.3
            return difference == 0
        }
    }

    @usableFromInline let entries: [Entry]
    @usableFromInline let keys: [Key]
    let names: [[UInt8]]
    /// By the number of the key before, plus one: the number of the key to try first.
    @usableFromInline var followers: [Int]
    /// Numbers of keys plus one, by hash of length and first bytes; 0 is an empty slot. At most a quarter full.
    private let slots: [UInt8]

    /// Makes a table, in the order in which keys are expected. A name has at most 30 bytes, which leaves room for
    /// quote and colon.
    public init(_ members: [(name: String, key: Key)]) {
        self.init(names: members.map { $0.name }, keys: members.map { $0.key })
    }

    // What is done for each kind of key is little, and inlined: every generic type that the standard library's algorithms
    // make of `Key` at run time is one more to look up among all conformances of the program, at every start.
    @usableFromInline
    init(names texts: [String], keys: [Key]) {
        precondition((1..<255).contains(keys.count) && texts.count == keys.count)
        precondition(texts.allSatisfy { $0.utf8.count <= 30 })
        self.keys = keys
        names = texts.map { Array($0.utf8) }
        entries = names.map(Self.entry)
        followers = (0...keys.count).map { $0 < keys.count ? $0 : 0 }
        var slots = [UInt8](repeating: 0, count: 1 << (Int.bitWidth - (4 * keys.count - 1).leadingZeroBitCount))
        for (number, name) in names.enumerated() {
            let first = entries[number].words.0 & Self.mask(name.count)
            var slot = Self.slot(first, name.count, among: slots.count)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt8(number + 1)
        }
        self.slots = slots
    }

    /// The bits of a word that the first `count` bytes have.
    private static func mask(_ count: Int) -> UInt64 { count >= 8 ? .max : (1 << UInt64(8 * count)) - 1 }

    private static func slot(_ first: UInt64, _ count: Int, among size: Int) -> Int {
        let hash = (first ^ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15
        return Int(hash >> 32) & (size - 1)
    }

    /// Makes a table of all cases of an enumeration, whose raw values are the names.
    @inlinable
    public init() where Key: CaseIterable & RawRepresentable<String> {
        self.init(names: Key.allCases.map { $0.rawValue }, keys: Array(Key.allCases))
    }

    /// The key of a number that is neither ``unknown`` nor ``end``.
    @inlinable
    public subscript(_ number: Int) -> Key { keys[number] }

    /// All keys, by their numbers.
    var all: [Key] { keys }

    /// The name of a key.
    public func name(_ number: Int) -> String { String(decoding: names[number], as: UTF8.self) }

    private static func entry(_ name: [UInt8]) -> Entry {
        let text = name + [0x22, 0x3A]
        var words = [UInt64](repeating: 0, count: 4)
        var masks = words
        for index in text.indices {
            let shift = UInt64(index % 8 * 8)
            words[index / 8] |= UInt64(text[index]) << shift
            masks[index / 8] |= 0xFF << shift
        }
        var entry = Entry()
        entry.words = (words[0], words[1], words[2], words[3])
        entry.masks = (masks[0], masks[1], masks[2], masks[3])
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
        let guess = followers[previous &+ 1]
        // Before the key stand comma and quote, before the first one the quote alone.
        let position = cursor.position
        let start = position &+ (isFirst ? 1 : 2)
        if cursor.isInText(position), isFirst || cursor.uncheckedByte(position) == 0x2C,
            cursor.uncheckedByte(start &- 1) == 0x22, cursor.isInText(start),
            entries[guess].begins(cursor.bytes, at: start)
        {
            cursor.position = start &+ entries[guess].count
            isFirst = false
            return guess
        }
        return try lookUp(in: &cursor, after: previous, isFirst: &isFirst)
    }

    /// The way without a guess that holds.
    @usableFromInline
    @_lifetime(cursor: copy cursor)
    mutating func lookUp(
        in cursor: inout JSONCursor,
        after previous: Int,
        isFirst: inout Bool
    ) throws(JSONError) -> Int {
        guard try cursor.nextMember(isFirst: &isFirst) else { return Self.end }
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
        var slot = Self.slot(cursor.word(key.start) & Self.mask(key.count), key.count, among: slots.count)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) - 1
            if isName(number, key, in: cursor) { return number }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private func isName(_ number: Int, _ key: JSONToken, in cursor: borrowing JSONCursor) -> Bool {
        let name = names[number]
        guard name.count == key.count else { return false }
        for offset in 0..<name.count where name[offset] != cursor.byte(key.start + offset) { return false }
        return true
    }
}
