import TillCore
import TillInput
import TillJSON
import TillRows

/// Finds documents inside other text: after the prefix of a log line, in an assignment of a script, in one of several
/// values.
///
///     2026-03-02T10:15:00.120Z stdout F {"status":21003}
///     level=info msg=verified body="{\"status\":0,…}"
///     [INFO] ASN received: {"signedPayload":"eyJ…"}
extension Unwrapper {
    /// Braces and instances in a text in which there is no document, after which no more are tried.
    private static let mostFailures = 16

    /// Whether a text may contain a document after other text; a quick check of its bytes.
    static func mayHoldDocument(_ text: RawSpan) -> Bool {
        if text.firstIndex(of: 0x7B, from: 0, to: text.byteCount) != nil { return true }
        return beginnings.contains { text.contains($0) }
    }

    /// A JWS or JSON in base64, an app receipt, and a legacy receipt as Apple writes it and with spaces.
    private static let beginnings = ["eyJ", "MI", "ewoJ", "ewog"].map { Array($0.utf8) }

    /// Whether it may hold one in another notation than JSON's.
    static func mayHoldNotation(_ text: RawSpan) -> Bool {
        text.contains(dictionaryBeginning) || TextEscape.percent.isIn(text)
            || membersOfInstances.contains { text.contains($0) }
    }

    /// A dictionary of Swift: `["status": 0, …]`.
    private static let dictionaryBeginning = Array("[\"".utf8)

    /// Parts of the names of members, one of which an instance of a class has that is a document.
    private static let membersOfInstances = ["tatus", "ransaction", "eceipt"].map { Array($0.utf8) }

    /// A search of one text: what it found, and how far it may go on.
    private struct LineSearch {
        /// Where the text ends; zeros follow (``JSONCursor/padding``).
        let limit: Int
        let depth: Int
        var found = Search()
        /// Braces and instances without a document.
        var failures = 0
        /// What was read, in order.
        var read: [Range<Int>] = []

        var mayTry: Bool { failures < Unwrapper.mostFailures }

        init(limit: Int, depth: Int) {
            (self.limit, self.depth) = (limit, depth)
        }
    }

    /// Searches text from each `{`, and from what begins as base64 of a document does.
    mutating func documents(amid text: RawSpan, depth: Int, rows: inout RowBatch) -> Search {
        guard Self.mayHoldDocument(text) || Self.mayHoldNotation(text) else { return Search() }
        var search = LineSearch(limit: text.byteCount, depth: depth)
        var bytes = text.copied
        bytes.append(contentsOf: repeatElement(0, count: JSONCursor.padding))
        var index = 0
        while index < text.byteCount {
            index = searchDocument(at: index, of: bytes.span.bytes, &search, rows: &rows)
        }
        var found = search.found
        found.pair()
        if found.documents.contains(where: \.isPartOfResponse), text.isFragment(outside: search.read) {
            found.documents.removeAll(where: \.isPartOfResponse)
            found.broken.append(FoundDocument(kind: .fragment, text: text.copied))
        }
        if !found.documents.isEmpty {
            var line = TextMember.facts(in: text, outside: search.read)
            line.loggedAt = ClientLogLine.date(text)?.milliseconds
            for index in found.documents.indices { found.documents[index].envelope.fill(from: line) }
        }
        return found
    }

    /// Searches the document that begins at an index, if one does; gives where the search goes on.
    @inline(__always)  // Called for nearly every byte.
    private mutating func searchDocument(
        at index: Int,
        of text: RawSpan,
        _ search: inout LineSearch,
        rows: inout RowBatch
    ) -> Int {
        let next = index + 1 < search.limit ? text.byte(index + 1) : 0
        var end: Int?
        switch text.byte(index) {
        case 0x7B where search.mayTry:
            end = documents(inJSONAt: index, of: text, &search, rows: &rows)
            if end == nil { search.failures += 1 }
        case 0x5B where next == 0x22 && search.mayTry:
            // A dictionary of Swift, if it is no array.
            end =
                documents(inLiteralAt: index, of: text, &search, rows: &rows)
                ?? brokenDocument(at: index, of: text, &search)
            if end == nil { search.failures += 1 }
        case 0x5C, 0x25:
            // The letters and digits of an escape do not begin the word behind it: `eyJ…\neyJ…`, `eyJ…%2CeyJ…`.
            return index + text.extracting(0..<search.limit).escapeWidth(at: index)
        case 0x41...0x5A, 0x61...0x7A, 0x30...0x39:
            return documents(inWordAt: index, of: text, &search, rows: &rows)
        case 0x23 where next == 0x3C:
            end = max(documents(inInstance: index..<index, of: text, &search, rows: &rows), index + 1)
        default: break
        }
        guard let end else { return index + 1 }
        search.read.append(index..<end)
        return end
    }

    /// Searches base64 of a document that begins at a word, and the class instance that the word names; gives where the
    /// search goes on. A document never begins inside a word.
    private mutating func documents(
        inWordAt start: Int,
        of padded: RawSpan,
        _ search: inout LineSearch,
        rows: inout RowBatch
    ) -> Int {
        let text = padded.extracting(0..<search.limit)
        let word = start..<max(text.endOfRun(from: start), start + 1)
        if word.count >= Self.shortestText, text.beginsRun(at: start) {
            if text.isPurchaseOfReceipt(word) {
                search.found.broken.append(FoundDocument(kind: .fragment, text: text.copied))
                return search.limit
            }
            let found = documents(inRun: text.extracting(word), search.depth, rows: &rows)
            if !found.documents.isEmpty { search.read.append(word) }
            search.found.append(found)
        }
        let behind = documents(inInstance: word, of: padded, &search, rows: &rows)
        if behind > word.upperBound { search.read.append(start..<behind) }
        return behind
    }

    /// Searches the class instance whose bracket follows its name, or that begins with `#<`; returns its end, or the
    /// end of the name if there is none. An instance of an error is not searched, because the line has more data about
    /// the error.
    private mutating func documents(
        inInstance name: Range<Int>,
        of text: RawSpan,
        _ search: inout LineSearch,
        rows: inout RowBatch
    ) -> Int {
        let start = name.upperBound
        guard start < search.limit, search.mayTry, name.isEmpty || text.beginsInstance(name, limit: search.limit) else {
            return start
        }
        var inner = LineSearch(limit: search.limit, depth: search.depth)
        let end =
            documents(inLiteralAt: start, of: text, &inner, rows: &rows)
            ?? brokenDocument(at: start, of: text, &inner)
        guard let end, inner.found.holdsMoreThanLines || !inner.found.broken.isEmpty else {
            search.failures += 1
            return start
        }
        search.found.append(inner.found)
        return end
    }

    /// Searches the JSON at a brace; gives where it ends, `nil` if there is none.
    private mutating func documents(
        inJSONAt start: Int,
        of text: RawSpan,
        _ search: inout LineSearch,
        rows: inout RowBatch
    ) -> Int? {
        let (limit, depth) = (search.limit, search.depth)
        if text.beginsEscapedJSON(at: start) {
            let (unescaped, end) = text.extracting(0..<limit).unescaped(from: start)
            let found = inside(.escapes, of: text.extracting(start..<end), isCertain: false) { unwrapper in
                unwrapper.documents(inText: unescaped.span.bytes, depth: depth + 1, rows: &rows)
            }
            if let found { search.found.append(found) }
            return end
        }
        if let end = LegacyFormat.endOfReceipt(in: text, at: start, limit: limit) {
            search.found.documents.append(FoundDocument(kind: .receipt, text: text.extracting(start..<end).copied))
            return end
        }
        var cursor = JSONCursor(text, at: start, limit: limit)
        let found = inside(.object, of: text.extracting(start..<limit)) { unwrapper in
            try? unwrapper.search(value: &cursor, depth: depth + 1, rows: &rows)
        }
        guard let found else {
            return documents(inLiteralAt: start, of: text, &search, rows: &rows)
                ?? brokenDocument(at: start, of: text, &search)
        }
        search.found.append(found)
        return cursor.position
    }

    /// Keeps a broken or truncated object, in JSON or in the notation of a program, as a document if one of its keys
    /// identifies a format; returns its end.
    ///
    /// It becomes a reject. The objects inside it are not documents by themselves: they would lack the members around
    /// them, such as a failure status, or the environment.
    private mutating func brokenDocument(at start: Int, of text: RawSpan, _ search: inout LineSearch) -> Int? {
        let limit = search.limit
        // The end of an object that is not closed may show only at the end of the text.
        guard spend(limit - start) else {
            hasLeftOut = true
            return nil
        }
        let isDocument: Bool
        if var json = ProgramLiteral.beginning(text.extracting(0..<limit), at: start) {
            let count = json.count
            json.append(contentsOf: repeatElement(0, count: JSONCursor.padding))
            isDocument = decoder.detector.tellsFormat(ofBroken: JSONCursor(json.span.bytes, limit: count))
        } else {
            isDocument = decoder.detector.tellsFormat(ofBroken: JSONCursor(text, at: start, limit: limit))
        }
        guard isDocument else { return nil }
        // Lines of a dictionary of Swift begin with anything, so it ends with its bracket alone.
        let end =
            switch text.byte(start) {
            case 0x5B: Framer.closingBracket(in: text, from: start, to: limit)
            case 0x7B: Framer.endOfBrokenJSON(in: text, at: start, limit: limit, isFinal: true)
            // An instance that cannot be read has brackets of other languages.
            default: limit
            }
        let broken = text.extracting(start..<(end ?? limit)).copied
        search.found.broken.append(FoundDocument(kind: .other, text: broken))
        return end ?? limit
    }

    /// Searches the object of a program that begins at a bracket; gives where it ends, `nil` if there is none.
    private mutating func documents(
        inLiteralAt start: Int,
        of text: RawSpan,
        _ search: inout LineSearch,
        rows: inout RowBatch
    ) -> Int? {
        let depth = search.depth
        guard searchesNotations, spend(search.limit - start),
            let literal = ProgramLiteral.json(text.extracting(0..<search.limit), at: start)
        else {
            return nil
        }
        let found = inside(.literal, of: text.extracting(start..<literal.end), isCertain: false) { unwrapper in
            unwrapper.documents(inText: literal.json.span.bytes, depth: depth + 1, rows: &rows)
        }
        if let found { search.found.append(found) }
        return literal.end
    }

    /// A JWS, or the base64 of a receipt or of JSON, inside other text.
    private mutating func documents(inRun run: RawSpan, _ depth: Int, rows: inout RowBatch) -> Search {
        if let found = document(whole: run) { return Search(documents: found.documents) }
        guard run.byte(0) == 0x65, !run.hasPeriod else { return Search() }
        return documents(inBase64: run, depth: depth, rows: &rows) ?? Search()
    }
}

extension RawSpan {
    /// Whether the text is a piece of JSON, of which the values in `values` were read: behind one of them a bracket is
    /// closed that was not opened, or another member or a cut follows.
    ///
    ///     …00Z"}, {"transaction_id":"1", …}], "latest_receipt":"MIIT…"}        cut at its beginning
    ///     {"transaction_id":"1", …},                                          a line of a list
    fileprivate func isFragment(outside values: [Range<Int>]) -> Bool {
        var openBrackets = 0
        var index = 0
        for (number, value) in values.enumerated() {
            while index < value.lowerBound {
                if byte(index).opensBracket { openBrackets += 1 }
                if byte(index).closesBracket { openBrackets = max(0, openBrackets - 1) }
                index += 1
            }
            index = value.upperBound
            let next = number + 1 < values.count ? values[number + 1].lowerBound : byteCount
            while index < next, byte(index) <= 0x20 || byte(index).closesBracket {
                if byte(index).closesBracket {
                    if openBrackets == 0 { return true }
                    openBrackets -= 1
                }
                index += 1
            }
            // A member of a property list: `receipt = {…};`
            if index < next, byte(index) == 0x3B, openBrackets == 0,
                Framer.isPropertyList(in: self, at: value.lowerBound, limit: value.upperBound)
            {
                return true
            }
            guard index < next, byte(index) == 0x2C else { continue }
            guard let behind = (index + 1..<byteCount).first(where: { byte($0) > 0x20 }) else { return true }
            if byte(behind) == 0x22, beginsMember(at: behind) { return true }
        }
        return false
    }

    /// Whether base64 is the purchase of a legacy receipt, as a line of it: `"purchase-info" = "ewoJ…";`. The
    /// environment and the signature of the receipt are in other lines.
    fileprivate func isPurchaseOfReceipt(_ run: Range<Int>) -> Bool {
        let name = Self.purchaseInfo
        // Quotes, an equals sign and spaces stand between; quotes may be escaped in several ways, such as `&quot;`.
        let reach = 32
        guard let start = firstIndex(of: name, from: max(0, run.lowerBound - name.count - reach), to: run.lowerBound),
            firstIndex(of: 0x3D, from: start + name.count, to: run.lowerBound) != nil
        else { return false }
        return firstIndex(of: 0x3B, from: run.upperBound, to: min(byteCount, run.upperBound + reach)) != nil
    }

    /// Whether a name in quotes and a colon stand at an index.
    private func beginsMember(at start: Int) -> Bool {
        let reach = min(byteCount, start + 64)
        guard let quote = (start + 1..<max(start + 1, reach)).first(where: { byte($0) == 0x22 }) else { return false }
        return (quote + 1..<byteCount).first { byte($0) > 0x20 }.map { byte($0) == 0x3A } ?? false
    }

    /// Whether a word and the bracket after it begin a class instance; the class name begins with a capital:
    /// `shop.Receipt(id=`.
    fileprivate func beginsInstance(_ word: Range<Int>, limit: Int) -> Bool {
        guard byte(word.upperBound) == 0x28 || byte(word.upperBound) == 0x5B else { return false }
        let period = lastIndex(of: 0x2E, before: word.upperBound) ?? -1
        let start = max(word.lowerBound, period + 1)
        guard start < word.upperBound, (0x41...0x5A).contains(byte(start)) else { return false }
        return ProgramLiteral.beginsMember(extracting(0..<limit), at: word.upperBound + 1)
    }

    private static let purchaseInfo = Array("purchase-info".utf8)

    /// The length of the escape of a separator that begins at an index, such as `\n`, `\u000a` and `%2C`; 1 if there is
    /// none.
    fileprivate func escapeWidth(at start: Int) -> Int {
        func isSeparator(_ digits: Range<Int>) -> Bool {
            guard digits.upperBound <= byteCount else { return false }
            var value = 0
            for index in digits {
                guard let digit = byte(index).hexadecimalValue else { return false }
                value = value << 4 | digit
            }
            return [0x09, 0x0A, 0x0D, 0x20, 0x2C, 0x3B, 0x7C].contains(value)
        }
        guard start + 1 < byteCount else { return 1 }
        if byte(start) == 0x25 { return isSeparator(start + 1..<start + 3) ? 3 : 1 }
        switch byte(start + 1) {
        case 0x6E, 0x72, 0x74: return 2
        case 0x78: return isSeparator(start + 2..<start + 4) ? 4 : 1
        case 0x75: return isSeparator(start + 2..<start + 6) ? 6 : 1
        default: return 1
        }
    }

    /// Whether base64 of a document may begin at an index: `MI…` or `e…`.
    fileprivate func beginsRun(at start: Int) -> Bool {
        byte(start) == 0x65 || byte(start) == 0x4D && start + 1 < byteCount && byte(start + 1) == 0x49
    }

    /// Where the digits of base64 and the periods end that begin at an index; digits may be percent-encoded.
    fileprivate func endOfRun(from start: Int) -> Int {
        var index = endOfDigits(from: start)
        while index < byteCount {
            if byte(index) == 0x2E {
                index += 1
            } else if byte(index) == 0x25, Self.encodedDigits.contains(where: { stands($0, at: index) }) {
                index += 3
            } else {
                break
            }
            index = endOfDigits(from: index)
        }
        while index < byteCount, byte(index) == 0x3D { index += 1 }
        return index
    }

    fileprivate var hasPeriod: Bool { firstIndex(of: 0x2E, from: 0, to: byteCount) != nil }

    /// `+`, `/` and `=`.
    private static let encodedDigits = ["%2B", "%2F", "%3D", "%2b", "%2f", "%3d"].map { Array($0.utf8) }
}

extension UInt8 {
    fileprivate var opensBracket: Bool { self == 0x7B || self == 0x5B }
    fileprivate var closesBracket: Bool { self == 0x7D || self == 0x5D }
}
