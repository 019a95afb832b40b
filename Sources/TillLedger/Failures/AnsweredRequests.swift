import TillColumns

/// The time of the last success of each request, by the fingerprint of the request: 24 bytes each, and 32 where the
/// environment of the success is not counted.
///
/// The success after a 21007 comes from the sandbox, so successes of environments that are not counted are kept, too.
/// Counted ones are counted as responses. The others stand for a verification only behind a 21007, so their number is
/// kept (``verifications(of:answered:)``).
package struct AnsweredRequests: Sendable {
    /// The last success of a request, at an unknown time where `at` is `nil`. `isCounted` tells whether its environment
    /// is counted; `count` is the number of successes where it is not, else 1.
    package typealias Element = (request: UInt128, at: Int64?, isCounted: Bool, count: Int)

    /// Successes of one request whose environment is not counted.
    private struct Others {
        var latest: Int64
        var count: Int
    }

    /// Later than every instant: a success without a time may have followed any answer.
    private static let unknown = Int64.max

    private var counted = IntegerMap<UInt128, Int64>()
    private var others = IntegerMap<UInt128, Others>()

    /// Slots of the tables, empty ones among them.
    var capacity: Int { counted.capacity + others.capacity }

    /// All requests, in order.
    package var sorted: [Element] {
        var elements: [Element] = []
        func instant(_ latest: Int64) -> Int64? { latest == Self.unknown ? nil : latest }
        counted.visit { elements.append(($0, instant($1), true, 1)) }
        others.visit { elements.append(($0, instant($1.latest), false, $1.count)) }
        return elements.sorted { ($0.request, $0.isCounted ? 0 : 1) < ($1.request, $1.isCounted ? 0 : 1) }
    }

    mutating func note(_ request: UInt128, at milliseconds: Int64?, isCounted: Bool, count: Int = 1) {
        let instant = milliseconds ?? Self.unknown
        if isCounted {
            counted.update(request, entering: instant) { $0 = max($0, instant) }
        } else {
            others.update(request, entering: Others(latest: instant, count: 0)) {
                $0.latest = max($0.latest, instant)
                $0.count += count
            }
        }
    }

    mutating func merge(_ other: Self) {
        other.counted.visit { note($0, at: $1, isCounted: true) }
        other.others.visit { note($0, at: $1.latest, isCounted: false, count: $1.count) }
    }

    /// Whether a success of a request came after an answer of an instant, or at that instant. An answer without a time
    /// is before all others.
    func follow(_ request: UInt128, at milliseconds: Int64?) -> Bool {
        followCounted(request, at: milliseconds) || Self.follow(others[request]?.latest, milliseconds)
    }

    /// The same for successes whose environment is counted.
    func followCounted(_ request: UInt128, at milliseconds: Int64?) -> Bool {
        Self.follow(counted[request], milliseconds)
    }

    /// The number of verifications that 21007s of a request and its successes of environments that are not counted are:
    /// one for each success, and at most one for each 21007. Only the last success must not be earlier than the 21007s,
    /// so no more than one time is kept for a request.
    ///
    ///     21007  0  21007  0        two
    ///     21007  21007  0           one: the request was sent to production again before it was sent to the sandbox
    ///
    /// - Parameter answers: the number of 21007s that a success followed.
    func verifications(of request: UInt128, answered answers: Int) -> Int { min(answers, others[request]?.count ?? 0) }

    private static func follow(_ latest: Int64?, _ milliseconds: Int64?) -> Bool {
        guard let latest else { return false }
        return milliseconds.map { $0 <= latest } ?? true
    }
}
