public import SystemPackage
public import TillCore

/// The reasons why a source cannot be read; a finding of a source has one of them as its code.
public enum InputDefect: String, Sendable {
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

    fileprivate var cause: Finding.Cause {
        switch self {
        case .missing: .missing
        case .unreadable, .tooLarge: .system
        case .gzip, .zstd, .ratio: .damaged
        case .header, .range, .rows: .defect
        case .interrupted: .interrupted
        }
    }
}

extension Finding {
    /// Makes the error of a source, with the name that the user gave it and the offset before decompression.
    public init(_ defect: InputDefect, source: String, offset: Int = 0, reason: String) {
        let name = source.isEmpty ? "''" : source
        self.init(defect.rawValue, at: offset, path: name, cause: defect.cause, reason)
    }

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
