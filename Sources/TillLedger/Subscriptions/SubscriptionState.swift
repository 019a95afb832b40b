/// Additional data for the subscription report.
package struct SubscriptionState: Sendable {
    /// The latest end of a grace period in any document, by the word of the chain's original id.
    package private(set) var graceEnds: [Int64: Int64] = [:]
    /// The time of the newest document, in milliseconds.
    package private(set) var newest: Int64?

    package mutating func see(at milliseconds: Int64?) {
        guard let milliseconds else { return }
        newest = max(newest ?? milliseconds, milliseconds)
    }

    /// Removes grace periods, after they were written to a file.
    mutating func forgetGrace() { graceEnds = [:] }

    package mutating func note(graceUntil end: Int64, of chain: Int64) {
        graceEnds[chain] = max(graceEnds[chain] ?? end, end)
    }
}
