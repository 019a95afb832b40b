import TillCore
import TillLedger
import TillReportModel

/// A table of a cube: the keys and measures that a reader gets. Its rows are the numbers of the groups.
struct CubeView {
    let cube: Cube
    private(set) var columns: [ReportColumn<Int>]

    /// Begins with a column for each key.
    ///
    /// - Parameter nameOf: the names of groups where they differ from the names in the cube.
    init(_ cube: Cube, nameOf: (@Sendable (GroupKey, String?) -> String?)? = nil) {
        self.cube = cube
        columns = cube.keys.enumerated().map { index, key in
            ReportColumn(key.heading) { group in
                let name = cube.name(of: group, at: index)
                switch cube.code(of: group, at: index) {
                case GroupCode.rest: return .word("others", name ?? "")
                case GroupCode.total: return .word("total", name ?? "")
                case GroupCode.rounding: return .word("rounding", name ?? "")
                default: return key == .productID ? .product(name) : .text(nameOf.map { $0(key, name) } ?? name)
                }
            }
        }
    }

    /// Begins with a column for each key, as programs get it.
    init(forPrograms cube: Cube) {
        self.cube = cube
        columns = cube.keys.enumerated().map { index, key in
            ReportColumn(key.heading) { cube.cell(of: $0, at: index) }
        }
    }

    /// Adds a column for each measure; some measures only where a group has more than 0.
    mutating func add(_ measures: [Measure], side: Int = 0) {
        for measure in measures {
            let isShown =
                !measure.isOnlyWhereAny || cube.groups.contains { cube.value(measure, of: $0, side: side) != 0 }
            if isShown { add(measure, side: side, measure.heading(in: cube.currency(ofSide: side))) }
        }
    }

    /// Adds a column for a measure with a heading of its own.
    mutating func add(_ measure: Measure, side: Int, _ heading: Column) {
        add(ReportColumn(heading) { [cube] in measure.cell(of: cube[$0, side]) })
    }

    /// Adds the change of a measure from side 1 to side 0, as a share of side 1.
    mutating func addChange(of measure: Measure, named name: String = "change") {
        add(
            ReportColumn(name, "Change %") { [cube] group in
                // A difference by rounding has no trend.
                let isRounding = cube.keys.indices.contains { cube.code(of: group, at: $0) == GroupCode.rounding }
                return isRounding ? .absent : cube.relativeChange(of: measure, in: group)
            }
        )
    }

    mutating func add(_ column: ReportColumn<Int>) { columns.append(column) }

    mutating func insert(_ column: ReportColumn<Int>, at index: Int) { columns.insert(column, at: index) }

    func section(
        _ name: String,
        _ title: String,
        role: Section.Role = .figures,
        charts: @autoclosure @escaping @Sendable () -> [Chart] = []
    ) -> Section {
        Section(name: name, title: title, columns: columns, rows: cube.groups, role: role, charts: charts())
    }
}

extension GroupCode {
    /// The codes of groups that a view adds, and the first of the codes for names without one. No time, text or
    /// currency has them.
    static let rest = unknown + 1
    static let total = unknown + 2
    static let rounding = unknown + 3
    static let firstAdded = unknown + 4
    static let lastAdded = unknown + (1 << 32)
}

extension Cube {
    /// The cell of a key, as programs get it.
    func cell(of group: Int, at index: Int) -> Cell {
        let code = code(of: group, at: index)
        let isHour = keys[index] == .hour && code > GroupCode.lastAdded
        return isHour ? .instant(Timestamp(milliseconds: code)) : .text(name(of: group, at: index))
    }

    /// The change of a count or an amount from side 1 to side 0.
    func changeCell(of measure: Measure, in group: Int) -> Cell {
        measure.cell(change(of: measure, in: group), in: currency(of: group))
    }

    /// The same as a share of side 1.
    func relativeChange(of measure: Measure, in group: Int) -> Cell {
        .change(from: value(measure, of: group, side: 1), to: value(measure, of: group))
    }

    /// The first groups for each value of the other keys, then one group for the rest. The result is for people: its
    /// groups are not to be added again.
    ///
    /// - Parameters:
    ///   - key: the key whose groups become one.
    ///   - restName: the name of the rest, by the number of its groups.
    func top(_ most: Int, of key: GroupKey, restName: (Int) -> String) -> Cube {
        let blocks = groups(in: rolledUp(to: keys.filter { $0 != key }))
        let index = keys.firstIndex(of: key) ?? 0
        var cube = empty()
        func add(_ groups: some Collection<Int>, as newCode: Int64, _ newName: String) {
            guard let first = groups.first else { return }
            let sum = cube.group(
                code: { $0 == index ? newCode : code(of: first, at: $0) },
                name: { $0 == index ? newName : name(of: first, at: $0) }
            )
            for group in groups { cube.addSides(of: group, in: self, to: sum) }
        }
        for block in blocks {
            // A row for one other group would be no shorter than the row of the group.
            let shown = block.prefix(block.count == most + 1 ? block.count : most)
            let rest = block.dropFirst(shown.count)
            for group in shown { cube.add(group, of: self) }
            add(rest, as: GroupCode.rest, restName(rest.count))
        }
        return cube
    }

    /// Adds below the groups of each value of the other keys what their rounded amounts lack to the totals, where they
    /// lack anything. Then the groups add up to the totals.
    ///
    /// - Parameters:
    ///   - key: the key whose groups add up.
    ///   - totals: the totals by the other keys, with the sides of this cube, and perhaps more.
    ///   - measures: what is shown: a difference of other figures needs no row.
    ///   - hasTotals: whether the totals follow too, below more than one group.
    func balanced(over key: GroupKey, to totals: Cube, for measures: [Measure], hasTotals: Bool = false) -> Cube {
        let others = keys.filter { $0 != key }
        let index = keys.firstIndex(of: key) ?? 0
        var cube = empty()
        for block in groups(in: rolledUp(to: others)) {
            for group in block { cube.add(group, of: self) }
            guard let first = block.first else { continue }
            let codes = others.map { other in code(of: first, at: keys.firstIndex(of: other) ?? 0) }
            guard let total = totals.group(with: codes) else { continue }
            func added(_ newCode: Int64, _ name: String) -> Int {
                cube.group(
                    code: { $0 == index ? newCode : code(of: first, at: $0) },
                    name: { $0 == index ? name : self.name(of: first, at: $0) }
                )
            }
            let difference = differences(of: block, to: total, in: totals)
            if difference.contains(where: { side in measures.contains { $0.value(of: side) ?? 0 != 0 } }) {
                let group = added(GroupCode.rounding, "Rounding")
                for side in difference.indices { cube.add(difference[side], to: group, side: side) }
            }
            guard hasTotals, block.count > 1 else { continue }
            let group = added(GroupCode.total, "Total")
            for side in sides.indices { cube.add(totals[total, side], to: group, side: side) }
        }
        return cube
    }

    /// By side, the amounts of a total less the sums of groups.
    private func differences(of groups: [Int], to total: Int, in totals: Cube) -> [AmountDifference] {
        sides.indices.map { side in
            AmountDifference(of: groups.map { self[$0, side] }, to: totals[total, side], amounts)
        }
    }

    /// The groups of this cube in each group of a rollup.
    private func groups(in rollup: (cube: Cube, numbers: [Int])) -> [[Int]] {
        var members = Array(repeating: [Int](), count: rollup.cube.count)
        for group in groups { members[rollup.numbers[group]].append(group) }
        return members
    }
}

/// What some amounts lack to their total. It has no counts.
private struct AmountDifference: FieldValues {
    private var sums: [Int: Int128] = [:]
    let missing: FieldSet
    let currency: CurrencyCode?

    init(of groups: [CubeGroup], to total: CubeGroup, _ amounts: FieldSet) {
        currency = total.currency
        let known = amounts.subtracting(groups.reduce(total.missing) { $0.union($1.missing) })
        missing = FieldSet.all.subtracting(known)
        for field in known.numbers {
            sums[field] = total[field] - groups.reduce(0) { $0 + $1[field] }
        }
    }

    subscript(_ field: Int) -> Int128 { sums[field] ?? 0 }
}
