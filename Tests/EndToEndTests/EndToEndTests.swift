import Dispatch
import Foundation
import Testing

/// Runs the command as its users do, and compares what it says with what it said before.
///
/// A case is a folder: `cmd` is a shell script, run from the project's root with the built `tillroll` first in the
/// PATH; `expout`, `experr` and `exit` are what must come of it (missing: nothing, and 0). `TILLROLL_RECORD=1` writes
/// them anew, and the run that does so fails.
@Suite("The command")
struct EndToEndTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let cases = root.appendingPathComponent("Tests/EndToEndTests/Cases")
    /// All that is in the folder of cases.
    static let folders = Result {
        try FileManager.default.contentsOfDirectory(atPath: cases.path).filter { !$0.hasPrefix(".") }.sorted()
    }
    /// The folders with a script.
    static let names = ((try? folders.get()) ?? []).filter { name in
        FileManager.default.fileExists(atPath: cases.appendingPathComponent(name).appendingPathComponent("cmd").path)
    }
    static let isRecording = ProcessInfo.processInfo.environment["TILLROLL_RECORD"] == "1"

    @Test("Every folder is a case: it has a script, and other files only if the script names them")
    func hasCases() throws {
        let folders = try Self.folders.get()
        #expect(!folders.isEmpty)
        #expect(folders.filter { !Self.names.contains($0) } == [], "without cmd")
        for name in Self.names {
            let folder = Self.cases.appendingPathComponent(name)
            let script = try String(contentsOf: folder.appendingPathComponent("cmd"), encoding: .utf8)
            let others = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { file in
                !["cmd", "expout", "experr", "exit"].contains(file) && !script.contains(file)
            }
            #expect(others == [], "unknown files of \(name)")
        }
    }

    @Test("A command says what it said before", arguments: names)
    func behaves(_ name: String) throws {
        let folder = Self.cases.appendingPathComponent(name)
        let script = try String(contentsOf: folder.appendingPathComponent("cmd"), encoding: .utf8)
        let result = try Self.run(script)
        try check(result.output, folder.appendingPathComponent("expout"), "standard output of \(name)")
        try check(result.error, folder.appendingPathComponent("experr"), "standard error of \(name)")
        let exit = result.status == 0 ? "" : "\(result.status)\n"
        try check(exit, folder.appendingPathComponent("exit"), "exit status of \(name)")
    }

    private func check(_ text: String, _ file: URL, _ what: Comment) throws {
        let isMissing = !FileManager.default.fileExists(atPath: file.path)
        let expected = isMissing ? "" : try String(contentsOf: file, encoding: .utf8)
        guard Self.isRecording, text != expected else {
            #expect(text == expected, what)
            return
        }
        if text.isEmpty {
            try FileManager.default.removeItem(at: file)
        } else {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        Issue.record("recorded \(file.lastPathComponent) of \(what); run again without TILLROLL_RECORD")
    }

    static func run(_ script: String) throws -> (output: String, error: String, status: Int32) {
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("tillroll-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        process.currentDirectoryURL = root
        // The command of this build, or in the folder that `make cases-of-dist` names.
        let built =
            ProcessInfo.processInfo.environment["TILLROLL_BIN"]
            ?? URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
        process.environment = [
            "PATH": built + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"),
            "SCRATCH": scratch.path, "LC_ALL": "C",
        ].merging(ProcessInfo.processInfo.environment.filter { $0.key.hasPrefix("LD_") }) { mine, _ in mine }
        // Files, not pipes: a full pipe would block the command.
        let outputFile = scratch.appendingPathComponent("stdout")
        let errorFile = scratch.appendingPathComponent("stderr")
        for file in [outputFile, errorFile] { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: outputFile)
        process.standardError = try FileHandle(forWritingTo: errorFile)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let watchdog = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 240, execute: watchdog)
        process.waitUntilExit()
        watchdog.cancel()
        func text(_ file: URL) throws -> String {
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            return withoutByteCount(text.replacingOccurrences(of: scratch.path, with: "SCRATCH"))
        }
        return (try text(outputFile), try text(errorFile), process.terminationStatus)
    }

    /// The text without what no reader looks at: the number of input bytes becomes 0, so that a longer sample changes
    /// no case, and so does the duration of a run.
    private static func withoutByteCount(_ text: String) -> String {
        text.replacing(/("rejected":[0-9]+,"bytes":)[0-9]+/) { "\($0.1)0" }
            .replacing(/("seconds":)[0-9.]+(,"bytes":)[0-9]+/) { "\($0.1)0\($0.2)0" }
    }
}
