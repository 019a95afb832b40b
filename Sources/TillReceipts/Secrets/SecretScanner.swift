import TillInput

/// Finds the values of secrets in text of any notation: the App Store's shared secret, passwords, tokens, keys and
/// cookies.
///
///     "password":"…"    {\"password\":\"…\"}    %22password%22%3A%22…%22    ""password"":""…""       JSON, in strings and cells
///     'Password': '…'   :password=>"…"    ["password"]=>  string(4) "…"    s:8:"password";s:4:"…"    dumps of programs
///     password=…&a=b    password: …       password = "…";    <key>password</key> <string>…</string>  forms, lists
///     <password>…</password>    ("password", "…")    "value":"…","name":"password"    --password …    markup, pairs, commands
///     -----BEGIN PRIVATE KEY-----
///
/// The word of a secret may be a part of a longer name: `"password for shop"`, `user[password][0]`, `secret/prod`. A
/// value without quotes may hold white space: it ends with its line or before what looks like the next name
/// (``Reach``). Masking too much is better than leaving a part of a secret. A quoted value that is never closed ends
/// with the text. `null`, `true` and `false` are not secrets.
///
/// Cost: linear in the length of the text. The text after a name is read once, and the search goes on after the value.
/// The bytes read around a name are bounded, or kept for the next name.
struct SecretScanner: ~Escapable {
    let text: RawSpan
    /// The values that were found, in order. None is empty, and no two touch.
    var ranges: [Range<Int>] = []
    /// The last positions read around a name: the end of its word, of its string and of the enclosing string, and the
    /// next tag.
    var tail = 0..<0
    var nameEnd = NameEnd()
    var outerEnd = NameEnd()
    var tagSearch = 0..<0

    @_lifetime(copy text)
    init(_ text: RawSpan) {
        self.text = text
    }

    /// The values of all secrets in `text`, in order. None is empty, and no two touch.
    static func ranges(in text: RawSpan) -> [Range<Int>] {
        var scanner = SecretScanner(text)
        var index = 0
        while let found = SecretName.search.next(in: text, from: index) {
            index = max(found.range.upperBound, scanner.readValue(behind: found))
        }
        return scanner.ranges
    }

    /// Adds a range that does not begin before the last one; ranges that touch are joined.
    @_lifetime(self: copy self)
    mutating func hide(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        if let last = ranges.last, last.upperBound >= range.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
        } else {
            ranges.append(range)
        }
    }
}

/// The names of secrets.
package enum SecretName {
    /// The name in the label of a PEM block, and of a member of JSON.
    static let privateKey = PrivateName("private", "key", pair: 2)
    /// The word directly before a token.
    static let bearer = PrivateName("bearer", pair: 1, isWhole: true)
    static let short = PrivateName("pwd", pair: 0, isWhole: true)

    package static let search = NameSearch([
        PrivateName("pass", "word", pair: 2), PrivateName("pass", "wd", pair: 2),
        PrivateName("pass", "phrase", pair: 2),
        PrivateName("pass", "code", pair: 2), PrivateName("secret", pair: 2), short, privateKey, bearer,
        PrivateName("authorization", pair: 0, isWhole: true, isHeader: true),
        PrivateName("cookie", pair: 1, isWhole: true, isHeader: true),
        PrivateName("api", "key", pair: 0, isWhole: true), PrivateName("access", "token", pair: 1, isWhole: true),
        PrivateName("refresh", "token", pair: 2, isWhole: true),
    ])

    /// Whether the value of a member of this name is a secret.
    package static func isSecret(_ name: String) -> Bool {
        let text = Array(name.utf8)
        var start = 0
        while let found = search.next(in: text.span.bytes, from: start) {
            // Digits and signs behind the name do not make it another one: `api_key[0]`, `pwd2`.
            let rest = text[found.range.upperBound...]
            if !found.name.isWhole || !rest.contains(where: { $0.isLetterOrDigit && !$0.isDigit }) { return true }
            start = found.range.upperBound
        }
        return false
    }

    /// One past each name of a secret in a text.
    package static func ends(in text: [UInt8]) -> [Int] {
        var ends: [Int] = []
        while let found = search.next(in: text.span.bytes, from: ends.last ?? 0) { ends.append(found.range.upperBound) }
        return ends
    }
}

// MARK: - From the name to its value

extension SecretScanner {
    /// Bytes before a name that are searched for the beginning of a tag, a label or an option.
    private static let headLimit = 32
    /// Characters of the longest tag that is searched for its end, and of the longest header of a part of a form.
    private static let tagLimit = 128

    /// Masks the value after a name, if there is one.
    ///
    /// - Returns: the index at which the search continues.
    @_lifetime(self: copy self)
    private mutating func readValue(behind found: NameSearch.Found) -> Int {
        let index = found.range.upperBound
        if found.name.letters == SecretName.privateKey.letters, let body = text.characters(Self.dashes, at: index) {
            return isLabelOfBeginning(found.range.lowerBound) ? readKey(at: body) : body
        }
        if found.name.letters == SecretName.bearer.letters {
            let end = readToken(behind: index)
            if end > index { return end }
        }
        if found.name.letters == SecretName.short.letters, isInWord(found.range.lowerBound) { return index }
        guard let end = endOfName(found) else { return index }
        var tail = endOfTail(at: end)
        if found.name.isWhole, hasLetters(end, to: tail) { tail = end }
        return readValue(of: found, behind: tail) ?? end
    }

    /// Masks the value of a name of which `end` is the end, or the end of its first word.
    ///
    /// - Returns: where the value ends; `nil` if there is none.
    @_lifetime(self: copy self)
    private mutating func readValue(of found: NameSearch.Found, behind end: Int) -> Int? {
        guard let next = text.character(at: end) else { return nil }
        let around = surroundings(of: found.range.lowerBound)
        if next.isQuote {
            // A quote of another kind is a part of the name.
            guard let quote = around.quote, case .neither = closes(next, quote) else {
                return readStructure(at: end, of: found) ?? readOuter(around, of: found, behind: end)
            }
        } else if let key = endOfKey(behind: end) {
            hide(behindMarkIn: end..<key.bracket)
            return readElement(behindKeyAt: key.slash)
        }
        let isMark = next.byte == 0x3A || next.byte == 0x3D
        if let place = closingQuote(of: around, behind: end), !found.name.isWhole || !hasLetters(end, to: place),
            let value = readStructure(at: place, of: found, isMarked: isMark)
        {
            hide(behindMarkIn: end..<place)
            return value
        }
        if let value = readStructure(at: end, of: found) ?? readOuter(around, of: found, behind: end) { return value }
        guard !found.name.isWhole else { return nil }
        if around.isInBrackets, let place = closingBracket(behind: end) { return readStructure(at: place, of: found) }
        guard around.isAlone, let mark = endOfLineName(behind: end) else { return nil }
        return readStructure(at: mark, of: found)
    }

    /// Masks the value of a name in which the word stands in quotes of its own, `"the 'secret' of the shop": …`, or
    /// after a quote.
    @_lifetime(self: copy self)
    private mutating func readOuter(
        _ surroundings: Surroundings,
        of found: NameSearch.Found,
        behind end: Int
    ) -> Int? {
        guard !found.name.isWhole, let quote = surroundings.quote else { return nil }
        let around = self.surroundings(of: quote.range.lowerBound)
        swap(&nameEnd, &outerEnd)
        let place = closingQuote(of: around, behind: end)
        swap(&nameEnd, &outerEnd)
        guard let place, let value = readStructure(at: place, of: found, in: around.quote, isMarked: true) else {
            return nil
        }
        hide(behindMarkIn: end..<place)
        return value
    }

    /// Masks what stands behind a `:` or `=` in a name: it may be a value itself.
    @_lifetime(self: copy self)
    private mutating func hide(behindMarkIn range: Range<Int>) {
        var index = range.lowerBound
        while index < range.upperBound, let next = text.character(at: index) {
            index = next.range.upperBound
            guard next.byte == 0x3A || next.byte == 0x3D else { continue }
            let start = skipSpace(at: index).end
            if start < range.upperBound { hide(earlier: start..<range.upperBound) }
            return
        }
    }

    /// Whether a letter stands in a part of the text.
    private func hasLetters(_ start: Int, to end: Int) -> Bool {
        var index = start
        while index < end, let next = text.character(at: index) {
            // An index is no part of a name: `api_key[0]`.
            if next.isWordPart, !next.byte.isDigit { return true }
            index = next.range.upperBound
        }
        return false
    }

    /// Masks the value that belongs to a name, by what stands behind the name.
    ///
    /// - Parameters:
    ///   - start: the end of the name, where its closing quote or bracket may stand.
    ///   - outer: the quote that opens the name, where it is not the next one before the word. It may belong to any
    ///     string, so a string behind it does not count as a pair.
    ///   - isMarked: whether a `:` or `=` directly follows the word, so that its value may be in the same string. A
    ///     member behind the string, `"value":"…"`, then does not count.
    /// - Returns: where the value ends; `nil` if there is none.
    @_lifetime(self: copy self)
    private mutating func readStructure(
        at start: Int,
        of found: NameSearch.Found,
        in outer: EscapedCharacter? = nil,
        isMarked: Bool = false
    ) -> Int? {
        var index = start
        var quote: EscapedCharacter?
        var isDoubled = false
        for _ in 0..<4 {
            guard let next = text.character(at: index), next.isQuote || next.byte == 0x5D || next.byte == 0x29 else {
                break
            }
            // In a quoted cell of delimited text, a quote is doubled (RFC 4180 §2).
            isDoubled =
                isDoubled || quote.map { $0.byte == next.byte && $0.range.count == 1 && next.range.count == 1 } ?? false
            if next.isQuote { quote = quote ?? next }
            index = next.range.upperBound
        }
        if quote != nil { index = endOfSubscripts(at: index) }
        let open = quote == nil ? nil : outer ?? surroundings(of: found.range.lowerBound).quote
        if let open, let end = readSibling(of: found.range, in: open, behind: index) { return end }
        let space = skipSpace(at: index, inForm: quote?.isEncoded ?? false)
        guard let mark = text.character(at: space.end) else { return nil }
        let behind = mark.range.upperBound
        if mark.byte == 0x3A || mark.byte == 0x3D {
            return readAssigned(to: found, mark, isQuoted: quote != nil, isDoubled: isDoubled)
        }
        switch mark.byte {
        case 0x3E where isTag(found.range.lowerBound): return readElement(at: behind, isEncoded: mark.isEncoded)
        case _ where space.end > index && isTag(found.range.lowerBound):
            return endOfTag(at: space.end).map { readElement(at: $0, isEncoded: false) }
        case 0x3B where quote != nil:
            if let value = serialized(at: behind) { return readValue(at: value, isEncoded: false) }
        case 0x2C where outer == nil && isFirstOfPair(open):
            return readValue(at: behind, isEncoded: mark.isEncoded, isDoubled: isDoubled)
        default: break
        }
        if !isMarked || isField(open),
            let value = valueMember(at: mark.byte == 0x2C || mark.byte == 0x3B ? behind : space.end)
        {
            return readValue(at: value, isEncoded: mark.isEncoded, isDoubled: isDoubled)
        }
        if let open, isField(open) { return readField(open, behind: index) }
        if quote == nil, space.end > index, isOption(found.range.lowerBound) { return readWord(at: space.end) }
        return nil
    }

    /// Masks the value of a field whose name is the value of an attribute: the text of an element, or a part of a form.
    ///
    ///     <entry key="password" type="…">…<        name="password"\r\nContent-Type: text/plain\r\n\r\n…
    ///
    /// - Parameters:
    ///   - quote: the quote before the name.
    ///   - start: after the name and its quote.
    @_lifetime(self: copy self)
    private mutating func readField(_ quote: EscapedCharacter, behind start: Int) -> Int? {
        if let end = endOfTag(at: start) { return readElement(at: end, isEncoded: text.byte(end - 1) != 0x3E) }
        guard let attribute = Self.keyNames.first, quote.range.lowerBound > attribute.count,
            text.characters(attribute, at: quote.range.lowerBound - 1 - attribute.count) != nil
        else { return nil }
        var index = start
        for _ in 0..<Self.tagLimit {
            guard let next = text.character(at: index) else { return nil }
            let space = skipSpace(at: index)
            if space.lineFeeds > 1 { return readLine(at: space.end) }
            index = max(space.end, next.range.upperBound)
        }
        return nil
    }

    /// One past the letters, digits and `_` of the name that begins with `found`; `nil` if the name is not that of a
    /// secret.
    private func endOfName(_ found: NameSearch.Found) -> Int? {
        var index = found.range.upperBound
        while let next = text.character(at: index) {
            let isJoint = next.byte == 0x2D && text.character(at: next.range.upperBound)?.isWordPart == true
            guard next.byte < EscapedCharacter.other, next.isWordPart || isJoint else { return index }
            // Digits do not make it another name: `pwd2`.
            if found.name.isWhole, next.byte.isLetterOrDigit, !next.byte.isDigit { return nil }
            index = next.range.upperBound
        }
        return index
    }

    /// Whether the name at `start` belongs to a BEGIN line of PEM: `-----BEGIN EC PRIVATE KEY-----`.
    private func isLabelOfBeginning(_ start: Int) -> Bool {
        let head = text.extracting(max(0, start - Self.headLimit)..<start)
        return head.firstIndex(of: Array("BEGIN".utf8), from: 0, to: head.byteCount) != nil
    }

    func isInWord(_ start: Int) -> Bool { start > 0 && text.byte(start - 1).isLetterOrDigit }

    /// One past the `:`, `=`, `=>`, `==` or `:=` that begins with `mark`.
    func endOfAssignment(_ mark: EscapedCharacter) -> Int {
        guard let next = text.character(at: mark.range.upperBound) else { return mark.range.upperBound }
        let goesOn = next.byte == 0x3D || mark.byte == 0x3D && next.byte == 0x3E
        return goesOn ? next.range.upperBound : mark.range.upperBound
    }

    /// Skips white space, and in a form also `+`, which stands for a space there.
    ///
    /// - Returns: the first index after it, and the number of line feeds in it.
    func skipSpace(at start: Int, inForm: Bool = false) -> (end: Int, lineFeeds: Int) {
        var (index, lineFeeds) = (start, 0)
        while let next = text.character(at: index), next.isSpace || inForm && next.byte == 0x2B {
            if next.byte == 0x0A { lineFeeds += 1 }
            index = next.range.upperBound
        }
        return (index, lineFeeds)
    }

    /// Whether the name at `start` belongs to a tag: `<password`, `<ns:password`.
    private func isTag(_ start: Int) -> Bool {
        var index = start
        while index > max(0, start - Self.headLimit) {
            index -= 1
            let byte = text.byte(index)
            if byte == 0x3C { return true }
            // `&lt;`
            if byte == 0x3B { return index > 2 && text.stands(Array("&lt".utf8), at: index - 3) }
            switch byte {
            case 0, 0x2D, 0x2E, 0x3A, 0x5F, EscapedCharacter.other...: break
            default: guard byte.isLetterOrDigit else { return false }
            }
        }
        return false
    }

    /// One past the `>` of the tag that goes on at `start`; `nil` for an empty element (`/>`) or a tag without an end.
    private func endOfTag(at start: Int) -> Int? {
        var (index, isEmpty) = (start, false)
        for _ in 0..<Self.tagLimit {
            guard let next = text.character(at: index), next.byte != 0x3C else { return nil }
            index = next.range.upperBound
            if next.byte == 0x3E { return isEmpty ? nil : index }
            isEmpty = next.byte == 0x2F
        }
        return nil
    }

    /// The start of the value that PHP's `serialize` writes after a name: `s:4:"…";` or `i:4;`.
    private func serialized(at start: Int) -> Int? {
        guard let type = text.character(at: start), [0x73, 0x53, 0x69, 0x64].contains(type.byte),
            let colon = text.character(at: type.range.upperBound), colon.byte == 0x3A
        else { return nil }
        var index = colon.range.upperBound
        guard type.byte | 0x20 == 0x73 else { return index }
        for _ in 0..<12 {
            guard let next = text.character(at: index) else { return nil }
            if next.byte == 0x3A { return next.range.upperBound }
            guard next.byte.isDigit else { return nil }
            index = next.range.upperBound
        }
        return nil
    }

    /// Whether the name that `quote` opens is the first element of a tuple or list: `("password", "…")`.
    private func isFirstOfPair(_ quote: EscapedCharacter?) -> Bool {
        guard var start = quote?.range.lowerBound else { return false }
        // `(u'password', …)`
        if start > 0, Self.prefixes.contains(text.byte(start - 1).lowercased) { start -= 1 }
        let end = endOfText(before: start)
        return end > 0 && (text.byte(end - 1) == 0x28 || text.byte(end - 1) == 0x5B)
    }

    /// Whether the name that `quote` opens is the value of an attribute: `name="password"`.
    private func isField(_ quote: EscapedCharacter?) -> Bool {
        guard let start = quote?.range.lowerBound, start > 0 else { return false }
        return text.byte(start - 1) == 0x3D
    }

    /// Whether the name at `start` belongs to an option of a command: `--password`, `--appSharedSecret`.
    private func isOption(_ start: Int) -> Bool {
        var index = start
        while index > max(0, start - Self.headLimit), text.byte(index - 1).isLetterOrDigit { index -= 1 }
        return index > 0 && text.byte(index - 1) == 0x2D
    }

    static let valueNames = ["value", "val"].map { Array($0.utf8) }

    /// Where the value begins if a member `value` follows the name: `"name":"password","value":"…"`.
    private func valueMember(at start: Int) -> Int? {
        var index = skipSpace(at: start).end
        if let quote = text.character(at: index), quote.isQuote { index = quote.range.upperBound }
        guard let end = text.characters(ofAny: Self.valueNames, at: index) else { return nil }
        index = end
        if let quote = text.character(at: index), quote.isQuote { index = quote.range.upperBound }
        guard let mark = text.character(at: skipSpace(at: index).end), mark.byte == 0x3A || mark.byte == 0x3D else {
            return nil
        }
        return endOfAssignment(mark)
    }
}
