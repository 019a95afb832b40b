/// The words `--partial --closed` of `tillroll report`.
///
/// Alone, `--closed` takes a file of closed months, which a partial does not need. With `--partial` it takes no file
/// and means a closed partial; the parser knows this flag as `--closed-partial`.
public enum ClosedPartialWords {
    /// The words after the name of a command, with `--closed` as the parser knows it.
    public static func rewritten(_ words: [String], of command: Command) -> [String] {
        let flags = words.prefix { $0 != "--" }
        guard command == .report, flags.contains("\(Flag.partial)") else { return words }
        return flags.map { $0 == "\(Flag.closed)" ? "\(Flag.closedPartial)" : $0 } + words[flags.count...]
    }
}
