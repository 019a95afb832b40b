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

/// A lock on a folder (flock(2)), held against other runs that write into it.
///
/// The system releases it when the process ends in any way.
struct FolderLock {
    private let file: OpenFile

    /// Waits until no other run has the lock, or until the run is interrupted.
    ///
    /// - Parameter name: what the run writes, for messages.
    init(_ folder: FilePath, _ name: String) throws(RunError) {
        do {
            file = try OpenFile(folder, .readOnly, .directory)
        } catch {
            throw RunError(creating: name, error)
        }
        while try !isTaken(name) {
            guard !Interruption.isRequested else {
                release()
                throw RunError(.interrupted, "\(name): interrupted")
            }
            usleep(Self.pause)
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

    /// Microseconds.
    private static let pause: useconds_t = 50_000

    func release() {
        // It was opened for reading only, so an error of close loses no data.
        try? file.close()
    }
}
