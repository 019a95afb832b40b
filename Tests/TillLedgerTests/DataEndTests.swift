import Testing
import TillCore
import TillPricing
import TillTestSupport

@testable import TillLedger

@Suite("The end of the data")
struct DataEndTests {
    private static func rules(_ month: String?, newest: String?, complete: String? = nil) throws -> LedgerRules {
        var rules = LedgerRules()
        rules.period = try month.map { text throws(Finding) in try BookingCalendar.usual.month(text) }
        rules.completeDay = complete.map(day)
        return rules.knowing(newest: newest.map { Timestamp($0) })
    }

    private static func day(_ text: String) -> Int { BookingCalendar.usual.day(of: Timestamp(text)) }

    @Test("A month is complete by a record of a later day")
    func laterDay() throws {
        let complete = try Self.rules("2026-03", newest: "2026-04-01T00:00:00Z")
        #expect(complete.isComplete == true && complete.lastDayToDate == nil && complete.wholePeriod == nil)
        #expect(complete.asOf == Self.day("2026-04-01"))
        let lastDay = try Self.rules("2026-03", newest: "2026-03-31T23:59:59Z")
        #expect(lastDay.isComplete == false && lastDay.lastDayToDate == Self.day("2026-03-31"))
        #expect(lastDay.period == complete.period)
    }

    @Test("A month is complete if a person says so")
    func completeDay() throws {
        let complete = try Self.rules("2026-03", newest: "2026-03-09T14:02:00Z", complete: "2026-03-31")
        #expect(complete.isComplete == true && complete.asOf == Self.day("2026-03-31"))
        #expect(complete.period?.until == Timestamp("2026-04-01"))
        // Up to a day within the month.
        let open = try Self.rules("2026-03", newest: "2026-03-09T14:02:00Z", complete: "2026-03-20")
        #expect(open.isComplete == false && open.period?.until == Timestamp("2026-03-21"))
        // A day before the newest record changes nothing.
        let early = try Self.rules("2026-03", newest: "2026-03-09T14:02:00Z", complete: "2026-03-02")
        #expect(early.asOf == Self.day("2026-03-09") && early.isComplete == false)
    }

    @Test("An open month ends with the day of the newest record, and the selected one stays known")
    func open() throws {
        let open = try Self.rules("2026-03", newest: "2026-03-09T14:02:00Z")
        #expect(open.isComplete == false && open.lastDayToDate == Self.day("2026-03-09"))
        #expect(open.period?.from == Timestamp("2026-03-01") && open.period?.until == Timestamp("2026-03-10"))
        #expect(open.selectedPeriod?.until == Timestamp("2026-04-01"))
        #expect(open.ofSelectedPeriod.period == open.selectedPeriod && open.ofSelectedPeriod.wholePeriod == nil)
    }

    @Test("A month after the data has no day")
    func afterTheData() throws {
        let later = try Self.rules("2026-03", newest: "2026-02-10")
        #expect(later.isComplete == false && later.period?.until == later.period?.from)
    }

    @Test("Without an end, or without a record, it is not known whether a period is complete")
    func unknown() throws {
        #expect(try Self.rules("2026-03", newest: nil).isComplete == nil)
        var rules = LedgerRules()
        rules.period = Period(from: Timestamp("2026-03-01"), until: nil)
        let endless = rules.knowing(newest: Timestamp("2026-03-09"))
        #expect(endless.isComplete == nil && endless.period == rules.period && endless.lastDayToDate == nil)
    }

    @Test("Months of other lengths are compared by as many days, at most to their end")
    func lengths() throws {
        // 31 days of March reach all of February, 9 days its first 9; 28 days of February 28 of January.
        #expect(try Self.rules(nil, newest: "2026-03-31").daysNotReached(monthsBefore: 1)?.isEmpty == true)
        #expect(
            try Self.rules(nil, newest: "2026-03-09").daysNotReached(monthsBefore: 1)
                == Timestamp("2026-02-10")..<Timestamp("2026-03-01")
        )
        #expect(
            try Self.rules(nil, newest: "2026-02-28").daysNotReached(monthsBefore: 1)
                == Timestamp("2026-01-29")..<Timestamp("2026-02-01")
        )
        #expect(
            try Self.rules(nil, newest: "2024-02-29").daysNotReached(monthsBefore: 12)
                == Timestamp("2023-03-01")..<Timestamp("2023-03-01")
        )
        #expect(
            try Self.rules(nil, newest: "2026-03-09", complete: "2026-03-31").daysNotReached(monthsBefore: 1) == nil
        )
    }

    @Test("Random months and days end as a plain comparison of dates says", arguments: Seeds.some(of: UInt64(1)...40))
    func againstDates(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (year, month) = (2020 + generator.below(8), 1 + generator.below(12))
        let newest = CivilDate(daysSinceEpoch: Self.day("\(year)-\(two(month))-01") - 40 + generator.below(110))
        let rules = try Self.rules(
            "\(year)-\(two(month))",
            newest: "\(newest.year)-\(two(newest.month))-\(two(newest.day))T0\(generator.below(10)):30:00Z"
        )
        let (asked, found) = (year * 12 + month, newest.year * 12 + newest.month)
        #expect(rules.isComplete == (found > asked))
        let end = CivilDate(daysSinceEpoch: try Self.day(#require(rules.period?.until).description) - 1)
        if found == asked {
            #expect((end.year, end.month, end.day) == (newest.year, newest.month, newest.day))
        } else if found < asked {
            #expect(rules.period?.from == rules.period?.until)
        } else {
            #expect(
                (end.year, end.month) == (year, month)
                    && CivilDate(daysSinceEpoch: Self.day("\(end.year)-\(two(end.month))-\(two(end.day))") + 1).day == 1
            )
        }
    }
}
