// A release build of the package builds this target too, and has no Testing.
#if canImport(Testing)
import Foundation
public import Testing
import TillPricing

// Conditions of tests that need files from outside the package. A test that is skipped says so in the output, with the
// file that is missing.
extension Trait where Self == ConditionTrait {
    /// Needs the published receipts.
    public static var needsVectors: Self {
        .enabled(if: Fixtures.hasVectors, "the published receipts are missing: ../shared/vectors/facts.json")
    }

    /// Needs a file of the published reference data.
    public static func needsReference(_ name: String) -> Self {
        .enabled(
            if: FileManager.default.fileExists(atPath: Fixtures.reference(name).path),
            "the published reference data is missing: ../shared/reference/\(name)"
        )
    }

    /// Needs the time zones of the machine.
    public static var needsTimeZones: Self {
        .enabled(if: TimeZoneRules.hasDatabase, "the time zone database is missing: /usr/share/zoneinfo")
    }
}

extension Trait where Self == TimeLimitTrait {
    /// Ends a test of which each case takes at most some seconds, unless its time grows with more than the length of
    /// its input.
    ///
    /// The limit is five times `minutes`. All tests of a run start at once, and the time in which a test waits for a
    /// processor counts too: on a busy machine that is more than a minute.
    ///
    /// With a sanitizer all tests take some twenty times as long: `dev/sanitize.sh` sets `TILLROLL_TIME_FACTOR`.
    public static func atMost(minutes: Int) -> Self {
        let factor = ProcessInfo.processInfo.environment["TILLROLL_TIME_FACTOR"].flatMap { Int($0) } ?? 1
        return .timeLimit(.minutes(5 * minutes * factor))
    }
}
#endif
