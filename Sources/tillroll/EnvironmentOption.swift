import ArgumentParser
import TillLedger

/// The option `--environment` of commands that select transactions.
enum EnvironmentOption {
    static let usual = EnvironmentFilter.booked.words.joined(separator: ",")
    static let help = ArgumentHelp(
        "Only these environments, separated by commas: \(known.joined(separator: ", ")).",
        valueName: "names"
    )

    /// - Parameter usual: the environments if the option is not given; `nil` for all.
    static func entry(usual: String? = nil) -> FlagEntry {
        FlagEntry("environment", valueName: "names", usual: usual, help: Self.help.abstract)
    }

    private static let known = ["production", "sandbox", "xcode", "local_testing", EnvironmentFilter.unknown]

    static func check(_ words: String) throws {
        for word in words.split(separator: ",", omittingEmptySubsequences: false) where !known.contains(String(word)) {
            throw ValidationError.unknown(value: String(word), of: "--environment", among: known)
        }
    }

    static func filter(_ words: String) -> EnvironmentFilter {
        EnvironmentFilter(words.split(separator: ",").map(String.init))
    }
}
