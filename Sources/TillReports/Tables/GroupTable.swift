import TillColumns
import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// The groups of any number of keys, numbered from 0 in order of first appearance.
///
///     month 24314, product 17, currency USD → group 0
///     month 24314, product 21, currency USD → group 1
///     month 24314, product 21, currency JPY → group 2
///
/// Finding a group takes one look-up, and allocates nothing.
struct GroupTable: Sendable {
    let keys: [GroupKey]
    /// The unit of a second time of each group, such as the day of an exchange rate. The caller knows its code.
    let secondTime: CalendarUnit?
    /// The codes of each group, in the order of ``keys``, then the second time; eight bytes a code.
    private var groups = TextDictionary()
    /// The codes of the group that is being looked for.
    private var wanted: [Int64]

    init(by keys: [GroupKey], secondTime: CalendarUnit? = nil) {
        self.keys = keys
        self.secondTime = secondTime
        wanted = Array(repeating: GroupCode.unknown, count: keys.count + (secondTime == nil ? 0 : 1))
    }

    /// The number of codes of a group.
    var width: Int { wanted.count }

    var count: Int { groups.count }

    /// Gives the codes of every group to a coder; gives the number of each group that was visited.
    mutating func visit(_ coder: inout some SumCoder) throws -> [Int] {
        let count = try coder.elements(count)
        var numbers: [Int] = []
        for place in 0..<count {
            for index in keys.indices {
                wanted[index] = coder.isReading ? 0 : code(of: place, at: index)
                try coder.code(&wanted[index], of: keys[index])
            }
            if let secondTime {
                wanted[keys.count] = coder.isReading ? 0 : code(of: place, at: keys.count)
                try coder.timeCode(&wanted[keys.count], of: secondTime)
            }
            numbers.append(coder.isReading ? wantedGroup() : place)
        }
        return numbers
    }

    /// The same table before its first group.
    var empty: GroupTable { GroupTable(by: keys, secondTime: secondTime) }

    /// The group of some codes, as many as ``width``.
    mutating func group(of code: (Int) -> Int64) -> Int {
        for index in wanted.indices { wanted[index] = code(index) }
        return wantedGroup()
    }

    /// The group of a transaction that is booked at `date`.
    ///
    /// - Parameter second: the code of the second time, if groups have one.
    mutating func group(
        of transaction: SettledTransaction,
        at date: Timestamp?,
        second: Int64? = nil,
        in calendar: BookingCalendar
    ) -> Int {
        for index in keys.indices {
            wanted[index] = SettledLedger.code(of: transaction, by: keys[index], at: date, in: calendar)
        }
        if secondTime != nil { wanted[keys.count] = second ?? GroupCode.unknown }
        return wantedGroup()
    }

    private mutating func wantedGroup() -> Int { Self.number(of: wanted, in: &groups) }

    // Static: a span of a member would borrow the whole table.
    private static func number(of codes: [Int64], in groups: inout TextDictionary) -> Int {
        groups.code(for: codes.span.bytes)
    }

    func code(of group: Int, at index: Int) -> Int64 {
        groups.withBytes(of: group) {
            $0.unsafeLoadUnaligned(fromByteOffset: index * MemoryLayout<Int64>.size, as: Int64.self)
        }
    }

    /// The order of the groups in a report, and the names of their codes.
    struct Ranking {
        /// The numbers of the groups, sorted by key after key, unknown codes last.
        let order: [Int]
        /// Group by group the rank of each code among the codes of its key.
        let ranks: [Int32]
        /// By key and rank; `nil` for the unknown code.
        let names: [[String?]]
    }

    /// The codes of a group, as many as ``width``.
    func codes(of group: Int) -> [Int64] { wanted.indices.map { code(of: group, at: $0) } }

    /// Takes time for each code, and for each comparison of distinct names.
    func ranked(_ ledger: borrowing SettledLedger) -> Ranking {
        let keys = keys + [secondTime.map(GroupKey.init)].compactMap(\.self)
        // The codes of all groups in one array, group by group; their ranks likewise.
        var codes: [Int64] = []
        codes.reserveCapacity(count * width)
        for group in 0..<count { for index in keys.indices { codes.append(code(of: group, at: index)) } }
        var ranks = Array(repeating: Int32(0), count: codes.count)
        var names: [[String?]] = []
        for index in keys.indices {
            let places = stride(from: index, to: codes.count, by: width)
            let ranked = RankedCodes(places.lazy.map { codes[$0] }, by: keys[index], ledger)
            for (place, rank) in zip(places, ranked.ranks) { ranks[place] = rank }
            names.append(ranked.names)
        }
        // Sorted by the last key first, because each sort keeps the order of equal ranks. Ranks are dense, so counting
        // them tells the place of each group.
        var order = Array(0..<count)
        for index in keys.indices.reversed() {
            order = order.sorted(byRanksTo: names[index].count) { [ranks] in Int(ranks[$0 * width + index]) }
        }
        return Ranking(order: order, ranks: ranks, names: names)
    }

    /// All groups sorted by their keys, unknown keys last.
    func sorted(_ ledger: borrowing SettledLedger) -> [Group] {
        let ranking = ranked(ledger)
        let codes = (0..<count).flatMap { group in (0..<width).map { code(of: group, at: $0) } }
        let labels = GroupLabels(width: width, codes: codes, ranks: ranking.ranks, names: ranking.names)
        return ranking.order.map { Group(number: $0, of: labels) }
    }
}

/// The distinct codes of a key in the order of the report: units of time by time, other keys by name, unknown ones
/// last.
private struct RankedCodes {
    /// The rank of each of the repeated codes, in their order.
    let ranks: [Int32]
    /// By rank; `nil` for the unknown code.
    let names: [String?]

    init(_ repeated: some Collection<Int64>, by key: GroupKey, _ ledger: borrowing SettledLedger) {
        var codes: [Int64] = []
        var numbers = IntegerMap<Int64, Int>()
        let numbered = repeated.map { code in
            let number = numbers[code, entering: codes.count]
            if number == codes.count { codes.append(code) }
            return number
        }
        var names: [String?] = []
        names.reserveCapacity(codes.count)
        for code in codes { names.append(ledger.name(of: code, by: key)) }
        let order = codes.indices.sorted { left, right in
            guard key.unit != nil else { return Order.precedes(names[left], names[right]) }
            guard codes[left] != GroupCode.unknown else { return false }
            return codes[right] == GroupCode.unknown || codes[left] < codes[right]
        }
        var ranks = Array(repeating: Int32(0), count: codes.count)
        for (rank, index) in order.enumerated() { ranks[index] = Int32(rank) }
        self.ranks = numbered.map { ranks[$0] }
        self.names = order.map { names[$0] }
    }
}

extension [Int] {
    /// Sorted by ranks below `count`; elements of one rank keep their order.
    fileprivate func sorted(byRanksTo count: Int, rank: (Int) -> Int) -> [Int] {
        // The place of the next element of each rank.
        var places = Array(repeating: 0, count: count + 1)
        for element in self { places[rank(element) + 1] += 1 }
        for rank in 0..<count { places[rank + 1] += places[rank] }
        var sorted = self
        for element in self {
            let rank = rank(element)
            sorted[places[rank]] = element
            places[rank] += 1
        }
        return sorted
    }
}

/// The codes and names of all groups of a table, 12 bytes for each key of a group.
private final class GroupLabels: Sendable {
    /// The number of keys.
    let width: Int
    /// Group by group.
    private let codes: [Int64]
    private let ranks: [Int32]
    /// By key and rank; `nil` for the unknown code.
    private let names: [[String?]]

    init(width: Int, codes: [Int64], ranks: [Int32], names: [[String?]]) {
        (self.width, self.codes, self.ranks, self.names) = (width, codes, ranks, names)
    }

    func code(of group: Int, at index: Int) -> Int64 { codes[group * width + index] }

    func name(of group: Int, at index: Int) -> String? { names[index][Int(ranks[group * width + index])] }
}

/// A group of a table with the names of its keys.
struct Group: Sendable {
    let number: Int
    private let labels: GroupLabels

    fileprivate init(number: Int, of labels: GroupLabels) {
        (self.number, self.labels) = (number, labels)
    }

    /// A group that belongs to no table.
    init(codes: [Int64], names: [String?]) {
        let ranks = codes.map { _ in Int32(0) }
        self.init(
            number: 0,
            of: GroupLabels(width: codes.count, codes: codes, ranks: ranks, names: names.map { [$0] })
        )
    }

    /// The code of the key at `index`.
    func code(at index: Int) -> Int64 { labels.code(of: number, at: index) }

    /// The name of the key at `index`; `nil` if it is not known.
    func name(at index: Int) -> String? { labels.name(of: number, at: index) }

    /// In the order of the keys; `nil` for an unknown key.
    var names: [String?] { (0..<labels.width).map(name(at:)) }

    /// For an error: `2026-03, coins, USD`.
    var description: String { names.map { $0 ?? "unknown" }.joined(separator: ", ") }

    /// The cell of `key`, the key at `index`.
    func cell(at index: Int, by key: GroupKey) -> Cell {
        guard let name = name(at: index) else { return .absent }
        return key == .hour ? .instant(Timestamp(milliseconds: code(at: index))) : .text(name)
    }
}

extension GroupKey {
    var heading: Column {
        Column(rawValue, title, isKey: true, texts: self == .month || self == .day ? .dates : .words)
    }
}

extension [GroupKey] {
    /// The place of the longest unit of time among the keys; `nil` if there is none.
    var timeIndex: Int? {
        let units: [GroupKey] = [.month, .week, .day, .hour]
        return units.compactMap(firstIndex(of:)).first
    }

    /// `month, product and currency`
    var titleList: String {
        let titles = map { $0.title.lowercased() }
        guard let last = titles.last, titles.count > 1 else { return titles.first ?? "" }
        return titles.dropLast().joined(separator: ", ") + " and " + last
    }
}

/// Orders in which unknown values come last.
enum Order {
    /// Bytewise, as programs sort text.
    static func precedes(_ left: String?, _ right: String?) -> Bool {
        guard let left else { return false }
        return right.map { left.utf8.lexicographicallyPrecedes($0.utf8) } ?? true
    }
}
