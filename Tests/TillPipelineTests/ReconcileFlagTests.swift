import Testing
import TillTestSupport

@testable import TillPipeline

@Suite("Flags of reconcile")
struct ReconcileFlagTests {
    private static func run(_ flag: SettlingFlag, _ value: String) -> ReconcileRun {
        ReconcileRun(
            applePaths: ["nowhere"],
            ReportInputs([]),
            Settings([GivenOption(flag.name, value)]),
            ReportOutputs()
        )
    }

    /// Every flag has one of two answers: it changes what is compared, or it is refused with its name.
    @Test("A flag that changes nothing is refused", arguments: SettlingFlag.allCases)
    func flags(_ flag: SettlingFlag) throws {
        let run = Self.run(flag, flag == .by ? "storefront" : "1")
        if ReconcileRun.uses(flag) {
            let settings = try run.comparable().0
            #expect(flag == .by || settings.given.contains { $0.name == flag.name })
        } else {
            let error = try #require(throws: RunError.self) { _ = try run.comparable() }
            #expect(error.status == .usage)
            #expect(error.lines == ["--\(flag.name) has no meaning for reconcile"])
        }
    }

    @Test("Periods, prices and the dating of refunds are used, and nothing that converts or estimates")
    func used() {
        #expect(
            SettlingFlag.allCases.filter(ReconcileRun.uses) == [
                .month, .fiscal, .fiscalMonth, .since, .until, .tz, .prices, .defaultTerritory, .catalogue, .refundsBy,
                .by,
            ]
        )
    }
}
