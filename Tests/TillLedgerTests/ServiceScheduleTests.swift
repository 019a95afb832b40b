import Testing
import TillTestSupport

@testable import TillLedger

@Suite("Service schedules")
struct ServiceScheduleTests {
    @Test("A service has at least one day, and earns nothing before it and all of it by its last")
    func bounds() {
        // 30 days from day 100: the last is 129.
        let month = ServiceSchedule(from: 100, to: 130)
        #expect(month.dayCount == 30)
        #expect(month.lastDay == 129)
        #expect([99, 100, 129, 130].map(month.daysServed(through:)) == [0, 1, 30, 30])
        for end in [100, 99, -5000] {
            let day = ServiceSchedule(from: 100, to: end)
            #expect(day.dayCount == 1)
            #expect(day.earned(of: 7, through: 99, quantum: 10_000) == 0)
            #expect(day.earned(of: 7, through: 100, quantum: 10_000) == 7)
        }
    }

    @Test("Amounts beyond a word are earned by the same rule", arguments: 1...200 as ClosedRange<UInt64>)
    func wide(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        // Ten to the tenth minor units over 3 million days leave 64 bits; a thousandth of both does not.
        let dayCount = Int.random(in: 1...3_000, using: &generator)
        let minor = Int128(Int64.random(in: -10_000_000_000...10_000_000_000, using: &generator))
        let day = Int.random(in: 0...dayCount, using: &generator)
        let narrow = ServiceSchedule(from: 0, to: dayCount).earned(of: minor, through: day, quantum: 1)
        let wide = ServiceSchedule(from: 0, to: dayCount)
            .earned(of: minor * 1_000_000_000_000, through: day, quantum: 1_000_000_000_000)
        #expect(wide == narrow * 1_000_000_000_000)
    }
}
