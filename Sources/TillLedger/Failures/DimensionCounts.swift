import TillColumns
import TillCore

/// How many failures each value of each dimension had in each hour.
struct DimensionCounts: Sendable {
    struct Entry: Sendable {
        /// The number of the hour since 1970.
        var hour: Int
        /// A ``FailureDimension``.
        var dimension: Int
        /// A code of the ledger's dictionary.
        var value: Int32
        var count: Int
    }

    /// By hour, dimension and value, one behind the other in one number.
    private var counts = IntegerMap<UInt128, Int>()

    var count: Int { counts.count }

    mutating func add(_ entry: Entry) {
        let value = UInt64(entry.dimension) << 32 | UInt64(UInt32(bitPattern: entry.value))
        let key = UInt128(UInt64(bitPattern: Int64(entry.hour))) << 64 | UInt128(value)
        counts.add(entry.count, to: key)
    }

    func visit(_ body: (Entry) -> Void) {
        counts.visit { key, count in
            let (hour, value) = (UInt64(key >> 64), UInt64(truncatingIfNeeded: key))
            body(
                Entry(
                    hour: Int(Int64(bitPattern: hour)),
                    dimension: Int(value >> 32),
                    value: Int32(truncatingIfNeeded: value),
                    count: count
                )
            )
        }
    }

    /// All entries by hour, dimension and value.
    var sorted: [Entry] {
        var entries: [Entry] = []
        entries.reserveCapacity(count)
        visit { entries.append($0) }
        return entries.sorted { ($0.hour, $0.dimension, $0.value) < ($1.hour, $1.dimension, $1.value) }
    }
}

extension [DimensionCounts.Entry] {
    /// Those of some hours, of entries that are sorted.
    func during(_ hours: Range<Int>) -> ArraySlice<DimensionCounts.Entry> {
        let first = partitioningIndex { $0.hour >= hours.lowerBound }
        return self[first..<partitioningIndex { $0.hour >= hours.upperBound }]
    }
}
