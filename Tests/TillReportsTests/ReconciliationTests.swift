import Testing
import TillCore
import TillLedger
import TillPricing
import TillRender
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillReports

private func day(_ text: String) -> Int {
    Int((Timestamp.parseDay(text.utf8.span.bytes)?.milliseconds ?? 0) / Timestamp.millisecondsPerDay)
}

/// A row of one of Apple's reports: what customers paid for a unit in hundredths, of which Apple owes 70 percent.
private struct AppleRow {
    var product = "coins"
    var country = "USA"
    var currency = "USD"
    var units: Int64 = 1
    var price: Int128 = 100
    /// Of Financial Detail; the first day of the report otherwise.
    var day: String?
}

/// A report of Apple from the first to the last day.
private func report(
    _ name: String,
    _ kind: AppleReport.Kind,
    _ days: (String, String),
    _ rows: [AppleRow]
) -> AppleReport {
    var report = AppleReport(name: name, kind: kind)
    report.spans = [day(days.0)...day(days.1)]
    report.rowCount = rows.count
    for row in rows {
        guard let currency = CurrencyCode(row.currency) else { preconditionFailure("no currency: \(row.currency)") }
        var amounts = AppleReport.Amounts()
        let paid = Int128(row.units.magnitude) * row.price * 10_000
        if row.units < 0 {
            (amounts.refundedUnits, amounts.refunds, amounts.refundProceeds) = (-row.units, paid, paid * 7 / 10)
        } else {
            (amounts.units, amounts.gross, amounts.saleProceeds) = (row.units, paid, paid * 7 / 10)
        }
        report.products.append(row.product)
        report.countries.append(row.country)
        let own = row.day.map { day($0)...day($0) }
        report.entries.append(
            AppleReport.Entry(
                days: own ?? report.spans[0],
                product: report.products.count - 1,
                country: report.countries.count - 1,
                currency: currency,
                proceedsCurrency: currency,
                amounts: amounts
            )
        )
    }
    return report
}

/// A Summary Sales report.
private func report(_ name: String, _ days: (String, String), _ rows: [AppleRow]) -> AppleReport {
    report(name, .salesSummary, days, rows)
}

private func figures(_ reports: [AppleReport], _ selection: DaySelection = .all) throws -> AppleFigures {
    var figures = AppleFigures(selection)
    for report in reports { try figures.add(report) { _ in false } }
    figures.finish()
    return figures
}

private func selection(_ month: String) throws -> DaySelection {
    try DaySelection(BookingCalendar.usual.month(month), in: .usual)
}

/// A sale of ours at a price in hundredths of a US dollar, or without one.
private func sale(
    _ id: Int,
    _ date: String,
    product: String = "coins",
    units: Int64 = 1,
    price: Int64? = 100,
    refunded: String? = nil
) -> Row<TransactionColumn> {
    var row: Row<TransactionColumn> = [
        .transactionID: "\(id)", .productID: .text(product), .purchaseDate: .text(date), .environment: "production",
    ]
    row = row.with([.quantity: .number(units)])
    if let price { row = row.with([.price: .number(price * 10 * units), .currency: "USD"]) }
    if let refunded { row = row.with([.cancellationDate: .text(refunded)]) }
    return row
}

private func outcome(
    _ reports: [AppleReport],
    _ rows: [Row<TransactionColumn>],
    asked: String? = nil,
    tolerance: String = "0",
    byStorefront: Bool = false,
    zone: String = "UTC"
) throws -> ReconciliationReport.Outcome {
    let apple = try figures(reports, try asked.map(selection) ?? .all)
    let limit = try #require(ReconciliationTolerance(tolerance))
    let reconciliation = ReconciliationReport(apple, tolerance: limit, byStorefront: byStorefront)
    var rules = LedgerRules()
    rules.calendar = BookingCalendar(zone: try .ofDatabase(zone))
    rules = reconciliation.rules(rules)
    return try reconciliation.outcome(
        of: Rows(transactions: rows).settled(rules: rules),
        input: InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1),
        isForPeople: false
    )
}

/// The rows of the table as text, without the names of the columns: `sales_summary,2026-03,coins,USD,…`.
private func lines(_ outcome: ReconciliationReport.Outcome, _ table: String = "reconciliation") throws -> [String] {
    try outcome.document.rows(of: table).map { row in
        row.map { cell in
            switch cell {
            case .absent: "-"
            case .text(let text), .word(let text, _): text
            case .count(let count): "\(count)"
            case .money(let money): money.decimalText
            case .code, .ratio, .decimal, .instant, .list, .records, .flag: "?"
            }
        }.joined(separator: ",")
    }
}

private let march = ("2026-03-01", "2026-03-31")
private let april = ("2026-04-01", "2026-04-30")

@Suite("Reconciliation with Apple's reports")
struct ReconciliationTests {
    @Test("Each side's units, amounts and differences, and Apple's proceeds")
    func row() throws {
        // Ours: 2 × 1.00 and 1 × 1.00 of which one unit was refunded on 9 March. Apple: 4 and 1 refunded; 2.80 − 0.70 =
        // 2.10.
        let result = try outcome(
            [report("m.txt", march, [AppleRow(units: 4), AppleRow(units: -1)])],
            [sale(1, "2026-03-02", units: 2), sale(2, "2026-03-31", refunded: "2026-03-09")]
        )
        #expect(
            try lines(result) == [
                "sales_summary,2026-03,coins,USD,3,4,-1,1,1,3.00,4.00,-1.00,1.00,1.00,0.00,2.10,USD,missing_here"
            ]
        )
        #expect(try lines(result, "totals") == ["USD,3,4,-1,1,1,3.00,4.00,-1.00,1.00,1.00,0.00,2.10,USD"])
        #expect(try lines(result, "causes") == ["missing_here,1,-1,USD,-1.00"])
        #expect(try lines(result, "apple") == ["m.txt,sales_summary,2026-03-01,2026-03-31,2,0"])
        #expect(!result.agrees)
    }

    /// The cause of each product, with what makes it so.
    @Test("Each difference has the first cause that holds")
    func causes() throws {
        let apple = [
            report(
                "m.txt",
                march,
                [
                    AppleRow(product: "equal"), AppleRow(product: "dearer", price: 120),
                    AppleRow(product: "here", units: 2),
                    AppleRow(product: "refund"), AppleRow(product: "unpriced"), AppleRow(product: "mixed", price: 90),
                ]
            ),
            report(
                "a.txt",
                april,
                [
                    AppleRow(product: "late"), AppleRow(product: "refund", units: -1),
                    AppleRow(product: "mixed", units: -1),
                ]
            ),
        ]
        let ours = [
            sale(1, "2026-03-02", product: "equal"), sale(2, "2026-03-02", product: "dearer"),
            sale(3, "2026-03-02", product: "here"), sale(4, "2026-03-02", product: "there"),
            sale(5, "2026-03-31", product: "late"),
            sale(6, "2026-03-02", product: "refund", refunded: "2026-03-03"),
            sale(7, "2026-03-02", product: "unpriced", price: nil),
            // One sold at another price, and refunded in another month: units agree, refunded units and money do not.
            sale(8, "2026-03-02", product: "mixed", refunded: "2026-03-05"),
        ]
        let found = try lines(outcome(apple, ours)).map { line in
            let cells = line.split(separator: ",")
            return "\(cells[1]) \(cells[2]) \(cells[cells.count - 1])"
        }
        #expect(
            found == [
                "2026-03 dearer price", "2026-03 equal equal", "2026-03 here missing_here", "2026-03 late cutoff",
                "2026-03 mixed mixed", "2026-03 refund refund_timing", "2026-03 there missing_at_apple",
                "2026-03 unpriced unpriced", "2026-04 late cutoff", "2026-04 mixed refund_timing",
                "2026-04 refund refund_timing",
            ]
        )
    }

    @Test("A cut-off is found by the next month, also where only one month was asked for")
    func cutoffBesideThePeriod() throws {
        let apple = [report("m.txt", march, [AppleRow(product: "x")]), report("a.txt", april, [AppleRow()])]
        let result = try outcome(apple, [sale(1, "2026-03-31")], asked: "2026-03")
        #expect(try lines(result).map { $0.hasSuffix(",cutoff") } == [true, false])
        #expect(try lines(result, "apple").count == 1)
        // A month without the next one cannot tell.
        let alone = try outcome(apple.dropLast(), [sale(1, "2026-03-31")], asked: "2026-03")
        #expect(try lines(alone).first?.hasSuffix(",missing_at_apple") == true)
    }

    @Test("What has no price takes Apple's currency, and its money is unknown")
    func unpriced() throws {
        let result = try outcome([report("m.txt", march, [AppleRow(units: 3)])], [sale(1, "2026-03-02", price: nil)])
        #expect(try lines(result) == ["sales_summary,2026-03,coins,USD,1,3,-2,0,0,-,3.00,-,-,0.00,-,2.10,USD,unpriced"])
        #expect(try lines(result, "causes") == ["unpriced,1,-2,USD,-"])
        // Two currencies at Apple: which is ours is not known.
        let two = [AppleRow(), AppleRow(country: "DEU", currency: "EUR")]
        let split = try outcome([report("m.txt", march, two)], [sale(1, "2026-03-02", price: nil)])
        #expect(try lines(split).last == "sales_summary,2026-03,coins,-,1,0,1,0,0,-,-,-,-,-,-,-,-,unpriced")
        // Even a tolerance of everything does not make it agree.
        #expect(
            try !outcome([report("m.txt", march, two)], [sale(1, "2026-03-02", price: nil)], tolerance: "1000").agrees
        )
    }

    @Test("A refund and its reversal in one month, without a price, are no row")
    func undoneRefund() throws {
        let gift = sale(2, "2026-02-09", product: "gift", price: nil, refunded: "2026-03-02T10:00:00Z")
        let coins = sale(1, "2026-03-02")
        let reports = [report("m.txt", march, [AppleRow()])]
        let refunded = try outcome(reports, [coins, gift])
        #expect(try lines(refunded).count == 2 && !refunded.agrees)
        let undone = try outcome(reports, [coins, gift.with([.refundReversedAt: "2026-03-09T10:00:00Z"])])
        #expect(try lines(undone) == lines(outcome(reports, [coins])))
        #expect(undone.agrees)
    }

    @Test("A total is that of the rows with a price, and that of rows without a sale of ours is 0")
    func totalsWithoutPrices() throws {
        let apple = [
            AppleRow(units: 3), AppleRow(product: "gold"), AppleRow(product: "gone", country: "DEU", currency: "EUR"),
        ]
        let ours = [sale(1, "2026-03-02", price: nil), sale(2, "2026-03-02", product: "gold")]
        let result = try outcome([report("m.txt", march, apple)], ours)
        #expect(
            try lines(result, "totals") == [
                "EUR,0,1,-1,0,0,0.00,1.00,-1.00,0.00,0.00,0.00,0.70,EUR",
                "USD,2,4,-2,0,0,1.00,4.00,-3.00,0.00,0.00,0.00,2.80,USD",
            ]
        )
        #expect(
            try lines(result, "causes") == ["equal,1,0,USD,0.00", "missing_here,1,-1,EUR,-1.00", "unpriced,1,-2,USD,-"]
        )
    }

    /// The sentence about both sides, figures in brackets.
    private func sentence(_ apple: [AppleRow], _ ours: [Row<TransactionColumn>]) throws -> [String] {
        let document = try outcome([report("m.txt", march, apple)], ours).document
        return document.sections.flatMap(\.statements).map { statement in
            statement.parts.map { part in
                switch part {
                case .words(let words): words
                case .cell(.count(let count)): "\(count)"
                case .cell(.money(let money)): money.decimalText
                case .cell: "–"
                }
            }
            .joined()
        }
        .filter { $0.hasPrefix("Ours ") || $0.hasPrefix("and ") || $0.contains("rows differ") }
    }

    @Test("The summary has a sentence for each currency, and the number of rows that differ")
    func currencies() throws {
        let ours = [sale(1, "2026-03-02"), sale(2, "2026-03-03")]
        #expect(
            try sentence([AppleRow(units: 2), AppleRow(product: "gold", country: "DEU", currency: "EUR")], ours) == [
                "Ours 2.00 USD, Apple's 2.00, difference 0.00", "Ours 0.00 EUR, Apple's 1.00, difference -1.00",
                "1 of 2 rows differ",
            ]
        )
        #expect(
            try sentence([AppleRow(units: 1)], ours) == [
                "Ours 2.00 USD, Apple's 1.00, difference 1.00; 1 of 1 rows differ"
            ]
        )
        let many = ["EUR", "GBP", "CAD", "CHF", "SEK"].map { AppleRow(product: "gold", country: $0, currency: $0) }
        #expect(
            try sentence([AppleRow(units: 2)] + many, ours).suffix(2) == [
                "and in GBP, SEK: see Totals", "5 of 6 rows differ",
            ]
        )
    }

    @Test("Days that no report covers are not compared, and the report says which")
    func gap() throws {
        let days = ["2026-03-01", "2026-03-03"].map { report("\($0).txt", ($0, $0), [AppleRow()]) }
        let result = try outcome(days, [sale(1, "2026-03-01"), sale(2, "2026-03-02"), sale(3, "2026-03-03T23:59:59Z")])
        #expect(try lines(result).map { $0.contains(",2,2,0,") } == [true])
        #expect(result.document.notes.contains { $0.contains("2026-03-02, 2026-03-04 to 2026-03-31 of 2026-03") })
        #expect(result.agrees)
    }

    @Test("Days begin at midnight in the time zone, through changes of clocks", .needsTimeZones)
    func pacific() throws {
        // 1 April 06:59:59 UTC is 31 March 23:59:59 in California; 8 March has 23 hours there.
        let result = try outcome(
            [report("m.txt", march, [AppleRow(units: 2)])],
            [sale(1, "2026-04-01T06:59:59Z"), sale(2, "2026-04-01T07:00:00Z"), sale(3, "2026-03-09T06:59:59Z")],
            zone: "America/Los_Angeles"
        )
        #expect(result.agrees)
    }

    @Test("Countries are compared where all of ours is known")
    func storefronts() throws {
        let rows = [
            AppleRow(), AppleRow(country: "MEX"), AppleRow(product: "gold"), AppleRow(product: "gold", country: "MEX"),
        ]
        let ours = [
            sale(1, "2026-03-02").with([.storefront: "USA"]), sale(2, "2026-03-02").with([.storefront: "MEX"]),
            sale(3, "2026-03-02", product: "gold"),
            sale(4, "2026-03-02", product: "gold").with([.storefront: "MEX"]),
        ]
        let result = try outcome([report("m.txt", march, rows)], ours, byStorefront: true)
        #expect(
            try lines(result).map { $0.split(separator: ",").prefix(7).dropFirst(2).joined(separator: ",") } == [
                "coins,MEX,USD,1,1", "coins,USA,USD,1,1", "gold,-,USD,2,2",
            ]
        )
    }

    @Test("A cut-off is found between a period whose storefronts are known and one whose are not")
    func cutoffByStorefront() throws {
        // In March ours are of unknown storefront, so there is one row: 3 of ours, 1 of Apple's. The other two are told
        // in April by their countries, in two rows.
        let apple = [
            report("m.txt", march, [AppleRow()]), report("a.txt", april, [AppleRow(), AppleRow(country: "MEX")]),
        ]
        let ours = [sale(1, "2026-03-02"), sale(2, "2026-03-31"), sale(3, "2026-03-31")]
        let rows = try lines(outcome(apple, ours, byStorefront: true)).map { line in
            let cells = line.split(separator: ",")
            return "\(cells[1]) \(cells[3]) \(cells[7]) \(cells[cells.count - 1])"
        }
        #expect(rows == ["2026-03 - 2 cutoff", "2026-04 MEX -1 cutoff", "2026-04 USA -1 cutoff"])
        // A unit more at Apple is undone by nothing.
        let more = [apple[0], report("a.txt", april, [AppleRow(units: 2), AppleRow(country: "MEX")])]
        let undone = try lines(outcome(more, ours, byStorefront: true))
        #expect(!undone.isEmpty && undone.allSatisfy { !$0.hasSuffix("cutoff") })
        // Where both know their countries, each country has to undo its own.
        let known = ours.map { $0.with([.storefront: "USA"]) }
        let apart = try lines(outcome(apple, known, byStorefront: true))
        #expect(!apart.isEmpty && apart.allSatisfy { !$0.hasSuffix("cutoff") })
    }

    @Test("A tolerance is a number, or a percentage of Apple's figure, row by row")
    func tolerance() throws {
        // Ours 100 × 1.00, Apple's 101 × 1.00: one unit and 1.00, which is 0.990… percent.
        let apple = [report("m.txt", march, [AppleRow(units: 101)])]
        for (limit, agrees) in [("1", true), ("0.99", false), ("1%", true), ("0.99%", false), ("0.991%", true)] {
            #expect(
                try outcome(apple, [sale(1, "2026-03-02", units: 100)], tolerance: limit).agrees == agrees,
                "\(limit)"
            )
        }
        for text in ["", "%", "-1", "1 %", "a", "0.0000001"] { #expect(ReconciliationTolerance(text) == nil) }
    }

    @Test("Reports of two kinds have their own rows and totals")
    func twoKinds() throws {
        let apple = [
            report("m.txt", march, [AppleRow()]),
            report("f.txt", .financial, ("2026-03-01", "2026-03-28"), [AppleRow(units: 2)]),
        ]
        let result = try outcome(apple, [sale(1, "2026-03-02"), sale(2, "2026-03-30")])
        #expect(
            try lines(result).map { $0.prefix(30) } == [
                "financial,FY26-06,coins,USD,1,", "sales_summary,2026-03,coins,US",
            ]
        )
        #expect(try lines(result, "totals").map { $0.prefix(17) } == ["financial,USD,1,2", "sales_summary,USD"])
    }

    @Test("Financial Detail counts by the day of the transaction, in the month of whichever report covers it")
    func detail() throws {
        let first = report("1.txt", .financialDetail, ("2026-02-01", "2026-02-28"), [AppleRow(day: "2026-02-03")])
        let second = report(
            "2.txt",
            .financialDetail,
            ("2026-03-01", "2026-03-28"),
            [AppleRow(day: "2026-02-28"), AppleRow(units: 3, day: "2026-03-02"), AppleRow(day: "2026-01-31")]
        )
        let ours = [sale(1, "2026-02-03"), sale(2, "2026-02-28"), sale(3, "2026-03-02", units: 3)]
        let result = try outcome([first, second], ours)
        #expect(result.agrees)
        #expect(try lines(result, "outside") == ["2.txt,2026-01-31,USD,1,0,1.00,0.00"])
    }

    @Test("Reports of one kind that cover the same day are refused, unless they are the same bytes")
    func overlaps() throws {
        let month = report("m.txt", march, [AppleRow()])
        let daily = report("d.txt", ("2026-03-31", "2026-03-31"), [AppleRow()])
        let error = try #require(throws: Finding.self) { try figures([month, daily]) }
        #expect(error.code == "apple.overlap")
        #expect(error.message.contains("d.txt and m.txt both cover 2026-03-31"))
        var same = try figures([month])
        try same.add(month) { $0 == 0 }
        #expect(same.groups.map(\.amounts.units) == [1])

        let days = ("2026-03-01", "2026-03-28")
        let americas = report("US.txt", .financial, days, [AppleRow()])
        let europe = report("EU.txt", .financial, days, [AppleRow(country: "DEU", currency: "EUR")])
        let all = report("ZZ.txt", .financial, days, [AppleRow(country: "DEU", currency: "EUR")])
        #expect(try figures([americas, europe]).groups.count == 2)
        #expect(throws: Finding.self) { try figures([americas, europe, all]) }
    }

    @Test("A week over two months is refused; a year is a period of its own")
    func spans() throws {
        let error = try #require(throws: Finding.self) {
            try figures([report("w.txt", ("2026-03-30", "2026-04-05"), [])])
        }
        #expect(error.code == "apple.period")
        #expect(try figures([report("y.txt", ("2026-01-01", "2026-12-31"), [])]).periods.map(\.name) == ["2026"])
        let odd = report("f.txt", .financial, ("2026-03-02", "2026-03-29"), [])
        #expect(try figures([odd]).periods.map(\.name) == ["2026-03-02/2026-03-29"])
    }

    @Test("A report that the period cuts is not compared, and is named")
    func cut() throws {
        let calendar = BookingCalendar.usual
        let period = try calendar.period(since: "2026-03-10", until: "2026-03-31")
        var apple = AppleFigures(try DaySelection(period, in: calendar))
        try apple.add(report("m.txt", march, [AppleRow()])) { _ in false }
        #expect(apple.isEmpty)
        #expect(apple.notes.contains { $0.contains("m.txt") })
    }

    @Test("What Apple kept is written by month, product and storefront, tax and commission together")
    func payout() throws {
        var foreign = report("x.txt", april, [AppleRow(product: "abroad", country: "BRA", currency: "BRL")])
        foreign.entries[0].proceedsCurrency = CurrencyCode("USD")
        // Sales 3 × 1.00 and a refund of 1.00: 4.00 paid and returned, of which 2.80 were owed and taken back; 0.3 is
        // kept.
        let rows = [AppleRow(units: 3), AppleRow(units: -1), AppleRow(product: "a,b", country: "DEU", currency: "EUR")]
        let payout = try ApplePayout(try figures([report("m.txt", march, rows), foreign]))
        #expect(
            payout.lines == [
                "from,until,product,storefront,rate", "2026-03-01,2026-03-31,\"a,b\",,0.3",
                "2026-03-01,2026-03-31,\"a,b\",DEU,0.3", "2026-03-01,2026-03-31,coins,,0.3",
                "2026-03-01,2026-03-31,coins,USA,0.3",
            ]
        )
        #expect((payout.foreignCount, payout.ambiguousCount) == (1, 0))
        let detail = report("f.txt", .financial, ("2026-03-01", "2026-03-28"), [AppleRow()])
        #expect(throws: Finding.self) {
            try ApplePayout(try figures([detail, report("m.txt", march, rows)]))
        }
    }

    @Test("Sales without a storefront have a rate where all storefronts of a product have the same one")
    func payoutWithoutStorefront() throws {
        // coins: 0.3 in both countries. gold: 0.3 and, with 60 of 100 owed, 0.4. gems: 0.3, and Brazil is paid in
        // dollars.
        var month = report(
            "m.txt",
            march,
            ["coins", "gold", "gems"].flatMap { product in
                [AppleRow(product: product), AppleRow(product: product, country: product == "gems" ? "BRA" : "MEX")]
            }
        )
        month.entries[3].amounts.saleProceeds = 600_000
        month.entries[5].currency = try #require(CurrencyCode("BRL"))
        let payout = try ApplePayout(try figures([month]))
        #expect(
            payout.lines.dropFirst().map { $0.dropFirst(22) } == [
                "coins,,0.3", "coins,MEX,0.3", "coins,USA,0.3", "gems,USA,0.3", "gold,MEX,0.4", "gold,USA,0.3",
            ]
        )
        #expect((payout.foreignCount, payout.ambiguousCount) == (1, 2))
    }

    @Test(
        "A share is rounded half-even to six decimals",
        arguments: [(3, 2, 333_333), (3, 1, 666_667), (8_000_000, 7_999_997, 0)]
    )
    func kept(paid: Int128, owed: Int128, millionths: Int64) {
        var amounts = AppleReport.Amounts()
        // 1 − 2 ÷ 3 = 0.333333, 1 − 1 ÷ 3 = 0.666667, 3 ÷ 8,000,000 = 0.000000375.
        (amounts.gross, amounts.saleProceeds) = (paid, owed)
        #expect(amounts.keptMillionths == millionths)
        #expect(AppleReport.Amounts().keptMillionths == nil)
    }

    @Test("The waterfall begins with our net and ends with Apple's proceeds, and its steps add up")
    func waterfall() throws {
        // Ours 3.00; missing here 1.00, and 0.20 by price: Apple's net 4.20 and its proceeds 2.94.
        let rows = [AppleRow(units: 2), AppleRow(product: "dearer", price: 120), AppleRow(product: "equal")]
        let ours = [
            sale(1, "2026-03-02"), sale(2, "2026-03-02", product: "dearer"), sale(3, "2026-03-02", product: "equal"),
        ]
        let result = try outcome([report("m.txt", march, rows)], ours)
        let chart = try #require(result.document.sections.first { $0.name == "totals" }?.charts.first)
        #expect(chart.kind == .waterfall)
        #expect(
            chart.categories
                == ["our net", "missing here", "price", "tax and commission", "proceeds"].map { .text($0) }
        )
        let usd = try #require(CurrencyCode("USD"))
        let amounts = [300, 100, 20, -126, 294].map { Cell.money(Money(millionths: $0 * 10_000, currency: usd)) }
        #expect(chart.series.map(\.values) == [amounts])
    }

    @Test("Proceeds in several currencies have no sum, in a row, a total or the waterfall")
    func mixedProceeds() throws {
        var march = report("m.txt", march, [AppleRow(), AppleRow(country: "BRA"), AppleRow(product: "pro")])
        march.entries[1].proceedsCurrency = CurrencyCode("EUR")
        let result = try outcome([march], [])
        let paid = "0,1,-1,0,0,0.00,1.00,-1.00,0.00,0.00,0.00,0.70,USD,missing_here"
        #expect(try lines(result).map { $0.contains("coins") } == [true, false])
        #expect(try lines(result)[0].hasSuffix(",-,-,missing_here"))
        #expect(try lines(result)[1].hasSuffix(paid))
        #expect(try lines(result, "totals").map { $0.hasSuffix(",-,-") } == [true])
        let chart = try #require(result.document.sections.flatMap(\.charts).first)
        #expect(chart.notes.contains { $0.contains("1 row that Apple pays in other currencies") })
        // Of the other row alone: Apple's 1.00, of which 0.70 are paid.
        let usd = try #require(CurrencyCode("USD"))
        let amounts = [0, 100, -30, 70].map { Cell.money(Money(millionths: $0 * 10_000, currency: usd)) }
        #expect(chart.series.map(\.values) == [amounts])
    }

    @Test("Where a sale has no price, it is known in neither the sentence nor the first step of the waterfall")
    func unpricedWords() throws {
        let (apple, ours) = ([AppleRow(units: 2)], [sale(1, "2026-03-02", price: nil)])
        let chart = try outcome([report("m.txt", march, apple)], ours).document.sections.flatMap(\.charts).first
        #expect(chart?.categories.first == .text("our net, priced rows"))
        #expect(
            try sentence(apple, ours) == [
                "Ours in USD unknown (a sale has no price), Apple's 2.00; 1 of 1 rows differ"
            ]
        )
        // Ours has no currency where Apple has two.
        let two = [AppleRow(units: 2), AppleRow(country: "DEU", currency: "EUR")]
        #expect(try sentence(two, ours).suffix(1) == ["3 of 3 rows differ"])
    }

    /// The same by a plain implementation: a dictionary of months and products.
    @Test(
        "Random sides are compared as a plain implementation compares them",
        arguments: Seeds.some(of: UInt64(1)...20)
    )
    func random(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var (apple, ours): ([[AppleRow]], [Row<TransactionColumn>]) = ([[], []], [])
        /// Units, refunded units, gross and refunds in hundredths: ours, then Apple's.
        var expected: [String: ([Int64], [Int64])] = [:]
        for id in 0..<60 {
            let month = Int.random(in: 0...1, using: &random)
            let product = "p\(Int.random(in: 0...5, using: &random))"
            let (units, price) = (Int64.random(in: 1...3, using: &random), Int64.random(in: 1...2, using: &random) * 50)
            let key = "2026-0\(3 + month) \(product)"
            var sums = expected[key] ?? ([0, 0, 0, 0], [0, 0, 0, 0])
            if Bool.random(using: &random) {
                ours.append(sale(id + 1, "2026-0\(3 + month)-15", product: product, units: units, price: price))
                sums.0[0] += units
                sums.0[2] += units * price
            } else {
                let sign: Int64 = Int.random(in: 0...3, using: &random) == 0 ? -1 : 1
                apple[month].append(AppleRow(product: product, units: units * sign, price: Int128(price)))
                sums.1[sign < 0 ? 1 : 0] += units
                sums.1[sign < 0 ? 3 : 2] += units * price
            }
            expected[key] = sums
        }
        func text(_ value: Int64) -> String {
            let digits = value.magnitude % 100
            return (value < 0 ? "-" : "") + "\(value.magnitude / 100).\(digits < 10 ? "0" : "")\(digits)"
        }
        let wanted = expected.sorted { $0.key < $1.key }.map { key, sums in
            let (mine, theirs) = sums
            let counts = [mine[0], theirs[0], mine[0] - theirs[0], mine[1], theirs[1]].map { "\($0)" }
            let money = [mine[2], theirs[2], mine[2] - theirs[2], mine[3], theirs[3], mine[3] - theirs[3]].map(text)
            return (key.split(separator: " ").map(String.init) + ["USD"] + counts + money).joined(separator: ",")
        }
        let result = try outcome(
            [report("m", march, apple[0]), report("a", april, apple[1])],
            ours.shuffled(using: &random)
        )
        let found = try lines(result).map { $0.split(separator: ",").dropFirst().prefix(14).joined(separator: ",") }
        #expect(found == wanted)
    }
}
