/// An output shared by several parts of a sink. It ends the run when its reader has closed the pipe.
final class RowOutput {
    /// The reader of standard output has closed the pipe, so the rest is not needed.
    struct Closed: Error {}

    private var stream: OutputStream
    private let path: String
    private let written: WrittenFiles?
    private var digest: ContentDigest?

    /// - Parameters:
    ///   - path: `nil` or `-` is standard output.
    ///   - written: receives the digest of the written bytes; `nil` if it is not needed.
    init(_ path: String?, written: WrittenFiles?) throws(RunError) {
        stream = try OutputStream(path)
        (self.path, self.written) = (path ?? "-", written)
        digest = written.map { _ in ContentDigest() }
    }

    /// - Parameter path: that of the file in its folder.
    init(_ file: consuming OutputFile, path: String, written: WrittenFiles?) {
        stream = OutputStream(file)
        (self.path, self.written) = (path, written)
        digest = written.map { _ in ContentDigest() }
    }

    func write(_ bytes: [UInt8]) throws {
        digest?.update(bytes)
        try stream.write(bytes)
        if stream.isClosed { throw Closed() }
    }

    /// Bytes of rows as text that are held at once, and one row more: one text may be in many rows.
    static let blockSize = 1 << 20

    /// Writes the bytes and empties them, if there are more than `count`.
    func flush(_ bytes: inout [UInt8], above count: Int = 0) throws {
        guard bytes.count > count else { return }
        try write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Gives the file, if it is one, its name.
    func finish() throws(RunError) {
        try stream.finish()
        if let digest { written?.append(path, digest) }
    }
}
