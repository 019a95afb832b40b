public import CKernels

/// Reads the members of objects of one kind, as one program after the other wrote them.
///
///     var walk = try reader.enter(&cursor)
///     while let number = try reader.next(&walk, in: &cursor) {
///         guard number != KeyTable<Key>.unknown else { … skipValue … }
///         let token = try reader.token(&walk, in: &cursor)
///         switch reader[number] { … }
///     }
///
/// The first object of its shape is read key by key (``KeyTable``), and an ``ObjectStencil`` is cut from it; those that
/// look like it are then read by laying the stencil over them. What is told is the same: members in their order, of
/// which those that fit a stencil leave out what nobody asks for. An object that fits none is read from its start in
/// the other way, which finds what is wrong with it.
///
/// An object of many shapes costs a look at each stencil, sixteen at most. Where few objects fit, the reader gives up
/// on stencils for some thousands of them.
public struct ObjectReader<Key: Sendable>: Sendable {
    /// Where the reader is in an object.
    public struct Walk {
        @usableFromInline var isFirst = true
        @usableFromInline var previous = KeyTable<Key>.start
        /// Members that a stencil has found, those read and all.
        @usableFromInline var position = 0
        @usableFromInline var count = 0
        /// Whether they are all that the object has.
        @usableFromInline var isWhole = false
        /// Whether what is read is noted for a stencil.
        @usableFromInline var isNoted = false

        @inlinable init() {}
    }

    @usableFromInline var keys: KeyTable<Key>
    @usableFromInline var stencils: ObjectStencils

    /// - Parameter isRead: whether the caller does anything with members of a key, except to refuse objects and arrays.
    public init(_ keys: KeyTable<Key>, reading isRead: (Key) -> Bool) {
        self.keys = keys
        stencils = ObjectStencils(reading: keys.all.map(isRead))
    }

    /// The key of a number that is not ``KeyTable/unknown``.
    @inlinable
    public subscript(_ number: Int) -> Key { keys[number] }

    /// The name of a key.
    public func name(_ number: Int) -> String { keys.name(number) }

    /// Enters the object that the cursor stands on.
    @inlinable
    @_lifetime(cursor: copy cursor)
    public mutating func enter(_ cursor: inout JSONCursor) throws(JSONError) -> Walk {
        var walk = Walk()
        cursor.skipWhitespace()
        if let fit = stencils.fit(&cursor) {
            walk.count = fit.count
            walk.isWhole = fit.isWhole
            walk.isFirst = false
        } else {
            walk.isNoted = stencils.begin(at: cursor.position)
            try cursor.expect(0x7B)
        }
        return walk
    }

    /// Moves to the next member and gives the number of its key, ``KeyTable/unknown`` for one that is not in the table;
    /// `nil` at the end of the object, which is consumed.
    @inlinable
    @_lifetime(cursor: copy cursor)
    public mutating func next(_ walk: inout Walk, in cursor: inout JSONCursor) throws(JSONError) -> Int? {
        if walk.position < walk.count {
            walk.previous = Int(stencils.found[walk.position].number)
            return walk.previous
        }
        if walk.isWhole { return nil }
        let number = try keys.next(in: &cursor, after: walk.previous, isFirst: &walk.isFirst)
        if number == KeyTable<Key>.end {
            if walk.isNoted { stencils.learn(in: cursor, isWhole: true) }
            return nil
        }
        if number != KeyTable<Key>.unknown { walk.previous = number }
        stencils.number = number
        return number
    }

    /// Reads the value of the member that ``next(_:in:)`` has moved to. Scalars are consumed; of an object or array only
    /// the kind is told, and the cursor stays on its bracket.
    @inlinable
    @_lifetime(cursor: copy cursor)
    public mutating func token(_ walk: inout Walk, in cursor: inout JSONCursor) throws(JSONError) -> JSONToken {
        if walk.position < walk.count {
            walk.position &+= 1
            return JSONToken(stencils.found[walk.position &- 1])
        }
        let token = try cursor.token()
        if walk.isNoted {
            if token.isContainer {
                stencils.learn(in: cursor, isWhole: false)
                walk.isNoted = false
            } else {
                stencils.note(token)
            }
        }
        return token
    }

    /// Passes over the value of the member that ``next(_:in:)`` has moved to.
    @inlinable
    @_lifetime(cursor: copy cursor)
    public mutating func skipValue(_ walk: inout Walk, in cursor: inout JSONCursor) throws(JSONError) {
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
