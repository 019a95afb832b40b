import TillColumns

/// The time of the last success of each request, by the fingerprint of the request: 24 bytes each.
package struct AnsweredRequests: Sendable {
    /// The time is `nil` if the success has none.
    package typealias Element = (request: UInt128, at: Int64?)

    /// Later than every instant: a success without a time may have followed any answer.
    private static let unknown = Int64.max

    private var latest = IntegerMap<UInt128, Int64>()

    /// Slots of the table, empty ones among them.
    var capacity: Int { latest.capacity }

    /// All requests, in order.
    package var sorted: [Element] {
        var elements: [Element] = []
        latest.visit { elements.append(($0, $1 == Self.unknown ? nil : $1)) }
        return elements.sorted { $0.request < $1.request }
    }

    mutating func note(_ request: UInt128, at milliseconds: Int64?) {
        let instant = milliseconds ?? Self.unknown
        latest.update(request, entering: instant) { $0 = max($0, instant) }
    }

    mutating func merge(_ other: Self) {
        other.latest.visit { note($0, at: $1) }
    }

    /// Whether a success of a request came after an answer of an instant, or at that instant. An answer without a time
    /// is before all others.
    func follow(_ request: UInt128, at milliseconds: Int64?) -> Bool {
        guard let latest = latest[request] else { return false }
        return milliseconds.map { $0 <= latest } ?? true
    }
}
