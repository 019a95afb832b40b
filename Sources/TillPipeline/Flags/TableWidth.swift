/// The largest width of tables for people, in characters.
public enum TableWidth: Equatable {
    /// The width of the terminal; no limit if the output is no terminal.
    case auto
    /// No limit.
    case none
    case columns(Int)

    /// A narrower table has no room for figures.
    private static let range = 20...10_000

    /// The words for the values, for messages.
    static let form = "a number of characters from \(range.lowerBound) to \(range.upperBound), 'auto' or 'none'"

    /// `nil` for any other word, and for a number out of range.
    public init?(_ word: String) {
        switch word {
        case "auto": self = .auto
        case "none": self = .none
        default:
            guard let columns = Int(word), Self.range.contains(columns) else { return nil }
            self = .columns(columns)
        }
    }

    /// - Parameter onTerminal: whether the report goes to standard output.
    public func columns(onTerminal: Bool) -> Int? {
        switch self {
        case .auto: onTerminal ? Terminal.width : nil
        case .none: nil
        case .columns(let columns): columns
        }
    }
}
