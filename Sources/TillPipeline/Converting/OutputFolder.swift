import SystemPackage
import TillCore
import TillInput
import TillSystem

/// The handling of existing rows in the output folder.
public enum ExistingRows: Sendable {
    /// The run ends before it reads anything.
    case refused
    case replaced
    /// They are kept, and the inputs that the folder has are not added again (``KnownInputs``).
    case kept
}

/// A folder of tables that appears whole or not at all: filled under a random name, then put in place in one step.
///
///     .rows.3w5e11264sgsf.part/  ── filled, synced ── changes places with ──  rows/  ── its files are removed
///
/// An existing folder with rows is not changed unless the caller decides so (``ExistingRows``). Rows are replaced or
/// added only if all files of the folder are from earlier runs (``OutputListing``). The new folder has the mode and the
/// owner of the old one. Kept rows are hard-linked into the new folder, not copied.
final class OutputFolder {
    /// As it was named, without slashes at its end.
    private let name: String
    private var place: OutputPlace
    private let temporaryPath: FilePath
    private let existing: ExistingRows
    private var listing = OutputListing()
    private var isFinished = false
    /// Held until the end of the run; a run that replaces the folder, or makes it, takes it last.
    private var lock: FolderLock?
    /// The inputs of this run: files `part-0` are of the first of them. Set before ``finish()``, which gives the files
    /// their names.
    var inputs: [LakeInput] = []
    /// The inputs whose rows are kept.
    private(set) var keptInputs: Set<LakeInput> = []
    private var keptFiles: [FilePath] = []
    /// How many inputs of this run the folder has already; known after ``finish()``.
    private(set) var repeatedCount = 0
    /// The names that files got, by those under which they were made; `nil` for one that was removed.
    private var finalPaths: [FilePath: FilePath?] = [:]
    private let written: WrittenFiles?

    /// - Parameters:
    ///   - layout: what all parts share, in the words of the listing; rows are added to a folder of the same layout only.
    ///   - written: receives the digests of the files; `nil` if they are not needed.
    init(
        _ path: String,
        existing: ExistingRows = .refused,
        layout: FolderLayout = FolderLayout(),
        written: WrittenFiles? = nil
    ) throws(RunError) {
        name = Self.withoutSlash(path)
        self.existing = existing
        self.written = written
        place = try Self.place(name)
        temporaryPath = place.temporaryPath()
        try makeParents()
        // What is added depends on what the folder has, from now to the end of the run.
        if existing == .kept {
            lock = try FolderLock(of: place, name)
            // A run that had the lock before may have made the folder.
            place = try Self.place(name)
        }
        let old = try Self.replaceable(place, name)
        let holdsRows = old.map { !$0.isEmpty } ?? false
        if existing == .kept { keptFiles = old?.files ?? [] }
        if holdsRows, existing == .refused { throw refusal }
        listing.layout = layout.lines
        if holdsRows, existing == .kept { keptInputs = try Self.inputs(at: place.path, layout, name) }
        try Self.make(temporaryPath, mode: place.rights == nil ? Self.usualMode : 0o700, name)
        if holdsRows { try checkExchange() }
    }

    deinit {
        defer { lock?.release() }
        guard !isFinished else { return }
        UnfinishedFiles.settle(temporaryPath) {
            // Known names first: listing the folder needs a descriptor, and the run may have no more. Then the folder
            // is removed with the remaining entries.
            for file in listing.files { try? FileSystem.removeFile(temporaryPath.pushing(file)) }
            for folder in listing.folders.sorted(by: { $0.components.count > $1.components.count }) {
                try? FileSystem.removeFolder(temporaryPath.pushing(folder))
            }
            UnfinishedFiles.remove(temporaryPath)
        }
    }

    /// The inputs of a folder to which rows of a layout are to be added.
    private static func inputs(
        at path: FilePath,
        _ layout: FolderLayout,
        _ name: String
    ) throws(RunError) -> Set<LakeInput> {
        let old: OutputListing
        do {
            old = try OutputListing(of: path)
        } catch {
            throw RunError(.inputOutputError, "\(name): cannot be read: \(error)")
        }
        guard !old.isEarlier else {
            throw RunError(
                .cannotCreate,
                "\(name): has the layout of an earlier tillroll, which does not tell its inputs; write it anew from all of "
                    + "them: tillroll convert INPUTS -o \(ShellWord.path(name)) --replace"
            )
        }
        try layout.check(old.layout, name)
        return old.inputs
    }

    /// Whether rows of the table are kept.
    func keeps(_ table: TableName) -> Bool {
        keptFiles.contains { $0.components.first?.string == table.rawValue }
    }

    private var refusal: RunError {
        RunError(.cannotCreate, "\(name): holds rows; add --replace to replace them, or --append to add to them")
    }

    /// Minus the bits of the umask.
    private static let usualMode: ModeBits = 0o755

    private static func withoutSlash(_ path: String) -> String {
        var target = path
        while target.count > 1, target.hasSuffix("/") { target.removeLast() }
        return target
    }

    private static func place(_ name: String) throws(RunError) -> OutputPlace {
        guard !name.isEmpty else { throw RunError(.usage, "-o takes the name of a file, or '-' for standard output") }
        let place: OutputPlace
        do {
            place = try OutputPlace(FilePath(argument: name))
        } catch {
            throw RunError(creating: name, error)
        }
        guard place.status == nil || place.isFolder else {
            throw RunError(.cannotCreate, "\(name): is a file; name a folder")
        }
        guard place.path.lastComponent?.kind == .regular else {
            throw RunError(
                .cannotCreate,
                "\(name): a folder is replaced by its name, not by '.' or '..'; name it, or a folder in it"
            )
        }
        return place
    }

    /// The file or folder to be replaced; `nil` if there is none. Throws if it must not be replaced.
    private static func replaceable(_ place: OutputPlace, _ name: String) throws(RunError) -> ReplaceableFolder? {
        guard place.isFolder else { return nil }
        guard !FileSystem.isMountPoint(place.path) else {
            throw RunError(.cannotCreate, "\(name): is a mount point, which cannot be replaced; name a folder in it")
        }
        do throws(ReplaceableFolder.Refusal) {
            return try ReplaceableFolder(place.path)
        } catch {
            switch error {
            case .stranger(let path):
                throw RunError(
                    .cannotCreate,
                    "\(name): holds \(path), which 'tillroll convert' did not write there; name another folder, or one that "
                        + "is empty"
                )
            case .unreadable(let path, let error):
                throw RunError(
                    error.isOfMachine ? .inputOutputError : .cannotCreate,
                    "\(path): cannot be read: \(error)"
                )
            }
        }
    }

    private static func make(_ path: FilePath, mode: ModeBits, _ name: String) throws(RunError) {
        do {
            try UnfinishedFiles.make(path) { () throws(Errno) in try FileSystem.makeFolder(path, mode: mode) }
        } catch {
            throw RunError(creating: name, error)
        }
    }

    /// Makes the parent folders. They are kept if the run fails, because another run may use them by then.
    private func makeParents() throws(RunError) {
        var parent = FilePath(root: place.folder.root)
        for component in place.folder.components {
            parent.append(component)
            do throws(Errno) {
                try FileSystem.makeFolder(parent, mode: Self.usualMode)
            } catch {
                // In an unwritable folder, or on a read-only file system, the folder may exist already.
                if error == .fileExists || (try? FileSystem.status(of: parent)) != nil { continue }
                throw RunError(creating: "\(name): the folder \(parent)", error)
            }
            // Otherwise a power cut could remove the folder together with a finished result.
            let folder = parent.removingLastComponent()
            do {
                try OutputPlace.sync(folder.isEmpty ? "." : folder)
            } catch {
                throw RunError(creating: "\(name): the folder \(parent)", error)
            }
        }
    }

    /// Checks, before anything is read, whether the file system can exchange folders.
    private func checkExchange() throws(RunError) {
        let pair = ["one", "other"].map { temporaryPath.appending($0) }
        do {
            for path in pair { try FileSystem.makeFolder(path, mode: 0o700) }
        } catch {
            throw RunError(creating: name, error)
        }
        try exchange(pair[0], pair[1], .cannotCreate)
        do {
            // A remaining probe would become a part of the result.
            for path in pair { try FileSystem.removeFolder(path) }
        } catch {
            throw RunError(creating: name, error)
        }
    }

    /// - Parameter status: that of the run where they cannot be exchanged.
    private func exchange(_ one: FilePath, _ other: FilePath, _ status: ExitStatus) throws(RunError) {
        do {
            try FileSystem.exchange(one, other)
        } catch {
            throw RunError(
                status,
                "\(name): cannot be replaced in one step here (\(error)) and stays as it is; remove it first, or name another folder"
            )
        }
    }

    /// The files that are removed with the old folder; empty if there is no folder yet.
    static func filesReplaced(at path: String) throws -> [InputFile] {
        let name = withoutSlash(path)
        let place = try place(name)
        return try replaceable(place, name) == nil ? [] : InputFile.expand([name])
    }

    /// Whether there is a folder of this name.
    static func exists(_ path: String) throws(RunError) -> Bool {
        do {
            return try FileSystem.statusIfThere(of: FilePath(argument: path))?.kind == .folder
        } catch {
            throw RunError(creating: path, error)
        }
    }

    /// Makes a folder in the folder, unless it is there.
    func makeFolder(_ path: String) throws(RunError) {
        let path = FilePath(path)
        guard !listing.folders.contains(path) else { return }
        let rights = try rights(of: path)
        try Self.make(temporaryPath.pushing(path), mode: rights == nil ? Self.usualMode : 0o700, "\(name)/\(path)")
        listing.add(folder: path)
    }

    /// Makes a file of rows in the folder, which is to be finished before the folder is.
    func makeOutput(_ path: String) throws(RunError) -> RowOutput {
        RowOutput(try makeFile(path), path: path, written: written)
    }

    func makeFile(_ path: String) throws(RunError) -> OutputFile {
        let path = FilePath(path)
        let rights = try rights(of: path)
        let file = try OutputFile("\(name)/\(path)", at: temporaryPath.pushing(path), rights: rights)
        listing.add(path)
        return file
    }

    /// The rights of the same file or folder in the folder to be replaced; `nil` if there is none.
    private func rights(of path: FilePath) throws(RunError) -> FileRights? {
        do {
            let status = try FileSystem.linkStatusIfThere(of: place.path.pushing(path))
            return status.flatMap { $0.kind == .link ? nil : FileRights($0) }
        } catch {
            throw failure(error)
        }
    }

    /// Puts the folder in its place.
    func finish() throws(RunError) {
        if lock == nil, existing != .refused || place.isFolder { lock = try FolderLock(of: place, name) }
        defer {
            lock?.release()
            lock = nil
        }
        try nameParts()
        if existing == .kept { try linkOldFiles() }
        for input in keptInputs.union(inputs) { listing.add(input) }
        var file = try makeFile(OutputListing.name)
        try file.write(listing.bytes)
        try file.finish()
        for path in listing.folders { try settleFolder(path) }
        try settleFolder(FilePath())
        try UnfinishedFiles.settle(temporaryPath) { () throws(RunError) in
            // Another process may have created a file there in the meantime.
            let now = try Self.place(name)
            let old = try Self.replaceable(now, name)
            guard let old, !old.isEmpty else {
                // An empty folder can be replaced in one step on every file system.
                try move(temporaryPath, to: now.path)
                isFinished = true
                return try sync(now)
            }
            guard existing != .refused else { throw refusal }
            // All rows of the old folder must be in the new one; a program that takes no lock may have changed them.
            for file in old.files where existing == .kept {
                if try isKept(file, of: now) { continue }
                throw RunError(
                    .inputOutputError,
                    "\(name): has changed while rows were added to it, and stays as it is; run the command again"
                )
            }
            try exchange(temporaryPath, now.path, .inputOutputError)
            isFinished = true
            // The old files are removed only after the new name is durable.
            do {
                try now.syncFolder()
            } catch {
                throw RunError(
                    .inputOutputError,
                    "\(name): is written, but may not outlast a power cut (\(error)); what was there before is in \(temporaryPath)"
                )
            }
            do {
                try old.remove(from: temporaryPath)
            } catch {
                throw RunError(
                    .inputOutputError,
                    "\(name): is written, but what was there before cannot be removed: it is in \(temporaryPath): \(error)"
                )
            }
        }
    }

    /// Gives each file the name of its input: `transactions/9f86d081….parquet`. The parts of an input that the folder has
    /// already, from an earlier run or from this one, are removed.
    private func nameParts() throws(RunError) {
        var names = Set(keptInputs.map(\.name))
        let parts: [String?] = inputs.map { names.insert($0.name).inserted ? $0.name : nil }
        repeatedCount = parts.count { $0 == nil }
        for file in listing.files {
            guard let number = file.stem.flatMap({ $0.hasPrefix("part-") ? Int($0.dropFirst(5)) : nil }),
                parts.indices.contains(number)
            else { continue }
            if let name = parts[number] {
                let path = file.removingLastComponent().appending("\(name).parquet")
                try move(temporaryPath.pushing(file), to: temporaryPath.pushing(path))
                listing.rename(file, to: path)
                finalPaths[file] = path
            } else {
                do {
                    try FileSystem.removeFile(temporaryPath.pushing(file))
                } catch {
                    throw failure(error)
                }
                listing.remove(file)
                finalPaths[file] = .some(nil)
            }
        }
    }

    private func move(_ path: FilePath, to target: FilePath) throws(RunError) {
        do {
            try FileSystem.move(path, to: target)
        } catch {
            throw failure(error)
        }
    }

    /// The path that a file of the folder has in the end; `nil` if it was removed.
    func finalPath(of path: String) -> String? {
        finalPaths[FilePath(path), default: FilePath(path)]?.string
    }

    /// Gives the new folder the files of the old one that this run does not write.
    private func linkOldFiles() throws(RunError) {
        for file in keptFiles where file.string != OutputListing.name && !listing.files.contains(file) {
            for depth in 1..<max(1, file.components.count) {
                let folder = file.components.prefix(depth).reduce(into: FilePath()) { $0.append($1) }
                try makeFolder(folder.string)
            }
            do {
                try FileSystem.link(place.path.pushing(file), to: temporaryPath.pushing(file))
            } catch {
                throw RunError(
                    .inputOutputError,
                    "\(name): nothing can be added here, because \(file) cannot be linked (\(error)); name another folder"
                )
            }
            listing.add(file)
        }
    }

    /// Whether the new folder has a file of the old one, by device and inode; of the listing it has its own.
    private func isKept(_ file: FilePath, of place: OutputPlace) throws(RunError) -> Bool {
        if file.string == OutputListing.name { return true }
        do {
            let old = try FileSystem.linkStatus(of: place.path.pushing(file))
            let new = try FileSystem.linkStatusIfThere(of: temporaryPath.pushing(file))
            return new.map { FileIdentity($0) } == FileIdentity(old)
        } catch {
            throw failure(error)
        }
    }

    /// Sets the permissions of a subfolder or of the folder itself, and syncs its entries.
    private func settleFolder(_ path: FilePath) throws(RunError) {
        let rights = path.isEmpty ? place.rights : try rights(of: path)
        do {
            try OutputPlace.sync(temporaryPath.pushing(path), giving: rights)
        } catch {
            throw failure(error)
        }
    }

    private func sync(_ place: OutputPlace) throws(RunError) {
        do {
            try place.syncFolder()
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: Errno) -> RunError {
        RunError(.inputOutputError, "\(name): cannot be written: \(error)")
    }
}
