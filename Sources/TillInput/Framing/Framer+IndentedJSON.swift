/// JSON over several lines that begins behind other text.
///
///     2026-03-01 10:00:01 INFO received {
///       "status": 0,
///       "environment": "Production"
///     } in 12 ms
///
/// The lines are one document of text, from the first to the one that closes the bracket, whatever the JSON turns out
/// to be. Where none does, they are one document all the same: objects inside JSON that is cut off are no documents by
/// themselves. A dictionary as `NSLog` prints it (`{⏎ status = 21007;⏎}`), or an object of Python or Node, goes on in
/// the same way.
extension Framer {
    /// Bytes of the longest such document.
    static let indentedJSONLimit = 16 << 20
    /// Brackets of the first line that are looked at.
    private static let mostBrackets = 16

    /// The end of a text that begins with a line and goes on in the next ones as JSON; the end of the line if it does
    /// not go on.
    ///
    /// The first line ends with `{`, `[` or `,` and leaves a bracket open, behind which a key, a string, an object or
    /// the end of the JSON follows. Each further line only continues JSON (``ContinuedJSON``). Where another line comes
    /// first, the document ends before it. A dictionary of Swift goes on with lines of any kind up to the bracket that
    /// closes it: it holds arrays of Foundation, `<__NSArrayM 0x…>(`. Where none does within ``indentedJSONLimit``, the
    /// first line is the document.
    ///
    /// - Returns: `nil` where the end is not among the bytes yet.
    static func endOfIndentedJSON(
        in bytes: RawSpan,
        firstLine line: Range<Int>,
        limit: Int,
        isFinal: Bool,
        lookahead: inout TextLookahead
    ) -> Int? {
        guard let open = openBracket(in: bytes, line) else { return line.upperBound }
        let reach = line.lowerBound + indentedJSONLimit
        let window = min(limit, reach)
        let isCut = !isFinal && limit < reach
        let isPrinted = bytes.byte(open) == 0x5B && open + 1 < line.upperBound && bytes.byte(open + 1) == 0x22
        let foreign =
            isPrinted ? nil : lookahead.continuations.firstOther(in: bytes, from: line.upperBound + 1, to: window)
        let end = foreign ?? window
        guard let first = (open + 1..<max(open + 1, end)).first(where: { bytes.byte($0) > 0x20 }) else {
            return isCut && foreign == nil ? nil : line.upperBound
        }
        guard mayFollow(open, first, in: bytes, to: end) || isPropertyList(in: bytes, at: open, limit: end) else {
            return line.upperBound
        }
        switch lookahead.indented.closing(in: bytes, from: open, to: end) {
        case .at(let close): return endOfLine(in: bytes, at: close, limit: limit, isFinal: isFinal)
        case .open where isCut && foreign == nil: return nil
        case .open where !isPrinted && (foreign != nil || limit < reach):
            var last = end
            while bytes.byte(last - 1) <= 0x20 { last -= 1 }
            return last
        case .open, .tooDeep: return line.upperBound
        }
    }

    /// One past the bracket that closes the one at `start`; `nil` where none does, or too many are open. Brackets in
    /// quotes do not count.
    public static func closingBracket(in bytes: RawSpan, from start: Int, to end: Int) -> Int? {
        var brackets = ClosingBrackets()
        guard case .at(let end) = brackets.closing(in: bytes, from: start, to: end) else { return nil }
        return end
    }

    /// Whether the last byte of a line, white space left out, is one behind which JSON goes on. No base64 ends so, and
    /// few lines of a log do.
    static func mayGoOnAsJSON(in bytes: RawSpan, lineEnd: Int) -> Bool {
        var last = lineEnd - 1
        while last > 0, bytes.byte(last) == 0x20 || bytes.byte(last) == 0x0D || bytes.byte(last) == 0x09 { last -= 1 }
        switch bytes.byte(last) {
        case 0x7B, 0x5B, 0x2C: return true
        // An array of Foundation within a dictionary of Swift.
        case 0x28: return last > 0 && last == lineEnd - 1 && bytes.byte(last - 1) == 0x3E
        default: return false
        }
    }

    /// The first bracket of a line that begins JSON and is not closed in the line.
    private static func openBracket(in bytes: RawSpan, _ line: Range<Int>) -> Int? {
        var attempts = 0
        for index in line where bytes.byte(index) == 0x7B || bytes.byte(index) == 0x5B {
            let next = (index + 1..<line.upperBound).first { bytes.byte($0) > 0x20 }
            if next.map({ mayFollow(index, $0, in: bytes, to: line.upperBound) }) ?? true,
                isOpen(in: bytes, index..<line.upperBound)
            {
                return index
            }
            attempts += 1
            guard attempts < mostBrackets else { return nil }
        }
        return nil
    }

    /// Whether what stands at `next` may follow a bracket in JSON whose documents are objects and strings, or in an
    /// object of Python or Node.
    private static func mayFollow(_ bracket: Int, _ next: Int, in bytes: RawSpan, to end: Int) -> Bool {
        let byte = bytes.byte(next)
        guard bytes.byte(bracket) == 0x7B else { return [0x22, 0x5D, 0x7B, 0x5B].contains(byte) }
        if byte == 0x22 || byte == 0x7D || byte == 0x27 { return true }
        // A key without quotes: no key of a document has more bytes than 64.
        let reach = min(end, next + 64)
        guard let behind = (next..<reach).first(where: { !isPartOfKey(bytes.byte($0)) }), behind > next else {
            return false
        }
        return bytes.byte(behind) == 0x3A
    }

    private static func isPartOfKey(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
        default: false
        }
    }

    /// Whether the bracket at the start of a range is open at its end, which is not in quotes. Brackets in quotes do
    /// not count.
    private static func isOpen(in bytes: RawSpan, _ range: Range<Int>) -> Bool {
        var (depth, isQuoted, index) = (0, false, range.lowerBound)
        while index < range.upperBound {
            switch bytes.byte(index) {
            case 0x5C where isQuoted: index += 1
            case 0x22: isQuoted.toggle()
            case 0x7B where !isQuoted, 0x5B where !isQuoted: depth += 1
            case 0x7D where !isQuoted, 0x5D where !isQuoted:
                depth -= 1
                if depth == 0 { return false }
            default: break
            }
            index += 1
        }
        return !isQuoted
    }
}

/// Lines that only continue a document (``ContinuedJSON``), and the first that does not. Each is looked at once, and
/// not once for each document that may go on in it.
struct ContinuationLines {
    /// From the beginning of a line to that of another one; all lines that begin in between are continuations.
    private var lines = 0..<0
    /// Whether the line at the end of ``lines`` is no continuation.
    private var isOther = false
    /// Bytes up to here, from the end of ``lines`` on, are no line feeds.
    private var searched = 0
    private var json = ContinuedJSON()
    private(set) var bytesSeen = 0

    /// Where the first line begins, from the one at `start` on and before `end`, that continues no document; `nil`
    /// where none does.
    mutating func firstOther(in bytes: RawSpan, from start: Int, to end: Int) -> Int? {
        // As the first of the lines, an element continues nothing, and behind any other line it does not matter which
        // came before.
        if start < end, ContinuedJSON.beginsElement(bytes.byte(start)) { return start }
        if start < lines.lowerBound || start > lines.upperBound {
            (lines, isOther, searched, json) = (start..<start, false, start, ContinuedJSON())
        }
        var line = lines.upperBound
        while !isOther, line < end {
            if line == searched {
                isOther = !json.isContinued(by: line, in: bytes)
                if isOther { break }
            }
            let before = searched
            guard let lineFeed = bytes.firstIndex(of: 0x0A, from: searched, to: end) else {
                searched = max(searched, end)
                bytesSeen += searched - before
                break
            }
            json.append(line..<lineFeed, in: bytes)
            line = lineFeed + 1
            searched = line
            bytesSeen += searched - before
        }
        lines = lines.lowerBound..<line
        return isOther && line < end ? line : nil
    }
}

/// Tells of the lines behind the first one of JSON which of them only continue it.
///
///     {                                  pretty-printed: white space, a closing bracket or a comma
///       "status": 0,
///     }
///     {"status":0, "environment":"Sandbox",        as Apple's server writes it: a key behind what JSON goes on after
///     "receipt":{"bundle_id":"com.example.shop",
///     "in_app":[
///     {"quantity":"1", …},                         and, behind such a line that opens a list, its elements
///     {"quantity":"1", …}]}}
///
/// A line that begins with a brace is otherwise a document of its own.
struct ContinuedJSON {
    /// Whether a line that begins with a brace is an element of a list.
    private var isInList = false

    /// Whether a line that begins with a byte is a document of its own, or an element of a list.
    static func beginsElement(_ byte: UInt8) -> Bool { byte == 0x7B }

    /// Whether the line that begins at an index, behind another one, only continues the JSON of those before it.
    func isContinued(by line: Int, in bytes: RawSpan) -> Bool {
        let byte = bytes.byte(line)
        if Framer.isContinuation(byte) { return true }
        guard byte == 0x22 || isInList && Self.beginsElement(byte) else { return false }
        return Framer.mayGoOnAsJSON(in: bytes, lineEnd: line - 1)
    }

    /// Notes a line that continues the JSON.
    mutating func append(_ line: Range<Int>, in bytes: RawSpan) {
        var end = line.upperBound
        while end > line.lowerBound, bytes.byte(end - 1) <= 0x20 { end -= 1 }
        let last = end > line.lowerBound ? bytes.byte(end - 1) : 0
        switch bytes.byte(line.lowerBound) {
        case 0x22: isInList = last == 0x5B
        case 0x7B: isInList = isInList && last == 0x2C
        default: isInList = false
        }
    }
}
