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

/// The files and folders that the run has begun and that have no name of their own yet, to be taken away should the run
/// have to leave in the middle of something.
///
/// They are made and named under one lock, so that nothing is made after all has been taken away.
enum UnfinishedFiles {
    private struct State {
        var paths: Set<FilePath> = []
        var isLookedAfter = false
    }

    private static let state = Locked(State())

    /// Makes what is not finished; `body` makes it at `path`.
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

    /// Gives what is at `path` its name, or takes it away.
    static func settle<Failure: Error>(_ path: FilePath, _ body: () throws(Failure) -> Void) throws(Failure) {
        try state.withLock { state throws(Failure) in
            try body()
            state.paths.remove(path)
        }
    }

    /// Never gives the lock back: the run is over.
    @Sendable
    private static func removeAll(leavingWith status: Int32) {
        state.withLock { state in
            for path in state.paths { remove(path) }
            _exit(status)
        }
    }

    /// Removes a file, or a folder with all that is in it. What cannot be removed stays: the process is about to end.
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
