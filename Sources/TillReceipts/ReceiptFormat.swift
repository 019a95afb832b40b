public import TillJSON
public import TillRows

/// One kind of document: how it is told from others, and how its rows are read.
///
/// A format has JSON documents, binary ones, text, or several of these. It decodes a document straight into column builders and keeps
/// no tree of it. What it throws is a ``DecodeError`` or the error of a reader below it (``JSONError``); its caller
/// takes back the rows, asks for ``path`` and makes a reject of it.
public protocol ReceiptFormat: Sendable {
    /// The word for `--from`.
    static var name: String { get }
    /// One line for the help text.
    static var summary: String { get }
    /// Keys of a top-level JSON object, any one of which says that the document is of this format.
    static var jsonKeys: [String] { get }
    /// Those of ``jsonKeys`` that say so only where no other member says anything.
    static var weakKeys: [String] { get }
    /// Of an object with members of several formats, which it is: the one of the highest rank.
    static var rank: Int { get }
    /// Whether the payload of a JWS may be a document of this format.
    static var readsSignedPayloads: Bool { get }

    /// Whether its JSON documents read themselves when they were logged (``LogTimes``).
    static var readsLoggedAt: Bool { get }

    init()

    /// Checks the signatures of what is decoded; `nil` where nobody asks. Formats without any have no use for it.
    var checker: (any SignatureChecker)? { get set }

    /// Whether these bytes, which begin with a SEQUENCE, are of this format.
    static func recognizes(binary bytes: RawSpan) -> Bool

    /// Whether this text, which begins with neither white space nor JSON, is of this format.
    static func recognizes(text: RawSpan) -> Bool

    /// Where the decoder stood when it threw, outermost first: `in_app[3] › purchase_date`.
    var path: String { get }

    /// Called before the first document of each batch, whose dictionary is new: codes kept from the last mean nothing.
    mutating func beginBatch()

    /// Whether the JSON object at the cursor is surely of this format, told by beginning to read it; if it is, ``decode(json:into:)``
    /// of that object comes next. Asked of the format of the document before, to spare telling it anew.
    mutating func recognizes(json cursor: borrowing JSONCursor) -> Bool

    /// Reads the JSON object that the cursor stands on, to its end, and appends its rows.
    @_lifetime(cursor: copy cursor)
    mutating func decode(json cursor: inout JSONCursor, into rows: inout RowBatch) throws -> Decoded

    /// Reads JSON objects from the cursor on as long as each is surely of this format, without a defect, and alone in its line, be
    /// there a comma or a carriage return before the line feed. What is left is for ``decode(json:into:)``, which tells what is
    /// wrong with it.
    ///
    /// For formats of short documents, of which asking for each what it is would cost as much as reading it. Each gives one row,
    /// an event, which its caller numbers.
    /// - Parameter longest: an object of more bytes is left.
    mutating func decodeRun(from start: borrowing JSONCursor, longest: Int, into rows: inout RowBatch) -> DocumentRun

    /// Reads a binary document and appends its rows.
    mutating func decode(binary bytes: RawSpan, into rows: inout RowBatch) throws

    /// The document that this text only wraps, or is in another notation; `nil` where it is a document of the format.
    ///
    /// Called right before ``decode(text:into:)``, with the same text.
    mutating func unwrap(text: RawSpan) throws -> [UInt8]?

    /// Reads a document of text that is not JSON and appends its rows.
    mutating func decode(text: RawSpan, into rows: inout RowBatch) throws
}

/// Documents that were read one after the other, each with its line feed.
public struct DocumentRun {
    public var count = 0
    /// Behind the line feed of the last one.
    public var end: Int

    public init(end: Int) {
        self.end = end
    }
}

/// What is known of when a JSON object says that it was written.
public enum LoggedAt: Sendable {
    /// Its members have not been read for that.
    case unread
    /// They have; in milliseconds, `nil` where they do not tell.
    case read(Int64?)
}

/// What a JSON document turned out to be.
public enum Decoded {
    /// A document of its own; its rows are appended.
    case document
    /// Only a wrapping: the string, which stands under the name of `member`, is the document.
    case wrapped(JSONToken, member: String, loggedAt: LoggedAt = .unread)
    /// A document of another format, which some later member told; to be read again by the one of that name.
    case other(String)
    /// What has little more than a member that many kinds of objects have, such as a status: it is what its other members say.
    /// If they say nothing, it is a document of its own, whose rows are appended, or else this error.
    case unclear(DecodeError?)
}

extension ReceiptFormat {
    public static var jsonKeys: [String] { [] }
    public static var weakKeys: [String] { [] }
    public static var rank: Int { 0 }
    public static var readsSignedPayloads: Bool { false }
    public static var readsLoggedAt: Bool { false }
    public static func recognizes(binary bytes: RawSpan) -> Bool { false }
    public static func recognizes(text: RawSpan) -> Bool { false }
    public mutating func recognizes(json cursor: borrowing JSONCursor) -> Bool { false }
    public var path: String { "" }
    public var checker: (any SignatureChecker)? {
        get { nil }
        set {}
    }
    public mutating func beginBatch() {}

    @_lifetime(cursor: copy cursor)
    public mutating func decode(json cursor: inout JSONCursor, into rows: inout RowBatch) throws -> Decoded {
        throw DecodeError(.otherFormat, at: cursor.position)
    }

    public mutating func decodeRun(
        from start: borrowing JSONCursor,
        longest: Int,
        into rows: inout RowBatch
    ) -> DocumentRun {
        DocumentRun(end: start.position)
    }

    public mutating func decode(binary bytes: RawSpan, into rows: inout RowBatch) throws {
        throw DecodeError(.otherFormat, at: 0)
    }

    public mutating func unwrap(text: RawSpan) throws -> [UInt8]? { nil }

    public mutating func decode(text: RawSpan, into rows: inout RowBatch) throws {
        throw DecodeError(.otherFormat, at: 0)
    }
}

/// Every format that tillroll reads; a new one is a line here.
public enum ReceiptFormatRegistry {
    public static let all: [any ReceiptFormat.Type] = [
        PKCS7Format.self,
        LegacyFormat.self,
        VerifyFormat.self,
        JWSFormat.self,
        NotificationFormat.self,
        EventFormat.self,
    ]

    /// Where in ``all`` the format with the given name stands.
    static func number(of name: String) -> Int? {
        all.firstIndex { $0.name == name }
    }

    /// The format with the given name.
    public static func format(named name: String) -> (any ReceiptFormat.Type)? {
        all.first { $0.name == name }
    }
}
