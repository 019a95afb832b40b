import TillCore
import TillLedger
import TillReportModel

/// The deferred revenue at the end of the last month or week: the closing balances of ``DeferredReport``, without
/// movements.
///
///     sale ── earned by the end of the last month? ── yes ─▶ nothing
///                                                  └─ no ──▶ what is left of it, by the groups of the report
///
/// Balances are rounded by group, as the rows of the report are, so that both have the same totals.
struct DeferredBalance: Sendable {
    /// The last month or week: `2026-03`; `nil` if nothing has a date.
    private(set) var time: String?
    /// By currency, in millionths; a currency without a balance has none.
    private(set) var amounts: [CurrencyCode: Int128] = [:]
    /// In the base currency; `nil` if nothing is converted, or a part of the balance has no rate.
    private(set) var converted: Int128?

    /// The sums that a balance is made of.
    static func table(_ rules: LedgerRules) -> DeferralTable {
        DeferredReport.table(ReportRegistry.rules(for: DeferredReport.self, rules), isBalanceAlone: true)
    }

    init(of table: DeferralTable, _ rules: LedgerRules, _ ledger: borrowing SettledLedger) throws(Finding) {
        var table = table
        try table.finish()
        guard let unit = table.lastUnit else { return }
        time = table.calendar.name(of: unit)
        let groups = OrderedGroups(table.groups, before: 0, ledger)
        var balances: [Int: [Part]] = [:]
        table.cells.visit { key, cell in
            if key.unit == unit { balances[key.group, default: []].append(Part(cell: cell, rate: key.rate)) }
        }
        for (group, parts) in balances {
            guard let currency = groups.currency(of: group) else { continue }
            let exact = parts.reduce(Int128(0)) { $0 + $1.cell.closing }
            amounts[currency, default: 0] += Money(millionths: exact, currency: currency).roundedToMinorUnit.millionths
        }
        converted = Self.converted(balances, of: groups, rules)
    }

    /// The balance of the sales of a group with the same rate.
    private struct Part {
        let cell: DeferralCells.Cell
        let rate: Int64?
    }

    /// The sum of the balances, each converted and rounded; `nil` if nothing is converted or a rate is missing.
    private static func converted(_ balances: [Int: [Part]], of groups: OrderedGroups, _ rules: LedgerRules) -> Int128?
    {
        guard var rates = DeferralRates(rules) else { return nil }
        var total: Int128 = 0
        for (group, parts) in balances {
            guard let currency = groups.currency(of: group) else { continue }
            var sums = DeferralRates.Sums()
            for part in parts {
                // A gap that ends the run in the period itself is no more than unknown in a balance.
                guard let rate = try? rates.rate(of: currency, at: part.rate), sums.add(part.cell, times: rate) else {
                    return nil
                }
            }
            total += sums.closingBalance(in: rates.base, rules.rounding)
        }
        return total
    }

    /// The balance in the base currency, else in that of a total; `nil` if it is not known.
    func amount(in currency: CurrencyCode, base: CurrencyCode?) -> Int128? {
        guard time != nil else { return nil }
        return base == nil ? amounts[currency] ?? 0 : converted
    }

    /// `Deferred 52,310.05 EUR at the end of March 2026`, of each currency that has a balance; `nil` if none has.
    ///
    /// - Parameter currencies: come first, in this order; currencies without a booking in the period may have a balance
    ///   too.
    func statement(in currencies: [CurrencyCode], base: CurrencyCode?, _ rules: LedgerRules) -> Statement? {
        guard let time else { return nil }
        let others = base == nil ? amounts.keys.filter { !currencies.contains($0) }.sorted() : []
        let known = (currencies + others).compactMap { currency in
            amount(in: currency, base: base).flatMap { $0 == 0 ? nil : (amount: $0, currency: currency) }
        }
        guard let first = known.first else { return nil }
        func words(_ balance: (amount: Int128, currency: CurrencyCode)) -> Statement.Sentence {
            "\(.money(balance.amount, balance.currency)) \(balance.currency.description)"
        }
        var list = words(first)
        for balance in known.dropFirst().prefix(Summary.mostCurrencies - 1) { list = "\(list), \(words(balance))" }
        if known.count > Summary.mostCurrencies { list = "\(list), …" }
        return Statement(
            "Deferred \(list) \(Self.atEnd(of: time, rules)), tax included",
            weight: .detail,
            command: "tillroll report \(DeferredReport.name)"
        )
    }

    /// `at the end of March 2026`, of an open period `at 9 March 2026`
    static func atEnd(of time: String, _ rules: LedgerRules) -> String {
        let day = rules.wholePeriod == nil ? nil : rules.lastDayToDate
        return day.map { "at \(PeriodWords.name(ofDay: $0))" } ?? "at the end of \(PeriodWords.spoken(time))"
    }
}
