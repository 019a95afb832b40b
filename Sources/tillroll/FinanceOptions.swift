import ArgumentParser
public import TillLedger
import TillPipeline
public import TillPricing

extension LedgerRules.RefundDating: Choice {}
extension CalendarKind: Choice {}
extension Conversion.DateRule: Choice {}
extension Conversion.GapRule: Choice {}
extension Rounding: Choice {}

/// The flags that choose a stretch of time, and what a day and a month are.
struct PeriodOptions: ParsableArguments {
    @Option(help: "Only this month, such as 2026-03, in --tz.")
    var month: String?

    @Option(help: "Only this month, quarter or year of Apple's fiscal calendar: FY26-06, FY26-Q2, FY26.")
    var fiscal: String?

    @Option(help: "Only this fiscal month, by the name that Apple's reports give it: 'March 2026'.")
    var fiscalMonth: String?

    @Option(help: "From this day on, such as 2026-03-01, or from an RFC 3339 instant on.")
    var since: String?

    @Option(help: "To the end of this day, such as 2026-03-31, or to just before an RFC 3339 instant.")
    var until: String?

    @Option(help: "What a period is: gregorian, apple-fiscal (5-4-4 weeks), iso-week.")
    var calendar: CalendarKind?

    @Option(
        help:
            "The time zone in which days begin and by which instants are shown, such as Europe/Berlin (default: UTC); formats for programs keep UTC."
    )
    var tz: String?

    func apply(to choices: inout FinanceChoices) {
        choices.month = month
        choices.fiscal = fiscal
        choices.fiscalMonth = fiscalMonth
        choices.since = since
        choices.until = until
        choices.calendar = calendar
        choices.timeZone = tz ?? "UTC"
    }
}

/// The flags that say what things cost, and in which currency.
struct MoneyOptions: ParsableArguments {
    @Option(
        help: "The price list, CSV with product_id, currency, price and more, or a .storekit file with its prices.",
        completion: .file()
    )
    var prices: [String] = []

    @Option(help: "Where sales of unknown storefront took place, for the price list: an ISO 3166-1 code.")
    var defaultTerritory: String?

    @Option(
        help: "Types, periods and groups of products: a .storekit file or Transporter's metadata.xml; repeatable.",
        completion: .file()
    )
    var catalogue: [String] = []

    @Option(help: "Book refunds in the month of the 'refund' (default) or of the 'purchase'.")
    var refundsBy: LedgerRules.RefundDating?

    @Option(
        help:
            "Exchange rates: the ECB's XML or CSV, or CSV of date,currency,per_eur or date,base,quote,rate; repeatable.",
        completion: .file()
    )
    var fx: [String] = []

    @Option(help: "Also tell amounts in this currency, such as EUR; needs --fx.")
    var baseCurrency: String?

    @Option(help: "The rate of which day: purchase-date (default), month-average, month-end.")
    var fxDate: Conversion.DateRule?

    @Option(help: "On a day without a rate: the previous one (default), the next one, or fail.")
    var fxGap: Conversion.GapRule?

    @Option(help: "Days to the previous or next rate at most (default: \(Conversion.usualLongestGap)).")
    var fxMaxGap: Int?

    @Flag(help: "Take AED, SAR and QAR at the rates to which they are pegged to the US dollar.")
    var fxPeg = false

    @Option(help: "How converted and estimated amounts are rounded, once in each row: half-even (default), half-up.")
    var rounding: Rounding?

    @Option(help: "Apple's share, such as 0.30, to estimate proceeds; a price list's own column comes first.")
    var commission: String?

    func validate() throws {
        guard prices.count <= 1 else {
            throw ValidationError("--prices takes one list; put the rows of all into one file, under one header.")
        }
        if let fxMaxGap, !(0...366).contains(fxMaxGap) {
            throw ValidationError("--fx-max-gap takes a number of days from 0 to 366, not '\(fxMaxGap)'.")
        }
    }

    func apply(to choices: inout FinanceChoices) {
        choices.prices = prices.first
        choices.defaultTerritory = defaultTerritory
        choices.catalogues = catalogue
        choices.refundDating = refundsBy ?? .refund
        choices.rates = fx
        choices.baseCurrency = baseCurrency
        choices.dateRule = fxDate ?? .purchaseDate
        choices.gapRule = fxGap ?? .previous
        choices.longestGap = fxMaxGap ?? Conversion.usualLongestGap
        choices.usesPegs = fxPeg
        choices.rounding = rounding ?? .halfEven
        choices.commission = commission
    }
}

/// The flags that say what rows are told apart by and set against.
struct GroupingOptions: ParsableArguments {
    @Option(
        help:
            "What rows are told apart by, separated by commas: \(GroupKey.allCases.map(\.rawValue).joined(separator: ", ")).",
        completion: .list(GroupKey.allCases.map(\.rawValue))
    )
    var by: String?

    @Option(
        help: "Set revenue against that of the 'month' or the 'year' before, or of an earlier report in JSON.",
        completion: .file()
    )
    var compare: String?

    func validate() throws {
        if let by, by.split(separator: ",").isEmpty { throw ValidationError("--by takes names separated by commas.") }
    }

    func apply(to choices: inout FinanceChoices) {
        choices.keys =
            by?.split(separator: ",", omittingEmptySubsequences: false).map { String($0.filter { $0 != " " }) } ?? []
        choices.comparison = compare
    }
}
