import TillCore
import TillReportModel

/// The exact sum of cells of one unit.
struct CellSum {
    enum Unit: Hashable {
        case count
        case money(CurrencyCode)
    }

    let unit: Unit
    /// A count, or millionths of the currency.
    private(set) var value: Int128
    private var magnitude: UInt128
    private var cellCount = 1
    /// The largest number of decimals of a cell.
    private(set) var decimals: Int
    /// Whether all cells are numbers in a workbook.
    private var hasNumbers: Bool
    private var isOverflown = false

    /// `nil` if the cell is neither a count nor money.
    init?(_ cell: Cell) {
        switch cell {
        case .count(let count): (unit, value, decimals) = (.count, Int128(count), 0)
        case .money(let money):
            (unit, value, decimals) = (.money(money.currency), money.millionths, money.decimals)
        case .absent, .text, .word, .code, .ratio, .decimal, .instant, .list, .flag, .records: return nil
        }
        magnitude = value.magnitude
        hasNumbers = WorkbookCell(cell, .utc).isNumber
    }

    /// The sum of no cells.
    init(zeroOf unit: Unit) {
        self.unit = unit
        (value, magnitude, cellCount, decimals, hasNumbers) = (0, 0, 0, 0, true)
    }

    /// Adds a sum of the same unit.
    mutating func add(_ other: CellSum) {
        let (sum, overflow) = value.addingReportingOverflow(other.value)
        let (magnitudes, isTooLarge) = magnitude.addingReportingOverflow(other.magnitude)
        (value, magnitude) = (sum, magnitudes)
        isOverflown = isOverflown || other.isOverflown || overflow || isTooLarge
        cellCount += other.cellCount
        decimals = max(decimals, other.decimals)
        hasNumbers = hasNumbers && other.hasNumbers
    }

    /// The sum as a cell; `nil` if it does not fit.
    var cell: Cell? {
        guard !isOverflown else { return nil }
        switch unit {
        case .count: return Int64(exactly: value).map { .count($0) }
        case .money(let currency): return .money(Money(millionths: value, currency: currency))
        }
    }

    /// Whether a spreadsheet that adds the cells as doubles, in any order, is less than half a unit of the last decimal
    /// off the exact sum.
    ///
    /// Adding n doubles is off by at most n · 2⁻⁵³ · Σ|x| (Higham, Accuracy and Stability of Numerical Algorithms,
    /// §4.2), which is less than half a unit while n · Σ|x| in such units is less than 2⁵².
    var isExactInSpreadsheet: Bool {
        guard hasNumbers, !isOverflown, let cell, WorkbookCell(cell, .utc).isNumber else { return false }
        let unit: UInt128 = unit == .count ? 1 : (decimals..<6).reduce(1) { product, _ in product * 10 }
        let (product, overflow) = (magnitude / unit).multipliedReportingOverflow(by: UInt128(cellCount))
        return !overflow && product < 1 << 52
    }
}

extension Money {
    /// The number of decimals of ``decimalText``.
    var decimals: Int { decimalText.decimals }
}

extension String {
    /// The number of digits behind the point of a decimal number.
    var decimals: Int {
        utf8.firstIndex(of: UInt8(ascii: ".")).map { utf8.distance(from: $0, to: utf8.endIndex) - 1 } ?? 0
    }
}

/// The sums of the additive columns of a table, of all rows and of the rows of each currency.
struct ColumnSums {
    private struct Key: Hashable {
        let column: Int
        /// `nil` for rows without a currency, and if rows are not grouped by currency.
        let currency: CurrencyCode?
    }

    private let columns: [Int]
    /// Columns whose sum is unknown if a row has no value.
    private let strictColumns: Set<Int>
    private let currencyColumn: Int?
    private var sums: [Key: CellSum] = [:]
    /// The columns and currencies that have no sum: with cells of different units, or with an unknown one.
    private var withoutSum: Set<Key> = []
    /// In the order in which they appear.
    private(set) var currencies: [CurrencyCode] = []
    /// The number of the row in which a currency appears first.
    private(set) var firstRows: [CurrencyCode: Int] = [:]
    private var rowCount = 0
    private(set) var hasRowsWithoutCurrency = false

    init(_ section: Section) {
        strictColumns = Set(section.columns.indices.filter { section.columns[$0].isUnknownIfAbsent })
        switch section.totals {
        case .none: (columns, currencyColumn) = ([], nil)
        case .all: (columns, currencyColumn) = (section.additiveColumns, nil)
        case .perCurrency(let column): (columns, currencyColumn) = (section.additiveColumns, column)
        }
    }

    mutating func add(_ row: [Cell]) {
        guard !columns.isEmpty else { return }
        defer { rowCount += 1 }
        var currency: CurrencyCode?
        if let currencyColumn { currency = self.currency(in: row, at: currencyColumn) }
        for column in columns where column < row.count {
            let key = Key(column: column, currency: currency)
            guard let cell = CellSum(row[column]) else {
                if strictColumns.contains(column) { withoutSum.insert(key) }
                continue
            }
            guard var sum = sums[key] else {
                sums[key] = cell
                continue
            }
            if sum.unit != cell.unit { withoutSum.insert(key) }
            sum.add(cell)
            sums[key] = sum
        }
    }

    private mutating func currency(in row: [Cell], at column: Int) -> CurrencyCode? {
        guard column < row.count, case .text(let text) = row[column], let currency = CurrencyCode(text) else {
            hasRowsWithoutCurrency = true
            return nil
        }
        if firstRows[currency] == nil {
            firstRows[currency] = rowCount
            currencies.append(currency)
        }
        return currency
    }

    /// The sum of a column over the rows of a currency; `nil` where it has none, or it is not known.
    func total(of column: Int, in currency: CurrencyCode) -> CellSum? {
        let key = Key(column: column, currency: currency)
        return withoutSum.contains(key) ? nil : sums[key]
    }

    /// The sum of a column over all rows; `nil` where it has none, or it is not known.
    func total(of column: Int) -> CellSum? {
        var keys = currencies.map { Key(column: column, currency: $0) }
        keys.append(Key(column: column, currency: nil))
        let parts = keys.compactMap { sums[$0] }
        guard var total = parts.first, withoutSum.isDisjoint(with: keys), parts.allSatisfy({ $0.unit == total.unit })
        else {
            return nil
        }
        for part in parts.dropFirst() { total.add(part) }
        return total
    }

    /// Whether each row is the only one of its currency, and so its total.
    var hasRowForEachCurrency: Bool { !currencies.isEmpty && rowCount == currencies.count }

    /// The rows of totals below the table.
    var rows: [TotalRow] {
        guard !sums.isEmpty else { return [] }
        if currencies.count == 1, !hasRowsWithoutCurrency { return [.all] }
        let all = columns.contains { total(of: $0) != nil }
        var rows = hasRowForEachCurrency ? [] : currencies.map { TotalRow.currency($0) }
        if all { rows.append(.all) }
        return rows
    }
}

/// A row of totals.
enum TotalRow: Hashable {
    case currency(CurrencyCode)
    case all
}

extension Section {
    fileprivate var additiveColumns: [Int] { columns.indices.filter { columns[$0].isAdditive } }
}
