import Testing
import TillLedger
import TillReportModel
import TillReports
import TillRows
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

    private static func findings(_ text: String, in report: String = "failures") throws -> [String] {
        let ledger = rows.settled(needs: ReportRegistry.needs(of: report))
        let input = InputSummary(documents: 15, accepted: 15, rejected: 0, bytes: 100)
        let document = try #require(try ReportRegistry.document(named: report, of: ledger, input: input))
        return try Alert(text).findings(in: document)
    }

    static let past: [(String, [String])] = [
        ("z>4", ["SKErrorDomain 0 in the hour from 2026-03-02 09:00 UTC: z 11.00"]),
        ("z>=11", ["SKErrorDomain 0 in the hour from 2026-03-02 09:00 UTC: z 11.00"]),
        ("z>11", []),
        ("count >= 13", ["SKErrorDomain 0: count 13"]),
        ("count>0.5", ["SKErrorDomain 0: count 13"]),
        ("count>13", []),
        ("rate>92%", ["failure_rate 92.85 %"]),
        ("rate > 0.93", []),
        ("cancel_rate<=50%", ["cancel_rate 6.66 %"]),
        ("attempts<16", ["attempts 15"]),
        ("attempts<15", []),
        // Without a verification there is no rate of them.
        ("verification_failure_rate>=0", []),
        ("verifications<1", ["verifications 0"]),
    ]

    @Test("What is past the limit is told, and where", arguments: past)
    func finds(_ text: String, _ findings: [String]) throws {
        #expect(try Self.findings(text) == findings)
    }

    @Test("Of all reports the failures are looked at")
    func everything() throws {
        #expect(try Self.findings("count>12", in: "all") == ["SKErrorDomain 0: count 13"])
        #expect(try Self.findings("count>12", in: "revenue").isEmpty)
    }

    @Test(
        "What is no limit is refused",
        arguments: [
            "", "z", "z>", "z>four", "z>-1", ">4", "zz>4", "z=4", "z>>4", "z>4 5", "rate>5%%", "z>.5", "z>5.",
            "count>1234567890123", "z>0.1234567",
        ]
    )
    func refuses(_ text: String) {
        #expect(throws: AlertError.self) { try Alert(text) }
    }

    @Test("An unknown figure is answered with the nearest")
    func proposes() throws {
        let error = try #require(throws: AlertError.self) { try Alert("cuont>4") }
        #expect(error.description.hasSuffix("; did you mean 'count'?"))
    }
}
