public import CKernels
public import TillCore

/// Reads the members of objects of one kind, which programs write in a few shapes.
///
///     var walk = try reader.enter(&cursor)
///     while let number = try reader.next(&walk, in: &cursor) {
///         guard number != KeyTable<Key>.unknown else { … skipValue … }
///         let token = try reader.token(&walk, in: &cursor)
///         switch reader[number] { … }
///     }
///
/// The first object of a shape is read key by key (``KeyTable``), and an ``ObjectTemplate`` is made of it. Further
/// objects of the shape are compared with the template. Both ways give the members in their order; the template leaves
/// out members that are not read. An object that fits no template is read key by key from its start, which finds its
/// defects.
///
/// An object costs a comparison with sixteen templates at most. Where few objects fit, the reader does without
/// templates for some thousands of objects.
///
/// Why: `docs/decisions.md`, Fast paths have a slow twin.
public struct ObjectReader<Key: Sendable>: Sendable {
    /// The position of the reader in an object.
    public struct Walk {
        // Apart, and not a ``MemberWalk``: the optimizer keeps them in registers then, 600 instructions for a response.
        @usableFromInline var isFirst = true
        @usableFromInline var previous = KeyTable<Key>.start
        /// Of the members that a template has found: those that were read, and all.
        @usableFromInline var position = 0
        @usableFromInline var count = 0
        /// Whether the template found all members of the object.
        @usableFromInline var isWhole = false
        /// Whether members are noted for a template.
        @usableFromInline var isNoted = false

        @inlinable init() {}
    }

    @usableFromInline var keys: KeyTable<Key>
    @usableFromInline var templates: ObjectTemplates

    /// - Parameters:
    ///   - isRead: whether the caller does anything with members of a key, except to refuse objects and arrays.
    ///   - readsUnknown: whether the caller does anything with members of other keys.
    public init(_ keys: KeyTable<Key>, reading isRead: (Key) -> Bool, readsUnknown: Bool = false) {
        self.keys = keys
        templates = ObjectTemplates(reading: [readsUnknown] + keys.all.map(isRead))
    }

    /// The key of a number that is not ``KeyTable/unknown``.
    @inlinable
    public subscript(_ number: Int) -> Key { keys[number] }

    /// The name of a key.
    public func name(_ number: Int) -> String { keys.name(number) }

    /// Enters the object that the cursor stands on.
    @inlinable
    @_lifetime(cursor: copy cursor)
    public mutating func enter(_ cursor: inout JSONCursor) throws(Finding) -> Walk {
        var walk = Walk()
        cursor.skipWhitespace()
        if let fit = templates.fit(&cursor) {
            walk.count = fit.count
            walk.isWhole = fit.isWhole
            walk.isFirst = false
        } else {
            walk.isNoted = templates.begin(at: cursor.position)
            try cursor.expect(0x7B)
        }
        return walk
    }

    /// Moves to the next member and gives the number of its key, ``KeyTable/unknown`` for one that is not in the table;
    /// `nil` at the end of the object, which is consumed.
    @inlinable
    @_lifetime(cursor: copy cursor)
    public mutating func next(_ walk: inout Walk, in cursor: inout JSONCursor) throws(Finding) -> Int? {
        if walk.position < walk.count {
            let number = Int(templates.found[walk.position].number)
            if number != KeyTable<Key>.unknown { walk.previous = number }
            return number
        }
        if walk.isWhole { return nil }
        let number = try keys.next(in: &cursor, after: walk.previous, isFirst: &walk.isFirst)
        if number == KeyTable<Key>.end {
            if walk.isNoted { templates.learn(in: cursor, isWhole: true) }
            return nil
        }
        if number != KeyTable<Key>.unknown { walk.previous = number }
        templates.number = number
        return number
    }

    /// Reads the value of the member that ``next(_:in:)`` has moved to. Scalars are consumed; of an object or array the
    /// token has only the kind, and the cursor stays on its bracket.
    @inlinable
    @_lifetime(cursor: copy cursor)
    public mutating func token(_ walk: inout Walk, in cursor: inout JSONCursor) throws(Finding) -> JSONToken {
        if walk.position < walk.count {
            walk.position &+= 1
            return JSONToken(templates.found[walk.position &- 1])
        }
        let token = try cursor.token()
        if walk.isNoted {
            if token.isContainer {
                templates.learn(in: cursor, isWhole: false)
                walk.isNoted = false
            } else {
                templates.note(token)
            }
        }
        return token
    }

    /// Skips the value of the member that ``next(_:in:)`` has moved to.
    @inlinable
    @_lifetime(cursor: copy cursor)
    public mutating func skipValue(_ walk: inout Walk, in cursor: inout JSONCursor) throws(Finding) {
        if try token(&walk, in: &cursor).isContainer { try cursor.skipContainer() }
    }
}

extension JSONToken {
    @inlinable
    init(_ member: till_member) {
        self.init(
            Kind(rawValue: member.kind) ?? .string,
            start: Int(member.start),
            end: Int(member.end),
            hasEscapes: member.has_escapes != 0
        )
    }
}
