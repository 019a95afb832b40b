import TillInput

/// Instances of classes, as languages print them: a name and members in brackets of some kind.
///
///     Response(status=21007, environment=Sandbox)        data classes of Kotlin, Lombok and Python
///     Response[status=21007, environment=Sandbox]        records of Java
///     Response{status=21007, environment='Sandbox'}      most other classes of Java
///     Response { status: 21007, environment: 'Sandbox' } Node
///     Response(status: 21007, environment: "Sandbox")    structures of Swift
///     #<struct Response status=21007>                    Ruby, also `#<OpenStruct …>` and `#<Response:0x0071 @status=21007>`
extension ProgramLiteral {
    /// Whether a member of an instance begins at an index: a name and `=`, or a name, `:` and a space.
    static func beginsMember(_ text: RawSpan, at start: Int) -> Bool {
        let limit = min(text.byteCount, start + longestName)
        var index = start
        while index < limit, text.byte(index) <= 0x20 { index += 1 }
        let name = index
        while index < limit, isPartOfKey(text.byte(index)) { index += 1 }
        guard index > name, !text.byte(name).isDigit else { return false }
        while index < limit, text.byte(index) == 0x20 { index += 1 }
        guard index + 1 < limit else { return false }
        let next = text.byte(index + 1)
        return text.byte(index) == 0x3D ? next != 0x3D && next != 0x3E : text.byte(index) == 0x3A && next <= 0x20
    }

    /// Bytes in which the name of a member ends.
    private static let longestName = 64

    /// Whether a word and the bracket behind it, at the position, begin an instance.
    func isInstance(named word: Range<Int>) -> Bool {
        switch current {
        case 0x28: Self.beginsMember(text, at: position + 1) && !text.stands(Self.rawValue, at: position + 1)
        case 0x5B: isClassName(word) && Self.beginsMember(text, at: position + 1)
        case 0x7B: isClassName(word)
        default: false
        }
    }

    /// Swift's prefix for the value of a type.
    static let rawValue = Array("rawValue:".utf8)

    /// Whether a word is the name of a class. Node writes a space after it.
    private func isClassName(_ word: Range<Int>) -> Bool {
        var end = word.upperBound
        while end > word.lowerBound, text.byte(end - 1) == 0x20 { end -= 1 }
        guard end > word.lowerBound, !text.byte(word.lowerBound).isDigit else { return false }
        return (word.lowerBound..<end).allSatisfy { Self.isPartOfKey(text.byte($0)) }
    }

    /// Reads an instance of Ruby.
    @_lifetime(self: copy self)
    mutating func readAngledInstance() -> Bool {
        guard take(0x23), take(0x3C) else { return false }
        let isStructure = text.stands(Self.structure, at: position)
        if isStructure { position += Self.structure.count }
        // A structure may have no name.
        if !isStructure || !Self.beginsMember(text, at: position) { skipClassName() }
        angles += 1
        defer { angles -= 1 }
        return readElements(to: 0x3E, isObject: true)
    }

    private static let structure = Array("struct ".utf8)

    @_lifetime(self: copy self)
    private mutating func skipClassName() {
        while position < text.byteCount, current == 0x3A || Self.isPartOfKey(current) { position += 1 }
    }

    /// Where the value begins in `<Environment.SANDBOX: 'Sandbox'>`, a case of an enumeration of Python; `nil` for
    /// another word.
    func valueOfCase(in word: Range<Int>) -> Int? {
        guard !word.isEmpty, text.byte(word.lowerBound) == 0x3C,
            let colon = text.firstIndex(of: 0x3A, from: word.lowerBound, to: word.upperBound),
            (word.lowerBound + 1..<colon).allSatisfy({ Self.isPartOfKey(text.byte($0)) })
        else { return nil }
        return colon + 1
    }

    /// Reads the value of such a case.
    @_lifetime(self: copy self)
    mutating func readCase(at value: Int) -> Bool {
        position = value
        skipSpace()
        angles += 1
        defer { angles -= 1 }
        guard readValue() else { return false }
        skipSpace()
        return take(0x3E)
    }
}
