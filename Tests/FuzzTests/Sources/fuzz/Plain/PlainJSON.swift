/// JSON (RFC 8259) by recursive descent, a character at a time.
struct PlainJSON {
    private let text: [UInt8]
    private var index = 0
    private let depthLimit: Int

    private init(_ text: [UInt8], depthLimit: Int) {
        self.text = text
        self.depthLimit = depthLimit
    }

    /// Whether one value with white space around it is all of the text.
    static func isValid(_ text: [UInt8], depthLimit: Int = .max) -> Bool {
        var reader = PlainJSON(text, depthLimit: depthLimit)
        guard reader.value(0) else { return false }
        reader.space()
        return reader.index == text.count
    }

    /// What is between the quotes of a string, its escapes undone; `nil` where it is not the inside of a string.
    static func text(ofString inside: [UInt8]) -> [UInt8]? {
        var reader = PlainJSON(inside + [0x22], depthLimit: 0)
        guard let text = reader.string(), reader.index == inside.count + 1 else { return nil }
        return text
    }

    /// A string of text, with what must be escaped escaped, and scalars that `escaping` chooses as `\u`.
    static func string(_ text: [UInt8], escaping: (UInt32) -> Bool = { _ in false }) -> [UInt8] {
        var result: [UInt8] = [0x22]
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || escaping(scalar.value) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result += Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
                }
            } else {
                result += Array(String(scalar).utf8)
            }
        }
        return result + [0x22]
    }

    private var next: UInt8? { index < text.count ? text[index] : nil }

    private mutating func space() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func value(_ depth: Int) -> Bool {
        space()
        switch next {
        case 0x7B: return container(depth, close: 0x7D, hasKeys: true)
        case 0x5B: return container(depth, close: 0x5D, hasKeys: false)
        case 0x22:
            index += 1
            return string() != nil
        case 0x74: return word("true")
        case 0x66: return word("false")
        case 0x6E: return word("null")
        default: return number()
        }
    }

    private mutating func container(_ depth: Int, close: UInt8, hasKeys: Bool) -> Bool {
        guard depth < depthLimit else { return false }
        index += 1
        space()
        if take(close) { return true }
        repeat {
            if hasKeys {
                space()
                guard take(0x22), string() != nil else { return false }
                space()
                guard take(0x3A) else { return false }
            }
            guard value(depth + 1) else { return false }
            space()
        } while take(0x2C)
        return take(close)
    }

    private mutating func word(_ word: StaticString) -> Bool {
        for byte in word.description.utf8 {
            guard take(byte) else { return false }
        }
        return true
    }

    private mutating func digits() -> Bool {
        let start = index
        while let byte = next, byte >= 0x30, byte <= 0x39 { index += 1 }
        return index > start
    }

    private mutating func number() -> Bool {
        _ = take(0x2D)
        let isZero = next == 0x30
        let start = index
        guard digits(), !isZero || index == start + 1 else { return false }
        if take(0x2E), !digits() { return false }
        if next == 0x65 || next == 0x45 {
            index += 1
            if !take(0x2B) { _ = take(0x2D) }
            return digits()
        }
        return true
    }

    /// The text of the string whose opening quote was taken; `nil` where it is broken.
    private mutating func string() -> [UInt8]? {
        var units: [UInt8] = []
        while let byte = next {
            index += 1
            switch byte {
            case 0x22: return String(validating: units, as: UTF8.self) == nil ? nil : units
            case 0..<0x20: return nil
            case 0x5C:
                guard let escape = next else { return nil }
                index += 1
                switch escape {
                case 0x22, 0x5C, 0x2F: units.append(escape)
                case 0x62: units.append(0x08)
                case 0x66: units.append(0x0C)
                case 0x6E: units.append(0x0A)
                case 0x72: units.append(0x0D)
                case 0x74: units.append(0x09)
                case 0x75:
                    guard let unit = unit(), let text = text(ofUnit: unit) else { return nil }
                    units += Array(text.utf8)
                default: return nil
                }
            default: units.append(byte)
            }
        }
        return nil
    }

    /// A unit of UTF-16 by its four digits.
    private mutating func unit() -> UInt16? {
        guard index + 4 <= text.count else { return nil }
        var value = UInt16(0)
        for byte in text[index..<index + 4] {
            switch byte {
            case 0x30...0x39: value = value << 4 | UInt16(byte - 0x30)
            case 0x41...0x46: value = value << 4 | UInt16(byte - 0x37)
            case 0x61...0x66: value = value << 4 | UInt16(byte - 0x57)
            default: return nil
            }
        }
        index += 4
        return value
    }

    /// Half a pair without the other half is U+FFFD.
    private mutating func text(ofUnit unit: UInt16) -> String? {
        guard UTF16.isLeadSurrogate(unit) else {
            return String(decoding: [unit], as: UTF16.self)
        }
        let start = index
        if take(0x5C), take(0x75), let low = self.unit(), UTF16.isTrailSurrogate(low) {
            return String(decoding: [unit, low], as: UTF16.self)
        }
        index = start
        return "\u{FFFD}"
    }
}
