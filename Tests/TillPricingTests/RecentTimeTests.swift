import Testing
import TillCore
import TillPricing
import TillTestSupport

@Suite("Times that are counted back")
struct RecentTimeTests {
    private static let calendar = BookingCalendar(.gregorian)

    /// A time, the time zone, the last record, and where the time begins.
    static let starts: [(String, String, String, String)] = [
        // The hour of 02:57 is the last of 24: those of 03:00 to 23:00 on the 30th are 21, and 0:00 to 2:00 are 3.
        ("24h", "UTC", "2026-03-31T02:57:00Z", "2026-03-30T03:00:00Z"),
        ("1h", "UTC", "2026-03-31T02:57:00Z", "2026-03-31T02:00:00Z"),
        ("1h", "UTC", "2026-03-31T03:00:00Z", "2026-03-31T03:00:00Z"),
        // The 31st is the last of 14 days.
        ("14d", "UTC", "2026-03-31T02:57:00Z", "2026-03-18T00:00:00Z"),
        ("2w", "UTC", "2026-03-31T02:57:00Z", "2026-03-18T00:00:00Z"),
        ("1d", "UTC", "2026-03-31T00:00:00Z", "2026-03-31T00:00:00Z"),
        ("1d", "UTC", "2026-03-30T23:59:59.999Z", "2026-03-30T00:00:00Z"),
        // It is still the 30th in Los Angeles, where days begin at 7:00 UTC in summer and at 8:00 before 8 March.
        ("1d", "America/Los_Angeles", "2026-03-31T02:57:00Z", "2026-03-30T07:00:00Z"),
        ("30d", "America/Los_Angeles", "2026-03-31T02:57:00Z", "2026-03-01T08:00:00Z"),
        // Days of Kolkata begin at 18:30 UTC; hours are those of UTC.
        ("1d", "Asia/Kolkata", "2026-03-31T02:57:00Z", "2026-03-30T18:30:00Z"),
        ("2h", "Asia/Kolkata", "2026-03-31T02:57:00Z", "2026-03-31T01:00:00Z"),
        ("9999w", "UTC", "2026-03-31T02:57:00Z", "1834-08-13T00:00:00Z"),
    ]

    @Test("The hour or day of the last record is the last one", arguments: starts)
    func start(_ text: String, _ zone: String, _ last: String, _ expected: String) throws {
        let calendar = BookingCalendar(.gregorian, zone: try TimeZoneRulesTests.rules(zone))
        let time = try #require(RecentTime(text))
        #expect(time.start(endingWith: Timestamp(last), in: calendar) == Timestamp(expected))
    }

    @Test("A recent time does not begin before the earliest instant", arguments: ["9999h", "9999d", "9999w"])
    func ends(_ text: String) throws {
        let time = try #require(RecentTime(text))
        let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        #expect(time.start(endingWith: first, in: Self.calendar) == first)
        #expect(time.start(endingWith: last, in: Self.calendar) <= last)
    }

    /// A day that is included, and an instant that is not.
    static let periods = [
        ("2026-03-31", "2026-03-25T00:00:00Z", "2026-04-01T00:00:00Z"),
        ("2026-03-31T00:00:00Z", "2026-03-24T00:00:00Z", "2026-03-31T00:00:00Z"),
        ("2026-03-31T00:00:00.001Z", "2026-03-25T00:00:00Z", "2026-03-31T00:00:00.001Z"),
    ]

    @Test("A period may be counted back from its end", arguments: periods)
    func until(_ end: String, _ from: String, _ until: String) throws {
        let period = try Self.calendar.period(since: "7d", until: end)
        #expect(period == Period(from: Timestamp(from), until: Timestamp(until)))
    }

    @Test("Without an end nothing can be counted back")
    func open() {
        #expect(throws: Finding.self) { try Self.calendar.period(since: "7d", until: nil) }
    }

    @Test(
        "What is no such time is refused",
        arguments: ["", "h", "7", "0d", "-1d", "+1d", "1.5h", "7D", "7m", "7 d", "7dd", "12345h", "٣d", "2026-03-01"]
    )
    func refuses(_ text: String) {
        #expect(RecentTime(text) == nil)
    }
}
