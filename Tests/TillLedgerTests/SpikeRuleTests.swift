import Testing
import TillCore
import TillPricing
import TillRows
import TillTestSupport

@testable import TillLedger

@Suite("Spikes")
struct SpikeRuleTests {
    /// 2 March 2026 00:00 UTC, by hours since 1970.
    private static let start = Timestamp("2026-03-02").hour

    private static func judge(_ count: Int, at hour: Int, after hours: [Int: Int]) -> (expected: Double, z: Double)? {
        SpikeRule.judge(count: count, hour: hour, hours: hours, firstHour: 0).map {
            (Double($0.doubledExpectation) / 2, $0.z)
        }
    }

    /// Counts of the same hour on the days before, and what they make of a count of 20.
    static let days: [([Int], Double, Double)] = [
        ([0, 0, 0, 0, 0, 0, 0], 0, 20),
        ([4, 4, 4, 4, 4, 4, 4], 4, 8),
        ([1, 2, 3, 4, 5, 6, 7], 4, 16 / (1.4826 * 2)),
        ([0, 2, 4, 6, 8, 10, 12], 6, 14 / (1.4826 * 4)),
        ([9, 9, 9, 9, 0, 0, 0], 9, 11 / 3),
        ([0, 0, 0, 0, 9, 9, 9], 0, 20),
        ([3, 5, 7], 5, 15 / (1.4826 * 2)),
        ([3, 4, 6, 7], 5, 15 / 5.0.squareRoot()),
        ([1, 1, 2, 2], 1.5, 18.5 / 1.5.squareRoot()),
        ([0, 0, 1, 1], 0.5, 19.5),
    ]

    @Test("The same hour of up to seven days makes the expectation and the spread", arguments: days)
    func sameHour(_ days: [Int], _ expected: Double, _ z: Double) throws {
        var hours: [Int: Int] = [:]
        // Any other hour is loud and must not matter.
        for hour in 0..<24 * days.count { hours[hour] = hour % 24 == 0 ? days[hour / 24] : 1000 }
        let judged = try #require(Self.judge(20, at: 24 * days.count, after: hours))
        #expect(judged.expected == expected)
        #expect(judged.z == z)
    }

    @Test("Days beyond the seventh do not matter")
    func eighthDay() throws {
        let judged = try #require(Self.judge(20, at: 24 * 8, after: [0: 900, 24: 1, 48: 1, 72: 1, 96: 1]))
        #expect(judged.expected == 1)
    }

    @Test("With fewer than three days the median is of all earlier hours, silent ones too")
    func fewDays() throws {
        let hours = [0: 8, 24: 8, 30: 2, 40: 2, 50: 2]
        let early = try #require(Self.judge(20, at: 71, after: hours))
        #expect(early.expected == 0)
        #expect(early.z == 20)
        let full = try #require(Self.judge(20, at: 72, after: hours.merging([48: 6]) { $1 }))
        #expect(full.expected == 8)
        let second = try #require(Self.judge(20, at: 3, after: [0: 4, 1: 4, 2: 9]))
        #expect(second.expected == 4)
        #expect(second.z == 8)
    }

    @Test("An hour before which there is nothing has no expectation")
    func nothingBefore() {
        #expect(Self.judge(1000, at: 0, after: [0: 1000]) == nil)
    }

    // MARK: From rows to spikes

    /// A number of failures in an hour after `start`.
    private static func failures(_ count: Int, hour: Int, _ other: Row<EventColumn> = [:]) -> [Row<EventColumn>] {
        let row: Row<EventColumn> = [
            .event: "failed", .errorDomain: "SKErrorDomain", .errorCode: 0, .errorClass: "store",
            .at: .number(Int64(start + hour) * Timestamp.millisecondsPerHour + Int64(hour % 60) * 60_000),
        ]
        return Array(repeating: row.with(other), count: count)
    }

    /// An event that fails in nothing, by which the log begins.
    private static let beginning = failures(1, hour: 0, [.event: "purchased"])

    /// Failures at the same hour of the seven days before, in the hour, and whether it spikes.
    static let borders: [(Int, Int, Bool)] = [
        (0, 9, false), (0, 10, true), (1, 10, true), (4, 11, false), (4, 12, true), (9, 20, false), (9, 21, true),
        (16, 31, false), (16, 32, true),
    ]

    @Test("A spike has ten failures or more, and four spreads above the expectation or more", arguments: borders)
    func spikes(_ before: Int, _ count: Int, _ isSpike: Bool) throws {
        let rows = Self.beginning + (0..<7).flatMap { Self.failures(before, hour: 24 * $0 + 5) }
        let all = Rows(events: rows + Self.failures(count, hour: 173)).settled().spikes
        // The first days are spikes themselves where they are loud, since nothing came before them.
        let spikes = all.filter { $0.hour >= Timestamp("2026-03-09") }
        #expect(spikes.map(\.hour.description) == (isSpike ? ["2026-03-09T05:00:00Z"] : []))
        #expect(spikes.allSatisfy { $0.count == count && $0.doubledExpectation == 2 * before })
    }

    @Test("The log begins with the first event or response, not with the first failure")
    func silence() {
        let burst = Self.failures(12, hour: 30)
        #expect(Rows(events: burst).settled().spikes.isEmpty)
        let spikes = Rows(events: burst + Self.beginning).settled().spikes
        #expect(spikes.map(\.doubledExpectation) == [0])
        #expect(spikes.map(\.zMillionths) == [12_000_000])
    }

    @Test("Each log begins with its own first record, whether that is in the period or not")
    func beginningOfEachLog() {
        let response: Row<DocumentColumn> = [
            .kind: "verify", .status: 0, .loggedAt: .number(Int64(Self.start) * Timestamp.millisecondsPerHour),
        ]
        func spikes(_ beginning: [Row<EventColumn>], fromHour hour: Int?) -> [Int] {
            var rules = LedgerRules()
            rules.period = hour.map {
                Period(
                    from: Timestamp(milliseconds: Int64(Self.start + $0) * Timestamp.millisecondsPerHour),
                    until: nil
                )
            }
            let rows = Rows(documents: [response], events: beginning + Self.failures(12, hour: 30))
            return rows.settled(rules: rules).spikes.map(\.count)
        }
        for hour in [nil, 0, 20, 30] {
            // Before the first event nothing is known of events.
            #expect(spikes([], fromHour: hour) == [], "\(hour ?? -1)")
            #expect(spikes(Self.beginning, fromHour: hour) == [12], "\(hour ?? -1)")
        }
    }

    @Test("A valid but expired receipt may spike, as cancellations may")
    func classes() {
        func spikes(_ status: Int64) -> Int {
            let rows = (0..<30).map { number -> Row<DocumentColumn> in
                [
                    .kind: "verify", .status: .number(number == 0 ? 0 : status),
                    .loggedAt: number == 0 ? "2026-03-01" : "2026-03-05",
                ]
            }
            return Rows(documents: rows).settled().spikes.count
        }
        #expect(spikes(21_006) == 1)
        #expect(spikes(21_003) == 1)
        let cancelled = Self.failures(12, hour: 30, [.errorCode: 2, .errorClass: "cancelled"])
        #expect(Rows(events: Self.beginning + cancelled).settled().spikes.map(\.key.code) == [2])
    }

    @Test("Failures of one key from events and from responses make one spike")
    func bothLogs() throws {
        let status: Row<EventColumn> = [.event: "verify_failed", .errorDomain: "verifyReceipt", .errorCode: 21_003]
        let document: Row<DocumentColumn> = [
            .kind: "verify", .status: 21_003,
            .loggedAt: .number(Int64(Self.start + 30) * Timestamp.millisecondsPerHour),
        ]
        let rows = Rows(
            documents: Array(repeating: document, count: 6),
            events: Self.beginning + Self.failures(6, hour: 30, status)
        )
        let spikes = rows.settled().spikes
        #expect(spikes.map(\.count) == [12])
        #expect(spikes.map(\.key) == [FailureKey(domain: "verifyReceipt", code: 21_003)])
    }

    @Test("Spikes come with the largest count first, then by hour, then by key")
    func order() {
        func burst(_ count: Int, _ hour: Int, _ domain: String) -> [Row<EventColumn>] {
            Self.failures(count, hour: hour, [.errorDomain: .text(domain)])
        }
        let rows = burst(12, 30, "b") + burst(12, 31, "a") + burst(12, 30, "a") + burst(13, 40, "z")
        let spikes = Rows(events: Self.beginning + rows).settled().spikes
        let texts = spikes.map { "\($0.count) \($0.hour.hour - Self.start) \($0.key.domain ?? "")" }
        #expect(texts == ["13 40 z", "12 30 a", "12 30 b", "12 31 a"])
    }

    // MARK: Against a second implementation

    /// The rule as `docs/rules.md` has it, on an array of counts from the first hour of the log.
    private static func naive(_ series: [Int], hour: Int) -> (expected: Double, z: Double)? {
        func median(_ values: [Double]) -> Double {
            let sorted = values.sorted()
            let middle = sorted.count / 2
            return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        }
        var sample: [Double] = []
        for day in 1...7 where hour - 24 * day >= 0 { sample.append(Double(series[hour - 24 * day])) }
        if sample.count < 3 { sample = series[..<hour].map(Double.init) }
        guard !sample.isEmpty else { return nil }
        let expected = median(sample)
        let deviation = median(sample.map { abs($0 - expected) })
        let spread = max(1.4826 * deviation, expected.squareRoot(), 1)
        let z = (Double(series[hour]) - expected) / spread
        return series[hour] >= 10 && z >= 4 ? (expected, z) : nil
    }

    private static func series(_ generator: inout SplitMix64) -> [Int] {
        let usual = generator.pick([0, 1, 3, 10])
        return (0..<Int.random(in: 1...240, using: &generator)).map { hour in
            let base = Int.random(in: 0...usual, using: &generator) + (hour % 24 == 9 ? usual : 0)
            return Int.random(in: 0..<20, using: &generator) == 0 ? base + .random(in: 5...40, using: &generator) : base
        }
    }

    private static let seeds: ClosedRange<UInt64> = 1...40

    @Test("Most random series have spikes")
    func isNotVacuous() {
        let withSpikes = Self.seeds.filter { seed in
            var generator = SplitMix64(seed: seed)
            let series = Self.series(&generator)
            return series.indices.contains { Self.naive(series, hour: $0) != nil }
        }
        #expect(withSpikes.count >= 30)
        #expect(withSpikes.count { $0 <= Seeds.fixedCount } >= 3, "seeds that every run has")
    }

    @Test("Random series have the spikes that the rule says", arguments: Seeds.some(of: seeds))
    func agrees(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let series = Self.series(&generator)
        let rows = series.enumerated().flatMap { Self.failures($1, hour: $0) }.shuffled(using: &generator)
        let spikes = Rows(events: Self.beginning + rows).settled().spikes

        let expected = series.indices.compactMap { hour in
            Self.naive(series, hour: hour).map { (hour: hour, count: series[hour], expected: $0.expected, z: $0.z) }
        }
        .sorted { $0.count != $1.count ? $0.count > $1.count : $0.hour < $1.hour }
        #expect(spikes.map { $0.hour.hour - Self.start } == expected.map(\.hour))
        #expect(spikes.map(\.count) == expected.map(\.count))
        #expect(spikes.map { Double($0.doubledExpectation) / 2 } == expected.map(\.expected))
        #expect(spikes.map(\.zMillionths) == expected.map { Int64(($0.z * 1_000_000).rounded(.toNearestOrEven)) })
    }

    // MARK: The explaining dimension

    /// Failures before (hour 0 to 24) and in the spike (hour 30), and what explains it.
    private static func explanation(
        before: [(Int, Row<EventColumn>)],
        within: [(Int, Row<EventColumn>)]
    ) throws -> String? {
        let earlier = before.enumerated().flatMap { index, part in failures(part.0, hour: index % 24, part.1) }
        let later = within.flatMap { failures($0.0, hour: 30, $0.1) }
        let rows = (beginning + earlier + later).reversed() as [Row<EventColumn>]
        let spike = try #require(Rows(events: rows).settled().spikes.first { $0.hour.hour == start + 30 })
        return spike.explanation.map { "\($0.dimension.name) \($0.value) \($0.count)/\(spike.count)" }
    }

    @Test("The value whose share grew most explains a spike, not the one that is most frequent")
    func growth() throws {
        let before: [(Int, Row<EventColumn>)] = [
            (9, [.appVersion: "1.0", .storefront: "USA"]), (1, [.appVersion: "2.0", .storefront: "DEU"]),
        ]
        let within: [(Int, Row<EventColumn>)] = [
            (14, [.appVersion: "1.0", .storefront: "USA"]), (5, [.appVersion: "2.0", .storefront: "USA"]),
            (1, [.appVersion: "2.0", .storefront: "DEU"]),
        ]
        // 1.0: 90 % → 70 %, 2.0: 10 % → 30 %, USA: 90 % → 95 %, DEU: 10 % → 5 %
        #expect(try Self.explanation(before: before, within: within) == "app_version 2.0 6/20")
    }

    @Test("With nothing before, the largest share explains it")
    func nothingEarlier() throws {
        let within: [(Int, Row<EventColumn>)] = [
            (7, [.osVersion: "18.1", .productID: "coins"]), (6, [.osVersion: "18.2", .productID: "coins"]),
        ]
        #expect(try Self.explanation(before: [], within: within) == "product_id coins 13/13")
    }

    @Test("Of equal growth the first dimension explains it, then the first value by its text")
    func ties() throws {
        let both: Row<EventColumn> = [.productID: "p", .storefront: "USA", .osVersion: "18", .appVersion: "1"]
        #expect(try Self.explanation(before: [], within: [(12, both)]) == "app_version 1 12/12")
        let without: Row<EventColumn> = [.productID: "p", .storefront: "USA", .osVersion: "18"]
        #expect(try Self.explanation(before: [], within: [(12, without)]) == "os_version 18 12/12")
        let halves: [(Int, Row<EventColumn>)] = [(6, [.storefront: "USA"]), (6, [.storefront: "DEU"])]
        #expect(try Self.explanation(before: [], within: halves) == "storefront DEU 6/12")
    }

    @Test("A share is one of all failures, those without a value too")
    func unknownValues() throws {
        let before: [(Int, Row<EventColumn>)] = [(2, [.appVersion: "1"]), (2, [:])]
        let within: [(Int, Row<EventColumn>)] = [(6, [.appVersion: "1"]), (6, [.storefront: "USA"]), (2, [:])]
        #expect(try Self.explanation(before: before, within: within) == "storefront USA 6/14")
        #expect(try Self.explanation(before: before, within: [(12, [:])]) == nil)
    }

    @Test("Failures more than seven days back do not matter to the shares")
    func window() throws {
        let old = Self.failures(50, hour: 5, [.appVersion: "1"]) + Self.failures(1, hour: 6, [.appVersion: "2"])
        let recent = Self.failures(1, hour: 176, [.appVersion: "2"])
        let burst = Self.failures(6, hour: 174, [.appVersion: "1"]) + Self.failures(6, hour: 174, [.appVersion: "2"])
        let spikes = Rows(events: Self.beginning + old + recent + burst).settled().spikes
        // Hour 6 is the 168th before hour 174, the first that counts; hour 5 is not; hour 176 is later.
        #expect(spikes.first { $0.hour.hour == Self.start + 174 }?.explanation?.value == "1")
    }
}
