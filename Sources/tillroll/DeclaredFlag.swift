import ArgumentParser
import TillPipeline

/// A flag declared by an entry of a table instead of a property of a parser type.
///
/// The parser, the help, the manual, the completions and ``PlainArguments`` all read the entry.
protocol DeclaredFlag: Hashable, Sendable {
    var entry: FlagEntry { get }
}

/// The declaration of a flag for the parser and the help.
struct FlagEntry: Sendable {
    /// The kind of value that follows a flag.
    enum Value: Sendable {
        case none
        /// Nothing; `--no-NAME` is the opposite.
        case inverted
        case text
        case number
        case choice(any FlagChoice.Type)
    }

    enum Completion: Sendable {
        case file
        case words([String])
    }

    /// Without the dashes.
    let name: String
    /// The letter of the short form.
    let short: Character?
    let value: Value
    /// The name of the value in the help: `<file>`; `nil` for the name of the flag itself.
    let valueName: String?
    /// The value if the flag is not given; `nil` for none.
    let usual: String?
    /// Whether all values of a repeated flag count, and not only the last one.
    let isRepeatable: Bool
    let completion: Completion?
    /// Makes the text of the help, only when it is shown.
    var help: @Sendable () -> String
    /// Additional text in the manual.
    let discussion: String
    /// Whether it is hidden in the help.
    var isHidden: Bool

    init(
        _ name: String,
        short: Character? = nil,
        _ value: Value = .text,
        valueName: String? = nil,
        usual: String? = nil,
        isRepeatable: Bool = false,
        completion: Completion? = nil,
        isHidden: Bool = false,
        help: @autoclosure @escaping @Sendable () -> String,
        discussion: String = ""
    ) {
        (self.name, self.short, self.value, self.valueName) = (name, short, value, valueName)
        (self.usual, self.isRepeatable, self.completion, self.isHidden) = (usual, isRepeatable, completion, isHidden)
        (self.help, self.discussion) = (help, discussion)
    }
}
