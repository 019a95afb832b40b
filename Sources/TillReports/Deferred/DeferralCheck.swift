import TillCore
import TillLedger

/// The identities of a deferral, checked on every run.
///
///     closing = opening + billed − refunds − earned           in every row and total
///     schedule of a currency = its last closing balance
///     earned + schedule = first opening + billed − refunds    in each currency, over all rows
struct DeferralCheck {
    /// In the order of time.
    var totals: [DeferredRow]
    var convertedTotals: [DeferredRow] = []
    var schedule: [ScheduledRow]
    let lastUnit: Int64?

    /// The balances by currency at the end of the last unit.
    var lastBalances: [CurrencyCode: DeferredRow] {
        var balances: [CurrencyCode: DeferredRow] = [:]
        for total in totals where total.unit == lastUnit {
            if let currency = total.currency { balances[currency] = total }
        }
        return balances
    }

    /// Throws if a row does not add up.
    static func verify(_ row: DeferredRow, named name: String) throws(Finding) {
        guard row.figures.isBalanced, row.converted?.figures.isBalanced ?? true else { throw .unbalanced(name) }
    }

    /// Throws an error that names the first row that does not add up.
    func verify() throws(Finding) {
        for total in totals + convertedTotals { try Self.verify(total, named: "total of \(total.description)") }
        var earned: [CurrencyCode: (own: Int128, converted: Int128)] = [:]
        for row in schedule {
            earned[row.currency, default: (0, 0)].own += row.earned
            earned[row.currency, default: (0, 0)].converted += row.converted ?? 0
        }
        let balances = lastBalances
        for currency in Set(earned.keys).union(balances.keys).sorted() {
            let balance = balances[currency]
            let due = earned[currency] ?? (0, 0)
            guard due.own == balance?.figures.closing ?? 0,
                due.converted == balance?.converted?.figures.closing ?? 0
            else { throw .unbalanced("schedule of \(currency)") }
        }
        try verifyEarnings(scheduled: earned.mapValues(\.own))
    }

    private func verifyEarnings(scheduled: [CurrencyCode: Int128]) throws(Finding) {
        var rest = scheduled.mapValues { -$0 }
        var begun: Set<CurrencyCode> = []
        for total in totals {
            guard let currency = total.currency else { continue }
            let figures = total.figures
            if begun.insert(currency).inserted { rest[currency, default: 0] += figures.opening }
            rest[currency, default: 0] += figures.billed - figures.refunds - figures.earned
        }
        for (currency, amount) in rest.sorted(by: { $0.key < $1.key }) where amount != 0 {
            throw .unbalanced("all rows of \(currency)")
        }
    }
}

extension Finding {
    /// The figures of a row contradict each other, which would be an error of tillroll's.
    static func unbalanced(_ row: String) -> Finding {
        Finding(
            "deferred.identity",
            "the deferred revenue of \(row) does not add up: closing is not opening + billed - refunds - earned, or "
                + "an amount stays deferred for ever; please report this"
        )
    }
}
