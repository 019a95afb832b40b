import Testing
import TillCore
import TillRows
import TillTestSupport

@testable import TillLedger

@Suite("Which instant is now")
struct RecordHoursTests {
    private static let start = Timestamp("2026-03-02").milliseconds

    /// Events of a few days, some by clocks that are ahead or in another calendar, and some responses.
    private static func rows(_ random: inout SplitMix64) -> Rows {
        let days = Int64.random(in: 1...20, using: &random)
        func instant(_ random: inout SplitMix64) -> Int64 {
            switch Int.random(in: 0..<40, using: &random) {
            case 0: start + Int64.random(in: 0..<90 * 86_400_000, using: &random)
            case 1: start + 543 * 365 * 86_400_000
            case 2: -start
            case 3: .min
            default: start + Int64.random(in: 0..<days * 86_400_000, using: &random)
            }
        }
        let events = (0..<Int.random(in: 0..<400, using: &random)).map { _ -> Row<EventColumn> in
            let row: Row<EventColumn> = [.event: "purchased", .at: .number(instant(&random))]
            let account = Int.random(in: 0..<60, using: &random)
            return account < 50 ? row.with([.accountToken: .text("account \(account)")]) : row
        }
        let responses = (0..<Int.random(in: 0..<40, using: &random)).map { _ -> Row<DocumentColumn> in
            [.kind: "verify", .status: 0, .loggedAt: .number(instant(&random))]
        }
        return Rows(documents: responses, events: events)
    }

    @Test(
        "A run that needs only that comes to the same as the report of failures",
        arguments: Seeds.some(of: UInt64(1)...60)
    )
    func sameAsReport(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let rows = Self.rows(&random)
        var hours = RecordHours()
        hours.count(rows.batch())
        let found = try rows.settled(needs: [.failures, .incidents]).findIncidents()
        #expect(hours.now == found.now?.milliseconds)
    }

    @Test("A sender's hash is FNV-1a of its text, else of the digits of the instant")
    func senders() throws {
        func plain(_ text: String) -> UInt64 {
            text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
        var hashes = SourceHashes()
        for instant: Int64 in [
            0, 7, 999_999, 1_000_000, 1_000_007, 1_772_409_600_000, 1_772_409_600_123, 4_102_444_799_999,
        ] {
            #expect(hashes.hash(of: instant) == plain("\(instant)"))
        }
        let told: [Row<EventColumn>] = [
            [.accountToken: "account", .sessionID: "session"], [.sessionID: "session", .attemptID: "attempt"],
            [.attemptID: "attempt"], [:],
        ]
        let batch = Rows(events: told).batch()
        for (row, text) in ["account", "session", "attempt", "1772409600000"].enumerated() {
            #expect(hashes.hash(of: row, batch, at: 1_772_409_600_000) == plain(text))
        }
    }
}
