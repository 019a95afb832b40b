import TillInput

// Values without quotes that take the rest of their line: headers, and settings that have a line to themselves.
extension SecretScanner {
    /// How far a value without quotes reaches.
    enum Reach {
        /// To a separator or the next name: `{password=…, a=b}`.
        case value
        /// The same, but a separator ends it only before what is certainly another name: `PASSWORD=…` on its own line.
        case setting
        /// To the end of the line, or of the string that the line is in: `password: …` on its own line.
        case line
        /// The same for `Cookie: …` and `Authorization: …` anywhere in a line. They have quotes and separators of their
        /// own (RFC 6265 §4.2, RFC 9110 §11.4).
        case header
    }

    /// Masks the value after the `:` or `=` behind a name.
    ///
    /// - Parameters:
    ///   - isQuoted: whether the name is in quotes.
    ///   - isDoubled: whether these quotes are doubled.
    @_lifetime(self: copy self)
    mutating func readAssigned(
        to found: NameSearch.Found,
        _ mark: EscapedCharacter,
        isQuoted: Bool,
        isDoubled: Bool
    ) -> Int {
        let start = endOfAssignment(mark)
        let value = skipSpace(at: start, inForm: mark.isEncoded).end
        guard let first = text.character(at: value) else { return value }
        let isEnclosed = isEnclosed(first)
        if isQuoted, isEnclosed || mark.isEncoded {
            return readValue(at: start, isEncoded: mark.isEncoded, isDoubled: isDoubled)
        }
        var around = surroundings(of: found.range.lowerBound)
        // A quote directly behind the name may close the string around both: `"enter your password:"`.
        if !isQuoted, first.isQuote, isClosing(first), closingQuote(of: around, behind: start) == first.range.lowerBound
        {
            return value
        }
        if isQuoted {
            around = around.quote.map { surroundings(of: $0.range.lowerBound) } ?? Surroundings(isAlone: false)
        }
        let reach = reach(of: found.name, mark, first, isQuoted: isQuoted, in: around)
        guard reach != .value, !isEnclosed else {
            let end = readValue(at: start, isEncoded: mark.isEncoded, isDoubled: isDoubled)
            return reach == .value || isQuoted ? end : readRest(behind: end, reach, of: around, mark: mark)
        }
        if let end = readBlock(at: value) { return end }
        guard reach == .setting else { return readRest(at: value, reach, of: around, mark: mark) }
        return readUnquoted(at: value, isEncoded: false, .setting)
    }

    /// How far the value reaches that begins with `first`, of a name with `mark` behind it.
    private func reach(
        of name: PrivateName,
        _ mark: EscapedCharacter,
        _ first: EscapedCharacter,
        isQuoted: Bool,
        in surroundings: Surroundings
    ) -> Reach {
        // Behind a quoted name, a number is one of JSON.
        if name.isHeader, !isQuoted || !first.byte.isDigit { return .header }
        guard surroundings.isAlone, !mark.isEncoded else { return .value }
        return mark.byte == 0x3A && !isQuoted ? .line : .setting
    }

    /// Masks the value at `start` up to the end of its line or string.
    ///
    /// - Parameters:
    ///   - start: after white space.
    ///   - surroundings: those of the name.
    ///   - mark: the `:` or `=` before the value. Where it is encoded, plain separators end the value.
    @_lifetime(self: copy self)
    mutating func readRest(at start: Int, _ reach: Reach, of surroundings: Surroundings, mark: EscapedCharacter) -> Int
    {
        if let end = endOfLiteral(at: start, reach) { return end }
        let quote = surroundings.isAlone ? surroundings.quote : nil
        let isPlainLine = surroundings.isAlone && quote == nil && surroundings.lineFeedSlashes == 0
        var (index, end, previous) = (start, start, UInt8(0))
        while let next = text.character(at: index) {
            let isEscape = next.slashes > 0 || next.isEncoded
            if next.byte == 0x0A || next.byte == 0x0D {
                // `\n` may be a backslash and a letter of the secret.
                let space = skipSpace(at: index)
                guard isEscape, !endsLine(index..<space.end, quote) else { break }
                index = space.end
                continue
            } else if next.isQuote {
                if let quote {
                    if let place = endOfContainer(next, quote) {
                        if place > index { end = place }
                        break
                    }
                    if isDoubled(next, in: quote) { index = next.range.upperBound + 1 }
                } else if mark.isEncoded, !next.isEncoded {
                    break
                } else if !isPlainLine {
                    // A quote with that many backslashes is inside the string that the line is in.
                    let isInside = surroundings.lineFeedSlashes > 0 && next.slashes >= surroundings.lineFeedSlashes
                    if reach == .line {
                        if !isInside, !next.isEncoded, endsString(next) { break }
                    } else if !isInside || previous == 0x3D {
                        guard previous == 0x3D, let behind = endOfParameter(next) else { break }
                        (index, end, previous) = (behind, behind, next.byte)
                        continue
                    }
                }
            } else if next.byte == 0x3C, !isEscape, text.character(at: next.range.upperBound)?.byte == 0x2F {
                break
            } else if next.byte == 0x26, !next.isEncoded, mark.isEncoded || reach == .header && mark.byte == 0x3D {
                break
            } else if reach == .line, next.byte == 0x2C || next.byte == 0x3B, !isEscape,
                endsText(at: next.range.upperBound)
            {
                break
            }
            let isSpace = next.isSpace
            index = max(index, next.range.upperBound)
            if !isSpace { (end, previous) = (index, next.byte) }
        }
        hide(start..<end)
        return end
    }

    /// Masks the text after a value in quotes or brackets, if its line continues with anything other than a separator.
    @_lifetime(self: copy self)
    private mutating func readRest(
        behind end: Int,
        _ reach: Reach,
        of surroundings: Surroundings,
        mark: EscapedCharacter
    ) -> Int {
        var start = end
        // The second quote of an empty text.
        if let quote = text.character(at: start), quote.isQuote, start > 0, text.byte(start - 1) == quote.byte,
            quote.slashes == 0
        {
            start = quote.range.upperBound
        }
        if reach == .setting {
            return text.character(at: start)?.isWordPart == true ? readUnquoted(at: start, isEncoded: false) : end
        }
        // Brackets that are open before the name may be closed here.
        var index = skipSpace(at: start).end
        while let next = text.character(at: index), next.byte == 0x29 || next.byte == 0x5D || next.byte == 0x7D {
            index = skipSpace(at: next.range.upperBound).end
        }
        guard !text.hasLineFeed(start, to: index), let next = text.character(at: index) else { return end }
        switch next.byte {
        case 0x0A, 0x0D: return end
        case 0x3C where text.character(at: next.range.upperBound)?.byte == 0x2F: return end
        case 0x2C, 0x3B:
            let behind = skipSpace(at: next.range.upperBound)
            let goesOn =
                behind.lineFeeds == 0 && !isQuote(at: behind.end) && (reach == .header || !beginsName(at: behind.end))
            return goesOn ? readRest(at: behind.end, reach, of: surroundings, mark: mark) : end
        default: return readRest(at: skipSpace(at: start).end, reach, of: surroundings, mark: mark)
        }
    }

    /// Whether a separator, a closing bracket or the end of the line follows a quote.
    private func endsString(_ quote: EscapedCharacter) -> Bool {
        let space = skipSpace(at: quote.range.upperBound)
        guard space.lineFeeds == 0, let next = text.character(at: space.end) else { return true }
        return next.isQuote || [0x29, 0x2C, 0x3A, 0x3B, 0x3C, 0x5D, 0x7D].contains(next.byte)
    }

    private func isQuote(at index: Int) -> Bool { text.character(at: index)?.isQuote == true }

    /// Masks the lines of a block scalar of YAML (YAML 1.2.2 §8.1): `|` or `>`, indicators, and indented lines.
    ///
    /// - Returns: where it ends; `nil` if `start` begins no block scalar.
    @_lifetime(self: copy self)
    mutating func readBlock(at start: Int) -> Int? {
        guard var next = text.character(at: start), next.byte == 0x7C || next.byte == 0x3E, !next.isEncoded else {
            return nil
        }
        for _ in 0..<4 {
            guard let indicator = text.character(at: next.range.upperBound) else { return nil }
            next = indicator
            guard next.byte == 0x2B || next.byte == 0x2D || next.byte.isDigit else { break }
        }
        while next.byte == 0x0D || next.byte == 0x20 {
            guard let behind = text.character(at: next.range.upperBound) else { return nil }
            next = behind
        }
        guard next.byte == 0x0A else { return nil }
        var line = skipSpace(at: next.range.upperBound).end
        guard text.character(at: line) != nil else { return line }
        // In a string, the lines cannot be told from one another.
        if next.slashes > 0 { return readUnquoted(at: line, isEncoded: false) }
        let indentation = indentation(of: line)
        while true {
            let end = readLine(at: line)
            line = skipSpace(at: end).end
            guard indentation > 0, text.character(at: line) != nil, self.indentation(of: line) >= indentation else {
                return end
            }
        }
    }

    /// The number of spaces and tabs before the first character of a line.
    private func indentation(of start: Int) -> Int {
        var index = start
        while index > 0, text.byte(index - 1) == 0x20 || text.byte(index - 1) == 0x09 { index -= 1 }
        return start - index
    }

    /// Whether nothing but white space follows on the line.
    private func endsText(at start: Int) -> Bool {
        let space = skipSpace(at: start)
        return space.lineFeeds > 0 || text.character(at: space.end) == nil
    }

    /// Whether white space with an escaped line feed ends the line: before a name, a line feed, or the end of the
    /// string.
    private func endsLine(_ space: Range<Int>, _ quote: EscapedCharacter?) -> Bool {
        guard let next = text.character(at: space.upperBound) else { return true }
        if text.hasLineFeed(space.lowerBound, to: space.upperBound) || beginsName(at: space.upperBound) { return true }
        guard next.isQuote else { return false }
        return quote.map { endOfContainer(next, $0) != nil } ?? !next.isEncoded
    }

    /// One past `null` or another value that is not a secret, if it is all that stands at `start`.
    private func endOfLiteral(at start: Int, _ reach: Reach) -> Int? {
        guard let end = text.characters(ofAny: Self.literals, at: start) else { return nil }
        guard !endsText(at: end), let next = text.character(at: skipSpace(at: end).end), !next.isQuote else {
            return end
        }
        switch next.byte {
        case 0x2C: return reach == .header || endsText(at: next.range.upperBound) ? end : nil
        case 0x29, 0x5D, 0x7D: return end
        default: return nil
        }
    }

    /// The end of the string that `quote` opens, if `next` ends it. In a quoted cell, two quotes stand for one (RFC
    /// 4180 §2).
    private func endOfContainer(_ next: EscapedCharacter, _ quote: EscapedCharacter) -> Int? {
        switch closes(next, quote) {
        case .closes(let place): isDoubled(next, in: quote) ? nil : place
        case .ends: next.range.lowerBound
        case .neither: nil
        }
    }

    private func isDoubled(_ next: EscapedCharacter, in quote: EscapedCharacter) -> Bool {
        guard quote.slashes == 0, !quote.isEncoded, next.slashes == 0, next.byte == quote.byte else { return false }
        let start = quote.range.lowerBound
        guard start == 0 || text.byte(start - 1) != quote.byte else { return false }
        return next.range.upperBound < text.byteCount && text.byte(next.range.upperBound) == quote.byte
    }

    /// One past the quoted value of a parameter, `response="…"`, that begins with `quote`; `nil` if the quote does not
    /// open one, but closes the string around the header. Quotes may be doubled. A value that is not closed ends with
    /// its line.
    private func endOfParameter(_ quote: EscapedCharacter) -> Int? {
        func isSame(_ next: EscapedCharacter) -> Bool {
            next.byte == quote.byte && next.slashes == quote.slashes && next.isEncoded == quote.isEncoded
        }
        guard let first = text.character(at: quote.range.upperBound) else { return nil }
        var (index, isTwice) = (quote.range.upperBound, false)
        if isSame(first) {
            let second = text.character(at: first.range.upperBound)
            if second.map({ $0.isSpace || $0.byte == 0x2C || $0.byte == 0x3B }) ?? true {
                return first.range.upperBound
            }
            (index, isTwice) = (first.range.upperBound, true)
        } else if first.isSpace || first.isQuote || [0x29, 0x2C, 0x3A, 0x3B, 0x5D, 0x7D].contains(first.byte) {
            return nil
        }
        var isEscaped = false
        while let next = text.character(at: index) {
            if next.byte == 0x0A, next.slashes == 0, !next.isEncoded { return index }
            index = next.range.upperBound
            guard isSame(next), !isEscaped else {
                isEscaped = next.byte == 0x5C && next.isEncoded && !isEscaped
                continue
            }
            guard isTwice else { return index }
            if let second = text.character(at: index), isSame(second) { return second.range.upperBound }
        }
        return index
    }
}
