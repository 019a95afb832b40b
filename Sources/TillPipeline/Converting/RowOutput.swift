/// An output that several parts of a sink share, and that ends the run when its reader has gone.
final class RowOutput {
    /// The reader of standard output has gone, so the rest is not needed.
    struct Closed: Error {}

    private var stream: OutputStream

    /// - Parameter path: `nil` or `-` is standard output.
    init(_ path: String?) throws(RunError) {
        stream = try OutputStream(path)
    }

    init(_ file: consuming OutputFile) {
        stream = OutputStream(file)
    }

    func write(_ bytes: [UInt8]) throws {
        try stream.write(bytes)
        if stream.isClosed { throw Closed() }
    }

    /// Gives the file, if it is one, its name.
    func finish() throws(RunError) {
        try stream.finish()
    }
}
