import TillCore
import TillInput
import TillJSON
import TillReceipts

/// A receipt on its way to an endpoint, and where it stood.
struct Submission {
    /// In base64, as a request holds it.
    var receipt: [UInt8]
    /// The reject that it becomes if it cannot be verified, but for the finding.
    private var reject: Reject

    /// Takes the receipt out of a document; `nil` where the document is none.
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

    /// The source that was read, and the number of the document in it.
    var source: String { reject.source }
    var number: Int { reject.number }

    /// The reject of a receipt that could not be verified. Its raw document is the receipt alone, in base64: what stood around it may hold
    /// a secret, or other receipts that were verified.
    func rejected(code: String, reason: String) -> Reject {
        var reject = reject
        reject.diagnostic = Diagnostic(code: code, reason: reason, innerOffset: 0)
        return reject
    }
}

extension DocumentTrace {
    /// The octets of the receipt that the document is or wraps: a ContentInfo, or a property list with its signature.
    fileprivate var receipt: [UInt8]? {
        guard diagnostic == nil, let format else { return nil }
        let kind: Layer.Kind
        switch format {
        case PKCS7Format.name: kind = .binary
        case LegacyFormat.name: kind = .text
        default: return nil
        }
        guard let layer = layers.last(where: { $0.kind == kind && $0.format == format }) else { return nil }
        // A decoded purchase by itself is of the legacy format too, but the App Store verifies only what it has signed.
        let isWhole = kind == .binary || layer.bytes.contains(text: "purchase-info")
        return isWhole ? layer.bytes : nil
    }
}

/// The places that lines of `--rejects` tell of their documents.
struct RejectedPlaces {
    /// Where the text stands that was looked at last: documents behind one another in a text all have the text.
    private var offset = -1
    private var latest: RejectedPlace?

    fileprivate mutating func place(of trace: DocumentTrace) -> RejectedPlace? {
        if trace.offset != offset { (offset, latest) = (trace.offset, RejectedPlace(line: trace.raw)) }
        return latest
    }
}

/// The place that a line of `--rejects` tells of its document.
private struct RejectedPlace {
    var document: Int
    var position: SourcePosition

    private enum Key: String, CaseIterable {
        case source, document, line, offset, length, code, raw
    }

    /// `nil` where the document is no such line, or where the places in it cannot be.
    init?(line raw: [UInt8]) {
        guard raw.first == 0x7B, raw.contains(text: "\"raw_encoding\"") else { return nil }
        let text = raw + Array(repeating: 0, count: JSONCursor.padding)
        var members = MemberReader(Key.allCases.map(\.rawValue))
        var cursor = JSONCursor(text.span.bytes, limit: raw.count)
        do {
            try members.enter(&cursor)
            while try members.nextUnread(in: &cursor) != nil { try cursor.skipValue() }
        } catch {
            return nil
        }
        guard Self.text(.code, of: members, in: cursor) != nil, Self.text(.raw, of: members, in: cursor) != nil,
            let source = Self.text(.source, of: members, in: cursor), !source.isEmpty,
            let document = Self.number(.document, from: 1, of: members, in: cursor),
            let line = Self.number(.line, from: 1, of: members, in: cursor),
            let offset = Self.number(.offset, from: 0, of: members, in: cursor),
            let length = Self.number(.length, from: 0, of: members, in: cursor)
        else { return nil }
        self.document = document
        position = SourcePosition(source: source, line: line, offset: offset, length: length)
    }

    private static func token(_ key: Key, of members: MemberReader) -> JSONToken? {
        Key.allCases.firstIndex(of: key).flatMap { members[$0] }
    }

    private static func text(_ key: Key, of members: MemberReader, in cursor: borrowing JSONCursor) -> String? {
        guard let token = token(key, of: members), token.kind == .string else { return nil }
        var value: [UInt8] = []
        cursor.appendText(of: token, to: &value)
        return String(decoding: value, as: UTF8.self)
    }

    private static func number(
        _ key: Key,
        from least: Int,
        of members: MemberReader,
        in cursor: borrowing JSONCursor
    ) -> Int? {
        guard let token = token(key, of: members), token.kind == .number else { return nil }
        let digits = (0..<token.count).map { Unicode.Scalar(cursor.byte(token.start + $0)) }
        guard let number = Int(String(String.UnicodeScalarView(digits))), number >= least else { return nil }
        return number
    }
}

extension [UInt8] {
    fileprivate func contains(text: String) -> Bool {
        span.bytes.firstIndex(of: [UInt8](text.utf8), from: 0, to: count) != nil
    }
}
