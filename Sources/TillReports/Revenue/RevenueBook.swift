import TillCore
import TillLedger
import TillPricing

/// The bookings of a period by the keys of the rows.
struct RevenueBook: SumHolder {
    /// In their own currencies, exact.
    private(set) var all: Cube
    /// With a base currency: the bookings that have an amount, by the same keys and by the day or month of their rate.
    private var charges: Cube?
    private let rules: LedgerRules

    init(by keys: [GroupKey], _ rules: LedgerRules) {
        self.rules = rules
        all = Cube(RevenueField.self, by: keys, without: RevenueField.charges.set)
        charges = rules.conversion.map { Cube(RevenueField.self, by: keys, secondTime: $0.rateUnit) }
    }

    /// Adds a booking; gives its group.
    @discardableResult
    mutating func add(_ booking: RevenueValues, of transaction: SettledTransaction, at date: Timestamp?) -> Int {
        if let conversion = rules.conversion, booking.hasAmount {
            let rate = conversion.rateCode(purchase: transaction.purchaseDate, booking: date, in: rules.calendar)
            charges?.add(booking, of: transaction, at: date, second: rate, in: rules.calendar)
        }
        return all.add(booking, of: transaction, at: date, in: rules.calendar)
    }

    mutating func visitSums(_ coder: inout some SumCoder) throws {
        guard coder.isReading, coder.readsFile, charges != nil else {
            try all.visitSums(&coder)
            try charges?.visitSums(&coder)
            return
        }
        var part = RevenueBook(by: all.keys, rules)
        try part.all.visitSums(&coder)
        try part.charges?.visitSums(&coder)
        guard part.convertsItsRows else { throw coder.refusal("amounts to convert that the rows do not have") }
        try SumBuffer.join(part, into: &self)
    }

    /// Whether the charges add up to the amounts of the rows. In a damaged file they may not.
    private var convertsItsRows: Bool {
        guard let charges else { return true }
        let both = all.joined(with: charges.rolledUp(to: all.keys).cube)
        return both.count == all.count
            && charges.groups.allSatisfy { charges[$0, 0][RevenueField.charges.rawValue] > 0 }
            && both.groups.allSatisfy { group in
                RevenueField.amounts.numbers.allSatisfy { both[group, 0][$0] == both[group, 1][$0] }
            }
    }

    /// The rows in the order of their keys, rounded: on side 0 in their own currencies, with a conversion also on side 1
    /// in the base currency.
    ///
    /// - Throws: if a rate that must be there is missing, or a sum does not fit.
    func rows(_ ledger: borrowing SettledLedger) throws(Finding) -> Cube {
        let rows = all.named(by: ledger)
        guard var conversion = conversion(of: charges?.named(by: ledger)) else { return rows.rounded }
        return rows.rounded.joined(with: try conversion.converted(rows))
    }

    /// The totals, each rounded once from its exact sum. Throws as ``rows(_:)`` does.
    func totals(_ ledger: borrowing SettledLedger) throws(Finding) -> RevenueTotals {
        let byCurrency = all.rollup(to: [.currency]).named(by: ledger)
        let charges = charges?.rolledUp(to: [.currency], keepsSecondTime: true).cube
        return try RevenueTotals(byCurrency, conversion(of: charges?.named(by: ledger)), rules)
    }

    private func conversion(of charges: Cube?) -> CubeConversion<RevenueField>? {
        guard let charges, let conversion = rules.conversion else { return nil }
        return CubeConversion(charges, counting: .charges, asUnconverted: .unconverted, by: conversion, rules)
    }
}
