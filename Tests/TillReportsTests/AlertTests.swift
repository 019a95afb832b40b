import Testing
import TillCore
import TillLedger
import TillRender
import TillReportModel
import TillReports
import TillRows
import TillStorage
import TillTestSupport

@Suite("Alerts")
struct AlertTests {
    /// Twelve failures in an hour after a quiet one, a cancellation, and an attempt that went well.
    private static let rows: Rows = {
        func failure(_ code: Int64, _ failureClass: String, _ at: String) -> Row<EventColumn> {
            [
                .event: "failed", .errorDomain: "SKErrorDomain", .errorCode: .number(code),
                .errorClass: .text(failureClass), .at: .text(at),
            ]
        }
        return Rows(
            events: [failure(0, "store", "2026-03-02T08:10:00Z"), failure(2, "cancelled", "2026-03-02T08:20:00Z")]
                + Array(repeating: failure(0, "store", "2026-03-02T09:10:00Z"), count: 12)
                + [[.event: "purchased", .transactionID: "1"]]
        )
    }()

    private static func outcome(
        _ text: String,
        _ rows: Rows = rows,
        in report: String = "failures"
    ) throws -> Alert.Outcome {
        let ledger = rows.settled(needs: ReportRegistry.needs(of: report))
        let input = InputSummary(documents: 15, accepted: 15, rejected: 0, bytes: 100)
        let newest = ledger.recordSpan?.upperBound
        let document = try #require(try ReportRegistry.document(named: report, of: ledger, input: input))
        return try Alert(text).outcome(in: document, newest: newest)
    }

    private static func text(_ findings: [Alert.Hit]) -> [String] {
        findings.map { ($0.subject.map { $0 + ": " } ?? "") + $0.figure + " " + $0.value.displayText }
    }

    static let past: [(String, [String])] = [
        ("z>4", ["SKErrorDomain 0 in the hour from 2026-03-02 09:00 UTC: z 11.00"]),
        ("z>=11", ["SKErrorDomain 0 in the hour from 2026-03-02 09:00 UTC: z 11.00"]),
        ("z>11", []),
        ("z > 4 @ 1h", ["SKErrorDomain 0 in the hour from 2026-03-02 09:00 UTC: z 11.00"]),
        ("count >= 13", ["SKErrorDomain 0: count 13"]),
        ("count>0.5", ["SKErrorDomain 0: count 13"]),
        ("count>13", []),
        ("rate>92%", ["failure_rate 92.86 %"]),
        ("rate > 0.93", []),
        ("cancel_rate<=50%", ["cancel_rate 6.67 %"]),
        ("attempts<16", ["attempts 15"]),
        ("attempts<15", []),
        // Without a verification there is no rate of them.
        ("verification_failure_rate>=0", []),
        ("verifications<1", ["verifications 0"]),
    ]

    @Test("Figures past the limit are found, with their code and hour", arguments: past)
    func finds(_ text: String, _ findings: [String]) throws {
        #expect(try Self.text(Self.outcome(text).findings) == findings)
    }

    @Test("Of all reports the failures are looked at")
    func everything() throws {
        #expect(try Self.text(Self.outcome("count>12", in: "all").findings) == ["SKErrorDomain 0: count 13"])
        #expect(try Self.outcome("count>12", in: "revenue").findings.isEmpty)
    }

    /// The same, and a record later on.
    private static func rows(until last: String) -> Rows {
        var rows = rows
        rows.events.append([.event: "purchased", .transactionID: "2", .at: .text(last)])
        return rows
    }

    /// The newest record, an alert, and how many spikes it finds and passes over. The hour of the spike ends at ten.
    static let ages: [(String, String, Int, Int)] = [
        ("2026-03-02T09:59:00Z", "z>4", 1, 0), ("2026-03-03T10:00:00Z", "z>4", 1, 0),
        ("2026-03-03T10:00:00.001Z", "z>4", 0, 1), ("2026-03-13T09:00:00Z", "z>4", 0, 1),
        ("2026-03-13T09:00:00Z", "z>4@11d", 1, 0), ("2026-03-13T09:00:00Z", "z>4@10d", 0, 1),
        ("2026-03-13T09:00:00Z", "z>4@9999d", 1, 0), ("2026-03-02T13:00:00Z", "z>4@3h", 1, 0),
        ("2026-03-02T13:00:01Z", "z>4@3h", 0, 1), ("2026-03-13T09:00:00Z", "z>12", 0, 0),
    ]

    @Test("A spike wakes somebody as long as it is fresh, measured by the newest record", arguments: ages)
    func forgets(_ last: String, _ text: String, _ found: Int, _ earlier: Int) throws {
        let outcome = try Self.outcome(text, Self.rows(until: last))
        #expect(outcome.findings.count == found && outcome.earlier.count == earlier)
    }

    @Test("A count is of all time, or of the hours of a window")
    func counts() throws {
        let rows = Self.rows(until: "2026-03-02T12:00:00Z")
        #expect(try Self.text(Self.outcome("count>12", rows).findings) == ["SKErrorDomain 0: count 13"])
        #expect(try Self.text(Self.outcome("count>11@2h", rows).findings) == ["SKErrorDomain 0: count 12"])
        #expect(try Self.outcome("count>12@2h", rows).findings.isEmpty)
        #expect(try Self.outcome("count>0@1h", rows).findings.isEmpty)
        #expect(try Self.text(Self.outcome("count<1@1h", rows).findings) == ["SKErrorDomain 0: count 0"])
    }

    @Test("Cancellations and receipts that are valid but expired raise no alert")
    func harmless() throws {
        func event(_ hour: Int) -> Row<EventColumn> {
            [
                .event: "failed", .errorDomain: "SKErrorDomain", .errorCode: 2, .errorClass: "cancelled",
                .at: .text("2026-03-02T0\(hour):10:00Z"),
            ]
        }
        let response: Row<DocumentColumn> = [.kind: "verify", .status: 21006, .loggedAt: "2026-03-02T09:20:00Z"]
        let rows = Rows(
            documents: Array(repeating: response, count: 40),
            events: [event(7)] + Array(repeating: event(9), count: 40)
        )
        let spikes = rows.settled().spikes
        #expect(spikes.map(\.count) == [40])
        for text in ["z>4", "z>4@7d", "count>0", "count>0@7d"] {
            let outcome = try Self.outcome(text, rows)
            #expect(outcome.findings.isEmpty && outcome.earlier.isEmpty, "\(text)")
        }
    }

    @Test("Two ledgers that are joined, and a partial that is read, know the newest record of both")
    func joins() throws {
        var ledger = Ledger(needs: .failures)
        ledger.update(with: Self.rows(until: "2026-03-05").batch())
        var other = Ledger(needs: .failures)
        other.update(with: Self.rows.batch())
        var blocks: [(PartialBlock, [UInt8])] = []
        ledger.encode { blocks.append(($0, $1)) }
        var read = Ledger(needs: .failures)
        var decoder = PartialDecoder()
        for (block, bytes) in blocks { try decoder.decode(block, bytes.span.bytes, offset: 0, into: &read) }
        other.merge(read)
        #expect(other.settle(LedgerRules()).recordSpan == Timestamp("2026-03-02T08:10:00Z")...Timestamp("2026-03-05"))
    }

    @Test(
        "What is no limit is refused",
        arguments: [
            "", "z", "z>", "z>four", "z>-1", ">4", "zz>4", "z=4", "z>>4", "z>4 5", "rate>5%%", "z>.5", "z>5.",
            "count>1234567890123", "z>0.1234567", "z>4@", "z>4@h", "z>4@3", "z>4@0h", "z>4@-1d", "z>4@12345h", "z>4@3m",
            "z@3h>4", "rate>5%@24h", "attempts<10@1d", "z>4@3h@3h", "rate>5", "cancel_rate<100.5%",
        ]
    )
    func refuses(_ text: String) {
        #expect(throws: Finding.self) { try Alert(text) }
    }

    @Test("An unknown figure is answered with the nearest")
    func proposes() throws {
        let error = try #require(throws: Finding.self) { try Alert("cuont>4") }
        #expect(error.description.hasSuffix("; did you mean 'count'?"))
    }
}
