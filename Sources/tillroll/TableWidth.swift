import TillPipeline

/// How wide tables for people may be.
enum TableWidth: Equatable {
    /// As wide as the terminal; without limit where there is none.
    case auto
    /// Without limit.
    case none
    case columns(Int)

    /// Fewer columns hold no figure.
    static let range = 20...10_000

    /// `nil` for any other word, and for a number that is out of range.
    init?(_ word: String) {
        switch word {
        case "auto": self = .auto
        case "none": self = .none
        default:
            guard let columns = Int(word), Self.range.contains(columns) else { return nil }
            self = .columns(columns)
        }
    }

    /// - Parameter onTerminal: whether the output goes where standard output goes.
    func columns(onTerminal: Bool) -> Int? {
        switch self {
        case .auto: onTerminal ? Terminal.width : nil
        case .none: nil
        case .columns(let columns): columns
        }
    }
}
