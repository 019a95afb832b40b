import TillColumns
import TillCore
import TillLedger
import TillPricing
import TillReportModel

/// Values told apart by any number of keys, each value's keys as one path of numbers.
///
///     month 24314 ─┬─ product 17 ─── currency USD → group 0
///                  └─ product 21 ─┬─ currency USD → group 1
///                                 └─ currency JPY → group 2
///
/// Finding a group is a look-up of two numbers for each key, and allocates nothing.
struct GroupTable<Value: Sendable>: Sendable {
    let keys: [GroupKey]
    private let calendar: BookingCalendar
    private let empty: Value
    /// By ``step(_:_:)``: the number of a node or, for the last key, of a group.
    private var steps = IntegerMap<UInt128, Int32>()
    private var nodes: [(parent: Int32, code: Int64)] = []
    private var groups: [(parent: Int32, code: Int64)] = []
    private(set) var values: [Value] = []

    /// - Precondition: there is a key.
    init(by keys: [GroupKey], in calendar: BookingCalendar, empty: Value) {
        precondition(!keys.isEmpty)
        self.keys = keys
        self.calendar = calendar
        self.empty = empty
    }

    /// The value of a group.
    subscript(_ group: Int) -> Value {
        get { values[group] }
        _modify { yield &values[group] }
    }

    /// The group of a transaction, of which something is counted at `date`.
    mutating func group(of transaction: SettledTransaction, at date: Timestamp?) -> Int {
        var node: Int32 = -1
        for index in 0..<(keys.count - 1) {
            let code = SettledLedger.code(of: transaction, by: keys[index], at: date, in: calendar)
            let known = steps[Self.step(node, code), entering: Int32(nodes.count)]
            if known == nodes.count { nodes.append((node, code)) }
            node = known
        }
        let code = SettledLedger.code(of: transaction, by: keys[keys.count - 1], at: date, in: calendar)
        let group = steps[Self.step(node, code), entering: Int32(groups.count)]
        if group == groups.count {
            groups.append((node, code))
            values.append(empty)
        }
        return Int(group)
    }

    /// The way from a node by a code, as one number.
    private static func step(_ parent: Int32, _ code: Int64) -> UInt128 {
        UInt128(UInt32(bitPattern: parent)) << 64 | UInt128(UInt64(bitPattern: code))
    }

    /// The codes of a group, in the order of ``keys``.
    func codes(of group: Int) -> [Int64] {
        var codes = [groups[group].code]
        var node = groups[group].parent
        while node >= 0 {
            codes.append(nodes[Int(node)].code)
            node = nodes[Int(node)].parent
        }
        return codes.reversed()
    }

    /// All groups sorted by their keys, what is not known last.
    func sorted(_ ledger: borrowing SettledLedger) -> [Group] {
        let width = keys.count
        // The codes of all groups in one array, those of a group behind one another; and their ranks likewise.
        var codes: [Int64] = []
        codes.reserveCapacity(values.count * width)
        for group in values.indices { codes += self.codes(of: group) }
        var ranks = Array(repeating: Int32(0), count: codes.count)
        var names: [[String?]] = []
        for index in keys.indices {
            let places = stride(from: index, to: codes.count, by: width)
            let ranked = RankedCodes(places.map { codes[$0] }, by: keys[index], ledger)
            for place in places { ranks[place] = ranked.rank(of: codes[place]) }
            names.append(ranked.names)
        }
        func precedes(_ left: Int, _ right: Int) -> Bool {
            for index in 0..<width where ranks[left * width + index] != ranks[right * width + index] {
                return ranks[left * width + index] < ranks[right * width + index]
            }
            return false
        }
        let order = values.indices.sorted(by: precedes)
        let told = GroupNames(width: width, codes: codes, ranks: ranks, names: names)
        return order.map { Group(number: $0, of: told) }
    }
}

/// The codes that a key has, in the order in which they are told: by time, else by name; what is not known comes last.
private struct RankedCodes {
    /// Ascending, each once.
    private let codes: [Int64]
    /// Of each of ``codes``.
    private let ranks: [Int32]
    /// By rank; `nil` for what is not known.
    let names: [String?]

    init(_ told: [Int64], by key: GroupKey, _ ledger: borrowing SettledLedger) {
        var codes: [Int64] = []
        for code in told.sorted() where code != codes.last { codes.append(code) }
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
        (self.codes, self.ranks, self.names) = (codes, ranks, order.map { names[$0] })
    }

    /// The rank of a code that is among them.
    func rank(of code: Int64) -> Int32 { ranks[codes.partitioningIndex { $0 >= code }] }
}

/// What the groups of a table are told by, in a few bytes for each.
private final class GroupNames: Sendable {
    let width: Int
    /// Those of a group behind one another.
    private let codes: [Int64]
    private let ranks: [Int32]
    /// By key and rank; `nil` for what is not known.
    private let names: [[String?]]

    init(width: Int, codes: [Int64], ranks: [Int32], names: [[String?]]) {
        (self.width, self.codes, self.ranks, self.names) = (width, codes, ranks, names)
    }

    func code(of group: Int, at index: Int) -> Int64 { codes[group * width + index] }

    func name(of group: Int, at index: Int) -> String? { names[index][Int(ranks[group * width + index])] }
}

/// A group of a table, ready to be told.
struct Group {
    let number: Int
    private let told: GroupNames

    fileprivate init(number: Int, of told: GroupNames) {
        (self.number, self.told) = (number, told)
    }

    /// One that stands alone.
    init(code: Int64, name: String?) {
        self.init(number: 0, of: GroupNames(width: 1, codes: [code], ranks: [0], names: [[name]]))
    }

    /// The code of the key at `index`.
    func code(at index: Int) -> Int64 { told.code(of: number, at: index) }

    /// In the order of the keys.
    var codes: [Int64] { (0..<told.width).map { told.code(of: number, at: $0) } }

    /// In the order of the keys; `nil` for what is not known.
    var names: [String?] { (0..<told.width).map { told.name(of: number, at: $0) } }

    /// For an error: `2026-03, coins, USD`.
    var description: String { names.map { $0 ?? "unknown" }.joined(separator: ", ") }

    func cells(by keys: [GroupKey]) -> [Cell] {
        zip(keys, zip(codes, names)).map { key, value in
            guard let name = value.1 else { return .absent }
            return key == .hour ? .instant(Timestamp(milliseconds: value.0)) : .text(name)
        }
    }
}

extension GroupKey {
    var column: Column { Column(rawValue, title, isKey: true) }
}

/// Orders in which what is not known comes last.
enum Order {
    /// Bytewise, as programs sort text.
    static func precedes(_ left: String?, _ right: String?) -> Bool {
        guard let left else { return false }
        return right.map { left.utf8.lexicographicallyPrecedes($0.utf8) } ?? true
    }
}
