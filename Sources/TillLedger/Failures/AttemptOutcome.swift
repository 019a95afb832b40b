import TillColumns

/// How an attempt to buy ended, as one event tells it.
///
/// Of several events the greatest is how it did end: the last by time (<doc:Rules>, Failures). An event whose time is
/// not known comes before all others; of events of one instant the one wins that stands later in ``Kind``, so that
/// neither the order of lines nor how they are split has a say.
package struct AttemptOutcome: Comparable, Sendable {
    /// What was paid for was bought, whatever else is told of that instant, and a failure is not hidden by a
    /// cancellation.
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

    /// In milliseconds; `nil` where it is not known.
    package var at: Int64? { milliseconds == Self.unknown ? nil : milliseconds }

    package static func < (left: Self, right: Self) -> Bool {
        (left.milliseconds, left.kind.rawValue) < (right.milliseconds, right.kind.rawValue)
    }
}

/// How attempts ended, by what stands for their ids: 32 bytes each.
package struct AttemptOutcomes: Sendable {
    package typealias Element = (attempt: UInt128, outcome: AttemptOutcome)

    private var outcomes = IntegerMap<UInt128, AttemptOutcome>()

    /// Attempts that there is room for, and those places that stay empty.
    var capacity: Int { outcomes.capacity }

    /// All of them, by attempt.
    package var sorted: [Element] {
        var elements: [Element] = []
        outcomes.visit { elements.append(($0, $1)) }
        return elements.sorted { $0.attempt < $1.attempt }
    }

    func visit(_ body: (AttemptOutcome) -> Void) { outcomes.visit { body($1) } }

    mutating func note(_ outcome: AttemptOutcome, of attempt: UInt128) {
        outcomes.update(attempt, entering: outcome) { $0 = max($0, outcome) }
    }

    /// Attempts between asking for a slot and looking at it.
    private static let prefetchDistance = 8

    /// Notes outcomes one after the other, each asked for some ahead.
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
