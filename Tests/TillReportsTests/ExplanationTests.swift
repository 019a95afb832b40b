import Testing
import TillCore
import TillLedger
import TillPricing
import TillRender
import TillReportModel
import TillReports
import TillRows
import TillTestSupport

@Suite("Explanations of figures")
struct ExplanationTests {
    private static func explanation(
        _ selection: String,
        _ batches: [(rows: Rows, source: String, firstDocument: Int)],
        rules: LedgerRules
    ) throws -> ReportDocument {
        var ledger = Ledger(needs: .provenance)
        for batch in batches {
            ledger.update(with: batch.rows.batch(), source: batch.source, firstDocument: batch.firstDocument)
        }
        let input = InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1)
        return try Explanation.document(of: Selection(selection), in: ledger.settle(rules), input: input)
    }

    @Test("Every document that mentions a transaction is named, in the order of the input")
    func documents() throws {
        let sale: Row<TransactionColumn> = [
            .transactionID: "5", .productID: "pro", .purchaseDate: "2026-03-01", .price: 990, .currency: "USD",
            .document: 0, .row: 1,
        ]
        let poor: Row<TransactionColumn> = [.transactionID: "5", .document: 3, .row: 2]
        let other: Row<TransactionColumn> = [.transactionID: "6", .purchaseDate: "2026-04-01", .document: 0, .row: 2]
        let document = try Self.explanation(
            "month=2026-03",
            [
                (Rows(transactions: [poor]), "b.ndjson", 10), (Rows(transactions: [sale, other]), "a.ndjson", 1),
            ],
            rules: LedgerRules()
        )
        #expect(
            try document.rows(of: "documents") == [
                [.text("5"), .text("b.ndjson"), .code(13), .code(2)],
                [.text("5"), .text("a.ndjson"), .code(1), .code(1)],
            ]
        )
        #expect(try document.rows(of: "transactions").map { $0[0] } == [.text("5")])
        #expect(try document.rows(of: "transactions").map { $0[7] } == [.text("transaction")])
    }

    @Test("The sum of what is listed is the figure", arguments: Seeds.some(of: UInt64(1)...25))
    func sums(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let rows = Rows(transactions: RandomRows.transactions(80, from: &generator))
        let prices = try PriceList(rows: "coins,*,USD,0.99,,consumable\npro,*,USD,1.99,,\n")
        let rules = LedgerRules(refundDating: generator.pick([.refund, .purchase]), prices: prices)
        let report = try #require(
            try ReportRegistry.document(
                named: "revenue",
                of: rows.settled(rules: rules),
                input: InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1)
            )
        )
        let revenue = try report.section("revenue")
        #expect(try !revenue.rows().isEmpty)
        for figure in try revenue.rows() {
            let keys = zip(["month", "product_id", "currency"], figure).map { key, cell in
                if case .text(let text) = cell { "\(key)=\(text)" } else { "\(key)=null" }
            }
            let document = try Self.explanation(
                keys.joined(separator: ","),
                [(rows, "rows", 1)],
                rules: rules
            )
            let totals = try document.section("totals")
            #expect(totals.columns.count == 16)
            let places = try totals.columns.map { try revenue.place(of: $0.name) }
            #expect(try Array(totals.rows()) == [places.map { figure[$0] }])
        }
    }

    @Test(
        "A unit of time that the calendar does not have is an error that shows how one is written",
        arguments: [
            ("month=2026-13", "'2026-13' is not a month; one is written as 2026-03"),
            ("month=2026-3,currency=EUR", "'2026-3' is not a month; one is written as 2026-03"),
            ("week=2026-W54", "'2026-W54' is not a week; one is written as 2026-W10"),
            ("day=2026-02-29", "'2026-02-29' is not a day; one is written as 2026-03-08"),
            ("month=FY26-P06", "'FY26-P06' is not a month; one is written as 2026-03"),
        ]
    )
    func units(_ text: String, _ reason: String) throws {
        let selection = try Selection(text)
        let error = #expect(throws: Finding.self) { try selection.check(in: .usual) }
        #expect(error?.description == reason)
    }

    @Test("Units of time that the calendar has are no errors, nor are other keys")
    func knownUnits() throws {
        try Selection("month=2026-02,week=2026-W53,day=2028-02-29,product_id=x").check(in: .usual)
        try Selection("month=null,hour=2026-03-09T14:00:00Z").check(in: .usual)
        try FailureSelection("day=2026-03-09,code=0,app_version=null").check(in: .usual)
        #expect(throws: Finding.self) { try FailureSelection("day=9").check(in: .usual) }
        let apple = BookingCalendar(.appleFiscal, zone: .utc)
        for text in ["month=FY26-06", "week=FY26-W52,day=2026-03-09", "month=FY1970-04", "month=FY00-01,week=FY00-W01"]
        {
            try Selection(text).check(in: apple)
        }
        #expect(throws: Finding.self) { try Selection("month=2026-03").check(in: apple) }
        try Selection("week=2026-W53,month=2026-03").check(in: BookingCalendar(.isoWeek, zone: .utc))
    }

    @Test("A selection that cannot be understood says why")
    func selections() throws {
        for text in ["", "month", "colour=red", "month=2026-03,month=2026-04", "month=2026-03,", "hour=10"] {
            #expect(throws: Finding.self) { _ = try Selection(text) }
        }
        #expect(
            try Selection("product_id=null,transaction_id=1=2").values == [
                .group(.productID): nil, .transactionID: "1=2",
            ]
        )
    }
}
