import TillCore
import TillLedger
import TillPricing

/// The sums of a report: groups of some keys, and in each group the fields of the report.
///
///     product 17, currency USD     sales 3   gross 29.97   refunds 9.99   …      group 0
///     product 21, currency USD     sales 1   gross  4.99   refunds 0.00   …      group 1
///
/// A report fills a cube with bookings, and ``named(by:)`` sorts it when the input is at its end. A cube has one or more
/// *sides*. They have the same groups: for example, one side has the sums of this month and the other the sums of the
/// month before, or one is in the currency of the sale and the other in the base currency.
///
/// A field of a group is unknown while a part of it is missing: an unknown amount is not 0. Cubes are values, and only
/// integers are added, so no result depends on the order of the parts. A group takes 16 bytes for each field that some
/// group of the side has, and some 100 bytes more. Adding, joining and a rollup take time for each group, sorting for
/// each comparison.
struct Cube: Sendable, SumHolder {
    /// The currency of the amounts of a side.
    enum Unit: Sendable {
        /// Each group has its own currency, which is a key of the cube.
        case ofGroup
        case one(CurrencyCode)
    }

    struct Side {
        let unit: Unit
        /// Whether each amount is rounded to the minor unit of its currency when it is read.
        fileprivate(set) var isRounded = false
        /// The fields that some group has. All others are 0.
        fileprivate(set) var fields: FieldSet = []
        /// By field, its place among the sums of a group.
        fileprivate var places: [Int] = []
        fileprivate var width = 0
        /// Group by group.
        fileprivate var sums: [Int128] = []
        /// By group, the fields that have an unknown part.
        fileprivate var missing: [FieldSet] = []
        /// What is not known of a group that nothing was added to.
        fileprivate var unknown: FieldSet = []
    }

    /// The fields that are counted, and the fields that are amounts of money.
    let known: FieldSet
    let amounts: FieldSet
    /// The numbers of all groups, in the order of the cube.
    private(set) var groups: [Int] = []
    private(set) var sides: [Side]
    private var table: GroupTable
    /// By key, names; group by group, which name of its key each code has. Empty until the groups have names.
    private var names: [[String?]]
    private var nameNumbers: [Int32] = []
    /// By group, the first time of a booking, in milliseconds.
    private var firstTimes: [Int64] = []
    private let currencyIndex: Int?

    /// Makes a cube without groups, with one side.
    ///
    /// - Parameters:
    ///   - secondTime: see ``GroupTable/secondTime``.
    ///   - omitted: fields that are not counted.
    init<Field: CubeField>(
        _: Field.Type,
        by keys: [GroupKey],
        secondTime: CalendarUnit? = nil,
        in unit: Unit = .ofGroup,
        without omitted: FieldSet = []
    ) {
        let table = GroupTable(by: keys, secondTime: secondTime)
        self.init(by: table, Field.all.subtracting(omitted), Field.amounts, [unit])
    }

    private init(by table: GroupTable, _ known: FieldSet, _ amounts: FieldSet, _ units: [Unit]) {
        (self.table, self.known, self.amounts) = (table, known, amounts)
        sides = units.map { Side(unit: $0) }
        names = Array(repeating: [], count: table.width)
        currencyIndex = table.keys.firstIndex(of: .currency)
    }

    // MARK: Groups

    var keys: [GroupKey] { table.keys }
    var count: Int { groups.count }
    var isEmpty: Bool { groups.isEmpty }

    func code(of group: Int, at index: Int) -> Int64 { table.code(of: group, at: index) }

    /// The name of the key at `index`; `nil` if it is not known, or before ``named(by:)``.
    func name(of group: Int, at index: Int) -> String? {
        nameNumbers.isEmpty ? nil : names[index][Int(nameNumbers[group * table.width + index])]
    }

    /// For an error: `2026-03, coins, USD`.
    func description(of group: Int) -> String {
        keys.indices.map { name(of: group, at: $0) ?? "unknown" }.joined(separator: ", ")
    }

    /// The code of the second time, and its name; `nil` if it is not known.
    func secondCode(of group: Int) -> Int64? {
        let code = code(of: group, at: keys.count)
        return code == GroupCode.unknown ? nil : code
    }
    func secondName(of group: Int) -> String? { name(of: group, at: keys.count) }

    /// The first time of a booking; `nil` if none has one.
    func firstTime(of group: Int) -> Timestamp? {
        firstTimes[group] == .max ? nil : Timestamp(milliseconds: firstTimes[group])
    }

    /// The currency of the amounts of a group; `nil` if it is not known.
    func currency(of group: Int, side: Int = 0) -> CurrencyCode? {
        guard case .ofGroup = sides[side].unit else { return currency(ofSide: side) }
        return currencyIndex.flatMap { CurrencyCode(groupCode: code(of: group, at: $0)) }
    }

    /// The currency that all amounts of a side have; `nil` if each group has its own.
    func currency(ofSide side: Int) -> CurrencyCode? {
        if case .one(let currency) = sides[side].unit { currency } else { nil }
    }

    subscript(_ group: Int, side: Int) -> CubeGroup {
        CubeGroup(
            side: sides[side],
            amounts: amounts,
            group: group,
            isMixed: currencyIndex == nil && currency(ofSide: side) == nil,
            currency: currency(of: group, side: side)
        )
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

    /// The group with some codes, in the order of ``keys``; `nil` if there is none.
    func group(with codes: [Int64]) -> Int? {
        groups.first { group in keys.indices.allSatisfy { code(of: group, at: $0) == codes[$0] } }
    }

    // MARK: Adding

    /// Adds a booking to its group; gives the number of the group.
    ///
    /// - Parameter second: the code of the second time, if groups have one.
    @discardableResult
    mutating func add(
        _ values: some FieldValues,
        of transaction: SettledTransaction,
        at date: Timestamp?,
        second: Int64? = nil,
        in calendar: BookingCalendar
    ) -> Int {
        let group = table.group(of: transaction, at: date, second: second, in: calendar)
        if group == groups.count { appendGroup() }
        if let date { firstTimes[group] = min(firstTimes[group], date.milliseconds) }
        add(values, to: group)
        return group
    }

    /// The number of the group with some codes, in the order of ``keys``, and with some second time. The fields of a new
    /// group are 0.
    mutating func group(code: (Int) -> Int64, name: (Int) -> String?) -> Int {
        let group = table.group(of: code)
        if group == count {
            appendGroup()
            for index in names.indices {
                nameNumbers.append(Int32(names[index].count))
                names[index].append(name(index))
            }
        }
        return group
    }

    private mutating func appendGroup() {
        groups.append(groups.count)
        firstTimes.append(.max)
        for side in sides.indices { sides[side].appendGroup() }
    }

    /// Adds values to the fields of a group.
    mutating func add(_ values: some FieldValues, to group: Int, side: Int = 0) {
        sides[side].add(values, values.fields.intersection(known), to: group)
    }

    /// The sums of all groups are passed to a coder; a reader adds them.
    mutating func visitSums(_ coder: inout some SumCoder) throws {
        for group in try table.visit(&coder) {
            if group == count { appendGroup() }
            try sides[0].visitSums(of: group, known, amounts, &coder)
            // An amount in an unknown currency is not known, whatever a file says.
            if currencyIndex != nil, currency(of: group) == nil { forget(amounts, of: group, side: 0) }
            var first = firstTime(of: group)
            try coder.earlier(&first)
            if let first { firstTimes[group] = first.milliseconds }
        }
    }

    // MARK: Cubes of a cube

    /// The groups sorted by key after key, then by the second time, with the names of their codes.
    func named(by ledger: borrowing SettledLedger) -> Cube {
        let ranking = table.ranked(ledger)
        var cube = self
        (cube.groups, cube.names, cube.nameNumbers) = (ranking.order, ranking.names, ranking.ranks)
        return cube
    }

    /// The same with amounts that are rounded, half to even, to the minor unit of their currency.
    ///
    /// They are rounded each time when they are read, so that a million groups are not copied.
    var rounded: Cube {
        var cube = self
        for side in sides.indices { cube.sides[side].isRounded = true }
        return cube
    }

    /// The sums of the groups that agree in `kept`, in the order in which they first appear. Without keys there is one
    /// group for all, also if the cube is empty.
    ///
    /// Amounts in several currencies have no sum: without the currency of its groups, a side has no known amount.
    func rollup(to kept: [GroupKey], where isIncluded: (Int) -> Bool = { _ in true }) -> Cube {
        var cube = rolledUp(to: kept, where: isIncluded).cube
        if kept.isEmpty { _ = cube.group(code: { _ in 0 }, name: { _ in nil }) }
        return cube
    }

    /// The rollup, and by the number of each group its number there; -1 if it is left out.
    func rolledUp(
        to kept: [GroupKey],
        keepsSecondTime: Bool = false,
        where isIncluded: (Int) -> Bool = { _ in true }
    ) -> (cube: Cube, numbers: [Int]) {
        let places = kept.compactMap(keys.firstIndex(of:)) + (keepsSecondTime ? [keys.count] : [])
        precondition(kept.allSatisfy(keys.contains), "a rollup has only keys of the cube")
        let table = GroupTable(by: kept, secondTime: keepsSecondTime ? table.secondTime : nil)
        var cube = Cube(by: table, known, amounts, sides.map(\.unit))
        var numbers = Array(repeating: -1, count: count)
        for group in groups where isIncluded(group) {
            numbers[group] = cube.add(group, of: self, by: places)
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
        for side in other?.sides ?? [sides[0]] {
            var added = Side(unit: side.unit, unknown: other == nil ? .all : [])
            for _ in groups { added.appendGroup() }
            cube.sides.append(added)
        }
        guard let other else { return cube }
        precondition(keys == other.keys, "cubes side by side have the same keys")
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

    /// A cube without groups that has the same keys and sides, or one side in another currency.
    func empty(in unit: Unit? = nil) -> Cube {
        Cube(by: table.empty, known, amounts, unit.map { [$0] } ?? sides.map(\.unit))
    }

    /// Adds a group of another cube to the group with the same codes; gives its number.
    ///
    /// - Parameters:
    ///   - first: the side that gets the first side of the other cube.
    ///   - places: by key of this cube, the place of the key in the other; `nil` if they are the same.
    @discardableResult
    mutating func add(_ other: Int, of cube: Cube, fromSide first: Int = 0, by places: [Int]? = nil) -> Int {
        let group = group(
            code: { cube.code(of: other, at: places?[$0] ?? $0) },
            name: { cube.name(of: other, at: places?[$0] ?? $0) }
        )
        addSides(of: other, in: cube, to: group, from: first)
        return group
    }

    /// Adds all sides of a group of another cube to a group.
    mutating func addSides(of other: Int, in cube: Cube, to group: Int, from first: Int = 0) {
        firstTimes[group] = min(firstTimes[group], cube.firstTimes[other])
        for side in cube.sides.indices { add(cube[other, side], to: group, side: first + side) }
    }

    // MARK: Order

    enum Criterion {
        /// Time by time, other keys by name.
        case key(GroupKey)
        case secondTime
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
        case .secondTime: return numbers { secondCode(of: $0).map { Int128($0) } }
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
    fileprivate mutating func appendGroup() {
        sums.append(contentsOf: repeatElement(0, count: width))
        missing.append(unknown)
    }

    /// Makes room for fields.
    fileprivate mutating func include(_ others: FieldSet) {
        guard !others.isSubset(of: fields) else { return }
        let old = self
        fields.formUnion(others)
        width = fields.count
        places = (0..<FieldSet.all.count).map { fields.place(of: $0) ?? 0 }
        sums = Array(repeating: 0, count: missing.count * width)
        for group in missing.indices {
            for field in old.fields.numbers { sums[group * width + places[field]] = old[field, of: group] }
        }
    }

    /// Adds some fields, which are all that differ from 0.
    fileprivate mutating func add(_ values: some FieldValues, _ added: FieldSet, to group: Int) {
        include(added)
        missing[group].formUnion(values.missing)
        let (start, places) = (group * width, places)
        // A span is checked once to be the only owner, and not for each field.
        var span = sums.mutableSpan
        for field in added.numbers { span[start + places[field]] += values[field] }
    }

    fileprivate subscript(_ field: Int, of group: Int) -> Int128 {
        fields.contains(field) ? sums[group * width + places[field]] : 0
    }

    /// Passes the set of the fields that are not 0, the value of each, and the set of the fields with an unknown part.
    fileprivate mutating func visitSums(
        of group: Int,
        _ known: FieldSet,
        _ amounts: FieldSet,
        _ coder: inout some SumCoder
    ) throws {
        var visited = coder.isReading ? FieldSet() : fields.filter { self[$0, of: group] != 0 }
        try visited.visit(among: known, &coder)
        include(visited)
        for field in visited.numbers {
            let place = group * width + places[field]
            if amounts.contains(field) {
                try coder.add(&sums[place])
            } else {
                var count = Int64(clamping: sums[place])
                try coder.add(&count)
                sums[place] = Int128(count)
            }
        }
        var unknown = coder.isReading ? FieldSet() : missing[group].intersection(known)
        try unknown.visit(among: known, &coder)
        missing[group].formUnion(unknown)
    }
}

extension FieldSet {
    fileprivate func filter(_ isIncluded: (Int) -> Bool) -> FieldSet {
        numbers.reduce(into: FieldSet()) { if isIncluded($1) { $0.formUnion(FieldSet(rawValue: 1 << UInt64($1))) } }
    }

    /// Passes the set to a coder; a reader replaces it.
    fileprivate mutating func visit(among known: FieldSet, _ coder: inout some SumCoder) throws {
        var bits = Int64(bitPattern: rawValue)
        try coder.value(&bits)
        self = FieldSet(rawValue: UInt64(bitPattern: bits))
        guard isSubset(of: known) else { throw coder.refusal("a field that no figure has") }
    }
}

/// A group of a cube, on one of its sides.
struct CubeGroup: FieldValues {
    fileprivate let side: Cube.Side
    /// The fields that are amounts of money.
    let amounts: FieldSet
    fileprivate let group: Int
    /// Whether the currency of the amounts was a key and is no longer.
    fileprivate let isMixed: Bool
    let currency: CurrencyCode?

    subscript(_ field: Int) -> Int128 {
        let sum = side[field, of: group]
        guard side.isRounded, sum != 0, amounts.contains(field), let currency else { return sum }
        return Money(millionths: sum, currency: currency).roundedToMinorUnit.millionths
    }

    var fields: FieldSet { side.fields }

    /// The fields of which a part is missing.
    var partlyMissing: FieldSet { side.missing[group] }

    /// The same; and all amounts, if the group mixes currencies.
    var missing: FieldSet { isMixed ? partlyMissing.union(amounts) : partlyMissing }
}

extension CurrencyCode {
    /// The currency of a code of ``GroupKey/currency``; `nil` if it is not known.
    init?(groupCode: Int64) {
        // Codes of groups without a currency are negative.
        guard groupCode >= 0 else { return nil }
        self.init(packed: UInt32(truncatingIfNeeded: groupCode))
    }
}
