import Testing
import TillCore
import TillLedger
import TillPricing
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillReports

/// What a deferred row says, in the order of the columns.
struct DeferredLine: Equatable, CustomStringConvertible {
    let description: String

    /// `2026-03 pro USD: 0.00 + 9.99 - 0.00 - 3.33 = 6.66`
    init(_ row: DeferredRow) {
        let currency = row.currency ?? CurrencyCode(packed: 0)
        func text(_ amount: Int128) -> String { Money(millionths: amount, currency: currency).decimalText }
        let figures = row.figures
        let names = row.group.names.map { $0 ?? "null" }.joined(separator: " ")
        description =
            "\(row.time ?? "null") \(names): \(text(figures.opening)) + \(text(figures.billed)) - "
            + "\(text(figures.refunds)) - \(text(figures.earned)) = \(text(figures.closing))"
    }
}

/// The rows, totals and schedule of a deferral as texts.
struct DeferredTexts: Equatable {
    var rows: [String]
    var totals: [String]
    var schedule: [String]

    init(_ rows: Rows, _ rules: LedgerRules = LedgerRules(), environments: EnvironmentFilter = .booked) throws {
        try self.init(rows.settled(environments: environments, rules: rules), rules)
    }

    init(_ ledger: borrowing SettledLedger, _ rules: LedgerRules) throws {
        var report = DeferredReport(rules)
        try ledger.forEachPartition { part in
            _ = try part.forEachBatch { report.update(with: $0) }
            try report.finishPart(part)
        }
        let statement = try report.statement(ledger)
        rows = statement.rows.map { DeferredLine($0).description }
        totals = statement.totals.map { DeferredLine($0).description }
        schedule = statement.schedule.map { row in
            let earned = Money(millionths: row.earned, currency: row.currency).decimalText
            return "\(row.currency) \(row.time ?? "later") \(earned)"
        }
    }
}

@Suite("Deferred revenue")
struct DeferredReportTests {
    private static func sale(
        _ id: Int,
        _ purchased: String,
        _ expires: String?,
        _ price: Int64,
        _ currency: String = "USD"
    ) -> Row<TransactionColumn> {
        var row: Row<TransactionColumn> = [
            .transactionID: "\(id)", .productID: "pro", .purchaseDate: .text(purchased), .environment: "production",
            .price: .number(price), .currency: .text(currency),
        ]
        if let expires { row[.expiresDate] = .text(expires) }
        return row
    }

    private static func texts(
        _ sales: [Row<TransactionColumn>],
        month: String? = nil,
        _ change: (inout LedgerRules) throws -> Void = { _ in }
    ) throws -> DeferredTexts {
        var rules = LedgerRules()
        try change(&rules)
        if let month { rules.period = try rules.calendar.month(month) }
        return try DeferredTexts(Rows(transactions: sales), rules)
    }

    @Test("A year over a leap day has 366 days, and what is not yet earned is scheduled month by month")
    func leapYear() throws {
        // 36.60 over 366 days is 0.10 a day. 15 June … 30 June: 16 days. The last month is that of the only booking.
        let texts = try Self.texts([Self.sale(1, "2027-06-15T08:00:00Z", "2028-06-15T08:00:00Z", 36_600)])
        #expect(texts.rows == ["2027-06 pro USD: 0.00 + 36.60 - 0.00 - 1.60 = 35.00"])
        #expect(
            texts.schedule == [
                "USD 2027-07 3.10", "USD 2027-08 3.10", "USD 2027-09 3.00", "USD 2027-10 3.10", "USD 2027-11 3.00",
                "USD 2027-12 3.10", "USD 2028-01 3.10",
                // 29 days of February, 14 of June.
                "USD 2028-02 2.90", "USD 2028-03 3.10", "USD 2028-04 3.00", "USD 2028-05 3.10", "USD 2028-06 1.40",
            ]
        )
    }

    @Test("A month from 31 January to 28 February has 28 days")
    func endOfMonth() throws {
        // 999 / 28 = 35.68 → 0.36 in January; February has the rest, 9.63. The coin keeps March in the report.
        let texts = try Self.texts([
            Self.sale(1, "2026-01-31", "2026-02-28", 9_990), Self.sale(2, "2026-03-02", nil, 990),
        ])
        #expect(
            texts.rows == [
                "2026-01 pro USD: 0.00 + 9.99 - 0.00 - 0.36 = 9.63",
                "2026-02 pro USD: 9.63 + 0.00 - 0.00 - 9.63 = 0.00",
                "2026-03 pro USD: 0.00 + 0.99 - 0.00 - 0.99 = 0.00",
            ]
        )
        #expect(texts.totals.count == 3)
        #expect(texts.schedule == [])
    }

    @Test("Days are those of the time zone, on either side of daylight saving time", .needsTimeZones)
    func daylightSaving() throws {
        // 7 March 23:30 PST to 8 April 00:10 PDT: 7 March … 7 April, 32 days of 1.00. With the offset of March the
        // expiry would lie on 7 April. 25 days of March, 7 of April. In UTC: 8 March … 7 April, 31 days, of which 24
        // lie in March: 32.00 × 24 / 31 = 24.774 → 24.77.
        let sale = Self.sale(1, "2026-03-08T07:30:00Z", "2026-04-08T07:10:00Z", 32_000)
        let pacific = try Self.texts([sale]) {
            $0.calendar = BookingCalendar(zone: try .ofDatabase("America/Los_Angeles"))
        }
        #expect(pacific.rows == ["2026-03 pro USD: 0.00 + 32.00 - 0.00 - 25.00 = 7.00"])
        #expect(pacific.schedule == ["USD 2026-04 7.00"])
        #expect(try Self.texts([sale]).rows == ["2026-03 pro USD: 0.00 + 32.00 - 0.00 - 24.77 = 7.23"])
    }

    @Test("An amount is earned in the minor units of its currency, half to even")
    func minorUnits() throws {
        // 980 × 7 / 30 = 228.67 → 229 yen in the 7 days of March.
        // 0.05 × 1 / 2 = 0.025 → 0.02; 0.15 × 1 / 2 = 0.075 → 0.08. 1.235 dinar × 1 / 2 = 0.6175 → 0.618.
        let texts = try Self.texts([
            Self.sale(1, "2026-03-25", "2026-04-24", 980_000, "JPY"), Self.sale(2, "2026-03-31", "2026-04-02", 50),
            Self.sale(3, "2026-03-31", "2026-04-02", 150, "EUR"), Self.sale(4, "2026-03-31", "2026-04-02", 1235, "KWD"),
        ])
        #expect(
            texts.rows == [
                "2026-03 pro EUR: 0.00 + 0.15 - 0.00 - 0.08 = 0.07", "2026-03 pro JPY: 0 + 980 - 0 - 229 = 751",
                "2026-03 pro KWD: 0.000 + 1.235 - 0.000 - 0.618 = 0.617",
                "2026-03 pro USD: 0.00 + 0.05 - 0.00 - 0.02 = 0.03",
            ]
        )
        #expect(
            texts.schedule == ["EUR 2026-04 0.07", "JPY 2026-04 751", "KWD 2026-04 0.617", "USD 2026-04 0.03"]
        )
    }

    /// 30 days of 1.00: 16 days of March, 14 of April; refunded on 5 April.
    private static let refunded = sale(1, "2026-03-16", "2026-04-15", 30_000).with([
        .cancellationDate: "2026-04-05T10:00:00Z"
    ])

    @Test("A refund takes back what was earned, and the rest out of the balance")
    func refund() throws {
        // April: 16.00 of the 30.00 were earned, and are taken back; 14.00 were still deferred.
        #expect(
            try Self.texts([Self.refunded]).rows == [
                "2026-03 pro USD: 0.00 + 30.00 - 0.00 - 16.00 = 14.00",
                "2026-04 pro USD: 14.00 + 0.00 - 30.00 - -16.00 = 0.00",
            ]
        )
        #expect(
            try Self.texts([Self.refunded]) { $0.refundDating = .purchase }.rows == [
                "2026-03 pro USD: 0.00 + 30.00 - 30.00 - 0.00 = 0.00"
            ]
        )
    }

    @Test("A reversal puts both back; by purchase neither refund nor reversal is there")
    func reversal() throws {
        let reversed = Self.refunded.with([.refundReversedAt: "2026-05-03", .observedAt: "2026-04-06"])
        // The service is over in May, so all of the 30.00 are earned again.
        #expect(
            try Self.texts([reversed]).rows == [
                "2026-03 pro USD: 0.00 + 30.00 - 0.00 - 16.00 = 14.00",
                "2026-04 pro USD: 14.00 + 0.00 - 30.00 - -16.00 = 0.00",
                "2026-05 pro USD: 0.00 + 0.00 - -30.00 - 30.00 = 0.00",
            ]
        )
        // Reversed on 11 April, within the service: the schedule goes on as if nothing had happened.
        let early = Self.refunded.with([.refundReversedAt: "2026-04-11", .observedAt: "2026-04-06"])
        #expect(
            try Self.texts([early]).rows == [
                "2026-03 pro USD: 0.00 + 30.00 - 0.00 - 16.00 = 14.00",
                "2026-04 pro USD: 14.00 + 0.00 - 0.00 - 14.00 = 0.00",
            ]
        )
        #expect(
            try Self.texts([reversed]) { $0.refundDating = .purchase }
                == Self.texts([
                    Self.sale(1, "2026-03-16", "2026-04-15", 30_000)
                ])
        )
    }

    @Test("A partial refund takes back its share of what was earned, and the schedule is that of the rest")
    func partialRefund() throws {
        // 40 % of 30.00 is 12.00. Through 31 March 16.00 were earned. From 5 April on 18.00 are earned over the 30
        // days, all of them by 14 April: April earns 18.00 - 16.00 = 2.00.
        let partial = Self.refunded.with([.refundPercentage: 40_000])
        #expect(
            try Self.texts([partial]).rows == [
                "2026-03 pro USD: 0.00 + 30.00 - 0.00 - 16.00 = 14.00",
                "2026-04 pro USD: 14.00 + 0.00 - 12.00 - 2.00 = 0.00",
            ]
        )
        // Through 5 April 21 of 30 days: 18.00 × 21 / 30 = 12.60 are earned of the rest, 5.40 are deferred.
        let cut = try Self.texts([partial]) {
            $0.period = try $0.calendar.period(since: "2026-04-01", until: "2026-04-05")
        }
        #expect(cut.rows == ["2026-04 pro USD: 14.00 + 0.00 - 12.00 - -3.40 = 5.40"])
        // By purchase the schedule is that of 18.00 from the start: 18.00 × 16 / 30 = 9.60.
        let byPurchase = try Self.texts([partial], month: "2026-03") { $0.refundDating = .purchase }
        #expect(byPurchase.rows == ["2026-03 pro USD: 0.00 + 30.00 - 12.00 - 9.60 = 8.40"])
        // An upgrade that tells a percentage is such a refund.
        #expect(try Self.texts([partial.with([.isUpgraded: true])]) == Self.texts([partial]))
    }

    @Test("Prices finer than the minor unit are rounded in rows, and earned is the remainder")
    func finePrices() throws {
        // Two sales of 0.005 on one day make 0.01; one alone 0.00 (half to even). Each is earned over 31 March and 1
        // April.
        let fine = [1, 2].map { Self.sale($0, "2026-03-31", "2026-04-02", 5) }
        // After one day each has 0.0025 → 0.00 earned: 0.005 × 2 = 0.01 are deferred.
        #expect(try Self.texts(fine).rows == ["2026-03 pro USD: 0.00 + 0.01 - 0.00 - 0.00 = 0.01"])
        #expect(try Self.texts(fine).schedule == ["USD 2026-04 0.01"])
        #expect(try Self.texts([fine[0]]).rows == [])
    }

    @Test("An upgrade without a percentage is earned to its expiry")
    func upgrade() throws {
        // The upgrade itself, of 60.00 for 60 days from 5 April: 26 days of April are 26.00.
        let texts = try Self.texts([
            Self.refunded.with([.isUpgraded: true]), Self.sale(2, "2026-04-05", "2026-06-04", 60_000),
        ])
        #expect(
            texts.rows == [
                "2026-03 pro USD: 0.00 + 30.00 - 0.00 - 16.00 = 14.00",
                "2026-04 pro USD: 14.00 + 60.00 - 0.00 - 40.00 = 34.00",
            ]
        )
        #expect(texts.schedule == ["USD 2026-05 31.00", "USD 2026-06 3.00"])
    }

    @Test(
        "A refund after the service takes back all that was earned; one before the purchase is booked with it"
    )
    func oddRefunds() throws {
        let late = Self.refunded.with([.cancellationDate: "2026-06-01"])
        #expect(
            try Self.texts([late]).rows == [
                "2026-03 pro USD: 0.00 + 30.00 - 0.00 - 16.00 = 14.00",
                "2026-04 pro USD: 14.00 + 0.00 - 0.00 - 14.00 = 0.00",
                "2026-06 pro USD: 0.00 + 0.00 - 30.00 - -30.00 = 0.00",
            ]
        )
        let before = Self.refunded.with([.cancellationDate: "2026-01-31"])
        #expect(try Self.texts([before]).rows == ["2026-03 pro USD: 0.00 + 30.00 - 30.00 - 0.00 = 0.00"])
        // A reversal that was signed before the cancellation happened, as one document told it.
        let early = Self.refunded.with([.refundReversedAt: "2026-03-20", .observedAt: "2026-03-18"])
        #expect(
            try Self.texts([early]).rows == [
                // March: 60.00 less nothing, of which 16 days are 32.00; April: 30.00 are refunded, 30.00 earned in
                // all.
                "2026-03 pro USD: 0.00 + 30.00 - -30.00 - 32.00 = 28.00",
                "2026-04 pro USD: 28.00 + 0.00 - 30.00 - -2.00 = 0.00",
            ]
        )
    }

    @Test("What has no service of days is earned on the day of purchase")
    func atOnce() throws {
        let texts = try Self.texts([
            Self.sale(1, "2026-03-01", nil, 990),
            // It expires when it is bought, or before.
            Self.sale(2, "2026-03-01", "2026-03-01T12:00:00Z", 1_000),
            Self.sale(3, "2026-03-05", "2026-03-01", 2_000),
            // A subscription whose expiry no document tells.
            Self.sale(4, "2026-03-05", nil, 3_000).with([.productType: "auto_renewable"]),
        ])
        #expect(texts.rows == ["2026-03 pro USD: 0.00 + 6.99 - 0.00 - 6.99 = 0.00"])
        #expect(texts.schedule == [])
    }

    @Test("A sale without a date is in no month, its refund in its own, and a period has only the refund")
    func undated() throws {
        var sale = Self.refunded
        sale[.purchaseDate] = nil
        #expect(
            try Self.texts([sale]).rows == [
                "2026-04 pro USD: 0.00 + 0.00 - 30.00 - -30.00 = 0.00",
                "null pro USD: 0.00 + 30.00 - 0.00 - 30.00 = 0.00",
            ]
        )
        #expect(
            try Self.texts([sale], month: "2026-04").rows == ["2026-04 pro USD: 0.00 + 0.00 - 30.00 - -30.00 = 0.00"]
        )
        #expect(
            try Self.texts([sale]) { $0.refundDating = .purchase }.rows == [
                "null pro USD: 0.00 + 30.00 - 30.00 - 0.00 = 0.00"
            ]
        )
    }

    @Test("Trials and sales without a price have no row, but the report reaches to their month")
    func unpriced() throws {
        let texts = try Self.texts([
            Self.sale(1, "2026-03-16", "2026-04-15", 30_000),
            [.transactionID: "2", .productID: "pro", .purchaseDate: "2026-04-20", .environment: "production"],
        ])
        #expect(
            texts.rows == [
                "2026-03 pro USD: 0.00 + 30.00 - 0.00 - 16.00 = 14.00",
                "2026-04 pro USD: 14.00 + 0.00 - 0.00 - 14.00 = 0.00",
            ]
        )
    }

    @Test("Without any price or rate it says that deferred revenue is unknown, without sales that there is none")
    func unknown() throws {
        func answer(_ sales: [Row<TransactionColumn>], _ rules: LedgerRules = LedgerRules()) throws -> String? {
            let ledger = Rows(transactions: sales).settled(rules: rules)
            let input = InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1)
            let document = try ReportRegistry.document(named: "deferred", of: ledger, input: input)
            return document?.sections.flatMap(\.statements).flatMap(\.parts).compactMap { part in
                if case .words(let words) = part { words } else { nil }
            }
            .first { $0.hasPrefix("Deferred ") || $0.hasPrefix("Nothing ") }
        }
        let priced = Self.sale(1, "2026-03-16", "2026-04-15", 30_000)
        let unpriced: Row<TransactionColumn> = [
            .transactionID: "2", .productID: "pro", .purchaseDate: "2026-04-20", .environment: "production",
        ]
        #expect(try answer([unpriced]) == "Deferred revenue unknown: no amount has a price")
        #expect(try answer([priced, unpriced]) == "Deferred ")
        #expect(try answer([]) == "Nothing is billed, earned or deferred")
        var rules = LedgerRules()
        rules.conversion = Conversion(to: try #require(CurrencyCode("EUR")), rates: ExchangeRates())
        #expect(try answer([priced], rules) == "Deferred revenue unknown: amounts have no rate")
        rules.conversion = nil
        rules.period = try rules.calendar.month("2026-03")
        #expect(try answer([unpriced], rules) == "Nothing is billed, earned or deferred")
    }

    @Test("A period has the balance of what came before, and nothing of what comes after")
    func period() throws {
        let sales = [
            Self.refunded, Self.sale(2, "2026-04-16", "2026-05-16", 60_000), Self.sale(3, "2026-05-01", nil, 990),
        ]
        // 15 of the 30 days of 2.00 lie in April.
        let april = try Self.texts(sales, month: "2026-04")
        #expect(april.rows == ["2026-04 pro USD: 14.00 + 60.00 - 30.00 - 14.00 = 30.00"])
        #expect(april.schedule == ["USD 2026-05 30.00"])
        // In March nothing is known of the refund.
        let march = try Self.texts(sales, month: "2026-03")
        #expect(march.rows == ["2026-03 pro USD: 0.00 + 30.00 - 0.00 - 16.00 = 14.00"])
        #expect(march.schedule == ["USD 2026-04 14.00"])
        // A period of part of a month: 4 April 12:00 to 20 April 12:00. Through the 4th 20 days are earned, 20.00 of
        // 30.00, which the refund takes back; 5 of the 30 days of the other, 10.00, are earned through the 20th.
        let part = try Self.texts(sales) {
            $0.period = try $0.calendar.period(since: "2026-04-04T12:00:00Z", until: "2026-04-20T12:00:00Z")
        }
        #expect(part.rows == ["2026-04 pro USD: 10.00 + 60.00 - 30.00 - -10.00 = 50.00"])
        #expect(part.schedule == ["USD 2026-04 20.00", "USD 2026-05 30.00"])
        // A year later all is earned, and no row is left; to a year later, rows go on while there is a balance.
        #expect(try Self.texts(sales, month: "2027-04").rows == [])
        let long = try Self.texts([sales[1]]) {
            $0.period = try $0.calendar.period(since: nil, until: "2027-04-30")
        }
        #expect(long.rows.map { String($0.prefix(7)) } == ["2026-04", "2026-05"])
        #expect(long.schedule == [])
        // Without an end and without a booking, the month in which the period begins is the last.
        let open = try Self.texts([sales[1]]) { $0.period = try $0.calendar.period(since: "2026-05-11", until: nil) }
        // 25 of the 30 days are earned by 10 May.
        #expect(open.rows == ["2026-05 pro USD: 10.00 + 0.00 - 0.00 - 10.00 = 0.00"])
    }

    @Test("A figure that does not add up is an error that names its row")
    func identity() throws {
        let rules = LedgerRules()
        let ledger = Rows(transactions: [Self.refunded, Self.sale(2, "2026-04-16", "2026-05-16", 60_000)]).settled()
        var report = DeferredReport(rules)
        try ledger.forEachTransaction { report.update(with: $0) }
        let statement = try report.statement(ledger)
        let sound = DeferralCheck(totals: statement.totals, schedule: statement.schedule, lastUnit: 2026 * 12 + 3)
        try sound.verify()
        func message(_ change: (inout DeferralCheck) -> Void) -> String {
            var check = sound
            change(&check)
            do throws(Finding) { try check.verify() } catch {
                #expect(error.code == "deferred.identity")
                return String(error.reason.prefix { $0 != ":" }.dropFirst("the deferred revenue of ".count))
            }
            return ""
        }
        #expect(message { $0.totals[0].figures.earned += 1 } == "total of 2026-03, USD does not add up")
        #expect(message { $0.totals[1].figures.closing -= 10_000 } == "total of 2026-04, USD does not add up")
        #expect(message { $0.schedule[0].earned += 10_000 } == "schedule of USD does not add up")
        #expect(message { $0.schedule = [] } == "schedule of USD does not add up")
        // A balance that appears from nowhere between two months.
        #expect(
            message {
                $0.totals[0].figures.billed += 10_000
                $0.totals[0].figures.closing += 10_000
            } == "all rows of USD does not add up"
        )
        var row = statement.rows[0]
        row.figures.refunds = 1
        #expect(throws: Finding.self) { try DeferralCheck.verify(row, named: row.description) }
    }

    @Test("Months can be Apple's fiscal ones, or weeks")
    func calendars() throws {
        // FY26-06 is 1 to 28 March 2026: 13 of the 30 days.
        let fiscal = try Self.texts([Self.sale(1, "2026-03-16", "2026-04-15", 30_000)]) {
            $0.calendar = BookingCalendar(.appleFiscal)
        }
        #expect(fiscal.rows == ["FY26-06 pro USD: 0.00 + 30.00 - 0.00 - 13.00 = 17.00"])
        #expect(fiscal.schedule == ["USD FY26-07 17.00"])
        // 16 March is the Monday of week 12.
        let weekly = try Self.texts([Self.sale(1, "2026-03-16", "2026-03-30", 14_000)]) {
            $0.calendar = BookingCalendar(.isoWeek)
        }
        #expect(weekly.rows == ["2026-W12 pro USD: 0.00 + 14.00 - 0.00 - 7.00 = 7.00"])
        #expect(weekly.schedule == ["USD 2026-W13 7.00"])
    }

    @Test("An expiry thousands of years away costs a row for each month of the report, and a line for all that is late")
    func distantExpiry() throws {
        // 31 December 9999 is 2,912,441 days after 2 January 2026. Of 9.99 nothing is earned for years.
        let texts = try Self.texts([
            Self.sale(1, "2026-01-02", "9999-12-31", 9_990), Self.sale(2, "2026-03-01", nil, 990),
        ])
        #expect(
            texts.rows == [
                "2026-01 pro USD: 0.00 + 9.99 - 0.00 - 0.00 = 9.99",
                "2026-02 pro USD: 9.99 + 0.00 - 0.00 - 0.00 = 9.99",
                "2026-03 pro USD: 9.99 + 0.99 - 0.00 - 0.99 = 9.99",
            ]
        )
        // 999 × k / 2,912,441 reaches half a cent on day 1,458 (½ is 0 to even there, 0.50012 is 1): 29 December 2029.
        // The second cent comes at 1.5, day 4,374, after the ten years of the schedule, which end with March 2036.
        #expect(texts.schedule == ["USD 2029-12 0.01", "USD later 9.98"])
    }

    @Test("Rows that hostile services of thousands of years would fill are an error, not memory")
    func tooManyRows() throws {
        // Twenty products from 2010 to 9999, and a sale in 9998 that makes it the last month of the report: 96,000
        // months each.
        let sales = (1...20).map { id in
            Self.sale(id, "2010-01-01", "9999-01-01", 9_223_372_036_854_775_807).with([.productID: "pro\(id)"])
        }
        let error = #expect(throws: Finding.self) {
            try Self.texts(sales + [Self.sale(21, "9998-01-01", nil, 990)])
        }
        #expect(error?.code == "deferred.rows")
    }

    @Test("Rows are told apart by other keys, always by a month or week and the currency")
    func keys() throws {
        let sales = [
            Self.sale(1, "2026-03-16", "2026-04-15", 30_000).with([.storefront: "USA"]),
            Self.sale(2, "2026-04-16", "2026-05-16", 60_000).with([.storefront: "DEU"]),
        ]
        let byStore = try Self.texts(sales) { $0.keys = [.storefront] }
        #expect(
            byStore.rows == [
                "2026-03 USA USD: 0.00 + 30.00 - 0.00 - 16.00 = 14.00",
                "2026-04 DEU USD: 0.00 + 60.00 - 0.00 - 30.00 = 30.00",
                "2026-04 USA USD: 14.00 + 0.00 - 0.00 - 14.00 = 0.00",
            ]
        )
        let storeFirst = try Self.texts(sales) { $0.keys = [.storefront, .month, .currency] }
        #expect(storeFirst.rows == [byStore.rows[1], byStore.rows[0], byStore.rows[2]])
        #expect(DeferredReport.keys(LedgerRules()) == [.month, .productID, .currency])
        var rules = LedgerRules()
        rules.keys = [.month, .week, .productID]
        #expect(DeferredReport.keys(rules) == [.week, .productID, .currency])
    }

    @Test("Sandbox sales are there where they are asked for")
    func environments() throws {
        let rows = Rows(transactions: [Self.refunded.with([.environment: "sandbox"])])
        #expect(try DeferredTexts(rows).rows == [])
        #expect(try DeferredTexts(rows, environments: EnvironmentFilter(["sandbox"])).rows.count == 2)
    }
}
