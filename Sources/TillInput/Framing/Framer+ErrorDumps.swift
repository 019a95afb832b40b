import CKernels

extension Framer {
    /// Bytes of the longest error dump that may span lines.
    static let errorDumpLimit = 64 << 10
    /// Bytes after the first line that are read for this dump alone, before ``DumpLines`` is used. Nearly all dumps are
    /// balanced within them.
    private static let nearby = 1 << 10

    /// The beginning of an error's description: `Error Domain=SKErrorDomain Code=0 "…" UserInfo={…}`.
    public static let errorDumpMark = Array("Error Domain=".utf8)

    /// Where the error dump begins in the line `start..<end`; `nil` where the line holds none.
    ///
    /// A line without a space in its first 256 bytes is probably base64 and is not searched.
    static func errorDump(in bytes: RawSpan, at start: Int, to end: Int) -> Int? {
        guard bytes.firstIndex(of: 0x20, from: start, to: min(end, start + 256)) != nil else { return nil }
        return bytes.firstIndex(of: errorDumpMark, from: start, to: end)
    }

    /// The end of the error dump that begins at `dump` in the line `start..<lineEnd`. It ends with the line that
    /// balances its braces (quirk 73).
    ///
    ///     10:15:02 Shop[214] Error Domain=SKErrorDomain Code=0 "…" UserInfo={
    ///         NSUnderlyingError = 0x2812 {Error Domain=ASDErrorDomain Code=500 "…"},
    ///     }
    ///
    /// Braces in quotes count, because the text of an error may hold any number of quotes. An open quote before the
    /// first brace means that the text goes on in the next line. A dump that is not balanced within ``errorDumpLimit``,
    /// or before a line that begins an entry of its own, was cut by the logger; it ends with its first line.
    ///
    /// - Returns: `nil` where the end is not among the bytes yet.
    static func endOfErrorDump(
        in bytes: RawSpan,
        at start: Int,
        dump: Int,
        lineEnd: Int,
        limit: Int,
        isFinal: Bool,
        lookahead: inout TextLookahead
    ) -> Int? {
        var balance = DumpBalance()
        balance.feed(bytes, dump..<lineEnd)
        var end = lineEnd
        let window = min(limit, start + errorDumpLimit)
        while balance.isOpen {
            if balance.hasBraces, end - lineEnd > nearby {
                let answer = lookahead.dumps.answer(
                    in: bytes,
                    open: balance.depth,
                    behind: end,
                    window: start + errorDumpLimit,
                    limit: limit,
                    isFinal: isFinal
                )
                switch answer {
                case .balanced(let end): return end
                case .cut: return lineEnd
                case .open: return isFinal || limit >= start + errorDumpLimit ? lineEnd : nil
                }
            }
            let line = end + 1
            guard line < limit else { return isFinal ? lineEnd : nil }
            if let next = bytes.firstIndex(of: 0x0A, from: line, to: window) {
                end = next
            } else if isFinal, limit < start + errorDumpLimit {
                // The last line may have no line feed.
                end = limit
            } else {
                return limit < start + errorDumpLimit ? nil : lineEnd
            }
            if beginsEntry(in: bytes, at: line, to: end) { return lineEnd }
            // The open quote was one too many: this line is the next error.
            if !balance.hasBraces, bytes.firstIndex(of: errorDumpMark, from: line, to: end) != nil { return lineEnd }
            balance.feed(bytes, line..<end)
        }
        return end
    }

    /// Counts the braces of an error dump, line by line.
    private struct DumpBalance {
        private(set) var depth = 0
        private(set) var hasBraces = false
        private var isInText = false

        /// Whether the dump goes on in the next line.
        var isOpen: Bool { hasBraces ? depth > 0 : isInText }

        mutating func feed(_ bytes: RawSpan, _ line: Range<Int>) {
            for index in line {
                switch bytes.byte(index) {
                case 0x22: isInText.toggle()
                case 0x7B:
                    depth += 1
                    hasBraces = true
                case 0x7D: depth = max(0, depth - 1)
                default: break
                }
            }
        }
    }

    /// The number of closing brackets without an opening one in the first 256 bytes of a text. The text `1, 2]` of
    /// `[1, 2]` has one, because the opening bracket was skipped as a separator. Text that begins with a bracket of its
    /// own is in no array.
    public static func closedBrackets(in bytes: RawSpan, _ text: Range<Int>) -> Int {
        if !text.isEmpty, bytes.byte(text.lowerBound) == 0x5B { return 0 }
        let head = text.lowerBound..<min(text.upperBound, text.lowerBound + 256)
        guard bytes.firstIndex(of: 0x5D, from: head.lowerBound, to: head.upperBound) != nil else { return 0 }
        var (depth, closed) = (0, 0)
        for index in head {
            switch bytes.byte(index) {
            case 0x5B: depth += 1
            case 0x5D where depth == 0: closed += 1
            case 0x5D: depth -= 1
            default: break
            }
        }
        return closed
    }

    private static let entryBeginnings = [
        "Error Domain=", "FailedTransaction ", "User CANCELLED ", "<SKPaymentQueue", "{\"", "[",
    ].map { Array($0.utf8) }

    /// Whether a line begins an entry of a log or another document: with a date, or with one of ``entryBeginnings``.
    static func beginsEntry(in bytes: RawSpan, at start: Int, to end: Int) -> Bool {
        let line = bytes.extracting(start..<end)
        if entryBeginnings.contains(where: { line.matches($0, at: 0) }) { return true }
        guard line.byteCount >= 10 else { return false }
        return (0..<10).allSatisfy { index in
            let byte = line.byte(index)
            return index == 4 || index == 7 ? byte == 0x2D || byte == 0x2F : (0x30...0x39).contains(byte)
        }
    }
}

extension RawSpan {
    /// The first index in `start..<end` at which `pattern` stands. It is fast if the last byte of `pattern` is rare.
    public func firstIndex(of pattern: [UInt8], from start: Int, to end: Int) -> Int? {
        guard let last = pattern.last else { return nil }
        var index = start + pattern.count - 1
        while index < end, let found = firstIndex(of: last, from: index, to: end) {
            let first = found + 1 - pattern.count
            if isEqual(to: pattern, at: first) { return first }
            index = found + 1
        }
        return nil
    }

    /// Whether it holds `pattern`.
    public func contains(_ pattern: [UInt8]) -> Bool { firstIndex(of: pattern, from: 0, to: byteCount) != nil }

    private func isEqual(to pattern: [UInt8], at start: Int) -> Bool {
        precondition(start >= 0 && start + pattern.count <= byteCount)
        return withUnsafeBytes { memory in
            memory.baseAddress.map { till_are_same($0 + start, pattern, pattern.count) } ?? pattern.isEmpty
        }
    }
}
