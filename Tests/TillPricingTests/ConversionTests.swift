import Foundation
import Testing
import TillCore
import TillTestSupport

@testable import TillPricing

@Suite("Exchange rates")
struct ConversionTests {
    static func code(_ text: String) throws -> CurrencyCode { try #require(CurrencyCode(text)) }

    /// Lines of `day base quote rate`.
    static func rates(_ lines: String) throws -> ExchangeRates {
        var rates = ExchangeRates()
        rates.begin(source: "rates.csv")
        for line in lines.split(whereSeparator: \.isNewline) {
            let cells = line.split(separator: " ").map(String.init)
            try rates.add(
                day: Int(Timestamp(cells[0]).milliseconds / Timestamp.millisecondsPerDay),
                base: try code(cells[1]),
                quote: try code(cells[2]),
                rate: try #require(ExchangeRates.rate(cells[3]))
            )
        }
        return rates
    }

    /// Friday 27 February, Monday 2, Tuesday 3, Tuesday 31 March; the bank's calendar has no weekend.
    private static let bank = """
        2026-02-27 EUR USD 1.20
        2026-03-02 EUR USD 1.25
        2026-03-02 EUR JPY 160
        2026-03-03 EUR USD 1.60
        2026-03-31 EUR USD 1.50
        2026-03-02 USD TWD 32
        2025-12-31 EUR BGN 1.9558
        """

    @Test("Rates that look inverted are refused, and a currency that loses its value over the years is not")
    func inverted() throws {
        func message(_ lines: String) throws -> String? {
            let rates = try Self.rates(lines)
            do throws(Finding) {
                try rates.checkPlausible()
                return nil
            } catch {
                return "\(error.code): \(error.message)"
            }
        }
        #expect(try message(Self.bank) == nil)
        let yen = try #require(try message("2026-03-02 EUR JPY 0.00625"))
        #expect(yen.hasPrefix("rates.inverted: rates.csv: 1 EUR is 0.006250 JPY on 2026-03-02, where some 127.7 are"))
        // Without a usual size, the day before tells.
        #expect(try message("2026-03-02 EUR BTN 95\n2026-03-03 EUR BTN 90.5") == nil)
        let day = try #require(try message("2026-03-02 EUR BTN 95\n2026-03-03 EUR BTN 0.0111"))
        #expect(day.contains("1 EUR is 95.00 BTN on 2026-03-02, and 1 EUR is 0.01110 BTN on 2026-03-03: one of"))
        // Thirty times, step by step.
        #expect(try message("2008-01-02 EUR TRY 1.7\n2018-01-02 EUR TRY 4.5\n2026-01-02 EUR TRY 50") == nil)
        // The dollar's own rates are near 1, both ways.
        #expect(try message("2026-03-02 EUR USD 0.92\n2026-03-02 USD EUR 0.92") == nil)
        #expect(try message("2026-03-02 EUR JPY 9000000\n2026-03-03 EUR JPY 0.000000000001") != nil)
    }

    /// 100.00 of a currency on a day, in hundredths of the base; the gap where there is no rate.
    private static func converted(
        _ currency: String,
        to base: String = "EUR",
        on day: String,
        lines: String = bank,
        pegs: Bool = false,
        in calendar: BookingCalendar = .usual,
        _ change: (inout Conversion) -> Void = { _ in }
    ) throws -> String {
        var conversion = Conversion(to: try code(base), rates: try rates(lines), pegs: pegs)
        change(&conversion)
        let instant = Timestamp(day)
        let code = conversion.rateCode(purchase: instant, booking: instant, in: calendar)
        do throws(RateGap) {
            let rate = try conversion.rate(of: Self.code(unchecked: currency), at: code, in: calendar)
            var sum = FractionSum()
            guard sum.add(100_000_000, times: rate) else { return "overflow" }
            return "\(sum.rounded(to: 10_000, .halfEven) / 10_000)"
        } catch {
            return error.rawValue
        }
    }

    private static func code(unchecked text: String) -> CurrencyCode { CurrencyCode(text) ?? CurrencyCode(packed: 0) }

    @Test("The rate of the day, and of the days before it where there is none")
    func purchaseDate() throws {
        // 100 / 1.25 = 80.00; 100 / 1.60 = 62.50
        #expect(try Self.converted("USD", on: "2026-03-02T23:59:59Z") == "8000")
        #expect(try Self.converted("USD", on: "2026-03-03") == "6250")
        // Saturday and Sunday take Friday's: 100 / 1.20 = 83.33
        #expect(try Self.converted("USD", on: "2026-03-01") == "8333")
        // Seven days on is the last that 3 March reaches.
        #expect(try Self.converted("USD", on: "2026-03-10") == "6250")
        #expect(try Self.converted("USD", on: "2026-03-11") == "no_rate_near_day")
        #expect(try Self.converted("USD", on: "2026-03-11") { $0.longestGap = 8 } == "6250")
        #expect(try Self.converted("USD", on: "2026-02-26") == "no_rate_near_day")
    }

    @Test("Next takes the first rate after, fail none")
    func gapRules() throws {
        #expect(try Self.converted("USD", on: "2026-03-01") { $0.gapRule = .next } == "8000")
        #expect(try Self.converted("USD", on: "2026-03-24") { $0.gapRule = .next } == "6667")
        #expect(try Self.converted("USD", on: "2026-03-23") { $0.gapRule = .next } == "no_rate_near_day")
        #expect(try Self.converted("USD", on: "2026-03-01") { $0.gapRule = .fail } == "no_rate_near_day")
        #expect(try Self.converted("USD", on: "2026-03-02") { $0.gapRule = .fail } == "8000")
    }

    @Test("A month's average is the mean of its rates, and its end is its last rate within the limit")
    func months() throws {
        // (1.25 + 1.60 + 1.50) / 3 = 1.45; 100 / 1.45 = 68.9655…
        #expect(try Self.converted("USD", on: "2026-03-15") { $0.dateRule = .monthAverage } == "6897")
        #expect(try Self.converted("USD", on: "2026-03-15") { $0.dateRule = .monthEnd } == "6667")
        #expect(try Self.converted("USD", on: "2026-02-15") { $0.dateRule = .monthEnd } == "8333")
        #expect(try Self.converted("USD", on: "2026-04-15") { $0.dateRule = .monthAverage } == "no_rate_near_day")
        // The last rate of yen is of the 2nd, 29 days before the end of the month.
        #expect(try Self.converted("JPY", on: "2026-03-15") { $0.dateRule = .monthEnd } == "no_rate_near_day")
    }

    @Test("Cross rates go over the euro, others over what there is")
    func crosses() throws {
        // One euro is 160 yen and 1.25 dollars: 100 JPY = 0.78125 USD.
        #expect(try Self.converted("JPY", to: "USD", on: "2026-03-02") == "78")
        #expect(try Self.converted("USD", to: "JPY", on: "2026-03-02") == "1280000")
        // 100 TWD = 3.125 USD = 2.50 EUR
        #expect(try Self.converted("TWD", on: "2026-03-02") == "250")
        #expect(try Self.converted("TWD", to: "USD", on: "2026-03-02") == "312")
        #expect(try Self.converted("EUR", on: "2026-03-02") == "10000")
        #expect(try Self.converted("CLP", on: "2026-03-02") == "no_rates")
    }

    @Test("Pegs only where they are asked for, currencies of the euro at their fixed rate")
    func fixed() throws {
        #expect(try Self.converted("AED", to: "USD", on: "2026-03-02") == "no_rates")
        // 100 / 3.6725 = 27.2294…; 100 / 3.75 = 26.67; 100 / 3.64 = 27.47
        #expect(try Self.converted("AED", to: "USD", on: "2026-03-02", pegs: true) == "2723")
        #expect(try Self.converted("SAR", to: "USD", on: "2026-03-02", pegs: true) == "2667")
        #expect(try Self.converted("QAR", to: "USD", on: "2026-03-02", pegs: true) == "2747")
        // 27.2294 / 1.25 = 21.78
        #expect(try Self.converted("AED", on: "2026-03-02", pegs: true) == "2178")
        // 100 / 7.53450 = 13.27; 100 / 1.95583 = 51.13, and 51.1300 by the rate of the last day.
        #expect(try Self.converted("HRK", on: "2023-01-01") == "1327")
        #expect(try Self.converted("HRK", on: "2022-12-31") == "no_rate_near_day")
        #expect(try Self.converted("BGN", on: "2026-01-01") == "5113")
        #expect(try Self.converted("BGN", on: "2031-05-01") { $0.dateRule = .monthAverage } == "5113")
        #expect(try Self.converted("BGN", on: "2025-12-31") == "5113")
        // FY26-04 begins on 28 December, and ends on 31 January.
        let fiscal = BookingCalendar(.appleFiscal)
        #expect(try Self.converted("BGN", on: "2025-12-28", in: fiscal) { $0.dateRule = .monthEnd } == "5113")
    }

    @Test("A fixed rate holds for a file that has its currencies in the other direction, too")
    func fixedInReverse() throws {
        let lines = "2025-12-30 BGN EUR 0.5113\n2026-03-02 AED USD 0.2723\n2026-03-02 EUR USD 1.25"
        #expect(try Self.converted("BGN", on: "2026-05-01", lines: lines) == "5113")
        #expect(try Self.converted("BGN", on: "2025-12-20", lines: lines) == "no_rate_near_day")
        // The file's rate counts before a peg.
        #expect(try Self.converted("AED", on: "2026-03-02", lines: lines, pegs: true) == "2178")
    }

    @Test("A pair in both directions has the rates of both, and its own where a day has two")
    func bothDirections() throws {
        let lines = """
            2026-03-02 EUR USD 1.25
            2026-03-03 USD EUR 0.50
            2026-03-04 EUR USD 1.60
            2026-03-04 USD EUR 0.60
            2026-03-09 EUR USD 2.00
            """
        let days = ["02", "03", "04", "05", "09"].map { "2026-03-\($0)" }
        let dollars = try days.map { try Self.converted("USD", on: $0, lines: lines) }
        #expect(dollars == ["8000", "5000", "6000", "6000", "5000"])
        let euros = try days.map { try Self.converted("EUR", to: "USD", on: $0, lines: lines) }
        #expect(euros == ["12500", "20000", "16000", "16000", "20000"])
        #expect(try Self.converted("USD", on: "2026-03-05", lines: lines) { $0.gapRule = .next } == "5000")
        // The mean of the direction with more days: 1 / ((1.25 + 1.60 + 2.00) / 3).
        #expect(try Self.converted("USD", on: "2026-03-15", lines: lines) { $0.dateRule = .monthAverage } == "6186")
        // A sum of 28 fractions with denominators of their own would not fit.
        let many = (1...28).map { day in
            "2026-02-\(day < 10 ? "0" : "")\(day) \(day % 2 == 0 ? "EUR USD" : "USD EUR") 1.\(day * 7_919)\n"
        }
        for currency in ["USD", "EUR"] {
            let mean = try Self.converted(
                currency,
                to: currency == "USD" ? "EUR" : "USD",
                on: "2026-02-15",
                lines: many.joined()
            ) {
                $0.dateRule = .monthAverage
            }
            #expect(Int(mean) != nil, "\(mean)")
        }
    }

    @Test("A longer way is taken on days on which the shortest has no rate")
    func detours() throws {
        let lines = """
            2022-06-01 HRK USD 0.14
            2022-06-01 EUR USD 1.12
            2026-03-02 EUR USD 1.25
            2022-06-01 TWD EUR 0.03
            2026-03-02 USD TWD 32
            """
        // Before the euro came, 100 kuna were 14 dollars or 12.50 euros.
        #expect(try Self.converted("HRK", on: "2022-06-01", lines: lines) == "1250")
        #expect(try Self.converted("HRK", on: "2026-03-02", lines: lines) == "1327")
        #expect(try Self.converted("HRK", on: "2022-07-01", lines: lines) == "no_rate_near_day")
        #expect(try Self.converted("TWD", on: "2022-06-01", lines: lines) == "300")
        // 100 TWD = 3.125 USD = 2.50 EUR
        #expect(try Self.converted("TWD", on: "2026-03-02", lines: lines) == "250")
        #expect(try Self.converted("TWD", on: "2026-03-02", lines: lines) { $0.dateRule = .monthAverage } == "250")
    }

    @Test("The same rate twice is no news, another one is a conflict")
    func conflicts() throws {
        let lines = "2026-03-02 EUR USD 1.25\n2026-03-02 EUR USD 1.2500"
        #expect(try Self.converted("USD", on: "2026-03-02", lines: lines) == "8000")
        #expect(throws: Finding.self) {
            try Self.rates("2026-03-02 EUR USD 1.25\n2026-03-02 EUR USD 1.26")
        }
    }

    @Test("Exponents of currencies are those of ISO 4217", .needsReference("currencies.csv"))
    func exponents() throws {
        let file = Fixtures.reference("currencies.csv")
        let rows = try String(decoding: Fixtures.bytes(file), as: UTF8.self).split(whereSeparator: \.isNewline)
        #expect(rows.count > 60)
        for row in rows.dropFirst() {
            let cells = row.split(separator: ",", omittingEmptySubsequences: false)
            #expect(try Self.code(String(cells[0])).minorUnitDigits == Int(cells[2]), "\(row)")
        }
    }
}
