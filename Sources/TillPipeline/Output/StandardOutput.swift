import CPlatform
import Synchronization
import SystemPackage

/// The descriptor that results go to where no file is named.
public enum StandardOutput {
    private static let hasWritten = Atomic<Bool>(false)

    /// Makes the standard descriptors safe to use, before any file is opened: one that is closed would be the next file's, and a
    /// reader that goes away would be the end of the process.
    public static func prepare() {
        till_occupy_standard_descriptors()
        Terminal.ignoreBrokenPipes()
    }

    /// Writes all of `bytes`; `false` where the reader has gone away and wants no more, which is no error.
    static func write(_ bytes: [UInt8]) throws(RunError) -> Bool {
        hasWritten.store(true, ordering: .relaxed)
        do {
            try FileDescriptor.standardOutput.writeAll(bytes)
            return true
        } catch Errno.brokenPipe {
            return false
        } catch {
            throw failure(error)
        }
    }

    /// Closes it after the last result, if anything was written: a file system over the network tells only now that a write has
    /// failed, as can a disk whose quota is used up.
    public static func close() throws(RunError) {
        guard hasWritten.exchange(false, ordering: .relaxed) else { return }
        try close(.standardOutput)
    }

    static func close(_ descriptor: FileDescriptor) throws(RunError) {
        do {
            try descriptor.close()
        } catch {
            throw failure(error)
        }
    }

    private static func failure(_ error: any Error) -> RunError {
        RunError(.inputOutputError, "standard output cannot be written: \(error)")
    }
}
