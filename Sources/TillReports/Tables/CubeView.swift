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
                default: return key == .productID ? .product(name) : .text(nameOf.map { $0(key, name) } ?? name)
                }
            }
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
        add(ReportColumn(name, "Change %") { [cube] in cube.relativeChange(of: measure, in: $0) })
    }

    mutating func add(_ column: ReportColumn<Int>) { columns.append(column) }

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
    static let firstAdded = unknown + 3
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

    /// The first groups for each value of the other keys, then one group for the rest, then perhaps a total. The result
    /// is for people: its groups are not to be added again.
    ///
    /// - Parameters:
    ///   - key: the key whose groups become one.
    ///   - restName: the name of the rest, by the number of its groups.
    ///   - total: the name of a last row with the sum of all others. A single row has none below it.
    func top(_ most: Int, of key: GroupKey, restName: (Int) -> String, total: String? = nil) -> Cube {
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
            if let total, block.count > 1 { add(block, as: GroupCode.total, total) }
        }
        return cube
    }

    /// The groups of this cube in each group of a rollup.
    private func groups(in rollup: (cube: Cube, numbers: [Int])) -> [[Int]] {
        var members = Array(repeating: [Int](), count: rollup.cube.count)
        for group in groups { members[rollup.numbers[group]].append(group) }
        return members
    }
}
