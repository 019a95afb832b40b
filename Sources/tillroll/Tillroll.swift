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
        abstract: "Turns App Store receipts into columns and into numbers.",
        discussion: """
            Start here:
              tillroll report all Samples/verify Samples/events   # all reports
              tillroll report revenue Samples/verify --prices Samples/prices.csv
              tillroll report failures Samples/events         # what fails, since when
              tillroll report all Samples/verify -o march.html     # or .xlsx .csv .md
              tillroll inspect Samples/legacy/receipt.plist   # all of one receipt
              tillroll codes 21007                            # what a code means

            Reads receipts, verifyReceipt responses and StoreKit client events from files, folders or standard input, \
            plain or compressed with gzip or zstd. The content decides what a file is, not its name.

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
            subcommands: [InspectCommand.self, VerifyCommand.self, ConvertCommand.self]
        ),
        CommandGroup(name: "Reference", subcommands: [CodesCommand.self, SchemaCommand.self]),
    ]

    private static let commands = groups.flatMap(\.subcommands)

    /// The command that `arguments` ask for.
    ///
    /// From the root, the parser makes the options of a command three times over, and looks for completions; most of a
    /// start goes into that. So where the first word names a command, that one alone is given the rest. Whatever is not
    /// plainly its own, help as well as errors, is parsed again from the root, which has the last word on all of it.
    static func command(for arguments: [String]) throws -> any ParsableCommand {
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
        do {
            var command = try Tillroll.command(for: ClosedPartialWords.rewritten(ProcessArguments.all))
            try command.run()
            leave(.finished, saying: [])
        } catch let error as RunError {
            leave(error.status, saying: error.lines)
        } catch let error as InputError {
            leave(status(of: error), saying: error.code == .interrupted ? [] : [error.description])
        } catch {
            refuseUnknownCommand()
            leave(parserError: error)
        }
    }

    /// Leaves, where the first argument is no command, saying which one may have been meant; the parser only calls it
    /// unexpected.
    private static func refuseUnknownCommand() {
        let names = Tillroll.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let word = ProcessArguments.all.first, !word.hasPrefix("-"), word != "help",
            !names.contains(word)
        else { return }
        let reports = ReportRegistry.names.map { "report \($0)" }
        let question =
            ReportRegistry.names.contains(word)
            ? "; did you mean 'report \(word)'?" : NearestWord.clause(about: word, among: names + reports)
        let choice = names.joined(separator: ", ")
        leave(.usage, saying: ["there is no command '\(word)'; choose \(choice)\(question)"])
    }

    private static func status(of error: InputError) -> ExitStatus {
        switch error.code {
        case .missing: .noInput
        case .unreadable, .gzip, .zstd, .ratio, .tooLarge: .inputOutputError
        case .header, .range: .dataError
        case .interrupted: .interrupted
        }
    }

    /// Leaves as the parser would, but for what it repeats of the command line.
    private static func leave(parserError error: any Error) -> Never {
        let status = Tillroll.exitCode(for: error)
        var message = Tillroll.fullMessage(for: error)
        // The libraries are looked for only where they are asked for: opening them takes longer than a start.
        if status.isSuccess, message == Tool.version { message = Tool.versions }
        if !message.isEmpty {
            if status.isSuccess {
                // Help, the version, a script for completions.
                do {
                    try Output.write(Array((message + "\n").utf8), to: nil)
                } catch {
                    leave(error.status, saying: error.lines)
                }
            } else {
                let message = ParserMessage(error, ProcessArguments.all)
                Output.writeFailure(message.reason)
                for line in message.hints { Output.writeError(line) }
            }
        }
        leave(status.rawValue)
    }

    private static func leave(_ status: ExitStatus, saying lines: [String]) -> Never {
        say(lines)
        leave(status.rawValue)
    }

    private static func say(_ lines: [String]) {
        for line in lines { Output.writeFailure(line) }
    }

    /// Leaves; a result that did not reach its place is graver than what else there is to tell of it.
    private static func leave(_ status: Int32) -> Never {
        do {
            try StandardOutput.close()
        } catch {
            say(error.lines)
            exit(error.status.rawValue)
        }
        exit(status)
    }
}
