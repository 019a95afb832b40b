import TillJSON

/// The names of events in the schema `tillroll-event/1`.
enum EventName {
    private static let names: Set<String> = [
        "purchasing", "purchased", "failed", "restored", "deferred", "restore_started", "restore_completed",
        "restore_failed", "pending", "verified", "verify_failed", "finished", "product_request_failed",
    ]

    /// Whether a value is one of these names.
    static func isKnown(_ token: JSONToken, in json: JSONBytes) -> Bool {
        guard token.count <= 64 else { return false }
        var text: [UInt8] = []
        json.appendText(of: token, to: &text)
        return names.contains(String(decoding: text, as: UTF8.self))
    }
}
