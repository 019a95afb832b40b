import SystemPackage

/// Where bytes go one after the other: a file that appears whole or not at all, or standard output.
final class OutputStream {
    /// Standard output has no reader any more, so nobody wants the rest.
    struct Closed: Error {}

    private var file: OutputFile?

    /// - Parameter path: `nil` or `-` is standard output.
    init(_ path: String?) throws(RunError) {
        if let path, path != "-" { file = try OutputFile(path) }
    }

    func write(_ bytes: [UInt8]) throws {
        guard file == nil else {
            try file?.write(bytes)
            return
        }
        do {
            try FileDescriptor.standardOutput.writeAll(bytes)
        } catch Errno.brokenPipe {
            throw Closed()
        } catch {
            throw RunError(.inputOutputError, "standard output cannot be written: \(error)")
        }
    }

    /// Gives a file its name.
    func finish() throws(RunError) {
        if let file = file.take() { try file.finish() }
    }
}
