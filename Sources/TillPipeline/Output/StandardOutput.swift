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

    /// Makes writing safe, before any file is opened. Without it, a closed standard descriptor would be reused for the
    /// next file, and a closed pipe or a file size limit would kill the process. Now each is an error of the write.
    public static func prepare() {
        till_occupy_standard_descriptors()
        for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    }

    /// Writes all of `bytes`; `false` if the reader has closed the pipe, which is not an error.
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

    /// Closes it after the last result, if anything was written: a network file system, or a disk over its quota, may
    /// report a failed write only now.
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
