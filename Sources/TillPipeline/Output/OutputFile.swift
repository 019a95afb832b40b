import SystemPackage
import TillInput
import TillRender
import TillSystem

/// An output file that is complete or absent: it has no name, or a random one, until it is synced.
///
/// An unfinished file is removed, whatever the reason. If the path is a link, the target file is replaced, and the new
/// file gets its mode and owner. A device or a pipe is never replaced: it is written to. So is a file that the process
/// has open, such as `/dev/stdout`.
struct OutputFile: ~Copyable {
    /// How the file gets its name.
    private enum Naming {
        /// The file has its final name: a device, a pipe, or a file that the process has open.
        case stream
        /// The file has its final name, in a folder that does not have its own yet.
        case inFolder
        /// The file has no name, and disappears when its descriptor is closed.
        case unnamed(OutputPlace)
        /// The file has a random name.
        case temporary(FilePath, OutputPlace)
    }

    /// As it was named.
    private let name: String
    private let naming: Naming
    private let file: OpenFile
    /// The mode and owner of the replaced file; `nil` if there is none.
    private let rights: FileRights?
    private var buffer: [UInt8] = []
    private static let bufferSize = 256 << 10

    /// Opens the file without its final name.
    ///
    /// - Parameter isPrivate: whether only the owner may read it.
    init(_ name: String, isPrivate: Bool = false) throws(RunError) {
        guard !name.isEmpty else { throw RunError(.usage, "-o takes the name of a file, or '-' for standard output") }
        do {
            if try Self.isStream(name) {
                try self.init(name, .stream, OpenFile(FilePath(argument: name), .writeOnly, .append))
                return
            }
            let place = try OutputPlace(FilePath(argument: name))
            guard !place.isFolder, !name.hasSuffix("/") else {
                throw RunError(.cannotCreate, "\(name): is a folder; name a file")
            }
            let rights = isPrivate ? place.rights?.withoutOthers : place.rights
            // Only its owner may read it until it gets the rights of the replaced file.
            let mode: ModeBits = isPrivate || rights != nil ? 0o600 : Self.usualMode
            // If the file system has no unnamed files, the file gets a random name.
            if let unnamed = try? OpenFile(unnamedIn: place.folder, mode: mode) {
                self.init(name, .unnamed(place), unnamed, rights)
                return
            }
            let path = place.temporaryPath()
            let file = try UnfinishedFiles.make(path) { () throws(Errno) in try Self.create(path, mode) }
            self.init(name, .temporary(path, place), file, rights)
        } catch {
            throw error as? RunError ?? RunError(creating: name, error)
        }
    }

    /// Makes a file of a folder that is itself not finished.
    ///
    /// - Parameter rights: those of the file that it replaces; `nil` if there is none.
    init(_ name: String, at path: FilePath, rights: FileRights?) throws(RunError) {
        do {
            self.init(name, .inFolder, try Self.create(path, rights == nil ? Self.usualMode : 0o600), rights)
        } catch {
            throw RunError(creating: name, error)
        }
    }

    /// Throws if the file cannot be created, without leaving one.
    ///
    /// A pipe or a device is not opened: the reader of a pipe would take the end of that for the end of the output.
    static func check(_ name: String) throws(RunError) {
        do {
            if try isStream(name) { return try FileSystem.checkWritable(FilePath(argument: name)) }
        } catch {
            throw RunError(creating: name, error)
        }
        _ = try OutputFile(name)
    }

    private init(_ name: String, _ naming: Naming, _ file: OpenFile, _ rights: FileRights? = nil) {
        (self.name, self.naming, self.file, self.rights) = (name, naming, file, rights)
    }

    /// Minus the bits of the umask.
    private static let usualMode: ModeBits = 0o644

    private static func create(_ path: FilePath, _ mode: ModeBits) throws(Errno) -> OpenFile {
        try OpenFile(path, .writeOnly, [.create, .exclusiveCreate], mode: mode)
    }

    /// Whether the existing file is written to and not replaced.
    static func isStream(_ path: String) throws(Errno) -> Bool {
        guard let status = try FileSystem.statusIfThere(of: FilePath(argument: path)), status.kind != .folder else {
            return false
        }
        let isDescriptor = ["/dev/fd/", "/dev/std", "/proc/"].contains { path.hasPrefix($0) }
        return isDescriptor || status.kind != .regular
    }

    deinit {
        // It is finished, and then synced, or gone.
        try? file.close()
        if case .temporary(let path, _) = naming { UnfinishedFiles.settle(path) { UnfinishedFiles.remove(path) } }
    }

    mutating func write(_ bytes: [UInt8]) throws(RunError) {
        buffer += bytes
        if buffer.count >= Self.bufferSize { try flush() }
    }

    private mutating func flush() throws(RunError) {
        do {
            try file.writeAll(buffer)
        } catch {
            throw failure(error)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    private func failure(_ error: any Error) -> RunError {
        RunError(.inputOutputError, "\(name): cannot be written: \(error)")
    }

    /// Gives the file its name.
    consuming func finish() throws(RunError) {
        try flush()
        do {
            if case .stream = naming {
                // A network file system reports errors at close for every descriptor of a file.
                if let other = try? file.duplicate() { try other.close() }
                return
            }
            try rights?.apply(to: file)
            try file.sync()
            switch naming {
            case .stream, .inFolder: return
            case .unnamed(let place):
                // An unnamed file cannot replace an existing file, so it gets a random name for a moment.
                let path = place.temporaryPath()
                try UnfinishedFiles.settle(path) { () throws(Errno) in
                    try FileSystem.name(file, path)
                    try Self.move(path, to: place.path)
                }
                try place.syncFolder()
            case .temporary(let path, let place):
                try UnfinishedFiles.settle(path) { () throws(Errno) in try Self.move(path, to: place.path) }
                try place.syncFolder()
            }
        } catch {
            throw failure(error)
        }
    }

    /// Gives a file its name; where that fails, the file is gone.
    private static func move(_ path: FilePath, to target: FilePath) throws(Errno) {
        do {
            try FileSystem.move(path, to: target)
        } catch {
            UnfinishedFiles.remove(path)
            throw error
        }
    }
}

/// Writes results to standard output or to a file, and messages to standard error.
public enum Output {
    /// Writes all of `bytes`. If the reader of standard output has closed the pipe, writing stops without an error.
    public static func write(_ bytes: [UInt8], to path: String?) throws(RunError) {
        var stream = try OutputStream(path)
        try stream.write(bytes)
        try stream.finish()
    }

    /// Writes lines for people to standard output; control characters in them are escaped.
    static func write(_ lines: [String]) throws(RunError) {
        try write(Array(lines.map { $0.madeVisible + "\n" }.joined().utf8), to: nil)
    }

    /// Writes output piece by piece; a file appears when it is complete.
    ///
    /// - Parameter height: lines of the terminal that a pager shows at once; `nil` if none is wanted.
    static func write(
        to path: String?,
        pagedTo height: Int? = nil,
        _ body: (_ write: ([UInt8]) throws -> Void) throws -> Void
    ) throws {
        var none: ContentDigest?
        try write(to: path, pagedTo: height, digest: &none, body)
    }

    /// The same; `digest`, if given, becomes the digest of all written bytes.
    static func write(
        to path: String?,
        pagedTo height: Int?,
        digest: inout ContentDigest?,
        _ body: (_ write: ([UInt8]) throws -> Void) throws -> Void
    ) throws {
        if let height {
            var paged = PagedOutput(height: height)
            try body { bytes in
                digest?.update(bytes)
                try paged.write(bytes)
            }
            return try paged.finish()
        }
        var stream = try OutputStream(path)
        try body { bytes in
            digest?.update(bytes)
            try stream.write(bytes)
        }
        try stream.finish()
    }

    /// Writes the reason why a run ends without a result, in the form of all errors.
    public static func writeFailure(_ reason: String) { writeError("tillroll: error: \(reason)") }

    /// Writes the reason why a result is refused, and that its file is not put in place.
    ///
    /// - Parameter path: `nil` or `-` is standard output, which has the result all the same.
    static func writeRefusal(_ reason: String, of path: String?) {
        writeFailure(reason)
        if let path, path != "-" { writeError("tillroll: \(path) is not written") }
    }

    /// Writes a line for people; control characters in it are escaped.
    public static func writeError(_ line: String) {
        // If standard error cannot be written, the error cannot be reported.
        let shown = ProcessArguments.shown(line).madeVisible
        _ = try? OpenFile.standardError.writeAll(Array((shown + "\n").utf8))
    }
}
