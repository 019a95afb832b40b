import TillInput

/// Finds the values of secrets in text of any notation: the App Store's shared secret, passwords, tokens, keys and cookies.
///
///     "password":"…"    {\"password\":\"…\"}    %22password%22%3A%22…%22    ""password"":""…""       JSON, in strings and cells
///     'Password': '…'   :password=>"…"    ["password"]=>  string(4) "…"    s:8:"password";s:4:"…"    dumps of programs
///     password=…&a=b    password: …       password = "…";    <key>password</key> <string>…</string>  forms, lists
///     <password>…</password>    ("password", "…")    "value":"…","name":"password"    --password …    markup, pairs, commands
///     -----BEGIN PRIVATE KEY-----
///
/// A value without quotes may hold white space: it ends with its line or before what looks like the next name. Masking too
/// much is better than leaving a part of a secret. A quoted value that is never closed ends with the text. `null`, `true` and
/// `false` are not secrets.
///
/// Cost: linear in the length of the text. The text after a name is read once, and the search goes on after the value.
struct SecretScanner: ~Escapable {
    let text: RawSpan
    /// The values that were found, in order. None is empty, and no two touch.
    var ranges: [Range<Int>] = []

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
        PrivateName("authorization", pair: 0, isWhole: true), PrivateName("cookie", pair: 1, isWhole: true),
        PrivateName("api", "key", pair: 0, isWhole: true), PrivateName("access", "token", pair: 1, isWhole: true),
        PrivateName("refresh", "token", pair: 2, isWhole: true),
    ])

    /// Whether the value of a member of this name is a secret.
    package static func isSecret(_ name: String) -> Bool {
        let text = Array(name.utf8)
        var start = 0
        while let found = search.next(in: text.span.bytes, from: start) {
            if !found.name.isWhole || found.range.upperBound == text.count { return true }
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
    /// Characters of a name after the part that was found: `_of_the_shop` in `password_of_the_shop`.
    private static let restLimit = 32
    /// Characters of the longest tag that is searched for its end.
    private static let tagLimit = 128

    /// Masks the value after a name, if there is one.
    ///
    /// - Returns: where the search goes on.
    @_lifetime(self: copy self)
    private mutating func readValue(behind found: NameSearch.Found) -> Int {
        var index = found.range.upperBound
        if found.name.letters == SecretName.privateKey.letters, let body = text.characters(Self.dashes, at: index) {
            return isLabelOfBeginning(found.range.lowerBound) ? readKey(at: body) : body
        }
        if found.name.letters == SecretName.bearer.letters { return readToken(behind: index) }
        if found.name.letters == SecretName.short.letters, isInWord(found.range.lowerBound) { return index }
        guard let end = endOfName(found) else { return index }
        index = end
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
        if let quote, !quote.isEncoded, let end = readSibling(of: found.range, behind: index) { return end }
        let space = skipSpace(at: index, inForm: quote?.isEncoded ?? false)
        guard let mark = text.character(at: space.end) else { return index }
        let behind = mark.range.upperBound
        switch mark.byte {
        case 0x3A, 0x3D:
            return readValue(at: endOfAssignment(mark), isEncoded: mark.isEncoded, isDoubled: isDoubled)
        case 0x3C where quote == nil && text.character(at: behind)?.byte == 0x2F:
            return readElement(behindKeyAt: behind)
        case 0x3E where isTag(found.range.lowerBound): return readElement(at: behind, isEncoded: mark.isEncoded)
        case _ where space.end > index && isTag(found.range.lowerBound):
            guard let end = endOfTag(at: space.end) else { return index }
            return readElement(at: end, isEncoded: false)
        case 0x3B where quote != nil:
            if let value = serialized(at: behind) { return readValue(at: value, isEncoded: false) }
        case 0x2C where quote != nil && isFirstOfPair(found.range.lowerBound):
            return readValue(at: behind, isEncoded: mark.isEncoded, isDoubled: isDoubled)
        default: break
        }
        if quote != nil, space.lineFeeds > 1, isField(found.range.lowerBound) { return readLine(at: space.end) }
        if let value = valueMember(at: mark.byte == 0x2C || mark.byte == 0x3B ? behind : space.end) {
            return readValue(at: value, isEncoded: mark.isEncoded, isDoubled: isDoubled)
        }
        if quote == nil, space.end > index, found.range.lowerBound > 0, text.byte(found.range.lowerBound - 1) == 0x2D {
            return readWord(at: space.end)
        }
        return index
    }

    /// One past the whole name of which `found` is a part; `nil` where the whole name is not that of a secret.
    private func endOfName(_ found: NameSearch.Found) -> Int? {
        var index = found.range.upperBound
        for _ in 0..<Self.restLimit {
            guard let next = text.character(at: index) else { return index }
            let isJoint = next.byte == 0x2D && text.character(at: next.range.upperBound)?.isWordPart == true
            guard next.byte < EscapedCharacter.other, next.isWordPart || isJoint else { return index }
            if found.name.isWhole { return nil }
            index = next.range.upperBound
        }
        return nil
    }

    /// Whether the name at `start` belongs to a BEGIN line of PEM: `-----BEGIN EC PRIVATE KEY-----`.
    private func isLabelOfBeginning(_ start: Int) -> Bool {
        let head = text.extracting(max(0, start - Self.restLimit)..<start)
        return head.firstIndex(of: Array("BEGIN".utf8), from: 0, to: head.byteCount) != nil
    }

    private func isInWord(_ start: Int) -> Bool { start > 0 && text.byte(start - 1).isLetterOrDigit }

    /// One past the `:`, `=`, `=>`, `==` or `:=` that begins with `mark`.
    private func endOfAssignment(_ mark: EscapedCharacter) -> Int {
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
        while index > max(0, start - Self.restLimit) {
            index -= 1
            let byte = text.byte(index)
            if byte == 0x3C { return true }
            // `&lt;`
            if byte == 0x3B { return index > 2 && text.stands(Array("&lt".utf8), at: index - 3) }
            guard byte == 0 || byte == 0x3A || byte == 0x5F || byte == 0x2D || byte.isLetterOrDigit else {
                return false
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

    /// Where the value begins that PHP's `serialize` writes after a name: `s:4:"…";` or `i:4;`.
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

    /// Whether the quoted name at `start` is the first element of a tuple or list: `("password", "…")`.
    private func isFirstOfPair(_ start: Int) -> Bool {
        guard let quote = indexBeforeQuote(start) else { return false }
        return quote > 0 && [0x28, 0x5B].contains(text.byte(quote - 1))
    }

    /// Whether the quoted name at `start` names a field of a form: `name="password"`.
    private func isField(_ start: Int) -> Bool {
        guard let quote = indexBeforeQuote(start) else { return false }
        return quote > 0 && text.byte(quote - 1) == 0x3D
    }

    /// Where the quote before `start` begins, its backslashes included; `nil` where there is none.
    private func indexBeforeQuote(_ start: Int) -> Int? {
        guard start > 0, EscapedCharacter.isQuote(text.byte(start - 1)) else { return nil }
        var index = start - 1
        while index > max(0, start - 16), text.byte(index - 1) == 0x5C { index -= 1 }
        return index
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
