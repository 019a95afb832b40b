import CPlatform
import Synchronization
import SystemPackage
import TillSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The descriptor that results go to where no file is named.
public enum StandardOutput {
    private static let hasWritten = Atomic<Bool>(false)

    /// Makes it safe to write, before any file is opened: a standard descriptor that is closed would be the next file's, and a reader
    /// that goes away or a limit on the size of files would be the end of the process; now each is an error of the write.
    public static func prepare() {
        till_occupy_standard_descriptors()
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    }

    /// Writes all of `bytes`; `false` where the reader has gone away and wants no more, which is no error.
    static func write(_ bytes: [UInt8]) throws(RunError) -> Bool {
        hasWritten.store(true, ordering: .relaxed)
        do {
            try OpenFile.standardOutput.writeAll(bytes)
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

    static func close(_ file: OpenFile) throws(RunError) {
        do {
            try file.close()
        } catch {
            throw failure(error)
        }
    }

    private static func failure(_ error: any Error) -> RunError {
        RunError(.inputOutputError, "standard output cannot be written: \(error)")
    }
}
