import TillColumns
import TillCore
import TillReportModel

/// A measure summed by category and series, as a chart needs it: some 100 bytes for each series and 40 for each sum, since there
/// may be a million of them.
struct CrossTable {
    private var titles = TextDictionary()
    private var columns: [Cell: UInt32] = [:]
    /// By code of the title and number of the category, one behind the other.
    private var sums = IntegerMap<UInt64, Int128>()
    /// How many amounts were added.
    private(set) var count = 0

    var categories: Set<Cell> { Set(columns.keys) }

    mutating func add(_ amount: Int128, category: Cell, series: String) {
        let column = columns[category] ?? UInt32(columns.count)
        columns[category] = column
        let title = UInt64(titles.code(for: series))
        sums.update(title << 32 | UInt64(column), entering: 0) { $0 += amount }
        count += 1
    }

    /// Gives every sum over some categories to `body`, with the code of its title and its place on the axis.
    private func visit(over axis: [Cell], _ body: (_ title: Int, _ place: Int, _ sum: Int128) -> Void) {
        var places: [Int?] = Array(repeating: nil, count: columns.count)
        for (place, category) in axis.enumerated() {
            if let column = columns[category] { places[Int(column)] = place }
        }
        sums.visit { key, sum in
            if let place = places[Int(key & 0xFFFF_FFFF)] { body(Int(key >> 32), place, sum) }
        }
    }

    /// By code of the title, the sizes of its sums over some categories.
    private func weights(over axis: [Cell]) -> [Int128] {
        var weights = Array(repeating: Int128(0), count: titles.count)
        visit(over: axis) { title, _, sum in weights[title] += Int128(sum.magnitude) }
        return weights
    }

    /// The series with the largest sums over some categories, largest first; what sums to nothing is left out.
    func largest(_ limit: Int, over axis: [Cell]) -> [String] {
        let weights = weights(over: axis)
        let known = weights.indices.filter { weights[$0] > 0 }
        // One that is left over stands for itself rather than for "1 other".
        return largest(known.count == limit + 1 ? limit + 1 : limit, of: known, weights)
    }

    /// The `limit` heaviest of some titles, heaviest first; of equal ones the first by text.
    private func largest(_ limit: Int, of codes: [Int], _ weights: [Int128]) -> [String] {
        var largest: [(title: String, weight: Int128)] = []
        for code in codes {
            if largest.count == limit, let last = largest.last, weights[code] < last.weight { continue }
            let added = (title: titles.text(of: code), weight: weights[code])
            let place = largest.partitioningIndex { (added.weight, $0.title) > ($0.weight, added.title) }
            largest.insert(added, at: place)
            if largest.count > limit { largest.removeLast() }
        }
        return largest.map(\.title)
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
        let weights = weights(over: axis)
        func series(_ titles: [String]) -> [Chart.Series] {
            let values = values(of: titles, over: axis)
            return zip(titles, values).map { Chart.Series(title: $0, values: $1.map(cell)) }
        }
        let known = Set(names.map(code(of:)))
        let others = weights.indices.filter { weights[$0] > 0 && !known.contains($0) }
        guard !others.isEmpty else { return series(names) }
        var sums = Array(repeating: Int128(0), count: axis.count)
        visit(over: axis) { title, place, sum in
            if !known.contains(title) { sums[place] += sum }
        }
        var all = Chart.Series(title: rest(others.count), values: sums.map(cell), isRest: true)
        if others.count <= most { all.parts = series(largest(most, of: others, weights)) }
        return series(names) + [all]
    }

    /// What some series come to over some categories; what was never added is zero.
    private func values(of names: [String], over axis: [Cell]) -> [[Int128]] {
        var values = Array(repeating: Array(repeating: Int128(0), count: axis.count), count: names.count)
        var rows: [Int: Int] = [:]
        for (row, name) in names.enumerated() { rows[code(of: name)] = row }
        visit(over: axis) { title, place, sum in
            if let row = rows[title] { values[row][place] = sum }
        }
        return values
    }

    /// The code of a title; of one that was never added, another than that of any.
    private func code(of title: String) -> Int {
        var titles = titles
        return titles.code(for: title)
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
