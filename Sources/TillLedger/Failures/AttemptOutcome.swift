import TillColumns

/// How an attempt to buy ended, according to one event.
///
/// Of several events the greatest one counts: the last by time (<doc:Rules>, Failures). An event with an unknown time
/// comes before all others. Of events at one instant, the later case of ``Kind`` counts. So the result depends neither
/// on the order nor on the split of lines.
package struct AttemptOutcome: Comparable, Sendable {
    /// Of one instant, a purchase outranks every other kind, and a failure outranks a cancellation.
    package enum Kind: UInt8 {
        case deferred, cancelled, failed, restored, purchased
    }

    private static let unknown = Int64.min

    private let milliseconds: Int64
    package let kind: Kind

    package init(_ kind: Kind, at milliseconds: Int64?) {
        self.kind = kind
        self.milliseconds = milliseconds ?? Self.unknown
    }

    /// In milliseconds; `nil` if it is not known.
    package var at: Int64? { milliseconds == Self.unknown ? nil : milliseconds }

    package static func < (left: Self, right: Self) -> Bool {
        (left.milliseconds, left.kind.rawValue) < (right.milliseconds, right.kind.rawValue)
    }
}

/// How attempts ended, by the fingerprint of their ids: 32 bytes each.
package struct AttemptOutcomes: Sendable {
    package typealias Element = (attempt: UInt128, outcome: AttemptOutcome)

    private var outcomes = IntegerMap<UInt128, AttemptOutcome>()

    /// Slots of the table, empty ones among them.
    var capacity: Int { outcomes.capacity }

    /// All outcomes, in order of attempts.
    package var sorted: [Element] {
        var elements: [Element] = []
        outcomes.visit { elements.append(($0, $1)) }
        return elements.sorted { $0.attempt < $1.attempt }
    }

    func visit(_ body: (AttemptOutcome) -> Void) { outcomes.visit { body($1) } }

    mutating func note(_ outcome: AttemptOutcome, of attempt: UInt128) {
        outcomes.update(attempt, entering: outcome) { $0 = max($0, outcome) }
    }

    /// Attempts between the prefetch of a slot and its use.
    private static let prefetchDistance = 8

    /// Notes outcomes one after the other. The slot of each is prefetched some outcomes ahead.
    mutating func note(contentsOf added: [Element]) {
        for index in added.indices {
            let ahead = index &+ Self.prefetchDistance
            if ahead < added.count { outcomes.prefetch(added[ahead].attempt) }
            note(added[index].outcome, of: added[index].attempt)
        }
    }

    mutating func merge(_ other: Self) {
        other.outcomes.visit { note($1, of: $0) }
    }
}
