import TillColumns

/// When requests were last answered well, by what stands for them: 24 bytes each.
package struct AnsweredRequests: Sendable {
    /// The time is `nil` where an answer has none.
    package typealias Element = (request: UInt128, at: Int64?)

    /// Later than everything: such an answer may have followed any other.
    private static let unknown = Int64.max

    private var latest = IntegerMap<UInt128, Int64>()

    /// Requests that there is room for, and those places that stay empty.
    var capacity: Int { latest.capacity }

    /// All of them, by request.
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

    /// Whether a request was answered well after an answer of an instant, or at it; an answer without a time is before
    /// all others.
    func follow(_ request: UInt128, at milliseconds: Int64?) -> Bool {
        guard let latest = latest[request] else { return false }
        return milliseconds.map { $0 <= latest } ?? true
    }
}
