public import TillCore

/// Reads an ASCII property list. Legacy receipts and `NSLog` write dictionaries in this notation of OpenStep.
///
///     plist   := ws value ws
///     value   := dict | array | string | data
///     dict    := '{' ( key ws '=' ws value ws ';' ws )* '}'        the last ';' may be missing
///     array   := '(' [ value ( ',' value )* [','] ] ')'
///     string  := '"' ( any except '"' and '\' | '\' escape )* '"' | bare
///     bare    := [A-Za-z0-9_./:$-]+
///     escape  := n t r b f v a " ' \ newline | octal, 1-3 digits | U hhhh
///     data    := '<' hex pairs with optional white space '>'
///     comment := '//' to end of line | '/*' … '*/'                 counts as white space
///
/// An octal escape above `\177` means a character of the NeXTSTEP encoding. No receipt has one, so it is an error.
/// Every read is bounds-checked. ``PropertyListLimits`` bounds depth, size, length and number of values.
public struct PropertyListParser: ~Escapable {
    private let bytes: RawSpan
    private var position = 0
    private var valueCount = 0
    /// Whether a defect ends the list without an error.
    private var keepsBeginning = false
    /// The first defect, where ``keepsBeginning``.
    private var defect: Finding?

    @_lifetime(copy bytes)
    private init(_ bytes: RawSpan) {
        self.bytes = bytes
    }

    /// Reads the one value that fills `bytes`.
    public static func parse(_ bytes: RawSpan) throws(Finding) -> PropertyListValue {
        guard bytes.byteCount <= PropertyListLimits.byteCount else {
            throw Finding(.plistTooLarge, at: PropertyListLimits.byteCount)
        }
        var parser = PropertyListParser(bytes)
        try parser.skipSpace()
        let value = try parser.value(depth: 0)
        try parser.skipSpace()
        guard parser.next == nil else { throw Finding(.plistTrailing, at: parser.position) }
        return value
    }

    /// Reads the entries and elements of a broken list before its defect. An entry that is cut is dropped, a list that
    /// is cut is kept.
    ///
    /// - Returns: `nil` where the list has no defect, or the defect is not inside a list.
    public static func parseBeginning(_ bytes: RawSpan) -> PropertyListValue? {
        guard bytes.byteCount <= PropertyListLimits.byteCount else { return nil }
        var parser = PropertyListParser(bytes)
        parser.keepsBeginning = true
        do {
            try parser.skipSpace()
            let value = try parser.value(depth: 0)
            return parser.defect == nil ? nil : value
        } catch {
            return nil
        }
    }

    /// Whether the list may end at `error`. Records the first error.
    @_lifetime(self: copy self)
    private mutating func setsAside(_ error: Finding) -> Bool {
        guard keepsBeginning else { return false }
        defect = defect ?? error
        return true
    }

    /// The byte at the position; `nil` at the end.
    private var next: UInt8? { byte(ahead: 0) }

    private func byte(ahead distance: Int) -> UInt8? {
        position + distance < bytes.byteCount ? bytes.byte(position + distance) : nil
    }

    /// The error at the position: `truncated` at the end, or else `syntax`.
    private var unexpected: Finding {
        Finding(next == nil ? .plistTruncated : .plistSyntax, at: position)
    }

    @_lifetime(self: copy self)
    private mutating func expect(_ byte: UInt8) throws(Finding) {
        guard next == byte else { throw unexpected }
        position += 1
    }

    /// Skips white space and comments.
    @_lifetime(self: copy self)
    private mutating func skipSpace() throws(Finding) {
        while let byte = next {
            switch byte {
            case 0x09...0x0D, 0x20: position += 1
            case 0x2F where self.byte(ahead: 1) == 0x2F:
                position = bytes.firstIndex(of: 0x0A, from: position, to: bytes.byteCount) ?? bytes.byteCount
            case 0x2F where self.byte(ahead: 1) == 0x2A:
                position += 2
                while next != 0x2A || self.byte(ahead: 1) != 0x2F {
                    guard next != nil else { throw unexpected }
                    position += 1
                }
                position += 2
            default: return
            }
        }
    }

    @_lifetime(self: copy self)
    private mutating func value(depth: Int) throws(Finding) -> PropertyListValue {
        let start = position
        valueCount += 1
        guard valueCount <= PropertyListLimits.valueCount else { throw Finding(.plistTooMany, at: start) }
        switch next {
        case 0x7B, 0x28:
            guard depth < PropertyListLimits.depth else { throw Finding(.plistDepth, at: start) }
            position += 1
            let content: PropertyListValue.Content =
                bytes.byte(start) == 0x7B ? .dictionary(try entries(depth: depth)) : .array(try elements(depth: depth))
            return PropertyListValue(content, at: start)
        case 0x3C: return PropertyListValue(.data(try data()), at: start)
        case 0x22: return PropertyListValue(.string(try string()), at: start + 1)
        default: return PropertyListValue(.string(try string()), at: start)
        }
    }

    @_lifetime(self: copy self)
    private mutating func entries(depth: Int) throws(Finding) -> [PropertyListValue.Entry] {
        var entries: [PropertyListValue.Entry] = []
        do {
            while true {
                try skipSpace()
                if next == 0x7D { break }
                let key = try string()
                try skipSpace()
                try expect(0x3D)
                try skipSpace()
                entries.append(PropertyListValue.Entry(key: key, value: try value(depth: depth + 1)))
                if defect != nil { return entries }
                try skipSpace()
                if next == 0x7D { break }
                try expect(0x3B)
            }
        } catch {
            guard setsAside(error) else { throw error }
            return entries
        }
        position += 1
        return entries
    }

    @_lifetime(self: copy self)
    private mutating func elements(depth: Int) throws(Finding) -> [PropertyListValue] {
        var elements: [PropertyListValue] = []
        do {
            while true {
                try skipSpace()
                if next == 0x29 { break }
                elements.append(try value(depth: depth + 1))
                if defect != nil { return elements }
                try skipSpace()
                if next == 0x29 { break }
                try expect(0x2C)
            }
        } catch {
            guard setsAside(error) else { throw error }
            return elements
        }
        position += 1
        return elements
    }

    /// Reads a quoted or a bare string.
    @_lifetime(self: copy self)
    private mutating func string() throws(Finding) -> String {
        let start = position
        guard next == 0x22 else {
            while let byte = next, Framer.isBare(byte) { position += 1 }
            guard position > start else { throw unexpected }
            return try bytes.propertyListText(start..<position)
        }
        position += 1
        if let quote = bytes.firstIndex(of: 0x22, from: position, to: bytes.byteCount),
            bytes.firstIndex(of: 0x5C, from: position, to: quote) == nil
        {
            position = quote + 1
            return try bytes.propertyListText(start + 1..<quote)
        }
        while let byte = next, byte != 0x22 { position += byte == 0x5C ? 2 : 1 }
        // If the last byte is a backslash, the position is one past the end.
        position = min(position, bytes.byteCount)
        try expect(0x22)
        _ = try bytes.propertyListText(start + 1..<position - 1)
        return try unescape(start + 1..<position - 1)
    }

    /// Reads data in hexadecimal. White space may stand between bytes but not between the digits of one byte.
    @_lifetime(self: copy self)
    private mutating func data() throws(Finding) -> [UInt8] {
        let start = position
        var octets: [UInt8] = []
        position += 1
        while true {
            try skipSpace()
            if next == 0x3E { break }
            guard let high = next?.hexadecimalDigit else { throw unexpected }
            position += 1
            guard let low = next?.hexadecimalDigit else {
                throw next == nil ? unexpected : Finding(.plistData, at: position)
            }
            position += 1
            octets.append(UInt8(high << 4 | low))
            guard octets.count <= PropertyListLimits.textLength else { throw Finding(.plistTooLong, at: start) }
        }
        position += 1
        return octets
    }
}

// MARK: - Escapes

extension PropertyListParser {
    /// The text of the string in `range` with its escapes replaced. The range must be UTF-8, and a byte must follow
    /// every backslash.
    private func unescape(_ range: Range<Int>) throws(Finding) -> String {
        var text: [UInt8] = []
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes.byte(index)
            guard byte == 0x5C else {
                text.append(byte)
                index += 1
                continue
            }
            text.append(contentsOf: String(try scalar(at: &index, below: range.upperBound)).utf8)
        }
        return String(input: text)
    }

    /// Reads the escape whose backslash stands at `index`, and moves `index` behind it.
    private func scalar(at index: inout Int, below end: Int) throws(Finding) -> Character {
        let start = index
        let kind = bytes.byte(index + 1)
        index += 2
        switch kind {
        case 0x6E: return "\n"
        case 0x74: return "\t"
        case 0x72: return "\r"
        case 0x62: return "\u{8}"
        case 0x66: return "\u{C}"
        case 0x76: return "\u{B}"
        case 0x61: return "\u{7}"
        case 0x22, 0x27, 0x5C, 0x0A: return Character(Unicode.Scalar(kind))
        case 0x30...0x37:
            var value = UInt32(kind - 0x30)
            while index < min(start + 4, end), (0x30...0x37).contains(bytes.byte(index)) {
                value = value << 3 | UInt32(bytes.byte(index) - 0x30)
                index += 1
            }
            guard value < 0x80, let scalar = Unicode.Scalar(value) else { break }
            return Character(scalar)
        case 0x55:
            guard let unit = codeUnit(at: &index, below: end) else { break }
            if let scalar = Unicode.Scalar(unit) { return Character(scalar) }
            // A high surrogate: an escape with the low one must follow.
            guard unit < 0xDC00, index + 1 < end, bytes.byte(index) == 0x5C, bytes.byte(index + 1) == 0x55 else {
                break
            }
            index += 2
            guard let low = codeUnit(at: &index, below: end), (0xDC00...0xDFFF).contains(low),
                let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            else { break }
            return Character(scalar)
        default: break
        }
        throw Finding(.plistEscape, at: start)
    }

    private func codeUnit(at index: inout Int, below end: Int) -> UInt32? {
        guard index + 4 <= end else { return nil }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = bytes.byte(index).hexadecimalDigit else { return nil }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }
}

extension UInt8 {
    fileprivate var hexadecimalDigit: Int? {
        switch self {
        case 0x30...0x39: Int(self) - 0x30
        case 0x41...0x46: Int(self) - 0x37
        case 0x61...0x66: Int(self) - 0x57
        default: nil
        }
    }
}
