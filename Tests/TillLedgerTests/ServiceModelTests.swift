import Testing
import TillCore
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillPricing

/// Subscriptions of random chains, worked out twice: by the ledger, and for each chain day by day (`docs/rules.md`,
/// Subscriptions).
@Suite("Service of subscriptions", .needsTimeZones)
struct ServiceModelTests {
    private static let day: Int64 = 86_400_000

    /// A charge or trial as it was drawn.
    struct Charge {
        var start: Int64
        var expires: Int64
        var cancelled: Int64?
        var isTrial = false
        var isUpgraded = false
        /// Whether the refund was taken back.
        var isReversed = false
        var price: Int64
        var currency: String

        var end: Int64 { isReversed ? expires : min(expires, cancelled ?? expires) }
        var isRefunded: Bool { cancelled != nil && !isUpgraded && !isReversed }

        func covers(_ instant: Int64) -> Bool { start <= instant && instant < end }
    }

    /// What rows of a chain say besides its charges.
    struct Facts {
        /// The time of a document of the chain.
        var seen: Int64?
        var original: Int64?

        init(_ charges: [Charge], _ generator: inout SplitMix64) {
            let first = charges.map(\.start).min() ?? 0
            if generator.once(in: 2) { seen = first + Int64.random(in: 0...500, using: &generator) * day }
            if generator.once(in: 2) { original = first - generator.pick([0, 1, 30, 400] as [Int64]) * day }
        }
    }

    private static func chain(_ generator: inout SplitMix64) -> [Charge] {
        var charges: [Charge] = []
        for _ in 0..<Int.random(in: 1...7, using: &generator) {
            let start = Int64.random(in: 20_300...20_700, using: &generator) * day
            // Of two charges of one instant no rule of Service says which is in force.
            guard !charges.contains(where: { $0.start == start }) else { continue }
            let length = generator.pick([1, 7, 30, 30, 30, 91, 365] as [Int64])
            var charge = Charge(
                start: start,
                expires: start + length * day,
                price: generator.pick([1000, 2500, 9990]),
                currency: generator.pick(["USD", "EUR"])
            )
            charge.isTrial = generator.once(in: 6)
            if generator.once(in: 4) {
                charge.cancelled = start + Int64.random(in: -1...length + 3, using: &generator) * day
                charge.isUpgraded = generator.once(in: 3)
                charge.isReversed = generator.once(in: 5)
            }
            charges.append(charge)
        }
        return charges
    }

    private static func row(
        _ charge: Charge,
        _ number: Int,
        of chain: String,
        _ facts: Facts? = nil
    ) -> Row<TransactionColumn> {
        var row: Row<TransactionColumn> = [
            .transactionID: .text("\(chain)\(number)"), .originalTransactionID: .text("\(chain)0"),
            .webOrderLineItemID: .text("w\(chain)\(number)"), .purchaseDate: .number(charge.start),
            .expiresDate: .number(charge.expires), .price: .number(charge.price), .currency: .text(charge.currency),
            .isTrial: charge.isTrial ? true : false, .isUpgraded: charge.isUpgraded ? true : false,
        ]
        row[.originalPurchaseDate] = facts?.original.map { .number($0) }
        // A document after a reversal that still shows the refund would undo the reversal.
        if charge.cancelled == nil { row[.observedAt] = facts?.seen.map { .number($0) } }
        if let cancelled = charge.cancelled { row[.cancellationDate] = .number(cancelled) }
        if charge.isReversed { row[.refundReversedAt] = .number((charge.cancelled ?? 0) + day) }
        return row
    }

    /// What the rules come to, worked out day by day.
    struct Model {
        var flows: [Int: SubscriptionHistory.Flow] = [:]
        var trials: [Int: SubscriptionHistory.TrialCohort] = [:]
        var charges: [Int: SubscriptionHistory.ChargeCohort] = [:]
        /// By month and currency: subscriptions and the sum of their prices.
        var recurring: [String: (subscriptions: Int, amount: Int64)] = [:]
        /// By cohort and month of life: chains and those retained.
        var retention: [String: (chains: Int, retained: Int)] = [:]
        var (active, inTrial) = (0, 0)

        init(_ chains: [([Charge], Facts)], since: Int64, asOf: Int64, _ calendar: BookingCalendar) {
            func month(_ instant: Int64) -> Int {
                Int(calendar.code(of: Timestamp(milliseconds: instant), by: calendar.kind.period))
            }
            // The last known instant of each month.
            var ends: [Int: Int64] = [:]
            for hour in stride(from: 20_298 * day, through: asOf, by: Int(day / 48)) { ends[month(hour)] = hour }
            ends[month(asOf)] = asOf
            for (chain, facts) in chains {
                let paid = chain.filter { !$0.isTrial }
                func isActive(_ instant: Int64) -> Bool { paid.contains { $0.covers(instant) } }
                for charge in paid {
                    charges[month(charge.start), default: .init()].charges += 1
                    if charge.isRefunded { charges[month(charge.start), default: .init()].refunded += 1 }
                }
                if let trial = chain.filter(\.isTrial).min(by: { $0.start < $1.start }) {
                    var cohort = trials[month(trial.start)] ?? .init()
                    cohort.trials += 1
                    if paid.contains(where: { $0.start > trial.start }) { cohort.converted += 1 }
                    if trial.end + 16 * day > asOf { cohort.isComplete = false }
                    trials[month(trial.start)] = cohort
                }
                if isActive(asOf) { active += 1 } else if chain.contains(where: { $0.covers(asOf) }) { inTrial += 1 }
                for (month, end) in ends {
                    if isActive(end) { flows[month, default: .init()].activeAtEnd += 1 }
                    let inForce = paid.filter { $0.covers(end) }.max { $0.start < $1.start }
                    guard let inForce else { continue }
                    let known = recurring["\(month) \(inForce.currency)"] ?? (0, 0)
                    recurring["\(month) \(inForce.currency)"] = (known.0 + 1, known.1 + inForce.price)
                }
                // Two hours before each end, since clocks may have changed by one: life goes by the clock.
                let days = stride(from: 20_298 * day, through: asOf, by: Int(day))
                let ends = paid.map { $0.end - day / 12 }.filter { $0 <= asOf }
                // Two hours behind each beginning, of which the first hour is not enough.
                let begun = days.map { $0 + day / 12 }.filter { $0 <= asOf }
                let first = chain.map(\.start).min() ?? 0
                let original = min(facts.original ?? first, first)
                let isEarlier = original < since && first - original > day
                let seen = chain.contains { $0.cancelled == nil } ? facts.seen : nil
                let cancellations = chain.filter { $0.cancelled != nil && $0.end < $0.expires }.map(\.end)
                let known = (chain.map(\.start) + cancellations + [seen].compactMap(\.self)).max() ?? 0
                let last = paid.filter { $0.end > $0.start }.map(\.end).max() ?? 0
                live(
                    isActive,
                    at: (days + begun + ends).sorted(),
                    isEarlier,
                    isObserved: last <= known,
                    month,
                    calendar
                )
            }
        }

        /// Goes through the life of one chain.
        private mutating func live(
            _ isActive: (Int64) -> Bool,
            at instants: [Int64],
            _ isEarlier: Bool,
            isObserved: Bool,
            _ month: (Int64) -> Int,
            _ calendar: BookingCalendar
        ) {
            let began = isEarlier ? \SubscriptionHistory.Flow.startedBefore : \.new
            var first: Int64?
            var months: [Int: Bool] = [:]
            var before = false
            var lastEnd: Int?
            for instant in instants {
                let now = isActive(instant)
                let begins = now && !before && first != nil
                if now, !before {
                    if first == nil {
                        flows[month(instant), default: .init()][keyPath: began] += 1
                    } else {
                        flows[month(instant), default: .init()].resubscribed += 1
                    }
                }
                if before, !now { flows[month(instant), default: .init()].expired += 1 }
                if before, !now { lastEnd = month(instant) }
                before = now
                if now, first == nil { first = instant }
                guard let first else { continue }
                let life = Self.life(from: first, to: instant, calendar)
                months[life] = (months[life] ?? false) || now && !begins
            }
            if let lastEnd, !before, !isObserved {
                flows[lastEnd, default: .init()].expired -= 1
                flows[lastEnd, default: .init()].unobserved += 1
            }
            guard let first, !isEarlier else { return }
            for (life, isRetained) in months where life <= SubscriptionHistory.retentionLimit {
                let known = retention["\(month(first)) \(life)"] ?? (0, 0)
                retention["\(month(first)) \(life)"] = (known.0 + 1, known.1 + (isRetained ? 1 : 0))
            }
        }

        /// How often the day and the time of the month, or of the week, have come again on clocks of the place.
        private static func life(from start: Int64, to end: Int64, _ calendar: BookingCalendar) -> Int {
            func local(_ instant: Int64) -> Int64 { instant + Int64(calendar.zone.offset(at: instant / 1000)) * 1000 }
            if calendar.kind == .isoWeek { return max(0, Int((local(end) - local(start)) / (7 * day))) }
            let (from, to) = (
                Timestamp(milliseconds: local(start)).day, Timestamp(milliseconds: local(end)).day
            )
            var count = 0
            while true {
                let month = from.date.year * 12 + from.date.month + count + 1
                let reached = (to.date.year * 12 + to.date.month, to.date.day, to.millisecondOfDay)
                guard reached >= (month, from.date.day, from.millisecondOfDay) else { return count }
                count += 1
            }
        }
    }

    private static let calendars: [(CalendarKind, String)] = [
        (.gregorian, "UTC"), (.gregorian, "America/Los_Angeles"), (.appleFiscal, "America/Los_Angeles"),
        (.isoWeek, "Asia/Kolkata"), (.gregorian, "Pacific/Auckland"), (.appleFiscal, "UTC"), (.isoWeek, "UTC"),
    ]

    @Test(
        "Each figure is what looking at every chain on every day comes to",
        arguments: Seeds.some(of: UInt64(1)...42, fixed: calendars.count)
    )
    func agrees(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let chains = (0..<80).map { _ in
            let charges = Self.chain(&generator)
            return (charges, Facts(charges, &generator))
        }
        let (kind, zone) = Self.calendars[Int(seed) % Self.calendars.count]
        let calendar = BookingCalendar(kind, zone: try TimeZoneRules.ofDatabase(zone))
        var rows = chains.enumerated().flatMap { number, chain in
            chain.0.enumerated().map { Self.row($1, $0, of: "\(number + 100)", chain.1) }
        }
        // Something else is bought later, or a document is newer than all that was bought.
        let starts = chains.flatMap(\.0).map(\.start)
        let since = starts.min() ?? 0
        let newest = max(starts.max() ?? 0, rows.compactMap { $0[.observedAt]?.number }.max() ?? 0)
        let later = newest + Int64.random(in: 0...20, using: &generator) * Self.day
        let isPurchase = generator.once(in: 2)
        let date: Row<TransactionColumn> = isPurchase ? [.purchaseDate: .number(later)] : [.observedAt: .number(later)]
        rows.append(date.with([.transactionID: "7", .productType: "consumable"]))
        // A document is not believed that is dated more than 366 days after the last day with a purchase.
        let lastPurchase = isPurchase ? later : starts.max() ?? 0
        let believed = rows.compactMap { $0[.observedAt]?.number }.filter {
            $0 / Self.day <= lastPurchase / Self.day + 366
        }
        let asOf = max(lastPurchase, believed.max() ?? 0)

        let ledger = Rows(transactions: rows).settled(needs: .subscriptions)
        var sales = SubscriptionSales()
        try ledger.forEachTransaction { sales.see($0) }
        var history = SubscriptionHistory(asOf: nil, calendar: calendar)
        try ledger.countSubscriptions(sales, in: &history, atOnce: 100) { _ in .month }
        history.finish()

        #expect(history.asOf?.milliseconds == asOf)
        let model = Model(chains, since: since, asOf: asOf, calendar)
        #expect(history.chains == chains.count && history.active == model.active && history.inTrial == model.inTrial)
        #expect(history.trials == model.trials && history.charges == model.charges)
        for month in Set(history.flows.keys).union(model.flows.keys) {
            let (found, known) = (history.flow(inMonth: month), model.flows[month] ?? .init())
            #expect(found.new == known.new && found.resubscribed == known.resubscribed, "\(month)")
            #expect(found.expired == known.expired && found.activeAtEnd == known.activeAtEnd, "\(month)")
            #expect(found.startedBefore == known.startedBefore && found.unobserved == known.unobserved, "\(month)")
        }
        let recurring = history.recurring.filter { $0.value.subscriptions > 0 }
        #expect(!recurring.isEmpty && recurring.count == model.recurring.count)
        for (key, value) in recurring {
            let currency = try #require(key.currency)
            let known = try #require(model.recurring["\(key.month) \(currency)"])
            let amount = try value.perMonth(in: currency, weeklyMillionths: 4_000_000, group: "")
            #expect(value.subscriptions == known.subscriptions && amount.millionths == Int128(known.amount) * 1000)
        }
        #expect(!history.retention.isEmpty && history.retention.count == model.retention.count)
        for row in history.retention {
            let known = try #require(model.retention["\(row.cohort) \(row.month)"])
            #expect(row.chains == known.chains && row.retained == known.retained, "\(row)")
        }
    }

    /// Days of January 2026: paid charges as start, expiry and day of the refund, the end of the grace period, and
    /// whether the chain is active, and only by grace, on the 20th.
    static let graces: [(charges: [(Int64, Int64, Int64?)], grace: Int64, isActive: Bool, isInGrace: Bool)] = [
        ([(1, 15, nil)], 25, true, true),
        ([(1, 15, nil)], 18, false, false),
        ([(1, 15, nil)], 10, false, false),
        // A refund leaves no grace.
        ([(1, 15, 10)], 25, false, false),
        // Renewed late, and the renewal refunded: the grace was for what came before it.
        ([(1, 15, nil), (16, 30, 17)], 25, false, false),
        // A refunded charge within another one is not its renewal.
        ([(1, 15, nil), (3, 9, 4)], 25, true, true),
        // Nor is an earlier one that was sold for longer.
        ([(1, 40, 3), (4, 15, nil)], 25, true, true),
        // Service that is paid for needs no grace.
        ([(1, 15, nil), (14, 22, nil)], 25, true, false),
    ]

    @Test("A grace period prolongs what was paid last, unless that was refunded", arguments: graces)
    func prolongs(
        _ charges: [(start: Int64, expires: Int64, refund: Int64?)],
        _ grace: Int64,
        _ isActive: Bool,
        _ isInGrace: Bool
    ) throws {
        let midnight = Timestamp("2026-01-01").milliseconds - Self.day
        let rows = charges.enumerated().map { number, charge in
            let drawn = Charge(
                start: midnight + charge.start * Self.day,
                expires: midnight + charge.expires * Self.day,
                cancelled: charge.refund.map { midnight + $0 * Self.day },
                price: 1000,
                currency: "USD"
            )
            return Self.row(drawn, number, of: "100")
        }
        let renewal: Row<RenewalColumn> = [
            .originalTransactionID: "1000", .gracePeriodExpiresDate: .number(midnight + grace * Self.day),
            .observedAt: .number(midnight + 20 * Self.day),
        ]
        let ledger = Rows(transactions: rows, renewals: [renewal]).settled(needs: .subscriptions)
        var sales = SubscriptionSales()
        try ledger.forEachTransaction { sales.see($0) }
        var history = SubscriptionHistory(asOf: nil)
        try ledger.countSubscriptions(sales, in: &history) { _ in nil }
        #expect(history.active == (isActive ? 1 : 0) && history.inGrace == (isInGrace ? 1 : 0))
    }

    @Test("Charges that lie in one another take time that grows with their number")
    func nests() {
        let count: Int64 = 20_000
        let charges = (0..<count).map { number in
            SubscriptionCharge(
                number: Int(number),
                chain: 1,
                product: nil,
                start: number,
                originalStart: nil,
                observed: nil,
                end: 10 * count - number,
                expires: 10 * count - number,
                isRevoked: false,
                isTrial: false,
                isRefunded: false,
                price: nil
            )
        }
        let timeline = ServiceTimeline(charges, graceEnd: nil)
        #expect(timeline.spans.count == 2 * Int(count) - 1)
        #expect(timeline.intervals.map(\.start) == [0] && timeline.intervals.map(\.end) == [10 * count])
    }
}
