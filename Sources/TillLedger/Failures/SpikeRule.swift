public import TillCore

/// An hour in which a failure came far more often than expected.
public struct Spike: Sendable {
    /// The first instant of the hour.
    public let hour: Timestamp
    /// The domain and code of the failures.
    public let key: FailureKey
    /// Failures in the hour, at least 10; of an hour partly outside the period, only those in the period.
    public let count: Int
    /// Twice the median of the hours before. It is doubled because a median of counts can end in a half.
    public let doubledExpectation: Int
    /// The distance from the expectation in spreads, in millionths, rounded half to even.
    public let zMillionths: Int64
    /// The value whose share of the failures grew most, if any dimension is known.
    public let explanation: Explanation?

    /// A value that many failures of the hour have in common.
    public struct Explanation: Sendable {
        /// The dimension of ``value``; of several with equal growth, the first in the order of ``FailureDimension``.
        public let dimension: FailureDimension
        /// The text of the value; of several with equal growth in one dimension, the first bytewise.
        public let value: String
        /// The number of failures in the hour with the value.
        public let count: Int
    }
}

/// The rule of spikes (`docs/rules.md`).
///
///     expected = median of the same hour of day over the 7 days before
///                (of all earlier hours where fewer than 3 of those days are covered by the log)
///     spread   = max(1.4826 × MAD, √expected, 1)          MAD: median absolute deviation
///     spike    ⇔ count ≥ 10 and (count − expected) / spread ≥ 4
///
/// An hour of silence within the log counts as zero. An hour with none before it has no expectation and is not a spike.
/// The arithmetic is that of IEEE 754 on small integers and one square root, so it is the same everywhere.
///
/// Why: `docs/decisions.md`, Spikes compare with the same hour of other days.
package enum SpikeRule {
    /// The least failures of a spike.
    package static let smallestCount = 10
    /// The least distance of a spike from the expectation, in spreads.
    package static let smallestZ = 4.0
    static let daysBack = 7
    private static let fewestDays = 3
    /// Makes the median absolute deviation an estimate of a standard deviation (of a normal distribution).
    private static let deviationScale = 1.4826

    /// Twice the expectation, and z, for `count` failures in `hour`; `nil` without an earlier hour.
    static func judge(
        count: Int,
        hour: Int,
        hours: [Int: Int],
        firstHour: Int
    ) -> (doubledExpectation: Int, z: Double)? {
        var sample = (1...daysBack).map { hour - 24 * $0 }.filter { $0 >= firstHour }
        if sample.count < fewestDays { sample = Array(firstHour..<max(firstHour, hour)) }
        guard !sample.isEmpty else { return nil }
        let counts = sample.map { hours[$0] ?? 0 }
        let doubled = doubledMedian(of: counts)
        // Of twice the distances from the median, which are integers.
        let quadrupledDeviation = doubledMedian(of: counts.map { abs(2 * $0 - doubled) })
        let expected = Double(doubled) / 2
        let spread = max(deviationScale * Double(quadrupledDeviation) / 4, expected.squareRoot(), 1)
        return (doubled, (Double(count) - expected) / spread)
    }

    private static func doubledMedian(of counts: [Int]) -> Int {
        let sorted = counts.sorted()
        return sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]
    }

    /// The value of a dimension whose share grew most: its share in the hour minus its share over the seven days
    /// before. With equal growth, the first dimension and the first value by text count.
    ///
    /// - Parameters:
    ///   - hours: the number of failures in each hour.
    ///   - cells: those of the failure's code, in order. Cost: that of the cells of eight days.
    static func explain(
        _ hours: [Int: Int],
        _ cells: ArraySlice<FailureCell>,
        _ combinations: CombinationTable,
        hour: Int,
        text: (Int32) -> String
    ) -> Spike.Explanation? {
        let window = (hour - 24 * daysBack)..<hour
        let total = hours[hour] ?? 0
        let before = window.reduce(0) { $0 + (hours[$1] ?? 0) }
        let earlier = values(of: cells.during(window), combinations)
        let candidates = values(of: cells.during(hour..<hour + 1), combinations).map { value, count in
            // Growth of the share times both totals, which are the same for all candidates.
            let growth = Int128(count) * Int128(max(before, 1)) - Int128(earlier[value] ?? 0) * Int128(total)
            return (growth: growth, dimension: value.dimension, value: text(value.text), count: count)
        }
        let best = candidates.min { left, right in
            if left.growth != right.growth { return left.growth > right.growth }
            if left.dimension != right.dimension { return left.dimension.rawValue < right.dimension.rawValue }
            // Bytewise: texts that Unicode holds to be equal are two values.
            return left.value.utf8.lexicographicallyPrecedes(right.value.utf8)
        }
        return best.map { Spike.Explanation(dimension: $0.dimension, value: $0.value, count: $0.count) }
    }

    /// A value of one dimension.
    private struct Value: Hashable {
        let dimension: FailureDimension
        let text: Int32
    }

    /// The number of failures with each value.
    private static func values(of cells: ArraySlice<FailureCell>, _ combinations: CombinationTable) -> [Value: Int] {
        var counts: [Value: Int] = [:]
        for cell in cells where cell.kind == .combination {
            for dimension in FailureDimension.allCases {
                let text = combinations[cell.value][dimension]
                if text >= 0 { counts[Value(dimension: dimension, text: text), default: 0] += cell.count }
            }
        }
        return counts
    }
}
