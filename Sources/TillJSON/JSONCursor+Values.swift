import CKernels
public import TillCore

extension JSONCursor {
    /// Reads the value at the cursor, after white space. Scalars are consumed and validated; for an object or array the
    /// token has only the kind, and the cursor stays on its bracket.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func token() throws(Finding) -> JSONToken {
        let start = position
        // A string of fewer than 32 plain bytes, which most values are.
        if isInText(start), uncheckedByte(start) == 0x22 {
            let count = uncheckedPlainPrefix(at: start &+ 1)
            let end = start &+ 1 &+ count
            if count < 32, uncheckedByte(end) == 0x22 {
                position = end &+ 1
                return JSONToken(.string, start: start &+ 1, end: end)
            }
        }
        return try otherToken()
    }

    @usableFromInline
    @_lifetime(self: copy self)
    mutating func otherToken() throws(Finding) -> JSONToken {
        skipWhitespace()
        let start = position
        switch byte(start) {
        case 0x22:
            position = start + 1
            return try string()
        case 0x7B: return JSONToken(.object, start: start, end: start)
        case 0x5B: return JSONToken(.array, start: start, end: start)
        case 0x74: return try literal(.true, "true")
        case 0x66: return try literal(.false, "false")
        case 0x6E:
            if let token = shortScalar(.null) { return token }
            return try literal(.null, "null")
        case 0x31...0x39:
            if let token = shortScalar(.number) { return token }
            return try number()
        case 0x2D, 0x30: return try number()
        default: throw unexpected(at: start)
        }
    }

    /// Reads a value that needs no closer look (`ShortScalar.h` of ``CKernels``), and is of that kind if it is one.
    @_lifetime(self: copy self)
    private mutating func shortScalar(_ kind: JSONToken.Kind) -> JSONToken? {
        let start = position
        precondition(start >= 0 && start <= bytes.byteCount - Self.padding)
        let count = bytes.withUnsafeBytes { memory in
            memory.baseAddress.map { Int(till_short_scalar($0 + start)) } ?? 0
        }
        guard count > 0 else { return nil }
        position = start + count
        return JSONToken(kind, start: start, end: position)
    }

    @_lifetime(self: copy self)
    private mutating func literal(_ kind: JSONToken.Kind, _ word: StaticString) throws(Finding) -> JSONToken {
        let start = position
        for index in 0..<word.utf8CodeUnitCount where byte(start + index) != word.utf8Start[index] {
            throw unexpected(at: start + index)
        }
        position = start + word.utf8CodeUnitCount
        return JSONToken(kind, start: start, end: position)
    }

    /// Reads a number (RFC 8259 §6).
    ///
    ///     number := [ "-" ] ( "0" | 1-9 digits ) [ "." digits ] [ ( "e" | "E" ) [ "+" | "-" ] digits ]
    @_lifetime(self: copy self)
    private mutating func number() throws(Finding) -> JSONToken {
        let start = position
        var index = start
        if byte(index) == 0x2D { index += 1 }
        index = byte(index) == 0x30 ? index + 1 : try digitsEnd(from: index)
        if byte(index) == 0x2E { index = try digitsEnd(from: index + 1) }
        if byte(index) | 0x20 == 0x65 {
            index += 1
            if byte(index) == 0x2B || byte(index) == 0x2D { index += 1 }
            index = try digitsEnd(from: index)
        }
        switch byte(index) {
        case 0x20, 0x09, 0x0A, 0x0D, 0x2C, 0x5D, 0x7D: break
        default: guard index >= limit else { throw Finding(.jsonNumber, at: index) }
        }
        position = index
        return JSONToken(.number, start: start, end: index)
    }

    /// One past the digits from `first` on, of which there must be one; eight are looked at together.
    private func digitsEnd(from first: Int) throws(Finding) -> Int {
        var end = first
        while true {
            let others = till_other_than_digits(word(end))
            end += others.trailingZeroBitCount >> 3
            if others != 0 { break }
        }
        guard end > first else { throw Finding(end >= limit ? .jsonTruncated : .jsonNumber, at: end) }
        return end
    }

    /// Skips a whole value, and validates it.
    ///
    /// The open objects and arrays are one bit per level, 1 for an object, so the depth is limited by the width of the
    /// word.
    @_lifetime(self: copy self)
    public mutating func skipValue() throws(Finding) {
        let token = try token()
        if token.isContainer { try skipContainer() }
    }

    /// Skips the object or array that the cursor stands on.
    @_lifetime(self: copy self)
    public mutating func skipContainer() throws(Finding) {
        var isObject: UInt128 = 0
        let outside = depth
        var isFirst = true
        repeat {
            if isFirst {
                try enter()
                isObject = isObject << 1 | (byte(position) == 0x7B ? 1 : 0)
                position += 1
            }
            let inObject = isObject & 1 == 1
            guard inObject ? try nextMember(isFirst: &isFirst) : try nextElement(isFirst: &isFirst) else {
                isObject >>= 1
                isFirst = false
                continue
            }
            if inObject {
                _ = try string()
                try expect(0x3A)
            }
            isFirst = try token().isContainer
        } while depth > outside
    }
}
