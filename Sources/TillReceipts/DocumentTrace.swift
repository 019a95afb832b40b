public import TillCore
import TillRows

/// What a reader met on its way into one document, outermost first.
///
///     base64 (5,852 bytes) › binary, taken for pkcs7
///     object, member Payload › base64 › binary, taken for pkcs7
///
/// It is noted by the reader itself while it decides, so that what is told of a decision is the decision. It holds
/// copies of the document and of all that was decoded from it, hence is kept only where
/// ``DocumentReader/keepsTraces`` asks for it.
public struct DocumentTrace: Sendable {
    /// One wrapping, or the document inside all of them.
    public struct Layer: Sendable {
        public enum Kind: Hashable, Sendable {
            /// A JSON object.
            case object
            /// A JSON string.
            case string
            /// Base64 between `-----BEGIN` and `-----END`.
            case pem
            case base64
            /// A JWS in its compact form.
            case jws
            /// Text in a notation of its own: a property list, an entry of a log.
            case text
            /// BER or DER.
            case binary
            /// A cell of delimited text.
            case cell
        }

        public var kind: Kind
        /// The format that took it for a document of its own, if one did.
        public var format: String?
        /// The member or column that it stood in.
        public var member: String?
        /// Members of it, each in the one before, of which the last is an object and the document.
        public var path: [String] = []
        /// What it consists of, before anything is taken off.
        public var bytes: [UInt8]

        public init(kind: Kind, format: String? = nil, member: String? = nil, bytes: [UInt8]) {
            self.kind = kind
            self.format = format
            self.member = member
            self.bytes = bytes
        }
    }

    public var layers: [Layer] = []
    /// The document as it came.
    public var raw: [UInt8] = []
    /// The number of the document in its stretch, from 0.
    public var ordinal = 0
    /// Line feeds before it in the stretch.
    public var line = 0
    /// Where it stands in the stretch.
    public var offset = 0
    /// The format that read, or tried to read, what all wrappings held.
    public var format: String?
    /// Why it could not be read; `nil` where it could.
    public var diagnostic: Diagnostic?

    public init() {}
}

extension DocumentReader {
    /// Reads text that stands inside a document as if it were one, and tells how; its rows are thrown away.
    public mutating func trace(text: [UInt8]) -> DocumentTrace {
        var rows = RowBatch()
        for index in formats.indices { formats[index].beginBatch() }
        (current, hasBegun, isWrapped) = (nil, false, true)
        wrappings.removeAll(keepingCapacity: true)
        beginTrace()
        var defect: Diagnostic?
        do {
            try decode(text: text.span.bytes, depth: 0, into: &rows)
        } catch {
            defect = diagnostic(for: error, base: 0, end: .max)
        }
        if defect == nil, !trailing.isEmpty {
            defect = diagnostic(for: DecodeError(.trailing, at: 0), base: 0, end: .max)
        }
        trailing.removeAll()
        var finished = trace.take() ?? DocumentTrace()
        finished.diagnostic = defect
        finished.raw = text
        finished.format = current.map { ReceiptFormatRegistry.all[$0].name }
        return finished
    }

    /// Begins the trace of a document where traces are kept.
    mutating func beginTrace() {
        guard keepsTraces else { return }
        trace = DocumentTrace()
        tracedWrappings = 0
    }

    /// Ends the trace of the document in a range of the stretch, which is the last of those summed up.
    mutating func endTrace(_ bytes: RawSpan, _ range: Range<Int>, line: Int, _ summary: Summary) {
        guard var finished = trace.take() else { return }
        finished.raw = bytes.extracting(range).withUnsafeBytes(Array.init)
        finished.ordinal = summary.documents - 1
        finished.line = line
        finished.offset = range.lowerBound
        finished.format = current.map { ReceiptFormatRegistry.all[$0].name }
        if let reject = summary.rejects.last, reject.ordinal == finished.ordinal {
            finished.diagnostic = reject.diagnostic
            finished.format = reject.kind
        }
        // Where JSON ends shows only when it has been read.
        if let first = finished.layers.first, first.bytes.isEmpty { finished.layers[0].bytes = finished.raw }
        traces.append(finished)
    }

    /// Notes a layer; of JSON that is not wrapped the bytes are those of the document, given at its end.
    mutating func note(_ kind: DocumentTrace.Layer.Kind, _ bytes: RawSpan?, format: Int? = nil) {
        guard trace != nil else { return }
        let member = wrappings.count > tracedWrappings ? wrappings.last : nil
        tracedWrappings = wrappings.count
        trace?.layers.append(
            DocumentTrace.Layer(
                kind: kind,
                format: format.map { ReceiptFormatRegistry.all[$0].name },
                member: member,
                bytes: bytes?.withUnsafeBytes(Array.init) ?? []
            )
        )
    }

    /// Notes that the document is what stands, as an object, in a member of the innermost layer.
    mutating func note(inside member: String) {
        guard let last = trace?.layers.indices.last else { return }
        tracedWrappings = wrappings.count
        trace?.layers[last].path.append(member)
    }

    /// Notes which format takes the innermost layer for a document.
    mutating func note(format: Int) {
        guard let last = trace?.layers.indices.last else { return }
        trace?.layers[last].format = ReceiptFormatRegistry.all[format].name
    }
}
