import Testing
import TillCore
import TillLedger
import TillRender
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillPricing
@testable import TillReports

@Suite("Revenue of an open month, and revenue that is not wholly known")
struct OpenPeriodTests: RevenueTesting {
    private static func text(_ document: ReportDocument) -> String {
        String(decoding: TableRenderer().render(document, options: RenderOptions()), as: UTF8.self)
    }

    private static func summary(_ sales: [Row<TransactionColumn>], _ rules: LedgerRules) throws -> String {
        try TillReportsTests.summary("revenue", Rows(transactions: sales), rules: rules)
    }

    // MARK: Open months

    static let periods: [(String, [String]?)] = [
        ("2026-03-09", ["2026-02-01", "2026-02-10", "2025-03-01", "2025-03-10"]),
        ("2026-03-01", ["2026-02-01", "2026-02-02", "2025-03-01", "2025-03-02"]),
        // February has no 29th.
        ("2026-03-31", ["2026-02-01", "2026-03-01", "2025-03-01", "2025-04-01"]),
        ("2026-02-28", nil),
    ]

    @Test("An open month is compared with as many days of the month before, and of a year before", arguments: periods)
    func earlier(_ lastDay: String, _ expected: [String]?) throws {
        let calendar = BookingCalendar.usual
        let month = try calendar.month("2026-03")
        let trailing = TrailingPeriods(of: month, through: calendar.day(of: Timestamp(lastDay)), in: calendar)
        let found = [
            trailing.previous?.from, trailing.previous?.until, trailing.yearBefore?.from, trailing.yearBefore?.until,
        ]
        #expect(found == expected?.map { Timestamp($0) } ?? [nil, nil, nil, nil])
    }

    /// Data to 9 March; a refund is dated later.
    private static let open = [
        sale(1, "pro", "2026-02-01", 1_00), sale(2, "pro", "2026-02-03", 4_00), sale(3, "pro", "2026-02-20", 8_00),
        sale(4, "pro", "2026-03-05", 10_00, refunded: "2026-03-20"), sale(5, "gem", "2026-03-09T14:02:00Z", 5_00),
    ]

    @Test("A booking after the end of the data is in no figure of an open month, and a note counts it")
    func ahead() throws {
        var rules = try Self.rules(month: "2026-03")
        rules.completeDay = nil
        let summary = try Self.summary(Self.open, rules)
        // 10 + 5; 1 + 4 to 9 February.
        #expect(
            summary.contains(#""complete":false,"as_of":"2026-03-09","currency":"USD","net":15.00,"known_net":15.00,"#)
        )
        #expect(summary.contains(#""previous_net":5.00,"#))
        let document = try Self.document(Self.open, rules)
        let note =
            "Bookings after 9 March 2026, to which the data are known: 1. They are in no figure of this period yet."
        #expect(document.notes.contains(note))
        #expect(
            Self.text(document).hasPrefix(
                "Revenue, March 2026 to date: 1–9 March (days in UTC; data to 9 March 14:02)\n"
            )
        )
        // Of a complete month it is.
        let complete = try Self.rules(month: "2026-03")
        #expect(
            try Self.summary(Self.open, complete).contains(
                #""complete":true,"as_of":"2026-03-31","currency":"USD","net":5.00,"#
            )
        )
        #expect(try !Self.document(Self.open, complete).notes.contains { $0.contains("to which the data are known") })
    }

    // MARK: Missing rates, prices and tax

    @Test("A missing rate leaves the sum unknown, and its known part is rounded once")
    func missingRate() throws {
        let known = [
            Self.sale(1, "a", "2026-02-01", 12_50), Self.sale(2, "a", "2026-03-02", 10_00),
            Self.sale(3, "b", "2026-03-02", 10_00),
        ]
        let missing = [
            Self.sale(4, "c", "2026-03-09", 100_00, "TWD"), Self.sale(5, "c", "2026-03-08", 50_00, "TWD"),
            Self.sale(6, "c", "2026-03-10", 50_00, "GBP"),
        ]
        let rules = try Self.rules(month: "2026-03", rate: "1.50")
        let summary = try Self.summary(known + missing, rules)
        // 6.666… + 6.666… = 13.333…, though the rows say 6.67 each. February: 12.50 / 1.25.
        #expect(summary.contains(#""net":null,"known_net":13.33,"#) && summary.contains(#""previous_net":10.00,"#))
        #expect(summary.contains(#""change":null,"year_change":null,"refund_rate":null,"#))
        let places =
            #"{"name":"unconverted","count":3,"currencies":[{"currency":"TWD","count":2,"since":"2026-03-08"},"#
            + #"{"currency":"GBP","count":1,"since":"2026-03-10"}],"since":"2026-03-08"}"#
        #expect(summary.contains(places))
        let text = Self.text(try Self.document(known + missing, rules))
        #expect(text.contains("  Customer sales at least  13.33 EUR   no comparison\n"))
        #expect(text.contains(": TWD (2) since 8 March 2026, GBP (1) since 10 March 2026; --fx FILE needs these rates"))
        // All rates known: 6.67 + 6.67 − 13.33 is rounding.
        #expect(try Self.summary(known, rules).contains(#""net":13.33,"known_net":13.33,"#))
    }

    @Test("Where a refund has no rate, the figure is the known part, and not the least")
    func missingRateOfARefund() throws {
        let sales = [
            Self.sale(1, "a", "2026-03-02", 15_00),
            Self.sale(2, "c", "2026-02-09", 100_00, "TWD", refunded: "2026-03-09"),
        ]
        let text = Self.text(try Self.document(sales, Self.rules(month: "2026-03", rate: "1.50")))
        #expect(
            text.contains("  Customer sales, known part  10.00 EUR   no comparison\n") && !text.contains("at least")
        )
    }

    @Test("A missing price leaves the sum unknown, and the products without one are named")
    func missingPrice() throws {
        let sales = [
            Self.sale(1, "a", "2026-03-02", 15_00), Self.sale(2, "b", "2026-03-04", nil),
            Self.sale(3, "b", "2026-03-03", nil),
            Self.sale(4, "c", "2026-03-05", nil),
        ]
        let summary = try Self.summary(sales, Self.rules(month: "2026-03"))
        #expect(summary.contains(#""currency":"USD","net":null,"known_net":15.00,"#))
        let places =
            #"{"name":"unpriced","count":3,"products":[{"product_id":"b","count":2,"since":"2026-03-03"},"#
            + #"{"product_id":"c","count":1,"since":"2026-03-05"}],"since":"2026-03-03"}"#
        #expect(summary.contains(places))
    }

    @Test("Where a tax is not known, the parts are unknown and the territories are named with their customer sales")
    func missingTax() throws {
        let sales = [
            Self.sale(1, "a", "2026-03-02", 11_90, "EUR").with([.storefront: "DEU"]),
            Self.sale(2, "a", "2026-03-04", 100_00, "SEK").with([.storefront: "SWE"]),
            Self.sale(3, "a", "2026-03-03", 50_00, "SEK", refunded: "2026-03-05").with([.storefront: "SWE"]),
        ]
        var rules = try Self.rules(month: "2026-03")
        var none: [RateSchedule.Contradiction] = []
        rules.taxes = RateSchedule(
            [RateSchedule.Row(line: 1, territory: Territory("DEU"), rate: 190_000)],
            reporting: &none
        )
        let summary = try Self.summary(sales, rules)
        // Two sales and a refund: 100 + 50 − 50.
        let places =
            #"{"name":"untaxed","count":3,"territories":[{"territory":"SWE","count":3,"currency":"SEK","net":100.00,"#
            + #""since":"2026-03-03"}],"since":"2026-03-03"}"#
        #expect(summary.contains(places), "\(summary)")
        #expect(summary.contains(#""currency":"SEK","net":100.00,"known_net":100.00,"tax":null,"without_tax":null,"#))
    }
}
