import TillColumns
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
    ) throws(JSONError) -> Search {
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
    ) throws(JSONError) -> Search {
        let start = cursor.position
        if let octets = cursor.takeOctets(atLeast: Self.shortestText) {
            if textDepth == 0 { searchable += octets.count * Self.searchFactor }
            return inside(.bytes, of: cursor.bytes.extracting(start..<cursor.position), isCertain: false) { unwrapper in
                unwrapper.documents(inOctets: octets, depth: depth + 1, rows: &rows)
            } ?? Search()
        }
        var all = Search()
        try cursor.expect(0x5B)
        var isFirst = true
        var number = 0
        while try cursor.nextElement(isFirst: &isFirst) {
            if keepsMembers { opened.members.append("[\(number)]") }
            let start = cursor.position
            var found = try search(value: &cursor, depth: depth + 1, rows: &rows)
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
        return all
    }

    private mutating func search(
        string token: JSONToken,
        of cursor: borrowing JSONCursor,
        isNamed: Bool = false,
        depth: Int,
        rows: inout RowBatch
    ) -> Search {
        guard token.count >= Self.shortestText else { return Search() }
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

    /// Bytes of the shortest text that can hold a document: `{"status":21000}` has a few more.
    static let shortestText = 12

    @_lifetime(cursor: copy cursor)
    private mutating func search(
        object cursor: inout JSONCursor,
        isRoot: Bool,
        depth: Int,
        rows: inout RowBatch
    ) throws(JSONError) -> Search {
        let (start, hadLeftOut) = (copy cursor, hasLeftOut)
        var marks = ObjectMarks()
        var facts = EnvelopeFacts()
        var found = Search()
        var direct: FoundDocument?
        try cursor.expect(0x7B)
        var isFirst = true
        var only: (key: JSONToken, value: JSONToken)?
        var underlying = Search()
        var count = 0
        while let key = try cursor.nextKey(isFirst: &isFirst) {
            count += 1
            decoder.detector.note(key, in: cursor, &marks)
            let value = copy cursor
            let token = try cursor.token()
            only = (key, token)
            envelopeReader.note(key, token, in: cursor, &facts)
            guard token.isContainer || token.kind == .string else { continue }
            // The format reads the content of such a document.
            if !isRoot, marks.strong?.type.readsNestedDocuments == true {
                if token.kind == .object, !found.hasTags { found.hasTags = TypedScalars.isTagged(at: cursor) }
                if token.isContainer {
                    try cursor.skipContainer()
                    marks.note(containerOf: cursor.position - token.start)
                }
                continue
            }
            var inner: Search
            if keepsMembers { opened.members.append(Self.name(key, of: cursor)) }
            if token.kind == .string {
                inner = search(string: token, of: cursor, depth: depth + 1, rows: &rows)
            } else {
                cursor = value
                inner = try search(value: &cursor, depth: depth + 1, rows: &rows)
            }
            if keepsMembers { opened.members.removeLast() }
            found.hasTags = found.hasTags || inner.hasTags
            guard !inner.results.isEmpty || !inner.nearMisses.isEmpty || marks.isLast(.payload) else { continue }
            let name = Self.name(key, of: cursor)
            if marks.isLast(.payload), inner.results.isEmpty, inner.nearMisses.isEmpty {
                inner.nearMisses = [FoundDocument(kind: .other, text: Self.text(token, of: cursor))]
            }
            inner.prepend(name)
            if token.kind == .string, let line = inner.documents.first, line.kind == .logLine {
                direct = direct ?? line
                inner.documents = []
            } else if let chain = inner.takeException(of: name) {
                direct = chain
            } else if name == "breadcrumbs" {
                // They say what came before an error, and each later error repeats them.
                inner.documents.removeAll { $0.kind == .logLine }
            } else if name.contains("nderlying"), !inner.holdsMoreThanLines {
                underlying.append(inner)
                continue
            }
            found.append(inner)
        }
        // Errors under another count with it.
        if direct == nil, found.documents.isEmpty { found.append(underlying) }
        if marks.mayBeReject, let earlier = EarlierReject(at: start) {
            // The document in the line is searched once more, by itself.
            hasLeftOut = hadLeftOut
            return Search(documents: [FoundDocument(kind: .rejected, text: earlier.raw ?? [], earlier: earlier)])
        }
        if marks.mayBeLegacyReceipt, let list = start.asPropertyList() {
            // Members outside the purchase, such as the environment and the signature, belong to the receipt.
            let keys = ObjectMarks.Special.purchaseInfos.map(\.name)
            found.documents.removeAll { $0.members.first.map(keys.contains) ?? false }
            found.documents.append(FoundDocument(kind: .receipt, text: list))
        }
        Self.settle(&found, direct)
        if !isRoot, let own = try document(of: start, to: cursor.position, marks, facts, found, rows: &rows) {
            (found, found.hasTags) = (own, found.hasTags)
        }
        if count == 1, let only, TypedScalars.isTag(only.key, of: only.value, in: cursor) { found.hasTags = true }
        for index in found.documents.indices {
            found.documents[index].envelope.fill(from: facts)
            guard found.documents[index].kind == .logLine, let name = facts.failureName else { continue }
            found.documents[index].envelope.failureName = found.documents[index].envelope.failureName ?? name
        }
        return found
    }

    /// Applies the rules about several documents in one object. Elements of its lists are records of their own.
    ///
    /// - Parameter direct: a line about a failure in a member of the object itself, or the exception in it.
    private static func settle(_ found: inout Search, _ direct: FoundDocument?) {
        // An event or a response says itself how it failed. A transaction and the records of a list do not.
        let tells = found.documents.contains { !$0.isOfList && [.event, .request, .response].contains($0.kind) }
        if tells {
            found.documents.removeAll { $0.kind == .logLine }
        } else if let direct {
            found.documents.removeAll { $0.kind == .logLine }
            found.documents.insert(direct, at: 0)
        } else if let first = found.documents.firstIndex(where: { $0.kind == .logLine && !$0.isOfList }) {
            let line = found.documents[first]
            found.documents.removeAll { $0.kind == .logLine && !$0.isOfList }
            found.documents.insert(line, at: 0)
        }
        found.pair()
        found.dropDecodedCopies()
        dropRepeated(&found)
    }

    /// Keeps one of the receipts and JWS that are the same: libraries give one under two names, for programs of two
    /// ages.
    private static func dropRepeated(_ found: inout Search) {
        guard found.documents.count > 1 else { return }
        var texts: Set<[UInt8]> = []
        found.documents.removeAll { document in
            let isOne = (document.kind == .receipt || document.kind == .signed) && !document.isOfList
            return isOne && !texts.insert(document.text).inserted
        }
    }

    /// The object itself, if it is a document, be it a defective one, and nothing inside it says more.
    private mutating func document(
        of start: borrowing JSONCursor,
        to end: Int,
        _ marks: ObjectMarks,
        _ facts: EnvelopeFacts,
        _ found: Search,
        rows: inout RowBatch
    ) throws(JSONError) -> Search? {
        guard let format = marks.strong ?? marks.weak else {
            // What is inside an error is under it.
            guard marks.mayBeError, !found.holdsMoreThanLines, decoder.recognizesError(at: start) else { return nil }
            let bytes = start.bytes.extracting(start.position..<end)
            return Search(documents: [FoundDocument(kind: .logLine, text: bytes.withUnsafeBytes(Array.init))])
        }
        let holdsReceipts = found.documents.contains { [.signed, .receipt, .request, .response].contains($0.kind) }
        if holdsReceipts, marks.strong == nil || !format.type.readsNestedDocuments { return nil }
        var contents: Contents?
        if marks.strong == nil {
            contents = decode(start, as: format, rows: &rows)
            if contents == nil { return nil }
        }
        let bytes = start.bytes.extracting(start.position..<end)
        let kind: FoundDocument.Kind =
            if format.type == EventFormat.self {
                .event
            } else if format.type == VerifyFormat.self {
                marks.isResponse ? .response : .request
            } else {
                .other
            }
        var document = FoundDocument(kind: kind, text: bytes.withUnsafeBytes(Array.init))
        if contents?.isDefective == true { return Search(broken: [document]) }
        document.isPaired = kind == .response && marks.hasRequest
        if let contents, !contents.hasPurchases, kind == .response, !document.isPaired {
            var outcome = facts
            outcome.status = contents.status
            document.outcome = outcome
        }
        // An object `receipt` with an encoded receipt inside is a request.
        if marks.hasPurchases || contents?.hasPurchases == true, !marks.hasStatus {
            document.isPartOfResponse = kind == .response || kind == .request && document.receiptDigest == nil
        }
        return Search(documents: [document])
    }

    /// The contents of a document.
    private struct Contents {
        var status: Int64?
        var hasPurchases: Bool
        /// Whether it is certainly a document, and one of its values is not what it must be.
        var isDefective = false
    }

    /// Decodes an object that has only members which others have too; `nil` if it is not a document.
    private mutating func decode(
        _ start: borrowing JSONCursor,
        as format: FormatID,
        rows: inout RowBatch
    ) -> Contents? {
        let mark = rows.mark()
        defer { rows.rollBack(to: mark) }
        var cursor = copy start
        var document = DocumentState(keepsTrace: false, isWrapped: true)
        do {
            switch try decoder.decode(json: &cursor, as: format, &document, into: &rows) {
            case .document, .both, .wrapped, .unclear(_, .document): break
            case .unclear, .unrecognized: return nil
            }
        } catch let error as DecodeError where error.code != .unrecognized && error.code != .otherFormat {
            return Contents(hasPurchases: false, isDefective: true)
        } catch {
            return nil
        }
        let hasRows = rows.transactions.rowCount > mark.transactions || rows.renewals.rowCount > mark.renewals
        guard rows.documents.rowCount > mark.documents else { return Contents(hasPurchases: hasRows) }
        let status = rows.documents[.status, mark.documents]
        // Inside other objects, a status of its own numbering is not verifyReceipt's.
        if let status, !VerifyFormat.isKnown(status: status) { return nil }
        let withheld = rows.documents[.withheld, mark.documents] ?? 0
        return Contents(status: status, hasPurchases: hasRows || withheld > 0)
    }

    private static func name(_ key: JSONToken, of cursor: borrowing JSONCursor) -> String {
        String(decoding: text(key, of: cursor), as: UTF8.self)
    }

    private static func text(_ token: JSONToken, of cursor: borrowing JSONCursor) -> [UInt8] {
        var text: [UInt8] = []
        cursor.appendText(of: token, to: &text)
        return text
    }
}
