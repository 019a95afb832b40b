import Foundation
import SystemPackage
import TillSystem

@testable import tillroll

/// What a run of a command has left.
struct CommandOutcome: Equatable {
    var status: Int32
    var output: [UInt8]
    var messages: String
    /// The contents of each file and folder in the folder of the run: of a folder, those of all files in it by their
    /// paths.
    var files: [String: [String: [UInt8]]]
}

/// Runs commands in this process, in a folder of their own.
final class CommandRun {
    /// Where the project is, from which samples are named.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    private static let parent: String = {
        // A file system in memory, so that the tests do not wait for a disk.
        FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
    }()

    let command: FaultyCommand
    /// The folder that ``FaultyCommand/words`` call OUT.
    let folder: String
    private let base: String
    private var filled: String { base + "/filled" }

    struct Hangs: Error {}

    /// Makes the folder, and fills it by the commands that come before.
    init(_ command: FaultyCommand) throws {
        self.command = command
        base = Self.parent + "/tillroll-faults-\(UUID().uuidString)"
        folder = base + "/out"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.createDirectory(atPath: folder + "/parts", withIntermediateDirectories: true)
        if command.words.contains("many.ndjson") { try writeMany() }
        for words in command.before {
            let (outcome, _) = try run(words, Faults.Plan.none)
            guard outcome.status == 0 else { throw CocoaError(.fileWriteUnknown) }
        }
        if try FileManager.default.contentsOfDirectory(atPath: folder + "/parts").isEmpty {
            try FileManager.default.removeItem(atPath: folder + "/parts")
        }
        try FileManager.default.copyItem(atPath: folder, toPath: filled)
    }

    deinit { try? FileManager.default.removeItem(atPath: base) }

    /// Transactions that need more memory than the least allowance.
    private func writeMany() throws {
        let lines = (0..<10_000).map { number in
            let transaction =
                #"{"transaction_id":"\#(number)","original_transaction_id":"\#(number / 3)","product_id":"p\#(number % 7)","#
                + #""purchase_date_ms":"\#(1_700_000_000_000 + number * 1_000)"}"#
            return
                #"{"status":0,"environment":"Production","request_id":"r\#(number)","receipt":{"bundle_id":"app","in_app":["#
                + transaction
                + "]}}\n"
        }
        try lines.joined().write(toFile: folder + "/many.ndjson", atomically: false, encoding: .utf8)
    }

    /// Runs the command in its folder as it was filled.
    func run(_ plan: Faults.Plan) throws -> (CommandOutcome, faults: Faults) {
        try FileManager.default.removeItem(atPath: folder)
        try FileManager.default.copyItem(atPath: filled, toPath: folder)
        return try run(command.words, plan)
    }

    /// Runs the command with an interposer that is given the streams of the run.
    func run(_ interposer: (_ streams: [Int32]) -> any SystemInterposer) throws -> CommandOutcome {
        try FileManager.default.removeItem(atPath: folder)
        try FileManager.default.copyItem(atPath: filled, toPath: folder)
        return try run(command.words, interposer)
    }

    private func run(_ words: String, _ plan: Faults.Plan) throws -> (CommandOutcome, faults: Faults) {
        let missing = Set(command.without.compactMap(SystemCall.Name.init))
        var faults = Faults(plan, streams: [])
        let outcome = try run(words) { streams in
            faults = Faults(plan, without: missing, streams: streams)
            return faults
        }
        return (outcome, faults)
    }

    private func run(
        _ words: String,
        _ interposer: (_ streams: [Int32]) -> any SystemInterposer
    ) throws -> CommandOutcome {
        let input = command.input.map { path(in: $0) } ?? "/dev/null"
        let files = [base + "/stdout", base + "/stderr"]
        let streams =
            [open(input, O_RDONLY | O_CLOEXEC)]
            + files.map { open($0, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0o600) }
        defer { for stream in streams { close(stream) } }
        let status = try run(words.split(separator: " ").map { path(in: String($0)) }, interposer(streams))
        let texts = try files.map { [UInt8](try Data(contentsOf: URL(fileURLWithPath: $0))) }
        return CommandOutcome(
            status: status,
            output: texts[0],
            messages: String(decoding: texts[1], as: UTF8.self),
            files: try Self.contents(of: folder)
        )
    }

    private func path(in word: String) -> String {
        if word.hasPrefix("OUT") { return folder + word.dropFirst(3) }
        return word.hasPrefix("Samples") ? Self.root + "/" + word : word
    }

    /// Runs the command on a thread of its own, as it has the main thread.
    private func run(_ arguments: [String], _ interposer: any SystemInterposer) throws -> Int32 {
        let result = Result()
        let thread = Thread {
            result.status = SystemCall.$interposer.withValue(interposer) { Main.status(of: arguments) }
            result.done.signal()
        }
        thread.stackSize = 8 << 20
        thread.start()
        guard result.done.wait(timeout: .now() + 120) == .success else { throw Hangs() }
        return result.status
    }

    private final class Result: @unchecked Sendable {
        let done = DispatchSemaphore(value: 0)
        /// Written before `done` is signalled.
        var status: Int32 = -1
    }

    static func contents(of folder: String) throws -> [String: [String: [UInt8]]] {
        var files: [String: [String: [UInt8]]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let contents = try allFiles(at: folder + "/" + name)
            if !isManifestOfFailedRun(contents) { files[name] = contents }
        }
        return files
    }

    /// A run that fails writes its manifest all the same.
    private static func isManifestOfFailedRun(_ contents: [String: [UInt8]]) -> Bool {
        guard let bytes = contents[""], bytes.starts(with: #"{"manifest":1"#.utf8) else { return false }
        return !String(decoding: bytes, as: UTF8.self).contains(#""run":{"status":0"#)
    }

    /// The bytes of a file. Of a manifest, the seconds are 0, since every run has a duration of its own.
    static func bytes(of path: String) throws -> [UInt8] {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        guard bytes.starts(with: #"{"manifest":1"#.utf8) else { return bytes }
        let text = String(decoding: bytes, as: UTF8.self).replacing(/"seconds":[0-9.]+/) { _ in "\"seconds\":0" }
        return Array(text.utf8)
    }

    private static func allFiles(at path: String) throws -> [String: [UInt8]] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return ["": try bytes(of: path)]
        }
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            for (below, bytes) in try allFiles(at: path + "/" + name) { files["/" + name + below] = bytes }
        }
        return files
    }
}
