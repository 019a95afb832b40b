import TillCore
import TillJSON

/// The names of events in the schema `tillroll-event/1`.
enum EventName {
    static let all = [
        "purchasing", "purchased", "failed", "restored", "deferred", "restore_started", "restore_completed",
        "restore_failed", "pending", "verified", "verify_failed", "finished", "product_request_failed",
    ]
    private static let names = Set(all)

    /// Whether a value is one of these names.
    static func isKnown(_ token: JSONToken, in json: JSONBytes) -> Bool {
        text(token, in: json).map(names.contains) ?? false
    }

    /// The name by which an event with an error counts if its own is none of these: `purchase_error` is a `failed`, and
    /// `RestoreError` a `restore_failed`. `nil` for a name of the schema.
    static func ofFailure(insteadOf token: JSONToken, in json: JSONBytes) -> String? {
        // Nearly all failures have this name.
        if token.count == 6, !token.hasEscapes, json.raw(token).equals("failed") { return nil }
        let text = text(token, in: json)
        if let text, names.contains(text) { return nil }
        return failure(isRestore: text.map { RestoreWord.isIn(Array($0.utf8).span.bytes) } ?? false)
    }

    /// The name of a failure that an object tells around a line: a name of the schema, or one of a restore; `nil` if it
    /// says no more than the line.
    static func ofLine(in token: JSONToken, of json: JSONBytes) -> String? {
        guard let text = text(token, in: json) else { return nil }
        if names.contains(text) { return text.hasSuffix("_failed") ? text : nil }
        return RestoreWord.isIn(Array(text.utf8).span.bytes) ? failure(isRestore: true) : nil
    }

    /// The name of a failure of a restore, or of anything else.
    static func failure(isRestore: Bool) -> String { isRestore ? "restore_failed" : "failed" }

    private static func text(_ token: JSONToken, in json: JSONBytes) -> String? {
        guard token.count <= 64 else { return nil }
        var text: [UInt8] = []
        json.appendText(of: token, to: &text)
        return String(input: text)
    }
}
