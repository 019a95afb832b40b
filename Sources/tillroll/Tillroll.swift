import ArgumentParser
import CPlatform
import TillCore
import TillInput
import TillPipeline
import TillRender
import TillReports
import TillThreads

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The command.
struct Tillroll: ParsableCommand {
    static let name = "tillroll"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Turns App Store receipts into reports and tables.",
        discussion: """
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
            \(ExitStatus.allCases.map { "  \($0.rawValue)  \($0.summary)" }.joined(separator: "\n"))
            """,
        version: Tool.version,
        groupedSubcommands: groups
    )

    private static let groups = [
        CommandGroup(
            name: "Reports",
            subcommands: [ReportCommand.self, ReconcileCommand.self, MergeCommand.self, PricesCommand.self]
        ),
        CommandGroup(
            name: "Receipts",
            subcommands: [InspectCommand.self, VerifyCommand.self, SubmitCommand.self, ConvertCommand.self]
        ),
        CommandGroup(name: "Reference", subcommands: [CodesCommand.self, SchemaCommand.self]),
    ]

    private static let commands = groups.flatMap(\.subcommands)

    /// The frequent commands, for which the time of a start matters.
    private static let plainCommands: [any PlainCommand.Type] = [
        ReportCommand.self, ConvertCommand.self, MergeCommand.self,
    ]

    /// The command that `arguments` ask for.
    ///
    /// A simple correct command line is read without the parser (``PlainArguments``). From the root command, the parser
    /// makes the options of a command three times, and looks for completions; this takes most of a start. So if the
    /// first word names a command, only that command parses the rest. Help, errors and everything else are parsed again
    /// from the root.
    static func command(for arguments: [String]) throws -> any ParsableCommand {
        if let word = arguments.first,
            let type = plainCommands.first(where: { $0.word == word }),
            let command = type.plain(arguments.dropFirst())
        {
            return command
        }
        if let word = arguments.first,
            let type = commands.first(where: { $0.configuration.commandName == word }),
            type.configuration.subcommands.isEmpty,
            let command = try? type.parseAsRoot(Array(arguments.dropFirst())), Swift.type(of: command) == type
        {
            return command
        }
        return try parseAsRoot(arguments)
    }
}

@main
enum Main {
    static func main() {
        till_claim_stack()
        StandardOutput.prepare()
        Interruption.listen()
        StatusSignal.listen()
        exit(Tillroll.status(of: ProcessArguments.all))
    }
}

extension Tillroll {
    /// Runs a command to its end, and writes its error to standard error.
    ///
    /// - Returns: the exit status. An output that could not be written takes precedence over other statuses.
    static func status(of arguments: [String]) -> Int32 {
        let status = statusBeforeClosing(arguments)
        do {
            try StandardOutput.close()
            return status
        } catch {
            return fail(error.status, error.lines)
        }
    }

    private static func statusBeforeClosing(_ arguments: [String]) -> Int32 {
        do {
            var command = try command(for: ClosedPartialWords.rewritten(arguments))
            try command.run()
            return ExitStatus.finished.rawValue
        } catch let code as ExitCode {
            return code.rawValue
        } catch let error as RunError {
            return fail(error.status, error.lines)
        } catch let error as InputError {
            return fail(ExitStatus(error), error.code == .interrupted ? [] : [error.description])
        } catch {
            return refuseUnknownCommand(arguments) ?? status(ofParserError: error, arguments)
        }
    }

    private static func fail(_ status: ExitStatus, _ lines: [String]) -> Int32 {
        for line in lines { Output.writeFailure(line) }
        return status.rawValue
    }

    /// If the first argument, or the one behind `help`, is not a command, suggests one; the parser only calls it
    /// unexpected, or shows the help of all.
    private static func refuseUnknownCommand(_ arguments: [String]) -> Int32? {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        guard let word = words.first, !word.hasPrefix("-"), word != "help", !names.contains(word) else { return nil }
        let reports = ReportRegistry.names.map { "report \($0)" }
        let question =
            ReportRegistry.names.contains(word)
            ? "; did you mean 'report \(word)'?" : NearestWord.clause(about: word, among: names + reports)
        let choice = names.joined(separator: ", ")
        return fail(.usage, ["there is no command '\(word)'; choose \(choice)\(question)"])
    }

    /// Writes the parser's message without its copy of the command line.
    private static func status(ofParserError error: any Error, _ arguments: [String]) -> Int32 {
        let status = exitCode(for: error)
        var message = fullMessage(for: error)
        // The libraries are searched only for --version: opening them takes longer than a start.
        if status.isSuccess, message == Tool.version { message = Tool.versions }
        guard !message.isEmpty else { return status.rawValue }
        guard status.isSuccess else {
            let message = ParserMessage(error, arguments)
            Output.writeFailure(message.reason)
            for line in message.hints { Output.writeError(line) }
            return status.rawValue
        }
        // Help, the version, a script for completions.
        do {
            try Output.write(Array((message + "\n").utf8), to: nil)
            return status.rawValue
        } catch {
            return fail(error.status, error.lines)
        }
    }
}
