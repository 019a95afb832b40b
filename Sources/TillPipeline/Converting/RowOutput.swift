/// An output that several parts of a sink share, and that ends the run when nobody reads it any more.
final class RowOutput {
    /// Standard output has no reader any more, so nobody wants the rest.
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
