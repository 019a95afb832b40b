import SystemPackage
import TillInput
import TillSystem
import TillThreads

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The unfinished files and folders of the run, which are removed if the run is interrupted.
///
/// They are created and named under one lock, so that no file is created after the removal.
enum UnfinishedFiles {
    private struct State {
        var paths: Set<FilePath> = []
        var isLookedAfter = false
    }

    private static let state = Locked(State())

    /// Registers an unfinished file that `body` creates at `path`.
    static func make<Made: Sendable, Failure: Error>(
        _ path: FilePath,
        _ body: () throws(Failure) -> Made
    ) throws(Failure) -> Made {
        try state.withLock { state throws(Failure) in
            if !state.isLookedAfter { Interruption.beforeLeaving(removeAll) }
            state.isLookedAfter = true
            let made = try body()
            state.paths.insert(path)
            return made
        }
    }

    /// Renames the file at `path` to its final name, or removes it.
    static func settle<Failure: Error>(_ path: FilePath, _ body: () throws(Failure) -> Void) throws(Failure) {
        try state.withLock { state throws(Failure) in
            try body()
            state.paths.remove(path)
        }
    }

    /// Never releases the lock: the run is over.
    @Sendable
    private static func removeAll(leavingWith status: Int32) {
        state.withLock { state in
            for path in state.paths { remove(path) }
            _exit(status)
        }
    }

    /// Removes a file, or a folder with its content. Errors are ignored: the process is about to end.
    static func remove(_ path: FilePath) {
        do throws(Errno) {
            try FileSystem.removeFile(path)
        } catch {
            guard error == .isDirectory || error == .notPermitted else { return }
            for name in (try? FolderEntries.names(in: path)) ?? [] { remove(path.appending(name)) }
            try? FileSystem.removeFolder(path)
        }
    }
}
