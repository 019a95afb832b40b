import TillJSON

/// Tells the format of a JSON object by its first telling key.
///
/// Keys are looked at in their order until one of them belongs to a format; values before it are passed over. So a
/// response that begins with its status costs one key, and one with other members before it costs those.
struct DocumentSniffer {
    private var members: MemberReader
    /// By number of the key: the number of its format in the registry, `nil` for keys that tell nothing and often come first.
    private let formats: [Int?]

    /// Numbers of keys that objects of any kind have.
    private let common: Set<Int>
    private static let commonKeys = Set(VerifyFormat.weakKeys + ["event", "productId", "purchaseDate", "receiptType"])

    /// Members that dumps put before anything telling, in the order in which they are usual.
    private static let preludes = [
        "v", "ts", "logged_at_ms", "request_id", "environment", "logged_at", "timestamp", "received_at", "password",
    ]

    init() {
        let telling = ReceiptFormatRegistry.all.enumerated().flatMap { number, format in
            format.jsonKeys.map { ($0, number) }
        }
        let formats = Self.preludes.map { _ in nil } + telling.map { Optional($0.1) }
        members = MemberReader(Self.preludes + telling.map { $0.0 }) { formats[$0] != nil }
        self.formats = formats
        common = Set(
            telling.indices.filter { Self.commonKeys.contains(telling[$0].0) }.map { $0 + Self.preludes.count }
        )
    }

    /// The number in the registry of the format of the object at the cursor; `nil` where no key tells.
    ///
    /// - Parameters:
    ///   - excluded: a format whose keys tell nothing, since it has given the object up.
    ///   - forSure: whether a key that objects of any kind have tells nothing.
    mutating func sniff(
        _ start: borrowing JSONCursor,
        besides excluded: Int? = nil,
        forSure: Bool = false
    ) throws(JSONError) -> Int? {
        var cursor = copy start
        try members.enter(&cursor)
        while let number = try members.nextUnread(in: &cursor) {
            if let format = formats[number], format != excluded, !forSure || !common.contains(number) { return format }
            try cursor.skipValue()
        }
        return nil
    }
}
