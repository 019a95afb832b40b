public import CKernels
public import TillCore

/// The names behind a ``KeyTable``.
///
/// Not generic: code for any key at all would ask the runtime for the type of the table on each call, and every generic
/// type is one more to look up among all conformances of the program at a start.
@usableFromInline
struct KeyNames: Sendable {
    /// Bytes of the longest name, which leave room for quote and colon among 32.
    static let longest = 30
    @usableFromInline static var unknown: Int { -1 }
    @usableFromInline static var end: Int { -2 }
    @usableFromInline static var start: Int { -1 }

    /// By number: how a key begins a member (`MemberRun.h` of `CKernels`).
    @usableFromInline let entries: [till_key]
    let names: [[UInt8]]
    /// By the number of the key before, plus one: the number of the key to try first.
    @usableFromInline var followers: [Int64]
    /// Numbers of keys plus one, by hash of length and first bytes; 0 is an empty slot. At most a quarter full.
    private let slots: [UInt8]

    @usableFromInline
    init(_ texts: [String]) {
        precondition((1..<255).contains(texts.count) && texts.allSatisfy { $0.utf8.count <= Self.longest })
        names = texts.map { Array($0.utf8) }
        entries = names.map(Self.entry)
        followers = (0...names.count).map { [count = names.count] in $0 < count ? Int64($0) : 0 }
        var slots = [UInt8](repeating: 0, count: 1 << (Int.bitWidth - (4 * names.count - 1).leadingZeroBitCount))
        for (number, name) in names.enumerated() {
            let first = entries[number].words.0 & Self.mask(name.count)
            var slot = Self.slot(first, name.count, among: slots.count)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt8(number + 1)
        }
        self.slots = slots
    }

    func name(_ number: Int) -> String { String(decoding: names[number], as: UTF8.self) }

    /// The bits of a word that the first `count` bytes have.
    private static func mask(_ count: Int) -> UInt64 { count >= 8 ? .max : (1 << UInt64(8 * max(0, count))) - 1 }

    private static func slot(_ first: UInt64, _ count: Int, among size: Int) -> Int {
        let hash = (first ^ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15
        return Int(hash >> 32) & (size - 1)
    }

    private static func entry(_ name: [UInt8]) -> till_key {
        let count = name.count + 2
        // Of name, quote and colon, without an array: a start of the command makes hundreds of keys.
        func word(_ start: Int) -> UInt64 {
            var word: UInt64 = 0
            for index in start..<max(start, min(start + 8, count)) {
                let byte = index < name.count ? name[index] : index == name.count ? 0x22 : 0x3A
                word |= UInt64(byte) << UInt64(8 * (index - start))
            }
            return word
        }
        return till_key(
            words: (word(0), word(8), word(16), word(24)),
            masks: (mask(count), mask(count - 8), mask(count - 16), mask(count - 24)),
            count: UInt64(count)
        )
    }

    /// Reads members with the expected keys and plain values into `values`, by number, as far as they go (`MemberRun.h`
    /// of `CKernels`).
    @inlinable
    @inline(__always)
    func run(_ run: inout till_run, over bytes: RawSpan, limit: Int, into values: inout [till_member]) {
        precondition(values.count == entries.count)
        bytes.withUnsafeBytes { text in
            values.withUnsafeMutableBufferPointer { values in
                till_member_run(text.baseAddress, limit, entries, followers, values.baseAddress, &run)
            }
        }
    }

    /// The implementation of ``KeyTable/next(in:after:isFirst:)``.
    @inlinable
    @_lifetime(cursor: copy cursor)
    mutating func next(
        in cursor: inout JSONCursor,
        after previous: Int,
        isFirst: inout Bool
    ) throws(Finding) -> Int {
        let guess = Int(followers[previous &+ 1])
        // Before the key stand comma and quote, before the first one the quote alone.
        let position = cursor.position
        let start = position &+ (isFirst ? 1 : 2)
        if cursor.isInText(position), isFirst || cursor.uncheckedByte(position) == 0x2C,
            cursor.uncheckedByte(start &- 1) == 0x22, cursor.isInText(start),
            begins(guess, cursor.bytes, at: start)
        {
            cursor.position = start &+ Int(entries[guess].count)
            isFirst = false
            return guess
        }
        return try lookUp(in: &cursor, after: previous, isFirst: &isFirst)
    }

    /// Whether the 32 bytes at `start`, which must be within the span, begin with a key, its quote and a colon.
    @inlinable
    @inline(__always)
    func begins(_ number: Int, _ bytes: RawSpan, at start: Int) -> Bool {
        bytes.withUnsafeBytes { memory in
            entries.withUnsafeBufferPointer { entries in
                guard let text = memory.baseAddress, let keys = entries.baseAddress, entries.indices.contains(number)
                else { return false }
                return till_key_begins(text + start, keys + number)
            }
        }
    }

    /// The way without a guess that holds.
    @usableFromInline
    @_lifetime(cursor: copy cursor)
    mutating func lookUp(
        in cursor: inout JSONCursor,
        after previous: Int,
        isFirst: inout Bool
    ) throws(Finding) -> Int {
        guard try cursor.nextMember(isFirst: &isFirst) else { return Self.end }
        let key = try cursor.string()
        try cursor.expect(0x3A)
        guard let number = number(of: key, in: cursor) else { return Self.unknown }
        followers[previous + 1] = Int64(number)
        return number
    }

    func number(of key: JSONToken, in cursor: borrowing JSONCursor) -> Int? {
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

    /// Whether a key is the name of a number. Both are compared eight bytes at once; behind the text there are zeros
    /// enough.
    private func isName(_ number: Int, _ key: JSONToken, in cursor: borrowing JSONCursor) -> Bool {
        let words = entries[number].words
        guard names[number].count == key.count,
            (words.0 ^ cursor.word(key.start)) & Self.mask(key.count) == 0
        else { return false }
        guard key.count > 8 else { return true }
        guard (words.1 ^ cursor.word(key.start + 8)) & Self.mask(key.count - 8) == 0 else { return false }
        guard key.count > 16 else { return true }
        guard (words.2 ^ cursor.word(key.start + 16)) & Self.mask(key.count - 16) == 0 else { return false }
        return key.count <= 24 || (words.3 ^ cursor.word(key.start + 24)) & Self.mask(key.count - 24) == 0
    }
}
