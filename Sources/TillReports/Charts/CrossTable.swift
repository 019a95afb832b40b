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

    /// The series with the largest sums over some categories, largest first; what sums to nothing is left out.
    func largest(_ limit: Int, over axis: [Cell]) -> [String] {
        let weights = sums.map { title, sums in
            (title: title, weight: axis.reduce(0) { $0 + Int128(sums[$1, default: 0].magnitude) })
        }
        let ranked = weights.filter { $0.weight > 0 }.sorted { ($1.weight, $0.title) < ($0.weight, $1.title) }
        // One that is left over stands for itself rather than for "1 other".
        return ranked.prefix(ranked.count == limit + 1 ? limit + 1 : limit).map(\.title)
    }

    /// The series of some names in their order, and one for all others if there are any.
    ///
    /// - Parameters:
    ///   - axis: the categories in order; sums of others are left out.
    ///   - rest: what the rest is called, by the number of series in it.
    ///   - parts: how many series of the rest it also names, for where there is room; more of them are no help.
    ///   - cell: what a sum is written as; what was never added is zero.
    func series(
        over axis: [Cell],
        named names: [String],
        rest: (Int) -> String,
        parts most: Int = 0,
        cell: (Int128) -> Cell
    ) -> [Chart.Series] {
        func values(_ title: String) -> [Int128] { axis.map { sums[title, default: [:]][$0, default: 0] } }
        var series = names.map { Chart.Series(title: $0, values: values($0).map(cell)) }
        let known = Set(names)
        let others = largest(.max - 1, over: axis).filter { !known.contains($0) }
        if !others.isEmpty {
            let values = others.map(values)
            let sums = axis.indices.map { index in cell(values.reduce(0) { $0 + $1[index] }) }
            var all = Chart.Series(title: rest(others.count), values: sums, isRest: true)
            if others.count <= most {
                all.parts = zip(others, values).map { Chart.Series(title: $0, values: $1.map(cell)) }
            }
            series.append(all)
        }
        return series
    }
}

extension Section {
    /// Where a column stands; `nil` where the section has none of that name.
    func index(of column: String) -> Int? { columns.firstIndex { $0.name == column } }

    /// The rows of a table; a record has none.
    var tableRows: TableRows {
        guard case .table(let rows) = content else { return TableRows() }
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
