import TillColumns
import TillCore
import TillJSON
import TillRows

/// Counts the rows of encoded receipts inside responses of verifications that failed.
///
///     {"status":21010,"receipt":"MII…"}                                            2 rows in the receipt: 2 withheld
///     {"request":{…},"response":{"status":21003,"latest_receipt":"MII…"}}          those of the response
///     {"status":21004,"attempt":{"receipt-data":"MII…"}}
///
/// A line or a row of delimited text with the same status and receipt gives the same document
/// (``FormatDecoder/withholdRefused(from:in:)``).
extension Unwrapper {
    /// Adds the rows inside a response to those that its document, the last one, withholds. The document takes the
    /// environment, the app and the time from the receipt, if neither the response nor the text around it tells them;
    /// beside a status of routing, not the environment.
    ///
    /// A receipt that cannot be read has no rows to count. The response is a document all the same.
    ///
    /// - Parameters:
    ///   - part: the value that holds the receipts; `nil` if they may be anywhere in the object at the cursor.
    ///   - context: the facts in the text around the response.
    ///   - mark: the state before the document.
    mutating func withholdReceipts(
        in part: JSONToken?,
        of object: borrowing JSONCursor,
        _ context: EnvelopeFacts?,
        from mark: RowBatch.Mark,
        in rows: inout RowBatch
    ) {
        context?.apply(to: &rows, from: mark)
        let (cache, required) = (rows.duplicates.cache, decoder.detector.requiredFormat)
        let (surroundings, checker) = (decoder.surroundings, decoder.checker)
        defer {
            (rows.duplicates.cache, decoder.detector.requiredFormat) = (cache, required)
            (decoder.surroundings, decoder.checker) = (surroundings, checker)
        }
        // All rows are read, whatever `--from` says, and no signature matters, since none of the rows counts.
        (rows.duplicates.cache, decoder.detector.requiredFormat, decoder.checker) = (nil, nil, nil)
        // The object was read before without an error.
        var found = ((try? receipts(in: part, of: object, rows: &rows)) ?? [])[...]
        while let receipt = found.popFirst() {
            let end = rows.mark()
            var document = DocumentState(keepsTrace: false, isWrapped: true)
            // Its defect is none of the response.
            if (try? decode(receipt, &document, into: &rows)) != nil {
                rows.withhold(from: end, in: mark.documents)
            }
            found += document.takeOthers()
            rows.rollBack(to: end)
        }
    }

    /// Decodes text beside which there may be the status of its verification. A receipt that cannot be read is the
    /// verification, if that failed: 21002 says that the receipt was malformed.
    mutating func decode(
        verified text: RawSpan,
        _ document: inout DocumentState,
        into rows: inout RowBatch
    ) throws(Finding) {
        let mark = rows.mark()
        do {
            try decode(text: text, &document, into: &rows)
        } catch {
            guard let status = decoder.surroundings.refusal, Self.isDefectOfReceipt(error, in: document) else {
                throw error
            }
            rows.rollBack(to: mark)
            rows.appendDocument(DocumentFacts(kind: .verify, trust: .unsigned), from: mark) { documents in
                documents.set(.status, status)
            }
        }
    }

    /// Whether an error is one of an encoded receipt, and not of text around it, or of a document of another kind.
    private static func isDefectOfReceipt(_ error: Finding, in document: borrowing DocumentState) -> Bool {
        if error.isOfJSON || [.unrecognized, .otherFormat, .tooDeep].contains(error.defect) { return false }
        return document.format.map { $0.type.receiptLayer != nil } ?? true
    }

    /// The receipts in a response, and the parts of a response that have no status themselves.
    private mutating func receipts(
        in part: JSONToken?,
        of object: borrowing JSONCursor,
        rows: inout RowBatch
    ) throws(Finding) -> [FoundDocument] {
        beginSearch(keepsLayers: false)
        guard let part, part.kind == .string else {
            var start = copy object
            if let part { start.position = part.start }
            return try receipts(inObjectAt: start, rows: &rows)
        }
        var text: [UInt8] = []
        object.appendText(of: part, to: &text)
        guard text.span.bytes.beginsJSONObject else {
            return Self.receipts(of: documents(inText: text.span.bytes, depth: 0, rows: &rows))
        }
        let limit = text.count
        text.append(contentsOf: repeatElement(0, count: JSONCursor.padding))
        return try receipts(inObjectAt: JSONCursor(text.span.bytes, limit: limit), rows: &rows)
    }

    private mutating func receipts(
        inObjectAt start: borrowing JSONCursor,
        rows: inout RowBatch
    ) throws(Finding) -> [FoundDocument] {
        var cursor = copy start
        cursor.skipWhitespace()
        var documents = Self.receipts(of: try search(value: &cursor, isRoot: true, depth: 0, rows: &rows))
        SandboxHost.apply(to: &documents, in: start)
        return documents
    }

    private static func receipts(of found: Search) -> [FoundDocument] {
        found.documents.filter { document in
            receiptKinds.contains(document.kind) && (document.kind != .response || document.isPartOfResponse)
        }
    }
}

extension RowBatch {
    /// Counts the rows of the documents since `end` as withheld by the document in a row, which takes from them what
    /// it does not tell.
    fileprivate mutating func withhold(from end: Mark, in row: Int) {
        for inner in end.documents..<documents.rowCount {
            let count = (documents[.transactions, inner] ?? 0) + (documents[.withheld, inner] ?? 0)
            documents.set(.withheld, (documents[.withheld, row] ?? 0) + count, row: row)
            for column in [DocumentColumn.bundleID, .appVersion, .receiptType, .observedAt] {
                documents.fill(column, documents[column, inner], row: row)
            }
            // The other environment was asked, and the failure is one of that.
            if VerifyStatus.isRouting(documents[.status, row]) { continue }
            documents.fill(.environment, documents[.environment, inner], row: row)
        }
    }
}
