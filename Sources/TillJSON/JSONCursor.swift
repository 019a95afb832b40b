public import TillCore

/// Reads JSON (RFC 8259) by position, validating as it goes.
///
///     … , " p r o d u c t _ i d " : " c o i n s " , …  0 0 0 0 0 0 0 0
///         ^position                                   ^limit  ^padding
///
/// The buffer carries ``padding`` zero bytes past `limit`. A zero byte is legal nowhere in JSON, so every loop below
/// stops at it by itself, and from a byte of the text on, up to ``padding`` bytes can be loaded without asking how many
/// are left (``isInText(_:)``). Other loads are checked by the span.
///
/// The cursor never allocates. A value is a ``JSONToken``; the caller decides whether to convert it.
@frozen
public struct JSONCursor: ~Escapable {
    /// Zero bytes that must follow the last byte of the text.
    public static let padding = 32
    /// The most objects and arrays that may lie inside one another.
    public static let depthLimit = 128

    /// The text up to ``limit``, and the zero bytes behind it.
    public let bytes: RawSpan
    /// One past the last byte of the text; at most `bytes.byteCount - padding`.
    public let limit: Int
    /// The index of the next byte.
    public var position: Int
    /// Whether a line feed was skipped between tokens: the text spans lines.
    public var sawNewline = false
    /// Objects and arrays that were entered and not left: through ``expect(_:)`` of their opening bracket, and at the
    /// end that ``nextElement(isFirst:)`` or ``nextMember(isFirst:)`` found.
    @usableFromInline var depth = 0

    /// Makes a cursor over the first `limit` bytes; `bytes` must hold ``padding`` zero bytes behind them.
    @inlinable
    @_lifetime(copy bytes)
    public init(_ bytes: RawSpan, at position: Int = 0, limit: Int) {
        precondition(limit >= 0 && limit <= bytes.byteCount - Self.padding)
        self.bytes = bytes
        self.limit = limit
        self.position = position
    }

    /// The same bytes, for functions that read values and do not move the cursor.
    @inlinable
    public var values: JSONBytes {
        @_lifetime(copy self)
        get { JSONBytes(bytes) }
    }

    /// Moves to the position of another cursor over the same text, which began no later.
    @_lifetime(self: copy self)
    public mutating func goOn(behind other: borrowing JSONCursor) {
        position = other.position
        sawNewline = sawNewline || other.sawNewline
    }

    /// Returns the byte at an index of ``bytes``, which is 0 just behind the text.
    @inlinable
    public func byte(_ index: Int) -> UInt8 { values.byte(index) }

    /// Whether `index` is in the text, so that ``padding`` bytes behind it can be loaded without asking again: `limit`
    /// never changes, and the initializer has asked.
    @inlinable
    @inline(__always)
    func isInText(_ index: Int) -> Bool {
        UInt(bitPattern: index) < UInt(bitPattern: limit)
    }

    /// A byte at most ``padding`` behind one that ``isInText(_:)``.
    @inlinable
    @inline(__always)
    func uncheckedByte(_ index: Int) -> UInt8 {
        bytes.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)
    }

    /// Eight bytes, the first one lowest.
    @inlinable
    public func word(_ index: Int) -> UInt64 { values.word(index) }

    /// The text of a token without its escapes undone.
    @inlinable
    @_lifetime(copy self)
    public func raw(_ token: JSONToken) -> RawSpan { values.raw(token) }

    /// Appends the text of a string token, its escapes undone, to `text`.
    public func appendText(of token: JSONToken, to text: inout [UInt8]) { values.appendText(of: token, to: &text) }

    /// The error for an unexpected byte at `index`: truncation if the text ends there.
    @inlinable
    public func unexpected(at index: Int) -> Finding {
        Finding(index >= limit ? .jsonTruncated : .jsonSyntax, at: min(index, limit))
    }

    /// Skips white space (RFC 8259 §2).
    @inlinable
    @_lifetime(self: copy self)
    public mutating func skipWhitespace() {
        if byte(position) > 0x20 { return }
        skipWhitespaceRun()
    }

    @usableFromInline
    @_lifetime(self: copy self)
    mutating func skipWhitespaceRun() {
        while true {
            switch byte(position) {
            case 0x0A:
                sawNewline = true
                position += 1
            case 0x20, 0x09, 0x0D: position += 1
            default: return
            }
        }
    }

    /// Consumes `expected`, after white space; a bracket is entered, if ``depthLimit`` allows one more.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func expect(_ expected: UInt8) throws(Finding) {
        skipWhitespace()
        guard byte(position) == expected else { throw unexpected(at: position) }
        if expected == 0x7B || expected == 0x5B { try enter() }
        position += 1
    }

    @inlinable
    @_lifetime(self: copy self)
    mutating func enter() throws(Finding) {
        guard depth < Self.depthLimit else { throw Finding(.jsonDepth, at: position) }
        depth += 1
    }

    /// Moves to the next element of an array; `false` at its end, which is consumed.
    ///
    /// Call it once after ``expect(_:)`` of the `[` with `isFirst` true, then after each element.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func nextElement(isFirst: inout Bool) throws(Finding) -> Bool {
        skipWhitespace()
        if byte(position) == 0x5D, isFirst || byte(position) != 0x2C {
            position += 1
            depth -= 1
            return false
        }
        if !isFirst {
            guard byte(position) == 0x2C else { throw unexpected(at: position) }
            position += 1
            skipWhitespace()
        }
        isFirst = false
        return true
    }

    /// Moves to the next key of an object and past its opening quote; `false` at the end of the object, consumed.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func nextMember(isFirst: inout Bool) throws(Finding) -> Bool {
        if !isFirst,
            UInt16(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt16.self)) == 0x222C
        {
            position += 2
            return true
        }
        skipWhitespace()
        if byte(position) == 0x7D {
            position += 1
            depth -= 1
            return false
        }
        if !isFirst {
            guard byte(position) == 0x2C else { throw unexpected(at: position) }
            position += 1
            skipWhitespace()
        }
        isFirst = false
        guard byte(position) == 0x22 else { throw unexpected(at: position) }
        position += 1
        return true
    }

    /// Moves to the value of the next member of an object and gives its key; `nil` at the end of the object, consumed.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func nextKey(isFirst: inout Bool) throws(Finding) -> JSONToken? {
        guard try nextMember(isFirst: &isFirst) else { return nil }
        let key = try string()
        try expect(0x3A)
        return key
    }

    /// The key and the value of the next member that is neither object nor list; these are skipped. `nil` at the end of
    /// the object, consumed.
    @_lifetime(self: copy self)
    public mutating func nextScalar(isFirst: inout Bool) throws(Finding) -> (key: JSONToken, value: JSONToken)? {
        while let key = try nextKey(isFirst: &isFirst) {
            let value = try token()
            if !value.isContainer { return (key, value) }
            try skipContainer()
        }
        return nil
    }
}
