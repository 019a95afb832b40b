import TillCore
import TillReportModel

/// The files of a command line, as they were given.
public struct CommandFiles: Hashable, Sendable {
    /// Files and folders; empty if standard input was read.
    public var inputs: [String]
    /// The price list; `nil` if none was given.
    public var prices: String?

    /// The most characters of files that are repeated.
    fileprivate static let longest = 160

    /// Leaves out standard input, which cannot be read again: all inputs if one of them is `-`, and the price list if
    /// it is `-`.
    public init(inputs: [String] = [], prices: String? = nil) {
        // Standard input cannot be read again.
        self.inputs = inputs.contains("-") ? [] : inputs
        self.prices = prices == "-" ? nil : prices
    }
}

extension Statement {
    /// The command with the files in it, as a shell reads them. Parts that need an unknown file are omitted.
    func command(naming files: CommandFiles) -> String? {
        guard let program else { return nil }
        let paths = files.inputs.map { ShellWord.path($0) }
        let words = operands.compactMap { operand -> String? in
            switch operand {
            case .words(let words): return words
            case .prices: return files.prices.map { ShellWord.path($0) }
            case .inputs(let flag):
                let inputs = paths.map { path in flag.map { "\($0) \(path)" } ?? path }.joined(separator: " ")
                return inputs.isEmpty || inputs.utf8.count > CommandFiles.longest ? nil : inputs
            }
        }
        return ([program] + words).joined(separator: " ")
    }
}
