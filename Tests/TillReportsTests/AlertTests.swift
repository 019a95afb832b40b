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

    private static func hits(
        _ text: String,
        _ rows: Rows = rows,
        in report: String = "failures"
    ) throws -> [String] {
        let alert = try Alert(text)
        var rules = LedgerRules()
        rules.looksBack = alert.looksBack
        let ledger = rows.settled(rules: rules, needs: ReportRegistry.needs(of: report))
        let input = InputSummary(documents: 15, accepted: 15, rejected: 0, bytes: 100)
        let document = try #require(try ReportRegistry.document(named: report, of: ledger, input: input))
        return alert.hits(in: document).map { hit in
            hit.text + (hit.figure.map { "\($0) \(hit.value.displayText)" } ?? "")
        }
    }

    static let past: [(String, [String])] = [
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
        #expect(try Self.hits(text) == findings)
    }

    @Test("Of all reports the failures are looked at")
    func everything() throws {
        #expect(try Self.hits("count>12", in: "all") == ["SKErrorDomain 0: count 13"])
        #expect(try Self.hits("count>12", in: "revenue").isEmpty)
    }

    /// The same, and a record later on.
    private static func rows(until last: String) -> Rows {
        var rows = rows
        rows.events.append([.event: "purchased", .transactionID: "2", .at: .text(last)])
        return rows
    }

    /// Three days of 20 purchases an hour, and two hours in which 15 of 30 attempts fail.
    private static let outage: Rows = {
        func events(_ count: Int, _ name: String, hour: Int, _ other: Row<EventColumn> = [:]) -> [Row<EventColumn>] {
            (0..<count).map { number in
                let at = Timestamp("2026-03-02").milliseconds + Int64(hour * 60 + number * 2) * 60_000
                let row: Row<EventColumn> = [
                    .event: .text(name), .at: .number(at), .accountToken: .text("\(name) \(hour) \(number)"),
                ]
                return row.with(other)
            }
        }
        let error: Row<EventColumn> = [.errorDomain: "ASDErrorDomain", .errorCode: 500, .errorClass: "store"]
        var rows = (0..<72).flatMap { events(20, "purchased", hour: $0) }
        for hour in 72..<74 { rows += events(15, "purchased", hour: hour) + events(15, "failed", hour: hour, error) }
        return Rows(events: rows)
    }()

    @Test("An ongoing incident raises an alert, and of those found in a window only while it is new")
    func incidents() throws {
        let line = try #require(try Self.hits("ongoing", Self.outage).first)
        #expect(
            line.contains(
                " ONGOING since 5 March 00:00 UTC: ASDErrorDomain 500, 30 of 60 attempts (50.0 %, usually 0.0 %)"
            )
        )
        #expect(try Self.hits("opened@2h", Self.outage) == [line])
        #expect(try Self.hits("opened@1h", Self.outage).isEmpty)
        #expect(try Self.hits("ongoing", Self.rows).isEmpty)
    }

    /// Now is 5 March 01:28, so the last hour begins with the ten minutes from 00:20 on.
    @Test(
        "A figure is of all time, or of the hours of a window before now",
        arguments: [
            ("count>=30", ["ASDErrorDomain 500: count 30"]), ("count>=20@1h", ["ASDErrorDomain 500: count 20"]),
            ("count>20@1h", []), ("count>=30@2h", ["ASDErrorDomain 500: count 30"]),
            ("rate>1.9%", ["failure_rate 2.00 %"]), ("rate>=50%@1h", ["failure_rate 50.00 %"]),
            ("attempts<=40@1h", ["attempts 40"]), ("succeeded<20@1h", []), ("succeeded<=20@1h", ["succeeded 20"]),
            ("failed>=30@9999w", ["failed 30"]), ("verifications<1@1h", ["verifications 0"]),
        ] as [(String, [String])]
    )
    func looksBack(_ text: String, _ expected: [String]) throws {
        #expect(try Self.hits(text, Self.outage) == expected)
    }

    @Test("Cancellations, deferrals and beginnings are figures of a window too")
    func looksBackAtAttempts() throws {
        func events(_ count: Int, _ name: String, _ other: Row<EventColumn> = [:]) -> [Row<EventColumn>] {
            (0..<count).map { number in
                let row: Row<EventColumn> = [
                    .event: .text(name), .at: .number(Timestamp("2026-03-02").milliseconds + Int64(number) * 1000),
                    .accountToken: .text("\(name) \(number)"),
                ]
                return row.with(other)
            }
        }
        let rows = Rows(
            events: events(9, "purchasing") + events(3, "purchased") + events(1, "deferred")
                + events(2, "failed", [.errorDomain: "SKErrorDomain", .errorCode: 2, .errorClass: "cancelled"])
                + events(1, "failed", [.errorDomain: "SKErrorDomain", .errorCode: 0, .errorClass: "store"])
        )
        for (figure, value) in [
            ("attempts", "9"), ("succeeded", "3"), ("failed", "1"), ("cancelled", "2"), ("deferred", "1"),
            ("unfinished", "2"), ("cancel_rate", "22.22 %"),
        ] { #expect(try Self.hits("\(figure)>=0@1h", rows) == ["\(figure) \(value)"]) }
    }

    @Test("Without a record that has a time, a window has no figures")
    func looksBackAtNothing() throws {
        let rows = Rows(events: [[.event: "purchased", .transactionID: "1"]])
        #expect(try Self.hits("attempts<10@1h", rows).isEmpty)
        #expect(try Self.hits("count<1@1h", rows).isEmpty)
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
        for text in ["ongoing", "opened@7d", "count>0", "count>0@7d"] {
            #expect(try Self.hits(text, rows).isEmpty, "\(text)")
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
            "", "z", "z>4", "count", "count>", "count>four", "count>-1", ">4", "counts>4", "count=4", "count>>4",
            "count>4 5", "rate>5%%", "count>.5", "count>5.", "count>1234567890123", "count>0.1234567", "count>4@",
            "count>4@h", "count>4@3", "count>4@0h", "count>4@-1d", "count>4@12345h", "count>4@3m", "count@3h>4",
            "rate>5%@24", "attempts<10@d", "count>4@3h@3h", "rate>5", "cancel_rate<100.5%", "ongoing>1", "ongoing@1h",
            "opened", "opened@", "opened@3", "opened>1", "opened@1h@1h",
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
