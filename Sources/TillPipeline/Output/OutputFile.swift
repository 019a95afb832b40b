import SystemPackage
import TillRender

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that appears whole or not at all: written under another name, synced, then renamed.
///
/// If it is not finished, whatever the reason, nothing is left of it. A link keeps its name and what it leads to is
/// replaced. What is there and is no regular file, a device or a pipe, is never replaced: it is written to. So is what the process has open, under `/dev/stdout` for one.
struct OutputFile: ~Copyable {
    private let path: String
    /// `nil` where there is nothing to rename.
    private let temporaryPath: String?
    private let descriptor: FileDescriptor
    private var buffer: [UInt8] = []
    private static let bufferSize = 256 << 10

    /// Creates the file beside its final place.
    ///
    /// - Parameter isPrivate: whether only the owner may read it.
    init(_ path: String, isPrivate: Bool = false) throws(RunError) {
        guard !path.isEmpty else { throw RunError(.usage, "-o takes the name of a file, or '-' for standard output") }
        var status = stat()
        let exists = stat(path, &status) == 0
        if exists, status.st_mode & S_IFMT == S_IFDIR {
            throw RunError(.cannotCreate, "\(path): is a folder; name a file")
        }
        let isDescriptor = ["/dev/fd/", "/dev/std", "/proc/"].contains { path.hasPrefix($0) }
        let isStream = exists && (isDescriptor || status.st_mode & S_IFMT != S_IFREG)
        let target = exists && !isStream ? Self.resolved(path) : path
        let temporaryPath = isStream ? nil : Self.temporaryPath(for: target)
        let descriptor: FileDescriptor
        do {
            if let temporaryPath {
                descriptor = try UnfinishedFiles.make(temporaryPath) {
                    try FileDescriptor.open(
                        FilePath(temporaryPath),
                        .writeOnly,
                        options: [.create, .exclusiveCreate, .closeOnExec],
                        permissions: isPrivate ? [.ownerReadWrite] : [.ownerReadWrite, .groupRead, .otherRead]
                    )
                }
            } else {
                descriptor = try FileDescriptor.open(
                    FilePath(target),
                    .writeOnly,
                    options: [.append, .closeOnExec]
                )
            }
        } catch {
            throw RunError(.cannotCreate, "\(path): cannot be created: \(error)")
        }
        self.path = target
        self.temporaryPath = temporaryPath
        self.descriptor = descriptor
    }

    deinit {
        try? descriptor.close()
        if let temporaryPath { UnfinishedFiles.settle(temporaryPath) { _ = unlink(temporaryPath) } }
    }

    /// The path of the file itself, links followed.
    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func temporaryPath(for path: String) -> String {
        let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        return path[..<slash] + ".\(path[slash...]).\(getpid()).part"
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
        guard let temporaryPath else { return }
        var isNamed = fsync(descriptor.rawValue) == 0
        if isNamed { UnfinishedFiles.settle(temporaryPath) { isNamed = rename(temporaryPath, path) == 0 } }
        guard isNamed else {
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

    /// Writes what comes piece by piece; a file appears when all of it has come.
    static func write(
        to path: String?,
        _ body: (_ write: ([UInt8]) throws -> Void) throws -> Void
    ) throws {
        guard let path, path != "-" else {
            return try body { bytes in try Output.write(bytes, to: nil) }
        }
        var file = try OutputFile(path)
        try body { bytes in try file.write(bytes) }
        try file.finish()
    }

    /// Writes a line for people; whatever stands in it, nothing of it acts on their terminal.
    public static func writeError(_ line: String) {
        // There is nowhere to say that standard error cannot be written.
        _ = try? FileDescriptor.standardError.writeAll((line.madeVisible + "\n").utf8)
    }
}
