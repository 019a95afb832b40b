import TillColumns

/// The outcome of an attempt to buy, from one event.
///
/// Of several events the greatest one counts: the last by time (`docs/rules.md`, Failures). An event with an unknown
/// time comes before all others. Of events at one instant, the later case of ``Kind`` counts. So the result depends
/// neither on the order nor on the split of lines.
package struct AttemptOutcome: Comparable, Sendable {
    /// Of one instant, a purchase outranks every other kind, and a failure outranks a cancellation.
    package enum Kind: UInt8 {
        case deferred, cancelled, failed, restored, purchased
    }

    /// The bits of ``rank`` below the instant, which have the kind.
    static let kindBits = 3
    /// Stands for an unknown instant.
    private static let unknown: Int64 = -1 << 57

    /// The instant, and then the kind: the greater rank counts. At least −2⁶⁰ and less than 2⁶⁰.
    let rank: Int64

    /// - Parameter milliseconds: an instant more than 2⁵⁷ ms (4.5 million years) away from 1970 is taken to be that
    ///   far away.
    package init(_ kind: Kind, at milliseconds: Int64?) {
        let instant = milliseconds.map { min(max($0, Self.unknown + 1), -Self.unknown - 1) } ?? Self.unknown
        rank = instant << Self.kindBits | Int64(kind.rawValue)
    }

    /// - Parameter rank: that of another outcome.
    init(rank: Int64) { self.rank = rank }

    package var kind: Kind {
        // No input can cause this failure. Every rank is made from a kind, by `init(_:at:)`; `TransactionOutcome` only
        // keeps such a rank and gives it back. A partial has the kind in a separate byte, which its decoder checks.
        guard let kind = Kind(rawValue: UInt8(rank & (1 << Self.kindBits - 1))) else {
            preconditionFailure("a rank is made of a kind")
        }
        return kind
    }

    /// In milliseconds; `nil` if it is not known.
    package var at: Int64? {
        let instant = rank >> Self.kindBits
        return instant == Self.unknown ? nil : instant
    }

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }
}

/// The outcomes of attempts, by the fingerprint of their ids: 24 bytes each.
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

    /// The number of attempts with each outcome, by ``AttemptOutcome/Kind``.
    var counts: [Int] {
        outcomes.counts(ofClasses: 1 << AttemptOutcome.kindBits) {
            Int(truncatingIfNeeded: $0.rank) & (1 << AttemptOutcome.kindBits - 1)
        }
    }

    mutating func note(_ outcome: AttemptOutcome, of attempt: UInt128) {
        outcomes.update(attempt, entering: outcome) { $0 = max($0, outcome) }
    }

    mutating func note(contentsOf added: [Element]) {
        outcomes.update(
            of: added,
            key: { $0.attempt },
            entering: { $0.outcome },
            changing: { $0 = max($0, $1.outcome) }
        )
    }

    mutating func merge(_ other: Self) {
        other.outcomes.visit { note($1, of: $0) }
    }
}
