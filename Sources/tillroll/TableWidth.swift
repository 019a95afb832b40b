import ArgumentParser
import TillPipeline

/// How wide tables for people may be.
enum TableWidth: ExpressibleByArgument, Equatable {
    /// As wide as the terminal; without limit where there is none.
    case auto
    /// Without limit.
    case none
    case columns(Int)

    /// Fewer columns hold no figure.
    static let range = 20...10_000

    init?(argument: String) {
        switch argument {
        case "auto": self = .auto
        case "none": self = .none
        default:
            guard let columns = Int(argument), Self.range.contains(columns) else { return nil }
            self = .columns(columns)
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .auto: "auto"
        case .none: "none"
        case .columns(let columns): String(columns)
        }
    }

    // The parser would find these by reflection.
    static var allValueStrings: [String] { [] }
    static var allValueDescriptions: [String: String] { [:] }

    /// - Parameter onTerminal: whether the output goes where standard output goes.
    func columns(onTerminal: Bool) -> Int? {
        switch self {
        case .auto: onTerminal ? Terminal.width : nil
        case .none: nil
        case .columns(let columns): columns
        }
    }
}
