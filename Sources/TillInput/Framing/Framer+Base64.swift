extension Framer {
    /// Digits of the widest line of wrapped base64. Encoders write 64 or 76.
    private static let widestLine = 80
    /// Digits of the narrowest line to which an encoder wraps a whole receipt.
    private static let narrowestLine = 60

    /// Where the base64 text ends that begins with `firstLine`. A text that may be wrapped ends with the line that
    /// completes it (quirk 1), any other text with its first line. The decoded beginning tells which line completes it:
    ///
    ///     MIIT…  30 82 LL LL     DER, by its length
    ///     MIAG…  30 80           BER of indefinite length, by its end-of-contents octets
    ///     TUlJ…                  base64 of base64, by a line that is shorter than the others
    ///     ewoJ…  eyJz…  PD94…    a property list or JSON, by its last brace or its end tag
    ///
    /// - Returns: `nil` where the end is not among the bytes yet.
    static func endOfBase64(
        in bytes: RawSpan,
        firstLine: Range<Int>,
        limit: Int,
        isFinal: Bool,
        lookahead: inout TextLookahead
    ) -> Int? {
        let bare = bytes.withoutReturn(firstLine)
        guard let head = Base64.head(of: bytes, in: firstLine, digits: 8), var completion = Completion(of: head) else {
            return firstLine.upperBound
        }
        // A digit takes at most three bytes, as `%2B`.
        let columns = firstLine.count <= 3 * widestLine ? bytes.base64Columns(in: firstLine) : nil
        guard firstLine.count <= 3 * widestLine, columns ?? bare.count <= widestLine else {
            return endOfWideBase64(
                in: bytes,
                firstLine: firstLine,
                completion,
                limit: limit,
                isFinal: isFinal,
                lookahead: &lookahead
            )
        }
        // A `+` at the end of the line may have become a space, which is not counted as a column.
        let width = max(columns ?? 0, min(bare.count, widestLine))
        var line = firstLine
        // The last line that was read, and the number of blank lines after the last line of the document.
        var (latest, blankCount) = (firstLine, 0)
        while true {
            if blankCount == 0, completion.isReached(by: bytes, line, width: width) { return line.upperBound }
            let next = latest.upperBound + 1
            guard next < limit else { return isFinal ? line.upperBound : nil }
            guard let end = endOfLine(in: bytes, at: next, limit: limit, isFinal: isFinal) else { return nil }
            latest = next..<end
            let content = bytes.withoutReturn(latest)
            if content.isEmpty, !completion.isShortLine, !completion.isReachedWithin {
                blankCount += 1
                continue
            }
            // In a document of known length, a line that is not base64 but as long as the first one is a damaged line
            // of it.
            let columns =
                end - next > 3 * widestLine
                ? nil
                : bytes.base64Columns(in: latest)
                    ?? (completion.isLength && content.count == bare.count && !beginsOther(bytes.byte(next))
                        ? width : nil)
            guard let columns, (1...width).contains(columns) else { return line.upperBound }
            if completion.isReachedWithin, bytes.beginsLikeBase64Sequence(at: next) { return line.upperBound }
            if completion.isShortLine || blankCount > 0, bytes.haveSameStart(firstLine.lowerBound, next, to: end) {
                return line.upperBound
            }
            (line, blankCount) = (latest, 0)
        }
    }

    /// Whether a line that begins with `byte` begins JSON, a property list or a PEM block.
    private static func beginsOther(_ byte: UInt8) -> Bool { [0x7B, 0x5B, 0x22, 0x3C, 0x2D].contains(byte) }

    /// Where base64 ends whose first line is wider than ``widestLine``. The lines are one document only if their widths
    /// add up to exactly the length in the first line. Otherwise a receipt that is cut short would take the next
    /// receipt with it.
    private static func endOfWideBase64(
        in bytes: RawSpan,
        firstLine: Range<Int>,
        _ completion: Completion,
        limit: Int,
        isFinal: Bool,
        lookahead: inout TextLookahead
    ) -> Int? {
        guard case .length(let digits) = completion else {
            return endOfWideText(in: bytes, firstLine: firstLine, completion, limit: limit, isFinal: isFinal)
        }
        // In a dump with one receipt on each line, nearly all lines are complete.
        guard firstLine.count < digits, let width = bytes.base64Columns(in: firstLine), width < digits
        else { return firstLine.upperBound }
        // This many further lines are as wide as the first one; one more line has the rest.
        let count = (digits - width - 1) / width
        let wide = lookahead.wideLines.end(
            in: bytes,
            width: width,
            count: count,
            behind: firstLine.upperBound,
            limit: limit,
            isFinal: isFinal
        )
        switch wide {
        case .line(let end):
            let next = end + 1
            guard next < limit else { return isFinal ? firstLine.upperBound : nil }
            guard let last = endOfLine(in: bytes, at: next, limit: limit, isFinal: isFinal) else { return nil }
            let rest = digits - width - count * width
            // The length does not count padding, which is at most two digits.
            guard last - next <= 3 * width, let columns = bytes.base64Columns(in: next..<last),
                columns == width || (rest...rest + 2).contains(columns), columns <= width, columns <= rest + 2
            else { return firstLine.upperBound }
            return last
        case .tooFew: return firstLine.upperBound
        case .unfinished: return nil
        }
    }

    /// Bytes of wide lines among which the end of a document is looked for.
    private static let longestWideText = 16 << 20

    /// Where base64 ends whose first line is wider than ``widestLine`` and does not tell its length: with the line that
    /// completes it, if all lines before that one are as wide as the first. Else it ends with its first line.
    ///
    /// A line that begins like the first one begins the next document. So a line is looked at for as many documents at
    /// most as there are beginnings.
    private static func endOfWideText(
        in bytes: RawSpan,
        firstLine: Range<Int>,
        _ completion: Completion,
        limit: Int,
        isFinal: Bool
    ) -> Int? {
        func beginsLikeFirst(_ next: Int) -> Bool {
            next + 3 <= limit && (0..<3).allSatisfy { bytes.byte(next + $0) == bytes.byte(firstLine.lowerBound + $0) }
        }
        // Base64 of base64 has no end of its own, so any other document ends it.
        func beginsOther(_ line: Range<Int>) -> Bool {
            completion.isShortLine && Base64.head(of: bytes, in: line, digits: 8).flatMap(Completion.init(of:)) != nil
        }
        let second = firstLine.upperBound + 1
        // In a dump with one document on each line, this spares a closer look.
        guard second >= limit || !beginsLikeFirst(second), let width = bytes.base64Columns(in: firstLine) else {
            return firstLine.upperBound
        }
        var completion = completion
        var line = firstLine
        while !completion.isReached(by: bytes, line, width: width) {
            let next = line.upperBound + 1
            // Only a shorter line or the end of the lines shows where base64 of base64 ends.
            let endSoFar = completion.isShortLine ? line.upperBound : firstLine.upperBound
            guard next < limit else { return isFinal ? endSoFar : nil }
            guard next - firstLine.lowerBound < longestWideText else { return firstLine.upperBound }
            guard let end = endOfLine(in: bytes, at: next, limit: limit, isFinal: isFinal) else { return nil }
            guard !beginsLikeFirst(next), !beginsOther(next..<end), end - next <= 3 * width,
                let columns = bytes.base64Columns(in: next..<end),
                (1...width).contains(columns)
            else { return endSoFar }
            if columns < width {
                return completion.isReached(by: bytes, next..<end, width: width) ? end : firstLine.upperBound
            }
            line = next..<end
        }
        return line.upperBound
    }

    /// The digits of base64 that encode a SEQUENCE, by its first six octets; `nil` for other octets, and where its
    /// length is short or indefinite.
    public static func digitCount(ofSequence head: [UInt8]) -> Int? {
        guard head.count >= 6, head[0] == 0x30, head[1] > 0x80, head[1] <= 0x84 else { return nil }
        let width = Int(head[1] & 0x7F)
        let length = head[2..<2 + width].reduce(0) { $0 << 8 | Int($1) }
        return ((2 + width + length) * 8 + 5) / 6
    }

    /// The property that identifies the last line of wrapped base64.
    private enum Completion {
        /// Digits that are still to come.
        case length(Int)
        /// The first line that is shorter than the others.
        case shortLine
        /// The same, in a text that goes on after the length was reached within a full line.
        case reachedWithin
        /// The end-of-contents octets of BER of indefinite length.
        case endOfContents(WrappedText, BERWalk, contents: Int)
        /// The brace that closes the first one.
        case braces(WrappedText, BraceCounter)
        /// `</plist>`.
        case endTag(WrappedText, EndTagSearch)

        /// The kind that the first six bytes of the decoded text tell; `nil` where the text cannot be a wrapped
        /// document.
        init?(of head: [UInt8]) {
            if let count = digitCount(ofSequence: head) {
                self = .length(count)
            } else if head.starts(with: [0x30, 0x80]) {
                self = .endOfContents(WrappedText(), BERWalk(), contents: 0)
            } else if Self.encodedBeginnings.contains(where: head.starts(with:)) {
                self = .shortLine
            } else if head[0] == 0x7B, [0x09, 0x0A, 0x0D, 0x20, 0x22].contains(head[1]) {
                self = .braces(WrappedText(), BraceCounter())
            } else if xmlBeginnings.contains(where: { $0.starts(with: head.prefix($0.count)) }) {
                self = .endTag(WrappedText(), EndTagSearch())
            } else {
                return nil
            }
        }

        /// Beginnings of base64 of DER, BER and property lists that was encoded again (quirk 3).
        private static let encodedBeginnings = ["MI", "ewo", "ew0", "ewk", "PD94", "PHBs"].map { Array($0.utf8) }

        var isShortLine: Bool { if case .shortLine = self { true } else { false } }
        var isReachedWithin: Bool { if case .reachedWithin = self { true } else { false } }
        var isLength: Bool { if case .length = self { true } else { false } }

        /// Whether `line` is the last one.
        mutating func isReached(by bytes: RawSpan, _ line: Range<Int>, width: Int) -> Bool {
            switch self {
            case .length(let digits):
                let columns = bytes.base64Columns(in: line) ?? line.count
                let rest = digits - columns
                // Up to three digits too many may be padding. More mean that the text goes on behind the document.
                self = rest < -3 && columns == width && width >= narrowestLine ? .reachedWithin : .length(rest)
                return rest <= 0 && !isReachedWithin
            case .shortLine, .reachedWithin: return bytes.base64Columns(in: line) ?? 0 < width
            case .endOfContents(var text, var walk, var contents):
                let isReached = text.feed(bytes, line) { octet in
                    if contents > 0 {
                        contents -= 1
                        return contents == 0 && walk.isOver
                    }
                    switch walk.take(octet) {
                    case .header: return false
                    case .contents(let count):
                        contents = count
                        return count == 0 && walk.isOver
                    case .broken: return true
                    }
                }
                self = .endOfContents(text, walk, contents: contents)
                return isReached
            case .braces(var text, var counter):
                let isReached = text.feed(bytes, line) { counter.isClosed(by: $0) }
                self = .braces(text, counter)
                return isReached
            case .endTag(var text, var search):
                let isReached = text.feed(bytes, line) { search.ends(with: $0) }
                self = .endTag(text, search)
                return isReached
            }
        }
    }

    /// Decodes base64 line by line.
    private struct WrappedText {
        /// The digits of a group of four that is not complete at the end of a line.
        private var digits: [UInt8] = []

        /// Whether the line decodes to a byte for which `isLast` is true. A line that is not base64 counts as the last
        /// one, and the reader of the document reports its defect.
        mutating func feed(_ bytes: RawSpan, _ line: Range<Int>, _ isLast: (UInt8) -> Bool) -> Bool {
            guard Base64.forEachDigit(of: bytes, in: line, { digits.append($0) }) else { return true }
            let whole = digits.count & ~3
            var octets: [UInt8] = []
            do {
                try Base64.decode(digits.span.bytes.extracting(0..<whole), into: &octets)
            } catch {
                return true
            }
            digits.removeFirst(whole)
            return octets.contains(where: isLast)
        }
    }

    /// Counts the braces of an ASCII property list or of JSON. Braces in quotes do not count.
    private struct BraceCounter {
        private var depth = 0
        private var isQuoted = false
        private var isEscaped = false

        /// Takes the next octet. Whether it closes the first brace.
        mutating func isClosed(by octet: UInt8) -> Bool {
            if isEscaped {
                isEscaped = false
                return false
            }
            switch octet {
            case 0x5C: isEscaped = isQuoted
            case 0x22: isQuoted.toggle()
            case 0x7B where !isQuoted: depth += 1
            case 0x7D where !isQuoted:
                depth -= 1
                return depth <= 0
            default: break
            }
            return false
        }
    }

    /// Looks for the end tag of an XML property list.
    private struct EndTagSearch {
        private var matched = 0

        /// Takes the next octet. Whether it is the last of the tag. The first byte of the tag occurs in it only once,
        /// so after a mismatch the search can restart at the current octet.
        mutating func ends(with octet: UInt8) -> Bool {
            matched = octet == xmlEnd[matched] ? matched + 1 : octet == xmlEnd[0] ? 1 : 0
            guard matched == xmlEnd.count else { return false }
            matched = 0
            return true
        }
    }
}

extension RawSpan {
    /// The number of base64 digits in the line `range`; `nil` where it is not base64.
    func base64Columns(in range: Range<Int>) -> Int? {
        var columns = 0
        return Base64.forEachDigit(of: self, in: range) { _ in columns += 1 } ? columns : nil
    }

    /// The line without a CR at its end.
    fileprivate func withoutReturn(_ line: Range<Int>) -> Range<Int> {
        !line.isEmpty && byte(line.upperBound - 1) == 0x0D ? line.dropLast() : line
    }

    /// Whether the line `line..<end` begins with the same four bytes as the one at `first`. It is then probably the
    /// next document.
    fileprivate func haveSameStart(_ first: Int, _ line: Int, to end: Int) -> Bool {
        end - line >= 4 && (0..<4).allSatisfy { byte(line + $0) == byte(first + $0) }
    }

    /// Whether the line at `start` begins with `MI`, as base64 of a SEQUENCE with a long or indefinite length does.
    fileprivate func beginsLikeBase64Sequence(at start: Int) -> Bool {
        start + 2 <= byteCount && byte(start) == 0x4D && byte(start + 1) == 0x49
    }

    /// Whether the text at `start` begins like base64 of a brace followed by a tab (`ewk`…`ewn`), a line feed
    /// (`ewo`…`ewr`) or a carriage return (`ew0`…`ew3`).
    public func beginsLikeBase64PropertyList(at start: Int) -> Bool {
        guard start + 3 <= byteCount, byte(start) == 0x65, byte(start + 1) == 0x77 else { return false }
        switch byte(start + 2) {
        case 0x6B...0x72, 0x30...0x33: return true
        default: return false
        }
    }
}
