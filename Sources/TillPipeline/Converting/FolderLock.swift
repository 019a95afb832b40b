import SystemPackage
import TillInput
import TillSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The lock of a folder of tables (flock(2)), which each run that changes the folder takes.
///
/// It is on the folder itself, else on the one in which the folder will be. A folder that changes places with another
/// takes its lock with it, so a run that has waited looks at device and inode whether it has locked the right one. The
/// system releases the lock when the process ends in any way.
struct FolderLock {
    private var file: OpenFile

    /// Waits until no other run has the lock, or until the run is interrupted.
    ///
    /// - Parameter name: what the run writes, for messages.
    init(of place: OutputPlace, _ name: String) throws(RunError) {
        // Each run that had the lock before may have replaced the folder. A folder that is another one so often is an error
        // of the file system.
        for _ in 0..<Self.mostAttempts {
            let path = try Self.locked(place, name)
            let file: OpenFile
            do {
                file = try OpenFile(path, .readOnly, .directory)
            } catch {
                // The folder was removed after it was found.
                if error == .noSuchFileOrDirectory, path == place.path { continue }
                throw RunError(creating: name, error)
            }
            self.file = file
            while try !isTaken(name) {
                guard !Interruption.isRequested else {
                    release()
                    throw RunError(.interrupted, "\(name): interrupted")
                }
                usleep(Self.pause)
            }
            let isRight: Bool
            do {
                isRight =
                    try Self.locked(place, name) == path
                    && FileSystem.statusIfThere(of: path).map { FileIdentity($0) } == FileIdentity(file.status())
            } catch {
                release()
                throw error as? RunError ?? RunError(.inputOutputError, "\(name): cannot be examined: \(error)")
            }
            if isRight { return }
            release()
        }
        throw RunError(.inputOutputError, "\(name): its folder cannot be locked: it is another one each time")
    }

    /// The folder that is locked: the one with the tables, if it is there.
    private static func locked(_ place: OutputPlace, _ name: String) throws(RunError) -> FilePath {
        do {
            return try FileSystem.statusIfThere(of: place.path) == nil ? place.folder : place.path
        } catch {
            throw RunError(creating: name, error)
        }
    }

    /// Whether the lock was free and now is taken.
    private func isTaken(_ name: String) throws(RunError) -> Bool {
        do {
            return try file.lock()
        } catch {
            release()
            throw RunError(.inputOutputError, "\(name): its folder cannot be locked: \(error)")
        }
    }

    /// More than the runs that wait for one folder.
    private static let mostAttempts = 1000
    /// Microseconds.
    private static let pause: useconds_t = 50_000

    func release() {
        // It was opened for reading only, so an error of close loses no data.
        try? file.close()
    }
}
