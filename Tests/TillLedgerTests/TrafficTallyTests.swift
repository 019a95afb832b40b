import Testing
import TillCore
import TillTestSupport

@testable import TillLedger

/// The tally beside dictionaries.
@Suite("Events by hour")
struct TrafficTallyTests {
    /// Combinations and their counts by hour, counted plainly.
    private typealias Plain = [Int: [Combination: UInt32]]

    private static func combination(_ value: Int) -> Combination {
        Combination([Int32(value), -1, Int32(value % 3), -1])
    }

    private static func counts(_ tally: TrafficTally) -> Plain {
        var tally = tally
        tally.settle(keeping: .max)
        var counts: Plain = [:]
        tally.visitHours { hour, cells in
            #expect(counts[hour.hour] == nil)
            counts[hour.hour] = Dictionary(uniqueKeysWithValues: cells.map { ($0.combination, $0.count) })
        }
        return counts
    }

    /// Counts events one by one, by batch or as partials tell them, and settles now and then.
    @Test(
        "Whenever what is pending is counted, and in however many parts, the counts are those of a dictionary",
        arguments: Seeds.some(of: 1...20)
    )
    func equalsDictionary(seed: Int) {
        var numbers = SplitMix64(seed: UInt64(seed))
        var plain: Plain = [:]
        var parts = [TrafficTally(), TrafficTally(), TrafficTally()]
        for _ in 0..<300 {
            let part = Int.random(in: 0..<3, using: &numbers)
            if Int.random(in: 0..<20, using: &numbers) == 0 { parts[part].settle(keeping: .max) }
            var delta = TrafficDelta()
            delta.begin()
            for _ in 0..<Int.random(in: 0..<30, using: &numbers) {
                let (hour, value) = (Int.random(in: -2..<9, using: &numbers), Int.random(in: 0..<12, using: &numbers))
                plain[hour, default: [:]][Self.combination(value), default: 0] += 1
                guard Bool.random(using: &numbers) else {
                    parts[part].add(1, of: Self.combination(value), in: hour)
                    continue
                }
                delta.open(at: Int64(hour) * Timestamp.millisecondsPerHour + 5, isInPeriod: true)
                // 0: the codes of its values are not at hand.
                delta.append(delta.index(of: value % 4 == 0 ? 0 : UInt64(value)) { Self.combination(value) })
            }
            delta.close()
            parts[part].count(delta, delta.combinations)
        }
        var identity = TextTranslation(count: 12)
        identity.codes = Array(0..<12)
        var merged = TrafficTally()
        for part in parts.shuffled(using: &numbers) { merged.merge(part, identity) }
        #expect(Self.counts(merged) == plain)
        merged.renumber(identity)
        #expect(Self.counts(merged) == plain)
    }

    @Test("More events than may wait are counted before the last, and a count stays at the largest one")
    func countsManyEvents() {
        var tally = TrafficTally()
        var plain: Plain = [:]
        // Three times as many as may be pending, in an order that begins a run with each.
        for event in 0..<1_600_000 {
            let (hour, combination) = (event % 7, Self.combination(event % 11))
            tally.add(1, of: combination, in: hour)
            plain[hour, default: [:]][combination, default: 0] += 1
        }
        #expect(Self.counts(tally) == plain)
        #expect(tally.footprint < 40_000_000)
        for _ in 0..<3 { tally.add(.max - 1, of: Self.combination(0), in: 0) }
        #expect(Self.counts(tally)[0]?[Self.combination(0)] == .max)
        tally.add(0, of: Self.combination(0), in: 99)
        #expect(Self.counts(tally)[99] == [:])
    }

    @Test("Hours are forgotten from the oldest on while events come, and the same ones however they come")
    func forgets() {
        let hours = 3 * TrafficTally.mostEntries / 4
        var (ahead, back) = (TrafficTally(), TrafficTally())
        for hour in 0..<hours {
            ahead.add(1, of: Self.combination(1), in: hour)
            back.add(1, of: Self.combination(1), in: hours - 1 - hour)
        }
        ahead.settle()
        back.settle()
        // Each hour takes an entry and one for its combination.
        let lost = hours - TrafficTally.mostEntries / 2 - 1
        #expect(ahead.lostThrough == lost && back.lostThrough == lost)
        #expect(ahead.hours.count == TrafficTally.mostEntries / 2 && back.hours.count == ahead.hours.count)
        #expect(Self.counts(ahead) == Self.counts(back))
    }
}
