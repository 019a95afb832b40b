import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// A row of revenue: its group, its figures, and the same converted.
struct RevenueRow: Sendable {
    let group: Group
    /// The code of the currency; `GroupCode.unknown` where the price is not known.
    let currencyKey: Int64
    var figures: RevenueFigures
    /// Amounts in the base currency.
    var converted = ConvertedAmounts()

    var currency: CurrencyCode? { CurrencyCode(groupCode: currencyKey) }
}

/// The fields of a row, for measures and cubes.
struct RevenueValues: FieldValues {
    private let figures: RevenueFigures
    private var converted = ConvertedAmounts()
    private let own: CurrencyCode?
    private var base: CurrencyCode?

    /// - Parameter base: the currency to which amounts are converted; `nil` for amounts in their own currency.
    init(_ row: RevenueRow, in base: CurrencyCode?) {
        self.init(row.figures, in: row.currency)
        (converted, self.base) = (row.converted, base)
    }

    /// Figures in their own currency.
    init(_ figures: RevenueFigures, in currency: CurrencyCode?) {
        (self.figures, own) = (figures, currency)
    }

    private var amounts: RevenueFigures { base == nil ? figures : converted.amounts }

    subscript(_ field: Int) -> Int128 {
        switch RevenueField(rawValue: field) {
        case .sales: Int128(figures.transactions)
        case .paid: Int128(figures.paid)
        case .trials: Int128(figures.trials)
        case .units: Int128(figures.units)
        case .refunded: Int128(figures.refundedTransactions)
        case .gross: amounts.gross
        case .refunds: amounts.refunds
        case .grossWithoutTax: amounts.grossWithoutTax
        case .grossProceeds: amounts.grossProceeds
        case .refundsWithoutTax: amounts.refundsWithoutTax
        case .refundsProceeds: amounts.refundsProceeds
        case .unpriced: Int128(figures.unpricedUnits)
        case .unconverted: Int128(converted.unconverted)
        case .untaxed: Int128(figures.untaxed)
        case .uncommissioned: Int128(figures.uncommissioned)
        case nil: 0
        }
    }

    var missing: FieldSet {
        var missing: FieldSet = own == nil || base != nil && converted.unconverted > 0 ? RevenueField.amounts : []
        if figures.untaxed > 0 { missing.formUnion(RevenueField.withoutTax) }
        if figures.untaxed + figures.uncommissioned > 0 { missing.formUnion(RevenueField.proceeds) }
        return missing
    }

    var currency: CurrencyCode? { base ?? own }
}

extension Collection<RevenueRow> {
    /// The sums of rounded rows by some of their keys, on one side.
    ///
    /// - Parameters:
    ///   - keys: with the currency, unless amounts are converted.
    ///   - rowKeys: the keys of the rows.
    ///   - measures: see ``Cube``.
    func cube(
        by keys: [GroupKey],
        of rowKeys: [GroupKey],
        in base: CurrencyCode?,
        for measures: [Measure]? = nil,
        where isIncluded: (RevenueRow) -> Bool = { _ in true }
    ) -> Cube {
        var cube = Cube(RevenueField.self, by: keys, in: base.map { .one($0) } ?? .ofGroup, for: measures)
        let places = keys.map { rowKeys.firstIndex(of: $0) }
        for row in self where isIncluded(row) {
            let group = cube.group(
                code: { places[$0].map { row.group.code(at: $0) } ?? row.currencyKey },
                name: { places[$0].map { row.group.name(at: $0) } ?? row.currency?.description }
            )
            cube.add(RevenueValues(row, in: base), to: group)
        }
        return cube
    }

    /// Revenue as people read it, by a key: in the base currency, or for each currency. `nil` if the rows lack the key.
    func shown(
        by key: GroupKey,
        of rowKeys: [GroupKey],
        in base: CurrencyCode?,
        for measures: [Measure],
        where isIncluded: (RevenueRow) -> Bool = { _ in true }
    ) -> Cube? {
        guard rowKeys.contains(key) else { return nil }
        let keys = base == nil ? [key, .currency] : [key]
        return cube(by: keys, of: rowKeys, in: base, for: measures, where: isIncluded)
    }
}

/// The rows of a report that converts nothing, made when they are read.
struct PlainRevenueRows: RandomAccessCollection, Sendable {
    let groups: [Group]
    /// By the number of the group, exact.
    let figures: [RevenueFigures]
    /// The place of the currency among the keys.
    let currencyIndex: Int
    let isRounded: Bool

    var startIndex: Int { 0 }
    var endIndex: Int { groups.count }

    subscript(_ index: Int) -> RevenueRow {
        let group = groups[index]
        var row = RevenueRow(group: group, currencyKey: group.code(at: currencyIndex), figures: figures[group.number])
        if isRounded { row.figures = row.figures.rounded(in: row.currency) }
        return row
    }
}
