import Testing
import TillCore
import TillLedger
import TillReports
import TillRows
import TillStorage
import TillTestSupport

/// Two weeks of a log, and what a pager gets from a run of `--alert` every hour.
@Suite("A pager")
struct PagerTests {
    private static let start = Timestamp("2026-03-02").milliseconds
    private static let hours = 14 * 24
    /// In these hours, eight of twelve attempts fail with this code.
    private static let troubles: [(hours: Range<Int>, domain: String, code: Int64)] = [
        (9 * 24 + 14..<9 * 24 + 20, "ASDErrorDomain", 500), (12 * 24 + 2..<12 * 24 + 9, "NSURLErrorDomain", -1001),
    ]

    /// An event, and the hour of the run that sees it first.
    private typealias Delivered = (hour: Int, row: Row<EventColumn>)

    /// Twelve attempts an hour, of which one of 37 fails; six at night. At the weekend there are twice as many.
    ///
    /// - Parameter delay: by how many hours the event of a number is late.
    private static func log(delay: (Int) -> Int) -> [Delivered] {
        var (events, number): ([Delivered], Int) = ([], 0)
        for hour in 0..<hours {
            let trouble = troubles.first { $0.hours.contains(hour) }
            let count = (hour / 24 % 7 >= 5 ? 2 : 1) * (hour % 24 < 6 ? 6 : 12)
            for place in 0..<count {
                number += 1
                var row: Row<EventColumn> = [
                    .event: "purchased", .bundleID: "com.example.trail", .accountToken: .text("account \(number)"),
                    .at: .number(start + Int64(hour) * 3_600_000 + Int64(place) * 3_600_000 / Int64(count)),
                ]
                if let trouble, place % 3 != 0 {
                    row = row.with([
                        .event: "failed", .errorDomain: .text(trouble.domain), .errorCode: .number(trouble.code),
                        .errorClass: "store",
                    ])
                } else if number % 37 == 0 {
                    row = row.with([
                        .event: "failed", .errorDomain: "SKErrorDomain", .errorCode: 0, .errorClass: "store",
                    ])
                }
                events.append((hour + delay(number), row))
            }
        }
        return events
    }

    /// The incidents that each run tells, by the hour of the run.
    private static func pages(_ alert: String, _ log: [Delivered]) throws -> [(hour: Int, incident: Incident)] {
        let alert = try Alert(alert)
        var pages: [(hour: Int, incident: Incident)] = []
        for hour in 1...hours {
            let ledger = Rows(events: log.filter { $0.hour < hour }.map(\.row)).settled(needs: FailuresReport.needs)
            let input = InputSummary(documents: 1, accepted: 1, rejected: 0, bytes: 1)
            let document = try #require(try ReportRegistry.document(named: "failures", of: ledger, input: input))
            pages += alert.hits(in: document).compactMap { hit in hit.incident.map { (hour, $0) } }
        }
        return pages
    }

    @Test(
        "With 'ongoing' and the id as its key, a pager rings once for each trouble, also where lines come hours late",
        arguments: [false, true]
    )
    func pagesOnce(_ isLate: Bool) throws {
        let pages = try Self.pages("ongoing", Self.log { isLate ? $0 % 7 == 0 ? 5 : $0 % 5 == 0 ? 2 : 0 : 0 })
        var first: [String: Int] = [:]
        for (hour, incident) in pages where first[incident.id] == nil { first[incident.id] = hour }
        let rings = first.sorted { $0.value < $1.value }
        #expect(rings.count == Self.troubles.count)
        for ((id, hour), trouble) in zip(rings, Self.troubles) {
            let late = hour - trouble.hours.lowerBound
            #expect((1...(isLate ? 5 : 3)).contains(late), "\(late) hours after the beginning")
            let own = pages.filter { $0.incident.id == id }
            let codes = [FailureKey(domain: trouble.domain, code: trouble.code)]
            for page in own { #expect(page.incident.codes.map(\.key) == codes) }
            // It rings until the trouble is over, and stops soon after.
            #expect(Set(own.map(\.hour)).isSuperset(of: hour...trouble.hours.upperBound))
            #expect(own.allSatisfy { $0.hour < trouble.hours.upperBound + 12 })
        }
    }

    @Test("With 'opened@1h', one run reports each trouble, where data come in time")
    func opensOnce() throws {
        let pages = try Self.pages("opened@1h", Self.log { _ in 0 })
        #expect(pages.count == Self.troubles.count && Set(pages.map(\.incident.id)).count == pages.count)
    }
}
