import CKernels

/// Finds where documents start and end in a stream that may mix all framings.
///
///     {"status":0}⏎{"status":0}⏎          NDJSON
///     {"status":0}{⏎  "status": 0⏎}       concatenated, pretty-printed
///     [{"status":0},⏎{"status":0}]        an array of documents
///     MIIT…⏎MIIT…⏎                        base64, a line each
///     -----BEGIN PKCS7-----⏎…             PEM
///     0x30 0x82 …                         DER
///
/// Brackets of arrays and commas between documents are only separators, so no state is carried from one document to the
/// next. Therefore a stream can be cut into chunks that are read in parallel, with the same documents as in a single
/// pass. The end of JSON is known only after reading it, so its reader gives the end.
public enum Framer {
    /// The kind of a document by its first bytes.
    public enum Start: Sendable {
        /// `{` or `"`.
        case json
        /// `{` with a key and `=` behind it: an ASCII property list.
        case propertyList
        /// `<?xml`, `<!DOCTYPE` or `<plist`.
        case xml
        /// `-----BEGIN`.
        case pem
        /// `30` and an octet of 80 or more: a SEQUENCE of indefinite length or longer than 127 octets (X.690 §8.1.3).
        case der
        /// Anything else.
        case text
        /// White space and separators up to the end.
        case nothing
    }

    /// Skips white space and separators, counting line feeds and open brackets.
    ///
    /// Control characters are white space: logs have NULs after a rotation, and JSON text sequences have record
    /// separators (RFC 7464). Separators are `,`, `]`, and `[` where it opens an array. A `[` that begins a line of text
    /// is not a separator, nor is one that needs more bytes (``bracket(in:at:limit:isFinal:)``). A byte order mark
    /// (U+FEFF in UTF-8) is skipped at the start of the stream.
    ///
    /// - Parameters:
    ///   - streamOffset: where `bytes` begin in the stream.
    ///   - lines: is increased by the number of line feeds.
    ///   - openBrackets: is increased for each `[` that is skipped and decreased for each `]`.
    public static func skipSeparators(
        in bytes: RawSpan,
        at position: inout Int,
        limit: Int,
        isFinal: Bool = true,
        streamOffset: Int,
        lines: inout Int,
        openBrackets: inout Int
    ) {
        if streamOffset == 0, position == 0, limit >= 3, bytes.matches([0xEF, 0xBB, 0xBF], at: 0) { position = 3 }
        while position < limit {
            switch bytes.byte(position) {
            case 0x0A: lines += 1
            case 0x5B:
                guard bracket(in: bytes, at: position, limit: limit, isFinal: isFinal) == .array else { return }
                openBrackets += 1
            case 0x5D: openBrackets -= 1
            case 0x2C: break
            case let byte where isPadding(byte): break
            default: return
            }
            position += 1
        }
    }

    /// Whether a byte between documents is passed over: control characters and white space.
    public static func isPadding(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x7F }

    /// The kind of document at `position`, which must not be on white space or a separator.
    public static func start(in bytes: RawSpan, at position: Int, limit: Int) -> Start {
        guard position < limit else { return .nothing }
        switch bytes.byte(position) {
        case 0x7B: return isPropertyList(in: bytes, at: position, limit: limit) ? .propertyList : .json
        case 0x22: return .json
        case 0x3C where xmlBeginnings.contains(where: { bytes.matches($0, at: position) }): return .xml
        case 0x30 where isSequence(in: bytes, at: position, limit: limit): return .der
        case 0x2D where bytes.matches(pemBegin, at: position): return .pem
        default: return .text
        }
    }

    /// Whether the SEQUENCE of a receipt, a certificate or a key begins: its length is long or indefinite, and its
    /// contents begin with an OBJECT IDENTIFIER, a SEQUENCE or an INTEGER. The digit 0 has the octet of its tag, and a
    /// letter behind it may have that of a long length.
    private static func isSequence(in bytes: RawSpan, at position: Int, limit: Int) -> Bool {
        guard position + 1 < limit, (0x80...0x84).contains(bytes.byte(position + 1)) else { return false }
        let contents = position + 2 + Int(bytes.byte(position + 1) & 0x7F)
        return contents >= limit || [0x06, 0x30, 0x02].contains(bytes.byte(contents))
    }

    static let xmlBeginnings = ["<?xml", "<!DOCTYPE plist", "<plist"].map { Array($0.utf8) }
    static let pemBegin = Array("-----BEGIN".utf8)
    static let pemEnd = Array("-----END".utf8)
    private static let pemHyphens = Array("-----".utf8)

    /// Where the line at `position` ends, its line feed excluded; `nil` where its line feed is not among the bytes yet.
    public static func endOfLine(in bytes: RawSpan, at position: Int, limit: Int, isFinal: Bool) -> Int? {
        if let end = bytes.firstIndex(of: 0x0A, from: position, to: limit) { return end }
        return isFinal ? limit : nil
    }

    /// The end of a document that begins like JSON but could not be read.
    ///
    /// If a bracket outside quotes closes it on its first line, it ends there, and the rest of the line is read as
    /// further documents. Otherwise it ends with its line, or with the last of the lines after it that only continue it
    /// (``ContinuedJSON``).
    ///
    /// - Returns: `nil` where the end is not among the bytes yet.
    public static func endOfBrokenJSON(in bytes: RawSpan, at start: Int, limit: Int, isFinal: Bool) -> Int? {
        // It may be a property list.
        if !isFinal, bytes.byte(start) == 0x7B, case .cut = opening(in: bytes, at: start, limit: limit) { return nil }
        if let end = closing(in: bytes, from: start, to: limit) { return end }
        guard var end = endOfLine(in: bytes, at: start, limit: limit, isFinal: isFinal) else { return nil }
        var json = ContinuedJSON()
        while end < limit {
            let next = end + 1
            guard next < limit else { return isFinal ? end : nil }
            guard json.isContinued(by: next, in: bytes) else { return end }
            guard let following = endOfLine(in: bytes, at: next, limit: limit, isFinal: isFinal) else { return nil }
            json.append(next..<following, in: bytes)
            end = following
        }
        return end
    }

    /// Whether a line that begins with `byte` can only continue a document.
    static func isContinuation(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0D, 0x0A, 0x7D, 0x5D, 0x2C: true
        default: false
        }
    }

    /// One past the bracket that closes the one at `start` on the same line; `nil` where none does. Brackets in quotes
    /// do not count.
    ///
    /// The search never reads past the closing bracket. Otherwise many broken documents on one line would take time in
    /// the square of its length.
    private static func closing(in bytes: RawSpan, from start: Int, to end: Int) -> Int? {
        var depth = 0
        var isQuoted = false
        var index = start
        while index < end {
            // Most of a document is in quotes.
            if isQuoted {
                index += bytes.plainRun(at: index, to: end)
                if index == end { break }
            }
            switch bytes.byte(index) {
            case 0x0A: return nil
            case 0x5C where isQuoted && !(index + 1 < end && bytes.byte(index + 1) == 0x0A): index += 1
            case 0x22: isQuoted.toggle()
            case 0x7B where !isQuoted, 0x5B where !isQuoted: depth += 1
            case 0x7D where !isQuoted, 0x5D where !isQuoted:
                depth -= 1
                if depth == 0 { return index + 1 }
            default: break
            }
            index += 1
        }
        return nil
    }

    /// Where a document of plain text ends. It ends with its line, unless it is an error dump, JSON behind other text,
    /// or wrapped base64, which may span lines.
    ///
    /// - Returns: `nil` where the end is not among the bytes yet.
    public static func endOfText(
        in bytes: RawSpan,
        at start: Int,
        limit: Int,
        isFinal: Bool,
        lookahead: inout TextLookahead
    ) -> Int? {
        if start < limit, bytes.byte(start) == 0x5B,
            bracket(in: bytes, at: start, limit: limit, isFinal: isFinal) == .undecided
        {
            return nil
        }
        switch endOfElement(in: bytes, at: start, limit: limit) {
        case .at(let end): return end
        case .cut where !isFinal: return nil
        case .cut, .none: break
        }
        guard let end = endOfLine(in: bytes, at: start, limit: limit, isFinal: isFinal) else { return nil }
        if let dump = errorDump(in: bytes, at: start, to: end) {
            return endOfErrorDump(
                in: bytes,
                at: start,
                dump: dump,
                lineEnd: end,
                limit: limit,
                isFinal: isFinal,
                lookahead: &lookahead
            )
        }
        if end > start, mayGoOnAsJSON(in: bytes, lineEnd: end) {
            return endOfIndentedJSON(
                in: bytes,
                firstLine: start..<end,
                limit: limit,
                isFinal: isFinal,
                lookahead: &lookahead
            )
        }
        return endOfBase64(in: bytes, firstLine: start..<end, limit: limit, isFinal: isFinal, lookahead: &lookahead)
    }

    /// Where a PEM block ends: with its END label, or, without one, before the first line that begins another document.
    /// Both labels may be on one line, where line feeds became spaces.
    ///
    /// - Returns: `nil` where the end is not among the bytes yet.
    public static func endOfPEM(in bytes: RawSpan, at start: Int, limit: Int, isFinal: Bool) -> Int? {
        var line = start
        while true {
            guard let end = endOfLine(in: bytes, at: line, limit: limit, isFinal: isFinal) else { return nil }
            // A text that ends with a line feed has no byte where the next line would begin.
            let isOther = line < limit && (bytes.matches(pemBegin, at: line) || isForeignToPEM(bytes.byte(line)))
            if line > start, isOther { return line - 1 }
            if let mark = bytes.firstIndex(of: pemEnd, from: line, to: end) {
                return endOfLabel(in: bytes, at: mark + pemEnd.count, lineEnd: end)
            }
            if end == limit { return end }
            line = end + 1
        }
    }

    /// Whether a line that begins with `byte` can begin a document, but cannot be base64, a header (RFC 1421 §4.6) or
    /// empty.
    private static func isForeignToPEM(_ byte: UInt8) -> Bool { [0x7B, 0x5B, 0x22, 0x3C].contains(byte) }

    /// Where the label of PEM ends whose name begins at `start`: behind its hyphens, or with its line.
    private static func endOfLabel(in bytes: RawSpan, at start: Int, lineEnd: Int) -> Int {
        bytes.firstIndex(of: pemHyphens, from: start, to: lineEnd).map { $0 + pemHyphens.count } ?? lineEnd
    }

    /// The text between the BEGIN and END labels of the PEM block that fills `range`.
    public static func pemBody(in bytes: RawSpan, _ range: Range<Int>) -> Range<Int> {
        let lineEnd = bytes.firstIndex(of: 0x0A, from: range.lowerBound, to: range.upperBound) ?? range.upperBound
        let name = min(range.lowerBound + pemBegin.count, lineEnd)
        let start = endOfLabel(in: bytes, at: name, lineEnd: lineEnd)
        return start..<(bytes.firstIndex(of: pemEnd, from: start, to: range.upperBound) ?? range.upperBound)
    }

    /// Whether the brace at `start` opens an ASCII property list: a key follows, quoted or bare, and then `=`. JSON has
    /// a quoted key and `:` (quirk 2).
    ///
    /// A quoted key that the end of the bytes cuts counts as JSON. A bare key that is cut counts as a property list,
    /// because the reader of JSON would reject it before the rest arrives.
    public static func isPropertyList(in bytes: RawSpan, at start: Int, limit: Int) -> Bool {
        switch opening(in: bytes, at: start, limit: limit) {
        case .json, .cut(isBare: false): false
        case .propertyList, .cut(isBare: true): true
        }
    }

    /// The kind of document by the first key behind its brace.
    private enum Opening {
        case json, propertyList
        /// The bytes end before that shows.
        case cut(isBare: Bool)
    }

    /// Bytes, the brace among them, in which a property list shows its first key and `=`. What shows none there is
    /// JSON.
    private static let longestOpening = 256

    private static func opening(in bytes: RawSpan, at start: Int, limit: Int) -> Opening {
        let end = min(limit, start + longestOpening)
        if beginsAsJSON(bytes, at: start, limit: limit) { return .json }
        func cut(isBare: Bool = false) -> Opening { limit < start + longestOpening ? .cut(isBare: isBare) : .json }
        var index = start + 1
        func skipSpace() {
            while index < end, bytes.byte(index).isSpace { index += 1 }
        }
        skipSpace()
        guard index < end else { return cut() }
        let isQuoted = bytes.byte(index) == 0x22
        if isQuoted {
            guard let quote = bytes.firstIndex(of: 0x22, from: index + 1, to: end) else { return cut() }
            index = quote + 1
        } else {
            let first = index
            while index < end, isBare(bytes.byte(index)) { index += 1 }
            guard index > first else { return .json }
        }
        skipSpace()
        guard index < end else { return cut(isBare: !isQuoted) }
        return bytes.byte(index) == 0x3D ? .propertyList : .json
    }

    /// Whether a quoted key of at most 32 bytes and a colon follow the brace at once. Nearly all JSON that is not
    /// pretty-printed begins so.
    private static func beginsAsJSON(_ bytes: RawSpan, at start: Int, limit: Int) -> Bool {
        guard start + 36 <= limit, bytes.byte(start + 1) == 0x22 else { return false }
        let quote = bytes.withUnsafeBytes { memory in
            start + 2 + (memory.baseAddress.map { Int(till_plain_prefix32($0 + start + 2)) } ?? 0)
        }
        return bytes.byte(quote) == 0x22 && bytes.byte(quote + 1) == 0x3A
    }

    /// Whether a byte may stand in a bare string of an ASCII property list (``PropertyListParser``).
    static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x5F, 0x2E, 0x2F, 0x3A, 0x24, 0x2D: true
        default: false
        }
    }

    /// Where the ASCII property list at `start` ends: after the brace that closes it. If none does within
    /// ``PropertyListLimits/byteCount`` bytes, it ends like broken JSON. Braces in quotes do not count.
    ///
    /// - Returns: `nil` where the end is not among the bytes yet.
    public static func endOfPropertyList(
        in bytes: RawSpan,
        at start: Int,
        limit: Int,
        isFinal: Bool,
        lookahead: inout TextLookahead
    ) -> Int? {
        let reach = start + PropertyListLimits.byteCount
        switch lookahead.brackets.closing(in: bytes, from: start, to: min(limit, reach)) {
        case .at(let end): return end
        case .open where !isFinal && limit < reach: return nil
        case .open, .tooDeep: return endOfBrokenJSON(in: bytes, at: start, limit: limit, isFinal: isFinal)
        }
    }

    /// Where to cut `bytes` so that the second part probably begins with a document; `nil` where there is no such
    /// place.
    ///
    /// The cut is after the last line feed before a byte that can begin a document. It is right for documents of one
    /// line. Where it falls inside a document, the reader of the first part stops before the cut, and the caller undoes
    /// the cut.
    public static func lastCut(in bytes: RawSpan, limit: Int) -> Int? {
        var end = limit - 1
        while let lineFeed = bytes.lastIndex(of: 0x0A, before: end) {
            if !isContinuation(bytes.byte(lineFeed + 1)) { return lineFeed + 1 }
            end = lineFeed
        }
        return nil
    }

    /// Where a document over the size limit ends: at the first line feed before a byte that can begin a document.
    ///
    /// - Returns: `nil` where the end is not among the bytes yet.
    public static func endOfOversized(in bytes: RawSpan, at start: Int, limit: Int, isFinal: Bool) -> Int? {
        var index = start
        while let lineFeed = bytes.firstIndex(of: 0x0A, from: index, to: limit) {
            index = lineFeed + 1
            guard index < limit else { return isFinal ? lineFeed : nil }
            if !isContinuation(bytes.byte(index)) { return lineFeed }
        }
        return isFinal ? limit : nil
    }
}

extension UInt8 {
    /// White space of JSON (RFC 8259 §2).
    var isSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}

extension RawSpan {
    func byte(_ index: Int) -> UInt8 { unsafeLoad(fromByteOffset: index, as: UInt8.self) }

    /// Whether `expected` stands at `start`; `false` where fewer bytes are left.
    func matches(_ expected: [UInt8], at start: Int) -> Bool {
        guard start + expected.count <= byteCount else { return false }
        return expected.indices.allSatisfy { byte(start + $0) == expected[$0] }
    }

    /// The first index in `start..<end` that holds `value`. The range must lie within the bytes.
    public func firstIndex(of value: UInt8, from start: Int, to end: Int) -> Int? {
        guard start < end else { return nil }
        precondition(start >= 0 && end <= byteCount)
        let index = withUnsafeBytes { memory in
            memory.baseAddress.map { start + till_prefix_without($0 + start, end - start, value) } ?? end
        }
        return index < end ? index : nil
    }

    /// The last index before `end` that holds `value`. Eight bytes are compared at a time.
    public func lastIndex(of value: UInt8, before end: Int) -> Int? {
        let pattern = UInt64(value) &* 0x0101_0101_0101_0101
        let (low, high): (UInt64, UInt64) = (0x7F7F_7F7F_7F7F_7F7F, 0x8080_8080_8080_8080)
        var index = end
        while index >= 8 {
            let word = UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: index - 8, as: UInt64.self))
            let difference = word ^ pattern
            // Marks exactly the zero bytes. The usual shorter formula can mark wrong ones above a zero, where this
            // search begins.
            let zeros = ~((difference & low) &+ low | difference) & high
            if zeros != 0 { return index - 1 - zeros.leadingZeroBitCount >> 3 }
            index -= 8
        }
        while index > 0 {
            index -= 1
            if byte(index) == value { return index }
        }
        return nil
    }

    /// The first index that holds `value` and for which `isWanted` is true.
    func firstIndex(of value: UInt8, where isWanted: (Int) -> Bool) -> Int? {
        var start = 0
        while let index = firstIndex(of: value, from: start, to: byteCount) {
            if isWanted(index) { return index }
            start = index + 1
        }
        return nil
    }

    /// How often `value` occurs in `start..<end`.
    public func count(of value: UInt8, from start: Int, to end: Int) -> Int {
        var (count, index) = (0, start)
        while let found = firstIndex(of: value, from: index, to: end) {
            count += 1
            index = found + 1
        }
        return count
    }
}
