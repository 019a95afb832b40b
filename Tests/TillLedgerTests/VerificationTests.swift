import Testing
import TillCore
import TillRows
import TillTestSupport

@testable import TillLedger

@Suite("Verifications")
struct VerificationTests {
    /// A verifyReceipt response with a status.
    private static func response(
        _ status: Int64,
        _ other: Row<DocumentColumn> = [:]
    ) -> Row<DocumentColumn> {
        ([.kind: "verify", .status: .number(status)] as Row<DocumentColumn>).with(other)
    }

    /// Counts by status, then verifications and failed ones.
    private struct Outcome: Equatable {
        var statuses: [Int64?: Int]
        var verifications: Int
        var failed: Int

        init(_ statuses: [Int64?: Int], verifications: Int, failed: Int) {
            self.statuses = statuses
            self.verifications = verifications
            self.failed = failed
        }

        /// Each row comes in a batch of its own.
        init(_ rows: [Row<DocumentColumn>], environments: EnvironmentFilter = .booked) {
            let ledger = Rows.settled(rows.map { Rows(documents: [$0]) }, environments: environments)
            statuses = Dictionary(uniqueKeysWithValues: ledger.failures.map { ($0.key.code, $0.value.count) })
            verifications = ledger.failureRates.verifications
            failed = ledger.failureRates.failedVerifications
        }
    }

    @Test("Every response is a verification; a status other than 0 is listed")
    func statuses() {
        let rows = [0, 21_003, 0, 21_003, 21_000, 2].map { Self.response($0) }
        let expected = Outcome([21_003: 2, 21_000: 1, 2: 1], verifications: 6, failed: 4)
        #expect(Outcome(rows) == expected)
    }

    @Test("A status is keyed as one of verifyReceipt, with the class of the catalogue")
    func keys() throws {
        let rows = [Self.response(21_003), Self.response(21_199), Self.response(21_199, [.isRetryable: false])]
        let failures = Rows(documents: rows + [rows[1], rows[1]]).settled().failures
        #expect(Set(failures.keys.map(\.domain)) == ["verifyReceipt"])
        #expect(failures[FailureKey(domain: "verifyReceipt", code: 21_003)]?.failureClass == "invalid")
        #expect(failures[FailureKey(domain: "verifyReceipt", code: 21_199)]?.failureClass == "transient")
    }

    @Test("A valid but expired receipt (21006) is listed and has not failed")
    func expired() {
        let ledger = Rows(documents: [Self.response(21_006), Self.response(0)]).settled()
        #expect(
            ledger.failures.mapValues(\.failureClass) == [
                FailureKey(domain: "verifyReceipt", code: 21_006): "ok-expired"
            ]
        )
        #expect(ledger.failureRates.verifications == 2)
        #expect(ledger.failureRates.failedVerifications == 0)
    }

    @Test("Documents without a status, and those that are no responses, are no verifications")
    func others() {
        let rows: [Row<DocumentColumn>] = [
            [.kind: "verify"], [.kind: "pkcs7", .status: 21_003], [.status: 21_003], [.kind: "notification"],
        ]
        #expect(Outcome(rows) == Outcome([:], verifications: 0, failed: 0))
    }

    private static let routed = response(21_007, [.pairKey: "request 1"])
    private static let sandbox = response(0, [.pairKey: "request 1", .environment: "sandbox"])

    /// What else answered requests, and how often 21007 remains, of how many verifications.
    static let followers: [(String, [Row<DocumentColumn>], Int, Int)] = [
        ("nothing", [], 1, 1),
        ("success for the same request", [response(0, [.pairKey: "request 1"])], 0, 1),
        ("an expired receipt for the same request", [response(21_006, [.pairKey: "request 1"])], 0, 1),
        ("success for another request", [response(0, [.pairKey: "request 2"])], 1, 2),
        ("success for a request that has no name", [response(0)], 1, 2),
        ("a failure for the same request", [response(21_003, [.pairKey: "request 1"])], 1, 2),
        ("the same again", [routed], 2, 2),
        ("the same again and success", [routed, response(0, [.pairKey: "request 1"])], 0, 1),
        ("the same again and success of the sandbox", [routed, sandbox], 0, 1),
        ("success of the sandbox and of production", [sandbox, response(0, [.pairKey: "request 1"])], 0, 1),
        ("success of the sandbox for another request", [response(0, [.pairKey: "2", .environment: "sandbox"])], 1, 1),
        ("a 21007 without a name", [response(21_007), response(0, [.pairKey: "request 1"])], 1, 2),
    ]

    @Test(
        "A 21007 with success for the same request is one verification, in either order (quirk 53)",
        arguments: followers
    )
    func pairs(_ name: String, _ rows: [Row<DocumentColumn>], _ remaining: Int, _ verifications: Int) {
        for order in [[Self.routed] + rows, rows.reversed() + [Self.routed]] {
            let outcome = Outcome(order)
            #expect(outcome.statuses[21_007] == (remaining == 0 ? nil : remaining))
            #expect(outcome.verifications == verifications)
            #expect(outcome.failed == outcome.statuses.filter { $0.key != 21_006 }.values.reduce(0, +))
            let together = Rows(documents: order).settled().failureRates
            #expect(together.verifications == verifications)
            #expect(together.failedVerifications == outcome.failed)
        }
    }

    /// Answers to one request, each with a day; how often 21007 remains, of how many verifications.
    static let sequences: [([(Int64, String?)], Int, Int)] = [
        ([(0, "2025-01-01"), (21_007, "2026-03-02")], 1, 2),
        ([(21_007, "2026-03-02"), (0, "2026-03-03")], 0, 1),
        ([(21_007, "2026-03-02"), (0, "2026-03-02")], 0, 1),
        ([(21_007, "2026-03-02"), (21_006, "2026-03-01")], 1, 2),
        // The request was sent again: each 21007 belongs to a success after it.
        ([(0, "2026-03-01"), (21_007, "2026-03-02"), (0, "2026-03-03")], 0, 2),
        ([(21_007, "2026-03-01"), (0, "2026-03-02"), (21_007, "2026-03-03")], 1, 2),
        ([(21_007, "2026-03-01"), (21_007, "2026-03-02"), (0, "2026-03-03")], 0, 1),
        // Where a time is not known, the success may have come after.
        ([(0, nil), (21_007, "2026-03-02")], 0, 1),
        ([(0, "2025-01-01"), (21_007, nil)], 0, 1),
        ([(0, "2025-01-01"), (21_007, nil), (21_007, "2026-03-02")], 1, 2),
        ([(0, nil), (0, "2025-01-01"), (21_007, "2026-03-02")], 0, 2),
    ]

    @Test("A success before a 21007 does not settle it, in whatever order they are read", arguments: sequences)
    func follows(_ answers: [(Int64, String?)], _ remaining: Int, _ verifications: Int) {
        let rows = answers.map { status, day in
            var row = Self.response(status, [.pairKey: "request 1"])
            row[.loggedAt] = day.map { .text($0) }
            return row
        }
        for order in [rows, rows.reversed(), Array(rows[1...] + rows[..<1])] {
            let outcome = Outcome(order)
            #expect(outcome.statuses[21_007] == (remaining == 0 ? nil : remaining))
            #expect(outcome.verifications == verifications)
            #expect(outcome.failed == remaining)
        }
    }

    @Test("A 21007 and the sandbox's success are one verification, whether the sandbox is counted or not")
    func pairedBySandbox() {
        for rows in [[Self.routed, Self.sandbox], [Self.sandbox, Self.routed]] {
            for names in [["production", "unknown"], ["production", "sandbox", "unknown"]] {
                let outcome = Outcome(rows, environments: EnvironmentFilter(names))
                #expect(outcome == Outcome([:], verifications: 1, failed: 0))
            }
        }
    }

    /// Answers to one request, the successes from the sandbox, and the number of verifications.
    static let sandboxSequences: [([(Int64, String?)], Int)] = [
        ([(21_007, "2026-03-01"), (0, "2026-03-01"), (21_007, "2026-03-02"), (0, "2026-03-02")], 2),
        ([(21_007, "2026-03-01"), (0, "2026-03-02"), (21_007, "2026-03-03"), (0, "2026-03-04"), (0, "2026-03-05")], 2),
        ([(21_007, "2026-03-01"), (21_007, "2026-03-02"), (0, "2026-03-03")], 1),
        ([(21_007, "2026-03-01"), (21_007, "2026-03-02"), (0, "2026-03-03"), (0, "2026-03-04")], 2),
        ([(0, "2026-03-01"), (21_007, "2026-03-02"), (0, "2026-03-03")], 1),
        // A 21007 tells no time by itself, and a success tells it in its receipt.
        ([(21_007, nil), (0, "2026-03-01"), (21_007, nil), (0, "2026-03-02"), (21_007, nil), (0, "2026-03-03")], 3),
        ([(21_007, nil), (0, nil), (21_007, nil), (0, nil)], 2),
        ([(21_007, "2026-03-01"), (0, nil), (21_007, "2026-03-02"), (0, "2026-03-01")], 2),
    ]

    @Test("Each 21007 with a success of the sandbox of its own is one verification", arguments: sandboxSequences)
    func repeatedBySandbox(_ answers: [(Int64, String?)], _ verifications: Int) {
        let rows = answers.map { status, day in
            var row = Self.response(status, [.pairKey: "request 1"])
            row[.loggedAt] = day.map { .text($0) }
            if status == 0 { row[.environment] = "sandbox" }
            return row
        }
        for order in [rows, rows.reversed(), Array(rows[1...] + rows[..<1])] {
            #expect(Outcome(order) == Outcome([:], verifications: verifications, failed: 0))
            let together = Rows(documents: order).settled().failureRates
            #expect(together.verifications == verifications)
        }
    }

    @Test("Only responses of the requested environments are counted")
    func environments() {
        let rows = [
            Self.response(21_003, [.environment: "production"]), Self.response(21_004, [.environment: "sandbox"]),
            Self.response(21_005, [.environment: "live"]),
        ]
        #expect(Outcome(rows) == Outcome([21_003: 1, 21_005: 1], verifications: 2, failed: 2))
        let sandbox = EnvironmentFilter(["sandbox"])
        #expect(Outcome(rows, environments: sandbox) == Outcome([21_004: 1], verifications: 1, failed: 1))
    }

    @Test("The first and the last are by when the responses were logged, as far as that is known")
    func instants() throws {
        let rows = [
            Self.response(21_003, [.loggedAt: "2026-03-02T10:00:00Z"]),
            Self.response(21_003, [.loggedAt: "2026-03-01T09:59:59.999Z"]),
            Self.response(21_003), Self.response(21_004),
        ]
        let failures = Rows(documents: rows).settled().failures
        let timed = try #require(failures[FailureKey(domain: "verifyReceipt", code: 21_003)])
        #expect(timed.count == 3)
        #expect(timed.first?.description == "2026-03-01T09:59:59.999Z")
        #expect(timed.last?.description == "2026-03-02T10:00:00Z")
        let untimed = try #require(failures[FailureKey(domain: "verifyReceipt", code: 21_004)])
        #expect(untimed.first == nil && untimed.last == nil && untimed.hours.isEmpty)
    }

    @Test("A 21007 that nothing followed is listed with its time")
    func unpairedInstant() {
        let row = Self.routed.with([.loggedAt: "2026-03-02T10:00:00Z"])
        let failure = Rows(documents: [row]).settled().failures[FailureKey(domain: "verifyReceipt", code: 21_007)]
        #expect(failure?.first?.description == "2026-03-02T10:00:00Z")
        #expect(failure?.failureClass == "routing")
    }
}
