import TillPipeline

/// The shells for which completions are written.
enum CompletionScript: String, CaseIterable {
    case bash, zsh, fish

    /// A script that the shell reads: the commands, the flags of each, and the values that are words or files.
    var text: String {
        switch self {
        case .bash: Self.bashFunction + "complete -o default -F _tillroll tillroll"
        // zsh runs the function of bash, so that there is one.
        case .zsh:
            "#compdef tillroll\nautoload -U +X bashcompinit && bashcompinit\n" + Self.bashFunction
                + "complete -o default -F _tillroll tillroll"
        case .fish: Self.fishCommands.joined(separator: "\n")
        }
    }

    private static var bashFunction: String {
        let commands = Command.allCases.map { command in
            let flags = command.completed
            let names = flags.map(\.description) + command.words
            let values = flags.compactMap { flag -> String? in
                let words = flag.proposals(for: command)
                let names = ([flag.description] + (flag.entry(for: command).short.map { ["-\($0)"] } ?? []))
                    .joined(separator: "|")
                return words.isEmpty ? nil : "            \(names)) words='\(words.joined(separator: " "))' ;;"
            }
            return """
                    '\(command.name)')
                        case $before in
                \(values.joined(separator: "\n"))
                        *) words='\(names.joined(separator: " "))' ;;
                        esac ;;
                """
        }
        let names = Set(Command.allCases.map { $0.name.prefix { $0 != " " } }.map(String.init)).sorted()
        let second = Command.allCases.filter { $0.name.hasPrefix("prices ") }.map { $0.name.dropFirst(7) }
        return """
            _tillroll() {
                local command=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=
                [ "$command" = prices ] && [ "$COMP_CWORD" -gt 2 ] && command="prices ${COMP_WORDS[2]}"
                [ "$COMP_CWORD" -eq 1 ] && command=
                case $command in
                '') words='\(names.joined(separator: " ")) help --version --help' ;;
                prices) words='\(second.joined(separator: " "))' ;;
            \(commands.joined(separator: "\n"))
                esac
                COMPREPLY=($(compgen -W "$words" -- "$word"))
            }

            """
    }

    private static var fishCommands: [String] {
        var lines: [String] = []
        for command in Command.allCases {
            let words = command.name.split(separator: " ").map(String.init)
            let seen = words.map { "__fish_seen_subcommand_from \($0)" }
            let before = words.count == 1 ? "__fish_use_subcommand" : seen[0]
            lines.append(line(before, "-f -a \(words.last ?? "")", command.implementation.summary))
            if words.count > 1 { lines.append(line("__fish_use_subcommand", "-f -a \(words[0])", "")) }
            let condition = seen.joined(separator: "; and ")
            if !command.words.isEmpty {
                lines.append(line(condition, "-a '\(command.words.joined(separator: " "))'", ""))
            }
            for flag in command.completed {
                let entry = flag.entry(for: command)
                var options = "-l \(flag.name)" + (entry.short.map { " -s \($0)" } ?? "")
                let words = flag.proposals(for: command)
                if flag.form(for: command).hasSuffix(">") {
                    options += entry.traits.contains(.namesFile) ? " -rF" : " -x"
                }
                if !words.isEmpty { options += " -a '\(words.joined(separator: " "))'" }
                lines.append(line(condition, options, String(entry.help.prefix { $0 != "." && $0 != ";" })))
            }
        }
        return lines
    }

    private static func line(_ condition: String, _ options: String, _ description: String) -> String {
        let text =
            description.isEmpty ? "" : " -d '\(description.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
        return "complete -c tillroll -n '\(condition)' \(options)\(text)"
    }
}

extension Command {
    fileprivate var completed: [Flag] { Flag.all(of: self).filter { !$0.entry(for: self).traits.contains(.isHidden) } }

    /// The words that its operands may be.
    fileprivate var words: [String] { implementation.operands.flatMap(\.words) }
}

extension Flag {
    fileprivate func proposals(for command: Command) -> [String] {
        let entry = entry(for: command)
        return entry.value.words + entry.proposals
    }
}
