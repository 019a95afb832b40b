import Foundation
import TillTestSupport

/// Runs the built command in a folder of its own.
final class SubmitCommand {
    struct Outcome {
        var status: Int32
        var output: String
        var error: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    let folder: URL
    private let tool = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "tillroll")

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tillroll-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }
    func text(_ name: String) throws -> String { try String(contentsOf: folder.appending(path: name), encoding: .utf8) }
    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    /// Runs `tillroll` with these words from the folder; `endAfter` sends SIGTERM after so many seconds.
    func run(
        _ words: [String],
        input: String? = nil,
        environment: [String: String] = [:],
        endAfter: Double? = nil
    ) throws -> Outcome {
        let process = Process()
        process.executableURL = tool
        process.arguments = words
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // Files, not pipes: a full pipe would block the command.
        for name in ["stdout", "stderr"] { try write("", to: name) }
        try write(input ?? "", to: "stdin")
        process.standardInput = try FileHandle(forReadingFrom: folder.appending(path: "stdin"))
        process.standardOutput = try FileHandle(forWritingTo: folder.appending(path: "stdout"))
        process.standardError = try FileHandle(forWritingTo: folder.appending(path: "stderr"))
        // Threads of Dispatch block signals, and a process inherits that.
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        try process.run()
        pthread_sigmask(SIG_SETMASK, &before, nil)
        if let endAfter {
            Thread.sleep(forTimeInterval: endAfter)
            process.terminate()
        }
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: try text("stdout"), error: try text("stderr"))
    }
}

/// Receipts that differ, in base64.
enum Receipts {
    static let pkcs7: [String] = {
        let file = Fixtures.samples.appending(path: "pkcs7/receipts.b64")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }()

    static let legacy: [String] = {
        let file = Fixtures.samples.appending(path: "legacy/receipts.b64")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }()
}
