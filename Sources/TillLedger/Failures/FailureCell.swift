import TillCore

/// The number of failures of one kind and combination of values in an hour.
///
///     127 108 107    76 75     32 31          0
///     [  0   ][ kind  ][  hour   ][ combination ]
///
/// In this order the cells of a kind are adjacent, hour by hour.
package struct FailureCell: SortedCell {
    let packed: UInt128
    package private(set) var count: Int

    /// - Parameters:
    ///   - kind: the number of a kind in its tally.
    ///   - hour: since 1970; no instant of 64 bits lies in one that needs more than 43 bits.
    ///   - combination: the number of a combination in the tally.
    package init(kind: Int32, hour: Int, combination: Int32, count: Int = 1) {
        let time = UInt128(hour - Self.noHour) << 32
        packed = UInt128(UInt32(bitPattern: kind)) << 76 | time | UInt128(UInt32(bitPattern: combination))
        self.count = count
    }

    /// The hour of failures whose time is not known. It is before every other hour.
    package static let noHour = -1 << 42

    var kind: Int { Int(packed >> 76) }
    package var hour: Int { Int(truncatingIfNeeded: packed >> 32 & (1 << 44 - 1)) + Self.noHour }
    package var combination: Int32 { Int32(truncatingIfNeeded: packed) }

    mutating func join(_ other: FailureCell) { count += other.count }

    /// The same, of another kind.
    func of(kind: Int32) -> FailureCell {
        FailureCell(kind: kind, hour: hour, combination: combination, count: count)
    }
}
