extension Framer {
    /// The meaning of a `[` between documents.
    enum Bracket {
        /// It opens an array of documents.
        case array
        /// It begins a line of text, such as `[main] text` in a log.
        case text
        /// More bytes are needed.
        case undecided
    }

    /// Bytes from a bracket on that are looked at; an array that shows no defect within them is one.
    static let bracketReach = 64 << 10
    /// Brackets inside one another that are looked at; more of them open an array. So no byte is looked at more often.
    private static let bracketDepth = 32

    /// The meaning of the `[` at `start`.
    ///
    ///     [{"status":0},          an array: an object behind the bracket is enough
    ///     ["MIIT…", "MIIT…"]      an array: `,` or `]` follows each value, and nothing but `,` or `]` the array in its line
    ///     [⏎                      an array: its first value is in another line
    ///     [main] text             text: no JSON value
    ///     [2026-03-02] text       text: neither `,` nor `]` follows the value
    ///     [214] text              text: something follows the array in its line
    ///
    /// The answer depends on the ``bracketReach`` bytes from `start` on and on nothing before them. An array that the
    /// end of the input cuts is one.
    static func bracket(in bytes: RawSpan, at start: Int, limit: Int, isFinal: Bool) -> Bracket {
        let end = min(limit, start + bracketReach)
        // What holds where the bytes end before the answer.
        let atEnd = isFinal || limit - start >= bracketReach ? Bracket.array : .undecided
        var (index, depth) = (start, 0)
        var (expectsValue, isInOtherLine) = (true, false)
        var isEmpty = true
        while index < end {
            switch bytes.byte(index) {
            case 0x20, 0x09, 0x0D: index += 1
            case 0x0A:
                if expectsValue { return .array }
                isInOtherLine = true
                index += 1
            case 0x2C:
                if isInOtherLine { return .array }
                expectsValue = true
                index += 1
            case 0x5D:
                if isInOtherLine { return .array }
                expectsValue = false
                depth -= 1
                index += 1
                if depth == 0 { return behindArray(in: bytes, at: index, to: end, isEmpty: isEmpty, atEnd: atEnd) }
            case 0x5B where expectsValue:
                depth += 1
                index += 1
                if depth > bracketDepth { return .array }
            case 0x7B where expectsValue: return .array
            case 0x22 where expectsValue:
                switch endOfString(in: bytes, at: index, to: end) {
                case .at(let next): index = next
                case .cut: return atEnd
                case .none: return .text
                }
                (expectsValue, isEmpty) = (false, false)
            case _ where expectsValue:
                switch endOfScalar(in: bytes, at: index, to: end) {
                case .at(let next): index = next
                case .cut: return atEnd
                case .none: return .text
                }
                (expectsValue, isEmpty) = (false, false)
            default: return .text
            }
        }
        return atEnd
    }

    /// The meaning of the bracket by the rest of the line behind the array, which begins at `start`. An object may
    /// follow an array without values: `[]{"status":0}` is JSON behind JSON.
    private static func behindArray(
        in bytes: RawSpan,
        at start: Int,
        to end: Int,
        isEmpty: Bool,
        atEnd: Bracket
    ) -> Bracket {
        for index in start..<end {
            switch bytes.byte(index) {
            case 0x20, 0x09, 0x0D: continue
            case 0x0A, 0x2C, 0x5D: return .array
            case 0x7B where isEmpty: return .array
            default: return .text
            }
        }
        return atEnd
    }

    /// Where a value ends.
    enum ValueEnd {
        /// One past its last byte.
        case at(Int)
        /// Not among the bytes.
        case cut
        /// It is no JSON value.
        case none
    }

    /// Where the string ends whose quote is at `start`; none that spans lines is JSON.
    private static func endOfString(in bytes: RawSpan, at start: Int, to end: Int) -> ValueEnd {
        var index = start + 1
        while index < end {
            index += bytes.plainRun(at: index, to: end)
            guard index < end else { return .cut }
            switch bytes.byte(index) {
            case 0x22: return .at(index + 1)
            case 0x0A: return .none
            case 0x5C:
                guard index + 1 < end else { return .cut }
                if bytes.byte(index + 1) == 0x0A { return .none }
                index += 2
            default: index += 1
            }
        }
        return .cut
    }

    /// Bytes of the longest number that is looked at.
    private static let longestScalar = 64

    /// Where the number, `true`, `false` or `null` at `start` ends.
    private static func endOfScalar(in bytes: RawSpan, at start: Int, to end: Int) -> ValueEnd {
        switch bytes.byte(start) {
        case 0x2D, 0x30...0x39, 0x74, 0x66, 0x6E: break
        default: return .none
        }
        let last = min(end, start + longestScalar + 1)
        var index = start
        while index < last, !endsScalar(bytes.byte(index)) { index += 1 }
        guard index < last else { return last - start > longestScalar ? .none : .cut }
        return isScalar(bytes, start..<index) ? .at(index) : .none
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0D, 0x0A, 0x2C, 0x5D: true
        default: false
        }
    }

    private static func isScalar(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
        let text = bytes.extracting(range)
        return scalarWords.contains { $0.count == text.byteCount && text.matches($0, at: 0) } || isNumber(text)
    }

    private static let scalarWords = ["true", "false", "null"].map { Array($0.utf8) }

    /// Where a `null`, `true` or `false` between the documents of an array ends; `none` if the text is not that. Without
    /// it, the rest of the array would be one line of text.
    ///
    ///     [{"status":0},null,{"status":0}]    the word ends before the second comma
    ///     null,MIIT…                          a line of text: no JSON value follows
    static func endOfElement(in bytes: RawSpan, at start: Int, limit: Int) -> ValueEnd {
        // Nearly all text, such as base64, begins with another letter.
        guard start < limit, [0x74, 0x66, 0x6E].contains(bytes.byte(start)) else { return .none }
        func isAt(_ word: [UInt8], _ place: Int) -> Bool {
            bytes.matches(word, at: place) && place + word.count <= limit
        }
        guard let word = scalarWords.first(where: { isAt($0, start) }) else { return .none }
        let end = start + word.count
        func next(_ index: Int) -> Int? { (index..<limit).first { ![0x20, 0x09, 0x0D].contains(bytes.byte($0)) } }
        guard let separator = next(end) else { return .cut }
        if bytes.byte(separator) == 0x5D { return .at(end) }
        guard bytes.byte(separator) == 0x2C else { return .none }
        guard let value = next(separator + 1) else { return .cut }
        if [0x7B, 0x5B, 0x22].contains(bytes.byte(value)) || scalarWords.contains(where: { isAt($0, value) }) {
            return .at(end)
        }
        let mayBeWord = scalarWords.contains { $0.first == bytes.byte(value) && value + $0.count > limit }
        return mayBeWord ? .cut : .none
    }

    /// Whether the text is a number (RFC 8259 §6).
    ///
    ///     number = [ "-" ] ( "0" / digit1-9 *DIGIT ) [ "." 1*DIGIT ] [ ("e" / "E") [ "-" / "+" ] 1*DIGIT ]
    private static func isNumber(_ text: RawSpan) -> Bool {
        var index = 0
        func take(_ wanted: UInt8...) -> Bool {
            guard index < text.byteCount, wanted.contains(text.byte(index)) else { return false }
            index += 1
            return true
        }
        func takeDigits() -> Bool {
            let first = index
            while index < text.byteCount, (0x30...0x39).contains(text.byte(index)) { index += 1 }
            return index > first
        }
        _ = take(0x2D)
        if !take(0x30), !takeDigits() { return false }
        if take(0x2E), !takeDigits() { return false }
        if take(0x65, 0x45) {
            _ = take(0x2B, 0x2D)
            if !takeDigits() { return false }
        }
        return index == text.byteCount
    }
}
