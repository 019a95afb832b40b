import TillColumns
import TillLedger
import TillPricing

/// The place of a sum: a group of rows, a month or week, and the day or month whose exchange rate applies.
///
///     group 32 bits │ unit 48 bits │ rate 48 bits
///
/// Days of 64-bit milliseconds are fewer than 2³⁸, so all codes fit.
struct DeferralKey: Hashable, Sendable {
    var group: Int
    /// ``GroupCode/unknown`` if bookings have no date.
    var unit: Int64
    /// `nil` if nothing is converted, or where the purchase has no date.
    var rate: Int64?

    private static let mask: UInt128 = 1 << 48 - 1
    /// The code of an unknown value.
    private static let none: UInt128 = 1 << 47

    init(group: Int, unit: Int64, rate: Int64?) {
        (self.group, self.unit, self.rate) = (group, unit, rate)
    }

    init(packed: UInt128) {
        func code(_ bits: UInt128) -> Int64? {
            let bits = bits & Self.mask
            return bits == Self.none ? nil : Int64(bitPattern: UInt64(bits) << 16) >> 16
        }
        group = Int(packed >> 96)
        unit = code(packed >> 48) ?? GroupCode.unknown
        rate = code(packed)
    }

    var packed: UInt128 {
        func bits(_ code: Int64) -> UInt128 { UInt128(UInt64(bitPattern: code)) & Self.mask }
        let unit = unit == GroupCode.unknown ? Self.none : bits(unit)
        return UInt128(group) << 96 | unit << 48 | (rate.map(bits) ?? Self.none)
    }
}

/// Sums of movements by ``DeferralKey``.
struct DeferralCells: Sendable {
    struct Cell: Summed, Sendable {
        var billed: Int128 = 0
        var refunds: Int128 = 0
        var earned: Int128 = 0
        var closing: Int128 = 0
        /// Sales, refunds and reversals, each 1.
        var bookings: Int64 = 0

        var isZero: Bool { billed == 0 && refunds == 0 && earned == 0 && closing == 0 }

        static func += (left: inout Cell, right: Cell) {
            left.billed += right.billed
            left.refunds += right.refunds
            left.earned += right.earned
            left.closing += right.closing
            left.bookings += right.bookings
        }

        mutating func visitSums(_ coder: inout some SumCoder) throws {
            try coder.add(&billed)
            try coder.add(&refunds)
            try coder.add(&earned)
            try coder.add(&closing)
            try coder.add(&bookings)
        }
    }

    private var numbers = IntegerMap<UInt128, Int32>()
    private var cells: [Cell] = []

    var count: Int { cells.count }

    mutating func add(_ cell: Cell, at key: DeferralKey) {
        let number = Int(numbers[key.packed, entering: Int32(cells.count)])
        if number == cells.count { cells.append(Cell()) }
        cells[number] += cell
    }

    /// - Parameters:
    ///   - groups: the numbers of the groups that were visited.
    ///   - units: those of the keys' units and rates.
    mutating func visitSums(
        _ coder: inout some SumCoder,
        of groups: [Int],
        _ units: (unit: CalendarUnit, rate: CalendarUnit)
    ) throws {
        var sums: [DeferralKey: Cell] = [:]
        if !coder.isReading { visit { sums[$0] = $1 } }
        let blank = DeferralKey(group: 0, unit: GroupCode.unknown, rate: nil)
        try coder.table(&sums, blank: blank) { key, coder in
            try coder.number(&key.group, among: groups)
            try coder.timeCode(&key.unit, of: units.unit)
            try coder.timeCode(&key.rate, of: units.rate)
        }
        guard coder.isReading else { return }
        for (key, cell) in sums { add(cell, at: key) }
    }

    /// The sums of a unit and of those after it.
    func from(unit first: Int64) -> DeferralCells {
        var later = DeferralCells()
        visit { if $0.unit >= first { later.add($1, at: $0) } }
        return later
    }

    /// Gives every key and its sum to `body`, in no particular order.
    func visit(_ body: (DeferralKey, Cell) -> Void) {
        numbers.visit { body(DeferralKey(packed: $0), cells[Int($1)]) }
    }
}
