import TillCore
import TillLedger

/// The groups of a table in the order of the report, which has a unit of time somewhere among their keys.
struct OrderedGroups {
    struct Place {
        /// Equal for groups with the same keys before the unit of time, and in their order.
        var prefix: Int32 = 0
        var rank: Int32 = 0
    }

    private var groups: [Group] = []
    private var places: [Place]
    private let currencyIndex: Int

    /// - Parameter timeIndex: the number of keys before the unit of time.
    init(_ table: GroupTable, before timeIndex: Int, _ ledger: borrowing SettledLedger) {
        currencyIndex = table.keys.firstIndex(of: .currency) ?? 0
        let sorted = table.sorted(ledger)
        places = Array(repeating: Place(), count: sorted.count)
        var byNumber: [Group?] = Array(repeating: nil, count: sorted.count)
        var (prefix, codes): (Int32, [Int64]) = (0, [])
        for (rank, group) in sorted.enumerated() {
            let leading = (0..<timeIndex).map(group.code(at:))
            if rank > 0, leading != codes { prefix += 1 }
            codes = leading
            places[group.number] = Place(prefix: prefix, rank: Int32(rank))
            byNumber[group.number] = group
        }
        groups = byNumber.compactMap(\.self)
    }

    func group(_ number: Int) -> Group { groups[number] }

    func place(of number: Int) -> Place { places[number] }

    func currency(of number: Int) -> CurrencyCode? {
        let code = groups[number].code(at: currencyIndex)
        return code == GroupCode.unknown ? nil : CurrencyCode(packed: UInt32(truncatingIfNeeded: code))
    }
}
