import TillColumns

/// The times of the successes of each request, by the fingerprint of the request: 24 bytes for each request, and 32 for
/// each success of ``earlier``.
///
/// The success after a 21007 comes from the sandbox, so successes of environments that are not counted are kept, too.
/// Where the environment is counted, the successes are counted as responses, and only the last one of a request is kept.
/// The others stand for a verification only behind a 21007, so all of them are kept (``pairs(of:)``).
package struct AnsweredRequests: Sendable {
    /// The time is `nil` if the success has none; `isCounted` tells whether its environment is counted.
    package typealias Element = (request: UInt128, at: Int64?, isCounted: Bool)

    /// Later than every instant: a success without a time may have followed any answer.
    private static let unknown = Int64.max

    private var counted = IntegerMap<UInt128, Int64>()
    private var others = IntegerMap<UInt128, Int64>()
    /// The successes of ``others`` before the last one of their request, in no particular order.
    private var earlier: [(request: UInt128, at: Int64)] = []

    /// Slots of the tables, empty ones among them.
    var capacity: Int { counted.capacity + others.capacity }
    /// Bytes of the successes that are in no table.
    var listFootprint: Int { earlier.capacity * MemoryLayout<(request: UInt128, at: Int64)>.stride }

    /// All successes that are kept, in order.
    package var sorted: [Element] {
        var elements: [(request: UInt128, at: Int64, isCounted: Bool)] = []
        counted.visit { elements.append(($0, $1, true)) }
        others.visit { elements.append(($0, $1, false)) }
        for (request, instant) in earlier { elements.append((request, instant, false)) }
        elements.sort { ($0.request, $0.isCounted ? 0 : 1, $0.at) < ($1.request, $1.isCounted ? 0 : 1, $1.at) }
        return elements.map { ($0.request, $0.at == Self.unknown ? nil : $0.at, $0.isCounted) }
    }

    mutating func note(_ request: UInt128, at milliseconds: Int64?, isCounted: Bool) {
        let instant = milliseconds ?? Self.unknown
        if isCounted {
            counted.update(request, entering: instant) { $0 = max($0, instant) }
        } else if let latest = others[request] {
            earlier.append((request, min(latest, instant)))
            others.update(request, entering: instant) { $0 = max($0, instant) }
        } else {
            others.update(request, entering: instant) { $0 = instant }
        }
    }

    mutating func merge(_ other: Self) {
        other.counted.visit { note($0, at: $1, isCounted: true) }
        other.others.visit { note($0, at: $1, isCounted: false) }
        for (request, instant) in other.earlier { note(request, at: instant, isCounted: false) }
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

    /// The number of answers that have a success of their own, of an environment that is not counted: of the same
    /// request and not before the answer. As many as possible are paired, so the order of reading does not matter.
    ///
    ///     21007  0  21007  0        two
    ///     21007  21007  0           one: the request was sent to production again before it was sent to the sandbox
    ///     21007  21007  0  0        two, at the same time
    ///
    /// - Parameter answers: the times of answers by request; `nil` is before all others.
    func pairs(of answers: [UInt128: [Int64?]]) -> Int {
        var successes: [UInt128: [Int64]] = [:]
        for request in answers.keys { if let latest = others[request] { successes[request] = [latest] } }
        for (request, instant) in earlier where successes[request] != nil { successes[request]?.append(instant) }
        return successes.reduce(0) { $0 + Self.pairs(of: answers[$1.key] ?? [], $1.value) }
    }

    /// The latest answer comes first: it can be paired with the fewest successes.
    private static func pairs(of answers: [Int64?], _ successes: [Int64]) -> Int {
        var (pairs, left) = (0, 0)
        var rest = successes.sorted()[...]
        for instant in answers.map({ $0 ?? .min }).sorted(by: >) {
            while let latest = rest.last, instant <= latest {
                rest.removeLast()
                left += 1
            }
            guard left > 0 else { continue }
            left -= 1
            pairs += 1
        }
        return pairs
    }

    private static func follow(_ latest: Int64?, _ milliseconds: Int64?) -> Bool {
        guard let latest else { return false }
        return milliseconds.map { $0 <= latest } ?? true
    }
}
