import TillCore
import TillLedger
import TillPricing

/// The estimated tax and commission of a row of revenue, each rounded once. The proceeds are the remainder of the net
/// revenue. Totals add up rounded rows.
///
///     price 9.99, tax 20 % in it, commission 30 %        9.99 / 1.20 = 8.325 without tax
///     tax 1.665 → 1.66 · commission 2.4975 → 2.50        each rounded once, half to even
///     proceeds 9.99 − 1.66 − 2.50 = 5.83                 (Apple reports 5.83 for such a sale)
struct ProceedsAmounts {
    /// Millionths of the row's currency.
    var tax: Int128 = 0
    var commission: Int128 = 0

    mutating func add(_ other: ProceedsAmounts) {
        tax += other.tax
        commission += other.commission
    }

    /// Net revenue less the rounded tax and commission, so that a row adds up.
    func proceeds(ofNet net: Int128) -> Int128 { net - tax - commission }
}

/// The estimate of proceeds: it sums net revenue by group and by the fees that apply.
struct ProceedsEstimate {
    private struct Part: Hashable {
        var group: Int
        /// `nil` if the commission is not known.
        var fees: SettledTransaction.Fees?
    }

    private var parts: [Part: Int128] = [:]
    private let secondYearRate: Int64?

    init(_ rules: LedgerRules) {
        secondYearRate = rules.secondYearRate
    }

    mutating func book(_ net: Int128, fees: SettledTransaction.Fees?, in group: Int) {
        parts[Part(group: group, fees: fees), default: 0] += net
    }

    mutating func visitSums(_ coder: inout some SumCoder, of groups: [Int]) throws {
        try coder.table(&parts, blank: Part(group: 0)) { part, coder in
            try coder.number(&part.group, among: groups)
            try SettledTransaction.Fees.visit(&part.fees, &coder)
        }
    }

    private struct ExactFees {
        var tax = FractionSum()
        var commission = FractionSum()
    }

    /// Estimates the exact fees of every row and rounds each once.
    func settle(_ rows: inout [RevenueRow], _ rounding: Rounding) throws(Finding) {
        var places = Array(repeating: 0, count: rows.count)
        for (place, row) in rows.enumerated() { places[row.group.number] = place }
        var amounts = Array(repeating: ExactFees(), count: rows.count)
        // In a fixed order, so that of several overflows every run reports the same one.
        for (part, net) in parts.sorted(by: { places[$0.key.group] < places[$1.key.group] }) {
            let place = places[part.group]
            guard let fees = part.fees else {
                rows[place].estimate = nil
                continue
            }
            let whole: Int64 = 1_000_000
            let taxed = whole + fees.includedTax
            guard Self.add(net, fees.includedTax, of: taxed, to: &amounts[place].tax),
                Self.add(net, fees.commission, of: taxed, to: &amounts[place].commission)
            else { throw Self.overflow(rows[place].group) }
        }
        for (place, amount) in amounts.enumerated() {
            guard let quantum = rows[place].currency?.quantum else { continue }
            rows[place].estimate?.tax = amount.tax.rounded(to: quantum, rounding)
            rows[place].estimate?.commission = amount.commission.rounded(to: quantum, rounding)
        }
    }

    private static func overflow(_ group: Group) -> Finding {
        Finding("ledger.overflow", "the estimated proceeds of \(group.description) do not fit 128 bits")
    }

    private static func add(_ net: Int128, _ share: Int64, of whole: Int64, to sum: inout FractionSum) -> Bool {
        guard share > 0, let ratio = Ratio(UInt128(share), UInt128(whole)) else { return true }
        return sum.add(net, times: ratio)
    }

    var notes: [String] {
        var notes = [
            "Tax, commission and proceeds are estimates from the price list and --commission: Apple's financial report "
                + "has the paid amounts. In each row tax and commission are exact amounts rounded once, and proceeds "
                + "are net less the two; totals add up the rows. "
                + "A tax that the price list lacks counts as 0."
        ]
        if secondYearRate != nil {
            notes.append(
                "The second year of a subscription is an estimate too: it begins after \(PaidService.firstYear) days "
                    + "of paid service in one group, as far as the input shows them, and a lapse of more than "
                    + "\(PaidService.longestLapse) days begins the count anew."
            )
        }
        return notes
    }
}
