import TillColumns

/// The time of the last success of each request, by the fingerprint of the request: 24 bytes each.
///
/// The success after a 21007 comes from the sandbox, so successes of environments that are not counted are kept, too.
package struct AnsweredRequests: Sendable {
    /// The time is `nil` if the success has none; `isCounted` tells whether its environment is counted.
    package typealias Element = (request: UInt128, at: Int64?, isCounted: Bool)

    /// Later than every instant: a success without a time may have followed any answer.
    private static let unknown = Int64.max

    private var counted = IntegerMap<UInt128, Int64>()
    private var others = IntegerMap<UInt128, Int64>()

    /// Slots of the tables, empty ones among them.
    var capacity: Int { counted.capacity + others.capacity }

    /// All requests, in order.
    package var sorted: [Element] {
        var elements: [Element] = []
        counted.visit { elements.append(($0, $1 == Self.unknown ? nil : $1, true)) }
        others.visit { elements.append(($0, $1 == Self.unknown ? nil : $1, false)) }
        return elements.sorted { ($0.request, $0.isCounted ? 0 : 1) < ($1.request, $1.isCounted ? 0 : 1) }
    }

    mutating func note(_ request: UInt128, at milliseconds: Int64?, isCounted: Bool) {
        let instant = milliseconds ?? Self.unknown
        if isCounted {
            counted.update(request, entering: instant) { $0 = max($0, instant) }
        } else {
            others.update(request, entering: instant) { $0 = max($0, instant) }
        }
    }

    mutating func merge(_ other: Self) {
        other.counted.visit { note($0, at: $1, isCounted: true) }
        other.others.visit { note($0, at: $1, isCounted: false) }
    }

    /// Whether a success of a request came after an answer of an instant, or at that instant. An answer without a time
    /// is before all others.
    func follow(_ request: UInt128, at milliseconds: Int64?) -> Bool {
        followCounted(request, at: milliseconds) || Self.follow(others[request], milliseconds)
    }

    /// The same for successes whose environment is counted.
    func followCounted(_ request: UInt128, at milliseconds: Int64?) -> Bool {
        Self.follow(counted[request], milliseconds)
    }

    private static func follow(_ latest: Int64?, _ milliseconds: Int64?) -> Bool {
        guard let latest else { return false }
        return milliseconds.map { $0 <= latest } ?? true
    }
}
