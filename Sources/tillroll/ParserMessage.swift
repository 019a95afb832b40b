import ArgumentParser
import TillCore

/// Turns the parser's error text into the form of all errors.
struct ParserMessage {
    /// The error, as a clause.
    let reason: String
    /// Lines below the error: the help of the wrong option or argument, and the command that shows all help.
    let hints: [String]
    /// The words of the command.
    private let command: [String]

    /// - Parameter arguments: the command line without the name of the command.
    init(_ error: any Error, _ arguments: [String]) {
        let lines = Tillroll.fullMessage(for: error).split(separator: "\n", omittingEmptySubsequences: false)
        let first = lines.prefix { !$0.isEmpty && !$0.lowercased().hasPrefix("usage: ") }
        command = Self.command(in: lines)
        let text = first.filter { !$0.hasPrefix(Self.helpMark) }.joined(separator: "\n")
        let message = text.hasPrefix(Self.errorMark) ? String(text.dropFirst(Self.errorMark.count)) : text
        reason =
            Self.unknownOption(in: arguments, of: command) ?? Self.unknownSubcommand(in: message, of: command)
            ?? Self.clause(message)
        let help = first.filter { $0.hasPrefix(Self.helpMark) }.map { "  " + $0.dropFirst(Self.helpMark.count) }
        hints = help + ["See '\(command.joined(separator: " ")) --help'."]
    }

    private static let errorMark = "Error: "
    private static let helpMark = "Help:  "

    /// The command of the line `Usage: tillroll report [<options>] …`.
    private static func command(in lines: [Substring]) -> [String] {
        let usage = lines.first { $0.lowercased().hasPrefix("usage: ") } ?? ""
        let words = usage.split(separator: " ").dropFirst().prefix { word in
            word.allSatisfy { $0.isLowercase || $0 == "-" }
        }
        return words.isEmpty ? [Tillroll.name] : words.map(String.init)
    }

    /// A sentence and a following question as a clause: `there is no report 'sales'; did you mean 'revenue'?`
    private static func clause(_ sentence: String) -> String {
        // If a word can be read in two ways, the parser prints a line for each; the first is the simpler one.
        var clause = String(sentence.prefix { $0 != "\n" })
        if let range = clause.firstRange(of: ". Did you mean") { clause.replaceSubrange(range, with: "; did you mean") }
        if clause.hasSuffix(".") { clause.removeLast() }
        guard clause.dropFirst().first?.isLowercase == true else { return clause }
        return clause.prefix(1).lowercased() + clause.dropFirst()
    }

    /// The error for an option that the command does not have. The parser reads the value of such an option as an
    /// operand and reports that first, and its suggestions only compare letters.
    private static func unknownOption(in arguments: [String], of command: [String]) -> String? {
        let known = options(of: command)
        let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
        let names = given.map { String($0.dropFirst(2).prefix { $0 != "=" }) }
        let all = parserOptions + options(of: command, includingHidden: true)
        guard let option = names.first(where: { !all.contains($0) }) else { return nil }
        let question = NearestWord.clause(about: option, among: known + phrases(among: known))
            .replacing("did you mean '", with: "did you mean '--")
        return "unknown option '--\(option)'\(question)"
    }

    /// The error for an operand of a command that has only subcommands.
    private static func unknownSubcommand(in message: String, of command: [String]) -> String? {
        let names = type(of: command).configuration.subcommands.map { $0._commandName }
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        guard message.hasPrefix("Unexpected argument '"), parts.count > 1, !names.isEmpty else { return nil }
        let word = String(parts[1])
        let question = NearestWord.clause(about: word, among: names)
        return
            "there is no command '\(word)' of \(command.last ?? ""); choose \(names.joined(separator: ", "))\(question)"
    }

    /// Options of the parser that no help lists.
    private static let parserOptions = ["generate-completion-script", "experimental-dump-help", "help-hidden"]

    /// Options with a value that stand for an option that people expect.
    private static func phrases(among options: [String]) -> [String] {
        let values = [
            "by": ["storefront", "product_id", "app_version", "os_version", "product_type", "sale_kind"],
            "environment": ["sandbox", "production"], "format": ["json", "csv", "ndjson", "html", "markdown", "xlsx"],
        ]
        return options.flatMap { option in (values[option] ?? []).map { "\(option) \($0)" } }
    }

    /// The names of the options in the help of a command.
    private static func options(of command: [String], includingHidden: Bool = false) -> [String] {
        let help = Tillroll.helpMessage(for: type(of: command), includeHidden: includingHidden)
        let lines = help.split(separator: "\n").filter { $0.hasPrefix("  -") }
        return lines.flatMap { line in
            let rest = line.dropFirst(2)
            // The description of an option follows two blanks.
            let definition = rest[..<(rest.firstRange(of: "  ")?.lowerBound ?? rest.endIndex)]
            return definition.split { !$0.isLowercase && $0 != "-" }.filter { $0.hasPrefix("--") }.map {
                String($0.dropFirst(2))
            }
        }
    }

    private static func type(of command: [String]) -> any ParsableCommand.Type {
        var type: any ParsableCommand.Type = Tillroll.self
        for word in command.dropFirst() {
            guard let next = type.configuration.subcommands.first(where: { $0._commandName == word }) else { break }
            type = next
        }
        return type
    }
}
