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

extension RevenueRow {
    /// The fields of a row, for measures and cubes.
    struct Values: FieldValues {
        let row: RevenueRow
        /// The currency to which amounts are converted; `nil` for amounts in their own currency.
        let base: CurrencyCode?

        subscript(_ field: Int) -> Int128 {
            let figures = row.figures
            switch RevenueField(rawValue: field) {
            case .sales: return Int128(figures.transactions)
            case .units: return Int128(figures.units)
            case .gross: return base == nil ? figures.gross : row.converted.gross
            case .refunded: return Int128(figures.refundedTransactions)
            case .refunds: return base == nil ? figures.refunds : row.converted.refunds
            case .unpriced: return Int128(figures.unpricedUnits)
            case .unconverted: return Int128(row.converted.unconverted)
            case .tax: return row.estimate?.tax ?? 0
            case .commission: return row.estimate?.commission ?? 0
            case nil: return 0
            }
        }

        var state: FieldState {
            let (amounts, estimates) = (Self.amounts, Self.estimates)
            var state = FieldState()
            if base == nil {
                if row.estimate == nil { state.lose(estimates) }
                if row.currency == nil { state.lose(amounts) } else { state.formUnion(FieldState(known: amounts)) }
            } else {
                state.lose(estimates)
                if row.currency == nil || row.converted.unconverted > 0 { state.lose(amounts) }
                if row.converted.hasConverted { state.formUnion(FieldState(known: amounts)) }
            }
            return state
        }

        private static let amounts = RevenueField.gross.set.union(RevenueField.refunds.set)
        private static let estimates = RevenueField.tax.set.union(RevenueField.commission.set)

        var currency: CurrencyCode? { base ?? row.currency }
    }
}

extension Collection<RevenueRow> {
    /// The sums of rounded rows by some of their keys, on one side.
    ///
    /// - Parameters:
    ///   - keys: with the currency, unless amounts are converted.
    ///   - rowKeys: the keys of the rows.
    func cube(
        by keys: [GroupKey],
        of rowKeys: [GroupKey],
        in base: CurrencyCode?,
        where isIncluded: (RevenueRow) -> Bool = { _ in true }
    ) -> Cube {
        var cube = Cube(RevenueField.self, by: keys, in: base.map { .one($0) } ?? .ofGroup)
        let places = keys.map { rowKeys.firstIndex(of: $0) }
        for row in self where isIncluded(row) {
            let group = cube.group(
                code: { places[$0].map { row.group.code(at: $0) } ?? row.currencyKey },
                name: { places[$0].map { row.group.name(at: $0) } ?? row.currency?.description }
            )
            cube.add(RevenueRow.Values(row: row, base: base), to: group)
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
        where isIncluded: (RevenueRow) -> Bool = { _ in true }
    ) -> Cube? {
        guard rowKeys.contains(key) else { return nil }
        return cube(by: base == nil ? [key, .currency] : [key], of: rowKeys, in: base, where: isIncluded)
    }
}

/// The rows of a report that converts and estimates nothing, made when they are read.
struct PlainRevenueRows: RandomAccessCollection, Sendable {
    let groups: [Group]
    /// By the number of the group, exact.
    let figures: [RevenueFigures]
    /// The place of the currency among the keys.
    let currencyIndex: Int
    /// Whether amounts are rounded to the minor unit, as in written rows.
    var roundsAmounts = false

    var startIndex: Int { 0 }
    var endIndex: Int { groups.count }

    subscript(_ index: Int) -> RevenueRow {
        let group = groups[index]
        var row = RevenueRow(group: group, currencyKey: group.code(at: currencyIndex), figures: figures[group.number])
        if roundsAmounts { row.figures = row.figures.rounded(in: row.currency) }
        return row
    }
}
