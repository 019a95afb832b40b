import Testing
import TillCore
import TillRows
import TillTestSupport

@testable import TillLedger

@Suite("Client events")
struct ClientEventTests {
    private static func event(_ name: String, _ other: Row<EventColumn> = [:]) -> Row<EventColumn> {
        ([.event: .text(name)] as Row<EventColumn>).with(other)
    }

    private static func failure(
        _ code: Int64,
        _ failureClass: String,
        _ other: Row<EventColumn> = [:]
    ) -> Row<EventColumn> {
        let error: Row<EventColumn> = [
            .errorDomain: "SKErrorDomain", .errorCode: .number(code), .errorClass: .text(failureClass),
        ]
        return event("failed", error.with(other))
    }

    // MARK: Restores

    /// Cells of restored (or purchased) events, and how many are counted.
    static let repeated: [([Row<EventColumn>], Int)] = [
        ([], 0),
        ([[.transactionID: "1"], [.transactionID: "1"], [.transactionID: "2"], [.transactionID: "a"]], 3),
        ([[.transactionID: "1", .attemptID: "x"], [.transactionID: "1", .attemptID: "y"]], 1),
        ([[.attemptID: "x"], [.attemptID: "x"], [.attemptID: "y"]], 2),
        ([[:], [:], [:]], 3),
        ([[.transactionID: "0"], [.transactionID: "0"]], 2),
        ([[.transactionID: "0", .attemptID: "x"], [.transactionID: "0", .attemptID: "x"]], 1),
        ([[.transactionID: "1"], [.attemptID: "x"], [:], [.transactionID: "1"], [.attemptID: "x"], [:]], 4),
    ]

    @Test(
        "What is restored or bought is counted by transaction, else by attempt, else by line (quirk 74)",
        arguments: repeated
    )
    func distinct(_ rows: [Row<EventColumn>], _ count: Int) {
        let restored = rows.map { Rows(events: [Self.event("restored", $0)]) }
        #expect(Rows.settled(restored).eventRestores.restored == count)
        #expect(Rows.settled(restored).eventRestores.purchased == 0)
        let purchased = Rows(events: rows.map { Self.event("purchased", $0) }).settled().eventRestores
        #expect(purchased.purchased == count)
        #expect(purchased.restored == 0)
    }

    @Test("Purchases and restores are counted apart, and the ends of restores are counted by line")
    func restores() {
        let rows = [
            Self.event("restored", [.transactionID: "1"]), Self.event("purchased", [.transactionID: "1"]),
            Self.event("restore_completed"), Self.event("restore_completed"), Self.event("restore_failed"),
            Self.event("restore_started"), Self.event("finished"), Self.event("nonsense"), [:],
        ]
        let restores = Rows(events: rows).settled().eventRestores
        #expect((restores.restored, restores.purchased) == (1, 1))
        #expect((restores.restoreCompleted, restores.restoreFailed) == (2, 1))
    }

    // MARK: Rates

    /// Events, then attempts, failed and cancelled.
    static let rates: [([Row<EventColumn>], Int, Int, Int)] = [
        ([], 0, 0, 0),
        // With beginnings: attempts by their names, else by line.
        ([event("purchasing"), event("purchasing"), event("purchased")], 2, 0, 0),
        (
            [
                event("purchasing", [.attemptID: "x"]), event("purchasing", [.attemptID: "x"]),
                event("purchasing", [.attemptID: "y"]), event("purchasing"), failure(0, "store"),
            ], 3, 1, 0
        ),
        // With fewer beginnings than failures, and without any: what ended.
        ([event("purchasing"), failure(0, "store"), failure(2, "cancelled"), event("purchased")], 3, 1, 1),
        ([event("purchasing"), failure(0, "store"), event("purchased"), event("purchased")], 1, 1, 0),
        ([event("purchased"), failure(0, "store"), failure(2, "cancelled"), event("deferred")], 4, 1, 1),
        ([failure(2, "cancelled"), failure(15, "cancelled"), failure(907, "cancelled")], 3, 0, 3),
        ([event("failed")], 1, 1, 0),
        // An attempt without an id is that of its transaction.
        (
            [
                event("purchased", [.transactionID: "1"]), event("purchased", [.transactionID: "1"]),
                event("purchased", [.transactionID: "a"]), event("purchased", [.transactionID: "a"]),
                event("purchased", [.transactionID: "0"]), event("purchased", [.transactionID: "0"]),
                failure(0, "store", [.transactionID: "2"]), failure(0, "store", [.transactionID: "2"]),
            ], 5, 1, 0
        ),
        (
            [
                event("purchased", [.transactionID: "1", .attemptID: "x"]), event("purchased", [.transactionID: "1"]),
                event("purchased", [.attemptID: "1"]),
            ], 3, 0, 0
        ),
        // Other failures are no attempts to buy.
        ([event("restore_failed"), event("verify_failed"), event("product_request_failed")], 0, 0, 0),
        ([event("restored"), event("verified")], 0, 0, 0),
    ]

    @Test("A deferral is an attempt that is in no failure rate, also as pending and as an error")
    func countsDeferrals() {
        let rows = [
            Self.event("purchased"), Self.failure(0, "store"), Self.failure(2, "cancelled"), Self.event("deferred"),
            Self.event("pending"),
        ]
        let rates = Rows(events: rows + [Self.failure(20, "deferred")]).settled().failureRates
        #expect((rates.attempts, rates.failed, rates.cancelled, rates.deferred) == (6, 1, 1, 3))
        #expect(rates.decided == 2)
    }

    @Test("Attempts are purchasing events, else what ended; cancellations are no failures", arguments: rates)
    func counts(_ rows: [Row<EventColumn>], _ attempts: Int, _ failed: Int, _ cancelled: Int) {
        let rates = Rows.settled(rows.map { Rows(events: [$0]) }).failureRates
        #expect(rates.attempts == attempts)
        #expect(rates.failed == failed)
        #expect(rates.cancelled == cancelled)
        #expect(rates.verifications == 0)
    }

    /// An event of attempt `x`, or of another one, at a minute.
    private static func ended(
        _ event: Row<EventColumn>,
        _ minute: String?,
        _ attempt: RowValue? = "x"
    ) -> Row<EventColumn> {
        var row = event
        row[.attemptID] = attempt
        row[.at] = minute.map { .text("2026-03-02T10:\($0):00Z") }
        return row
    }

    private static let begun = ended(event("purchasing"), "00")

    /// Events of attempts, then attempts, failed and cancelled.
    static let endings: [([Row<EventColumn>], Int, Int, Int)] = [
        // The same end, logged several times, counts once.
        ([begun] + ["01", "02", "03"].map { ended(failure(2, "cancelled"), $0) }, 1, 0, 1),
        ([begun] + ["01", "02", "03"].map { ended(failure(5, "catalogue"), $0) }, 1, 1, 0),
        (["01", "02"].map { ended(failure(5, "catalogue"), $0) }, 1, 1, 0),
        // The last of several wins.
        ([begun, ended(failure(2, "cancelled"), "01"), ended(failure(5, "catalogue"), "02")], 1, 1, 0),
        ([begun, ended(failure(5, "catalogue"), "01"), ended(failure(2, "cancelled"), "02")], 1, 0, 1),
        ([ended(failure(5, "catalogue"), "01"), ended(event("purchased", [.transactionID: "1"]), "02")], 1, 0, 0),
        ([ended(event("purchased"), "01"), ended(failure(5, "catalogue"), "02")], 1, 1, 0),
        ([begun, ended(failure(5, "catalogue"), "01"), ended(event("restored"), "02")], 1, 0, 0),
        ([begun, ended(failure(5, "catalogue"), "01"), ended(event("deferred"), "02")], 1, 0, 0),
        ([ended(event("deferred"), "01"), ended(failure(2, "cancelled"), "02")], 1, 0, 1),
        // Of one instant, bought before restored before failed before cancelled before deferred.
        ([begun, ended(failure(5, "catalogue"), "01"), ended(event("purchased"), "01")], 1, 0, 0),
        ([begun, ended(failure(5, "catalogue"), "01"), ended(event("restored"), "01")], 1, 0, 0),
        ([begun, ended(failure(5, "catalogue"), "01"), ended(failure(2, "cancelled"), "01")], 1, 1, 0),
        ([begun, ended(event("deferred"), "01"), ended(failure(2, "cancelled"), "01")], 1, 0, 1),
        // What has no time was before all that has one.
        ([begun, ended(event("purchased"), nil), ended(failure(2, "cancelled"), "01")], 1, 0, 1),
        ([begun, ended(failure(5, "catalogue"), nil), ended(failure(2, "cancelled"), nil)], 1, 1, 0),
        // Each attempt has its own end, and what has no id is counted by line.
        (
            [begun, ended(event("purchasing"), "00", "y")] + ["x", "y"].map { ended(failure(0, "store"), "01", $0) },
            2, 2, 0
        ),
        (
            [ended(failure(0, "store"), "01"), ended(failure(0, "store"), "01", nil), failure(0, "store")]
                + [ended(failure(0, "store"), "02")], 3, 3, 0
        ),
        // Other failures end no attempt.
        ([begun, ended(failure(2, "cancelled"), "01"), ended(event("verify_failed"), "02")], 1, 0, 1),
        ([ended(event("restored"), "01")], 0, 0, 0),
    ]

    @Test("An attempt with an id ends once, by its last event, in whatever order events come", arguments: endings)
    func ends(_ rows: [Row<EventColumn>], _ attempts: Int, _ failed: Int, _ cancelled: Int) {
        for order in [rows, rows.reversed(), Array(rows[1...] + rows[..<1])] {
            for batches in [[Rows(events: order)], order.map { Rows(events: [$0]) }] {
                let rates = Rows.settled(batches).failureRates
                #expect((rates.attempts, rates.failed, rates.cancelled) == (attempts, failed, cancelled))
            }
        }
    }

    @Test("An attempt that only its transaction names ends as one with an id does", arguments: endings)
    func endsByTransaction(_ rows: [Row<EventColumn>], _ attempts: Int, _ failed: Int, _ cancelled: Int) {
        let byTransaction = rows.map { row in
            var renamed = row
            (renamed[.attemptID], renamed[.transactionID]) = (nil, row[.attemptID])
            return renamed
        }
        ends(byTransaction, attempts, failed, cancelled)
    }

    @Test("Of two outcomes the later one counts, however far away the instants are")
    func outcomes() {
        let instants: [Int64?] = [nil, .min, -1 << 57 + 1, -1, 0, 1_700_000_000_000, 1 << 57 - 1, .max]
        var last: AttemptOutcome?
        for instant in instants {
            for kind: AttemptOutcome.Kind in [.deferred, .cancelled, .failed, .restored, .purchased] {
                let outcome = AttemptOutcome(kind, at: instant)
                #expect(outcome.kind == kind)
                #expect(outcome.at == instant.map { min(max($0, -1 << 57 + 1), 1 << 57 - 1) })
                // The first and the last two instants are the same: there kinds begin again.
                if let last, last.at != outcome.at || last.kind.rawValue < kind.rawValue { #expect(last < outcome) }
                last = outcome
                var (purchase, other) = (
                    TransactionOutcome(isPurchased: true, isRestored: false, attempt: nil),
                    TransactionOutcome(isPurchased: false, isRestored: true, attempt: outcome)
                )
                #expect(purchase.attempt == nil)
                #expect(other.attempt == outcome)
                #expect((other.isPurchased, other.isRestored) == (false, true))
                (purchase, other) = (other, purchase)
                purchase.merge(other)
                #expect(purchase.attempt == outcome)
                #expect((purchase.isPurchased, purchase.isRestored) == (true, true))
            }
        }
    }

    @Test("Failures themselves are counted line by line")
    func lines() {
        let rows = ["01", "02", "03"].map { Self.ended(Self.failure(5, "catalogue"), $0) }
        #expect(Rows(events: [Self.begun] + rows).settled().failures.values.map(\.count) == [3])
    }

    // MARK: Failures

    @Test("Failures of every kind are keyed by the outer domain and code, whatever is known of them")
    func keys() {
        let error: Row<EventColumn> = [.errorDomain: "SKErrorDomain", .errorCode: 0]
        let rows = [
            Self.event("failed", error.with([.underlyingDomain: "NSURLErrorDomain", .underlyingCode: -1009])),
            Self.event("restore_failed", error), Self.event("verify_failed", error),
            Self.event("product_request_failed", error),
            Self.event("failed", [.errorDomain: "SKErrorDomain"]), Self.event("failed", [.errorCode: 0]),
            Self.event("failed"),
            Self.event("purchased", error), Self.event("restore_started", error),
        ]
        let expected = [
            FailureKey(domain: "SKErrorDomain", code: 0): 4, FailureKey(domain: "SKErrorDomain", code: nil): 1,
            FailureKey(domain: nil, code: 0): 1, FailureKey(domain: nil, code: nil): 1,
        ]
        #expect(Rows(events: rows).settled().failures.mapValues(\.count) == expected)
    }

    /// The classes of failures of one key, and the one that the key gets.
    static let classes: [([String?], String)] = [
        (["store", "network", "network"], "network"),
        (["network", "store", "store", "network", "auth"], "network"),
        (["store"], "store"),
        ([nil], "unknown"),
        ([nil, nil, "store"], "unknown"),
    ]

    @Test("A key has the class of most of its failures, of equally many the first by name", arguments: classes)
    func majority(_ words: [String?], _ expected: String) {
        let rows = words.map { word in
            var row = Self.event("failed", [.errorDomain: "SKErrorDomain", .errorCode: 0])
            row[.errorClass] = word.map { .text($0) }
            return Rows(events: [row])
        }
        for order in [rows, rows.reversed()] {
            #expect(Rows.settled(order).failures.values.map(\.failureClass) == [expected])
        }
    }

    @Test("One code may be cancelled here and a failure there; the rates count them apart")
    func mixedClasses() {
        let rates = Rows(events: [Self.failure(907, "cancelled"), Self.failure(907, "store")]).settled().failureRates
        #expect((rates.failed, rates.cancelled) == (1, 1))
    }

    @Test("Failures are counted by UTC hour, and those without a possible instant only in all")
    func hours() throws {
        let instants: [RowValue?] = [
            "2026-03-01T09:59:59.999Z", "2026-03-01T10:00:00Z", "2026-03-01T10:59:59.999Z", "2026-03-01T11:30:00+01:00",
            "1969-12-31T23:59:59.999Z", .number(.min), .number(.max), nil,
        ]
        let rows = instants.map { instant in
            var row = Self.failure(0, "store")
            row[.at] = instant
            return row
        }
        let counts = try #require(Rows(events: rows).settled().failures.values.first)
        #expect(counts.count == 8)
        let hour = Timestamp("2026-03-01T10:00:00Z").hour
        #expect(
            counts.countsByHour == [
                hour - 1: 1, hour: 3,
            ]
        )
        #expect(counts.first == Timestamp("2026-03-01T09:59:59.999Z"))
        #expect(counts.last == Timestamp("2026-03-01T10:59:59.999Z"))
    }

    @Test("Only events of the requested environments are counted")
    func environments() {
        let rows = ["production", "sandbox", "xcode", "release"].map {
            Self.failure(0, "store", [.environment: .text($0)])
        }
        let all = rows + [Self.failure(0, "store")]
        #expect(Rows(events: all).settled().failureRates.failed == 3)
        #expect(Rows(events: all).settled(environments: EnvironmentFilter(["sandbox"])).failureRates.failed == 1)
    }

    @Test("A status that stands in events and in responses is one key")
    func sameKey() throws {
        let event = Self.event(
            "verify_failed",
            [.errorDomain: "verifyReceipt", .errorCode: 21_003, .errorClass: "invalid", .at: "2026-03-02"]
        )
        let response: Row<DocumentColumn> = [.kind: "verify", .status: 21_003, .loggedAt: "2026-03-01"]
        let failures = Rows(documents: [response], events: [event, event]).settled().failures
        let counts = try #require(failures[FailureKey(domain: "verifyReceipt", code: 21_003)])
        #expect(failures.count == 1)
        #expect(counts.count == 3)
        #expect(counts.first?.description == "2026-03-01T00:00:00Z")
        #expect(counts.last?.description == "2026-03-02T00:00:00Z")
    }

    /// Many classes, because joining them one by one would take as long as the square of their number.
    @Test("A code whose rows have different classes is one code, of the class that most rows have")
    func manyClasses() throws {
        let rows = (0..<20_000).map { number in
            Self.event(
                "failed",
                [
                    .errorDomain: "SKErrorDomain", .errorCode: 2, .errorClass: .text("class \(max(1, number))"),
                    .at: number < 100 ? "2026-03-02" : "2026-03-01",
                ]
            )
        }
        let failures = Rows(events: rows).settled().failures
        let counts = try #require(failures[FailureKey(domain: "SKErrorDomain", code: 2)])
        #expect(failures.count == 1 && counts.count == 20_000)
        #expect(counts.failureClass == "class 1")
        #expect(counts.hours.map(\.count) == [19_900, 100])
    }

    @Test("Keys are in order of domain, bytewise, then of code; what is not known comes last")
    func order() {
        let keys = [
            FailureKey(domain: "AMS", code: 6), FailureKey(domain: "SK", code: -1), FailureKey(domain: "SK", code: 2),
            FailureKey(domain: "SK", code: 15), FailureKey(domain: "SK", code: nil), FailureKey(domain: "ams", code: 1),
            FailureKey(domain: nil, code: 1), FailureKey(domain: nil, code: nil),
        ]
        #expect(keys.reversed().sorted() == keys)
    }
}
