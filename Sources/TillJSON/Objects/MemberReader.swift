public import CKernels
public import TillCore

/// Reads the members of objects whose values mostly differ in length. The caller then gets values by key.
///
///     try members.enter(&cursor)
///     while let number = try members.nextUnread(in: &cursor) { … skipValue … }
///     if let token = members[number] { … }
///
/// Members are read in runs by a kernel (`MemberRun.h` of `CKernels`), which predicts each key from the one before. The
/// kernel stops at a wrong prediction and at a value that is long or has escapes; those are read here, one member at a
/// time. Where several members have one key, the last one counts, as in most readers of JSON (RFC 8259 §4). Members
/// with keys that are not in the table are skipped.
///
/// The whole object has been validated when ``nextUnread(in:)`` returns `nil`, before the caller looks at a value.
public struct MemberReader: Sendable {
    @usableFromInline var names: KeyNames
    /// By number of the key: the value of its last member, where ``run`` says that there is one.
    @usableFromInline var values: [till_member]
    @usableFromInline var run = till_run()
    /// Whether the key of the member read last is none of those asked for.
    @usableFromInline var isUnknown = false
    @usableFromInline var (unknownStart, unknownEnd) = (Int.max, 0)

    /// An object whose first members were read by ``match(_:at:)``. ``enter(_:match:)`` continues after them.
    public struct Match: Sendable {
        /// The start of the object.
        @usableFromInline let start: Int

        @inlinable
        init(start: Int) { self.start = start }
    }

    /// Keys whose values are left to the caller, a bit for each number.
    @usableFromInline let unread: UInt64

    /// - Parameters:
    ///   - keys: in the order in which they are expected, by which they are numbered; 64 at most, of 30 bytes at most.
    ///   - isUnread: whether the values with the key of a number are left to the caller, whatever they are.
    public init(_ keys: [String], leaving isUnread: (Int) -> Bool = { _ in false }) {
        precondition(keys.count <= UInt64.bitWidth)
        names = KeyNames(keys)
        values = Array(repeating: till_member(), count: keys.count)
        unread = keys.indices.reduce(0) { isUnread($1) ? $0 | 1 << UInt64($1) : $0 }
    }

    /// The number of the key of the member read last; `nil` where there is none or it is not among those asked for.
    public var latest: Int? { isUnknown || run.previous < 0 ? nil : Int(run.previous) }

    /// The value of the last member with a key; `nil` where there is none, or none that was not left to the caller.
    @inlinable
    public subscript(number: Int) -> JSONToken? {
        guard run.present >> UInt64(number) & 1 == 1 else { return nil }
        return JSONToken(values[number])
    }

    /// From the first to the last value that was skipped because its key is not in the table; `start` is above `end`
    /// where there is none.
    @inlinable
    public var unknownValues: (start: Int, end: Int) { (unknownStart, unknownEnd) }

    /// Whether there is a value with one of the keys whose bits are set, bit by number.
    @inlinable
    public func hasAny(of keys: UInt64) -> Bool { run.present & keys != 0 }

    /// Whether there is a value with the key of this number or a higher one.
    @inlinable
    public func hasAny(from number: Int) -> Bool { run.present >> UInt64(number) != 0 }

    /// Enters the object that the cursor stands on, and forgets the one before.
    ///
    /// - Parameter match: the result of ``match(_:at:)`` for the same object, if it was the last call.
    @inlinable
    @_lifetime(cursor: copy cursor)
    public mutating func enter(_ cursor: inout JSONCursor, match: Match? = nil) throws(Finding) {
        if let match {
            precondition(match.start == cursor.position)
            cursor.position = run.position
            if !run.is_over { cursor.depth += 1 }
            return
        }
        begin()
        try cursor.expect(0x7B)
    }

    /// Forgets the object before.
    @inlinable
    mutating func begin() {
        run = till_run(
            position: 0,
            previous: -1,
            present: 0,
            stops: unread,
            is_first: true,
            is_on_value: false,
            is_over: false
        )
        isUnknown = false
        (unknownStart, unknownEnd) = (.max, 0)
    }

    /// Reads the first members of the object at the cursor, which stays; gives a match where one of them has the key of
    /// this number and all of them have keys of the table.
    ///
    /// So a discriminator among the first members selects the reader of the object, and the members are not read twice.
    @inlinable
    public mutating func match(_ number: Int, at start: borrowing JSONCursor) -> Match? {
        let position = start.position
        guard start.isInText(position), start.uncheckedByte(position) == 0x7B, start.depth < JSONCursor.depthLimit
        else {
            return nil
        }
        begin()
        run.position = position &+ 1
        names.run(&run, over: start.bytes, limit: start.limit, into: &values)
        guard run.present >> UInt64(number) & 1 == 1 else { return nil }
        return Match(start: position)
    }

    /// Reads members up to one whose value is left to the caller, as objects and arrays are; gives the number of its
    /// key, and the cursor stands before its value. `nil` at the end of the object, which is consumed.
    @inlinable
    @_lifetime(cursor: copy cursor)
    public mutating func nextUnread(in cursor: inout JSONCursor) throws(Finding) -> Int? {
        if run.is_over { return nil }
        while true {
            let before = cursor.position
            run.position = before
            names.run(&run, over: cursor.bytes, limit: cursor.limit, into: &values)
            cursor.position = run.position
            if run.is_over {
                cursor.depth -= 1
                return nil
            }
            if cursor.position != before { isUnknown = false }
            if let number = try readMember(in: &cursor) { return number }
            if run.is_over { return nil }
        }
    }

    /// Reads the value or the member at which a run stopped. Returns its number if it is left to the caller too.
    @usableFromInline
    @_lifetime(cursor: copy cursor)
    mutating func readMember(in cursor: inout JSONCursor) throws(Finding) -> Int? {
        if !run.is_on_value {
            let number = try names.next(in: &cursor, after: Int(run.previous), isFirst: &run.is_first)
            if number == KeyNames.end {
                run.is_over = true
                return nil
            }
            if number == KeyNames.unknown {
                isUnknown = true
                unknownStart = min(unknownStart, cursor.position)
                try cursor.skipValue()
                unknownEnd = cursor.position
                return nil
            }
            isUnknown = false
            run.previous = Int64(number)
        }
        run.is_on_value = false
        let number = Int(run.previous)
        run.present &= ~(1 << UInt64(number))
        if unread >> UInt64(number) & 1 == 1 { return number }
        let token = try cursor.token()
        if token.isContainer { return number }
        values[number] = till_member(
            number: Int32(number),
            kind: token.kind.rawValue,
            has_escapes: token.hasEscapes ? 1 : 0,
            start: Int64(token.start),
            end: Int64(token.end)
        )
        run.present |= 1 << UInt64(number)
        return nil
    }
}
