import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import TillSystem

@Suite("Calls of the system")
struct SystemTests {
    /// Answers calls by a function.
    private final class Answers: SystemInterposer {
        let answer: @Sendable (SystemCall, _ number: Int) throws(Errno) -> Int?
        private let calls = Mutex(0)

        init(_ answer: @escaping @Sendable (SystemCall, _ number: Int) throws(Errno) -> Int?) {
            self.answer = answer
        }

        func perform(_ call: SystemCall, _ make: (SystemCall) throws(Errno) -> Int) throws(Errno) -> Int {
            let number = calls.withLock { calls in
                calls += 1
                return calls
            }
            if let result = try answer(call, number) { return result }
            return try make(call)
        }
    }

    @Test("A pipe that takes no more for now is waited for, and all bytes come in order")
    func waitsForFullPipes() throws {
        let pipe = try OpenFile.makePipe()
        defer { try? pipe.readEnd.close() }
        #expect(fcntl(pipe.writeEnd.descriptor, F_SETFL, O_NONBLOCK) == 0)
        // More than a pipe of Linux holds (64 KiB).
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
        let done = DispatchSemaphore(value: 0)
        let failure = Mutex<Errno?>(nil)
        let isStarted = OwnThread.start {
            do throws(Errno) { try pipe.writeEnd.writeAll(bytes) } catch { failure.withLock { $0 = error } }
            try? pipe.writeEnd.close()
            done.signal()
        }
        #expect(isStarted)
        #expect(try pipe.readEnd.readAll(limit: 1 << 20) == bytes)
        done.wait()
        #expect(failure.withLock { $0 } == nil)
    }

    @Test("A signal neither ends a write nor the wait for a full pipe")
    func writesAfterSignals() throws {
        let file = try OpenFile(temporaryIn: FileSystem.temporaryFolder)
        defer { try? file.close() }
        // A signal before the write, then a pipe that is full, then a signal in the wait for it.
        let answers = Answers { call, number throws(Errno) in
            switch (call.name, number) {
            case (.write, 1): throw .interrupted
            case (.write, 2): throw .resourceTemporarilyUnavailable
            case (.poll, 3): throw .interrupted
            default: return nil
            }
        }
        try SystemCall.$interposer.withValue(answers) { try file.writeAll([1, 2, 3]) }
        try file.seek(to: 0)
        #expect(try file.readAll(limit: 10) == [1, 2, 3])
    }

    @Test("A write that takes nothing and tells no error is an error")
    func refusesEmptyWrites() throws {
        let file = try OpenFile(temporaryIn: FileSystem.temporaryFolder)
        defer { try? file.close() }
        let error = #expect(throws: Errno.self) {
            try SystemCall.$interposer.withValue(Answers { call, _ in call.name == .write ? 0 : nil }) {
                try file.writeAll([1])
            }
        }
        #expect(error == .ioError)
    }

    @Test(
        "Without files that have no name, a temporary file has one for a moment; if that cannot be removed, there is no file"
    )
    func makesTemporaryFiles() throws {
        let folder = FilePath(NSTemporaryDirectory()).appending("tillroll-\(UUID().uuidString)")
        try FileSystem.makeFolder(folder, mode: 0o700)
        defer { try? FileManager.default.removeItem(atPath: folder.string) }
        let answers = Answers { call, _ throws(Errno) in
            if call.name == .openUnnamed { throw .notSupported }
            return nil
        }
        try SystemCall.$interposer.withValue(answers) {
            let file = try OpenFile(temporaryIn: folder)
            try file.writeAll([1, 2, 3])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.string).isEmpty)
            #expect(try file.status().mode == 0o600)
            try file.close()
        }
        let refusing = Answers { call, _ throws(Errno) in
            if call.name == .openUnnamed || call.name == .unlink { throw .readOnlyFileSystem }
            return nil
        }
        #expect(throws: Errno.readOnlyFileSystem) {
            try SystemCall.$interposer.withValue(refusing) { _ = try OpenFile(temporaryIn: folder) }
        }
    }

    @Test("Only a file that is certain to be missing is missing")
    func tellsMissingFromUnknown() throws {
        #expect(try FileSystem.statusIfThere(of: "/there/is/none") == nil)
        let failing = Answers { _, _ throws(Errno) in throw .ioError }
        #expect(throws: Errno.ioError) {
            try SystemCall.$interposer.withValue(failing) { _ = try FileSystem.linkStatusIfThere(of: "/") }
        }
    }

    @Test("No other module opens, lists, names, locks or removes files, starts threads or asks for limits")
    func isTheOnlyWay() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources")
        let calls = [
            "opendir", "readdir", "unlink", "fsync", "mkdir", "rmdir", "fopen", "mmap", "getrlimit", "sysconf",
            "pthread_create",
            "lstat", "fstat", "mkstemp", "mkdtemp", "poll", "flock", "till_open_unnamed", "till_open_temporary",
            "till_exchange",
            "till_link_unnamed", "FileDescriptor.open", "FileDescriptor.pipe",
        ]
        var found: [String] = []
        var count = 0
        for case let file as URL in try #require(
            FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        ) {
            let path = file.path.dropFirst(sources.path.count + 1)
            // The samples are written by a tool of their own.
            guard path.hasSuffix(".swift"), !path.hasPrefix("TillSystem/"), !path.hasPrefix("tillroll-samples/") else {
                continue
            }
            count += 1
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
                let words = code.split { !$0.isLetter && !$0.isNumber && !"_.(".contains($0) }
                for call in calls
                where words.contains(where: { $0.hasPrefix(call + "(") || $0.contains("(" + call + "(") }) {
                    found.append("\(path): \(call)")
                }
            }
        }
        #expect(count > 100)
        #expect(found.isEmpty)
    }
}
