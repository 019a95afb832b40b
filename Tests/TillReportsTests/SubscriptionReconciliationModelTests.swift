import Testing
import TillCore
import TillLedger
import TillPricing
import TillReference
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillReports

/// Random chains, and what Apple would tell of them, worked out day by day without the ledger.
private struct RandomShop {
    struct Charge {
        var start: Int
        var end: Int
        var product: Int
        var isTrial = false
        /// The day on which it was refunded; its service ends then.
        var refunded: Int?

        var lastDay: Int { refunded ?? end }
    }

    static let products = ["gold", "pro", "silver"]
    /// 1 January 2026.
    static let firstDay = 20_454
    static let dayCount = 110

    var chains: [[Charge]] = []

    init(_ random: inout SplitMix64) {
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            var charges: [Charge] = []
            var day = Self.firstDay + Int.random(in: 0..<60, using: &random)
            var product = Int.random(in: 0..<3, using: &random)
            if Bool.random(using: &random) {
                charges.append(Charge(start: day, end: day + 7, product: product, isTrial: true))
                day += 7 + (Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 1...20, using: &random) : 0)
            }
            for _ in 0..<Int.random(in: 0...5, using: &random) where day < Self.firstDay + Self.dayCount - 1 {
                if Int.random(in: 0..<4, using: &random) == 0 { product = Int.random(in: 0..<3, using: &random) }
                var charge = Charge(
                    start: day,
                    end: day + ([7, 30, 31].randomElement(using: &random) ?? 30),
                    product: product
                )
                if Int.random(in: 0..<8, using: &random) == 0 {
                    charge.refunded = charge.start + Int.random(in: 1..<7, using: &random)
                }
                charges.append(charge)
                day =
                    charge.end
                    + (Int.random(in: 0..<3, using: &random) == 0 ? Int.random(in: 1...25, using: &random) : 0)
                // Now and then the next one is bought before this one ends.
                if Int.random(in: 0..<6, using: &random) == 0 {
                    day = charge.end - Int.random(in: 1...5, using: &random)
                }
            }
            chains.append(charges)
        }
    }

    var rows: Rows {
        var transactions: [Row<TransactionColumn>] = []
        for (number, chain) in chains.enumerated() {
            for (place, charge) in chain.enumerated() {
                var row: Row<TransactionColumn> = [
                    .transactionID: .text("\(number * 100 + place + 1)"),
                    .originalTransactionID: .text("\(number * 100 + 1)"),
                    .webOrderLineItemID: .text("w\(number * 100 + place)"),
                    .productID: .text(Self.products[charge.product]),
                    .purchaseDate: .text(Self.text(charge.start)), .expiresDate: .text(Self.text(charge.end)),
                    .isTrial: .number(charge.isTrial ? 1 : 0), .price: .number(charge.isTrial ? 0 : 990),
                    .currency: "USD",
                    .observedAt: .text(Self.text(Self.firstDay + Self.dayCount)),
                ]
                if let refunded = charge.refunded { row = row.with([.cancellationDate: .text(Self.text(refunded))]) }
                transactions.append(row)
            }
        }
        return Rows(transactions: transactions)
    }

    static func text(_ day: Int) -> String { DayName.text(day) }

    /// The product of the charge in force on a day: of those that cover it, the one that began last.
    private static func product(of chain: [Charge], on day: Int) -> Int? {
        chain.filter { !$0.isTrial && $0.start <= day && day < $0.lastDay }.max { $0.start < $1.start }?.product
    }

    /// What happens on a day, as rows of a Subscription Event report: event, offer, paid periods, product.
    func events(on day: Int) -> [(event: String, offer: String, periods: String, product: Int)] {
        var events: [(event: String, offer: String, periods: String, product: Int)] = []
        for chain in chains {
            let (before, now) = (Self.product(of: chain, on: day - 1), Self.product(of: chain, on: day))
            let trial = chain.first(where: \.isTrial)
            if let trial, trial.start == day {
                events.append(("Start Introductory Offer", "Free Trial", "0", trial.product))
            }
            let wasPaid = chain.contains { !$0.isTrial && $0.start < day }
            if let before, now == nil { events.append(("Cancel", "", "3", before)) }
            guard let now else { continue }
            if before == nil {
                let converts = trial != nil && !wasPaid
                let first = converts ? "Paid Subscription from Introductory Offer" : "Subscribe"
                events.append((wasPaid ? "Reactivate" : first, converts ? "Free Trial" : "", "1", now))
            } else if before != now {
                events.append(("Crossgrade", "", "4", now))
            }
        }
        return events
    }

    func active(on day: Int) -> [Int: Int] {
        var active: [Int: Int] = [:]
        for chain in chains { if let product = Self.product(of: chain, on: day) { active[product, default: 0] += 1 } }
        return active
    }

    func payments(on day: Int) -> [(product: Int, isTrial: Bool)] {
        chains.joined().filter { $0.start == day }.map { ($0.product, $0.isTrial) }
    }
}

@Suite("Random subscriptions against Apple's reports of them")
struct SubscriptionReconciliationModelTests {
    private static func report(_ name: String, _ lines: [String]) throws -> AppleSubscriptionReport {
        var reader = AppleReportReader(name: name)
        let bytes = Array(lines.joined(separator: "\n").utf8) + [0x0A]
        #expect(try reader.read(bytes.span.bytes, isLast: true) == bytes.count)
        guard case .subscriptions(let report) = try reader.finish() else { throw NoReport() }
        return report
    }

    private struct NoReport: Error {}

    private static let seeds: ClosedRange<UInt64> = 1...100

    @Test("Nearly all random shops have a charge, so that there is something to compare and to change")
    func shopsHaveCharges() {
        let empty = Self.seeds.filter { seed in
            var random = SplitMix64(seed: seed)
            return RandomShop(&random).chains.joined().isEmpty
        }
        #expect(empty.count <= 5)
        #expect(!empty.contains { $0 <= Seeds.fixedCount }, "seeds that every run has")
    }

    /// A file a day and kind; of states only some days.
    private static func reports(_ shop: RandomShop, _ random: inout SplitMix64) throws -> [AppleSubscriptionReport] {
        var reports: [AppleSubscriptionReport] = []
        for day in RandomShop.firstDay..<RandomShop.firstDay + RandomShop.dayCount {
            let text = RandomShop.text(day)
            let name = text.replacing("-", with: "")
            let events = shop.events(on: day).map {
                "\(text)\t\($0.event)\t\($0.product + 1)\t\($0.offer)\t\($0.periods)\t1"
            }
            reports.append(
                try report(
                    "Subscription_Event_1_\(name).txt",
                    [
                        "Event Date\tEvent\tSubscription Apple ID\tSubscription Offer Type\tConsecutive Paid Periods\tQuantity"
                    ]
                        + events.shuffled(using: &random)
                )
            )
            let payments = shop.payments(on: day).map { payment in
                "1\t\(payment.product + 1)\t\(text)\t\(payment.isTrial ? "Free Trial\t0" : "\t0.99")\t7"
            }
            reports.append(
                try report(
                    "Subscriber_1_\(name).txt",
                    ["Units\tSubscription Apple ID\tEvent Date\tSubscription Offer Type\tCustomer Price\tSubscriber ID"]
                        + payments
                )
            )
            guard Int.random(in: 0..<5, using: &random) == 0 else { continue }
            let states = shop.active(on: day).map { "\($0.key + 1)\t\($0.value)" }
            reports.append(
                try report(
                    "Subscription_1_\(name).txt",
                    ["Subscription Apple ID\tActive Standard Price Subscriptions"] + states
                )
            )
        }
        return reports.shuffled(using: &random)
    }

    private static func outcome(_ shop: RandomShop, _ reports: [AppleSubscriptionReport]) throws -> [[Cell]] {
        var ids = AppleReport(name: "ids.txt", kind: .salesSummary)
        (ids.products, ids.appleIDs) = (RandomShop.products, ["1", "2", "3"])
        var apple = AppleFigures()
        try apple.add(ids) { _ in false }
        for report in reports { try apple.add(report) { _ in false } }
        apple.finish()
        let reconciliation = ReconciliationReport(apple, tolerance: .none, byStorefront: false)
        let outcome = try reconciliation.outcome(
            of: shop.rows.settled(rules: reconciliation.rules(LedgerRules()), needs: .subscriptions),
            input: InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1),
            isForPeople: false
        )
        let rows = try outcome.document.rows(of: "subscriptions")
        // Of a shop without a sale nothing is known, so nothing agrees.
        let isEmpty = shop.chains.joined().isEmpty
        #expect(outcome.agrees == (!isEmpty && rows.allSatisfy { $0.last == .text("equal") }))
        return rows
    }

    /// The trials of the ledger are first ones that Apple starts; both sides are equal in every row.
    @Test(
        "What Apple tells of the same chains is equal in every row, and a planted difference is found",
        arguments: Seeds.some(of: seeds)
    )
    func random(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let shop = RandomShop(&random)
        var reports = try Self.reports(shop, &random)
        let rows = try Self.outcome(shop, reports)
        for row in rows { #expect(row.last == .text("equal"), "seed \(seed): \(row)") }
        // Something is compared wherever something happened.
        let happened = shop.chains.joined().count
        #expect(rows.isEmpty == (happened == 0), "seed \(seed)")

        let candidates = reports.indices.filter { !reports[$0].entries.isEmpty && reports[$0].kind != .subscription }
        // Only a shop without a charge has nothing to change: see `shopsHaveCharges`.
        guard happened > 0 else { return #expect(candidates.isEmpty, "seed \(seed)") }
        let file = try #require(candidates.randomElement(using: &random), "seed \(seed)")
        let entry = Int.random(in: reports[file].entries.indices, using: &random)
        reports[file].entries[entry].count.add(5)
        let changed = try Self.outcome(shop, reports)
        let differing = changed.filter { $0.last != .text("equal") }
        #expect(differing.count == 1, "seed \(seed)")
        let row = try #require(differing.first)
        let product = try reports[file].entries[entry].product(in: reports[file])
        #expect(row[2] == .text(RandomShop.products[product]), "seed \(seed)")
        #expect(row[3] == .text(reports[file].entries[entry].measure.rawValue), "seed \(seed)")
        #expect(row[8] == .count(-5), "seed \(seed)")
        #expect(row[9] == .text("missing_here"), "seed \(seed)")
    }
}

extension AppleSubscriptionReport.Entry {
    /// The index of the product whose Apple ID the generator made of it.
    fileprivate func product(in report: AppleSubscriptionReport) throws -> Int {
        try #require(report.products[product].appleID.flatMap { Int($0) }) - 1
    }
}
