import TillReportModel

/// A measure summed by category and series, as a chart needs it.
struct CrossTable {
    private var sums: [String: [Cell: Int128]] = [:]
    private(set) var categories: Set<Cell> = []
    /// How many amounts were added.
    private(set) var count = 0

    mutating func add(_ amount: Int128, category: Cell, series: String) {
        categories.insert(category)
        sums[series, default: [:]][category, default: 0] += amount
        count += 1
    }

    /// The series with the largest sums, largest first, and one that stands for the others.
    ///
    /// - Parameters:
    ///   - axis: the categories in order; sums of others are left out.
    ///   - limit: how many series there may be, the one for the rest included.
    ///   - rest: what the rest is called, by the number of series in it.
    ///   - cell: what a sum is written as; what was never added is zero.
    func series(
        over axis: [Cell],
        limit: Int,
        rest: (Int) -> String,
        cell: (Int128) -> Cell
    ) -> [Chart.Series] {
        let ranked = sums.map { title, sums in (title, values: axis.map { sums[$0, default: 0] }) }
            .filter { $0.values.contains { $0 != 0 } }
            .map { title, values in
                (title: title, values: values, weight: values.reduce(0) { $0 + Int128($1.magnitude) })
            }
            .sorted { ($1.weight, $0.title) < ($0.weight, $1.title) }
        let named = ranked.count > limit ? limit - 1 : ranked.count
        var series = ranked[..<named].map { Chart.Series(title: $0.title, values: $0.values.map(cell)) }
        let others = ranked[named...]
        if !others.isEmpty {
            let values = axis.indices.map { index in cell(others.reduce(0) { $0 + $1.values[index] }) }
            series.append(Chart.Series(title: rest(others.count), values: values, isRest: true))
        }
        return series
    }
}

extension Section {
    /// Where a column stands; `nil` where the section has none of that name.
    func index(of column: String) -> Int? { columns.firstIndex { $0.name == column } }

    /// The rows of a table; a record has none.
    var tableRows: [[Cell]] {
        guard case .table(let rows) = content else { return [] }
        return rows
    }
}

extension Cell {
    /// What a text or code says; `unknown` stands for what is not known.
    func name(orElse unknown: String) -> String {
        switch self {
        case .text(let text): text
        case .code(let code): String(code)
        default: unknown
        }
    }
}
