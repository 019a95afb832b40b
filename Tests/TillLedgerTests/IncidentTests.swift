import Testing
import TillCore
import TillPricing
import TillRows
import TillTestSupport

@testable import TillLedger
@testable import TillStorage

@Suite("Incidents")
struct IncidentTests {
    /// Monday, 2 March 2026, 00:00 UTC.
    private static let start = Timestamp("2026-03-02").milliseconds

    /// Events spread over an hour after `start`, each of an account of its own.
    private static func events(
        _ count: Int,
        _ name: String,
        hour: Int,
        _ other: Row<EventColumn> = [:]
    ) -> [Row<EventColumn>] {
        (0..<count).map { number in
            let at = start + Int64(hour) * Timestamp.millisecondsPerHour + Int64(number) * 3_600_000 / Int64(count)
            let row: Row<EventColumn> = [
                .event: .text(name), .at: .number(at), .accountToken: .text("\(name) \(hour) \(number)"),
                .bundleID: "com.example.trail", .appVersion: "5.1.0", .osVersion: "18.5",
            ]
            return row.with(other)
        }
    }

    private static let error: Row<EventColumn> = [
        .errorDomain: "ASDErrorDomain", .errorCode: 500, .errorClass: "store",
    ]

    /// Hours with 40 attempts, of which one fails.
    private static func usual(_ hours: Range<Int>) -> [Row<EventColumn>] {
        hours.flatMap { events(39, "purchased", hour: $0) + events(1, "failed", hour: $0, error) }
    }

    /// An hour with 40 attempts of which half fail, all with one version.
    private static func bad(_ hour: Int) -> [Row<EventColumn>] {
        events(20, "purchased", hour: hour) + events(20, "failed", hour: hour, error.with([.appVersion: "5.2.0"]))
    }

    private static func found(_ events: [Row<EventColumn>], now: Timestamp? = nil) throws -> IncidentFindings {
        try Rows(events: events).settled(needs: [.failures, .incidents]).findIncidents(now: now)
    }

    private static func texts(_ found: IncidentFindings) -> [String] {
        found.incidents.map { incident in
            let codes = incident.codes.map { "\($0.key.domain ?? "") \($0.key.code ?? 0)" }.joined(separator: ",")
            let causes = incident.causes.map { $0.values.map(\.text).joined(separator: "+") }.joined(separator: ",")
            return "\(incident.id) \(incident.what) \(incident.state) \(incident.since) \(incident.until) [\(codes)] "
                + "\(incident.failures)/\(incident.attempts) \(incident.excess) [\(causes)]"
        }
    }

    // MARK: Arithmetic

    @Test("Logarithms follow the squaring rule, digit by digit")
    func logarithms() {
        let known: [(Int, Int128)] = [
            (1, 0), (2, 1 << 32), (3, 6_807_362_105), (5, 9_972_605_231), (1000, 42_802_717_581),
        ]
        for (number, logarithm) in known { #expect(abs(Evidence.log2(number) - logarithm) <= 1, "\(number)") }
        for exponent in 0..<62 { #expect(Evidence.log2(1 << exponent) == Int128(exponent) << 32) }
    }

    @Test("Accounts are as many as their groups tell, at most the failures, and all failures where every group failed")
    func accounts() {
        #expect(Evidence.accounts(500, in: 0b111) == 3)
        #expect(Evidence.accounts(2, in: 0b111) == 2)
        #expect(Evidence.accounts(500, in: UInt64.max >> 1) == 266)
        #expect(Evidence.accounts(500, in: .max) == 500)
    }

    // MARK: Failures

    @Test("A rate that rises is one incident, with its beginning, its code and the version that fails")
    func rises() throws {
        let found = try Self.found(Self.usual(0..<72) + Self.bad(72) + Self.bad(73))
        let incident = try #require(found.incidents.first)
        #expect(found.incidents.count == 1 && incident.state == .ongoing && incident.what == .failures)
        #expect(incident.since == Timestamp("2026-03-05T00:00:00Z") && incident.app == "com.example.trail")
        #expect(incident.codes.map(\.key) == [FailureKey(domain: "ASDErrorDomain", code: 500)])
        #expect(incident.failures == 40 && incident.attempts == 80)
        #expect(incident.causes.first?.values.map(\.text) == ["5.2.0"])
    }

    @Test("Ten times as many attempts at the usual rate are no incident")
    func busyDay() throws {
        let busy = (72..<76).flatMap {
            Self.events(390, "purchased", hour: $0) + Self.events(10, "failed", hour: $0, Self.error)
        }
        #expect(try Self.found(Self.usual(0..<72) + busy).incidents.isEmpty)
    }

    @Test("One account that fails again and again is a notice, and no incident")
    func oneAccount() throws {
        let one = Self.events(60, "failed", hour: 72, Self.error.with([.accountToken: "alone"]))
        let found = try Self.found(Self.usual(0..<73) + one)
        #expect(found.incidents.isEmpty)
        #expect(found.notices.map(\.account) == ["alone"] && found.notices.map(\.failures) == [60])
        #expect(found.notices.map(\.failuresInAll) == [61])
    }

    @Test("An incident is quiet, then ended, when failures that would have come do not")
    func ends() throws {
        let outage = Self.usual(0..<72) + Self.bad(72) + Self.bad(73)
        let states = try (74..<80).map { end in
            try Self.found(outage + (74..<end).flatMap { Self.events(40, "purchased", hour: $0) }).incidents.map(
                \.state
            )
        }
        #expect(states.first == [.ongoing] && states.last == [.ended])
        #expect(states.allSatisfy { $0.count == 1 })
        let next = (74..<102).flatMap { Self.events(40, "purchased", hour: $0) }
        #expect(try Self.found(outage + next).incidents.map(\.state) == [.resolved])
    }

    @Test("In its first hours an app has nothing to compare with, and four failures of five are an incident")
    func beginnings() throws {
        let found = try Self.found(Self.events(8, "failed", hour: 0, Self.error))
        let incident = try #require(found.incidents.first)
        #expect(incident.usual == nil && incident.state == .ongoing && found.hasNoHistory)
    }

    @Test("Cancellations and deferrals are in no rate")
    func harmless() throws {
        for failureClass in ["cancelled", "deferred"] {
            let events = Self.events(30, "failed", hour: 72, Self.error.with([.errorClass: .text(failureClass)]))
            #expect(try Self.found(Self.usual(0..<73) + events).incidents.isEmpty)
        }
    }

    // MARK: Purchases, clocks

    @Test("Purchases that are missing are an incident where other events prove that the log is alive")
    func missingPurchases() throws {
        let before = (0..<240).flatMap { Self.events(40, "purchased", hour: $0) }
        let alive = (240..<244).flatMap { Self.events(10, "product_viewed", hour: $0) }
        let incident = try #require(try Self.found(before + alive).incidents.first)
        #expect(incident.what == .purchases && incident.state == .ongoing)
        #expect(incident.missing.map { $0.actual == 0 && $0.expected >= 20 } == true)
        // There is no event after the last hour, and now is its end.
        #expect(try Self.found(before).incidents.isEmpty)
        let later = Timestamp(milliseconds: Self.start + 243 * Timestamp.millisecondsPerHour)
        #expect(try Self.found(before, now: later).incidents.map(\.what) == [.silence])
    }

    @Test("A clock that is ahead moves nothing, and years of another calendar are in no hour")
    func wrongClocks() throws {
        let log = Self.usual(0..<72) + Self.bad(72)
        let ahead: Row<EventColumn> = [.event: "failed", .at: "2026-04-20T10:00:00Z", .accountToken: "a"]
        let thai: Row<EventColumn> = [.event: "failed", .at: "2569-03-05T10:00:00Z", .accountToken: "a"]
        let found = try Self.found(log + [ahead, thai])
        #expect(Self.texts(found) == Self.texts(try Self.found(log)))
        #expect(found.ahead == 1 && found.impossible == 1)
    }

    // MARK: Independence

    @Test("Order, split and partials change nothing", arguments: 1...4 as ClosedRange<UInt64>)
    func isIndependent(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let log = Self.usual(0..<72) + Self.bad(72) + Self.bad(73) + Self.usual(74..<77)
        let expected = Self.texts(try Self.found(log))
        #expect(!expected.isEmpty)
        let shuffled = log.shuffled(using: &generator)
        #expect(Self.texts(try Self.found(shuffled)) == expected)
        let needs: LedgerNeeds = [.failures, .incidents]
        var ledger = Ledger(needs: needs)
        for part in stride(from: 0, to: shuffled.count, by: 700) {
            var one = Ledger(needs: needs)
            one.update(with: Rows(events: Array(shuffled[part..<min(part + 700, shuffled.count)])).batch())
            var read = Ledger(needs: needs)
            var decoder = PartialDecoder()
            var blocks: [(PartialBlock, [UInt8])] = []
            one.encode { blocks.append(($0, $1)) }
            for (block, bytes) in blocks { try decoder.decode(block, bytes.span.bytes, offset: 0, into: &read) }
            ledger.merge(read)
        }
        #expect(Self.texts(try ledger.settle(LedgerRules()).findIncidents()) == expected)
    }

    @Test("The newest hours of combinations are kept, and an hour that is not kept has no causes")
    func forgetsHours() {
        var cells = IncidentCells()
        let series = cells.number(of: CellSeries(app: 1, family: .purchase))
        let hours = Int(Self.start / Timestamp.millisecondsPerHour)
        for hour in 0..<3 {
            for number in 0..<(IncidentCells.mostEntries / 2 + 10) {
                let key = IncidentCells.Key(.attemptsByValues, hours + hour, series: series, value: Int32(number))
                cells.add(.init(key, 1))
            }
        }
        cells.settle()
        #expect(cells.lostThrough[IncidentCells.Limit.values.rawValue] == hours + 1)
        #expect(cells.ordered.count == IncidentCells.mostEntries / 2 + 10)
    }

    // MARK: Explained

    @Test("The failures that are listed of an incident are those that it counts, of its app and its attempts alone")
    func listed() throws {
        let other = Self.error.with([.bundleID: "com.example.scan"])
        let log =
            Self.usual(0..<72) + Self.bad(72) + Self.bad(73)
            + Self.events(2, "failed", hour: 72, other)
            + Self.events(3, "failed", hour: 73, Self.error.with([.errorClass: "cancelled"]))
            + Self.events(2, "verify_failed", hour: 73, Self.error)
        let needs: LedgerNeeds = [.failures, .incidents, .examples]
        for incident in try Self.found(log).incidents {
            let filter = FailureFilter([:], of: incident, in: .usual)
            var ledger = Ledger(needs: needs, choosing: filter)
            ledger.update(with: Rows(events: log).batch())
            #expect(ledger.settle(LedgerRules()).chosen?.count == incident.failures)
        }
        #expect(try Self.found(log).incidents.map(\.failures).max() ?? 0 >= 40)
    }
}
