import TillColumns
import TillCore
import TillInput
import TillJSON
import TillReceipts
import TillRows

/// A receipt to submit, and its position in the input.
struct Submission {
    /// In base64, as a request holds it.
    var receipt: [UInt8]
    /// The reject for a receipt that cannot be verified, without the finding.
    private var reject: Reject

    /// Takes the receipt out of a document; `nil` if the document is none.
    ///
    /// - Parameter places: of the chunk.
    init?(_ trace: DocumentTrace, of chunk: TracedChunk, _ places: inout RejectedPlaces) {
        guard let receipt = trace.receipt else { return nil }
        self.receipt = Base64.encode(receipt)
        let number = chunk.firstDocument + trace.ordinal
        let position = SourcePosition(
            source: chunk.source,
            line: chunk.firstLine + trace.line,
            offset: chunk.offset + trace.offset,
            length: trace.raw.count
        )
        let earlier = places.place(of: trace)
        reject = Reject(
            document: earlier?.document ?? number,
            position: earlier?.position ?? position,
            diagnostic: Diagnostic(code: "", reason: "", innerOffset: 0),
            kind: trace.format,
            raw: self.receipt,
            readAt: earlier.map { _ in Reject.ReadPlace(source: chunk.source, document: number) }
        )
    }

    /// The receipts of a chunk; documents of other apps have no row, and are left out.
    static func all(of chunk: TracedChunk, _ rows: borrowing RowBatch) -> [Submission] {
        let kept = Set((0..<rows.documents.rowCount).compactMap { rows.documents[.document, $0] })
        var places = RejectedPlaces()
        return chunk.traces.compactMap { trace in
            guard trace.diagnostic == nil, kept.contains(Int64(trace.ordinal)) else { return nil }
            return Submission(trace, of: chunk, &places)
        }
    }

    /// The source that was read, and the number of the document in it.
    var source: String { reject.source }
    var number: Int { reject.number }

    /// The reject of a receipt that could not be verified. Its raw document is the receipt alone, in base64: the text
    /// around it may contain a secret, or other receipts that were verified.
    func rejected(code: String, reason: String) -> Reject {
        var reject = reject
        reject.diagnostic = Diagnostic(code: code, reason: reason, innerOffset: 0)
        return reject
    }
}

extension DocumentTrace {
    /// The octets of the receipt that the document is or wraps: a ContentInfo, or a property list with its signature.
    fileprivate var receipt: [UInt8]? {
        guard diagnostic == nil, let format,
            let kind = ReceiptFormatRegistry.format(named: format)?.receiptLayer,
            let layer = layers.last(where: { $0.kind == kind && $0.format == format })
        else { return nil }
        // A decoded purchase by itself is of the legacy format too, but the App Store verifies only what it has signed.
        let isWhole = kind == .binary || layer.bytes.contains(text: "purchase-info")
        return isWhole ? layer.bytes : nil
    }
}

/// The places of documents that were read from lines of `--rejects`, as the lines name them.
struct RejectedPlaces {
    /// The place of the text that was read last: all documents in one text have the place of the text.
    private var offset = -1
    private var latest: EarlierReject.Place?

    fileprivate mutating func place(of trace: DocumentTrace) -> EarlierReject.Place? {
        if trace.offset != offset { (offset, latest) = (trace.offset, Self.place(inLine: trace.raw)) }
        return latest
    }

    /// `nil` if the document is no such line.
    private static func place(inLine raw: [UInt8]) -> EarlierReject.Place? {
        guard raw.first == 0x7B, raw.contains(text: "\"raw_encoding\"") else { return nil }
        let text = raw + Array(repeating: 0, count: JSONCursor.padding)
        return EarlierReject(at: JSONCursor(text.span.bytes, limit: raw.count))?.place
    }
}

extension [UInt8] {
    fileprivate func contains(text: String) -> Bool {
        span.bytes.firstIndex(of: [UInt8](text.utf8), from: 0, to: count) != nil
    }
}
