import TillInput

/// The code for the name of a domain or type: an integer, or the name of a case.
///
///     SKErrorDomain error 2       SKErrorDomain-Fehler 2.     SKErrorDomainエラー2       behind it
///     erro 2 de SKErrorDomain.    code: 2, domain: SKErrorDomain                         before it
///     StoreKitError(userCancelled)    userCancelled, StoreKitError
///
/// Nearby means within ``reach`` characters, with at most ``mostWords`` words between and no end of a sentence. Only
/// words in ASCII letters count: in other languages the name is in the description of an error, not in prose.
extension ErrorMentionSearch {
    /// Characters between a name and its code.
    private static let reach = 24
    /// Words of ASCII letters between a name and its code.
    private static let mostWords = 2

    struct Code {
        var value: Int64
        var end: Int
        /// Whether only punctuation, or a word for error or code, is before it. Otherwise it may be any number.
        var isAnnounced = true
    }

    // MARK: Integers

    /// The code after a name that ends at `start`: the first integer after a word for error or code, else the first one
    /// without a following word (not as in `SKErrorDomain in 2 articles`).
    func code(behind start: Int) -> Code? {
        var guess: Code?
        var (index, characters, words) = (start, 0, 0)
        // Whether the last word is one for error or code; and whether that, or a word in other letters, announces a
        // code.
        var (isForCode, isAnnounced) = (false, true)
        // `SKErrorDomain_2`
        if index + 1 < limit, text.byte(index) == 0x5F, text.byte(index + 1).isDigit { index += 1 }
        while index < limit, characters <= Self.reach {
            let byte = text.byte(index)
            let first = index
            if byte.isDigit || isMinus(at: index), let number = number(at: index) {
                if let end = endOfCount(first..<number.end) {
                    // `3 times` is one word.
                    (index, words, isForCode, isAnnounced) = (end, words + 1, false, false)
                    characters += (first..<end).count { text.byte($0) & 0xC0 != 0x80 }
                    guard words <= Self.mostWords else { return guess }
                    continue
                }
                guard let code = number.code else { return guess }
                if isAnnounced { return code }
                if guess == nil, !isWord(at: code.end) {
                    guess = Code(value: code.value, end: code.end, isAnnounced: false)
                }
                (index, words, isForCode) = (code.end, words + 1, false)
            } else if byte.isPartOfName {
                guard let end = endOfWord(from: index) else { return guess }
                // `SKErrorDomain errors today: 17` counts them.
                if ErrorNames.counted.contains(where: { isWord($0, index..<end) }) { return guess }
                let isAnother = isWordForCode(index..<end)
                // `error code 2`
                if !isForCode || !isAnother { words += 1 }
                (index, isForCode, isAnnounced) = (end, isAnother, isAnother)
            } else if byte >= 0x80 {
                isAnnounced = true
                index = endOfCharacter(at: index)
                characters += 1
                continue
            } else {
                guard byte.isSeparator else { return guess }
                index += 1
            }
            guard words <= Self.mostWords else { return guess }
            characters += index - first
        }
        return guess
    }

    /// The code before a name that begins at `start`, which a word for error or code must announce.
    func code(before start: Int) -> Int64? {
        var (index, characters, words) = (start, 0, 0)
        while index > 0, characters <= Self.reach, words <= Self.mostWords {
            let byte = text.byte(index - 1)
            if byte.isPartOfName {
                var first = startOfWord(before: index)
                if text.byte(first).isDigit {
                    if first > 0, text.byte(first - 1) == 0x2D { first -= 1 }
                    if let code = number(at: first)?.code, code.end == index, endOfCount(first..<index) == nil,
                        isAnnounced(at: first)
                    {
                        return code.value
                    }
                }
                words += 1
                characters += index - first
                index = first
            } else if byte >= 0x80 {
                index -= 1
                if byte & 0xC0 != 0x80 { characters += 1 }
            } else {
                guard byte.isSeparator else { return nil }
                index -= 1
                characters += 1
            }
        }
        return nil
    }

    /// Whether a name is a field of a row of delimited text beside two integers, of which either may be the code.
    ///
    ///     SKErrorDomain,88,2        2,SKErrorDomain,5
    func isAmongIntegers(_ name: Range<Int>) -> Bool {
        guard name.upperBound < limit, Self.delimiters.contains(text.byte(name.upperBound)) else { return false }
        let delimiter = text.byte(name.upperBound)
        guard let next = endOfInteger(from: name.upperBound + 1, delimiter) else { return false }
        if next < limit, text.byte(next) == delimiter, endOfInteger(from: next + 1, delimiter) != nil { return true }
        guard name.lowerBound > 0, text.byte(name.lowerBound - 1) == delimiter else { return false }
        var start = name.lowerBound - 1
        while start > 0, name.lowerBound - start < Self.reach, text.byte(start - 1) != delimiter { start -= 1 }
        return endOfInteger(from: start, delimiter) == name.lowerBound - 1
    }

    private static let delimiters: [UInt8] = [0x2C, 0x3B, 0x09]

    /// Where the integer ends that is a whole field; `nil` if the field is anything else.
    private func endOfInteger(from start: Int, _ delimiter: UInt8) -> Int? {
        guard let end = text.integer(at: start)?.end, end <= limit else { return nil }
        return end == limit || text.byte(end) == delimiter || text.byte(end) < 0x20 ? end : nil
    }

    /// The number at `start`; `nil` if it is part of a word, such as `0x281`. It is no code where it has more than 32
    /// bits, or is part of a decimal, a time, a date or a share.
    private func number(at start: Int) -> (code: Code?, end: Int)? {
        let isLongMinus = text.byte(start) == 0xE2
        guard var number = text.integer(at: isLongMinus ? start + 3 : start) else { return (nil, start) }
        if isLongMinus { number.value = -number.value }
        guard number.end <= limit, Int32(exactly: number.value) != nil else { return (nil, number.end) }
        let code = Code(value: number.value, end: number.end)
        guard number.end < limit else { return (code, number.end) }
        switch text.byte(number.end) {
        case 0x25: return (nil, number.end)
        case 0x2D...0x2F, 0x3A:
            let isPart = number.end + 1 < limit && text.byte(number.end + 1).isDigit
            return (isPart ? nil : code, number.end)
        case let byte: return byte.isPartOfName ? nil : (code, number.end)
        }
    }

    /// The end of a unit after a number, which is then not a code; `nil` if there is none.
    ///
    ///     3 times    1 attempt    12 consecutive failures    250 ms    5 %    3回
    private func endOfCount(_ number: Range<Int>) -> Int? {
        var start = number.upperBound
        if start < limit, text.byte(start) == 0x20 { start += 1 }
        guard start < limit else { return nil }
        if text.byte(start) == 0x25 { return start + 1 }
        if let sign = ErrorNames.signsOfCounts.first(where: { text.stands($0, at: start) }) {
            return start + sign.count
        }
        guard start > number.upperBound, var end = endOfWord(from: start), end > start else { return nil }
        if ErrorNames.wordsBeforeUnits.contains(where: { isWord($0, start..<end) }), end + 1 < limit,
            text.byte(end) == 0x20, let next = endOfWord(from: end + 1)
        {
            (start, end) = (end + 1, next)
        }
        let isOne = number.count == 1 && text.byte(number.lowerBound) == 0x31
        return ErrorNames.units.contains { isWord($0, start..<end) }
            || isOne && ErrorNames.unitsOfOne.contains { isWord($0, start..<end) } ? end : nil
    }

    /// Whether a word is one of lower-case letters, whatever its capitals.
    private func isWord(_ name: [UInt8], _ word: Range<Int>) -> Bool {
        word.count == name.count && name.indices.allSatisfy { text.byte(word.lowerBound + $0).lowercased == name[$0] }
    }

    /// Whether a minus sign with a digit behind it stands at `index`.
    private func isMinus(at index: Int) -> Bool {
        if text.byte(index) == 0x2D { return index + 1 < limit && text.byte(index + 1).isDigit }
        // U+2212, which some languages write.
        return index + 3 < limit && text.byte(index) == 0xE2 && text.byte(index + 1) == 0x88
            && text.byte(index + 2) == 0x92 && text.byte(index + 3).isDigit
    }

    /// Whether a space and a word follow.
    private func isWord(at index: Int) -> Bool {
        guard index + 1 < limit, text.byte(index) == 0x20 else { return false }
        return text.byte(index + 1).isPartOfName || text.byte(index + 1) >= 0x80
    }

    private func isAnnounced(at start: Int) -> Bool {
        let end = startOfSeparators(before: start)
        guard end < start || text.byte(start) == 0x2D else { return false }
        let word = startOfWord(before: end)
        return word < end && isWordForCode(word..<end)
    }

    /// Prefixes of words for an error or a code, in languages with ASCII letters.
    private static let beginnings = ["err", "cod", "kod", "fehl"].map { Array($0.utf8) }
    private static let endings = ["Code", "_code"].map { Array($0.utf8) }

    private func isWordForCode(_ word: Range<Int>) -> Bool {
        Self.beginnings.contains { beginning in
            word.count >= beginning.count
                && beginning.indices.allSatisfy { text.byte(word.lowerBound + $0).lowercased == beginning[$0] }
        }
            || Self.endings.contains {
                word.count >= $0.count && text.stands($0, at: word.upperBound - $0.count)
            }
    }

    // MARK: Names of cases

    /// The case behind a name that ends at `end`: directly, behind signs, or behind these and a word for code.
    func caseName(behind end: Int, _ cases: [ErrorNames.Case]) -> ErrorMention? {
        guard !cases.isEmpty else { return nil }
        var index = end
        for _ in 0..<2 {
            let start = endOfSeparators(from: index)
            guard let wordEnd = endOfWord(from: start), wordEnd > start else { return nil }
            if let known = cases.first(where: { $0.matches(text, start..<wordEnd, anyCapital: true) }) {
                return ErrorMention(error: known.error, end: wordEnd)
            }
            guard isWordForCode(start..<wordEnd) else { return nil }
            index = wordEnd
        }
        return nil
    }

    /// The case before a name, with a sign between them that is no space: `unknown SKError` is prose.
    func caseName(before start: Int, _ cases: [ErrorNames.Case]) -> ClientLogLine.LoggedError? {
        let end = startOfSeparators(before: start)
        guard (end..<start).contains(where: { text.byte($0) != 0x20 }) else { return nil }
        let word = startOfWord(before: end)..<end
        return cases.first { $0.matches(text, word) }?.error
    }

    // MARK: Words and what stands between them

    /// Whether a name may end at `end`: not within a word or before a member, but before digits.
    func isEndOfName(_ end: Int) -> Bool {
        guard end < limit else { return true }
        let byte = text.byte(end)
        guard end + 1 < limit else { return byte.isDigit || !byte.isPartOfName }
        if byte == 0x5F { return text.byte(end + 1).isDigit }
        if byte == 0x2E { return !text.byte(end + 1).isPartOfName }
        return byte.isDigit || !byte.isPartOfName
    }

    /// The start of the word that contains the byte before `end`; `end` if there is none.
    func startOfWord(before end: Int) -> Int {
        var index = end
        while index > 0, end - index < Self.longestName, text.byte(index - 1).isPartOfName { index -= 1 }
        return index
    }

    /// Where the word at `start` ends; `nil` if it is too long for a name.
    func endOfWord(from start: Int) -> Int? {
        var index = start
        while index < limit, text.byte(index).isPartOfName {
            index += 1
            guard index - start <= Self.longestName else { return nil }
        }
        return index
    }

    /// Where the type begins whose last part begins at `start`: with the module and the types around it.
    ///
    ///     StoreKit.VerificationResult<StoreKit.Transaction>.VerificationError
    func startOfType(before start: Int) -> Int {
        var index = start
        let floor = max(0, start - Self.longestType)
        while index - 1 > floor, text.byte(index - 1) == 0x2E {
            var end = index - 1
            if text.byte(end - 1) == 0x3E {
                guard let open = startOfArguments(before: end, floor) else { return index }
                end = open
            }
            let word = startOfWord(before: end)
            guard word < end else { return index }
            index = word
        }
        return index
    }

    /// The start of the generic arguments that end before `end`.
    private func startOfArguments(before end: Int, _ floor: Int) -> Int? {
        var depth = 0
        var index = end
        while index > floor {
            index -= 1
            if text.byte(index) == 0x3E { depth += 1 }
            guard text.byte(index) == 0x3C else { continue }
            depth -= 1
            if depth == 0 { return index }
        }
        return nil
    }

    /// The end of the signs that begin at `start`; a period is one only before a member.
    private func endOfSeparators(from start: Int) -> Int {
        var index = start
        if index + 1 < limit, text.byte(index) == 0x2E, text.byte(index + 1).isPartOfName { return index + 1 }
        while index < limit, index - start < Self.reach, text.byte(index).isSeparator { index += 1 }
        return index
    }

    /// The start of the signs that end before `end`.
    func startOfSeparators(before end: Int) -> Int {
        var index = end
        while index > 0, end - index < Self.reach, text.byte(index - 1).isSeparator { index -= 1 }
        return index
    }

    private func endOfCharacter(at start: Int) -> Int {
        var index = start + 1
        while index < limit, text.byte(index) & 0xC0 == 0x80 { index += 1 }
        return index
    }
}

extension UInt8 {
    /// Whether it can be a part of a name in a program: an ASCII letter or digit, or `_`.
    fileprivate var isPartOfName: Bool { self < 0x80 && isLetterOrDigit || self == 0x5F }

    /// Whether it stands between the parts of one statement, and ends no sentence and begins no other file or address.
    fileprivate var isSeparator: Bool { Self.separators[Int(self)] }

    private static let separators: [Bool] = {
        var isSeparator = [Bool](repeating: false, count: 256)
        for byte in " \t\r\n:=,;()[]{}\"'-|\\/>#*`".utf8 { isSeparator[Int(byte)] = true }
        return isSeparator
    }()
}
