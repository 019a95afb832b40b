import TillColumns
import TillCore
import TillReportModel

/// The sums of a measure by category and series, from which a chart takes its values.
///
/// There may be a million series: a series takes some 100 bytes, and each of its sums 40.
struct CrossTable {
    private var titles = TextDictionary()
    private var columns: [Cell: UInt32] = [:]
    /// The key holds the code of the title in its upper 32 bits and the number of the category in its lower ones.
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

    /// Calls `body` with every sum over some categories, the code of its title and its place on the axis.
    private func visit(over axis: [Cell], _ body: (_ title: Int, _ place: Int, _ sum: Int128) -> Void) {
        var places: [Int?] = Array(repeating: nil, count: columns.count)
        for (place, category) in axis.enumerated() {
            if let column = columns[category] { places[Int(column)] = place }
        }
        sums.visit { key, sum in
            if let place = places[Int(key & 0xFFFF_FFFF)] { body(Int(key >> 32), place, sum) }
        }
    }

    /// The sum of all series at each of some categories; 0 where nothing was added.
    func totals(over axis: [Cell]) -> [Int128] {
        var totals = Array(repeating: Int128(0), count: axis.count)
        visit(over: axis) { _, place, sum in totals[place] += sum }
        return totals
    }

    /// The total size of the sums over some categories, by code of the title.
    private func weights(over axis: [Cell]) -> [Int128] {
        var weights = Array(repeating: Int128(0), count: titles.count)
        visit(over: axis) { title, _, sum in weights[title] += Int128(sum.magnitude) }
        return weights
    }

    /// The series with the largest sums over some categories, largest first, without those whose sums are all zero.
    func largest(_ limit: Int, over axis: [Cell]) -> [String] {
        let weights = weights(over: axis)
        let known = weights.indices.filter { weights[$0] > 0 }
        // A single remaining series is named, not shown as "1 other".
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

    /// The series of some names in their order, and one for the sum of all others if there are any.
    ///
    /// - Parameters:
    ///   - axis: the categories in order; sums over other categories are left out.
    ///   - rest: the title of the rest, by the number of series in it.
    ///   - parts: the most series for which the rest also lists its parts.
    ///   - cell: the cell of a sum. Values that were never added sum to zero.
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

    /// The sums of some series over some categories; values that were never added sum to zero.
    private func values(of names: [String], over axis: [Cell]) -> [[Int128]] {
        var values = Array(repeating: Array(repeating: Int128(0), count: axis.count), count: names.count)
        var rows: [Int: Int] = [:]
        for (row, name) in names.enumerated() { rows[code(of: name)] = row }
        visit(over: axis) { title, place, sum in
            if let row = rows[title] { values[row][place] = sum }
        }
        return values
    }

    /// The code of a title. A title that was never added gets a code that no other title has.
    private func code(of title: String) -> Int {
        var titles = titles
        return titles.code(for: title)
    }
}
