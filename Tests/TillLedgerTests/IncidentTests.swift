import Testing
import TillCore
import TillPricing
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillStorage

@Suite("Incidents")
struct IncidentTests {
    /// 2 March 2026 00:00 UTC, by hours since 1970.
    private static let start = Timestamp("2026-03-02").hour
    private static let hourLength = Timestamp.millisecondsPerHour

    /// Events of one kind in an hour after `start`, a minute apart.
    private static func events(
        _ count: Int,
        _ name: String,
        hour: Int,
        _ other: Row<EventColumn> = [:]
    ) -> [Row<EventColumn>] {
        (0..<count).map { number in
            let at = Int64(start + hour) * hourLength + Int64(number % 60) * 60_000
            let row: Row<EventColumn> = [.event: .text(name), .at: .number(at)]
            return row.with(other)
        }
    }

    private static func failures(_ count: Int, hour: Int, _ other: Row<EventColumn> = [:]) -> [Row<EventColumn>] {
        let error: Row<EventColumn> = [.errorDomain: "ASDErrorDomain", .errorCode: 500, .errorClass: "store"]
        return events(count, "failed", hour: hour, error.with(other))
    }

    private static func incidents(_ events: [Row<EventColumn>], _ rules: LedgerRules = LedgerRules()) -> [Incident] {
        let ledger = Rows(events: events).settled(rules: rules, needs: [.failures, .incidents])
        return ledger.failures.values.flatMap(\.incidents).sorted { $0.hours.lowerBound < $1.hours.lowerBound }
    }

    private static func text(_ incident: Incident) -> String {
        let hours = "\(incident.hours.lowerBound - start)-\(incident.hours.upperBound - start)"
        let attempts = incident.attempts.map { "\($0)" } ?? "?"
        let usual = "\(incident.usualCount)/\(incident.usualAttempts.map { "\($0)" } ?? "?")"
        return "\(hours) \(incident.count)/\(attempts) \(usual) \(incident.isOngoing ? "ongoing" : "over")"
    }

    // MARK: From spikes to incidents

    @Test("Spikes at most three hours apart are one incident, and the quiet hours between them count")
    func joining() {
        // 30 and 33 belong together, 37 is four hours later. Hour 31 has two failures and is no spike.
        let rows =
            Self.events(1, "purchasing", hour: 0) + Self.failures(12, hour: 30) + Self.failures(2, hour: 31)
            + Self.failures(14, hour: 33) + Self.failures(11, hour: 37)
            + Self.events(20, "purchasing", hour: 32) + Self.events(30, "purchasing", hour: 37)
        // 12 + 2 + 14 failures, fewer than which began; 1 attempt before. Then 11 failures and 30 that began; before,
        // 21 began and 28 ended. The newest record is of hour 37.
        #expect(Self.incidents(rows).map(Self.text) == ["30-33 28/28 0/1 over", "37-37 11/30 28/28 ongoing"])
    }

    @Test("An incident goes on while the newest record is at most three hours after its end")
    func ongoing() {
        let rows = Self.events(1, "purchasing", hour: 0) + Self.failures(12, hour: 30)
        func isOngoing(newest milliseconds: Int64) -> [Bool] {
            let at = Int64(Self.start + 31) * Self.hourLength + milliseconds
            return Self.incidents(rows + [[.event: "purchased", .at: .number(at)]]).map(\.isOngoing)
        }
        #expect(isOngoing(newest: 3 * Self.hourLength) == [true])
        #expect(isOngoing(newest: 3 * Self.hourLength + 1) == [false])
    }

    @Test("An incident that ends the period is over where the input goes on without it")
    func ongoingInPeriod() {
        var rules = LedgerRules()
        rules.period = Period(from: nil, until: Timestamp(milliseconds: Int64(Self.start + 32) * Self.hourLength))
        let rows = Self.events(1, "purchasing", hour: 0) + Self.failures(12, hour: 30)
        #expect(Self.incidents(rows, rules).map(\.isOngoing) == [true])
        #expect(Self.incidents(rows + Self.events(1, "purchased", hour: 33), rules).map(\.isOngoing) == [true])
        #expect(Self.incidents(rows + Self.events(1, "purchased", hour: 35), rules).map(\.isOngoing) == [false])
    }

    @Test("Cancellations and valid but expired receipts make no incident")
    func harmless() {
        let beginning = Self.events(1, "purchasing", hour: 0)
        for failureClass in ["cancelled", "ok-expired"] {
            let rows = beginning + Self.failures(40, hour: 30, [.errorClass: .text(failureClass)])
            #expect(Self.incidents(rows).isEmpty)
        }
        #expect(Self.incidents(beginning + Self.failures(40, hour: 30)).count == 1)
    }

    @Test("Attempts are those that began, where fewer began than failed those that ended")
    func attempts() {
        let ended = Self.events(1, "purchased", hour: 0) + Self.events(28, "purchased", hour: 30)
        // 12 failures and 28 purchases ended in the hour.
        #expect(Self.incidents(ended + Self.failures(12, hour: 30)).map(Self.text) == ["30-30 12/40 0/1 ongoing"])
        let begun = ended + Self.events(33, "purchasing", hour: 30)
        #expect(Self.incidents(begun + Self.failures(12, hour: 30)).map(Self.text) == ["30-30 12/33 0/1 ongoing"])
    }

    @Test("Of a status of verifyReceipt the attempts are the responses of its hours")
    func responses() throws {
        func response(_ status: Int64, hour: Int) -> Row<DocumentColumn> {
            [.kind: "verify", .status: .number(status), .loggedAt: .number(Int64(Self.start + hour) * Self.hourLength)]
        }
        let rows =
            Array(repeating: response(0, hour: 10), count: 25) + Array(repeating: response(21_005, hour: 30), count: 15)
            + Array(repeating: response(0, hour: 30), count: 5)
        let ledger = Rows(documents: rows).settled(needs: [.failures, .incidents])
        let incident = try #require(ledger.failures.values.flatMap(\.incidents).first)
        #expect(Self.text(incident) == "30-30 15/20 0/25 ongoing")
    }

    @Test("What is outside of the period counts for what is usual, and not for the incident")
    func period() throws {
        let rows =
            Self.events(5, "purchasing", hour: 0) + Self.failures(3, hour: 8) + Self.failures(12, hour: 30)
            + Self.events(24, "purchasing", hour: 30)
        var rules = LedgerRules()
        // From 30:06 on: six failures of the twelve and 18 attempts of 24 are in the period.
        rules.period = Period(
            from: Timestamp(milliseconds: Int64(Self.start + 30) * Self.hourLength + 360_000),
            until: nil
        )
        #expect(Self.incidents(rows, rules).isEmpty)
        let more = Self.failures(42, hour: 30, [.appVersion: "2"])
        // 6 + 36 failures, and 18 attempts that began; before, 3 failures and 5 attempts.
        #expect(Self.incidents(rows + more, rules).map(Self.text) == ["30-30 42/42 3/5 ongoing"])
    }

    // MARK: Causes

    @Test("The value that explains an incident best comes first, with its shares and its score")
    func score() throws {
        // Before: 30 events of 1.0, 10 of 2.0. In the incident 15 of 20 failures are of 2.0.
        let before =
            Self.events(30, "purchasing", hour: 28, [.appVersion: "1.0"])
            + Self.events(10, "purchasing", hour: 29, [.appVersion: "2.0"])
        let burst =
            Self.failures(15, hour: 30, [.appVersion: "2.0"]) + Self.failures(5, hour: 30, [.appVersion: "1.0"])
        // More than 24 hours before, and so of no matter.
        let old = Self.events(50, "purchasing", hour: 5, [.appVersion: "2.0"])
        let incident = try #require(Self.incidents(old + before + burst).first)
        // p = 15/20, q = (10 + 1) / (40 + 2) = 11/42:
        // 0.75 log2(0.75 × 42 / 11) + 0.25 log2(0.25 × 42 / 31) = 0.75 × 1.5178482 + 0.25 × -1.5618787 = 0.7479165
        let cause = try #require(incident.causes.first)
        #expect(incident.causes.count == 1)
        #expect(cause.values == [Cause.Value(dimension: .appVersion, text: "2.0")])
        #expect(cause.share == Cause.Share(part: 15, whole: 20))
        #expect(cause.usualShare == Cause.Share(part: 11, whole: 42))
        #expect(abs(cause.scoreMillionths - 747_917) <= 1)
    }

    @Test("Of equal scores a value comes before a pair, then the first dimension, then the first value")
    func ties() throws {
        let both: Row<EventColumn> = [.storefront: "DEU", .productID: "p"]
        let quiet = Self.events(20, "purchasing", hour: 29, [.storefront: "USA", .productID: "q"])
        let incident = try #require(Self.incidents(quiet + Self.failures(12, hour: 30, both)).first)
        #expect(
            incident.causes.map { $0.values.map(\.text) } == [["DEU"], ["p"], ["DEU", "p"]]
        )
        let halves = Self.failures(6, hour: 30, [.storefront: "FRA"]) + Self.failures(6, hour: 30, [.storefront: "ESP"])
        let equal = try #require(Self.incidents(quiet + halves).first)
        #expect(equal.causes.map { $0.values.map(\.text) } == [["ESP"], ["FRA"]])
    }

    @Test("At most five causes are told")
    func fewCauses() throws {
        let quiet = Self.events(200, "purchasing", hour: 29, [.productID: "other"])
        let burst = (0..<9).flatMap { Self.failures(2, hour: 30, [.productID: "p\($0)"]) }
        #expect(try #require(Self.incidents(quiet + burst).first).causes.count == 5)
    }

    // MARK: Against a second implementation

    /// A planted incident, and the log around it.
    struct Planted {
        var rows: [Row<EventColumn>] = []
        var versionAndSystem = ("", "")

        init(seed: UInt64) {
            var generator = SplitMix64(seed: seed)
            let versions = ["5.0.0", "5.1.0", "5.2.0"]
            let systems = ["17.6", "18.2", "18.4", "18.5"]
            versionAndSystem = (generator.pick(versions), generator.pick(systems))
            func place(_ generator: inout SplitMix64) -> Row<EventColumn> {
                [
                    .appVersion: .text(generator.pick(versions)), .osVersion: .text(generator.pick(systems)),
                    .storefront: .text(generator.pick(["DEU", "USA", "JPN", "GBR"])),
                    .productID: .text(generator.pick(["pro", "coins", "gems", "yearly", "weekly"])),
                ]
            }
            for hour in 0..<200 {
                for _ in 0..<generator.below(20) + 10 {
                    let other = place(&generator)
                    rows += IncidentTests.events(1, "purchasing", hour: hour, other)
                    if generator.once(in: 40) { rows += IncidentTests.failures(1, hour: hour, other) }
                }
            }
            for hour in 198..<200 {
                for number in 0..<17 {
                    var other = place(&generator)
                    if number > 0 {
                        other[.appVersion] = .text(versionAndSystem.0)
                        other[.osVersion] = .text(versionAndSystem.1)
                    }
                    rows += IncidentTests.failures(1, hour: hour, other)
                }
            }
            rows.shuffle(using: &generator)
        }
    }

    @Test("A planted pair is named first", arguments: Seeds.some(of: UInt64(1)...40))
    func planted(seed: UInt64) throws {
        let planted = Planted(seed: seed)
        let incident = try #require(Self.incidents(planted.rows).last)
        let pair = [
            Cause.Value(dimension: .appVersion, text: planted.versionAndSystem.0),
            Cause.Value(dimension: .osVersion, text: planted.versionAndSystem.1),
        ]
        #expect(incident.causes.first?.values == pair)
    }

    /// The causes as `docs/rules.md` has them, worked out on rows.
    private static func plainCauses(
        _ rows: [Row<EventColumn>],
        of incident: Incident
    ) -> [(texts: [String], score: Double)] {
        let columns: [EventColumn] = [.appVersion, .osVersion, .storefront, .productID]
        var sets: [[EventColumn]] = columns.map { [$0] }
        for first in 0..<4 { for second in first + 1..<4 { sets.append([columns[first], columns[second]]) } }
        func hour(_ row: Row<EventColumn>) -> Int { Int((row[.at]?.number ?? 0) / hourLength) }
        func told(_ rows: [Row<EventColumn>], _ set: [EventColumn]) -> [[String]] {
            rows.compactMap { row in
                let texts = set.compactMap { row[$0]?.text }
                return texts.count == set.count ? texts : nil
            }
        }
        let first = incident.hours.lowerBound
        let before = rows.filter { first - 24 <= hour($0) && hour($0) < first }
        let now = rows.filter { incident.hours.contains(hour($0)) && $0[.errorCode] == 500 }
        var causes: [(order: Int, texts: [String], score: Double)] = []
        for (order, set) in sets.enumerated() {
            let (earlier, later) = (told(before, set), told(now, set))
            let seen = Set(earlier).union(later)
            for texts in Set(later) {
                let p = Double(later.count { $0 == texts }) / Double(later.count)
                let q = Double(earlier.count { $0 == texts } + 1) / Double(earlier.count + seen.count)
                guard p > q else { continue }
                let rest = p == 1 ? 0 : (1 - p) * SecondLogarithm.of((1 - p) / (1 - q))
                causes.append((order, texts, p * SecondLogarithm.of(p / q) + rest))
            }
        }
        let sorted = causes.sorted { left, right in
            if left.score != right.score { return left.score > right.score }
            return left.order != right.order ? left.order < right.order : left.texts.joined() < right.texts.joined()
        }
        return sorted.prefix(5).map { ($0.texts, $0.score) }
    }

    @Test("Random logs have the causes that the rule says", arguments: Seeds.some(of: UInt64(1)...30))
    func agrees(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var rows: [Row<EventColumn>] = []
        for _ in 0..<400 {
            var other: Row<EventColumn> = [:]
            for column in [EventColumn.appVersion, .osVersion, .storefront, .productID] where !generator.once(in: 5) {
                other[column] = .text("\(generator.pick(["a", "b", "c", "d", "e"]))")
            }
            let hour = generator.below(40)
            let isFailure = hour == 35 || generator.once(in: 20)
            rows += isFailure ? failuresOrAttempts(true, hour, other) : failuresOrAttempts(false, hour, other)
        }
        for _ in 0..<20 { rows += Self.failures(1, hour: 35, [.appVersion: .text(generator.pick(["a", "f"]))]) }
        let incidents = Self.incidents(rows.shuffled(using: &generator))
        #expect(incidents.contains { !$0.causes.isEmpty })
        for incident in incidents {
            let plain = Self.plainCauses(rows, of: incident)
            #expect(incident.causes.map { $0.values.map(\.text) } == plain.map(\.texts))
            for (cause, plain) in zip(incident.causes, plain) {
                #expect(abs(Double(cause.scoreMillionths) / 1_000_000 - plain.score) < 0.000001)
            }
        }
    }

    private func failuresOrAttempts(_ isFailure: Bool, _ hour: Int, _ other: Row<EventColumn>) -> [Row<EventColumn>] {
        isFailure ? Self.failures(1, hour: hour, other) : Self.events(1, "purchasing", hour: hour, other)
    }

    // MARK: Split, merged, spilled

    private static func described(_ incidents: [Incident]) -> [String] {
        incidents.map { "\(text($0)) \($0.zMillionths) \($0.causes) \($0.examples)" }
    }

    private static func ledger(_ rows: ArraySlice<Row<EventColumn>>, _ source: String) -> Ledger {
        var ledger = Ledger(needs: [.failures, .incidents, .examples])
        ledger.update(with: Rows(events: Array(rows)).batch(), source: source)
        return ledger
    }

    private static func incidents(of ledger: borrowing SettledLedger) throws -> [Incident] {
        var incidents: [Incident] = []
        try ledger.forEachFailure(mostExamples: 10) { incidents += $0.incidents }
        return incidents
    }

    @Test(
        "Parts that are merged, written and read again, or spilled have the incidents of the whole",
        arguments: [1, 2, 3] as [UInt64]
    )
    func splits(seed: UInt64) throws {
        let numbered = Planted(seed: seed).rows.enumerated().map { $1.with([.document: .number(Int64($0))]) }
        let whole = try Self.incidents(of: Self.ledger(numbered[...], "a").settle(LedgerRules()))
        #expect(whole.contains { $0.examples.count == 10 && !$0.causes.isEmpty })
        let cut = numbered.count / 3
        var merged = Ledger(needs: [.failures, .incidents, .examples])
        for part in [numbered[cut...], numbered[..<cut]] {
            var decoder = PartialDecoder()
            var copy = Ledger(needs: [.failures, .incidents, .examples])
            var failure: (any Error)?
            Self.ledger(part, "a").encode { block, bytes in
                do { try decoder.decode(block, bytes.span.bytes, offset: 0, into: &copy) } catch { failure = error }
            }
            #expect(failure == nil)
            merged.merge(copy)
        }
        #expect(try Self.described(Self.incidents(of: merged.settle(LedgerRules()))) == Self.described(whole))
        var spilling = SpillingLedger(
            Ledger(needs: [.failures, .incidents, .examples]),
            allowance: MemoryAllowance(bytes: 1 << 10, store: MemoryStore())
        )
        for start in stride(from: 0, to: numbered.count, by: 500) {
            let part = Array(numbered[start..<min(start + 500, numbered.count)])
            spilling.ledger.update(with: Rows(events: part).batch(), source: "a")
            try spilling.spillIfNeeded()
        }
        #expect(try Self.described(Self.incidents(of: spilling.settle(LedgerRules()))) == Self.described(whole))
    }

    @Test("The newest whole hours are kept, the same ones however the input is split")
    func limit() {
        func entries(_ hour: Int, _ count: Int) -> TrafficTally {
            var tally = TrafficTally()
            for value in 0..<count { tally.add(1, of: Combination([Int32(value), -1, -1, -1]), in: hour) }
            return tally
        }
        // Each hour takes an entry and one for each of its combinations: 4, 3 and 5 from the newest hour on.
        let parts = [entries(7, 4), entries(9, 3), entries(8, 2)]
        for (most, kept, lost) in [(12, [7, 8, 9], nil), (11, [8, 9], 7), (6, [9], 8), (3, [], 9)]
            as [(Int, [Int], Int?)]
        {
            for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
                var tally = TrafficTally()
                var identity = TextTranslation(count: 4)
                identity.codes = [0, 1, 2, 3]
                for part in order {
                    tally.merge(parts[part], identity)
                    tally.settle(keeping: most)
                }
                #expect(tally.hours.map(\.hour).sorted() == kept)
                #expect(tally.lostThrough == lost)
            }
        }
    }
}

/// A logarithm that is worked out by halving, apart from the library's.
private enum SecondLogarithm {
    static func of(_ value: Double) -> Double {
        var (whole, rest) = (0.0, value)
        while rest >= 2 { (whole, rest) = (whole + 1, rest / 2) }
        while rest < 1 { (whole, rest) = (whole - 1, rest * 2) }
        var (fraction, bit) = (0.0, 0.5)
        for _ in 0..<60 {
            rest *= rest
            if rest >= 2 { (fraction, rest) = (fraction + bit, rest / 2) }
            bit /= 2
        }
        return whole + fraction
    }
}
