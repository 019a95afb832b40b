import SystemPackage
import TillInput
import TillSystem

/// The file of a folder of tables that names the files and folders which `convert` wrote there.
///
///     tillroll 2
///     =partition-by transactions:purchase_month
///     =tables transactions,documents,events,renewals
///     =input 9f86d081… 4096 60303ae2… 12
///     transactions/
///     transactions/purchase_month=2026-03/
///     transactions/purchase_month=2026-03/9f86d081….parquet
///
/// A later run may replace only the listed files, so files that a user adds are kept. Readers of Parquet ignore the
/// listing, like all files with a leading dot. The inputs tell a run that adds rows what is there already
/// (``KnownInputs``).
struct OutputListing {
    static let name = ".tillroll"
    private static let heading = "tillroll 2"
    /// Of folders with a file for each table and run; they name no inputs, so that nothing can be added to them.
    private static let earlierHeading = "tillroll 1"
    /// Bytes; a file takes some 100 of them.
    private static let sizeLimit = 64 << 20

    /// Components of the longest path that `convert` writes: a table, its partition keys, a file.
    private static let depthLimit = 2 + PartitionKey.allCases.count

    /// Paths of files in the folder, below it.
    private(set) var files: Set<FilePath> = []
    private(set) var folders: Set<FilePath> = []
    /// The words of the layout that all parts of the folder share: keys of partitions, and tables.
    var layout: [String] = []
    private(set) var inputs: Set<LakeInput> = []
    /// Whether an earlier version has written the folder.
    private(set) var isEarlier = false

    init() {}

    /// The listing of a folder. It is empty if the folder has none, or one that this program does not understand.
    init(of folder: FilePath) throws(Errno) {
        do throws(Errno) {
            let file = try OpenFile(folder.appending(Self.name), .readOnly, [.noFollow, .nonBlocking])
            // The bytes are complete, even if close fails.
            defer { try? file.close() }
            let bytes = try Self.read(file)
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            // A truncated listing has no line feed at its end, and its last line is an incomplete name.
            let heading = lines.first.map { String(decoding: $0, as: UTF8.self) }
            isEarlier = heading == Self.earlierHeading
            guard heading == Self.heading || isEarlier, bytes.last == UInt8(ascii: "\n") else { return }
            for line in lines.dropFirst().dropLast() {
                let text = String(decoding: line, as: UTF8.self)
                if text.hasPrefix("=") {
                    if let input = LakeInput(text) { inputs.insert(input) } else { layout.append(text) }
                    continue
                }
                let path = FilePath(text)
                if line.last == UInt8(ascii: "/") { add(folder: path) } else { add(path) }
            }
        } catch {
            // The file may be missing, or be a link; tillroll never writes a link.
            guard [.noSuchFileOrDirectory, .tooManySymbolicLinkLevels].contains(error) else { throw error }
        }
    }

    /// The bytes of a regular file that is not longer than listings are, else none.
    private static func read(_ file: OpenFile) throws(Errno) -> [UInt8] {
        let status = try file.status()
        guard status.kind == .regular, status.byteCount <= sizeLimit else { return [] }
        let bytes = try file.readAll(limit: sizeLimit)
        return bytes.count <= sizeLimit ? bytes : []
    }

    mutating func add(_ path: FilePath) {
        if (1...Self.depthLimit).contains(path.components.count) { files.insert(path) }
    }

    mutating func add(folder path: FilePath) {
        if (1..<Self.depthLimit).contains(path.components.count) { folders.insert(path) }
    }

    mutating func add(_ input: LakeInput) { inputs.insert(input) }

    mutating func remove(_ path: FilePath) { files.remove(path) }

    mutating func rename(_ path: FilePath, to other: FilePath) {
        files.remove(path)
        add(other)
    }

    /// The same names give the same file, in any order of adding.
    var bytes: [UInt8] {
        let names = (files.map(\.string) + folders.map { $0.string + "/" }).sorted()
        let inputs = inputs.map(\.text).sorted()
        return Array((([Self.heading] + layout + inputs + names).joined(separator: "\n") + "\n").utf8)
    }
}

/// A folder of tables that is to be replaced: the files that its listing names, and nothing else.
struct ReplaceableFolder {
    /// Why a folder may not be replaced.
    enum Refusal: Error {
        /// It contains files that its listing does not name.
        case stranger(FilePath)
        case unreadable(FilePath, Errno)
    }

    /// Paths below the folder.
    private(set) var files: [FilePath] = []
    fileprivate(set) var folders: [FilePath] = []

    /// Walks the folder, and throws if an entry is not in the listing.
    ///
    /// Another run may replace the folder in the meantime, and its files are not in the listing read here. Then the new
    /// folder is walked.
    init(_ folder: FilePath) throws(Refusal) {
        while true {
            let looked: Result<Self, Refusal>
            do throws(Errno) {
                // While it is open, no other folder gets its inode number.
                let opened = try OpenFile(folder, .readOnly, .directory)
                // Nothing was written to it.
                defer { try? opened.close() }
                looked = Result { () throws(Refusal) in try Self(lookingAt: folder) }
                guard try FileIdentity(opened.status()) == FileIdentity(FileSystem.status(of: folder)) else { continue }
            } catch {
                throw .unreadable(folder, error)
            }
            self = try looked.get()
            return
        }
    }

    private init(lookingAt folder: FilePath) throws(Refusal) {
        let listing: OutputListing
        do {
            listing = try OutputListing(of: folder)
        } catch {
            throw .unreadable(folder, error)
        }
        try collect(FilePath(), of: folder, listing)
    }

    var isEmpty: Bool { files.isEmpty && folders.isEmpty }

    private mutating func collect(_ path: FilePath, of folder: FilePath, _ listing: OutputListing) throws(Refusal) {
        let names: [FilePath.Component]
        do {
            names = try FolderEntries.names(in: folder.pushing(path))
        } catch {
            throw .unreadable(folder.pushing(path), error)
        }
        for name in names {
            let entry = path.appending(name)
            let status: FileStatus
            do throws(Errno) {
                status = try FileSystem.linkStatus(of: folder.pushing(entry))
            } catch {
                throw .unreadable(folder.pushing(entry), error)
            }
            if status.kind == .folder {
                guard listing.folders.contains(entry) else { throw .stranger(entry) }
                folders.append(entry)
                try collect(entry, of: folder, listing)
            } else {
                guard listing.files.contains(entry) else { throw .stranger(entry) }
                files.append(entry)
            }
        }
    }

    /// Removes the files that were found, and the folder itself, which may have another name by now.
    func remove(from folder: FilePath) throws(Errno) {
        for file in files { try Self.remove { () throws(Errno) in try FileSystem.removeFile(folder.pushing(file)) } }
        for path in folders.reversed() + [FilePath()] {
            try Self.remove { () throws(Errno) in try FileSystem.removeFolder(folder.pushing(path)) }
        }
    }

    private static func remove(_ body: () throws(Errno) -> Void) throws(Errno) {
        do {
            try body()
        } catch {
            guard error == .noSuchFileOrDirectory else { throw error }
        }
    }
}
