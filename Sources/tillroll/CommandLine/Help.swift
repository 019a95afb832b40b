import TillPipeline

/// The texts that `--help` and `-h` print.
struct Help {
    /// The most columns of a line. The lines of examples may be longer.
    var width = Terminal.textWidth

    /// The column in which what is said of a flag begins.
    private static let column = 26

    static let summary = "Turns App Store receipts into reports and tables."

    static var discussion: String {
        """
        Start here:
          tillroll report all Samples/verify Samples/events   # all reports
          tillroll report revenue Samples/verify --prices Samples/prices.csv
          tillroll report failures Samples/events         # what fails, since when
          tillroll report all Samples/verify -o march.html     # or .xlsx .csv .md
          tillroll inspect Samples/legacy/receipt.plist   # all of one receipt
          tillroll codes 21007                            # what a code means

        Reads receipts, verifyReceipt responses and StoreKit client events from files, folders or standard input, \
        plain or compressed with gzip or zstd. The format is detected from the content, not from the file name.

        Exit status:
        \(list(ExitStatus.allCases.map { ("\($0.rawValue)", $0.summary) }))
        """
    }

    /// How to begin, the commands, and the exit status.
    func root() -> String {
        let sections = [
            Self.summary, "Usage: tillroll <command> [<flags>] [<inputs> ...]", laidOut(Self.discussion),
            "Commands:\n" + table(Command.allCases.map { ($0.name, $0.implementation.summary) }),
            "See 'tillroll <command> -h' for the flags of a command. --version names the libraries.",
        ]
        return sections.joined(separator: "\n\n")
    }

    /// Commands whose names begin alike.
    func group(_ commands: [Command]) -> String {
        let usage = commands.map { "  " + self.usage($0) }.joined(separator: "\n")
        return "Usage:\n\(usage)\n\n" + table(commands.map { ($0.name, $0.implementation.summary) })
    }

    /// All that there is to say of a command.
    func whole(_ command: Command) -> String {
        let implementation = command.implementation
        let operands = implementation.operands.map { ("<\($0.name)>", $0.help) }
        var sections = [
            Self.wrapped(implementation.summary, to: width), "Usage: " + usage(command) + "\n\n" + table(operands),
            laidOut(implementation.discussion),
        ]
        for (group, flags) in command.shownFlags {
            sections.append("\(group.rawValue):\n" + table(flags.map { ($0.spelling(for: command), $0.told(command)) }))
        }
        sections.append("Documentation: \(command.page) in the source of tillroll.")
        sections.append("-h is the short form of this text.")
        return sections.joined(separator: "\n\n")
    }

    /// What each flag of a command does, in a few words.
    func short(_ command: Command) -> String {
        var lines = [Self.wrapped(command.implementation.summary, to: width), "", "Usage: " + usage(command)]
        for (group, flags) in command.shownFlags {
            lines += ["", "\(group.rawValue):"]
            lines.append(
                table(
                    flags.map { flag in
                        (flag.spelling(for: command), Self.firstClause(of: flag.entry(for: command).help))
                    }
                )
            )
        }
        return (lines + ["", "See 'tillroll \(command.name) --help' for examples and the whole text."])
            .joined(separator: "\n")
    }

    /// Names with their meanings, for the text of a command.
    static func list(_ entries: [(name: String, summary: String)]) -> String {
        let width = entries.map(\.name.count).max() ?? 0
        return entries.map { entry in
            "  " + entry.name + String(repeating: " ", count: width + 2 - entry.name.count) + entry.summary
        }
        .joined(separator: "\n")
    }

    private func usage(_ command: Command) -> String {
        let operands = command.implementation.operands.map { operand in
            switch operand.count {
            case .one: "<\(operand.name)>"
            case .atLeastOne: "<\(operand.name)> ..."
            case .any: "[<\(operand.name)> ...]"
            }
        }
        return (["tillroll", command.name, "[<flags>]"] + operands).joined(separator: " ")
    }

    // MARK: Layout

    private func table(_ rows: [(name: String, text: String)]) -> String {
        let blank = String(repeating: " ", count: Self.column)
        return rows.map { name, text in
            let lines = Self.wrapped(text, to: width - Self.column).split(separator: "\n")
            let rest = lines.dropFirst().map { "\n" + blank + $0 }.joined()
            guard name.count + 4 > Self.column else { return Self.row(name, String(lines.first ?? "")) + rest }
            return "  \(name)\n" + blank + (lines.first ?? "") + rest
        }
        .joined(separator: "\n")
    }

    private static func row(_ name: String, _ text: String) -> String {
        "  " + name + String(repeating: " ", count: max(2, column - 2 - name.count)) + text
    }

    /// The paragraphs of a text, each filled to the width. Lines that begin with a blank stay as they are, but for lists
    /// of names with a meaning, whose meaning goes on below itself.
    private func laidOut(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.hasPrefix("  ") else { return Self.wrapped(String(line), to: width) }
            guard line.count > width, let gap = line.dropFirst(2).firstRange(of: "  ") else { return String(line) }
            let start = line[gap.lowerBound...].firstIndex { $0 != " " } ?? line.endIndex
            let indent = line.distance(from: line.startIndex, to: start)
            let lines = Self.wrapped(String(line[start...]), to: width - indent).split(separator: "\n")
            return line[..<start] + lines.joined(separator: "\n" + String(repeating: " ", count: indent))
        }
        .joined(separator: "\n")
    }

    private static func wrapped(_ text: String, to width: Int) -> String {
        var (lines, line) = ([String](), "")
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return (lines + [line]).joined(separator: "\n")
    }

    /// The help up to the first colon, semicolon, bracket or end of a sentence.
    private static func firstClause(of help: String) -> String {
        let ends = [": ", "; ", ". ", " (", ".\u{0}"].compactMap { (help + "\u{0}").firstRange(of: $0)?.lowerBound }
        return String(help[..<(ends.min() ?? help.endIndex)])
    }
}

extension Command {
    /// The page of the documentation that explains the command.
    fileprivate var page: String {
        switch self {
        case .report: "docs/rules.md and docs/report-json.md"
        case .reconcile, .codes: "docs/rules.md"
        case .merge: "docs/partials.md"
        case .pricesCheck, .pricesFromStoreKit: "docs/money.md"
        case .inspect: "docs/formats.md"
        case .verify, .submit: "docs/trust.md"
        case .convert, .schema: "docs/tables.md"
        }
    }

    /// The flags that the help lists, by heading.
    fileprivate var shownFlags: [(FlagEntry.Group, [Flag])] {
        let flags = Flag.all(of: self).filter { !$0.entry(for: self).traits.contains(.isHidden) }
        return FlagEntry.Group.allCases.compactMap { group in
            let members = flags.filter { $0.entry(for: self).group == group }
            return members.isEmpty ? nil : (group, members)
        }
    }
}

extension Flag {
    /// `-t, --format <format>`
    fileprivate func spelling(for command: Command) -> String {
        (entry(for: command).short.map { "-\($0), " } ?? "") + form(for: command)
    }

    /// The help, with the values and the default where it does not say them.
    fileprivate func told(_ command: Command) -> String {
        let entry = entry(for: command)
        var text = entry.help
        let words = entry.value.words
        if !words.allSatisfy(text.contains) { text += " Values: \(words.joined(separator: ", "))." }
        if let usual = entry.usual, !text.contains(usual) { text += " Default: \(usual)." }
        return text
    }
}
