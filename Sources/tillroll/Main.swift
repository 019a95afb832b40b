import CPlatform
import TillCore
import TillInput
import TillPipeline
import TillReports

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@main
enum Main {
    static func main() {
        till_claim_stack()
        StandardOutput.prepare()
        Interruption.listen()
        StatusSignal.listen()
        exit(status(of: ProcessArguments.all))
    }

    /// Runs a command to its end, and writes its error to standard error.
    ///
    /// - Returns: the exit status. An output that could not be written takes precedence over other statuses.
    static func status(of words: [String]) -> Int32 {
        let status = statusBeforeClosing(words).ofProcess
        do {
            try StandardOutput.close()
            return status.rawValue
        } catch {
            return fail(error.status, error.lines).rawValue
        }
    }

    private static func statusBeforeClosing(_ words: [String]) -> ExitStatus {
        let named = Command.named(by: words)
        do {
            guard let named else { return try runWithoutCommand(words) }
            let rest = ClosedPartialWords.rewritten(Array(words.dropFirst(named.wordCount)), of: named)
            let flags = rest.prefix { $0 != "--" }
            if flags.contains("--help") { return try show(Help().whole(named)) }
            if flags.contains("-h") { return try show(Help().short(named)) }
            if flags.contains("--version") { return try show(Tool.versions) }
            let arguments = try Arguments(rest, of: named)
            guard let log = arguments.log else { return try named.implementation.run(arguments) }
            return try log.record { try named.implementation.run(arguments) }
        } catch let error as UsageError {
            let status = fail(.usage, [error.reason])
            Output.writeError("See 'tillroll \(named.map { "\($0.name) -h" } ?? "-h")'.")
            return status
        } catch {
            let error = RunError(error) ?? RunError(.inputOutputError, "\(error)")
            return fail(error.status, error.lines)
        }
    }

    private static func fail(_ status: ExitStatus, _ lines: [String]) -> ExitStatus {
        for line in lines { Output.writeFailure(line) }
        return status
    }

    private static func show(_ text: String) throws -> ExitStatus {
        try Output.write(Array((text + "\n").utf8), to: nil)
        return .finished
    }

    /// Answers a command line that does not begin with the name of a command.
    private static func runWithoutCommand(_ words: [String]) throws -> ExitStatus {
        let rest = Array(words.dropFirst())
        switch words.first {
        case nil, "--help", "-h": return try show(Help().root())
        case "--version": return try show(Tool.versions)
        case "--dump-help": return try show(Help.json)
        case "--generate-completion-script":
            guard let shell = rest.first.flatMap(CompletionScript.init) else {
                throw UsageError(
                    NearestWord.unknown(
                        "shell",
                        rest.first ?? "",
                        among: CompletionScript.allCases.map(\.rawValue)
                    )
                )
            }
            return try show(shell.text)
        case "help":
            if let command = Command.named(by: rest) { return try show(Help().whole(command)) }
            return try rest.isEmpty ? show(Help().root()) : runWithoutCommand(rest)
        default: break
        }
        // `prices` alone begins the names of two commands.
        let group = Command.allCases.filter { $0.name.hasPrefix("\(words[0]) ") }
        guard group.isEmpty || rest.contains(where: { !$0.hasPrefix("-") && $0 != "help" }) else {
            return try show(Help().group(group))
        }
        let word = group.isEmpty ? words[0] : words.prefix(2).joined(separator: " ")
        let known = group.isEmpty ? Command.allCases : group
        throw UsageError(
            NearestWord.unknown(
                "command",
                word,
                among: known.map(\.name),
                orLike: ReportRegistry.names.map { "report \($0)" }
            )
        )
    }
}

extension Command {
    /// The command that a command line begins with.
    fileprivate static func named(by words: [String]) -> Command? {
        allCases.first { words.starts(with: $0.name.split(separator: " ").map(String.init)) }
    }

    fileprivate var wordCount: Int { name.split(separator: " ").count }
}
