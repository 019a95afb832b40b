import Testing
import TillCore
import TillLedger
import TillPricing
import TillRows
import TillTestSupport

@Suite("Subscriptions report")
struct SubscriptionsReportTests {
    private static func charge(
        _ id: String,
        of chain: String,
        _ start: String,
        _ end: String,
        milliunits price: Int64 = 6000
    ) -> Row<TransactionColumn> {
        [
            .transactionID: .text(id), .originalTransactionID: .text(chain), .productID: "gold",
            .webOrderLineItemID: .text("w" + id), .purchaseDate: .text(start), .expiresDate: .text(end),
            .price: .number(price), .currency: "USD", .observedAt: "2026-05-10",
        ]
    }

    private static let trial: Row<TransactionColumn> = [.isTrial: true, .price: 0]

    /// A: a trial of a week, then January to the end of April in three charges and one after a gap of ten days.
    /// B: two months from 15 January, the second refunded on 1 March. C: a year from 1 February for 60.
    /// D: a trial that nothing follows. E: a month from 20 April whose grace period ends on 25 May.
    private static let shop = Rows(
        transactions: [
            charge("1", of: "1", "2026-01-01", "2026-01-08").with(trial),
            charge("2", of: "1", "2026-01-08", "2026-02-08"), charge("3", of: "1", "2026-02-08", "2026-03-08"),
            charge("4", of: "1", "2026-03-18", "2026-04-18"),
            charge("10", of: "10", "2026-01-15", "2026-02-15"),
            charge("11", of: "10", "2026-02-15", "2026-03-15").with([.cancellationDate: "2026-03-01"]),
            // The same charge restored on another device.
            charge("12", of: "10", "2026-01-16", "2026-02-15").with([.webOrderLineItemID: "w10"]),
            charge("20", of: "20", "2026-02-01", "2027-02-01", milliunits: 60_000),
            charge("30", of: "30", "2026-04-30", "2026-05-07").with(trial),
            charge("40", of: "40", "2026-04-09", "2026-05-09"),
            // Neither of a family nor of the sandbox.
            charge("50", of: "50", "2026-02-01", "2026-03-01").with([.ownershipType: "family_shared"]),
            charge("60", of: "60", "2026-02-01", "2026-03-01").with([.environment: "sandbox"]),
        ],
        renewals: [[.originalTransactionID: "40", .gracePeriodExpiresDate: "2026-05-25", .observedAt: "2026-05-10"]]
    )

    @Test("A shop of five chains, worked out by hand")
    func golden() throws {
        // January: A and B begin (the trial of A is not paid). End: A and B, 6 + 6 a month.
        // February: C begins. End: A, B, C: 6 + 6 + 60/12 = 17.
        // March: B's refund on the 1st ends it; A ends on the 8th and resubscribes on the 18th: 2 ends, 1 return.
        // April: A ends on the 18th, E begins on the 9th. End: C and E.
        // May up to the 10th: E's month is over on the 9th, its grace is not. C and E.
        // Retention: A and B are one cohort. Month 1 (from 8 and 15 February): both. Month 2 (from 8 and 15 March):
        // A from the 18th; B is over. Month 3 (8 and 15 April): A to the 18th. Month 4 (8 May): A is over; B's has
        // not begun.
        #expect(
            try findings("subscriptions", Self.shop) == """
                "subscriptions":{"as_of":"2026-05-10T00:00:00Z","chains":5,"active":2,"in_grace":1,"in_trial":0,"without_expiry":0,"undated":0},
                "by_month":[
                {"month":"2026-01","active_at_start":0,"new":2,"started_before":0,"resubscribed":0,"expired":0,"churned":0,"unobserved":0,"churn_rate":null,"active_at_end":2,"complete":"yes"},
                {"month":"2026-02","active_at_start":2,"new":1,"started_before":0,"resubscribed":0,"expired":0,"churned":0,"unobserved":0,"churn_rate":0,"active_at_end":3,"complete":"yes"},
                {"month":"2026-03","active_at_start":3,"new":0,"started_before":0,"resubscribed":1,"expired":2,"churned":1,"unobserved":0,"churn_rate":0.333333,"active_at_end":2,"complete":"yes"},
                {"month":"2026-04","active_at_start":2,"new":1,"started_before":0,"resubscribed":0,"expired":1,"churned":1,"unobserved":0,"churn_rate":0.5,"active_at_end":2,"complete":"yes"},
                {"month":"2026-05","active_at_start":2,"new":0,"started_before":0,"resubscribed":0,"expired":0,"churned":0,"unobserved":0,"churn_rate":0,"active_at_end":2,"complete":"no"}
                ],
                "mrr":[
                {"month":"2026-01","currency":"USD","subscriptions":2,"mrr":12.00,"arr":144.00,"estimated_periods":2,"unknown_periods":0},
                {"month":"2026-02","currency":"USD","subscriptions":3,"mrr":17.00,"arr":204.00,"estimated_periods":3,"unknown_periods":0},
                {"month":"2026-03","currency":"USD","subscriptions":2,"mrr":11.00,"arr":132.00,"estimated_periods":2,"unknown_periods":0},
                {"month":"2026-04","currency":"USD","subscriptions":2,"mrr":11.00,"arr":132.00,"estimated_periods":2,"unknown_periods":0},
                {"month":"2026-05","currency":"USD","subscriptions":2,"mrr":11.00,"arr":132.00,"estimated_periods":2,"unknown_periods":0}
                ],
                "trials":[
                {"month":"2026-01","trials":1,"converted":1,"rate":1,"complete":"yes"},
                {"month":"2026-04","trials":1,"converted":0,"rate":0,"complete":"no"}
                ],
                "refund_rate":[
                {"month":"2026-01","charges":2,"refunded":0,"rate":0},
                {"month":"2026-02","charges":3,"refunded":1,"rate":0.333333},
                {"month":"2026-03","charges":1,"refunded":0,"rate":0},
                {"month":"2026-04","charges":1,"refunded":0,"rate":0}
                ],
                "retention":[
                {"cohort":"2026-01","month_of_life":0,"chains":2,"retained":2,"rate":1},
                {"cohort":"2026-01","month_of_life":1,"chains":2,"retained":2,"rate":1},
                {"cohort":"2026-01","month_of_life":2,"chains":2,"retained":1,"rate":0.5},
                {"cohort":"2026-01","month_of_life":3,"chains":2,"retained":1,"rate":0.5},
                {"cohort":"2026-01","month_of_life":4,"chains":1,"retained":0,"rate":0},
                {"cohort":"2026-02","month_of_life":0,"chains":1,"retained":1,"rate":1},
                {"cohort":"2026-02","month_of_life":1,"chains":1,"retained":1,"rate":1},
                {"cohort":"2026-02","month_of_life":2,"chains":1,"retained":1,"rate":1},
                {"cohort":"2026-02","month_of_life":3,"chains":1,"retained":1,"rate":1},
                {"cohort":"2026-04","month_of_life":0,"chains":1,"retained":1,"rate":1},
                {"cohort":"2026-04","month_of_life":1,"chains":1,"retained":1,"rate":1}
                ],
                "periods":[
                {"product_id":"gold","period":"P1M","period_from":"estimated","charges":6},
                {"product_id":"gold","period":"P1Y","period_from":"estimated","charges":1}
                ]}

                """
        )
    }

    /// A month bought at 01:03 UTC on 1 March 2026, a Sunday with which Apple's sixth fiscal month begins.
    private static let early = Rows(
        transactions: [charge("1", of: "1", "2026-03-01T01:03:20Z", "2026-04-01T00:03:20Z").with(observedLate)]
    )
    private static let observedLate: Row<TransactionColumn> = [.observedAt: "2026-04-03T05:00:00Z"]

    /// A calendar and a zone, the month of the purchase, and the rows of months.
    static let calendars: [(CalendarKind, String, String, [String])] = [
        (.gregorian, "UTC", "2026-03", ["2026-03", "2026-04"]),
        (.gregorian, "America/Los_Angeles", "2026-02", ["2026-02", "2026-03", "2026-04"]),
        (.appleFiscal, "UTC", "FY26-06", ["FY26-06", "FY26-07"]),
        (.appleFiscal, "America/Los_Angeles", "FY26-05", ["FY26-05", "FY26-06", "FY26-07"]),
        (.isoWeek, "UTC", "2026-W09", ["2026-W09", "2026-W10", "2026-W11", "2026-W12", "2026-W13", "2026-W14"]),
    ]

    @Test(
        "Every month is one of the calendar and the time zone",
        .needsTimeZones,
        arguments: calendars
    )
    func tellsMonths(_ kind: CalendarKind, _ zone: String, _ month: String, _ months: [String]) throws {
        var rules = LedgerRules()
        rules.calendar = BookingCalendar(kind, zone: try TimeZoneRules.ofDatabase(zone))
        let text = try findings("subscriptions", Self.early, rules: rules)
        let key = kind == .isoWeek ? "week" : "month"
        #expect(
            text.split(separator: "\n").filter { $0.contains("active_at_start") }.map { $0.dropFirst(key.count + 5) }
                .map { String($0.prefix { $0 != "\"" }) } == months
        )
        #expect(text.contains("\"by_\(key)\":[\n{\"\(key)\":\"\(month)\",\"active_at_start\":0,\"new\":1,"))
        #expect(text.contains("\"refund_rate\":[\n{\"\(key)\":\"\(month)\",\"charges\":1,"))
        #expect(text.contains("\"mrr\":[\n{\"\(key)\":\"\(month)\",\"currency\":\"USD\",\"subscriptions\":1,"))
        #expect(text.contains("\"retention\":[\n{\"cohort\":\"\(month)\",\"\(key)_of_life\":0,\"chains\":1,"))
        let trials = Rows(transactions: Self.early.transactions.map { $0.with(Self.trial) })
        let begun = try findings("subscriptions", trials, rules: rules)
        #expect(begun.contains("\"trials\":[\n{\"\(key)\":\"\(month)\",\"trials\":1,"))
    }

    @Test(
        "A month of life begins when the day and the hour come again in the time zone, not in UTC",
        .needsTimeZones
    )
    func ages() throws {
        let zone = try TimeZoneRules.ofDatabase("America/Los_Angeles")
        let rows = Rows(
            transactions: [
                Self.charge("1", of: "1", "2026-04-01T02:00:00Z", "2026-05-01T06:00:00Z")
                    .with([.observedAt: "2026-06-10"])
            ]
        )
        func retained(_ calendar: BookingCalendar) throws -> [String] {
            var rules = LedgerRules()
            rules.calendar = calendar
            let text = try findings("subscriptions", rows, rules: rules)
            return text.split(separator: "\n").filter { $0.contains("month_of_life") && $0.contains("\"rate\":1") }
                .map { String($0.dropFirst(11).prefix(7)) }
        }
        // In UTC the second month began four hours before the end; in Los Angeles, where it was bought on 31 March, the
        // second month began with 1 May, and the end was on 30 April.
        #expect(try retained(.usual) == ["2026-04", "2026-04"])
        #expect(try retained(BookingCalendar(zone: zone)) == ["2026-03"])
    }

    /// A period by its ends, and the months that are listed.
    static let periods: [(String, String, [String])] = [
        ("2026-02-01T08:00:00Z", "2026-03-01T08:00:00Z", ["2026-02"]),
        ("2026-03-01T07:59:59Z", "2026-03-01T08:00:01Z", ["2026-02", "2026-03"]),
        ("2026-03-20T00:00:00Z", "2026-03-21T00:00:00Z", ["2026-03"]),
        ("2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z", []),
    ]

    @Test(
        "The months of a period are listed, also those that lie in it partly",
        .needsTimeZones,
        arguments: periods
    )
    func chooses(_ from: String, _ until: String, _ months: [String]) throws {
        var rules = LedgerRules()
        rules.calendar = BookingCalendar(zone: try TimeZoneRules.ofDatabase("America/Los_Angeles"))
        rules.period = Period(from: Timestamp(from), until: Timestamp(until))
        let text = try findings("subscriptions", Self.early, rules: rules)
        #expect(
            text.split(separator: "\n").filter { $0.contains("active_at_start") }
                .map { String($0.dropFirst(10).prefix(7)) } == months
        )
    }

    @Test(
        "Where nothing is active at the end of the last month, nothing recurs: no figure of an earlier month is shown"
    )
    func tellsNoStaleRevenue() throws {
        let rows = Rows(transactions: [Self.charge("1", of: "1", "2026-01-01", "2026-02-01")])
        let text = try summary("subscriptions", rows)
        #expect(text.contains(#""active":0,"#) && text.contains(#""currency":null,"mrr":null"#), "\(text)")
    }

    @Test("An hour of a month of life does not count, whether service ends with it or begins")
    func retainsWholeHours() throws {
        func retained(_ from: String, _ until: String) throws -> Bool {
            let rows = Rows(
                transactions: [
                    Self.charge("1", of: "1", "2025-11-01T12:00:00Z", "2025-11-08T12:00:00Z"),
                    Self.charge("2", of: "1", from, until),
                ]
            )
            return try findings("subscriptions", rows).contains(#""month_of_life":1,"chains":1,"retained":1"#)
        }
        #expect(try !retained("2025-12-01T12:00:00Z", "2025-12-01T12:30:00Z"))
        #expect(try !retained("2025-12-01T12:00:00Z", "2025-12-01T13:00:00Z"))
        #expect(try retained("2025-12-01T12:00:00Z", "2025-12-01T13:00:01Z"))
        #expect(try !retained("2026-01-01T11:30:00Z", "2026-01-01T12:20:00Z"))
        #expect(try retained("2026-01-01T10:30:00Z", "2026-01-01T12:20:00Z"))
    }

    @Test("How far the data reaches is what documents and purchases of the selected environments show")
    func asOfEnvironment() throws {
        let unknown: Row<TransactionColumn> = [
            .transactionID: "9", .productType: "consumable", .purchaseDate: "2026-06-01", .observedAt: "2026-06-02",
        ]
        let sandbox = unknown.with([.environment: "sandbox"])
        let renewal: Row<RenewalColumn> = [
            .originalTransactionID: "9", .observedAt: "2026-06-03", .environment: "sandbox",
        ]
        let charge = Self.charge("1", of: "1", "2026-03-01", "2026-05-01").with([.observedAt: "2026-03-11"])
        let text = try findings("subscriptions", Rows(transactions: [charge, sandbox], renewals: [renewal]))
        #expect(text.contains("\"as_of\":\"2026-03-11T00:00:00Z\",\"chains\":1,\"active\":1,"))
        let all = try findings("subscriptions", Rows(transactions: [charge, unknown], renewals: [renewal]))
        #expect(all.contains("\"as_of\":\"2026-06-02T00:00:00Z\",\"chains\":1,\"active\":0,"))
        // A document without transactions.
        for (environment, trust, asOf) in [
            ("production", "unsigned", "2026-06-04"), ("sandbox", "unsigned", "2026-03-11"),
            ("production", "untrusted", "2026-03-11"),
        ] {
            let document: Row<DocumentColumn> = [
                .kind: "verify", .observedAt: "2026-06-04", .environment: .text(environment), .trust: .text(trust),
            ]
            let text = try findings("subscriptions", Rows(transactions: [charge], documents: [document]))
            #expect(text.contains("\"as_of\":\"\(asOf)T00:00:00Z\""), "\(environment) \(trust)")
        }
    }

    @Test("A refunded charge ends its own service, and never that of a charge that overlaps it")
    func overlaps() throws {
        let text = try findings(
            "subscriptions",
            Rows(
                transactions: [
                    Self.charge("1", of: "1", "2026-03-01", "2026-05-01"),
                    Self.charge("2", of: "1", "2026-03-10", "2026-04-10").with([.cancellationDate: "2026-03-11"]),
                    // Any purchase shows how far the data reaches.
                    [.transactionID: "9", .productType: "consumable", .purchaseDate: "2026-04-15"],
                ].map { $0.with([.observedAt: "2026-03-11"]) }
            )
        )
        #expect(text.contains("\"as_of\":\"2026-04-15T00:00:00Z\",\"chains\":1,\"active\":1,"))
        #expect(
            text.contains(
                "\"month\":\"2026-04\",\"active_at_start\":1,\"new\":0,\"started_before\":0,\"resubscribed\":0,\"expired\":0,"
            )
        )
        #expect(text.contains("{\"month\":\"2026-04\",\"currency\":\"USD\",\"subscriptions\":1,"))
    }

    /// Days of a charge, and what a price of 12 is worth in a month with 4 weeks.
    static let lengths: [(days: Int64, period: String, mrr: String)] = [
        (1, "\"P1D\"", "360.00"), (3, "\"P3D\"", "120.00"), (7, "\"P1W\"", "48.00"), (14, "\"P2W\"", "24.00"),
        (28, "\"P1M\"", "12.00"), (31, "\"P1M\"", "12.00"), (61, "\"P2M\"", "6.00"), (91, "\"P3M\"", "4.00"),
        (183, "\"P6M\"", "2.00"), (366, "\"P1Y\"", "1.00"), (20, "null", "0.00"),
    ]

    @Test("A price is one month's worth by the length of its period", arguments: lengths)
    func normalises(_ days: Int64, _ period: String, _ mrr: String) throws {
        let day: Int64 = 86_400_000
        let row: Row<TransactionColumn> = [
            .transactionID: "1", .purchaseDate: .number(0), .expiresDate: .number(days * day), .price: 12_000,
            .currency: "USD", .observedAt: .number(day / 2),
        ]
        let text = try json("subscriptions", Rows(transactions: [row]))
        #expect(text.contains("\"subscriptions\":1,\"mrr\":\(mrr),"), "\(text)")
        #expect(text.contains("\"period\":\(period),"))
    }

    @Test("Weeks of a month are 4, or as many as requested")
    func weekly() throws {
        let row: Row<TransactionColumn> = [
            .transactionID: "1", .purchaseDate: "2026-03-01", .expiresDate: "2026-03-08", .price: 1000,
            .currency: "USD",
        ]
        var rules = LedgerRules()
        rules.weeksPerMonthMillionths = 4_345_000
        let text = try json("subscriptions", Rows(transactions: [row]), rules: rules)
        // 1.00 × 4.345 = 4.345, half to even: 4.34; × 12 = 52.14.
        #expect(text.contains("\"mrr\":4.34,\"arr\":52.14,"))
        #expect(try json("subscriptions", Rows(transactions: [row])).contains("\"mrr\":4.00,\"arr\":48.00,"))
    }

    @Test("Instants at the ends of time are counted, not a crash")
    func extremes() throws {
        let dates: [RowValue?] = [.number(.min + 1), .number(.max), .number(0), "0001-01-01", "4001-01-01", nil]
        var rows: [Row<TransactionColumn>] = []
        for (index, start) in dates.enumerated() {
            for (other, end) in dates.enumerated() {
                var row: Row<TransactionColumn> = [
                    .transactionID: .text("\(index)-\(other)"), .originalTransactionID: .text("\(other % 2 + 1)"),
                    .productType: "auto_renewable", .price: .number(.max), .currency: "USD",
                ]
                row[.purchaseDate] = start
                row[.expiresDate] = end
                row[.isTrial] = .number((index + other) % 5 == 0 ? 1 : 0)
                rows.append(row)
            }
        }
        let text = try json("subscriptions", Rows(transactions: rows))
        #expect(text.contains("\"chains\":2,"))
    }

    @Test(
        "Active at the end is active at the start, and new, and resubscribed, less expired",
        arguments: Seeds.some(of: UInt64(1)...20)
    )
    func balance(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let day: Int64 = 86_400_000
        let rows = (1...300).map { number -> Row<TransactionColumn> in
            let start = Int64.random(in: 20_000...20_400, using: &generator) * day
            return [
                .transactionID: .text("\(number)"),
                .originalTransactionID: .text("\(Int.random(in: 1...60, using: &generator))"),
                .webOrderLineItemID: .text("w\(number)"), .purchaseDate: .number(start),
                .expiresDate: .number(start + generator.pick([7, 30, 365]) * day), .price: 1000, .currency: "USD",
            ]
        }
        let ledger = Rows(transactions: rows).settled(needs: .subscriptions)
        var sales = SubscriptionSales()
        try ledger.forEachTransaction { sales.see($0) }
        var history = SubscriptionHistory(asOf: nil, tellsProducts: true)
        var inShares = history
        try ledger.countSubscriptions(sales, in: &history) { _ in nil }
        let shared = Rows(transactions: rows).settled(needs: .subscriptions, jobs: Int(seed) % 5 + 1)
        try shared.countSubscriptions(sales, in: &inShares, atOnce: 20) { _ in nil }
        history.finish()
        inShares.finish()
        #expect(inShares.flows == history.flows && inShares.retention == history.retention)
        #expect(inShares.trials == history.trials && inShares.charges == history.charges)
        #expect(inShares.recurring == history.recurring && inShares.chains == history.chains)
        #expect(inShares.inTrial == history.inTrial && inShares.withoutExpiry == history.withoutExpiry)
        #expect(inShares.products == history.products && !history.products.isEmpty)
        let month = try #require(history.lastMonth)
        #expect(history.flow(inMonth: month).activeAtEnd == history.active)
        let recurring = history.recurring.filter { $0.key.month == month }.values.map(\.subscriptions).reduce(0, +)
        #expect(recurring == history.active)
        #expect(!history.flows.isEmpty)
        for (month, flow) in history.flows {
            let sum = history.recurring.filter { $0.key.month == month }.values.map(\.subscriptions).reduce(0, +)
            #expect(sum == flow.activeAtEnd)
        }
    }
}
