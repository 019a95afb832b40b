import TillCore

/// The positions of the start tags of an XML document, found before libxml2 sees it.
///
/// libxml2 does not tell the byte at which an element stands, and it refuses entities only after it has read some. So
/// this pass over the markup records every start tag, and refuses what the parser must not see:
///
///     <!DOCTYPE plist … [              an internal subset, which could declare entities (XML 1.0 §2.8)
///     &name;                           an entity that is not predefined (§4.6); &#65; is a character reference
///     more depth or elements than a property list may have
///     a document that is cut short, at any byte
///
/// Brackets and ampersands in comments, CDATA sections and processing instructions are not markup.
struct XMLMarkup: ~Escapable {
    struct Tag {
        /// The position of the `<`.
        var start: Int
        /// One past the `>`.
        var end: Int
    }

    private let bytes: RawSpan
    private var position = 0
    private var depth = 0
    private(set) var tags: [Tag] = []

    /// Reads the markup of `bytes`, which must be in UTF-8.
    ///
    /// - Throws: `plist.entity`, `plist.depth`, `plist.too-many` or `plist.truncated`.
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan) throws(Finding) {
        self.bytes = bytes
        while position < bytes.byteCount {
            switch bytes.byte(position) {
            case 0x3C: try readMarkup()
            case 0x26: try readReference()
            default: position += 1
            }
        }
        guard depth <= 0, !tags.isEmpty else { throw Finding(.plistTruncated, at: bytes.byteCount) }
    }

    private static let comment = (start: Array("<!--".utf8), end: Array("-->".utf8))
    private static let characterData = (start: Array("<![CDATA[".utf8), end: Array("]]>".utf8))
    private static let instruction = (start: Array("<?".utf8), end: Array("?>".utf8))

    @_lifetime(self: copy self)
    private mutating func readMarkup() throws(Finding) {
        for (start, end) in [Self.comment, Self.characterData, Self.instruction]
        where bytes.matches(start, at: position) {
            position += start.count
            while !bytes.matches(end, at: position) { try advance() }
            position += end.count
            return
        }
        let start = position
        try advance()
        guard position < bytes.byteCount else { throw truncated }
        let isDeclaration = bytes.byte(position) == 0x21
        let isEnd = bytes.byte(position) == 0x2F
        let rest = bytes.byteCount - start
        if rest < Self.characterData.start.count, bytes.matches(Array(Self.characterData.start.prefix(rest)), at: start)
        {
            throw truncated
        }
        try readToBracket(isDeclaration: isDeclaration)
        if isDeclaration { return }
        if isEnd {
            depth -= 1
            return
        }
        tags.append(Tag(start: start, end: position))
        guard tags.count <= 2 * PropertyListLimits.valueCount else { throw Finding(.plistTooMany, at: start) }
        if bytes.byte(position - 2) == 0x2F { return }
        depth += 1
        // Two more levels: the `plist` element, and a leaf such as `string` in the innermost list.
        guard depth <= PropertyListLimits.depth + 2 else { throw Finding(.plistDepth, at: start) }
    }

    /// Skips the rest of a tag, up to the first `>` outside quotes.
    @_lifetime(self: copy self)
    private mutating func readToBracket(isDeclaration: Bool) throws(Finding) {
        var quote: UInt8?
        while position < bytes.byteCount {
            let byte = bytes.byte(position)
            if byte == 0x26, !isDeclaration {
                try readReference()
                continue
            }
            position += 1
            switch byte {
            case quote: quote = nil
            case 0x22 where quote == nil, 0x27 where quote == nil: quote = byte
            case 0x5B where isDeclaration && quote == nil: throw Finding(.plistEntity, at: position - 1)
            case 0x3E where quote == nil: return
            default: break
            }
        }
        throw truncated
    }

    private static let predefined = ["lt", "gt", "amp", "quot", "apos"].map { Array($0.utf8) }

    /// Skips a predefined entity (`&lt;`) or a character reference (`&#65;`).
    @_lifetime(self: copy self)
    private mutating func readReference() throws(Finding) {
        let start = position
        try advance()
        while position < bytes.byteCount, Self.isName(bytes.byte(position)) { position += 1 }
        guard position < bytes.byteCount else { throw truncated }
        let name = start + 1..<position
        let isCharacter = !name.isEmpty && bytes.byte(name.lowerBound) == 0x23
        let isPredefined = Self.predefined.contains { $0.count == name.count && bytes.matches($0, at: name.lowerBound) }
        guard isCharacter || isPredefined, bytes.byte(position) == 0x3B else {
            throw Finding(.plistEntity, at: start)
        }
        position += 1
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x23, 0x2D, 0x2E, 0x3A, 0x5F, 0x80...0xFF: true
        default: false
        }
    }

    private var truncated: Finding { Finding(.plistTruncated, at: bytes.byteCount) }

    @_lifetime(self: copy self)
    private mutating func advance() throws(Finding) {
        guard position < bytes.byteCount else { throw truncated }
        position += 1
    }
}
