public import CKernels
public import TillCore

extension JSONCursor {
    /// The bytes from `index` on that need no closer look in a string, up to 32 of them (``CKernels``).
    ///
    /// `index` must be in the text or its end (``isInText(_:)``), so that 32 bytes are there.
    @inlinable
    @inline(__always)
    func uncheckedPlainPrefix(at index: Int) -> Int {
        bytes.withUnsafeBytes { memory in
            memory.baseAddress.map { Int(till_plain_prefix32($0 + index)) } ?? 0
        }
    }

    /// The same, as many as there are; the zeros behind the text end them.
    private func plainRun(at index: Int) -> Int {
        precondition(index >= 0 && index <= bytes.byteCount - Self.padding)
        return bytes.withUnsafeBytes { memory in
            memory.baseAddress.map { till_plain_run($0 + index, memory.count - index) } ?? 0
        }
    }

    /// Reads the rest of a string whose opening quote was consumed, and consumes the closing one.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func string() throws(Finding) -> JSONToken {
        let start = position
        guard isInText(start) else { return try longString(start: start, scanned: start) }
        let end = start &+ uncheckedPlainPrefix(at: start)
        guard byte(end) == 0x22 else { return try longString(start: start, scanned: end) }
        position = end &+ 1
        return JSONToken(.string, start: start, end: end)
    }

    /// The way through a string that is long or not plain ASCII: escapes are checked, UTF-8 is validated.
    @usableFromInline
    @_lifetime(self: copy self)
    mutating func longString(start: Int, scanned: Int) throws(Finding) -> JSONToken {
        var index = scanned
        var hasEscapes = false
        while true {
            let next = byte(index)
            if next == 0x22 {
                position = index + 1
                return JSONToken(.string, start: start, end: index, hasEscapes: hasEscapes)
            } else if next == 0x5C {
                hasEscapes = true
                // Most are those of quotes, close to one another, in JSON that is written as a string.
                if byte(index + 1) == 0x22 {
                    index += 2
                    if isInText(index) { index += uncheckedPlainPrefix(at: index) }
                } else {
                    index = try endOfEscape(at: index)
                }
            } else if next >= 0x80 {
                index = try endOfScalar(at: index)
            } else if next < 0x20 {
                if index >= limit { throw Finding(.jsonTruncated, at: limit) }
                throw Finding(.jsonControlCharacter, at: index)
            } else {
                index += plainRun(at: index)
            }
        }
    }

    /// The index after the escape at `index` (RFC 8259 §7). The grammar allows half a surrogate pair, as programs write
    /// it that cut texts at UTF-16 units; ``JSONBytes/appendText(of:to:)`` makes it U+FFFD.
    private func endOfEscape(at index: Int) throws(Finding) -> Int {
        switch byte(index + 1) {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74: return index + 2
        case 0x75:
            try checkCodeUnit(at: index)
            return index + 6
        default: throw Finding(index + 1 >= limit ? .jsonTruncated : .jsonEscape, at: index)
        }
    }

    /// Checks the four hexadecimal digits of the `\u` escape at `index`.
    private func checkCodeUnit(at index: Int) throws(Finding) {
        for distance in 2..<6 where JSONBytes.hexDigit(byte(index + distance)) == nil {
            throw Finding(index + distance >= limit ? .jsonTruncated : .jsonEscape, at: index)
        }
    }

    /// The index after the multi-byte sequence at `index` (Unicode 15, table 3-7, well-formed byte sequences).
    private func endOfScalar(at index: Int) throws(Finding) -> Int {
        let lead = byte(index)
        let second: ClosedRange<UInt8>
        let count: Int
        switch lead {
        case 0xC2...0xDF: (second, count) = (0x80...0xBF, 2)
        case 0xE0: (second, count) = (0xA0...0xBF, 3)
        case 0xE1...0xEC, 0xEE, 0xEF: (second, count) = (0x80...0xBF, 3)
        case 0xED: (second, count) = (0x80...0x9F, 3)
        case 0xF0: (second, count) = (0x90...0xBF, 4)
        case 0xF1...0xF3: (second, count) = (0x80...0xBF, 4)
        case 0xF4: (second, count) = (0x80...0x8F, 4)
        default: throw Finding(.jsonUTF8, at: index)
        }
        for distance in 1..<count {
            let range = distance == 1 ? second : 0x80...0xBF
            guard range.contains(byte(index + distance)) else {
                throw Finding(index + distance >= limit ? .jsonTruncated : .jsonUTF8, at: index)
            }
        }
        return index + count
    }
}
