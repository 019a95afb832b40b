import TillColumns
import TillCore

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A value, or a pair of values of two dimensions, that is more frequent in an incident than among all events before
/// it.
public struct Cause: Hashable, Sendable {
    /// A value of one dimension, such as an app version.
    public struct Value: Hashable, Sendable {
        /// The dimension of ``text``; of a pair, the first value has the earlier dimension.
        public let dimension: FailureDimension
        /// The value as the events have it.
        public let text: String
    }

    /// A share as a fraction.
    public struct Share: Hashable, Sendable {
        /// The number of records with the values.
        public let part: Int
        /// The number of records in all.
        public let whole: Int

        var quotient: Double { Double(part) / Double(whole) }
    }

    /// One or two.
    public let values: [Value]
    /// The incident's failures with these values, among those with known dimensions.
    public let share: Share
    /// Events of the day before with these values, among those with known dimensions; each seen value counts once more.
    public let usualShare: Share
    /// In millionths, rounded half to even.
    public let scoreMillionths: Int64
}

/// The rule that finds the causes of an incident (`docs/rules.md`).
///
///     p     = share of the value in the incident's failures with known dimensions
///     q     = (n + 1) / (N + values), its share in all events of the 24 hours before
///     score = p log2(p / q) + (1 − p) log2((1 − p) / (1 − q))  where p > q, else 0
///
/// The same holds for each pair of values of two dimensions. Equal scores go to a value before a pair, then by
/// dimension, then by value.
enum CauseRule {
    static let mostCauses = 5
    static let hoursBefore = 24

    /// One or two dimensions, the first of them before the second; the ones before the pairs.
    static let dimensionSets: [[FailureDimension]] = {
        let all = FailureDimension.allCases
        let pairs = all.flatMap { first in all.filter { $0.rawValue > first.rawValue }.map { [first, $0] } }
        return all.map { [$0] } + pairs
    }()

    /// Records by combination.
    typealias Counts = [(combination: Combination, count: Int)]

    /// A candidate; texts are codes of a dictionary.
    private struct Candidate {
        let order: Int
        let texts: [Int32]
        let share: Cause.Share
        let usualShare: Cause.Share
        let score: Double
    }

    static func score(_ share: Cause.Share, _ usual: Cause.Share) -> Double {
        let (p, q) = (share.quotient, usual.quotient)
        guard p > q else { return 0 }
        let rest = p < 1 ? (1 - p) * log2((1 - p) / (1 - q)) : 0
        return p * log2(p / q) + rest
    }

    /// The causes of an incident, the best first.
    ///
    /// - Parameters:
    ///   - failures: those of the incident.
    ///   - before: all events of the ``hoursBefore`` hours before it.
    ///   - text: gives the text of a code.
    static func causes(of failures: Counts, before: Counts, text: (Int32) -> String) -> [Cause] {
        var best: [Candidate] = []
        for (order, dimensions) in dimensionSets.enumerated() {
            // Equal scores are ordered by text, which needs all texts.
            var candidates = candidates(failures, before, dimensions, order)
            candidates.sort { $0.score > $1.score }
            if candidates.count > mostCauses {
                let least = candidates[mostCauses - 1].score
                candidates.removeSubrange(candidates.partitioningIndex { $0.score < least }...)
            }
            best += candidates
        }
        return best.map { ($0, $0.texts.map(text)) }.sorted { left, right in
            if left.0.score != right.0.score { return left.0.score > right.0.score }
            if left.0.order != right.0.order { return left.0.order < right.0.order }
            return precede(left.1, right.1)
        }.prefix(mostCauses).map { candidate, texts in
            Cause(
                values: zip(dimensionSets[candidate.order], texts).map { Cause.Value(dimension: $0, text: $1) },
                share: candidate.share,
                usualShare: candidate.usualShare,
                scoreMillionths: Int64((candidate.score * 1_000_000).rounded(.toNearestOrEven))
            )
        }
    }

    /// Bytewise, the first text first.
    private static func precede(_ left: [String], _ right: [String]) -> Bool {
        for (left, right) in zip(left, right) where !left.utf8.elementsEqual(right.utf8) {
            return left.utf8.lexicographicallyPrecedes(right.utf8)
        }
        return false
    }

    /// The values of some dimensions that are more frequent in the incident than before.
    private static func candidates(
        _ failures: Counts,
        _ before: Counts,
        _ dimensions: [FailureDimension],
        _ order: Int
    ) -> [Candidate] {
        let (now, nowTotal) = counts(failures, by: dimensions)
        guard nowTotal > 0 else { return [] }
        let (earlier, earlierTotal) = counts(before, by: dimensions)
        var seen = earlier.count
        now.visit { key, _ in if earlier[key] == nil { seen += 1 } }
        var candidates: [Candidate] = []
        now.visit { key, count in
            let share = Cause.Share(part: count, whole: nowTotal)
            let usual = Cause.Share(part: (earlier[key] ?? 0) + 1, whole: earlierTotal + seen)
            let score = score(share, usual)
            guard score > 0 else { return }
            let texts = dimensions.count == 1 ? [text(key)] : [text(key >> 32), text(key)]
            candidates.append(
                Candidate(order: order, texts: texts, share: share, usualShare: usual, score: score)
            )
        }
        return candidates
    }

    private static func text(_ half: UInt64) -> Int32 { Int32(truncatingIfNeeded: half) &- 1 }

    /// The number of records with each value or pair of values, and the number of records with any value.
    private static func counts(
        _ records: Counts,
        by dimensions: [FailureDimension]
    ) -> (counts: IntegerMap<UInt64, Int>, total: Int) {
        var counts = IntegerMap<UInt64, Int>()
        var total = 0
        let (first, second) = (dimensions[0], dimensions[dimensions.count - 1])
        let isPair = dimensions.count == 2
        for record in records {
            let (one, other) = (record.combination[first], record.combination[second])
            guard one >= 0, other >= 0 else { continue }
            let high = isPair ? UInt64(UInt32(bitPattern: one &+ 1)) << 32 : 0
            counts.add(record.count, to: high | UInt64(UInt32(bitPattern: other &+ 1)))
            total += record.count
        }
        return (counts, total)
    }
}
