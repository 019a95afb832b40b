import TillColumns
import TillCore
import TillInput
import TillJSON
import TillRows

/// Finds the documents inside JSON that is no document itself.
///
///     {"environment":"Production","signedTransactions":["eyJ…","eyJ…"]}        two documents
///     {"Records":[{"body":"{\"signedPayload\":\"eyJ…\"}"}]}                     one in each body
///     {"request":{"body":"receipt-data=MII…"},"response":{"status":0,…}}       one, the response
///
/// Members are searched by their values, not by their names. An object that a format recognizes is a document; a string
/// is one if it is a JWS of Apple's, a receipt, or text that holds one (``Unwrapper/documents(inText:depth:rows:)``).
/// Three rules hold for an object with several of them:
///
/// - A signed document takes precedence over unsigned members with the same content (``Search/dropDecodedCopies()``).
/// - A receipt beside the response to it is not a document of its own (``Search/pair()``).
/// - A line about a failure counts only where no event or response was found beside it, once for an object. A list
///   holds records of their own. An exception with the errors under it is one line (``Search/takeException(of:)``).
extension Unwrapper {
    /// Objects, arrays and texts inside one another that are searched; deeper ones are not.
    static let searchDepth = 32

    /// Bytes of text that are searched for each byte of a document; text in text counts again. Broken JSON inside
    /// broken JSON would otherwise be searched twice for each level.
    static let searchFactor = 32

    /// Begins the search of a JSON document. Each string that is found adds to the allowance of searched bytes.
    ///
    /// - Parameter keepsLayers: whether the documents that are found keep the layers around them.
    mutating func beginSearch(keepsLayers: Bool) {
        (searchable, inflatable, textDepth) = (4096 * Self.searchFactor, Self.mostInflated, 0)
        (opened, deepest, hasLeftOut) = (OpenedLayers(), OpenedLayers(), false)
        self.keepsLayers = keepsLayers
        searchesNotations = true
    }

    /// Searches what is inside a layer, and names the layer: in a reject, if nothing is found, and in the trace of what
    /// is found.
    ///
    /// - Parameters:
    ///   - text: the layer, as it is before it is taken off.
    ///   - isCertain: whether the text shows by itself that it is such a layer. One that may be ordinary text is named
    ///     in a reject only where a further layer was found in it.
    ///   - search: gives `nil` if the text is no such layer.
    mutating func inside(
        _ layer: DocumentTrace.Layer.Kind,
        of text: RawSpan,
        isCertain: Bool = true,
        _ search: (inout Unwrapper) -> Search?
    ) -> Search? {
        let deepestBefore = deepest
        opened.open(layer)
        if isCertain, opened.count > deepest.count { deepest = opened }
        let found = search(&self)
        opened.close()
        guard var found else {
            deepest = deepestBefore
            return nil
        }
        if keepsLayers { found.prepend(layer, text.copied) }
        return found
    }

    /// Begins the search of a document that is other text of so many bytes.
    mutating func beginSearch(ofText byteCount: Int, keepsLayers: Bool) {
        beginSearch(keepsLayers: keepsLayers)
        searchable += byteCount * Self.searchFactor
        textDepth = 1
    }

    /// Bytes that gzip inside one document may inflate to.
    private static let mostInflated = 16 << 20

    /// Subtracts the bytes of a text from the allowance of the search; `false` if it is used up.
    mutating func spend(_ byteCount: Int) -> Bool {
        searchable -= byteCount
        return searchable > 0
    }

    /// Whether an object, array or text at this depth is searched; for a text, its bytes are subtracted from the
    /// allowance.
    mutating func mayEnter(_ depth: Int, spending byteCount: Int = 0) -> Bool {
        let isWithin = depth < Self.searchDepth && (byteCount == 0 || spend(byteCount))
        if !isWithin { hasLeftOut = true }
        return isWithin
    }

    /// The documents of a finished search. If the search omitted a text, one more document represents it and becomes a
    /// reject.
    ///
    /// Where nothing was found, the whole document is a reject as it is.
    func counted(_ found: [FoundDocument]) -> [FoundDocument] {
        guard hasLeftOut, !found.isEmpty else { return found }
        return found + [FoundDocument(kind: .unsearched, text: [])]
    }

    /// The documents found in a value.
    struct Search {
        var documents: [FoundDocument] = []
        /// The first two strings that begin like a document but contain none. If there is only one, it is the reason
        /// why nothing was found.
        var nearMisses: [FoundDocument] = []
        /// Objects that would be documents and are broken or cut off. Each becomes a reject, unless another reading of
        /// the text finds documents.
        var broken: [FoundDocument] = []
        /// Whether a value was written with its type (``TypedScalars``).
        var hasTags = false

        /// All that is to be decoded.
        var results: [FoundDocument] { documents + broken }

        mutating func append(_ other: Search) {
            documents += other.documents
            broken += other.broken
            hasTags = hasTags || other.hasTags
            nearMisses += other.nearMisses.prefix(2 - min(2, nearMisses.count))
        }

        /// Makes rejects of signed documents that could not be decoded; beside others, they would be lost.
        mutating func rejectUndecodable() {
            broken += nearMisses.filter { $0.kind == .signed }
            nearMisses.removeAll { $0.kind == .signed }
        }

        /// Puts the name of a member, or the number of an element, before those that lead to the documents.
        mutating func prepend(_ member: String) {
            for index in documents.indices { documents[index].prepend(member) }
            for index in nearMisses.indices { nearMisses[index].prepend(member) }
            for index in broken.indices { broken[index].prepend(member) }
        }

        /// Whether there are documents other than lines about failures.
        var holdsMoreThanLines: Bool { documents.contains { $0.kind != .logLine } }

        /// Whether there are documents other than receipts and JWS, which may stand inside of one.
        var holdsObjects: Bool { documents.contains { $0.kind != .receipt && $0.kind != .signed } }

        /// Puts a layer around the documents.
        mutating func prepend(_ layer: DocumentTrace.Layer.Kind, _ bytes: [UInt8]) {
            for index in documents.indices { documents[index].prepend(layer, bytes) }
            for index in nearMisses.indices { nearMisses[index].prepend(layer, bytes) }
            for index in broken.indices { broken[index].prepend(layer, bytes) }
        }
    }

    /// Searches the value at the cursor, which is moved behind it.
    ///
    /// - Parameters:
    ///   - isRoot: whether the value is known to be no document itself.
    ///   - isNamed: whether a string is a layer that is named already.
    @_lifetime(cursor: copy cursor)
    mutating func search(
        value cursor: inout JSONCursor,
        isRoot: Bool = false,
        isNamed: Bool = false,
        depth: Int,
        rows: inout RowBatch
    ) throws(Finding) -> Search {
        let token = try cursor.token()
        switch token.kind {
        case .object where mayEnter(depth):
            return try search(object: &cursor, isRoot: isRoot, depth: depth, rows: &rows)
        case .array where mayEnter(depth): return try search(array: &cursor, depth: depth, rows: &rows)
        case .object, .array: try cursor.skipContainer()
        case .string: return search(string: token, of: cursor, isNamed: isNamed, depth: depth, rows: &rows)
        default: break
        }
        return Search()
    }

    @_lifetime(cursor: copy cursor)
    private mutating func search(
        array cursor: inout JSONCursor,
        depth: Int,
        rows: inout RowBatch
    ) throws(Finding) -> Search {
        let start = cursor.position
        if let octets = cursor.takeOctets(atLeast: Self.shortestText) {
            if textDepth == 0 { searchable += octets.count * Self.searchFactor }
            return inside(.bytes, of: cursor.bytes.extracting(start..<cursor.position), isCertain: false) { unwrapper in
                unwrapper.documents(inOctets: octets, depth: depth + 1, rows: &rows)
            } ?? Search()
        }
        var all = Search()
        var facts = EnvelopeFacts()
        try cursor.expect(0x5B)
        var isFirst = true
        var number = 0
        while try cursor.nextElement(isFirst: &isFirst) {
            if keepsMembers { opened.members.append("[\(number)]") }
            let start = cursor.position
            if number == 0 { facts.loggedAt = envelopeReader.time(ofEntryAt: cursor) }
            var found = try search(value: &cursor, depth: depth + 1, rows: &rows)
            found.rejectUndecodable()
            if found.results.isEmpty, let text = cursor.bytes.extracting(start..<cursor.position).cutJWS {
                found.broken = [FoundDocument(kind: .signed, text: text)]
            }
            if keepsMembers { opened.members.removeLast() }
            found.prepend("[\(number)]")
            all.append(found)
            number += 1
        }
        // Other texts begin in the same way, but not beside signed documents.
        if !all.documents.contains(where: { $0.kind == .signed }) { all.broken.removeAll { $0.kind == .signed } }
        for index in all.documents.indices { all.documents[index].envelope.fill(from: facts) }
        return all
    }

    mutating func search(
        string token: JSONToken,
        of cursor: borrowing JSONCursor,
        isNamed: Bool = false,
        depth: Int,
        rows: inout RowBatch
    ) -> Search {
        guard Self.isSearched(string: token, of: cursor) else { return Search() }
        if textDepth == 0 { searchable += token.count * Self.searchFactor }
        textDepth += 1
        defer { textDepth -= 1 }
        var found: Search
        if token.hasEscapes {
            var text: [UInt8] = []
            cursor.appendText(of: token, to: &text)
            if isNamed {
                found = documents(inText: text.span.bytes, depth: depth + 1, rows: &rows)
            } else {
                found =
                    inside(.string, of: cursor.raw(token), isCertain: false) { unwrapper in
                        unwrapper.documents(inText: text.span.bytes, depth: depth + 1, rows: &rows)
                    } ?? Search()
            }
        } else {
            found = documents(inText: cursor.raw(token), depth: depth + 1, rows: &rows)
        }
        // Tags inside the text do not belong to the JSON around it.
        found.hasTags = false
        return found
    }

    /// Whether a string can hold a document: it is long enough, and no id.
    static func isSearched(string token: JSONToken, of cursor: borrowing JSONCursor) -> Bool {
        token.count >= shortestText && !cursor.raw(token).isShortNumber
    }

    /// Bytes of the shortest text that can hold a document: `{"status":21000}` has a few more.
    static let shortestText = 12
}

extension RawSpan {
    /// Whether it is digits alone, of at most 20: an id, as half of the strings of Apple's documents are.
    fileprivate var isShortNumber: Bool { byteCount <= 20 && (0..<byteCount).allSatisfy { byte($0).isDigit } }
}
