import TillColumns
import TillCore
import TillLedger

/// The sums of a report: groups of some keys, and in each group the fields of the report.
///
///     product 17, currency USD     sales 3   gross 29.97   refunds 9.99   …      group 0
///     product 21, currency USD     sales 1   gross  4.99   refunds 0.00   …      group 1
///
/// A cube has one or more *sides*. They have the same groups: for example, one side has the sums of this month and the
/// other the sums of the month before, or one is in the currency of the sale and the other in the base currency.
///
/// A field of a group is unknown while a part of it is missing: an unknown amount is not 0. Cubes are values, and only
/// integers are added, so no result depends on the order of the parts. A group takes 16 bytes for each field of each
/// side, and some 100 bytes more. Adding, joining and a rollup take time for each group, sorting for each comparison.
struct Cube: Sendable {
    /// The currency of the amounts of a side.
    enum Unit: Sendable {
        /// Each group has its own currency, which is a key of the cube.
        case ofGroup
        case one(CurrencyCode)
    }

    fileprivate struct Side {
        let unit: Unit
        let fields: FieldSet
        /// Group by group.
        var sums: [Int128] = []
        /// By group, the fields that have an unknown part.
        var missing: [FieldSet] = []
    }

    let keys: [GroupKey]
    /// The numbers of all groups, in the order of the cube.
    private(set) var groups: [Int] = []
    /// The fields that are amounts of money.
    let amounts: FieldSet
    fileprivate var sides: [Side]
    /// The numbers of the groups, by the bytes of their codes.
    private var numbers = TextDictionary()
    /// Group by group, in the order of ``keys``.
    private var codes: [Int64] = []
    private var names: [String?] = []
    /// The codes of the group that is being looked for.
    private var wanted: [Int64]

    /// Makes a cube without groups, with one side.
    ///
    /// - Parameter measures: the measures that are asked for, where not all fields are needed; others are unknown.
    init<Field: CubeField>(_: Field.Type, by keys: [GroupKey], in unit: Unit, for measures: [Measure]? = nil) {
        let fields = measures?.reduce(into: FieldSet()) { $0.formUnion($1.needed) } ?? Field.all
        self.init(amounts: Field.amounts, by: keys, sides: [Side(unit: unit, fields: fields)])
    }

    private init(amounts: FieldSet, by keys: [GroupKey], sides: [Side]) {
        (self.amounts, self.keys, self.sides) = (amounts, keys, sides)
        wanted = Array(repeating: 0, count: keys.count)
    }

    // MARK: Groups

    var count: Int { groups.count }
    var isEmpty: Bool { groups.isEmpty }

    func code(of group: Int, at index: Int) -> Int64 { codes[group * keys.count + index] }

    /// The name of the key at `index`; `nil` if it is not known.
    func name(of group: Int, at index: Int) -> String? { names[group * keys.count + index] }

    /// The currency of the amounts of a group; `nil` if it is not known.
    func currency(of group: Int, side: Int = 0) -> CurrencyCode? {
        guard case .ofGroup = sides[side].unit else { return currency(ofSide: side) }
        return keys.firstIndex(of: .currency).flatMap { CurrencyCode(groupCode: code(of: group, at: $0)) }
    }

    /// The currency that all amounts of a side have; `nil` if each group has its own.
    func currency(ofSide side: Int) -> CurrencyCode? {
        if case .one(let currency) = sides[side].unit { currency } else { nil }
    }

    subscript(_ group: Int, side: Int) -> CubeGroup {
        CubeGroup(side: sides[side], group: group, currency: currency(of: group, side: side))
    }

    /// `nil` if the measure is not known.
    func value(_ measure: Measure, of group: Int, side: Int = 0) -> Int128? { measure.value(of: self[group, side]) }

    /// The difference of a measure between side 0 and side 1; `nil` if one of the two is not known.
    func change(of measure: Measure, in group: Int) -> Int128? {
        guard let now = value(measure, of: group), let before = value(measure, of: group, side: 1) else { return nil }
        return now - before
    }

    /// The sum of a field over all groups, as far as it is known.
    func total(_ field: some CubeField, side: Int = 0) -> Int128 {
        groups.reduce(0) { $0 + self[$1, side][field.rawValue] }
    }

    var sideCount: Int { sides.count }

    /// The group with some codes, in the order of ``keys``; `nil` if there is none.
    func group(with codes: [Int64]) -> Int? {
        groups.first { group in keys.indices.allSatisfy { code(of: group, at: $0) == codes[$0] } }
    }

    // MARK: Adding

    /// The number of the group with some codes, in the order of ``keys``. The fields of a new group are 0.
    mutating func group(code: (Int) -> Int64, name: (Int) -> String?) -> Int {
        for index in keys.indices { wanted[index] = code(index) }
        let group = Self.number(of: wanted, in: &numbers)
        if group == count {
            groups.append(group)
            codes += wanted
            for index in keys.indices { names.append(name(index)) }
            for side in sides.indices { sides[side].fill(to: count) }
        }
        return group
    }

    // Static: a span of a member would borrow the whole cube.
    private static func number(of codes: [Int64], in numbers: inout TextDictionary) -> Int {
        numbers.code(for: codes.span.bytes)
    }

    /// Adds values to the fields of a group.
    mutating func add(_ values: some FieldValues, to group: Int, side: Int = 0) {
        var place = group * sides[side].fields.count
        for field in sides[side].fields.numbers {
            sides[side].sums[place] += values[field]
            place += 1
        }
        sides[side].missing[group].formUnion(values.missing)
    }

    // MARK: Cubes of a cube

    /// The sums of the groups that agree in `kept`, in the order in which they first appear. Without keys there is one
    /// group for all, also if the cube is empty.
    ///
    /// Amounts in several currencies have no sum: without the currency of its groups, a side has no known amount.
    func rollup(to kept: [GroupKey]) -> Cube {
        var cube = rolledUp(to: kept).cube
        if kept.isEmpty { _ = cube.group(code: { _ in 0 }, name: { _ in nil }) }
        return cube
    }

    /// The rollup, and by the number of each group its number there.
    func rolledUp(to kept: [GroupKey]) -> (cube: Cube, numbers: [Int]) {
        let places = kept.compactMap(keys.firstIndex(of:))
        precondition(places.count == kept.count, "a rollup has only keys of the cube")
        var cube = empty(by: kept)
        var numbers = groups
        for group in groups {
            numbers[group] = cube.group(
                code: { code(of: group, at: places[$0]) },
                name: { name(of: group, at: places[$0]) }
            )
            cube.addSides(of: group, in: self, to: numbers[group])
        }
        guard !kept.contains(.currency) else { return (cube, numbers) }
        for side in sides.indices {
            guard case .ofGroup = sides[side].unit else { continue }
            for group in cube.groups { cube.sides[side].missing[group].formUnion(amounts) }
        }
        return (cube, numbers)
    }

    /// Some groups, in their order.
    func selecting(_ groups: some Sequence<Int>) -> Cube {
        var cube = empty()
        for group in groups { cube.add(group, of: self) }
        return cube
    }

    func filter(_ isIncluded: (Int) -> Bool) -> Cube { selecting(groups.filter(isIncluded)) }

    /// Sets another cube with the same keys beside this one, as further sides. Its other groups follow the groups of
    /// this cube. A group that only one of the two has is 0 on the sides of the other; with `nil` it is unknown there.
    func joined(with other: Cube?) -> Cube {
        var cube = self
        guard let other else {
            var side = Side(unit: sides[0].unit, fields: sides[0].fields)
            side.fill(to: count)
            for group in groups { side.missing[group] = .all }
            cube.sides.append(side)
            return cube
        }
        precondition(keys == other.keys, "cubes side by side have the same keys")
        for side in other.empty().sides {
            cube.sides.append(side)
            cube.sides[cube.sides.count - 1].fill(to: count)
        }
        for group in other.groups { cube.add(group, of: other, fromSide: sides.count) }
        return cube
    }

    /// Makes fields of a group unknown on a side.
    mutating func forget(_ fields: FieldSet = .all, of group: Int, side: Int) {
        sides[side].missing[group].formUnion(fields)
    }

    /// The cube with one of its sides.
    func only(side: Int) -> Cube {
        var cube = self
        cube.sides = [sides[side]]
        return cube
    }

    /// A cube without groups that has the same sides.
    func empty(by keys: [GroupKey]? = nil) -> Cube {
        let sides = sides.map { Side(unit: $0.unit, fields: $0.fields) }
        return Cube(amounts: amounts, by: keys ?? self.keys, sides: sides)
    }

    /// Adds a group of another cube to the group with the same codes.
    ///
    /// - Parameter first: the side that gets the first side of the other cube.
    mutating func add(_ other: Int, of cube: Cube, fromSide first: Int = 0) {
        let group = group(code: { cube.code(of: other, at: $0) }, name: { cube.name(of: other, at: $0) })
        addSides(of: other, in: cube, to: group, from: first)
    }

    /// Adds all sides of a group of another cube to a group.
    mutating func addSides(of other: Int, in cube: Cube, to group: Int, from first: Int = 0) {
        for side in cube.sides.indices { add(cube[other, side], to: group, side: first + side) }
    }

    // MARK: Order

    enum Criterion {
        /// Time by time, other keys by name.
        case key(GroupKey)
        case largest(Measure, side: Int = 0)
        /// By the size of the change from side 1 to side 0, or of side 0 where side 1 is not known.
        case largestChange(Measure)
        /// The currencies in a given order, then all others.
        case currencies([CurrencyCode])
    }

    /// The groups by the first criterion that tells two of them apart; equal groups keep their order. Unknown values
    /// are last by each criterion.
    func sorted(by criteria: Criterion...) -> Cube { sorted(by: criteria) }

    func sorted(by criteria: [Criterion]) -> Cube {
        let rankings = criteria.map(ranking)
        let order = groups.indices.sorted { first, second in
            let (left, right) = (groups[first], groups[second])
            for ranking in rankings {
                switch ranking {
                case .numbers(let numbers):
                    if numbers[left] != numbers[right] { return numbers[left] < numbers[right] }
                case .names(let index):
                    let (one, other) = (name(of: left, at: index), name(of: right, at: index))
                    if one != other { return Order.precedes(one, other) }
                }
            }
            return first < second
        }
        var cube = self
        cube.groups = order.map { groups[$0] }
        return cube
    }

    private enum Ranking {
        /// By the number of the group, the first one the smallest.
        case numbers([Int128])
        /// Bytewise by the names of a key.
        case names(at: Int)
    }

    private func ranking(by criterion: Criterion) -> Ranking {
        let unknown = Int128.max
        func numbers(_ number: (Int) -> Int128?) -> Ranking { .numbers((0..<count).map { number($0) ?? unknown }) }
        switch criterion {
        case .key(let key):
            let index = keys.firstIndex(of: key) ?? 0
            guard key.unit != nil else { return .names(at: index) }
            return numbers { group in
                let code = code(of: group, at: index)
                return code == GroupCode.unknown ? nil : Int128(code)
            }
        // The complement of a number puts the largest first, as its negative does, and cannot overflow.
        case .largest(let measure, let side): return numbers { value(measure, of: $0, side: side).map(~) }
        case .largestChange(let measure):
            return numbers { group in
                (change(of: measure, in: group) ?? value(measure, of: group)).map { ~Int128(clamping: $0.magnitude) }
            }
        case .currencies(let order):
            return numbers { currency(of: $0).map { Int128(order.firstIndex(of: $0) ?? order.count) } }
        }
    }
}

extension Cube.Side {
    mutating func fill(to count: Int) {
        sums.append(contentsOf: repeatElement(0, count: (count - missing.count) * fields.count))
        missing.append(contentsOf: repeatElement([], count: count - missing.count))
    }
}

/// A group of a cube, on one of its sides.
struct CubeGroup: FieldValues {
    fileprivate let side: Cube.Side
    fileprivate let group: Int
    let currency: CurrencyCode?

    subscript(_ field: Int) -> Int128 {
        side.fields.place(of: field).map { side.sums[group * side.fields.count + $0] } ?? 0
    }

    var missing: FieldSet { side.missing[group].union(FieldSet.all.subtracting(side.fields)) }
}

extension CurrencyCode {
    /// The currency of a code of ``GroupKey/currency``; `nil` if it is not known.
    init?(groupCode: Int64) {
        // Codes of groups without a currency are negative.
        guard groupCode >= 0 else { return nil }
        self.init(packed: UInt32(truncatingIfNeeded: groupCode))
    }
}
