extension Framer {
    /// Where base64 in short lines ends that holds an ASCII property list: at the line that closes its first brace, or
    /// at the last line before one that cannot go on with it (quirk 1).
    ///
    /// - Returns: the end of the first line where it does not begin such a list; `nil` where the list is still open and
    ///   more may come.
    static func endOfWrappedPropertyList(
        in bytes: RawSpan,
        firstLine: Range<Int>,
        limit: Int,
        isFinal: Bool
    ) -> Int? {
        var line = firstLine
        guard bytes.beginsLikeBase64PropertyList(at: line.lowerBound),
            bytes.isBase64(from: line.lowerBound, to: line.upperBound)
        else { return line.upperBound }
        var braces = BraceCounter()
        while true {
            braces.feed(bytes, line)
            if braces.isClosed { return line.upperBound }
            let next = line.upperBound + 1
            guard next < limit else { return isFinal ? line.upperBound : nil }
            guard let end = endOfLine(in: bytes, at: next, limit: limit, isFinal: isFinal) else { return nil }
            guard end - next <= firstLine.count, bytes.isBase64(from: next, to: end) else { return line.upperBound }
            line = next..<end
        }
    }

    /// Decodes lines of base64 as they come and counts the braces in them, quotes minded.
    private struct BraceCounter {
        private(set) var isClosed = false
        private var depth = 0
        private var isQuoted = false
        private var isEscaped = false
        /// Digits of a group that the end of a line has cut.
        private var digits: [UInt8] = []

        mutating func feed(_ bytes: RawSpan, _ line: Range<Int>) {
            for index in line where bytes.byte(index) > 0x20 { digits.append(bytes.byte(index)) }
            let whole = digits.count & ~3
            var octets: [UInt8] = []
            do {
                try Base64.decode(digits.span.bytes.extracting(0..<whole), into: &octets)
            } catch {
                // Padding inside: no list goes on behind it, and its reader will say what is wrong.
                isClosed = true
            }
            digits.removeFirst(whole)
            for octet in octets { count(octet) }
        }

        private mutating func count(_ octet: UInt8) {
            if isEscaped {
                isEscaped = false
                return
            }
            switch octet {
            case 0x5C: isEscaped = isQuoted
            case 0x22: isQuoted.toggle()
            case 0x7B where !isQuoted: depth += 1
            case 0x7D where !isQuoted:
                depth -= 1
                isClosed = isClosed || depth == 0
            default: break
            }
        }
    }
}

extension RawSpan {
    /// Whether the text at `start` begins as base64 of a brace and a line feed, return or tab: `ewo`, `ew0`, `ewk`.
    public func beginsLikeBase64PropertyList(at start: Int) -> Bool {
        guard start + 3 <= byteCount, byte(start) == 0x65, byte(start + 1) == 0x77 else { return false }
        switch byte(start + 2) {
        case 0x6B...0x72, 0x30...0x33: return true
        default: return false
        }
    }
}
