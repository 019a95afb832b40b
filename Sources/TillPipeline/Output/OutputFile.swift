import SystemPackage
import TillInput
import TillRender
import TillSystem

/// A file that appears whole or not at all: it has no name, or a random one, until it is synced.
///
/// If it is not finished, whatever the reason, nothing is left of it. A link keeps its name, and the file that it leads to
/// is replaced, whose mode and owner its successor has. What is there and is no regular file, a device or a pipe, is
/// never replaced: it is written to. So is what the process has open, under `/dev/stdout` for one.
struct OutputFile: ~Copyable {
    /// How the file comes to its name.
    private enum Naming {
        /// It has it: a device, a pipe, what the process has open.
        case stream
        /// It has it, in a folder that itself has none yet.
        case inFolder
        /// It has none, and is gone with its descriptor.
        case unnamed(OutputPlace)
        /// It has another, which is random.
        case temporary(FilePath, OutputPlace)
    }

    /// As it was named.
    private let name: String
    private let naming: Naming
    private let file: OpenFile
    /// What the file is to have of the one that it replaces; `nil` where there is none.
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
            // Until it has the rights of the file that it replaces, only its owner may read it.
            let mode: ModeBits = isPrivate || rights != nil ? 0o600 : Self.usualMode
            // Where the file system has no files without a name, the file has a random one.
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
    /// - Parameter rights: those of the file that it replaces; `nil` where there is none.
    init(_ name: String, at path: FilePath, rights: FileRights?) throws(RunError) {
        do {
            self.init(name, .inFolder, try Self.create(path, rights == nil ? Self.usualMode : 0o600), rights)
        } catch {
            throw RunError(creating: name, error)
        }
    }

    private init(_ name: String, _ naming: Naming, _ file: OpenFile, _ rights: FileRights? = nil) {
        (self.name, self.naming, self.file, self.rights) = (name, naming, file, rights)
    }

    /// Less what the umask takes away.
    private static let usualMode: ModeBits = 0o644

    private static func create(_ path: FilePath, _ mode: ModeBits) throws(Errno) -> OpenFile {
        try OpenFile(path, .writeOnly, [.create, .exclusiveCreate], mode: mode)
    }

    /// Whether what is there is written to and not replaced.
    private static func isStream(_ path: String) throws(Errno) -> Bool {
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
                // What a file system over the network tells when a file is closed, it tells for every descriptor of it.
                if let other = try? file.duplicate() { try other.close() }
                return
            }
            try rights?.apply(to: file)
            try file.sync()
            switch naming {
            case .stream, .inFolder: return
            case .unnamed(let place):
                // What is there already cannot be replaced by a file without a name, so it has a random one for a moment.
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

/// Where results go: standard output or a file.
public enum Output {
    /// Writes all of `bytes`. A reader of standard output that has gone away wants no more; that is no error.
    public static func write(_ bytes: [UInt8], to path: String?) throws(RunError) {
        var stream = try OutputStream(path)
        try stream.write(bytes)
        try stream.finish()
    }

    /// Writes lines for people to standard output; whatever stands in them, nothing of it acts on their terminal.
    static func write(_ lines: [String]) throws(RunError) {
        try write(Array(lines.map { $0.madeVisible + "\n" }.joined().utf8), to: nil)
    }

    /// Writes what comes piece by piece; a file appears when all of it has come.
    ///
    /// - Parameter height: lines of the terminal that a pager shows at once; `nil` where none is wanted.
    static func write(
        to path: String?,
        pagedTo height: Int? = nil,
        _ body: (_ write: ([UInt8]) throws -> Void) throws -> Void
    ) throws {
        var none: ContentDigest?
        try write(to: path, pagedTo: height, digest: &none, body)
    }

    /// The same; `digest`, where there is one, becomes that of all that is written.
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

    /// Says why a run ends without what it was asked for, in the form of all errors.
    public static func writeFailure(_ reason: String) { writeError("tillroll: error: \(reason)") }

    /// Writes a line for people; whatever stands in it, nothing of it acts on their terminal.
    public static func writeError(_ line: String) {
        // There is nowhere to say that standard error cannot be written.
        let shown = ProcessArguments.shown(line).madeVisible
        _ = try? OpenFile.standardError.writeAll(Array((shown + "\n").utf8))
    }
}
