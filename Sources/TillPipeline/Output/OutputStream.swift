/// Output that is written piece by piece: to standard output at once, or to a file that appears when it is complete.
///
/// If the reader of standard output has closed the pipe, writing stops without an error, and ``isClosed`` is true.
struct OutputStream: ~Copyable {
    private var file: OutputFile?
    private(set) var isClosed = false

    /// - Parameters:
    ///   - path: `nil` or `-` is standard output.
    ///   - isPrivate: whether only the owner may read the file.
    init(_ path: String?, isPrivate: Bool = false) throws(RunError) {
        guard let path, path != "-" else { return }
        file = try OutputFile(path, isPrivate: isPrivate)
    }

    init(_ file: consuming OutputFile) {
        self.file = consume file
    }

    mutating func write(_ bytes: [UInt8]) throws(RunError) {
        guard file == nil else { return try file?.write(bytes) ?? () }
        guard !isClosed else { return }
        isClosed = try !StandardOutput.write(bytes)
    }

    /// Gives the file, if it is one, its name.
    mutating func finish() throws(RunError) {
        if let file = file.take() { try file.finish() }
    }
}
