import TillInput

/// Reads an object as programming languages print it, and writes it as JSON.
///
///     {'status': 21007, 'is_retryable': False, 'exception': None}        Python
///     {"status"=>21007, :environment=>"Sandbox", "exception"=>nil}       Ruby
///     { status: 21007, environment: 'Sandbox', exception: undefined }    Node
///     {status=21007, environment=Sandbox, exception=null}                Java, Kotlin
///     ["status": Optional(21007), "environment": "Sandbox"]              Swift
///     { environment = Sandbox; status = 21007; }                         Foundation
///     Response(status=21007, receipt=Receipt(in_app=[]))                 instances of Java, Kotlin, Python, Swift
///     #<Response status=21007, receipt=#<Receipt in_app=[]>>             instances of Ruby
///
/// It reads less than the languages have: a value that is cut (`[Object]`, `…`) or computed makes the whole object
/// unreadable, since a part of a document must not count as the document.
struct ProgramLiteral: ~Escapable {
    let text: RawSpan
    var position: Int
    private var depth = 0
    /// Values in angle brackets that are open.
    var angles = 0
    private var output: [UInt8] = []

    /// Objects and arrays inside one another.
    private static let depthLimit = 32

    /// The object at `start` as JSON, and where it ends; `nil` if there is none, or it begins as JSON does, which is
    /// broken then.
    static func json(_ text: RawSpan, at start: Int) -> (json: [UInt8], end: Int)? {
        guard !beginsAsJSON(text, at: start) else { return nil }
        var reader = ProgramLiteral(text, at: start)
        guard reader.readRoot(), reader.output.first == 0x7B, reader.output.count > 2 else { return nil }
        return (reader.output, reader.position)
    }

    /// The readable beginning of the object at `start`, as JSON; `nil` if the object begins as JSON itself.
    static func beginning(_ text: RawSpan, at start: Int) -> [UInt8]? {
        guard !beginsAsJSON(text, at: start) else { return nil }
        var reader = ProgramLiteral(text, at: start)
        _ = reader.readRoot()
        return reader.output
    }

    @_lifetime(copy text)
    private init(_ text: RawSpan, at start: Int) {
        self.text = text
        position = start
    }

    /// Whether a brace, a key in quotes and a colon begin at an index.
    static func beginsAsJSON(_ text: RawSpan, at start: Int) -> Bool {
        guard start < text.byteCount, text.byte(start) == 0x7B else { return false }
        guard let quote = (start + 1..<text.byteCount).first(where: { text.byte($0) > 0x20 }), text.byte(quote) == 0x22,
            let end = text.firstIndex(of: 0x22, from: quote + 1, to: text.byteCount)
        else { return false }
        return (end + 1..<text.byteCount).first { text.byte($0) > 0x20 }.map { text.byte($0) == 0x3A } ?? true
    }

    var current: UInt8 { position < text.byteCount ? text.byte(position) : 0 }

    @_lifetime(self: copy self)
    mutating func skipSpace() {
        while position < text.byteCount, text.byte(position) <= 0x20 { position += 1 }
    }

    @_lifetime(self: copy self)
    mutating func take(_ byte: UInt8) -> Bool {
        guard position < text.byteCount, text.byte(position) == byte else { return false }
        position += 1
        return true
    }

    // MARK: Containers

    /// Reads the object or instance that the text is.
    @_lifetime(self: copy self)
    private mutating func readRoot() -> Bool {
        if current == 0x23 { return readAngledInstance() }
        return readContainer(isInstance: current != 0x7B && Self.beginsMember(text, at: position + 1))
    }

    /// Reads an object or array, each of which may be in either kind of brackets.
    @_lifetime(self: copy self)
    mutating func readContainer(isInstance: Bool = false) -> Bool {
        let closing: UInt8
        switch current {
        case 0x7B: closing = 0x7D
        case 0x5B: closing = 0x5D
        case 0x28: closing = 0x29
        default: return false
        }
        position += 1
        return readElements(to: closing, isObject: closing == 0x7D || isInstance)
    }

    /// Reads members or elements, and the byte that closes them.
    @_lifetime(self: copy self)
    mutating func readElements(to closing: UInt8, isObject: Bool) -> Bool {
        guard depth < Self.depthLimit else { return false }
        depth += 1
        defer { depth -= 1 }
        let start = output.count
        var (isObject, isEmpty) = (isObject, true)
        output.append(isObject ? 0x7B : 0x5B)
        skipSpace()
        // An empty dictionary of Swift.
        if closing == 0x5D, take(0x3A) { (isObject, output[start]) = (true, 0x7B) }
        while true {
            skipSpace()
            if take(closing) { break }
            if !isEmpty { output.append(0x2C) }
            guard readElement(isFirst: isEmpty, at: start, &isObject) else { return false }
            isEmpty = false
            skipSpace()
            if take(0x2C) || take(0x3B) { continue }
            guard take(closing) else { return false }
            break
        }
        output.append(isObject ? 0x7D : 0x5D)
        return true
    }

    /// Reads a member or an element. Whether the brackets are an object is known after the first value.
    @_lifetime(self: copy self)
    private mutating func readElement(isFirst: Bool, at start: Int, _ isObject: inout Bool) -> Bool {
        let key = output.count
        if isObject {
            guard readKey() else { return false }
        } else {
            guard readValue() else { return false }
            skipSpace()
            guard isFirst, current == 0x3A, key < output.count, output[key] == 0x22 else { return true }
            (isObject, output[start]) = (true, 0x7B)
        }
        skipSpace()
        guard takeSeparator() else { return false }
        output.append(0x3A)
        skipSpace()
        return readValue()
    }

    /// `:`, `=` or `=>`.
    @_lifetime(self: copy self)
    private mutating func takeSeparator() -> Bool {
        if take(0x3A) { return true }
        guard take(0x3D) else { return false }
        _ = take(0x3E)
        return true
    }

    @_lifetime(self: copy self)
    private mutating func readKey() -> Bool {
        // A symbol or a variable of Ruby.
        _ = take(0x3A) || !isPrefixedString && take(0x40)
        if isPrefixedString { position += 1 }
        if current == 0x22 || current == 0x27 { return readString() }
        let start = position
        while position < text.byteCount, Self.isPartOfKey(text.byte(position)) { position += 1 }
        guard position > start else { return readCall() }
        if current == 0x28 {
            position = start
            return readCall()
        }
        append(quoted: start..<position)
        return true
    }

    static func isPartOfKey(_ byte: UInt8) -> Bool {
        byte < 0x80 && byte.isLetterOrDigit || byte == 0x5F || byte == 0x2D || byte == 0x24 || byte == 0x40
            || byte == 0x2E
    }

    // MARK: Values

    @_lifetime(self: copy self)
    mutating func readValue() -> Bool {
        switch current {
        case 0x22, 0x27: return readString()
        case 0x7B, 0x5B, 0x28: return readContainer()
        case 0x3A:
            position += 1
            return readValue()
        default: break
        }
        if isPrefixedString {
            position += 1
            return readString()
        }
        skipClassOfArray()
        // A map or structure of Elixir.
        _ = take(0x25)
        if current == 0x7B || current == 0x28 { return readContainer() }
        if current == 0x23 { return readAngledInstance() }
        let start = position
        while position < text.byteCount, !endsWord(text.byte(position)) { position += 1 }
        if isInstance(named: start..<position) { return readContainer(isInstance: true) }
        if let value = valueOfCase(in: start..<position) { return readCase(at: value) }
        if current == 0x28 {
            position = start
            return readCall()
        }
        var end = position
        while end > start, text.byte(end - 1) <= 0x20 { end -= 1 }
        return readWord(start..<end)
    }

    /// Whether `b'…'`, `u"…"` or `r'…'` of Python stands here, or `@"…"` of Objective-C.
    private var isPrefixedString: Bool {
        position + 1 < text.byteCount && [0x62, 0x75, 0x72, 0x40].contains(current)
            && (text.byte(position + 1) == 0x27 || text.byte(position + 1) == 0x22)
    }

    /// Skips `<__NSArrayM 0x600002d4c0f0>` before the elements of an array of Foundation.
    @_lifetime(self: copy self)
    private mutating func skipClassOfArray() {
        guard text.stands(Self.foundationArray, at: position),
            let end = text.firstIndex(of: 0x3E, from: position, to: min(text.byteCount, position + 64)),
            end + 1 < text.byteCount, text.byte(end + 1) == 0x28
        else { return }
        position = end + 1
    }

    private static let foundationArray = Array("<__NS".utf8)

    private func endsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x2C, 0x3B, 0x7B, 0x7D, 0x5B, 0x5D, 0x28, 0x29, 0x22, 0x27, 0x0A: true
        case 0x3E: angles > 0
        default: false
        }
    }

    /// `Optional(7)`, `AnyHashable("status")`, `NumberLong(7)`, `Environment(rawValue: "Sandbox")`: the value inside.
    @_lifetime(self: copy self)
    private mutating func readCall() -> Bool {
        while position < text.byteCount, Self.isPartOfKey(text.byte(position)) { position += 1 }
        guard take(0x28) else { return false }
        if text.stands(Self.rawValue, at: position) { position += Self.rawValue.count }
        guard depth < Self.depthLimit else { return false }
        depth += 1
        defer { depth -= 1 }
        skipSpace()
        guard readValue() else { return false }
        skipSpace()
        return take(0x29)
    }

    private static let constants: [([UInt8], [UInt8])] = [
        ("true", "true"), ("True", "true"), ("YES", "true"), ("false", "false"), ("False", "false"), ("NO", "false"),
        ("null", "null"), ("None", "null"), ("nil", "null"), ("undefined", "null"), ("<null>", "null"),
    ].map { (Array($0.0.utf8), Array($0.1.utf8)) }

    /// The texts that languages print for an omitted value: the whole word, or its beginning.
    private static let cuts = ["Object", "Array"].map { Array($0.utf8) }
    private static let beginningsOfCuts = ["...", "…", "Circular"].map { Array($0.utf8) }

    /// Reads a word or a number without quotes.
    @_lifetime(self: copy self)
    private mutating func readWord(_ word: Range<Int>) -> Bool {
        guard !word.isEmpty else { return false }
        if let (_, json) = Self.constants.first(where: {
            $0.0.count == word.count && text.stands($0.0, at: word.lowerBound)
        }) {
            output += json
            return true
        }
        let isCut =
            Self.cuts.contains { $0.count == word.count && text.stands($0, at: word.lowerBound) }
            || Self.beginningsOfCuts.contains { text.stands($0, at: word.lowerBound) }
        if isCut { return false }
        var end = word.upperBound
        // A long integer of Python 2 or Java.
        if end - 1 > word.lowerBound, text.byte(end - 1) == 0x4C { end -= 1 }
        var digits = word.lowerBound
        if text.byte(digits) == 0x2D { digits += 1 }
        let isNumber =
            digits < end && (text.byte(digits) != 0x30 || end == digits + 1)
            && (digits..<end).allSatisfy { text.byte($0).isDigit }
        if isNumber {
            text.extracting(word.lowerBound..<end).withUnsafeBytes { output += $0 }
        } else {
            append(quoted: word)
        }
        return true
    }

    // MARK: Strings

    /// Reads a string in either kind of quotes.
    @_lifetime(self: copy self)
    private mutating func readString() -> Bool {
        var quote = current
        position += 1
        output.append(0x22)
        while position < text.byteCount {
            let byte = text.byte(position)
            if byte == quote {
                position += 1
                // Python splits a long string into several, one after the other.
                let end = position
                skipSpace()
                if end < position, current == 0x22 || current == 0x27 {
                    quote = current
                    position += 1
                    continue
                }
                position = end
                output.append(0x22)
                return true
            }
            if byte == 0x5C, position + 1 < text.byteCount {
                append(escaped: text.byte(position + 1))
                position += 2
            } else {
                append(byte)
                position += 1
            }
        }
        return false
    }

    /// Appends a byte that a backslash escapes; those that JSON does not have stand for themselves.
    @_lifetime(self: copy self)
    private mutating func append(escaped byte: UInt8) {
        switch byte {
        case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74, 0x75: output += [0x5C, byte]
        case 0x78: output += Array("\\u00".utf8)
        default: append(byte)
        }
    }

    @_lifetime(self: copy self)
    private mutating func append(quoted range: Range<Int>) {
        output.append(0x22)
        for index in range { append(text.byte(index)) }
        output.append(0x22)
    }

    /// Appends a byte of a string as JSON has it.
    @_lifetime(self: copy self)
    private mutating func append(_ byte: UInt8) {
        switch byte {
        case 0x22, 0x5C: output += [0x5C, byte]
        case 0x0A: output += Array("\\n".utf8)
        case 0x0D: output += Array("\\r".utf8)
        case 0x09: output += Array("\\t".utf8)
        case 0x00..<0x20: output.append(0x20)
        default: output.append(byte)
        }
    }
}
