import Testing
import TillCore
import TillLedger
import TillReportModel
import TillRows
import TillTestSupport

@testable import TillPricing
@testable import TillReports

/// What tests of the revenue report have in common.
protocol RevenueTesting {}

extension RevenueTesting {
    /// - Parameters:
    ///   - cents: the price in hundredths; `nil` for a sale without one.
    ///   - refunded: when it was refunded.
    static func sale(
        _ id: Int,
        _ product: String,
        _ date: String,
        _ cents: Int64?,
        _ currency: String = "USD",
        refunded: String? = nil
    ) -> Row<TransactionColumn> {
        var row: Row<TransactionColumn> = [
            .transactionID: "\(id)", .productID: .text(product), .purchaseDate: .text(date), .quantity: 1,
            .environment: "production",
        ]
        if let cents { (row[.price], row[.currency]) = (.number(cents * 10), .text(currency)) }
        if let refunded { row[.cancellationDate] = .text(refunded) }
        return row
    }

    static func document(_ sales: [Row<TransactionColumn>], _ rules: LedgerRules) throws -> ReportDocument {
        try document(Rows(transactions: sales).settled(rules: rules, needs: RevenueReport.needs))
    }

    static func document(_ ledger: borrowing SettledLedger) throws -> ReportDocument {
        let input = InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1)
        return try #require(try ReportRegistry.document(named: "revenue", of: ledger, input: input))
    }

    /// - Parameter euros: dollars for a euro, from some days on; `nil` where nothing is converted.
    static func rules(_ period: Period?, euros: [(day: String, rate: String)]? = nil) throws -> LedgerRules {
        var rules = LedgerRules()
        // A selected period is complete, though the sales of a test end sooner.
        (rules.period, rules.completeDay) = (period, period?.until.map { rules.calendar.lastDay(before: $0) })
        guard let euros else { return rules }
        var rates = ExchangeRates()
        rates.begin(source: "rates.csv")
        let (euro, dollar) = (try #require(CurrencyCode("EUR")), try #require(CurrencyCode("USD")))
        for (day, rate) in euros {
            let days = Int(Timestamp(day).milliseconds / Timestamp.millisecondsPerDay)
            try rates.add(day: days, base: euro, quote: dollar, rate: #require(ExchangeRates.rate(rate)))
        }
        rules.conversion = Conversion(to: euro, rates: rates)
        return rules
    }

    /// Euros at 1.25 dollars in February and at `rate` in March; `nil` where nothing is converted.
    static func rules(month: String?, rate: String? = nil) throws -> LedgerRules {
        let period = try month.map { text throws(Finding) in try BookingCalendar.usual.month(text) }
        var rules = try rules(period, euros: rate.map { [("2026-02-01", "1.25"), ("2026-03-01", $0)] })
        rules.conversion?.longestGap = 40
        return rules
    }
}
