import TillInput

// Where a value ends, for each notation.
extension SecretScanner {
    static let dashes = Array("-----".utf8)
    static let keyTags = ["key>", "name>"].map { Array($0.utf8) }
    private static let characterData = (start: Array("![cdata[".utf8), end: Array("]]>".utf8))
    /// Characters that some languages write directly before a quoted text: `b'…'`, `@"…"`.
    static let prefixes: [UInt8] = [0x40, 0x62, 0x66, 0x6C, 0x6E, 0x72, 0x75]
    /// Bytes that may follow a closing quote.
    private static let separators = Array(" \t\r\n,;:&<)]}".utf8)
    /// Values that are not secrets.
    static let literals = ["null", "nil", "none", "true", "false", "undefined"].map { Array($0.utf8) }
    /// Characters of the longest word that counts as the next name.
    private static let nameLimit = 40

    /// Masks the value that begins at `start`, or after the white space there.
    ///
    /// - Parameters:
    ///   - isEncoded: whether the `:`, `=` or `>` before it is encoded. The character that ends it is encoded then,
    ///     too.
    ///   - isDoubled: whether the quotes of the name are doubled.
    /// - Returns: where the value ends.
    @_lifetime(self: copy self)
    mutating func readValue(at start: Int, isEncoded: Bool, isDoubled: Bool = false) -> Int {
        let index = skipSpace(at: start, inForm: isEncoded).end
        guard let first = text.character(at: index) else { return index }
        if let end = readBlock(at: index) { return end }
        if let quote = quoteBehindPrefix(first) { return readQuoted(quote, isDoubled: isDoubled) }
        switch first.byte {
        case _ where first.isQuote: return readQuoted(first, isDoubled: isDoubled)
        case 0x7B, 0x5B, 0x28:
            let end = readList(at: index)
            return text.character(at: end)?.isWordPart == true ? readUnquoted(at: end, isEncoded: isEncoded) : end
        case 0x3C: return readAngles(at: index)
        default: return readUnquoted(at: index, isEncoded: isEncoded)
        }
    }

    /// The quote after a prefix that begins a text: `b'…'`.
    private func quoteBehindPrefix(_ first: EscapedCharacter) -> EscapedCharacter? {
        guard Self.prefixes.contains(first.byte.lowercased), let quote = text.character(at: first.range.upperBound),
            quote.isQuote,
            let next = text.character(at: quote.range.upperBound), !Self.separators.contains(next.byte)
        else { return nil }
        return quote
    }

    /// Whether a value that begins with `first` is in quotes or brackets.
    func isEnclosed(_ first: EscapedCharacter) -> Bool {
        switch first.byte {
        case 0x7B, 0x5B, 0x28, 0x3C: true
        default: first.isQuote || quoteBehindPrefix(first) != nil
        }
    }

    // MARK: Quoted

    @_lifetime(self: copy self)
    private mutating func readQuoted(_ quote: EscapedCharacter, isDoubled: Bool = false) -> Int {
        let value = quote.isEncoded ? encodedContents(of: quote) : plainContents(of: quote, isDoubled: isDoubled)
        hide(value.range)
        return value.end
    }

    /// The text between a quote and the next one that closes it, and one past the closing quote. The closing quote has
    /// as many backslashes before it. An escaped quote in the text has more:
    ///
    ///     "a\"b"    \"a\\\"b\"    \\\"a\\\\\\\"b\\\"
    func plainContents(of quote: EscapedCharacter, isDoubled: Bool) -> (range: Range<Int>, end: Int) {
        var start = quote.range.upperBound
        var isDoubled = isDoubled && quote.slashes == 0
        if quote.slashes == 0, start < text.byteCount, text.byte(start) == quote.byte {
            // Three quotes open a text of Python. Two quotes open a text in a quoted CSV cell if text follows.
            // Otherwise two quotes are an empty text.
            let behind = text.character(at: start + 1)
            if !isDoubled, behind?.byte == quote.byte {
                start += 2
            } else {
                guard isDoubled && behind?.byte != quote.byte || behind?.isWordPart == true else {
                    return (start..<start, start)
                }
                isDoubled = true
                start += 1
            }
        }
        let unit = 2 * (quote.slashes + 1)
        var index = start
        while let place = text.firstIndex(of: quote.byte, from: index, to: text.byteCount) {
            let slashes = slashCount(before: place, from: start)
            if slashes < quote.slashes { return (start..<place - slashes, place) }
            if (slashes - quote.slashes).isMultiple(of: unit) {
                let isFollowed = place + 1 < text.byteCount && text.byte(place + 1) == quote.byte
                if isDoubled || !isFollowed || quote.slashes > 0 || place == start {
                    return (start..<place - quote.slashes, place + 1)
                }
                // A doubled quote stands for one.
                index = place + 2
            } else {
                index = place + (isDoubled ? 2 : 1)
            }
        }
        return (start..<text.byteCount, text.byteCount)
    }

    private func slashCount(before place: Int, from start: Int) -> Int {
        var (index, count) = (place, 0)
        while index > start, text.byte(index - 1) == 0x5C || text.byte(index - 1) == 0 {
            index -= 1
            if text.byte(index) == 0x5C { count += 1 }
        }
        return count
    }

    /// The same for a quote that is encoded, such as `%22` or `&quot;`. Only an encoded quote closes it.
    private func encodedContents(of quote: EscapedCharacter) -> (range: Range<Int>, end: Int) {
        var index = quote.range.upperBound
        var isEscaped = false
        while let next = text.character(at: index) {
            if next.isQuote, !isEscaped, next.byte == quote.byte, next.isEncoded {
                return (quote.range.upperBound..<next.range.lowerBound, next.range.upperBound)
            }
            // The text that carries the encoded text ends here.
            if !next.isEncoded, next.byte == 0x22 || next.byte == 0x0A || next.byte == 0x3C {
                return (quote.range.upperBound..<next.range.lowerBound, next.range.lowerBound)
            }
            isEscaped = next.byte == 0x5C && !isEscaped
            index = next.range.upperBound
        }
        return (quote.range.upperBound..<text.byteCount, text.byteCount)
    }

    // MARK: Not quoted

    /// Masks a value without quotes. It ends before a separator, at its line, or before the next name. Of brackets in
    /// it, `Optional("…")`, the contents are masked, and quotes after them too: `string(4) "…"`.
    @_lifetime(self: copy self)
    mutating func readUnquoted(at start: Int, isEncoded: Bool, _ reach: Reach = .value) -> Int {
        var (start, index, end) = (start, start, start)
        while let next = text.character(at: index) {
            if isEncoded || !next.isEncoded || next.slashes > 0 {
                // An escaped line feed does not end the value, because `\n` may be a backslash and a letter of the
                // secret.
                if next.byte != 0x0A || next.slashes == 0, ends(next, reach) { break }
                if next.byte == 0x28, index > start {
                    hide(start..<index)
                    end = readList(at: index)
                    let behind = skipSpace(at: end)
                    if behind.lineFeeds == 0, behind.end > end, let quote = text.character(at: behind.end),
                        quote.isQuote
                    {
                        return readQuoted(quote)
                    }
                    guard reach == .setting || text.character(at: end)?.isWordPart == true else { return end }
                    (start, index) = (end, end)
                    continue
                }
                if next.isSpace {
                    let space = skipSpace(at: index)
                    guard !text.hasLineFeed(index, to: space.end), !beginsName(at: space.end) else { break }
                    index = space.end
                    continue
                }
            }
            index = next.range.upperBound
            end = index
        }
        let isLiteral = Self.literals.contains { text.characters($0, at: start) == end }
        if !isLiteral { hide(start..<end) }
        return end
    }

    /// Whether a value without quotes ends before a character. A bracket or quote does not end it if a letter,
    /// a digit or `_` follows.
    private func ends(_ character: EscapedCharacter, _ reach: Reach) -> Bool {
        switch character.byte {
        case 0x0A, 0x0D, 0x3C: return true
        case 0x26: return reach == .value || beginsFormName(at: character.range.upperBound)
        case 0x2C, 0x3B: return isSeparator(character, reach)
        case 0x22, 0x27, 0x29, 0x5D, 0x60, 0x7D:
            return text.character(at: character.range.upperBound)?.isWordPart != true
        default: return false
        }
    }

    /// Whether a `,` or `;` separates a value from what follows: white space, a quote, a bracket, a symbol or a name.
    /// Otherwise it belongs to the value. For a setting with a line to itself, white space alone is not enough.
    private func isSeparator(_ separator: EscapedCharacter, _ reach: Reach) -> Bool {
        guard let next = text.character(at: separator.range.upperBound) else { return true }
        if next.isSpace, reach == .value { return true }
        let space = skipSpace(at: separator.range.upperBound)
        guard space.lineFeeds == 0, let first = text.character(at: space.end) else { return true }
        switch first.byte {
        case 0x28, 0x29, 0x3A, 0x3C, 0x5B, 0x5D, 0x7B, 0x7D: return true
        default: return first.isQuote || beginsName(at: space.end)
        }
    }

    /// Whether the name of a field of a form begins at `start`.
    private func beginsFormName(at start: Int) -> Bool {
        var index = start
        for _ in 0..<Self.nameLimit {
            guard let next = text.character(at: index), !next.isSpace, next.byte != 0x26 else { return false }
            if next.byte == 0x3D { return true }
            index = next.range.upperBound
        }
        return false
    }

    /// Whether a name with `=` or `:` after it begins at `start`, as in a log line. `true` at the end of the text.
    func beginsName(at start: Int) -> Bool {
        guard let first = text.character(at: start) else { return true }
        guard first.isWordPart, !first.byte.isDigit else { return false }
        var index = first.range.upperBound
        for _ in 0..<Self.nameLimit {
            guard let next = text.character(at: index) else { return false }
            index = next.range.upperBound
            if next.byte == 0x3D { return true }
            // `https://` is no name.
            if next.byte == 0x3A { return text.character(at: index)?.byte != 0x2F }
            guard next.isWordPart || [0x2D, 0x2E].contains(next.byte) || next.isQuote else { return false }
        }
        return false
    }

    /// Masks the quoted text at `start`, or else the word, which ends before white space or a quote.
    @_lifetime(self: copy self)
    mutating func readWord(at start: Int) -> Int {
        if let quote = text.character(at: start), quote.isQuote { return readQuoted(quote) }
        return hide(from: start) { $0.isSpace || $0.isQuote }
    }

    /// Masks the rest of the line at `start`.
    @_lifetime(self: copy self)
    mutating func readLine(at start: Int) -> Int {
        hide(from: start) { $0.byte == 0x0A || $0.byte == 0x0D }
    }

    /// Masks the text up to the first character for which `isEnd` is true, and returns where that is.
    @_lifetime(self: copy self)
    private mutating func hide(from start: Int, until isEnd: (EscapedCharacter) -> Bool) -> Int {
        var index = start
        while let next = text.character(at: index), !isEnd(next) { index = next.range.upperBound }
        hide(start..<index)
        return index
    }

    /// Masks the token after `Bearer` (RFC 6750 §2.1).
    @_lifetime(self: copy self)
    mutating func readToken(behind start: Int) -> Int {
        let space = skipSpace(at: start, inForm: true).end
        guard space > start, text.character(at: space)?.isWordPart == true else { return start }
        return hide(from: space) { next in
            !(next.isWordPart || [0x2B, 0x2D, 0x2E, 0x2F, 0x3D, 0x7E].contains(next.byte))
        }
    }

    // MARK: Lists, markup, keys

    /// Masks all texts and words in the list, object or call that begins at `start`. Brackets and separators stay.
    @_lifetime(self: copy self)
    private mutating func readList(at start: Int) -> Int {
        var (index, depth) = (start, 0)
        while let next = text.character(at: index) {
            if next.isQuote {
                index = readQuoted(next)
                continue
            }
            index = next.range.upperBound
            switch next.byte {
            case 0x7B, 0x5B, 0x28: depth += 1
            case 0x7D, 0x5D, 0x29:
                depth -= 1
                if depth == 0 { return index }
            case 0x09, 0x0A, 0x0D, 0x20, 0x2C, 0x3A, 0x3B, 0x3D, 0x5C: break
            default: hide(next.range)
            }
        }
        return index
    }

    /// Masks data of a property list, `<0a1b…>`, but not `<null>`.
    @_lifetime(self: copy self)
    private mutating func readAngles(at start: Int) -> Int {
        if let end = text.characters(Array("<null>".utf8), at: start) { return end }
        guard let bracket = text.character(at: start) else { return start }
        return hide(from: bracket.range.upperBound) { $0.byte == 0x3E || $0.byte == 0x0A || $0.byte == 0x22 }
    }

    /// Masks the text of the element after the end tag `</key>` or `</name>`, whose slash stands at `start`.
    @_lifetime(self: copy self)
    mutating func readElement(behindKeyAt start: Int) -> Int {
        guard let slash = text.character(at: start),
            let end = text.characters(ofAny: Self.keyTags, at: slash.range.upperBound)
        else { return start }
        var index = skipSpace(at: end).end
        guard let bracket = text.character(at: index), bracket.byte == 0x3C else { return index }
        if let next = text.character(at: bracket.range.upperBound), next.byte == 0x2F { return index }
        index = bracket.range.upperBound
        while let next = text.character(at: index) {
            index = next.range.upperBound
            if next.byte == 0x3E { return readElement(at: index, isEncoded: bracket.isEncoded) }
            if next.byte == 0x3C { return next.range.lowerBound }
        }
        return index
    }

    /// Masks the text of an element up to the next tag, CDATA included.
    @_lifetime(self: copy self)
    mutating func readElement(at start: Int, isEncoded: Bool) -> Int {
        var index = start
        while let next = text.character(at: index) {
            if next.byte == 0x3C, next.isEncoded == isEncoded {
                hide(start..<index)
                let data = text.characters(Self.characterData.start, at: next.range.upperBound)
                return data.map { readCharacterData(at: $0) } ?? index
            }
            index = next.range.upperBound
        }
        hide(start..<index)
        return index
    }

    @_lifetime(self: copy self)
    private mutating func readCharacterData(at start: Int) -> Int {
        var index = start
        while let next = text.character(at: index) {
            if next.byte == 0x5D, let end = text.characters(Self.characterData.end, at: index) {
                hide(start..<index)
                return end
            }
            index = next.range.upperBound
        }
        hide(start..<index)
        return index
    }

    /// Masks the lines of a private key in PEM, up to the dashes of its END line.
    @_lifetime(self: copy self)
    mutating func readKey(at start: Int) -> Int {
        var index = start
        while let next = text.character(at: index) {
            if next.byte == 0x2D, text.characters(Self.dashes, at: index) != nil { return index }
            if !next.isSpace, !next.isQuote { hide(next.range) }
            index = next.range.upperBound
        }
        return index
    }
}

extension RawSpan {
    /// Whether `start..<end` holds a line feed or carriage return that is not escaped.
    func hasLineFeed(_ start: Int, to end: Int) -> Bool {
        firstIndex(of: 0x0A, from: start, to: end) != nil || firstIndex(of: 0x0D, from: start, to: end) != nil
    }
}
