import TillInput

// Names of which the word of a secret is only a part: `password for shop`, `user[password][0]`, `Shared secret (prod)`.
extension SecretScanner {
    /// Bytes before a name that are searched for the quote or the line feed where the name begins. The limit keeps the
    /// time linear. In a longer name, the next quote of any kind counts as its end.
    private static let headLimit = 128
    /// Characters of the longest name without quotes that has spaces in it, after the word of the secret.
    private static let lineNameLimit = 128
    /// Subscripts in quotes after a name, `['password']['prod']`, and characters of one of them.
    private static let (subscriptLimit, subscriptLength) = (4, 64)

    /// The text before a name on its line.
    struct Surroundings {
        /// The quote that opens the string that the name is in; `nil` if there is none or it is too far away.
        var quote: EscapedCharacter?
        /// Whether only words stand between the name and the beginning of its line or string.
        var isAlone = true
        /// Whether ``headLimit`` ended the search.
        var isCut = false
        /// The backslashes of the escaped line feed before the name; 0 where the line is not in a string.
        var lineFeedSlashes = 0
        /// Whether a bracket is open before the name, as in `[password for shop] => …`.
        var isInBrackets = false
    }

    /// The end of the last name that was looked for, so that names inside one long text do not look for it again.
    struct NameEnd {
        /// The quote that closes the name; `nil` for any quote.
        var quote: EscapedCharacter?
        /// Where the search began, and where it ended.
        var range = 0..<0
        /// Where the closing quote begins.
        var place: Int?
    }

    /// Reads the text before `start` back to the quote or the line feed that begins the name.
    func surroundings(of start: Int) -> Surroundings {
        var result = Surroundings()
        var index = start
        // The opening quote of a string that is closed before the name.
        var pair: EscapedCharacter?
        let floor = max(0, start - Self.headLimit)
        while index > floor {
            index -= 1
            let byte = text.byte(index)
            if byte == 0 { continue }
            if byte == 0x0A || byte == 0x0D { return result }
            if byte == 0x5B, result.isAlone, result.lineFeedSlashes == 0 { result.isInBrackets = true }
            guard let next = characterBehindEscape(at: index, from: floor) else {
                if result.lineFeedSlashes == 0 { result.isAlone = result.isAlone && Self.isLinePart(byte) }
                continue
            }
            index = next.range.lowerBound
            if result.lineFeedSlashes > 0 {
                // The string began on an earlier line. Its quote has fewer backslashes than its line feeds.
                guard next.isQuote, next.slashes < result.lineFeedSlashes, next.byte == 0x22 || !isApostrophe(next)
                else {
                    continue
                }
                result.quote = next
                return result
            }
            if next.isQuote {
                if let open = pair {
                    if open.byte == next.byte, open.slashes == next.slashes, open.isEncoded == next.isEncoded {
                        pair = nil
                    }
                } else if next.byte != 0x22, isApostrophe(next) {
                    result.isAlone = result.isAlone && !next.isEncoded
                } else if isClosing(next) {
                    pair = next
                    result.isAlone = false
                } else {
                    result.quote = next
                    return result
                }
            } else if next.byte == 0x0A || next.byte == 0x0D {
                result.lineFeedSlashes = max(1, next.slashes)
            } else {
                result.isAlone = result.isAlone && Self.isLinePart(next.byte)
            }
        }
        result.isCut = floor > 0 && result.lineFeedSlashes == 0
        result.isAlone = result.isAlone && !result.isCut
        return result
    }

    /// The escaped character or the quote that begins at `index`, with all backslashes before it; `nil` for other
    /// characters.
    private func characterBehindEscape(at index: Int, from floor: Int) -> EscapedCharacter? {
        switch text.byte(index) {
        case 0x22, 0x27, 0x60, 0x5C:
            var start = index
            while start > floor, text.byte(start - 1) == 0x5C || text.byte(start - 1) == 0, text.byte(start) != 0 {
                guard text.byte(start - 1) != 0 else {
                    // Zero bytes of UTF-16 stand between backslashes.
                    guard start - 1 > floor, text.byte(start - 2) == 0x5C else { break }
                    start -= 2
                    continue
                }
                start -= 1
            }
            return text.character(at: start)
        case 0x25, 0x26, 0xE2:
            guard let next = text.character(at: index), next.isEncoded else { return nil }
            return next
        default: return nil
        }
    }

    /// Whether a byte may stand before a name that has a line to itself: letters, digits, list marks and dots.
    private static func isLinePart(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x23, 0x24, 0x2A, 0x2B, 0x2D, 0x2E, 0x2F, 0x40, 0x5F: true
        default: byte >= EscapedCharacter.other || byte.isLetterOrDigit
        }
    }

    /// Whether a single quote belongs to a word: `the shop's`, `users'`. A quote after `b`, `u` or the like opens a
    /// text.
    private func isApostrophe(_ quote: EscapedCharacter) -> Bool {
        let start = quote.range.lowerBound
        guard start > 0, text.byte(start - 1).isLetterOrDigit else { return false }
        return start > 1 && text.byte(start - 2) >= EscapedCharacter.other || isInWord(start - 1)
            || text.character(at: quote.range.upperBound)?.isWordPart != true
    }

    /// Whether a quote looks as if it closed a string.
    func isClosing(_ quote: EscapedCharacter) -> Bool {
        guard let next = text.character(at: quote.range.upperBound) else { return true }
        switch next.byte {
        case 0x29, 0x2C, 0x3A, 0x3B, 0x3D, 0x5D, 0x7D: return true
        case _ where next.isSpace:
            guard quote.range.lowerBound > 0 else { return false }
            switch text.byte(quote.range.lowerBound - 1) {
            case 0x09, 0x0A, 0x0D, 0x20, 0x28, 0x2C, 0x3A, 0x5B, 0x7B: return false
            default: return true
            }
        default: return false
        }
    }

    /// One past the characters that belong to a name without quotes: `password.prod`, `password[0]`, `passwords[]`,
    /// `password[prod][0]`. An encoded space belongs to it, too.
    ///
    /// Cost: the end is kept, so that the names in one long word do not look for it again.
    @_lifetime(self: copy self)
    mutating func endOfTail(at start: Int) -> Int {
        if tail.contains(start) { return tail.upperBound }
        var index = start
        while let next = text.character(at: index), isTail(next) { index = next.range.upperBound }
        tail = start..<index
        return index
    }

    private func isTail(_ character: EscapedCharacter) -> Bool {
        switch character.byte {
        case 0x20: character.isEncoded
        case 0x09, 0x0A, 0x0D, 0x22, 0x27, 0x60, 0x26, 0x2C, 0x3A, 0x3B, 0x3C, 0x3D, 0x3E, 0x7B, 0x7D: false
        case 0x3F:
            // In an address, the query begins here. `?=` and `?:` are assignments.
            switch text.character(at: character.range.upperBound)?.byte {
            case 0x3A, 0x3D: true
            default: false
            }
        default: true
        }
    }

    /// One past the subscripts in quotes after a name: `['prod']["a"]`.
    func endOfSubscripts(at start: Int) -> Int {
        var end = start
        for _ in 0..<Self.subscriptLimit {
            guard let bracket = text.character(at: end), bracket.byte == 0x5B else { return end }
            var (index, isClosed) = (bracket.range.upperBound, false)
            for _ in 0..<Self.subscriptLength {
                guard let next = text.character(at: index), next.byte != 0x0A, next.byte != 0x3D else { break }
                index = next.range.upperBound
                isClosed = next.byte == 0x5D
                if isClosed { break }
            }
            guard isClosed else { return end }
            end = index
        }
        return end
    }

    /// The start of the quote that closes the string around a name; `nil` if there is none on the line.
    ///
    /// Cost: the place is kept, so that all names in one string look for it once.
    @_lifetime(self: copy self)
    mutating func closingQuote(of surroundings: Surroundings, behind start: Int) -> Int? {
        guard surroundings.quote != nil || surroundings.isCut else { return nil }
        let quote = surroundings.quote
        let isKnown =
            nameEnd.quote?.byte == quote?.byte && nameEnd.quote?.slashes == quote?.slashes
            && nameEnd.quote?.isEncoded == quote?.isEncoded
        if isKnown, nameEnd.range.contains(start) { return nameEnd.place }
        let (end, place) = endOfString(of: quote, from: start)
        nameEnd = NameEnd(quote: quote, range: start..<max(start, end), place: place)
        return place
    }

    /// Reads on from `start` to the next quote that closes `quote`, or to the end of the line.
    ///
    /// - Returns: where the search ended, and the closing quote.
    private func endOfString(of quote: EscapedCharacter?, from start: Int) -> (end: Int, place: Int?) {
        var (index, isEscaped) = (start, false)
        while let next = text.character(at: index) {
            if next.byte == 0x0A, next.slashes == 0, !next.isEncoded { return (index, nil) }
            if next.isQuote, !isEscaped {
                guard let quote else {
                    if next.byte == 0x22 || !isApostrophe(next) { return (index, next.range.lowerBound) }
                    index = next.range.upperBound
                    continue
                }
                switch closes(next, quote) {
                case .closes(let place): return (next.range.upperBound, place)
                case .ends: return (index, nil)
                case .neither: break
                }
            }
            isEscaped = next.byte == 0x5C && next.isEncoded && !isEscaped
            index = next.range.upperBound
        }
        return (text.byteCount, nil)
    }

    enum Closing {
        /// The place where the closing quote begins. The backslashes before the place belong to the text.
        case closes(Int)
        /// The string around this one ends.
        case ends
        case neither
    }

    /// Whether `next` closes the string that `quote` opens. The rule for backslashes is that of
    /// ``plainContents(of:isDoubled:)``.
    func closes(_ next: EscapedCharacter, _ quote: EscapedCharacter) -> Closing {
        if quote.isEncoded {
            if next.isEncoded { return next.byte == quote.byte ? .closes(next.range.lowerBound) : .neither }
            return next.byte == 0x22 ? .ends : .neither
        }
        guard next.byte == quote.byte, !next.isEncoded else { return .neither }
        guard next.slashes != quote.slashes else { return .closes(next.range.lowerBound) }
        guard next.slashes > quote.slashes else { return .ends }
        let isOutside = (next.slashes - quote.slashes).isMultiple(of: 2 * (quote.slashes + 1))
        return isOutside ? .closes(next.range.upperBound - 1 - quote.slashes) : .neither
    }

    /// Where the `</key>` or `</name>` begins that ends a name in a property list; `nil` if the line or another tag
    /// comes first.
    @_lifetime(self: copy self)
    mutating func endOfKey(behind start: Int) -> (bracket: Int, slash: Int)? {
        if !tagSearch.contains(start) {
            var index = start
            while let next = text.character(at: index), next.byte != 0x3C, next.byte != 0x0A || next.slashes > 0 {
                index = next.range.upperBound
            }
            tagSearch = start..<index + 1
        }
        let bracket = tagSearch.upperBound - 1
        guard let next = text.character(at: bracket), next.byte == 0x3C,
            let slash = text.character(at: next.range.upperBound), slash.byte == 0x2F,
            text.characters(ofAny: Self.keyTags, at: slash.range.upperBound) != nil
        else { return nil }
        return (bracket, next.range.upperBound)
    }

    /// The place of the bracket that closes a name as PHP prints it: `[password for shop] => …`.
    func closingBracket(behind start: Int) -> Int? {
        var index = start
        for _ in 0..<Self.lineNameLimit {
            guard let next = text.character(at: index), next.byte != 0x0A else { return nil }
            if next.byte == 0x5D {
                guard let mark = text.character(at: skipSpace(at: next.range.upperBound).end), mark.byte == 0x3D else {
                    return nil
                }
                return next.range.lowerBound
            }
            index = next.range.upperBound
        }
        return nil
    }

    /// Where the `:` or `=` stands after a name with spaces that begins its line: `Shared secret (prod): …`. A sentence
    /// ends the search.
    func endOfLineName(behind start: Int) -> Int? {
        var index = start
        for _ in 0..<Self.lineNameLimit {
            guard let next = text.character(at: index) else { return nil }
            switch next.byte {
            case 0x3A, 0x3D: return next.range.lowerBound
            case 0x0A, 0x0D, 0x21, 0x22, 0x26, 0x2C, 0x3B, 0x3C, 0x3E, 0x3F, 0x60, 0x7B, 0x7D: return nil
            case 0x2E where text.character(at: next.range.upperBound)?.isSpace == true: return nil
            default: index = next.range.upperBound
            }
        }
        return nil
    }
}
