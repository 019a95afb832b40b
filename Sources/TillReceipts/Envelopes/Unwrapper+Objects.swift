import TillColumns
import TillCore
import TillInput
import TillJSON
import TillRows

/// Finds the documents in the members of an object, and decides which of them count, and whether the object is one
/// itself (``search(value:isRoot:isNamed:depth:rows:)``).
extension Unwrapper {
    @_lifetime(cursor: copy cursor)
    mutating func search(
        object cursor: inout JSONCursor,
        isRoot: Bool,
        depth: Int,
        rows: inout RowBatch
    ) throws(Finding) -> Search {
        let (start, hadLeftOut) = (copy cursor, hasLeftOut)
        var object = ObjectSearch()
        try cursor.expect(0x7B)
        var isFirst = true
        while let key = try cursor.nextKey(isFirst: &isFirst) {
            try search(memberOf: &object, key, in: &cursor, isRoot: isRoot, depth: depth, rows: &rows)
        }
        // Errors under another count with it.
        if object.direct == nil, object.found.documents.isEmpty { object.found.append(object.underlying) }
        if object.marks.mayBeReject, let earlier = EarlierReject(at: start) {
            // The document in the line is searched once more, by itself.
            hasLeftOut = hadLeftOut
            return Search(documents: [FoundDocument(kind: .rejected, text: earlier.raw ?? [], earlier: earlier)])
        }
        var found = object.found
        if object.marks.mayBeLegacyReceipt, let list = start.asPropertyList() {
            // Members outside the purchase, such as the environment and the signature, belong to the receipt.
            let keys = ObjectMarks.Special.purchaseInfos.map(\.name)
            found.documents.removeAll { $0.members.first.map(keys.contains) ?? false }
            found.documents.append(FoundDocument(kind: .receipt, text: list))
        }
        Self.settle(&found, object.direct)
        if !isRoot,
            let own = try document(of: start, to: cursor.position, object.marks, object.facts, found, rows: &rows)
        {
            (found, found.hasTags) = (own, found.hasTags)
        } else if !isRoot, let answer = try emptyAnswer(at: start, to: cursor.position, object.marks, found) {
            found = answer
        }
        if let only = object.onlyMember, TypedScalars.isTag(only.key, of: only.value, in: cursor) {
            found.hasTags = true
        }
        object.facts.fill(&found)
        return found
    }

    /// Searches the member of an object whose key was read.
    @_lifetime(cursor: copy cursor)
    private mutating func search(
        memberOf object: inout ObjectSearch,
        _ key: JSONToken,
        in cursor: inout JSONCursor,
        isRoot: Bool,
        depth: Int,
        rows: inout RowBatch
    ) throws(Finding) {
        decoder.detector.note(key, in: cursor, &object.marks)
        let value = copy cursor
        let token = try cursor.token()
        object.count(key, token)
        envelopeReader.note(key, token, in: cursor, &object.facts)
        guard token.isContainer || token.kind == .string else { return }
        // The format reads the content of such a document.
        if !isRoot, object.marks.strong?.type.readsNestedDocuments == true {
            if token.kind == .object, !object.found.hasTags { object.found.hasTags = TypedScalars.isTagged(at: cursor) }
            if token.isContainer {
                try cursor.skipContainer()
                object.marks.note(containerOf: cursor.position - token.start)
            }
            return
        }
        let isPayload = object.marks.isLast(.payload)
        if token.kind == .string, !isPayload, !Self.isSearched(string: token, of: cursor) { return }
        var inner: Search
        if keepsMembers { opened.members.append(Self.name(key, of: cursor)) }
        if token.kind == .string {
            inner = search(string: token, of: cursor, depth: depth + 1, rows: &rows)
        } else {
            cursor = value
            inner = try search(value: &cursor, depth: depth + 1, rows: &rows)
        }
        if keepsMembers { opened.members.removeLast() }
        object.found.hasTags = object.found.hasTags || inner.hasTags
        guard !inner.results.isEmpty || !inner.nearMisses.isEmpty || isPayload else { return }
        if isPayload, inner.results.isEmpty, inner.nearMisses.isEmpty {
            inner.nearMisses = [FoundDocument(kind: .other, text: Self.text(token, of: cursor))]
        }
        object.take(inner, of: Self.name(key, of: cursor), isText: token.kind == .string)
    }

    /// The members of an object that is searched, so far.
    private struct ObjectSearch {
        var marks = ObjectMarks()
        var facts = EnvelopeFacts()
        var found = Search()
        /// A line about a failure in a member of the object itself, or the exception in it.
        private(set) var direct: FoundDocument?
        /// Lines about errors under another.
        private(set) var underlying = Search()
        private var first: (key: JSONToken, value: JSONToken)?
        private var memberCount = 0

        /// In the names of members with an error under another: `NSUnderlyingError`, `underlyingError`.
        private static let underlyingMark = Array("nderlying".utf8)

        /// The member, if there is no other.
        var onlyMember: (key: JSONToken, value: JSONToken)? { memberCount == 1 ? first : nil }

        mutating func count(_ key: JSONToken, _ value: JSONToken) {
            first = first ?? (key, value)
            memberCount += 1
        }

        /// Takes the documents in the value of a member.
        mutating func take(_ documents: Search, of name: String, isText: Bool) {
            var inner = documents
            inner.prepend(name)
            if isText, inner.documents.count == 1, let line = inner.documents.first, line.kind == .logLine {
                direct = direct ?? line
                inner.documents = []
            } else if let chain = inner.takeException(of: name) {
                direct = chain
            } else if name == "breadcrumbs" {
                // They say what came before an error, and each later error repeats them.
                inner.documents.removeAll { $0.kind == .logLine }
            } else if name.utf8.span.bytes.contains(Self.underlyingMark), !inner.holdsMoreThanLines {
                underlying.append(inner)
                return
            }
            found.append(inner)
        }
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
    /// ages. The alphabet of base64, its padding and its line breaks may differ.
    private static func dropRepeated(_ found: inout Search) {
        guard found.documents.count > 1 else { return }
        var texts: Set<[UInt8]> = []
        found.documents.removeAll { document in
            let isOne = (document.kind == .receipt || document.kind == .signed) && !document.isOfList
            return isOne && !texts.insert(plainBase64(document.text)).inserted
        }
    }

    /// The text in the usual alphabet, without padding and line breaks.
    private static func plainBase64(_ text: [UInt8]) -> [UInt8] {
        text.compactMap { byte in
            switch byte {
            case 0x2D: 0x2B
            case 0x5F: 0x2F
            case 0x3D, 0...0x20: nil
            default: byte
            }
        }
    }

    /// Kinds of documents with purchases.
    static let receiptKinds: [FoundDocument.Kind] = [.signed, .receipt, .request, .response]

    /// The object itself, if it is a document, be it a defective one, and nothing inside it says more.
    private mutating func document(
        of start: borrowing JSONCursor,
        to end: Int,
        _ marks: ObjectMarks,
        _ facts: EnvelopeFacts,
        _ found: Search,
        rows: inout RowBatch
    ) throws(Finding) -> Search? {
        guard let format = marks.strong ?? marks.weak else {
            // What is inside an error is under it.
            guard marks.mayBeError, !found.holdsMoreThanLines, decoder.recognizesError(at: start) else { return nil }
            let bytes = start.bytes.extracting(start.position..<end)
            return Search(documents: [FoundDocument(kind: .logLine, text: bytes.withUnsafeBytes(Array.init))])
        }
        let isEvent = format.type == EventFormat.self
        let bytes = start.bytes.extracting(start.position..<end)
        // The receipts inside an event are read after it (`Decoded.holding`).
        let holdsReceipts = found.documents.contains { Self.receiptKinds.contains($0.kind) }
        // Where only weak members tell the format, a notification alone is read whole with the documents inside it.
        let readsNested = marks.strong?.type.readsNestedDocuments ?? (format.type == NotificationFormat.self)
        if holdsReceipts, !isEvent || !bytes.mayHoldSigned, !readsNested { return nil }
        var contents: Contents?
        if marks.strong == nil {
            contents = decode(start, as: format, isCertain: holdsReceipts && !isEvent, rows: &rows)
            if contents == nil { return nil }
        }
        let kind: FoundDocument.Kind =
            if isEvent {
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

    /// The object itself, if it is an answer of the App Store Server API that lists nothing.
    private func emptyAnswer(
        at start: borrowing JSONCursor,
        to end: Int,
        _ marks: ObjectMarks,
        _ found: Search
    ) throws(Finding) -> Search? {
        guard marks.mayBeEmptyAnswer, found.results.isEmpty, decoder.detector.requiredFormat == nil,
            try EmptyAnswer(at: start, isInside: true) != nil
        else { return nil }
        let bytes = start.bytes.extracting(start.position..<end)
        return Search(documents: [FoundDocument(kind: .other, text: bytes.copied)])
    }

    /// The event that the object at the cursor is besides the wrapping of the receipt in the string `wrapped`, without
    /// that and other strings that hold documents; `nil` if it is none.
    ///
    ///     {"event":"purchased","product_id":"coins","receipt-data":"MIIT…"}      a receipt and an event
    mutating func event(
        around wrapped: JSONToken,
        in start: borrowing JSONCursor,
        rows: inout RowBatch
    ) -> FoundDocument? {
        guard let format = FormatID(EventFormat.self), let text = start.withoutDocuments(besides: wrapped) else {
            return nil
        }
        let padded = text + Array(repeating: 0, count: JSONCursor.padding)
        let cursor = JSONCursor(padded.span.bytes, limit: text.count)
        guard decode(cursor, as: format, isCertain: false, rows: &rows) != nil else { return nil }
        return FoundDocument(kind: .event, text: text)
    }

    /// The contents of a document.
    private struct Contents {
        var status: Int64?
        var hasPurchases: Bool
        /// Whether it is certainly a document, and one of its values is not what it must be.
        var isDefective = false
    }

    /// Decodes an object that has only members which others have too; `nil` if it is not a document.
    ///
    /// - Parameter isCertain: whether `nil` is returned also for a document whose inner documents other formats read.
    private mutating func decode(
        _ start: borrowing JSONCursor,
        as format: FormatID,
        isCertain: Bool,
        rows: inout RowBatch
    ) -> Contents? {
        let mark = rows.mark()
        defer { rows.rollBack(to: mark) }
        var cursor = copy start
        var document = DocumentState(keepsTrace: false, isWrapped: true)
        do {
            switch try decoder.decode(json: &cursor, as: format, &document, into: &rows) {
            case .document: break
            case .both, .holding, .refused, .wrapped, .unclear(_, .document): if isCertain { return nil }
            case .unclear, .unrecognized: return nil
            }
        } catch  where error.cause == .defect {
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
        String(input: text(key, of: cursor))
    }

    private static func text(_ token: JSONToken, of cursor: borrowing JSONCursor) -> [UInt8] {
        var text: [UInt8] = []
        cursor.appendText(of: token, to: &text)
        return text
    }
}

extension EnvelopeFacts {
    /// Gives the facts to the documents that lack them.
    fileprivate func fill(_ found: inout Unwrapper.Search) {
        for index in found.documents.indices {
            found.documents[index].envelope.fill(from: self)
            guard found.documents[index].kind == .logLine, let failureName else { continue }
            found.documents[index].envelope.failureName = found.documents[index].envelope.failureName ?? failureName
        }
    }
}
