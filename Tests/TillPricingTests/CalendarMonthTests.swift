import Testing
import TillCore
import TillPricing
import TillTestSupport

@Suite("Calendar months")
struct CalendarMonthTests {
    static let borders = [
        ("2026-02-28T23:59:59.999Z", "2026-02"), ("2026-03-01T00:00:00Z", "2026-03"),
        ("2024-02-28T23:59:59.999Z", "2024-02"), ("2024-02-29T00:00:00Z", "2024-02"),
        ("2024-02-29T23:59:59.999Z", "2024-02"), ("2024-03-01T00:00:00Z", "2024-03"),
        ("2000-02-29T12:00:00Z", "2000-02"), ("1900-03-01T00:00:00Z", "1900-03"),
        ("2025-12-31T23:59:59.999Z", "2025-12"), ("2026-01-01T00:00:00Z", "2026-01"),
        ("2026-01-01T00:30:00+01:00", "2025-12"), ("2025-12-31T16:00:00-08:00", "2026-01"),
        ("1970-01-01T00:00:00Z", "1970-01"), ("1969-12-31T23:59:59.999Z", "1969-12"),
        ("1968-02-29T00:00:00Z", "1968-02"), ("0001-01-01T00:00:00Z", "0001-01"),
        ("4001-01-01T00:00:00Z", "4001-01"),
    ]

    @Test("A month is that of the UTC day", arguments: borders)
    func month(_ instant: String, _ expected: String) {
        #expect(CalendarMonth(Timestamp(instant)).description == expected)
    }

    @Test("Years that need more or fewer than four digits are written all the same")
    func farAway() {
        #expect(CalendarMonth(Timestamp(milliseconds: -62_167_219_200_001)).description == "-0001-12")
        #expect(CalendarMonth(Timestamp(milliseconds: 253_402_300_800_000)).description == "10000-01")
        #expect(CalendarMonth(Timestamp(milliseconds: .max)).description == "292278994-08")
        #expect(CalendarMonth(Timestamp(milliseconds: .min)).description == "-292275055-05")
    }

    @Test("Months are in order of time")
    func order() {
        let months = Self.borders.map { CalendarMonth(Timestamp($0.0)) }
        let byInstant = Self.borders.sorted { Timestamp($0.0) < Timestamp($1.0) }.map(\.1)
        #expect(months.sorted().map(\.description) == byInstant)
    }
}
