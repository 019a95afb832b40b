import ArgumentParser
import Dispatch
import Synchronization
import TillInput
import TillPipeline

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The command.
struct Tillroll: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tillroll",
        abstract: "Turns App Store receipts into columns and into numbers.",
        discussion: """
            Reads receipts, verifyReceipt responses and StoreKit client events from files, folders or standard input, \
            plain or compressed with gzip or zstd, told by content.

            Examples:
              zcat dump.ndjson.gz | tillroll report failures
              tillroll report revenue receipts/ --prices prices.csv -t csv -o revenue.csv
              tillroll codes 21007
            """,
        version: Version.text,
        subcommands: [
            ReportCommand.self, MergeCommand.self, InspectCommand.self, PricesCommand.self, CodesCommand.self,
        ]
    )
}

@main
enum Main {
    static func main() {
        Interruption.listen()
        do {
            var command = try Tillroll.parseAsRoot()
            try command.run()
        } catch let error as RunError {
            leave(error.status, saying: error.description)
        } catch let error as InputError {
            leave(status(of: error), saying: error.code == .interrupted ? nil : error.description)
        } catch {
            Tillroll.exit(withError: error)
        }
    }

    /// Runs `body` and waits for it; the main thread is none of those that tasks run on.
    static func wait(for body: @escaping @Sendable () async throws -> ExitStatus) throws -> ExitStatus {
        let outcome = Outcome()
        let isDone = DispatchSemaphore(value: 0)
        Task {
            do {
                let status = try await body()
                outcome.result.withLock { $0 = .success(status) }
            } catch {
                outcome.result.withLock { $0 = .failure(error) }
            }
            isDone.signal()
        }
        isDone.wait()
        return try outcome.result.withLock { try $0.get() }
    }

    private final class Outcome: Sendable {
        let result = Mutex<Result<ExitStatus, any Error>>(.success(.finished))
    }

    private static func status(of error: InputError) -> ExitStatus {
        switch error.code {
        case .missing: .noInput
        case .unreadable, .gzip, .zstd, .ratio: .inputOutputError
        case .header: .dataError
        case .interrupted: .interrupted
        }
    }

    private static func leave(_ status: ExitStatus, saying message: String?) -> Never {
        if let message { Output.writeError("tillroll: \(message)") }
        exit(status.rawValue)
    }
}
