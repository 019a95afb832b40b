import TillColumns

/// Data of events about one transaction: whether it was bought, whether it was restored, and the outcome of its attempt
/// if the attempt has no id.
package struct TransactionOutcome: Sendable {
    private static let isPurchasedBit: Int64 = 1
    private static let isRestoredBit: Int64 = 2
    private static let flagBits = 2
    /// Stands for the rank of no attempt, below every rank.
    private static let noRank: Int64 = -1 << 60 - 1

    /// The rank of the attempt, and below it the flags.
    private var bits: Int64

    /// - Parameter attempt: `nil` if the attempts have ids, and so outcomes of their own.
    package init(isPurchased: Bool, isRestored: Bool, attempt: AttemptOutcome?) {
        bits = (attempt?.rank ?? Self.noRank) << Self.flagBits
        if isPurchased { bits |= Self.isPurchasedBit }
        if isRestored { bits |= Self.isRestoredBit }
    }

    package var isPurchased: Bool { bits & Self.isPurchasedBit != 0 }
    package var isRestored: Bool { bits & Self.isRestoredBit != 0 }

    package var attempt: AttemptOutcome? {
        let rank = bits >> Self.flagBits
        return rank == Self.noRank ? nil : AttemptOutcome(rank: rank)
    }

    /// Classes of outcomes that differ in more than the instant.
    fileprivate static let classCount = 1 << (flagBits + AttemptOutcome.kindBits)

    /// The flags, and above them the kind of the attempt.
    fileprivate var classNumber: Int { Int(truncatingIfNeeded: bits) & (Self.classCount - 1) }

    /// An outcome of a class at an unknown instant. The lowest bits of ``noRank`` are no kind.
    fileprivate init(classNumber: Int) {
        let kind = AttemptOutcome.Kind(rawValue: UInt8(classNumber >> Self.flagBits))
        self.init(isPurchased: false, isRestored: false, attempt: kind.map { AttemptOutcome($0, at: nil) })
        bits |= Int64(classNumber) & (Self.isPurchasedBit | Self.isRestoredBit)
    }

    /// Joins the data of other events.
    mutating func merge(_ other: Self) {
        let flags = (bits | other.bits) & (Self.isPurchasedBit | Self.isRestoredBit)
        // The rank is above the flags, so the greater one has the outcome that counts.
        bits = max(bits, other.bits) | flags
    }
}

/// Data of events about transactions, by their ids: 16 bytes each.
package struct TransactionOutcomes: Sendable {
    package typealias Element = (transaction: Int64, outcome: TransactionOutcome)

    private var outcomes = IntegerMap<Int64, TransactionOutcome>()

    /// Slots of the table, empty ones among them.
    var capacity: Int { outcomes.capacity }

    /// All outcomes, in order of transactions.
    package var sorted: [Element] {
        var elements: [Element] = []
        outcomes.visit { elements.append(($0, $1)) }
        return elements.sorted { $0.transaction < $1.transaction }
    }

    /// Passes every distinct outcome, without its instant, and the number of its transactions to `body`.
    func visitCounts(_ body: (TransactionOutcome, Int) -> Void) {
        let counts = outcomes.counts(ofClasses: TransactionOutcome.classCount) { $0.classNumber }
        for (number, count) in counts.enumerated() where count > 0 {
            body(TransactionOutcome(classNumber: number), count)
        }
    }

    mutating func note(_ outcome: TransactionOutcome, of transaction: Int64) {
        outcomes.update(transaction, entering: outcome) { $0.merge(outcome) }
    }

    mutating func note(contentsOf added: [Element]) {
        outcomes.update(
            of: added,
            key: { $0.transaction },
            entering: { $0.outcome },
            changing: { $0.merge($1.outcome) }
        )
    }

    mutating func merge(_ other: Self, _ translation: TextTranslation) {
        other.outcomes.visit { note($1, of: translation.identifier($0)) }
    }
}
