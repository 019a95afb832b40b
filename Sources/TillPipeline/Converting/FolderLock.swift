import SystemPackage
import TillInput

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A lock on a folder (flock(2)), held against other runs that write into it.
///
/// The system gives it back when the process ends, however it ends.
struct FolderLock {
    private let descriptor: FileDescriptor

    /// Waits until no other run has the lock, or until the run is interrupted.
    ///
    /// - Parameter name: what the run writes, for messages.
    init(_ folder: FilePath, _ name: String) throws(RunError) {
        do {
            descriptor = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
        } catch {
            throw RunError(creating: name, error)
        }
        while flock(descriptor.rawValue, LOCK_EX | LOCK_NB) != 0 {
            let error = Errno(rawValue: errno)
            guard error == .wouldBlock || error == .interrupted, !Interruption.isRequested else {
                release()
                if Interruption.isRequested { throw RunError(.interrupted, "\(name): interrupted") }
                throw RunError(.inputOutputError, "\(name): its folder cannot be locked: \(error)")
            }
            usleep(Self.pause)
        }
    }

    /// Microseconds.
    private static let pause: useconds_t = 50_000

    func release() {
        // It was opened for reading only: closing it loses nothing.
        try? descriptor.close()
    }
}
