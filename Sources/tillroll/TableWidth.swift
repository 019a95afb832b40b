import TillPipeline

/// The largest width of tables for people, in characters.
enum TableWidth: Equatable {
    /// The width of the terminal; no limit if the output is no terminal.
    case auto
    /// No limit.
    case none
    case columns(Int)

    /// A narrower table has no room for figures.
    static let range = 20...10_000

    /// `nil` for any other word, and for a number out of range.
    init?(_ word: String) {
        switch word {
        case "auto": self = .auto
        case "none": self = .none
        default:
            guard let columns = Int(word), Self.range.contains(columns) else { return nil }
            self = .columns(columns)
        }
    }

    /// - Parameter onTerminal: whether the report goes to standard output.
    func columns(onTerminal: Bool) -> Int? {
        switch self {
        case .auto: onTerminal ? Terminal.width : nil
        case .none: nil
        case .columns(let columns): columns
        }
    }
}
