public import TillCore

/// The keys that one kind of object may have, and a prediction of the next one.
///
/// One program writes all objects of a dump, so their members come in the same order. The table remembers which key
/// followed each key last time, and compares that one first: up to 32 bytes, key, quote and colon at once, without
/// looking for the end of the key. Only a wrong prediction scans the key and looks it up.
///
/// A key is identified by its number; ``subscript(_:)`` gives the key itself.
public struct KeyTable<Key: Sendable>: Sendable {
    /// The result of ``next(in:after:isFirst:)`` for a key that the table does not have.
    @inlinable
    public static var unknown: Int { KeyNames.unknown }
    /// The result of ``next(in:after:isFirst:)`` at the end of the object.
    @inlinable
    public static var end: Int { KeyNames.end }
    /// The number of the key before the first, for ``next(in:after:isFirst:)``.
    @inlinable
    public static var start: Int { KeyNames.start }

    @usableFromInline var names: KeyNames
    /// By their numbers.
    @usableFromInline let keys: [Key]

    /// Makes a table, in the order in which keys are expected. A name has at most 30 bytes, which leaves room for
    /// quote and colon.
    public init(_ members: [(name: String, key: Key)]) {
        self.init(names: members.map { $0.name }, keys: members.map { $0.key })
    }

    // Little code depends on `Key`: every generic type that the standard library's algorithms make of it at run time is
    // one more look-up among all conformances of the program, at every start.
    @usableFromInline
    init(names: [String], keys: [Key]) {
        self.names = KeyNames(names)
        self.keys = keys
    }

    /// Makes a table of all cases of an enumeration, whose raw values are the names. A key is known by every spelling
    /// of its name (``KeySpelling``).
    public init() where Key: CaseIterable & RawRepresentable<String> {
        self.init(KeySpelling.all(Key.allCases.map { ($0.rawValue, $0) }))
    }

    /// The key of a number that is neither ``unknown`` nor ``end``.
    @inlinable
    public subscript(_ number: Int) -> Key { keys[number] }

    /// All keys, by their numbers.
    var all: [Key] { keys }

    /// The name of a key.
    public func name(_ number: Int) -> String { names.name(number) }

    /// The number of the key that a string is; `nil` where the table does not have it.
    public func number(of key: JSONToken, in cursor: borrowing JSONCursor) -> Int? { names.number(of: key, in: cursor) }

    /// Enters the object that the cursor stands on.
    ///
    ///     var walk = try keys.enter(&cursor)
    ///     while let number = try keys.nextKnown(&walk, in: &cursor) { switch keys[number] { … } }
    @inlinable
    @_lifetime(cursor: copy cursor)
    public func enter(_ cursor: inout JSONCursor) throws(Finding) -> MemberWalk {
        try cursor.expect(0x7B)
        return MemberWalk()
    }

    /// Moves to the value of the next member and gives the number of its key, ``unknown`` for one that is not in the
    /// table; `nil` at the end of the object, which is consumed.
    @inlinable
    @_lifetime(cursor: copy cursor)
    public mutating func next(_ walk: inout MemberWalk, in cursor: inout JSONCursor) throws(Finding) -> Int? {
        let number = try next(in: &cursor, after: walk.previous, isFirst: &walk.isFirst)
        if number == Self.end { return nil }
        if number == Self.unknown { walk.hasUnknown = true } else { walk.previous = number }
        return number
    }

    /// Moves to the value of the next member whose key is in the table and gives its number; others are skipped.
    @inlinable
    @_lifetime(cursor: copy cursor)
    public mutating func nextKnown(_ walk: inout MemberWalk, in cursor: inout JSONCursor) throws(Finding) -> Int? {
        while let number = try next(&walk, in: &cursor) {
            if number != Self.unknown { return number }
            try cursor.skipValue()
        }
        return nil
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
    ) throws(Finding) -> Int {
        try names.next(in: &cursor, after: previous, isFirst: &isFirst)
    }
}

/// The position of a reader among the members of an object.
@frozen
public struct MemberWalk {
    @usableFromInline var isFirst = true
    /// The number of the last key that is in the table.
    @usableFromInline var previous = KeyNames.start
    /// Whether the object has a member whose key is not in the table.
    public var hasUnknown = false

    @inlinable init() {}
}
