import TillCore
import TillJSON

/// Detects the format of a document: of JSON by its keys, of text and binary documents by their first bytes.
///
/// Keys of a JSON object are compared in their order until one of them is a discriminator; values before it are
/// skipped. A response that begins with its status costs one key, one with other members before it costs those.
///
/// Why: `docs/decisions.md`, Content decides the format.
struct FormatDetector {
    /// The format that `--from` names; documents of others are rejected.
    var requiredFormat: FormatID?
    /// The format that ``detect(json:)`` found last: most documents are of the same.
    private(set) var expectedFormat: FormatID?

    private var members = Self.members
    private let keys = Self.keys
    private let formats = Self.formats
    private let ambiguous = Self.ambiguous

    // The tables are made once for all detectors.
    private static let members = MemberReader(preludes + Discriminator.all.map(\.key)) { formats[$0] != nil }
    private static let keys = KeyTable(
        ObjectMarks.Special.allCases.map { ($0.name, KnownKey.special($0)) }
            + Discriminator.all.map { ($0.key, .format($0, isAmbiguous: ambiguousKeys.contains($0.canonicalKey))) }
    )
    /// By number of the key of a member: its format; `nil` for keys that often come first and tell no format.
    private static let formats = preludes.map { _ in nil } + Discriminator.all.map { Optional($0.format) }
    /// Numbers of keys that objects of any kind have.
    private static let ambiguous = Set(
        Discriminator.all.indices.filter { ambiguousKeys.contains(Discriminator.all[$0].canonicalKey) }
            .map { $0 + preludes.count }
    )

    private static let ambiguousKeys = Set(
        VerifyFormat.weakKeys + [
            "event", "transactionId", "productId", "purchaseDate", "renewalDate", "receiptType", "applicationVersion",
            "notificationType", "notification_type",
        ]
    )

    /// Members that dumps put before any discriminator, in their usual order.
    private static let preludes = [
        "v", "ts", "logged_at_ms", "request_id", "environment", "logged_at", "timestamp", "received_at", "password",
    ]

    /// - Parameter name: the name of the format that every document must have; `nil` allows all.
    init(requiring name: String?) {
        requiredFormat = FormatID.all.first { $0.name == name }
    }

    /// Adds the key of a member to the findings about an object that is searched for documents.
    func note(_ key: JSONToken, in cursor: borrowing JSONCursor, _ marks: inout ObjectMarks) {
        guard let number = keys.number(of: key, in: cursor) else { return marks.note(nil) }
        switch keys[number] {
        case .special(let special): marks.note(special)
        case .format(let discriminator, let isAmbiguous):
            marks.note(nil)
            marks.note(discriminator, isAmbiguous: isAmbiguous)
        }
    }

    /// Whether a key of an object that is no valid JSON tells a format. Keys are looked at up to the defect.
    func tellsFormat(ofBroken start: borrowing JSONCursor) -> Bool {
        var cursor = copy start
        var marks = ObjectMarks()
        do {
            try cursor.expect(0x7B)
            var isFirst = true
            while try cursor.nextMember(isFirst: &isFirst) {
                note(try cursor.string(), in: cursor, &marks)
                try cursor.expect(0x3A)
                cursor.skipWhitespace()
                try cursor.skipValue()
            }
        } catch {
            return marks.strong != nil || marks.weak != nil
        }
        return false
    }

    private enum KnownKey {
        case format(Discriminator, isAmbiguous: Bool)
        case special(ObjectMarks.Special)
    }

    /// Whether documents of a format are read, and not rejected as those of another than the required one.
    func allows(_ format: FormatID) -> Bool { requiredFormat == nil || requiredFormat == format }

    /// The format of the object at the cursor, which becomes the ``expectedFormat``; `nil` if no key tells it.
    mutating func detect(json start: borrowing JSONCursor) throws(Finding) -> FormatID? {
        guard let format = try find(in: start) else { return nil }
        expectedFormat = format
        return format
    }

    /// The format of the object at the cursor, which leaves the ``expectedFormat`` as it is.
    ///
    /// - Parameters:
    ///   - excluded: a format that has given the object up; its keys are ignored.
    ///   - ignoresAmbiguous: whether keys that objects of any kind have are ignored.
    mutating func find(
        in start: borrowing JSONCursor,
        excluding excluded: FormatID? = nil,
        ignoresAmbiguous: Bool = false
    ) throws(Finding) -> FormatID? {
        var cursor = copy start
        try members.enter(&cursor)
        while let number = try members.nextUnread(in: &cursor) {
            if let format = formats[number], format != excluded, !ignoresAmbiguous || !ambiguous.contains(number) {
                return format
            }
            try cursor.skipValue()
        }
        return nil
    }

    /// The format of text that begins with neither white space nor JSON.
    static func detect(text: RawSpan) -> FormatID? { FormatID.all.first { $0.type.recognizes(text: text) } }

    /// The format of a document that begins with an ASN.1 SEQUENCE.
    static func detect(binary bytes: RawSpan) -> FormatID? { FormatID.all.first { $0.type.recognizes(binary: bytes) } }
}
