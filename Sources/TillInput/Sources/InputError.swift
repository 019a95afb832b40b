public import SystemPackage

/// Why a source cannot be read. Defects of documents are diagnostics, not errors of this type.
public struct InputError: Error, Hashable, Sendable {
    /// The reasons for a failure; the raw values are stable, and ``description`` ends with one.
    public enum Code: String, Sendable {
        /// There is no such file, or reading it is not permitted.
        case missing = "input.missing"
        /// Reading failed, the file became shorter, or the system ran out of a resource.
        case unreadable = "input.unreadable"
        /// The gzip stream is damaged or ends early.
        case gzip = "input.gzip"
        /// The zstd stream is damaged, ends early or needs too much memory.
        case zstd = "input.zstd"
        /// The source inflates to more than ``InflationLimit`` allows.
        case ratio = "input.ratio"
        /// Delimited text has no header with the wanted column.
        case header = "input.csv-header"
        /// The source cannot be read by ranges of bytes, only as a whole.
        case range = "input.range"
        /// The source holds rows, and the command reads documents only.
        case rows = "input.rows"
        /// More than ``SeekableFile/copyLimit`` bytes came through a pipe that must be copied for random access.
        case tooLarge = "input.too-large"
        /// A signal asked the run to end.
        case interrupted = "input.interrupted"
    }

    /// The reason for the failure; the exit status of a run depends on it.
    public var code: Code
    /// The name of the source, as the user gave it.
    public var source: String
    /// The offset of the error in the stored source, before decompression, in bytes.
    public var offset: Int
    /// One clause for a person, such as `No such file or directory`.
    public var reason: String

    /// Makes an error; where `offset` is 0, the message does not tell it.
    public init(_ code: Code, source: String, offset: Int = 0, reason: String) {
        self.code = code
        self.source = source
        self.offset = offset
        self.reason = reason
    }
}

extension InputError {
    /// The error for a source that cannot be opened, with the error number of the system.
    init(opening source: String, _ error: Errno) {
        self.init(error.isOfMachine ? .unreadable : .missing, source: source, reason: error.description)
    }

    /// The error for a file that became shorter after it was opened, so that some of its documents are lost.
    public init(shortened source: String, to offset: Int, from byteCount: Int) {
        let reason = "became shorter while it was read: it had \(byteCount) bytes when it was opened"
        self.init(.unreadable, source: source, offset: offset, reason: reason)
    }
}

extension Errno {
    /// Whether the system has failed or run out of a resource, and the path may be right.
    public var isOfMachine: Bool {
        [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .ioError].contains(self)
    }
}

extension InputError: CustomStringConvertible {
    public var description: String {
        let place = offset > 0 ? " @ \(offset)" : ""
        let name = source.isEmpty ? "''" : source
        return "\(name)\(place): \(reason) (\(code.rawValue))"
    }
}
