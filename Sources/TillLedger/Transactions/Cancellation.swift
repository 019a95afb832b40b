import TillCore

/// The cancellations that duplicates of equal trust show: the value that counts, and what is needed to join others.
///
/// The largest percentage counts, then the earliest date of the duplicates with this percentage or with none, then the
/// smallest reason. So a refund whose date Apple states anew stays in the month in which it was booked. Where a
/// reversal lies between the earliest and the latest date, the latest counts: it is another refund.
///
///     30 December   12 January                      counts 30 December
///     30 December   reversed 5 January   12 January counts 12 January
package struct Cancellation: Equatable {
    /// Cancellations with one percentage, or with none.
    package struct Statements: Equatable {
        /// In milliseconds; ``TransactionEntry/unknown`` if there are no cancellations.
        package var earliest = TransactionEntry.unknown
        package var latest = TransactionEntry.unknown
        /// The smallest of Apple's codes; -1 where it is not known.
        package var reason: Int32 = -1

        package init(
            earliest: Int64 = TransactionEntry.unknown,
            latest: Int64 = TransactionEntry.unknown,
            reason: Int32 = -1
        ) {
            (self.earliest, self.latest, self.reason) = (earliest, latest, reason)
        }

        package var isEmpty: Bool { earliest == TransactionEntry.unknown }

        fileprivate mutating func join(_ other: Self) {
            guard !isEmpty, !other.isEmpty else {
                if isEmpty { self = other }
                return
            }
            (earliest, latest) = (min(earliest, other.earliest), max(latest, other.latest))
            if reason < 0 || 0..<reason ~= other.reason { reason = other.reason }
        }
    }

    /// In thousandths of a percent, up to ``wholePercentage``; -1 where none is known.
    package var percentage: Int32 = -1
    /// Whether duplicates state several percentages.
    package var hasSeveralPercentages = false
    /// The cancellations without a percentage.
    package var plain = Statements()
    /// The cancellations with ``percentage``.
    package var partial = Statements()

    package static let none = Cancellation()
    package static let wholePercentage: Int32 = 100_000

    package init() {}

    init(date: Int64, reason: Int32, percentage: Int32) {
        self.percentage = percentage
        let statements = Statements(earliest: date, latest: date, reason: reason)
        if percentage < 0 { plain = statements } else { partial = statements }
    }

    var isEmpty: Bool { plain.isEmpty && partial.isEmpty }

    mutating func join(_ other: Cancellation) {
        plain.join(other.plain)
        hasSeveralPercentages =
            hasSeveralPercentages || other.hasSeveralPercentages
            || percentage >= 0 && other.percentage >= 0 && percentage != other.percentage
        if other.percentage > percentage {
            (percentage, partial) = (other.percentage, other.partial)
        } else if other.percentage == percentage {
            partial.join(other.partial)
        }
    }

    /// All cancellations whose date can count.
    private var dated: Statements {
        var dated = plain
        dated.join(partial)
        return dated
    }

    /// The date that counts; ``TransactionEntry/unknown`` if there are no cancellations.
    ///
    /// - Parameter reversed: the signing time of the newest reversal.
    func date(reversed: Int64) -> Int64 {
        let dated = dated
        return dated.earliest < reversed && reversed < dated.latest ? dated.latest : dated.earliest
    }

    var reason: Int32 { dated.reason }

    /// Whether one of these cancellations, of less trusted duplicates, is another refund than `counted`. Receipts have
    /// whole seconds and no percentage, other documents milliseconds.
    func differs(from counted: Cancellation, reversed: Int64) -> Bool {
        func second(_ date: Int64) -> Int64 { date.dividedFloor(by: 1000) }
        let share = counted.percentage < 0 ? Self.wholePercentage : counted.percentage
        let date = second(counted.date(reversed: reversed))
        let differsInReason = reason >= 0 && counted.reason >= 0 && reason != counted.reason
        return second(dated.earliest) != date || second(dated.latest) != date || differsInReason
            || percentage >= 0 && percentage != share || hasSeveralPercentages
    }
}
