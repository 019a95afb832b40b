import Foundation
import Testing
import TillCore
import TillTestSupport

@testable import TillPricing

@Suite("Calendars and periods")
struct BookingCalendarTests {
    private static func day(_ text: some StringProtocol) -> Int {
        Int(Timestamp(String(text)).milliseconds / Timestamp.millisecondsPerDay)
    }

    /// The published calendar, a row for each month of the fiscal years 2021 to 2030.
    private static let published = Fixtures.reference("apple-fiscal-calendar.csv")

    @Test(
        "Apple's months are those of the published calendar, day by day",
        .needsReference("apple-fiscal-calendar.csv")
    )
    func fiscalMonths() throws {
        let rows = try String(contentsOf: Self.published, encoding: .utf8).split(whereSeparator: \.isNewline)
            .dropFirst()
        #expect(rows.count == 120)
        let calendar = BookingCalendar(.appleFiscal)
        for row in rows {
            let cells = row.split(separator: ",", omittingEmptySubsequences: false)
            let year = try #require(Int(cells[0]))
            let number = try #require(Int(cells[2]))
            let month = AppleFiscalCalendar.months(ofYear: year)[number - 1]
            #expect(month.weeks == Int(cells[4]), "\(row)")
            #expect(month.firstDay == Self.day(cells[5]), "\(row)")
            #expect(month.lastDay == Self.day(cells[6]), "\(row)")
            let name = "FY\(year % 100)-\(number < 10 ? "0" : "")\(number)"
            for day in month.firstDay...month.lastDay {
                let code = calendar.monthCode(ofDay: day)
                #expect(calendar.name(of: code, by: .month) == name)
                #expect(calendar.firstDay(ofMonth: code) == month.firstDay)
            }
            let period = try calendar.fiscalPeriod(name)
            #expect(period.from == Timestamp(String(cells[5])))
            #expect(period.until == calendar.zone.startOfDay(Self.day(cells[6]) + 1))
        }
    }

    @Test("Where clocks change by half an hour, another hour begins with the change", .needsTimeZones)
    func halfHours() throws {
        let calendar = BookingCalendar(zone: try TimeZoneRules.ofDatabase("Australia/Lord_Howe"))
        func hour(_ instant: String) -> String {
            calendar.name(of: calendar.code(of: Timestamp(instant), by: .hour), by: .hour)
        }
        // On 5 April 2026 at 2:00 local time clocks show 1:30 again; on 4 October 2:00 is 2:30.
        #expect(hour("2026-04-04T14:45:00Z") == "2026-04-04T14:00:00Z")
        #expect(hour("2026-04-04T15:15:00Z") == "2026-04-04T15:00:00Z")
        #expect(hour("2026-04-04T15:45:00Z") == "2026-04-04T15:30:00Z")
        #expect(hour("2026-10-03T15:15:00Z") == "2026-10-03T14:30:00Z")
        #expect(hour("2026-10-03T15:40:00Z") == "2026-10-03T15:30:00Z")
    }

    /// Instants and what holds them.
    static let named: [(CalendarKind, String, CalendarUnit, String)] = [
        (.gregorian, "2026-03-31T23:59:59.999Z", .month, "2026-03"),
        (.gregorian, "2026-03-31T23:59:59.999Z", .day, "2026-03-31"),
        (.gregorian, "2026-03-31T23:59:59.999Z", .hour, "2026-03-31T23:00:00Z"),
        // ISO 8601: the week of the year's first Thursday is W01.
        (.gregorian, "2026-01-01", .week, "2026-W01"), (.isoWeek, "2025-12-29", .week, "2026-W01"),
        (.isoWeek, "2025-12-28", .week, "2025-W52"), (.isoWeek, "2021-01-03", .week, "2020-W53"),
        (.isoWeek, "2021-01-04", .week, "2021-W01"), (.isoWeek, "1969-12-29", .week, "1970-W01"),
        (.appleFiscal, "2025-09-27", .month, "FY25-12"), (.appleFiscal, "2025-09-28", .month, "FY26-01"),
        (.appleFiscal, "2026-03-28", .month, "FY26-06"), (.appleFiscal, "2025-09-28", .week, "FY26-W01"),
        (.appleFiscal, "2026-09-26", .week, "FY26-W52"), (.appleFiscal, "2023-09-30", .week, "FY23-W53"),
        (.appleFiscal, "1999-01-15", .month, "FY1999-04"),
    ]

    @Test("Every name of a time leads back to it", arguments: [CalendarKind.gregorian, .isoWeek, .appleFiscal])
    func readsName(_ kind: CalendarKind) {
        let calendar = BookingCalendar(kind)
        let years = [0, 1, 2, 1969, 1970, 1998, 1999, 2000, 2001, 2026, 2028, 2098, 2099, 2100, 2101, 9998]
        var named = 0
        for year in years {
            let first = CivilDate(year: year, month: 1, day: 1).daysSinceEpoch
            for unit in [CalendarUnit.day, .week, .month] {
                for day in stride(from: first, to: first + 366, by: 5) {
                    let code = calendar.code(ofDay: day, by: unit)
                    let name = calendar.name(of: code, by: unit)
                    guard !name.hasPrefix("-"), !name.hasPrefix("FY-") else { continue }
                    #expect(calendar.code(named: name, by: unit) == code, "\(name)")
                    named += 1
                }
            }
        }
        #expect(named > 2000)
        #expect(
            calendar.code(named: "2026-03-09T14:00:00Z", by: .hour) == Timestamp("2026-03-09T14:00:00Z").milliseconds
        )
        for text in [
            "", "-", "2026", "2026-3", "2026-13", "12026-01", "FY26-13", "FY2026-06", "2026-W54", "2026-02-29",
        ] {
            for unit in CalendarUnit.allCases { #expect(calendar.code(named: text, by: unit) == nil, "\(text)") }
        }
    }

    @Test("A part of time is called as people call it", arguments: named)
    func tellsName(_ kind: CalendarKind, _ instant: String, _ key: CalendarUnit, _ expected: String) {
        let calendar = BookingCalendar(kind)
        #expect(calendar.name(of: calendar.code(of: Timestamp(instant), by: key), by: key) == expected)
    }

    static let zoned: [(String, String, CalendarUnit, String)] = [
        ("America/Los_Angeles", "2026-04-01T06:59:59Z", .month, "2026-03"),
        ("America/Los_Angeles", "2026-04-01T07:00:00Z", .month, "2026-04"),
        ("America/Los_Angeles", "2026-03-01T07:59:59Z", .month, "2026-02"),
        ("Europe/Berlin", "2026-12-31T23:00:00Z", .month, "2027-01"),
        // Half past in UTC is the whole hour in India.
        ("Asia/Kolkata", "2026-03-01T10:29:59Z", .hour, "2026-03-01T09:30:00Z"),
        ("Asia/Kolkata", "2026-03-01T10:30:00Z", .hour, "2026-03-01T10:30:00Z"),
        // The hour that comes twice is two hours.
        ("Europe/Berlin", "2026-10-25T00:30:00Z", .hour, "2026-10-25T00:00:00Z"),
        ("Europe/Berlin", "2026-10-25T01:30:00Z", .hour, "2026-10-25T01:00:00Z"),
    ]

    @Test("Days and months are those of the time zone", .needsTimeZones, arguments: zoned)
    func tellsZoned(_ zone: String, _ instant: String, _ key: CalendarUnit, _ expected: String) throws {
        let calendar = BookingCalendar(zone: try TimeZoneRulesTests.rules(zone))
        #expect(calendar.name(of: calendar.code(of: Timestamp(instant), by: key), by: key) == expected)
    }

    @Test(
        "A month of Los Angeles begins in winter and ends in summer time",
        .needsTimeZones
    )
    func zonedMonth() throws {
        let period = try BookingCalendar(zone: TimeZoneRulesTests.rules("America/Los_Angeles")).month("2026-03")
        #expect(period.from == Timestamp("2026-03-01T08:00:00Z"))
        #expect(period.until == Timestamp("2026-04-01T07:00:00Z"))
    }

    @Test(
        "Months, quarters, halves and years have names, and so have spans of them",
        arguments: [
            ("2026-03", 1, "2026-03-01", "2026-03-31"), ("2026-12", 7, "2026-12-01", "2026-12-31"),
            ("2026-Q1", 1, "2026-01-01", "2026-03-31"), ("2024-q4", 1, "2024-10-01", "2024-12-31"),
            ("2026-H2", 1, "2026-07-01", "2026-12-31"), ("2024", 1, "2024-01-01", "2024-12-31"),
            ("2026-01..2026-03", 1, "2026-01-01", "2026-03-31"), ("2025-Q4..2026", 1, "2025-10-01", "2026-12-31"),
            ("FY2026", 7, "2025-07-01", "2026-06-30"), ("2026", 7, "2025-07-01", "2026-06-30"),
            ("FY2026-Q1", 7, "2025-07-01", "2025-09-30"), ("2026-Q4", 7, "2026-04-01", "2026-06-30"),
            ("fy2026-h2", 12, "2026-06-01", "2026-11-30"), ("2025-01..2026-H1", 2, "2025-01-01", "2025-07-31"),
        ]
    )
    func namesMonths(_ name: String, _ firstMonth: Int, _ first: String, _ last: String) throws {
        let period = try BookingCalendar.usual.months(named: name, yearBegins: firstMonth)
        let days = try BookingCalendar.usual.period(since: first, until: last)
        #expect(period == Period(from: days.from, until: days.until, name: name))
    }

    @Test(
        "A name that is no period is an error",
        arguments: [
            "", "2026-", "2026-13", "2026-00", "2026-Q5", "2026-Q0", "2026-H3", "2026-Q", "26", "0000", "2026-03-01",
            "FY2026", "2026-03..", "..2026", "2026-04..2026-03", "2026..2025", "2026-3", "26-03", "March", "2026 ",
            "FY26-06", "2026-Q1-1", "٢٠٢٦",
        ]
    )
    func refusesNames(_ name: String) {
        #expect(throws: Finding.self) { try BookingCalendar.usual.months(named: name) }
    }

    @Test("A company's own year has no months of its own")
    func refusesMonthsOfOwnYears() {
        #expect(throws: Finding.self) { try BookingCalendar.usual.months(named: "FY2026-03", yearBegins: 7) }
    }

    @Test("Bounds: days count to their end, instants to just before")
    func readsBounds() throws {
        let calendar = BookingCalendar.usual
        let days = try calendar.period(since: "2026-03-01", until: "2026-03-31")
        #expect(days == Period(from: Timestamp("2026-03-01"), until: Timestamp("2026-04-01")))
        #expect(days.contains(Timestamp("2026-03-31T23:59:59.999Z")))
        #expect(!days.contains(Timestamp("2026-04-01")) && !days.contains(nil))
        let instants = try calendar.period(since: "2026-03-01T00:00:00+01:00", until: "2026-03-31T12:00:00Z")
        #expect(instants == Period(from: Timestamp("2026-02-28T23:00:00Z"), until: Timestamp("2026-03-31T12:00:00Z")))
        #expect(try calendar.period(since: nil, until: "2026-03-31").from == nil)
        #expect(
            try calendar.period(since: "2026-03-31", until: "2026-03-31").contains(Timestamp("2026-03-31T12:00:00Z"))
        )
    }

    @Test("Quarters, years and names of fiscal months")
    func fiscalPeriods() throws {
        let calendar = BookingCalendar(.appleFiscal)
        let quarter = try calendar.fiscalPeriod("FY26-Q2")
        #expect(quarter.from == Timestamp("2025-12-28") && quarter.until == Timestamp("2026-03-29"))
        let year = try calendar.fiscalPeriod("fy2023")
        #expect(year.from == Timestamp("2022-09-25") && year.until == Timestamp("2023-10-01") && year.name == "FY23")
        #expect(try calendar.fiscalMonth(named: "March 2026") == calendar.fiscalPeriod("FY26-06"))
        #expect(try calendar.fiscalMonth(named: "oct 2025") == calendar.fiscalPeriod("FY26-01"))
        #expect(try calendar.fiscalMonth(named: "2025-12") == calendar.fiscalPeriod("FY26-03"))
    }

    @Test(
        "What is no fiscal period is told",
        arguments: ["FY26-13", "FY26-00", "FY", "26-06", "FY26-Q5", "FY026", "FY26-6", ""]
    )
    func refusesFiscal(_ text: String) {
        #expect(throws: Finding.self) { try BookingCalendar.usual.fiscalPeriod(text) }
        #expect(throws: Finding.self) { try BookingCalendar.usual.fiscalMonth(named: "\(text) 2026") }
    }

    @Test("A period that ends before it begins is told")
    func refusesBounds() {
        #expect(throws: Finding.self) { try BookingCalendar.usual.period(since: "2026-04-01", until: "2026-03-01") }
        #expect(throws: Finding.self) { try BookingCalendar.usual.period(since: "1 March", until: nil) }
    }
}
