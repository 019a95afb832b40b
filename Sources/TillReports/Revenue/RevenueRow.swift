import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// A row of revenue: its group, its figures, and the same converted and as proceeds.
struct RevenueRow: Sendable {
    let group: Group
    /// The code of the currency; `GroupCode.unknown` where the price is not known.
    let currencyKey: Int64
    var figures: RevenueFigures
    /// Amounts in the base currency.
    var converted = ConvertedAmounts()
    /// `nil` if the commission of a sale is not known.
    var estimate: ProceedsAmounts? = ProceedsAmounts()

    var currency: CurrencyCode? { CurrencyCode(groupCode: currencyKey) }
}

/// The fields of a row, for measures and cubes.
struct RevenueValues: FieldValues {
    private let figures: RevenueFigures
    private var converted = ConvertedAmounts()
    private var estimate: ProceedsAmounts?
    private let own: CurrencyCode?
    private var base: CurrencyCode?

    /// - Parameter base: the currency to which amounts are converted; `nil` for amounts in their own currency.
    init(_ row: RevenueRow, in base: CurrencyCode?) {
        self.init(row.figures, in: row.currency)
        (converted, estimate, self.base) = (row.converted, row.estimate, base)
    }

    /// Figures in their own currency, without estimates.
    init(_ figures: RevenueFigures, in currency: CurrencyCode?) {
        (self.figures, own) = (figures, currency)
    }

    subscript(_ field: Int) -> Int128 {
        switch RevenueField(rawValue: field) {
        case .sales: Int128(figures.transactions)
        case .units: Int128(figures.units)
        case .gross: base == nil ? figures.gross : converted.gross
        case .refunded: Int128(figures.refundedTransactions)
        case .refunds: base == nil ? figures.refunds : converted.refunds
        case .unpriced: Int128(figures.unpricedUnits)
        case .unconverted: Int128(converted.unconverted)
        case .tax: estimate?.tax ?? 0
        case .commission: estimate?.commission ?? 0
        case nil: 0
        }
    }

    var state: FieldState {
        let amounts = RevenueField.gross.set.union(RevenueField.refunds.set)
        // A row without any amount is known to be 0, and leaves an amount that others lack unknown.
        let isKnown = base == nil ? own != nil : converted.hasConverted
        let isMissing = own == nil || base != nil && converted.unconverted > 0
        var state = FieldState(known: isKnown ? amounts : [], missing: isMissing ? amounts : [])
        // Estimates are in the own currency only.
        if estimate == nil || base != nil { state.lose(RevenueField.amounts.subtracting(amounts)) }
        return state
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

    /// The totals of a report: by currency, and with a base currency a second side in it. An unknown currency is last.
    func totals(in base: CurrencyCode?) -> Cube {
        let own = cube(by: [.currency], of: [], in: nil)
        let totals = base.map { own.joined(with: cube(by: [.currency], of: [], in: $0)) } ?? own
        return totals.sorted(by: .key(.currency))
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

/// The rows of a report that converts and estimates nothing, made when they are read.
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
