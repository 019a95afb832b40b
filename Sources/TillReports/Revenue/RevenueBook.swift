import TillCore
import TillLedger
import TillPricing

/// The bookings of a period by the keys of the rows.
struct RevenueBook: SumHolder {
    /// In their own currencies, exact.
    private(set) var all: Cube
    /// With a base currency: bookings of an amount, by the day or month whose rate applies.
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
        try all.visitSums(&coder)
        try charges?.visitSums(&coder)
        guard coder.isReading, coder.readsFile, let charges, !all.hasGroups(of: charges) else { return }
        throw coder.refusal("an amount to convert that no row has")
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
