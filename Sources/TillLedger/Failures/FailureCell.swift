import TillColumns
import TillCore

/// The number of failures of a code in an hour, with a combination of values, or of a class.
///
///     127   110 109     78 77     35 34   32 31      0
///     [    0   ][ number ][  hour  ][  kind ][ value ]
///
/// In this packing, the cells of a code are adjacent and in order: the classes, then for each hour the combinations and
/// the count of the hour.
package struct FailureCell: Sendable {
    package enum Kind: UInt8, Sendable {
        /// Failures of an hour with one combination of values; without an hour, those whose time is not known.
        case combination
        /// All failures of an hour.
        case hour
        /// All failures of a class, whenever they were.
        case failureClass
    }

    private(set) var packed: UInt128
    package var count: Int

    /// - Parameters:
    ///   - number: of the code, from 0 to 2³² − 2.
    ///   - hour: since 1970; no instant of 64 bits lies in one that needs more than 43 bits.
    ///   - value: the number of a combination, or the text of a class; of an hour 0.
    package init(_ number: Int, _ kind: Kind, hour: Int? = nil, value: Int32 = 0, count: Int = 1) {
        let high = UInt128(number + 1) << 78 | UInt128((hour ?? Self.noHour) - Self.noHour) << 35
        packed = high | UInt128(kind.rawValue) << 32 | UInt128(UInt32(bitPattern: value))
        self.count = count
    }

    init(packed: UInt128, count: Int) {
        (self.packed, self.count) = (packed, count)
    }

    /// The hour of failures with an unknown time. It is before every other hour.
    package static let noHour = -1 << 42

    /// The number of the code in its tally.
    var number: Int {
        get { Int(packed >> 78) - 1 }
        set { packed = packed & (1 << 78 - 1) | UInt128(newValue + 1) << 78 }
    }

    /// The number of the hour since 1970; ``noHour`` for a class.
    package var hour: Int { Int(packed >> 35 & (1 << 43 - 1)) + Self.noHour }

    package var kind: Kind { Kind(rawValue: UInt8(packed >> 32 & 7)) ?? .hour }

    /// The number of a combination in its tally, or the text of a class in the ledger's dictionary.
    package var value: Int32 {
        get { Int32(truncatingIfNeeded: packed) }
        set { packed = (packed >> 32) << 32 | UInt128(UInt32(bitPattern: newValue)) }
    }

    /// Merges the cells of two sorted lists; equal cells are added.
    static func joined(_ left: ArraySlice<FailureCell>, _ right: ArraySlice<FailureCell>) -> [FailureCell] {
        var joined: [FailureCell] = []
        joined.reserveCapacity(left.count + right.count)
        var (first, second) = (left.startIndex, right.startIndex)
        while first < left.endIndex || second < right.endIndex {
            let takesLeft =
                second == right.endIndex || first < left.endIndex && left[first].packed <= right[second].packed
            let cell = takesLeft ? left[first] : right[second]
            if takesLeft { first += 1 } else { second += 1 }
            if let last = joined.indices.last, joined[last].packed == cell.packed {
                joined[last].count += cell.count
            } else {
                joined.append(cell)
            }
        }
        return joined
    }

    /// The same for cells of one code, which has another number in each list.
    static func joined(
        ofCode left: ArraySlice<FailureCell>,
        _ right: ArraySlice<FailureCell>
    ) -> ArraySlice<FailureCell> {
        guard let number = left.first?.number, !right.isEmpty else { return left.isEmpty ? right : left }
        let renumbered = right.map { cell in
            var cell = cell
            cell.number = number
            return cell
        }
        return joined(left, renumbered[...])[...]
    }

    /// The same with the texts of another dictionary, and the combinations of another tally.
    ///
    /// - Parameter combinations: the numbers there, by those here.
    func translated(_ translation: TextTranslation, _ combinations: [Int32]) -> FailureCell {
        var cell = self
        switch kind {
        case .combination: cell.value = combinations[Int(value)]
        case .failureClass: cell.value = translation.text(value)
        case .hour: break
        }
        return cell
    }
}

extension RandomAccessCollection<FailureCell> where Index == Int {
    /// The cells of some hours; the cells must be of one code and sorted.
    func during(_ hours: Range<Int>) -> SubSequence {
        let first = partitioningIndex { $0.hour >= hours.lowerBound }
        return self[first..<partitioningIndex { $0.hour >= hours.upperBound }]
    }
}
