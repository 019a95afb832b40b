import Testing
import TillCore
import TillLedger
import TillPricing
import TillReportModel
import TillReports
import TillRows
import TillTestSupport

@Suite("The clock of a report")
struct ReportClockTests {
    static let texts: [(Int, String, String, String)] = [
        (0, "2026-03-09T00:30:00.007+00:00", "2026-03-09 00:30+00:00", "2026-03-09"),
        (-25_200, "2026-03-08T17:30:00.007-07:00", "2026-03-08 17:30-07:00", "2026-03-08"),
        (20_700, "2026-03-09T06:15:00.007+05:45", "2026-03-09 06:15+05:45", "2026-03-09"),
        // Before there were time zones.
        (-28_378, "2026-03-08T16:37:02.007-07:52:58", "2026-03-08 16:37-07:52:58", "2026-03-08"),
    ]

    @Test("An instant is shown with its offset", arguments: texts)
    func shows(_ offset: Int, _ text: String, _ toTheMinute: String, _ day: String) {
        let clock = ReportClock(name: "There") { _ in offset }
        let instant = Timestamp("2026-03-09T00:30:00.007Z")
        #expect(clock.text(of: instant) == text)
        #expect(clock.textToTheMinute(of: instant) == toTheMinute)
        #expect(clock.day(of: instant) == day)
        #expect(ReportClock.utc.text(of: instant) == "2026-03-09T00:30:00.007Z")
        #expect(ReportClock.utc.textToTheMinute(of: instant) == "2026-03-09 00:30 UTC")
    }

    @Test("At the ends of time a clock stops")
    func stops() {
        for offset in [-50_000, 50_000] {
            let clock = ReportClock(name: "There") { _ in offset }
            for instant in [Timestamp(milliseconds: .min), Timestamp(milliseconds: .max)] {
                #expect(clock.text(of: instant).hasSuffix(offset < 0 ? "-13:53:20" : "+13:53:20"))
            }
        }
    }

    @Test("A transaction is explained by its hour in any notation, as tables of any time zone show it")
    func explainsHour() throws {
        let sale: Row<TransactionColumn> = [
            .transactionID: "1", .productID: "a", .purchaseDate: "2026-03-09T10:15:00Z", .environment: "production",
            .price: 1000, .currency: "USD",
        ]
        let ledger = Rows(transactions: [sale]).settled(needs: .provenance)
        for (hour, count) in [
            ("2026-03-09T10:00:00Z", 1), ("2026-03-09 10:00:00Z", 1), ("2026-03-09 03:00:00-07:00", 1),
            ("2026-03-09T11:00:00Z", 0),
        ] {
            let report = try Explanation.document(
                of: Selection("hour=\(hour)"),
                in: ledger,
                input: InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1)
            )
            #expect(try report.rows(of: "transactions").count == count, "\(hour)")
        }
    }
}
