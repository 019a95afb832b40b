public import TillCore

extension Timestamp {
    /// Reads RFC 3339, or a day, which is its midnight in UTC; a test that misspells one ends.
    public init(_ text: String) {
        let bytes = Array(text.utf8)
        guard let instant = Timestamp.parse(bytes.span.bytes) ?? Timestamp.parseDay(bytes.span.bytes) else {
            preconditionFailure("\(text) is no instant")
        }
        self = instant
    }
}
