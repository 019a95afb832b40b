/// The words `--partial --closed` of `tillroll report`.
///
/// Alone, `--closed` takes a file of closed months, which a partial does not need. With `--partial` it takes no file
/// and means a closed partial; the parser knows this flag as `--closed-partial`.
public enum ClosedPartialWords {
    private static let command = "report"
    private static let closed = "--closed"

    /// The words with `--closed` as the parser knows it.
    public static func rewritten(_ words: [String]) -> [String] {
        let flags = words.prefix { $0 != "--" }
        guard words.first == command, flags.contains("--partial") else { return words }
        return flags.map { $0 == closed ? "--closed-partial" : $0 } + words[flags.count...]
    }
}
