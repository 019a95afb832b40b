import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that appears whole or not at all: written under another name, synced, then renamed.
///
/// If it is not finished, whatever the reason, nothing is left of it.
struct OutputFile: ~Copyable {
    private let path: String
    private let temporaryPath: String
    private let descriptor: FileDescriptor
    private var buffer: [UInt8] = []
    private static let bufferSize = 256 << 10

    /// Creates the file beside its final place.
    ///
    /// - Parameter isPrivate: whether only the owner may read it.
    init(_ path: String, isPrivate: Bool = false) throws(RunError) {
        self.path = path
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        temporaryPath = path[..<slash] + ".\(path[slash...]).\(getpid()).part"
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            throw RunError(.cannotCreate, "\(path): is a folder; name a file")
        }
        do {
            descriptor = try FileDescriptor.open(
                FilePath(temporaryPath),
                .writeOnly,
                options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: isPrivate ? [.ownerReadWrite] : [.ownerReadWrite, .groupRead, .otherRead]
            )
        } catch {
            throw RunError(.cannotCreate, "\(path): cannot be created: \(error)")
        }
    }

    deinit {
        try? descriptor.close()
        unlink(temporaryPath)
    }

    mutating func write(_ bytes: [UInt8]) throws(RunError) {
        buffer += bytes
        if buffer.count >= Self.bufferSize { try flush() }
    }

    private mutating func flush() throws(RunError) {
        do {
            try descriptor.writeAll(buffer)
        } catch {
            throw RunError(.inputOutputError, "\(path): cannot be written: \(error)")
        }
        buffer.removeAll(keepingCapacity: true)
    }

    /// Gives the file its name.
    consuming func finish() throws(RunError) {
        try flush()
        guard fsync(descriptor.rawValue) == 0, rename(temporaryPath, path) == 0 else {
            throw RunError(.inputOutputError, "\(path): cannot be written: \(Errno(rawValue: errno))")
        }
    }
}

/// Where results go: standard output or a file.
public enum Output {
    /// Writes all of `bytes`. A reader of standard output that has gone away wants no more; that is no error.
    public static func write(_ bytes: [UInt8], to path: String?) throws(RunError) {
        guard let path, path != "-" else {
            do {
                try FileDescriptor.standardOutput.writeAll(bytes)
            } catch Errno.brokenPipe {
                return
            } catch {
                throw RunError(.inputOutputError, "standard output cannot be written: \(error)")
            }
            return
        }
        var file = try OutputFile(path)
        try file.write(bytes)
        try file.finish()
    }

    /// Writes a line for people.
    public static func writeError(_ line: String) {
        // There is nowhere to say that standard error cannot be written.
        _ = try? FileDescriptor.standardError.writeAll((line + "\n").utf8)
    }
}
