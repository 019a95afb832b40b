import Testing
import TillCore
import TillLedger
import TillPricing
import TillReference
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillReports

private typealias Kind = AppleSubscriptionReport.Kind
private typealias Measure = AppleSubscriptionReport.Measure

private func day(_ text: String) -> Int {
    Int((Timestamp.parseDay(text.utf8.span.bytes)?.milliseconds ?? 0) / Timestamp.millisecondsPerDay)
}

/// What Apple tells of a product: `nil` for a count that is left blank.
private struct AppleCount {
    var id: String?
    var measure: Measure
    var day: String
    var units: Int64?
}

/// A report about subscriptions from the first to the last day.
private func report(_ kind: Kind, _ first: String, _ last: String, _ counts: [AppleCount]) -> AppleSubscriptionReport {
    var report = AppleSubscriptionReport(name: "\(kind)-\(first).txt", kind: kind)
    report.days = Array(day(first)...day(last))
    report.rowCount = counts.count
    for told in counts {
        report.products.append(.init(appleID: told.id, name: told.id.map { "Name \($0)" } ?? "Nameless"))
        var count = AppleSubscriptionReport.Count()
        count.add(told.units)
        report.entries.append(
            .init(day: day(told.day), product: report.products.count - 1, measure: told.measure, count: count)
        )
    }
    return report
}

/// A report of sales that tells no day, but the Apple IDs of gold (1) and pro (2).
private var productIDs: AppleReport {
    var report = AppleReport(name: "ids.txt", kind: .salesSummary)
    (report.products, report.appleIDs) = (["gold", "pro"], ["1", "2"])
    return report
}

private func charge(
    _ id: Int,
    of chain: Int,
    _ product: String,
    _ start: String,
    _ end: String,
    isTrial: Bool = false
) -> Row<TransactionColumn> {
    [
        .transactionID: .text("\(id)"), .originalTransactionID: .text("\(chain)"), .productID: .text(product),
        .webOrderLineItemID: .text("w\(id)"), .purchaseDate: .text(start), .expiresDate: .text(end),
        .isTrial: .number(isTrial ? 1 : 0), .price: .number(isTrial ? 0 : 6000), .currency: "USD",
        .observedAt: "2026-05-10",
    ]
}

private func outcome(
    _ reports: [AppleSubscriptionReport],
    _ rows: Rows,
    ids: AppleReport? = productIDs,
    selection: DaySelection = .all,
    tolerance: String = "0",
    zone: String = "UTC"
) throws -> ReconciliationReport.Outcome {
    var apple = AppleFigures(selection)
    if let ids { try apple.add(ids) { _ in false } }
    for report in reports { try apple.add(report) { _ in false } }
    apple.finish()
    let limit = try #require(ReconciliationTolerance(tolerance))
    let reconciliation = ReconciliationReport(apple, tolerance: limit, byStorefront: false)
    var rules = LedgerRules()
    rules.calendar = BookingCalendar(zone: try .ofDatabase(zone))
    return try reconciliation.outcome(
        of: rows.settled(rules: reconciliation.rules(rules), needs: .subscriptions),
        input: InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1),
        isForPeople: false
    )
}

/// The rows as text: `subscription_event,2026-03,gold,new,2026-03-01,2026-03-31,1,1,0,equal`.
private func lines(_ outcome: ReconciliationReport.Outcome, _ table: String = "subscriptions") throws -> [String] {
    try outcome.document.rows(of: table).map { row in
        row.map { cell in
            switch cell {
            case .absent: "-"
            case .text(let text), .word(let text, _): text
            case .count(let count): "\(count)"
            default: "?"
            }
        }.joined(separator: ",")
    }
}

/// The rows without the report and the days: `2026-03,gold,new,1,1,0,equal`.
private func short(_ outcome: ReconciliationReport.Outcome) throws -> [String] {
    try lines(outcome).map { line in
        let cells = line.split(separator: ",")
        return (cells[1...3] + cells[6...]).joined(separator: ",")
    }
}

@Suite("Reconciliation of subscriptions with Apple's reports")
struct SubscriptionReconciliationTests {
    /// A: a trial of gold from 1 March, paid from 8 March to 8 May. B: gold from 10 February, pro from 10 March to 10
    /// April. C: gold from 20 February to 20 March, and again from 25 March to 25 April. D: a trial of pro that nothing
    /// follows.
    private static let shop = Rows(
        transactions: [
            charge(1, of: 1, "gold", "2026-03-01", "2026-03-08", isTrial: true),
            charge(2, of: 1, "gold", "2026-03-08", "2026-04-08"), charge(3, of: 1, "gold", "2026-04-08", "2026-05-08"),
            charge(10, of: 10, "gold", "2026-02-10", "2026-03-10"),
            charge(11, of: 10, "pro", "2026-03-10", "2026-04-10"),
            charge(20, of: 20, "gold", "2026-02-20", "2026-03-20"),
            charge(21, of: 20, "gold", "2026-03-25", "2026-04-25"),
            charge(30, of: 30, "pro", "2026-03-20", "2026-03-27", isTrial: true),
        ]
    )

    private static let march = report(
        .subscriptionEvent,
        "2026-03-01",
        "2026-03-31",
        [
            AppleCount(id: "1", measure: .new, day: "2026-03-08", units: 1),
            AppleCount(id: "1", measure: .churned, day: "2026-03-20", units: 1),
            AppleCount(id: "1", measure: .churned, day: "2026-03-25", units: -1),
            AppleCount(id: "1", measure: .trials, day: "2026-03-01", units: 1),
            AppleCount(id: "1", measure: .conversions, day: "2026-03-08", units: 1),
            AppleCount(id: "2", measure: .trials, day: "2026-03-20", units: 1),
        ]
    )

    @Test("A month of events, worked out by hand: a conversion, a return, a change of the product, two trials")
    func events() throws {
        // New: A, when it is paid. Churned: C ends on the 20th and returns on the 25th. B goes on with pro, which is
        // neither.
        let result = try outcome([Self.march], Self.shop)
        #expect(
            try lines(result) == [
                "subscription_event,2026-03,gold,new,2026-03-01,2026-03-31,1,1,0,equal",
                "subscription_event,2026-03,gold,churned,2026-03-01,2026-03-31,0,0,0,equal",
                "subscription_event,2026-03,gold,trials,2026-03-01,2026-03-31,1,1,0,equal",
                "subscription_event,2026-03,gold,conversions,2026-03-01,2026-03-31,1,1,0,equal",
                "subscription_event,2026-03,pro,trials,2026-03-01,2026-03-31,1,1,0,equal",
            ]
        )
        #expect(result.agrees)
        #expect(
            try lines(result, "apple") == [
                "ids.txt,sales_summary,-,-,0,0",
                "subscriptionEvent-2026-03-01.txt,subscription_event,2026-03-01,2026-03-31,6,0",
            ]
        )
        #expect(result.document.notes.contains { $0.contains("No Subscription report: active of subscriptions") })
    }

    @Test("Active subscriptions at the end of the last day that is told, by the product in force")
    func active() throws {
        // 15 March: A and C have gold, B pro. 31 March: the same, C since the 25th. 22 March: C has lapsed.
        let counts = { (day: String, gold: Int64, pro: Int64) in
            report(
                .subscription,
                day,
                day,
                [
                    AppleCount(id: "1", measure: .active, day: day, units: gold),
                    AppleCount(id: "2", measure: .active, day: day, units: pro),
                ]
            )
        }
        let result = try outcome(
            [counts("2026-03-15", 9, 9), counts("2026-03-31", 2, 1), counts("2026-04-30", 1, 0)],
            Self.shop
        )
        #expect(
            try lines(result) == [
                "subscription,2026-03,gold,active,2026-03-31,2026-03-31,2,2,0,equal",
                "subscription,2026-03,pro,active,2026-03-31,2026-03-31,1,1,0,equal",
                "subscription,2026-04,gold,active,2026-04-30,2026-04-30,1,1,0,equal",
                "subscription,2026-04,pro,active,2026-04-30,2026-04-30,0,0,0,equal",
            ]
        )
        let middle = try outcome([counts("2026-03-22", 1, 1)], Self.shop)
        #expect(middle.agrees)
        #expect(
            middle.document.notes.contains {
                $0
                    == "No Subscription report covers 2026-03-31; active subscriptions of 2026-03 are those at the end of 2026-03-22."
            }
        )
    }

    @Test("Payments by the day of the purchase")
    func charges() throws {
        let told = report(
            .subscriber,
            "2026-03-01",
            "2026-03-31",
            [
                AppleCount(id: "1", measure: .charges, day: "2026-03-08", units: 2),
                AppleCount(id: "2", measure: .charges, day: "2026-03-10", units: 3),
            ]
        )
        // Ours: gold on the 8th and 25th, pro on the 10th; the two trials are no payments, and Apple tells none.
        #expect(
            try short(try outcome([told], Self.shop)) == [
                "2026-03,gold,trials,1,0,1,missing_at_apple", "2026-03,gold,charges,2,2,0,equal",
                "2026-03,pro,trials,1,0,1,missing_at_apple", "2026-03,pro,charges,1,3,-2,missing_here",
            ]
        )
    }

    @Test("Days that no report tells are not compared, on both sides, and are named")
    func gap() throws {
        let told = report(
            .subscriptionEvent,
            "2026-03-08",
            "2026-03-08",
            [AppleCount(id: "1", measure: .new, day: "2026-03-08", units: 1)]
        )
        let result = try outcome([told], Self.shop)
        #expect(
            try short(result) == ["2026-03,gold,new,1,1,0,equal", "2026-03,gold,conversions,1,0,1,missing_at_apple"]
        )
        #expect(
            result.document.notes.contains {
                $0.hasPrefix(
                    "No Subscription Event report covers 2026-03-01 to 2026-03-07, 2026-03-09 to 2026-03-31 of 2026-03"
                )
            }
        )
    }

    @Test("Of days after the newest document nothing is known, and they are not compared")
    func unknownDays() throws {
        // As of 10 May 00:00: 9 May is the last whole day.
        let may = report(
            .subscriptionEvent,
            "2026-05-01",
            "2026-05-31",
            [
                AppleCount(id: "1", measure: .churned, day: "2026-05-08", units: 1),
                AppleCount(id: "1", measure: .new, day: "2026-05-20", units: 7),
            ]
        )
        let result = try outcome([may], Self.shop)
        #expect(try lines(result) == ["subscription_event,2026-05,gold,churned,2026-05-01,2026-05-09,1,1,0,equal"])
        #expect(result.document.notes.contains { $0.contains("These days are not compared: 2026-05-10 to 2026-05-31") })
        // With nothing left to compare, nothing agrees.
        let late = report(.subscriptionEvent, "2026-06-01", "2026-06-30", [])
        let nothing = try outcome([late], Self.shop)
        #expect(try lines(nothing) == [])
        #expect(!nothing.agrees)
    }

    @Test("A count that Apple leaves blank is null, no difference and not equal")
    func untold() throws {
        var blank = Self.march
        var count = AppleSubscriptionReport.Count()
        count.add(nil)
        blank.entries.append(.init(day: day("2026-03-09"), product: 0, measure: .new, count: count))
        let result = try outcome([blank], Self.shop)
        #expect(try short(result).first == "2026-03,gold,new,1,-,-,untold")
        #expect(result.agrees)
        #expect(result.document.notes.contains { $0.contains("without a word on whether an offer is free: 1.") })
    }

    @Test("Subscriptions whose product id no report of sales tells are compared in one row with ours of that kind")
    func unnamed() throws {
        var ids = productIDs
        // The number of pro is known, that of gold is not.
        ids.appleIDs = [nil, "2"]
        let result = try outcome([Self.march], Self.shop, ids: ids)
        #expect(
            try short(result).filter { !$0.contains("churned") } == [
                "2026-03,pro,trials,1,1,0,equal", "2026-03,-,new,1,1,0,equal", "2026-03,-,trials,1,1,0,equal",
                "2026-03,-,conversions,1,1,0,equal",
            ]
        )
        #expect(result.document.notes.contains { $0.hasSuffix("in one row: Name 1 (Apple ID 1).") })
        // Two products with one number are told by none of them.
        ids.appleIDs = ["2", "2"]
        #expect(try short(try outcome([Self.march], Self.shop, ids: ids)).contains("2026-03,-,trials,2,2,0,equal"))
        #expect(try short(try outcome([Self.march], Self.shop, ids: nil)).contains("2026-03,-,trials,2,2,0,equal"))
    }

    @Test("A difference that the month beside undoes is a cut-off, but not one of active subscriptions")
    func cutoff() throws {
        // Apple tells the conversion of 8 March in April.
        var early = Self.march
        early.entries.removeAll { $0.measure == .conversions }
        let late = report(
            .subscriptionEvent,
            "2026-04-01",
            "2026-04-30",
            [
                AppleCount(id: "1", measure: .conversions, day: "2026-04-01", units: 1),
                AppleCount(id: "1", measure: .churned, day: "2026-04-25", units: 1),
                AppleCount(id: "2", measure: .churned, day: "2026-04-10", units: 1),
            ]
        )
        let both = try short(outcome([early, late], Self.shop))
        #expect(
            both.filter { $0.contains("conversions") } == [
                "2026-03,gold,conversions,1,0,1,cutoff", "2026-04,gold,conversions,0,1,-1,cutoff",
            ]
        )
        // The month beside the one that is asked for serves to find the cause, and is not shown.
        let asked = try DaySelection(BookingCalendar.usual.month("2026-03"), in: .usual)
        let one = try outcome([early, late], Self.shop, selection: asked)
        #expect(try short(one).filter { $0.contains("conversions") } == ["2026-03,gold,conversions,1,0,1,cutoff"])
        #expect(try !short(one).contains { $0.hasPrefix("2026-04") })

        let active = { (day: String, units: Int64) in
            report(.subscription, day, day, [AppleCount(id: "1", measure: .active, day: day, units: units)])
        }
        let states = try outcome([active("2026-03-31", 3), active("2026-04-30", 0)], Self.shop)
        #expect(
            try short(states).filter { $0.contains("gold") } == [
                "2026-03,gold,active,2,3,-1,missing_here", "2026-04,gold,active,1,0,1,missing_at_apple",
            ]
        )
    }

    @Test("The tolerance applies to each row")
    func tolerance() throws {
        let told = report(
            .subscription,
            "2026-03-31",
            "2026-03-31",
            [
                AppleCount(id: "1", measure: .active, day: "2026-03-31", units: 4),
                AppleCount(id: "2", measure: .active, day: "2026-03-31", units: 1),
            ]
        )
        // Ours 2, Apple's 4: two units, which are 50 %.
        for (limit, agrees) in [("0", false), ("1", false), ("2", true), ("49%", false), ("50%", true)] {
            #expect(try outcome([told], Self.shop, tolerance: limit).agrees == agrees, "\(limit)")
        }
    }

    @Test("Days begin at midnight in the time zone", .needsTimeZones)
    func pacific() throws {
        // 06:59 UTC on 1 April is 31 March in California.
        let rows = Rows(transactions: [charge(1, of: 1, "gold", "2026-04-01T06:59:59Z", "2026-05-01T06:59:59Z")])
        let told = report(
            .subscriptionEvent,
            "2026-03-31",
            "2026-03-31",
            [AppleCount(id: "1", measure: .new, day: "2026-03-31", units: 1)]
        )
        #expect(try short(try outcome([told], rows, zone: "America/Los_Angeles")) == ["2026-03,gold,new,1,1,0,equal"])
        #expect(try short(try outcome([told], rows)) == ["2026-03,gold,new,0,1,-1,missing_here"])
    }

    @Test("Two reports of one kind that tell one day are refused, unless they are the same bytes")
    func overlap() throws {
        var apple = AppleFigures()
        try apple.add(Self.march) { _ in false }
        let again = report(.subscriptionEvent, "2026-03-31", "2026-03-31", [])
        let error = try #require(throws: Finding.self) { try apple.add(again) { _ in false } }
        #expect(error.code == "apple.overlap")
        #expect(error.message.contains("both cover 2026-03-31"))
        try apple.add(Self.march) { $0 == 0 }
        #expect(apple.subscriptions.files.count == 1)
        #expect(apple.subscriptions.notes.contains { $0.contains("same bytes") })
        // A report of another kind may tell it.
        try apple.add(report(.subscriber, "2026-03-31", "2026-03-31", [])) { _ in false }
        #expect(apple.subscriptions.files.count == 2)
    }

    @Test("A Subscription report without a day in its name is named, and not compared")
    func undated() throws {
        var told = AppleSubscriptionReport(name: "x/renamed.txt", kind: .subscription)
        told.products = [.init(appleID: "1", name: "Gold")]
        told.entries = [.init(day: nil, product: 0, measure: .active, count: .init())]
        let result = try outcome([told, Self.march], Self.shop)
        #expect(try !lines(result).contains { $0.hasPrefix("subscription,") })
        #expect(result.document.notes.contains { $0.contains("contains a day") && $0.hasSuffix("renamed.txt.") })
    }
}
