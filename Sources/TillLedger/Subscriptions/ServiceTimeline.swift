/// The times of paid service of a chain, and the charge in force at each time (`docs/rules.md`, Subscriptions).
///
///     charge 0   ├────────────────────────────┤
///     charge 1         ├───x                       refunded at x, which ends its own service and no other
///     charge 2                              ├──────────┤
///     spans      ├──0──┤─1─┤──────0─────────┤────2─────┤      of charges that overlap, the one that began last
///
/// Cost: time and memory of the charges, however they overlap.
struct ServiceTimeline {
    /// Time without a gap in which one charge was in force.
    struct Span {
        /// The number of the charge in the list of the initializer.
        let charge: Int
        let start: Int64
        let end: Int64
    }

    /// Paid service without a gap.
    struct Interval {
        let start: Int64
        var end: Int64
    }

    /// One after the other.
    private(set) var spans: [Span] = []

    /// - Parameters:
    ///   - charges: the paid charges of one chain in the order in which they were made.
    ///   - graceEnd: the end of the last known grace period of the chain.
    init(_ charges: [SubscriptionCharge], graceEnd: Int64?) {
        var ends = charges.map(\.end)
        if let graceEnd, let last = Self.chargeInGrace(charges, until: graceEnd) { ends[last] = graceEnd }
        // Charges that began and are perhaps not over; the last one is in force.
        var open: [(charge: Int, end: Int64)] = []
        var now = Int64.min
        for (number, charge) in charges.enumerated() {
            guard let end = ends[number], end > charge.start else { continue }
            advance(&open, from: &now, to: charge.start)
            now = charge.start
            open.append((number, end))
        }
        advance(&open, from: &now, to: .max)
    }

    private mutating func advance(_ open: inout [(charge: Int, end: Int64)], from now: inout Int64, to limit: Int64) {
        while now < limit, let last = open.last {
            if last.end <= now {
                open.removeLast()
                continue
            }
            let end = min(last.end, limit)
            spans.append(Span(charge: last.charge, start: now, end: end))
            now = end
        }
    }

    /// The charge that a grace period extends: the one that ends last, unless the subscription was renewed after it and
    /// the renewal was revoked. A refunded or revoked charge has no grace period.
    private static func chargeInGrace(_ charges: [SubscriptionCharge], until graceEnd: Int64) -> Int? {
        var last: (number: Int, end: Int64)?
        for (number, charge) in charges.enumerated() where !charge.isRevoked && !charge.isRefunded {
            if let end = charge.end, end >= last?.end ?? .min { last = (number, end) }
        }
        guard let last, graceEnd > last.end else { return nil }
        let start = charges[last.number].start
        let isRenewed = charges.contains { $0.start > start && $0.expires ?? .max > last.end }
        return isRenewed ? nil : last.number
    }

    /// Service without a gap, from any charges.
    var intervals: [Interval] {
        var intervals: [Interval] = []
        for span in spans {
            if let last = intervals.last, last.end >= span.start {
                intervals[intervals.count - 1].end = span.end
            } else {
                intervals.append(Interval(start: span.start, end: span.end))
            }
        }
        return intervals
    }
}
