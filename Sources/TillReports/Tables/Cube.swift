import TillColumns
import TillCore
import TillLedger

/// The sums of a report: groups of some keys, and in each group the fields of the report.
///
///     product 17, currency USD     sales 3   gross 29.97   refunds 9.99   …      group 0
///     product 21, currency USD     sales 1   gross  4.99   refunds 0.00   …      group 1
///
/// A cube has one or more *sides*. They have the same groups and the same fields, for example of this month and of the
/// month before, or in the currency of the sale and in the base currency.
///
/// A field of a group is unknown while a part of it is missing: an unknown amount is not 0. All functions give a new
/// cube and add integers only, so no result depends on the order of the parts. A group takes 16 bytes for each field
/// of each side, and some 100 bytes more.
struct Cube: Sendable {
    /// The currency of the amounts of a side.
    enum Unit: Sendable {
        /// Each group has its own currency, which is a key of the cube.
        case ofGroup
        case one(CurrencyCode)
    }

    fileprivate struct Side {
        let unit: Unit
        /// Group by group.
        var sums: [Int128] = []
        /// By group.
        var states: [FieldState] = []
    }

    let keys: [GroupKey]
    private(set) var count = 0
    fileprivate let width: Int
    private let amounts: FieldSet
    fileprivate var sides: [Side]
    /// The numbers of the groups, by the bytes of their codes.
    private var numbers = TextDictionary()
    /// Group by group, in the order of ``keys``.
    private var codes: [Int64] = []
    private var names: [String?] = []
    /// The codes of the group that is being looked for.
    private var wanted: [Int64]

    /// Makes a cube without groups, with one side.
    init<Field: CubeField>(_ fields: Field.Type, by keys: [GroupKey], in unit: Unit) {
        self.init(width: Field.allCases.count, amounts: Field.amounts, by: keys, sides: [Side(unit: unit)])
    }

    private init(width: Int, amounts: FieldSet, by keys: [GroupKey], sides: [Side]) {
        (self.width, self.amounts, self.keys, self.sides) = (width, amounts, keys, sides)
        wanted = Array(repeating: 0, count: keys.count)
    }

    // MARK: Groups

    var groups: Range<Int> { 0..<count }
    var isEmpty: Bool { count == 0 }

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

    subscript(_ group: Int, side: Int) -> CubeGroup { CubeGroup(cube: self, group: group, side: side) }

    /// `nil` if the measure is not known.
    func value(_ measure: Measure, of group: Int, side: Int = 0) -> Int128? { measure.value(of: self[group, side]) }

    /// The difference of a measure between side 0 and side 1; `nil` if one of the two is not known.
    func change(of measure: Measure, in group: Int) -> Int128? {
        guard let now = value(measure, of: group), let before = value(measure, of: group, side: 1) else { return nil }
        return now - before
    }

    /// The sum of a field over all groups, as far as it is known.
    func total(_ field: some CubeField, side: Int = 0) -> Int128 {
        groups.reduce(0) { $0 + sides[side].sums[$1 * width + field.rawValue] }
    }

    // MARK: Adding

    /// The number of the group with some codes, in the order of ``keys``. The fields of a new group are 0.
    mutating func group(code: (Int) -> Int64, name: (Int) -> String?) -> Int {
        for index in keys.indices { wanted[index] = code(index) }
        let group = Self.number(of: wanted, in: &numbers)
        if group == count {
            count += 1
            codes += wanted
            for index in keys.indices { names.append(name(index)) }
            for side in sides.indices { sides[side].fill(to: count, width: width) }
        }
        return group
    }

    // Static: a span of a member would borrow the whole cube.
    private static func number(of codes: [Int64], in numbers: inout TextDictionary) -> Int {
        numbers.code(for: codes.span.bytes)
    }

    /// Adds values to the fields of a group.
    mutating func add(_ values: some FieldValues, to group: Int, side: Int = 0) {
        let first = group * width
        for field in 0..<width { sides[side].sums[first + field] += values[field] }
        sides[side].states[group].formUnion(values.state)
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

    /// The rollup, and for each group its number there.
    func rolledUp(to kept: [GroupKey]) -> (cube: Cube, numbers: [Int]) {
        let places = kept.compactMap(keys.firstIndex(of:))
        precondition(places.count == kept.count, "a rollup has only keys of the cube")
        var cube = empty(by: kept)
        let numbers = groups.map { group in
            let place = cube.group(
                code: { code(of: group, at: places[$0]) },
                name: { name(of: group, at: places[$0]) }
            )
            cube.addSides(of: group, in: self, to: place)
            return place
        }
        guard !kept.contains(.currency) else { return (cube, numbers) }
        for side in sides.indices {
            guard case .ofGroup = sides[side].unit else { continue }
            for group in cube.groups { cube.sides[side].states[group].lose(amounts) }
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
            var side = Side(unit: sides[0].unit)
            side.fill(to: count, width: width)
            for group in groups { side.states[group].lose(.all) }
            cube.sides.append(side)
            return cube
        }
        precondition(keys == other.keys && width == other.width, "cubes side by side have the same keys and fields")
        for side in other.sides {
            cube.sides.append(Side(unit: side.unit))
            cube.sides[cube.sides.count - 1].fill(to: count, width: width)
        }
        for group in other.groups { cube.add(group, of: other, fromSide: sides.count) }
        return cube
    }

    /// Makes all fields of a group unknown on a side.
    mutating func forget(_ group: Int, side: Int) { sides[side].states[group].lose(.all) }

    /// The cube with one of its sides.
    func only(side: Int) -> Cube {
        var cube = self
        cube.sides = [sides[side]]
        return cube
    }

    /// A cube without groups that has the same sides.
    func empty(by keys: [GroupKey]? = nil) -> Cube {
        Cube(width: width, amounts: amounts, by: keys ?? self.keys, sides: sides.map { Side(unit: $0.unit) })
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
        let comparisons = criteria.map(comparison)
        return selecting(
            groups.sorted { left, right in
                for comparison in comparisons { if let precedes = comparison(left, right) { return precedes } }
                return left < right
            }
        )
    }

    /// Whether one group precedes another; `nil` if the criterion does not tell them apart.
    private typealias Comparison = (_ left: Int, _ right: Int) -> Bool?

    private func comparison(by criterion: Criterion) -> Comparison {
        switch criterion {
        case .key(let key):
            let index = keys.firstIndex(of: key) ?? 0
            guard key.unit != nil else {
                return comparison(of: groups.map { name(of: $0, at: index) }) { Order.precedes($0, $1) }
            }
            let codes = groups.map { code(of: $0, at: index) }
            return comparison(of: codes.map { $0 == GroupCode.unknown ? nil : $0 }, by: <)
        case .largest(let measure, let side):
            return comparison(of: groups.map { value(measure, of: $0, side: side) }, by: >)
        case .largestChange(let measure):
            let sizes = groups.map { (change(of: measure, in: $0) ?? value(measure, of: $0))?.magnitude }
            return comparison(of: sizes, by: >)
        case .currencies(let order):
            let places = groups.map { currency(of: $0).map { order.firstIndex(of: $0) ?? order.count } }
            return comparison(of: places, by: <)
        }
    }

    private func comparison<Value>(of values: [Value?], by precedes: @escaping (Value, Value) -> Bool) -> Comparison {
        { left, right in
            guard let first = values[left] else { return values[right] == nil ? nil : false }
            guard let second = values[right] else { return true }
            return precedes(first, second) ? true : precedes(second, first) ? false : nil
        }
    }
}

extension Cube.Side {
    mutating func fill(to count: Int, width: Int) {
        sums.append(contentsOf: repeatElement(0, count: (count - states.count) * width))
        states.append(contentsOf: repeatElement(FieldState(), count: count - states.count))
    }
}

/// A group of a cube, on one of its sides.
struct CubeGroup: FieldValues {
    fileprivate let cube: Cube
    fileprivate let group: Int
    fileprivate let side: Int

    subscript(_ field: Int) -> Int128 { cube.sides[side].sums[group * cube.width + field] }
    var state: FieldState { cube.sides[side].states[group] }
    var currency: CurrencyCode? { cube.currency(of: group, side: side) }
}

extension CurrencyCode {
    /// The currency of a code of ``GroupKey/currency``; `nil` if it is not known.
    init?(groupCode: Int64) {
        // Codes of groups without a currency are negative.
        guard groupCode >= 0 else { return nil }
        self.init(packed: UInt32(truncatingIfNeeded: groupCode))
    }
}
