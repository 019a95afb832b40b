import TillJSON

/// Tells the format of a JSON object by its first telling key.
///
/// Keys are looked at in their order until one of them belongs to a format; values before it are passed over. So a
/// response that begins with its status costs one key, and one with other members before it costs those.
struct DocumentSniffer {
    /// Numbers of formats by key; ``neutral`` for keys that tell nothing and often come first.
    private var keys: KeyTable<Int>
    private static let neutral = -1

    /// Members that dumps put before anything telling, in the order in which they are usual.
    private static let preludes = [
        "v", "ts", "logged_at_ms", "request_id", "environment", "logged_at", "timestamp", "received_at", "password",
    ]

    init() {
        let telling = ReceiptFormatRegistry.all.enumerated().flatMap { number, format in
            format.jsonKeys.map { ($0, number) }
        }
        keys = KeyTable(Self.preludes.map { ($0, Self.neutral) } + telling)
    }

    /// The number in the registry of the format of the object at the cursor; `nil` where no key tells.
    mutating func sniff(_ start: borrowing JSONCursor) throws(JSONError) -> Int? {
        var cursor = copy start
        try cursor.expect(0x7B)
        var isFirst = true
        var previous = KeyTable<Int>.start
        while true {
            let number = try keys.next(in: &cursor, after: previous, isFirst: &isFirst)
            if number == KeyTable<Int>.end { return nil }
            if number != KeyTable<Int>.unknown {
                if keys[number] != Self.neutral { return keys[number] }
                previous = number
            }
            try cursor.skipValue()
        }
    }
}
