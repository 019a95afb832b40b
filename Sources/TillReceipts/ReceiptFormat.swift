public import TillCore
public import TillJSON
public import TillRows

/// One kind of document: how it is detected, and how its rows are decoded.
///
/// Documents of a format are JSON, binary, text, or several of these. A format decodes a document straight into column
/// builders and keeps no tree of it. It throws a ``Finding``; the
/// caller rolls the rows back, asks for ``path`` and makes a reject.
public protocol ReceiptFormat: Sendable {
    /// The word for `--from`.
    static var name: String { get }
    /// One line for the help text.
    static var summary: String { get }
    /// Keys of a top-level JSON object, each of which shows that the document is of this format.
    static var jsonKeys: [String] { get }
    /// The ``jsonKeys`` that count only if the object has no key of another format.
    static var weakKeys: [String] { get }
    /// Whether its JSON decoder reads the signed documents and receipts inside its objects. Otherwise those win over
    /// the object.
    static var readsNestedDocuments: Bool { get }
    /// An object with keys of several formats is of the format with the highest rank.
    static var rank: Int { get }
    /// Whether the payload of a JWS may be a document of this format.
    static var readsSignedPayloads: Bool { get }

    /// Whether its JSON decoder writes into its rows when a document was logged. Other formats give the time with
    /// ``Decoded/document(loggedAt:)``, or leave it to ``LogTimes``.
    static var readsLoggedAt: Bool { get }

    /// The layer of a trace whose octets are a receipt that the App Store can verify; `nil` for formats of documents
    /// that it cannot.
    static var receiptLayer: DocumentTrace.Layer.Kind? { get }

    /// Starts without a checker and without surroundings; each reader makes one instance of every format.
    init()

    /// Checks the signatures of documents; `nil` if verification is off. Formats without signatures ignore it.
    var checker: (any SignatureChecker)? { get set }

    /// The facts in the text around the document. A format may ignore them.
    var surroundings: Surroundings { get set }

    /// Whether these bytes, which begin with a SEQUENCE, are of this format.
    static func recognizes(binary bytes: RawSpan) -> Bool

    /// Whether this text, which begins with neither white space nor JSON, is of this format.
    static func recognizes(text: RawSpan) -> Bool

    /// Where the decoder stood when it threw, outermost first: `in_app[3] › purchase_date`.
    var path: String { get }

    /// Called before the first document of each batch. Its dictionary is new, so codes of the last batch are not valid
    /// in it.
    mutating func beginBatch()

    /// Begins to read the JSON object at the cursor; gives a match where the object is certainly of this format.
    ///
    /// It is called for the format of the previous document, if starting to read costs less than detecting the format
    /// again.
    mutating func recognize(json cursor: borrowing JSONCursor) -> MemberReader.Match?

    /// Decodes the JSON object that the cursor stands on, to its end, and appends its rows.
    @_lifetime(cursor: copy cursor)
    mutating func decode(json cursor: inout JSONCursor, into rows: inout RowBatch) throws(Finding) -> Decoded

    /// The same for an object that ``recognize(json:)`` has begun to read, which gave the match just before.
    @_lifetime(cursor: copy cursor)
    mutating func decode(
        json cursor: inout JSONCursor,
        match: MemberReader.Match?,
        into rows: inout RowBatch
    ) throws(Finding) -> Decoded

    /// Decodes JSON objects from the cursor on as long as each is certainly of this format, without a defect, and alone
    /// in its line; a comma or a carriage return may stand before the line feed. ``decode(json:into:)`` reads the next
    /// object, and finds its defect.
    ///
    /// It is for formats of short documents, where detecting the format of each would cost as much as decoding it. Each
    /// gives one row, an event; the caller numbers the rows.
    /// - Parameter longest: an object of more bytes ends the run.
    mutating func decodeRun(from start: borrowing JSONCursor, longest: Int, into rows: inout RowBatch) -> DocumentRun

    /// Decodes a binary document and appends its rows.
    mutating func decode(binary bytes: RawSpan, into rows: inout RowBatch) throws(Finding)

    /// Decodes text that is not JSON and appends its rows; or gives the document that the text wraps, or is in another
    /// notation.
    ///
    /// - Parameter isAllowed: whether documents of this format are read; if not, one is a
    ///   ``Defect/otherFormat``.
    mutating func decode(text: RawSpan, isAllowed: Bool, into rows: inout RowBatch) throws(Finding) -> [UInt8]?
}

/// Documents that were decoded one after the other, each with its line feed.
public struct DocumentRun {
    /// Documents of the run; each has appended one row of events.
    public var count = 0
    /// Behind the line feed of the last one.
    public var end: Int

    /// Begins a run of no documents at `end`, a position in the bytes of the cursor.
    public init(end: Int) {
        self.end = end
    }
}

/// The instant at which a JSON object says that it was written.
public enum LoggedAt: Sendable {
    /// The members have not been searched for it.
    case unread
    /// In milliseconds since 1970; `nil` if no member says it.
    case read(Int64?)
}

/// The result of decoding a JSON object.
public enum Decoded {
    /// A document; its rows are appended.
    case document(loggedAt: LoggedAt = .unread)
    /// A document, whose rows are appended, and the string of `member` is another one.
    case both(JSONToken, member: String, environment: Word?)
    /// A document, whose rows are appended. Signed documents and receipts in its other members are documents of their
    /// own, and the object may name their environment.
    case holding(environment: Word?)
    /// A document, whose rows are appended, of a verification that failed. Rows of the receipts in it are only counted
    /// as withheld. The receipts are in the value `part`; `nil` if they may be anywhere in the object.
    case refused(part: JSONToken?)
    /// Only a wrapper: the document is in the string of `member`, and the wrapper may name its environment. Other
    /// documents may be beside it, in members that the format has not read.
    case wrapped(
        JSONToken,
        member: String,
        loggedAt: LoggedAt = .unread,
        environment: Word? = nil,
        hasOthers: Bool = false
    )
    /// A document of another format, as a later member shows; that format has to decode it. `nil` if it is not
    /// registered.
    case other(FormatID?)
    /// An object that may be of another kind, or contain a better document: it has only common members, or a signed
    /// document beside them. Documents found inside it take precedence.
    case unclear(Otherwise)

    /// The handling of an unclear object in which no document is found.
    public enum Otherwise: Sendable {
        /// It is a document; its rows are appended.
        case document
        /// It is a document where it is the payload of a JWS, and else nothing that tillroll knows. Its rows are
        /// appended, or there is an error.
        case payload(Finding?)
        case reject(Finding)
        /// It is a document, whose rows are appended, or there is an error. Documents in it say more, of any kind: its
        /// `receipt` may be a whole response.
        case holder(Finding?)

        /// Whether no other format is asked.
        var isSettled: Bool {
            switch self {
            case .document, .holder: true
            case .payload, .reject: false
            }
        }
    }
}

/// The facts about a document in the text around it.
public struct Surroundings: Hashable, Sendable {
    /// A status of verifyReceipt, for a part of a response that has none.
    var status: Int64?
    /// One of Apple's environments, for a legacy receipt that has none.
    var environment: Word?

    /// The status, if it is one of a failure.
    var refusal: Int64? { VerifyStatus.isBooked(status) ? nil : status }
}

extension ReceiptFormat {
    public static var jsonKeys: [String] { [] }
    public static var weakKeys: [String] { [] }
    public static var rank: Int { 0 }
    public static var readsNestedDocuments: Bool { false }
    public static var readsSignedPayloads: Bool { false }
    public static var readsLoggedAt: Bool { false }
    public static var receiptLayer: DocumentTrace.Layer.Kind? { nil }
    public static func recognizes(binary bytes: RawSpan) -> Bool { false }
    public static func recognizes(text: RawSpan) -> Bool { false }
    public mutating func recognize(json cursor: borrowing JSONCursor) -> MemberReader.Match? { nil }
    public var path: String { "" }
    public var checker: (any SignatureChecker)? {
        get { nil }
        set {}
    }
    public var surroundings: Surroundings {
        get { Surroundings() }
        set {}
    }
    public mutating func beginBatch() {}

    @_lifetime(cursor: copy cursor)
    public mutating func decode(json cursor: inout JSONCursor, into rows: inout RowBatch) throws(Finding) -> Decoded {
        throw Finding(.otherFormat, at: cursor.position)
    }

    @_lifetime(cursor: copy cursor)
    public mutating func decode(
        json cursor: inout JSONCursor,
        match: MemberReader.Match?,
        into rows: inout RowBatch
    ) throws(Finding) -> Decoded {
        try decode(json: &cursor, into: &rows)
    }

    public mutating func decodeRun(
        from start: borrowing JSONCursor,
        longest: Int,
        into rows: inout RowBatch
    ) -> DocumentRun {
        DocumentRun(end: start.position)
    }

    public mutating func decode(binary bytes: RawSpan, into rows: inout RowBatch) throws(Finding) {
        throw Finding(.otherFormat)
    }

    public mutating func decode(text: RawSpan, isAllowed: Bool, into rows: inout RowBatch) throws(Finding) -> [UInt8]? {
        throw Finding(.otherFormat)
    }
}

/// Every format that tillroll reads; a new one is a line here.
public enum ReceiptFormatRegistry {
    /// All formats, in the order of the help for `--from`.
    ///
    /// Of several formats that recognise a text or a binary document, the first reads it.
    public static let all: [any ReceiptFormat.Type] = [
        PKCS7Format.self,
        LegacyFormat.self,
        VerifyFormat.self,
        JWSFormat.self,
        NotificationFormat.self,
        EventFormat.self,
    ]

    /// The format with the given name.
    public static func format(named name: String) -> (any ReceiptFormat.Type)? {
        all.first { $0.name == name }
    }
}
