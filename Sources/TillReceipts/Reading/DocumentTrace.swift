public import TillCore
import TillRows

/// The layers of one document, outermost first, as the reader took them off.
///
///     base64 (5,852 bytes) › binary, taken for pkcs7
///     object, member Payload › base64 › binary, taken for pkcs7
///
/// The reader records each decision when it makes it, so the trace cannot differ from what was read. A trace holds
/// copies of the document and of all that was decoded from it, so it is kept only with ``DocumentReader/keepsTraces``.
public struct DocumentTrace: Sendable {
    /// One layer around the document, or the document itself.
    public struct Layer: Sendable {
        /// At most 32, since ``OpenedLayers`` has five bits for each.
        public enum Kind: UInt8, Sendable {
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
            /// gzip in base64.
            case gzip
            /// RFC 2397.
            case dataURI
            /// Names and values as a web form sends them.
            case form
            /// Percent-encoding (RFC 3986 §2.1).
            case percent
            /// Hexadecimal digits of bytes.
            case hexadecimal
            /// Values that a database has written with their type, or as text.
            case typed
            /// Text whose quotes are escaped, though it stands in no string.
            case escapes
            /// A stream of zlib in base64.
            case zlib
            /// An array of the numbers of bytes.
            case bytes
            /// An object as programming languages print it.
            case literal

            /// Its name for people.
            public var name: String {
                switch self {
                case .object: "JSON object"
                case .string: "JSON string"
                case .pem: "PEM"
                case .base64: "base64"
                case .jws: "JWS"
                case .text: "text"
                case .binary: "BER"
                case .cell: "CSV cell"
                case .gzip: "gzip"
                case .dataURI: "data URI"
                case .form: "form"
                case .percent: "URL-encoding"
                case .hexadecimal: "hexadecimal digits"
                case .typed: "typed values"
                case .escapes: "escaped text"
                case .zlib: "zlib"
                case .bytes: "array of bytes"
                case .literal: "object of a program"
                }
            }
        }

        /// The encoding or notation that the reader took off or decoded.
        public var kind: Kind
        /// The format that took the layer for a document, if one did.
        public var format: String?
        /// The member or column in which the layer stood, behind those that hold it: `http › body`.
        public var member: String?
        /// The bytes of the layer, as they are before it is taken off.
        public var bytes: [UInt8]

        /// Makes a layer; without a `format`, no format took it for a document.
        public init(kind: Kind, format: String? = nil, member: String? = nil, bytes: [UInt8]) {
            self.kind = kind
            self.format = format
            self.member = member
            self.bytes = bytes
        }
    }

    /// The layers, outermost first; empty if none was recognised.
    public var layers: [Layer] = []
    /// The unchanged document.
    public var raw: [UInt8] = []
    /// The number of the document in its chunk, from 0.
    public var ordinal = 0
    /// Line feeds before it in the chunk.
    public var line = 0
    /// Where the document stands in the chunk.
    public var offset = 0
    /// The format that read, or tried to read, the document inside all layers.
    public var format: String?
    /// Why the document could not be read; `nil` if it could.
    public var diagnostic: Diagnostic?

    /// Starts without layers; the reader sets the other values when the document ends.
    public init() {}
}

extension DocumentReader {
    /// Reads text that stands inside a document as if it were one, and gives its trace; its rows are thrown away.
    public mutating func trace(text: [UInt8]) -> DocumentTrace {
        var rows = RowBatch()
        unwrapper.decoder.beginBatch()
        var document = DocumentState(keepsTrace: keepsTraces, isWrapped: true)
        var defect: Diagnostic?
        do {
            try unwrapper.decode(text: text.span.bytes, &document, into: &rows)
        } catch {
            defect = diagnostic(for: error, in: document)
        }
        if defect == nil, !document.trailing.isEmpty {
            defect = diagnostic(for: Finding(.trailing), in: document)
        }
        var finished = document.takeTrace() ?? DocumentTrace()
        finished.diagnostic = defect
        finished.raw = text
        finished.format = document.format?.name
        return finished
    }

    /// Ends the trace of the document in a range of the bytes, which is the last of those that the summary counts.
    ///
    /// - Parameter raw: a copy of the range. The documents of one frame share it: copies would take memory for the
    ///   square of their number.
    mutating func endTrace(
        of document: inout DocumentState,
        _ bytes: RawSpan,
        _ range: Range<Int>,
        raw: [UInt8]? = nil,
        line: Int,
        _ summary: Summary
    ) {
        guard var finished = document.takeTrace() else { return }
        finished.raw = raw ?? bytes.extracting(range).withUnsafeBytes(Array.init)
        finished.ordinal = summary.documents - 1
        finished.line = line
        finished.offset = range.lowerBound
        finished.format = document.format?.name
        if let reject = summary.rejects.last, reject.ordinal == finished.ordinal {
            finished.diagnostic = reject.diagnostic
            finished.format = reject.kind
        }
        // Where JSON ends shows only when it has been read.
        if let first = finished.layers.first, first.bytes.isEmpty { finished.layers[0].bytes = finished.raw }
        traces.append(finished)
    }
}
