import TillInput

// Objects in which the name of a secret is itself a value, and the secret is the value of another member.
extension SecretScanner {
    /// The members of an object that are searched in each direction. The limit keeps the time linear.
    private static let memberLimit = 16
    /// Bytes of the longest list or object that is skipped between members.
    private static let listLimit = 512
    /// Bytes of the longest name of a member.
    private static let memberNameLimit = 40
    /// Names of members whose value is a name.
    static let keyNames = ["name", "key", "field"].map { Array($0.utf8) }

    /// How the strings of an object are quoted: with plain quotes, or with backslashes before them where the object is
    /// in a string.
    private struct Quoting {
        let byte: UInt8
        let slashes: Int
    }

    /// Masks the secret of an object in which one member has the name of a secret as its value.
    ///
    ///     {"name":"password","type":"text","value":"…"}        {"value":"…","key":"password"}        also in strings: \"
    ///
    /// - Parameters:
    ///   - found: the name of the secret, or a part of it.
    ///   - open: the quote before the name.
    ///   - end: one past the name and its quote.
    /// - Returns: the index at which the search continues; `nil` if there is no such secret.
    @_lifetime(self: copy self)
    mutating func readSibling(of found: Range<Int>, in open: EscapedCharacter, behind end: Int) -> Int? {
        guard !open.isEncoded else { return nil }
        let quoting = Quoting(byte: open.byte, slashes: open.slashes)
        guard let member = member(ofValueAt: open.range.lowerBound, quoting),
            isAny(of: Self.keyNames, at: member.name)
        else { return nil }
        if let value = valueBehind(end, quoting) { return readValue(at: value, isEncoded: false) }
        guard let value = valueBefore(member.start, quoting) else { return nil }
        var earlier = SecretScanner(text)
        _ = earlier.readValue(at: value, isEncoded: false)
        for range in earlier.ranges where range.upperBound <= found.lowerBound { hide(earlier: range) }
        return end
    }

    /// Adds a range that may lie before the last ones.
    @_lifetime(self: copy self)
    mutating func hide(earlier range: Range<Int>) {
        var later: [Range<Int>] = []
        while let last = ranges.last, last.lowerBound >= range.lowerBound { later.append(ranges.removeLast()) }
        hide(range)
        for range in later.reversed() { hide(range) }
    }

    /// Where the value of the member `value` begins, among the members after `start`.
    private func valueBehind(_ start: Int, _ quoting: Quoting) -> Int? {
        var index = start
        for _ in 0..<Self.memberLimit {
            guard let comma = text.character(at: skipSpace(at: index).end), comma.byte == 0x2C else { return nil }
            guard let quote = text.character(at: skipSpace(at: comma.range.upperBound).end), isQuote(quote, quoting)
            else {
                return nil
            }
            let name = contents(of: quote)
            guard let colon = text.character(at: skipSpace(at: name.end).end), colon.byte == 0x3A else { return nil }
            if isAny(of: Self.valueNames, at: name.range) { return colon.range.upperBound }
            guard let end = endOfValue(at: skipSpace(at: colon.range.upperBound).end, quoting) else { return nil }
            index = end
        }
        return nil
    }

    private func isQuote(_ character: EscapedCharacter, _ quoting: Quoting) -> Bool {
        character.byte == quoting.byte && character.slashes == quoting.slashes && !character.isEncoded
    }

    /// The text in quotes, and one past its closing quote. Two plain quotes in a row are an empty text.
    private func contents(of quote: EscapedCharacter) -> (range: Range<Int>, end: Int) {
        let start = quote.range.upperBound
        guard quote.slashes == 0, start < text.byteCount, text.byte(start) == quote.byte else {
            return plainContents(of: quote, isDoubled: false)
        }
        return (start..<start, start + 1)
    }

    /// The end of a value that is skipped; `nil` for a list longer than ``listLimit``.
    private func endOfValue(at start: Int, _ quoting: Quoting) -> Int? {
        var (index, depth) = (start, 0)
        while let next = text.character(at: index) {
            switch next.byte {
            case _ where isQuote(next, quoting): index = contents(of: next).end
            case 0x7B, 0x5B:
                depth += 1
                index = next.range.upperBound
            case 0x7D where depth == 0, 0x5D where depth == 0, 0x2C where depth == 0: return index
            case 0x7D, 0x5D:
                depth -= 1
                index = next.range.upperBound
            default: index = next.range.upperBound
            }
            // A string may have any length.
            guard index - start < Self.listLimit || depth == 0 && isQuote(next, quoting) else { return nil }
        }
        return index
    }

    /// Where the value of the member `value` begins, among the members before `start`.
    private func valueBefore(_ start: Int, _ quoting: Quoting) -> Int? {
        var index = start
        for _ in 0..<Self.memberLimit {
            let comma = endOfText(before: index)
            guard comma > 0, text.byte(comma - 1) == 0x2C else { return nil }
            guard let value = startOfValue(endingAt: endOfText(before: comma - 1), quoting),
                let member = member(ofValueAt: value, quoting)
            else { return nil }
            if isAny(of: Self.valueNames, at: member.name) { return value }
            index = member.start
        }
        return nil
    }

    /// The start of the value that ends at `end`; `nil` if it is too long or has no beginning.
    private func startOfValue(endingAt end: Int, _ quoting: Quoting) -> Int? {
        guard end > 0 else { return nil }
        switch text.byte(end - 1) {
        case quoting.byte:
            // An escaped quote in the text has more backslashes than the opening quote.
            var index = end - 1 - quoting.slashes
            while index > 0 {
                index -= 1
                if text.byte(index) == quoting.byte, slashes(before: index) == quoting.slashes {
                    return index - quoting.slashes
                }
            }
            return nil
        case 0x7D, 0x5D:
            var (index, depth) = (end, 0)
            while index > max(0, end - Self.listLimit) {
                index -= 1
                if text.byte(index) == 0x7D || text.byte(index) == 0x5D { depth += 1 }
                if text.byte(index) == 0x7B || text.byte(index) == 0x5B { depth -= 1 }
                if depth == 0 { return index }
            }
            return nil
        default:
            var index = end
            while index > max(0, end - Self.memberNameLimit),
                isNamePart(text.byte(index - 1)) || text.byte(index - 1) == 0x2E
            {
                index -= 1
            }
            return index < end ? index : nil
        }
    }

    /// The name of the member whose value begins at `value`, and where the member begins.
    private func member(ofValueAt value: Int, _ quoting: Quoting) -> (name: Range<Int>, start: Int)? {
        let colon = endOfText(before: value)
        guard colon > 0, text.byte(colon - 1) == 0x3A else { return nil }
        let quote = endOfText(before: colon - 1)
        guard quote > quoting.slashes, text.byte(quote - 1) == quoting.byte,
            slashes(before: quote - 1) == quoting.slashes
        else { return nil }
        let end = quote - 1 - quoting.slashes
        var start = end
        while start > max(0, end - Self.memberNameLimit), isNamePart(text.byte(start - 1)) { start -= 1 }
        guard start > 0, text.byte(start - 1) == quoting.byte, slashes(before: start - 1) == quoting.slashes else {
            return nil
        }
        return (start..<end, start - 1 - quoting.slashes)
    }

    private func isNamePart(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == 0x5F || byte == 0x2D || byte == 0x20
    }

    private func isAny(of names: [[UInt8]], at range: Range<Int>) -> Bool {
        names.contains { name in
            name.count == range.count
                && name.indices.allSatisfy { text.byte(range.lowerBound + $0).lowercased == name[$0] }
        }
    }

    /// One past the last byte before `start` that is not white space.
    func endOfText(before start: Int) -> Int {
        var index = start
        while index > 0, [0x20, 0x09, 0x0A, 0x0D].contains(text.byte(index - 1)) { index -= 1 }
        return index
    }

    /// The number of backslashes directly before `place`.
    private func slashes(before place: Int) -> Int {
        var index = place
        while index > 0, text.byte(index - 1) == 0x5C { index -= 1 }
        return place - index
    }
}
