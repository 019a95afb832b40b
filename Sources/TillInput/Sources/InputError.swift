public import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Why the run cannot go on reading: nothing is wrong with a document, something is wrong with its source.
public struct InputError: Error, Hashable, Sendable {
    public enum Code: String, Sendable {
        /// There is no such file, or it may not be read.
        case missing = "input.missing"
        /// Reading failed half-way.
        case unreadable = "input.unreadable"
        /// The gzip stream is damaged or ends early.
        case gzip = "input.gzip"
        /// The zstd stream is damaged, ends early or needs too much memory.
        case zstd = "input.zstd"
        /// The source inflates to more than ``InflationLimit`` allows.
        case ratio = "input.ratio"
        /// Delimited text has no header with the column that was asked for.
        case header = "input.csv-header"
        /// More came through a pipe than is copied to be read at any place.
        case tooLarge = "input.too-large"
        /// The user asked the run to end.
        case interrupted = "input.interrupted"
    }

    public var code: Code
    /// The source as it was named.
    public var source: String
    /// Bytes of the source, as it is stored, that were read before.
    public var offset: Int
    /// One clause for a person: `No such file or directory`.
    public var reason: String

    public init(_ code: Code, source: String, offset: Int = 0, reason: String) {
        self.code = code
        self.source = source
        self.offset = offset
        self.reason = reason
    }
}

extension InputError {
    /// Why a source cannot be opened: it is missing, unless it is the machine that has run out of something.
    init(opening source: String, _ number: Int32) {
        let isMachine = Errno(rawValue: number).isOfMachine
        self.init(isMachine ? .unreadable : .missing, source: source, reason: String(cString: strerror(number)))
    }

    /// A file ends earlier than it did when it was opened: what stood there is lost to this run.
    init(shortened source: String, to offset: Int, from byteCount: Int) {
        let reason = "became shorter while it was read: it had \(byteCount) bytes when it was opened"
        self.init(.unreadable, source: source, offset: offset, reason: reason)
    }
}

extension Errno {
    /// Whether it is the machine that has run out of something or fails, and not the path that is wrong.
    public var isOfMachine: Bool {
        [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .ioError].contains(self)
    }
}

extension InputError: CustomStringConvertible {
    public var description: String {
        let place = offset > 0 ? " @ \(offset)" : ""
        return "\(source)\(place): \(reason) (\(code.rawValue))"
    }
}
