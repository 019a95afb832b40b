import TillInput

/// Finds the values of secrets after their names (``SecretName``).
///
///     "password":"…"   \"password\":\"…\"   %22password%22%3A%22…%22   ""password"":""…""   ['password' => '…']     to the quote
///     "password":{…}   "password":12                                                                to the end of the value
///     a=b&password=…&c=d                                                                            to the next member
///     password: …      Authorization: Bearer …      <key>password</key>      --password …           to the end of the line
///     -----BEGIN PRIVATE KEY-----                                                                   to the END line
///
/// Where only marks follow the name on its line, the value is on the next line with a letter or digit. A line inside a
/// JSON string ends with the string. `null`, `true` and `false` are not secrets.
///
/// Cost: linear. The text after a name is read once, and the search goes on after the value.
package struct SecretScanner: ~Escapable {
    /// Which texts after a name are values.
    package enum Notations: Sendable {
        /// Assignments, and the rest of the line in any other notation.
        case all
        /// Only what follows a `:` or `=`: for messages, which have such names in sentences.
        case assignments
    }

    /// Bytes after a name in which the end of its value is searched, if that is in another document.
    static let reach = 16 << 10
    /// Bytes of the longest rest of a name: `password for the shop`, `user[password][0]`.
    private static let longestRest = 64
    private static let begin = Array("-----BEGIN".utf8)
    private static let nothing: [StaticString] = ["null", "true", "false", "None", "True", "False"]

    private let text: RawSpan
    private let notations: Notations
    /// The end of the document that is searched.
    private let end: Int
    private var limit = 0
    /// The values that were found, in order.
    private(set) var ranges: [Range<Int>] = []
    /// The last quote before ``tracked`` on its line, if it opens a string of JSON.
    private var openQuote: EscapedCharacter?
    private var tracked: Int

    /// Finds the values of all names that begin in `range`; they may end after it.
    @_lifetime(copy text)
    init(_ text: RawSpan, in range: Range<Int>, _ notations: Notations = .all, mayBeCut: Bool = false) {
        (self.text, self.notations, end, tracked) = (text, notations, range.upperBound, range.lowerBound)
        var index = range.lowerBound
        if mayBeCut, let head = endOfCutName() { index = max(index, readWholeValue(after: head)) }
        while let (name, found) = SecretName.next(in: text, from: index, to: range.upperBound) {
            if name.letters == SecretName.privateKey.letters, let key = readKey(after: found) {
                index = key
            } else {
                track(to: found.lowerBound)
                index = max(found.upperBound, readWholeValue(after: found.upperBound))
            }
        }
    }

    /// Masks the value after a name; a private key goes on after its line: `KEY="-----BEGIN PRIVATE KEY-----`.
    @_lifetime(self: copy self)
    private mutating func readWholeValue(after end: Int) -> Int {
        let count = ranges.count
        let next = readValue(after: end)
        guard ranges.count > count, let value = ranges.last,
            let key = text.firstIndex(of: Self.begin, from: value.lowerBound, to: value.upperBound)
        else { return next }
        return max(next, hideKey(from: key + Self.begin.count))
    }

    /// One past the end of a name, or of its closing quote, at the beginning of a source that was cut there.
    private func endOfCutName() -> Int? {
        var index = 0
        while index < 16, let next = text.character(at: index), next.isWordPart || next.byte == 0x2D {
            index = next.range.upperBound
        }
        let letters = text.extracting(0..<index).withUnsafeBytes(Array.init)
        guard SecretName.mayEnd(with: letters), let next = text.character(at: index) else { return nil }
        let mark = mark(after: next.isQuote ? next.range.upperBound : index)
        return mark?.byte == 0x3A || mark?.byte == 0x3D ? index : nil
    }

    // MARK: Names

    /// Masks the value after a name.
    ///
    /// - Returns: where the search goes on.
    @_lifetime(self: copy self)
    private mutating func readValue(after end: Int) -> Int {
        limit = min(text.byteCount, max(self.end, end + Self.reach))
        let start = skip(from: end) { $0.isWordPart || $0.byte == 0x2D || $0.byte == 0x2E }
        // `password for the shop`, `user[password][0]`
        let rest = skip(from: start, atMost: Self.longestRest) { $0.isWordPart || " -./[]".utf8.contains($0.byte) }
        let isSentence = hasWords(start, rest)
        guard let next = text.character(at: rest) else { return hideLine(from: start, isMarked: false) }
        if next.byte == 0x3A || next.byte == 0x3D {
            let value = endOfMark(next)
            if isSentence, notations == .all { return hideLine(from: start, isMarked: true) }
            if next.byte == 0x3D, value == next.range.upperBound, let end = hideField(from: value, next) { return end }
            return hideLine(from: value, isMarked: true)
        }
        guard next.isQuote else { return hideLine(from: start, isMarked: false) }
        if let open = openQuote, closes(next, open) { openQuote = nil }
        let quote = skip(from: rest, atMost: 4) { $0.isQuote || $0.byte == 0x5D || $0.byte == 0x29 }
        if let mark = mark(after: quote), mark.byte == 0x3A || mark.byte == 0x3D {
            return readAssigned(from: endOfMark(mark), isJSON: mark.byte == 0x3A, isDoubled: isDoubled(at: rest))
        }
        if isValueOfMember(before: quote) {
            if isSentence, notations == .all { hide(start..<rest) }
            return quote
        }
        return hideLine(from: isSentence ? start : quote, isMarked: false)
    }

    /// Masks the value after the mark of a name in quotes.
    ///
    /// - Parameter isDoubled: whether the quotes of the name are doubled, as in a cell of delimited text.
    @_lifetime(self: copy self)
    private mutating func readAssigned(from mark: Int, isJSON: Bool, isDoubled: Bool) -> Int {
        let start = skip(from: mark) { $0.isSpace || $0.byte == 0x2B && $0.range.count == 1 && isJSON }
        guard let first = text.character(at: start) else { return mark }
        if first.isQuote {
            var open = first
            if self.isDoubled(at: start) {
                let second = first.range.upperBound
                guard isDoubled else {
                    let isTriple = text.character(at: second + 1).map { $0.byte == first.byte } ?? false
                    return isTriple ? hideLine(from: start, isMarked: true) : second + 1
                }
                open.range = start..<second + 1
            }
            let close = endOfString(open, from: open.range.upperBound)
            hide(open.range.upperBound..<close)
            return close
        }
        guard isJSON else { return hideLine(from: start, isMarked: true) }
        if first.byte == 0x7B || first.byte == 0x5B {
            let close = endOfContainer(from: first.range.upperBound)
            hide(first.range.upperBound..<close)
            return close
        }
        let word = skip(from: start) { $0.byte.isLetterOrDigit || "+-.".utf8.contains($0.byte) }
        guard let next = text.character(at: word) else { return hideLine(from: start, isMarked: true) }
        let isScalar =
            word > start && (next.isSpace || ",}]".utf8.contains(next.byte) || next.isQuote && next.slashes > 0)
        let value = text.extracting(start..<word)
        if isScalar, Self.nothing.contains(where: { value.equals($0) }) { return word }
        guard isScalar, first.byte.isDigit || first.byte == 0x2D else { return hideLine(from: start, isMarked: true) }
        hide(start..<word)
        return word
    }

    /// Whether a name in quotes is itself the value of a member, or the last value: another member or a bracket follows.
    ///
    /// A member `value` does not count: `"name":"password","value":"…"`.
    private func isValueOfMember(before index: Int) -> Bool {
        guard let next = mark(after: index) else { return false }
        if next.byte == 0x7D || next.byte == 0x5D { return true }
        guard next.byte == 0x2C else { return false }
        let open = skip(from: next.range.upperBound) { $0.isSpace }
        guard let quote = text.character(at: open), quote.isQuote else { return false }
        let name = skip(from: quote.range.upperBound, atMost: Self.longestRest) {
            $0.isWordPart || $0.byte == 0x2D || $0.byte == 0x2E || $0.byte == 0x20
        }
        guard let close = text.character(at: name), close.isQuote, mark(after: close.range.upperBound)?.byte == 0x3A
        else {
            return false
        }
        let letters = text.extracting(quote.range.upperBound..<name).withUnsafeBytes { $0.map(\.lowercased) }
        return !letters.starts(with: "val".utf8) && letters != [0x76]
    }

    // MARK: Values

    /// Masks a value of a form, which ends before `&name=`; `nil` if it is in quotes.
    @_lifetime(self: copy self)
    private mutating func hideField(from start: Int, _ mark: EscapedCharacter) -> Int? {
        guard let first = text.character(at: start), !first.isQuote, !first.isSpace, first.byte != 0x3E else {
            return nil
        }
        let stop = endOfLine(from: start)
        var index = start
        while index < stop, let next = text.character(at: index) {
            if next.byte == 0x26, next.isEncoded == mark.isEncoded {
                let name = skip(from: next.range.upperBound) { $0.isWordPart || "-.[]%".utf8.contains($0.byte) }
                if name > next.range.upperBound, text.character(at: name)?.byte == 0x3D {
                    hide(start..<index)
                    return index
                }
                index = name
            } else {
                index = next.range.upperBound
            }
        }
        hide(start..<stop)
        return stop
    }

    /// Masks the rest of the line; where that has no letter and no digit, the next line that has one.
    ///
    /// - Parameter isMarked: whether a `:` or `=` is before the value. Without one, tags are no values.
    @_lifetime(self: copy self)
    private mutating func hideLine(from start: Int, isMarked: Bool) -> Int {
        guard isMarked || notations == .all else { return start }
        var (index, first) = (start, start)
        while index < limit, let next = text.character(at: index), openQuote.map({ !closes(next, $0) }) ?? true {
            if next.byte == 0x0A || next.byte == 0x0D {
                first = next.range.upperBound
                // `Content-Type: …` of a part of a form
                if let header = text.characters(Array("content-".utf8), at: first) { first = endOfLine(from: header) }
                index = first
                continue
            }
            if next.byte == 0x3C, !isMarked {
                let tag = skip(from: next.range.upperBound, atMost: 2 * Self.longestRest) {
                    $0.byte != 0x3E && $0.byte != 0x0A
                }
                if text.character(at: tag)?.byte == 0x3E { (index, first) = (tag, tag) }
            } else if next.byte.isLetterOrDigit || next.byte >= 0x80 {
                let stop = endOfLine(from: index)
                hide(skip(from: first) { $0.isSpace || $0.byte == 0x3E && !isMarked }..<stop)
                return stop
            }
            index = text.character(at: index)?.range.upperBound ?? limit
        }
        return index
    }

    /// Masks a private key in PEM; `nil` if the name is not the label of one.
    @_lifetime(self: copy self)
    private mutating func readKey(after name: Range<Int>) -> Int? {
        guard let start = text.characters(Array("-----".utf8), at: name.upperBound) else { return nil }
        let head = text.extracting(max(0, name.lowerBound - 32)..<name.lowerBound)
        guard head.contains(Array("BEGIN".utf8)) else { return start }
        return hideKey(from: start)
    }

    @_lifetime(self: copy self)
    private mutating func hideKey(from start: Int) -> Int {
        limit = min(text.byteCount, max(end, start + Self.reach))
        let stop = text.firstIndex(of: Array("-----END".utf8), from: start, to: limit) ?? limit
        hide(start..<stop)
        return stop
    }

    @_lifetime(self: copy self)
    private mutating func hide(_ range: Range<Int>) {
        if range.lowerBound < min(range.upperBound, limit) {
            ranges.append(range.lowerBound..<min(range.upperBound, limit))
        }
    }

    // MARK: Places

    /// One past the characters from `start` on that fit.
    private func skip(from start: Int, atMost most: Int = .max, where fits: (EscapedCharacter) -> Bool) -> Int {
        var (index, count) = (start, 0)
        while index < limit, count < most, let next = text.character(at: index), fits(next) {
            index = next.range.upperBound
            count += 1
        }
        return index
    }

    private func hasWords(_ start: Int, _ end: Int) -> Bool {
        let letter = skip(from: start) { !$0.isWordPart }
        return letter < end && text.extracting(start..<letter).contains([0x20])
    }

    /// The first character after white space.
    private func mark(after start: Int) -> EscapedCharacter? {
        var index = start
        while let next = text.character(at: index) {
            guard next.isSpace || next.byte == 0x2B, index - start < Self.reach else { return next }
            index = next.range.upperBound
        }
        return nil
    }

    /// One past the `:`, `=`, `=>`, `==` or `:=` that begins with `mark`.
    private func endOfMark(_ mark: EscapedCharacter) -> Int {
        guard let next = text.character(at: mark.range.upperBound) else { return mark.range.upperBound }
        let goesOn = next.byte == 0x3D || mark.byte == 0x3D && next.byte == 0x3E
        return goesOn ? next.range.upperBound : mark.range.upperBound
    }

    /// Whether two equal quotes without escapes are at `index`.
    private func isDoubled(at index: Int) -> Bool {
        guard let first = text.character(at: index), first.isQuote, first.range.count == 1 else { return false }
        return first.range.upperBound < text.byteCount && text.byte(first.range.upperBound) == first.byte
    }

    /// The end of the line, or of the string of JSON that holds it.
    private func endOfLine(from start: Int) -> Int {
        guard let open = openQuote else { return skip(from: start) { !$0.isLineEnd } }
        return skip(from: start) { !$0.isLineEnd && !closes($0, open) && !($0.byte == 0x0A && $0.slashes % 2 == 1) }
    }

    private func endOfString(_ open: EscapedCharacter, from start: Int) -> Int {
        var index = start
        while index < limit, let next = text.character(at: index), !next.isLineEnd {
            if closes(next, open) {
                // Backslashes before the quote that do not escape it are of the value.
                return max(
                    next.range.lowerBound,
                    next.range.upperBound - 1 - (next.isEncoded ? next.range.count : open.slashes)
                )
            }
            index = next.range.upperBound
            // `%5C%22` and `\""`
            let isEscape =
                next.byte == 0x5C && next.isEncoded || open.range.count == 2 && next.isQuote && next.slashes > 0
            if isEscape { index = text.character(at: index)?.range.upperBound ?? index }
        }
        return index
    }

    /// Whether a quote closes a string, or one that holds the string.
    private func closes(_ quote: EscapedCharacter, _ open: EscapedCharacter) -> Bool {
        guard quote.isQuote else { return false }
        if quote.isEncoded { return open.isEncoded && quote.byte == open.byte && quote.range.count == open.range.count }
        guard quote.byte == open.byte || open.isEncoded && quote.byte == 0x22 else { return false }
        // With each level of strings in strings, n backslashes become 2n + 1.
        var (slashes, level) = (quote.slashes, open.slashes)
        while level > 0 {
            if slashes.isMultiple(of: 2) { return true }
            (slashes, level) = (slashes / 2, level / 2)
        }
        return slashes.isMultiple(of: 2)
    }

    /// The place of the bracket that closes an object or array; brackets in strings do not count.
    private func endOfContainer(from start: Int) -> Int {
        var (index, depth) = (start, 0)
        while index < limit, let next = text.character(at: index) {
            if next.isQuote {
                let close = endOfString(next, from: next.range.upperBound)
                index = text.character(at: close)?.range.upperBound ?? close
                continue
            }
            if next.byte == 0x7B || next.byte == 0x5B { depth += 1 }
            if next.byte == 0x7D || next.byte == 0x5D {
                if depth == 0 { return index }
                depth -= 1
            }
            index = next.range.upperBound
        }
        return index
    }

    /// Notes the string of JSON that holds a name: its quote follows `:`, `,` or an opening bracket.
    @_lifetime(self: copy self)
    private mutating func track(to name: Int) {
        while tracked < name {
            let byte = text.byte(tracked)
            if byte == 0x0A { openQuote = nil }
            if byte == 0x22 {
                var start = tracked
                while start > 0, text.byte(start - 1) == 0x5C { start -= 1 }
                let slashes = tracked - start
                while start > 0, text.byte(start - 1) == 0x20 { start -= 1 }
                let opens = start > 0 && ":,[{(".utf8.contains(text.byte(start - 1))
                openQuote = opens ? EscapedCharacter(byte: byte, range: tracked..<tracked + 1, slashes: slashes) : nil
            }
            tracked += 1
        }
    }
}

extension EscapedCharacter {
    /// Whether it is a line feed or a carriage return, and not an escape of one.
    fileprivate var isLineEnd: Bool { (byte == 0x0A || byte == 0x0D) && range.count == 1 }
}
